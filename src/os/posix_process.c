/*
 * The process on all Unix systems: its wall clock, the descriptors that it inherited, its
 * privileges and its memory. The functions at the top are not used on Linux, where
 * linux_process.c defines them.
 */
#include "base/time.h"
#include "has.h"
#include "os/os.h"
#include "os/process.h"
#include "posix.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#ifndef OS_SYSTEM_linux
/* All threads of a process share one descriptor table on these systems. */
void
posix_descriptor_close(int fd)
{
    close(fd);
}

/* Program files have no capabilities on these systems. */
OS_ANSWER(int, posix_capabilities_drop, (void), 0)

/* These systems do not count context switches, or a stop of the process adds none. */
OS_ANSWER(int, posix_signals_switches, (void), -1)

/* These systems give no sign of a freeze of the process. */
OS_ANSWER(void, os_signals_see_freezes, (void), )

int
posix_signals_pause(int64_t limit, const sigset_t *mask)
{
    struct timespec timeout = time_spec(limit);
    return pselect(0, NULL, NULL, NULL, &timeout, mask);
}

/* The kernel cannot send a signal when a parent dies here. Instead the child checks
 * regularly whether its parent lives (posix_monitor_follow). */
OS_ANSWER(void, posix_parent_death, (int signo), )

/* The state of another process is not looked up on these systems. */
OS_ANSWER(bool, posix_process_is_stopped, (pid_t pid), false)
OS_ANSWER(bool, posix_process_is_killed, (pid_t pid), false)
#endif

int64_t
os_clock_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

#define INHERITED_MAX 4096

/* The inherited descriptors, each plus one, so that 0 is a free element. Written by any
 * thread. Each write is a single atomic exchange, so a signal handler may read the array
 * at any time. */
static atomic_int inherited[INHERITED_MAX] = {STDIN_FILENO + 1, STDOUT_FILENO + 1,
                                              STDERR_FILENO + 1};

int
posix_inherited_add(int fd)
{
    for (int i = 0; i < INHERITED_MAX; i++) {
        int expected = 0;
        if (atomic_compare_exchange_strong(&inherited[i], &expected, fd + 1))
            return 0;
    }
    return os_fail(EMFILE);
}

void
posix_inherited_remove(int fd)
{
    for (int i = 0; i < INHERITED_MAX; i++) {
        int expected = fd + 1;
        if (atomic_compare_exchange_strong(&inherited[i], &expected, 0))
            return;
    }
}

/* posix_inherited_list looks at descriptors below this number. */
#define LISTED_MAX 256

/* poll(2) reports POLLNVAL for a closed descriptor. On some systems, poll(2) fails for
 * this many descriptors or for a terminal. Then fcntl(2) tests each descriptor. The
 * standard streams are in `inherited` from the start. */
void
posix_inherited_list(void)
{
    struct pollfd polled[LISTED_MAX];
    for (int i = 0; i < LISTED_MAX; i++)
        polled[i] = (struct pollfd){.fd = i};
    bool poll_works = poll(polled, LISTED_MAX, 0) >= 0;

    for (int fd = STDERR_FILENO + 1; fd < LISTED_MAX; fd++) {
        bool is_open;
        if (poll_works)
            is_open = !(polled[fd].revents & POLLNVAL);
        else
            is_open = fcntl(fd, F_GETFD) >= 0;
        if (is_open)
            posix_inherited_add(fd);
    }
}

void
posix_inherited_close(bool errors)
{
    for (int i = 0; i < INHERITED_MAX; i++) {
        int fd = atomic_load(&inherited[i]) - 1;
        if (fd >= 0 && (fd != STDERR_FILENO || errors))
            posix_descriptor_close(fd);
    }
}

/* Replaces each inherited descriptor by a descriptor of "/", to which every write fails.
 * Just closing the descriptors would not be safe, because other threads may still write
 * to their numbers. A file that is opened later could get one of these numbers and
 * receive the writes. */
void
posix_inherited_release(void)
{
    int root = open("/", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < INHERITED_MAX; i++) {
        int fd = atomic_load(&inherited[i]) - 1;
        if (fd >= 0 && (root < 0 || dup2(root, fd) < 0))
            posix_descriptor_close(fd);
    }
}

void
posix_descriptor_write(int fd, const char *bytes, size_t size)
{
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    if (poll(&ready, 1, 0) == 1 && ready.revents & POLLOUT) {
        ssize_t written = write(fd, bytes, size);
        (void)written;
    }
}

/* Process 1 of a container does not die by a signal that it sends to itself, so raise may
 * return. */
int
posix_process_die(int signo)
{
    sigset_t set;
    signal(signo, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, signo);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    raise(signo);
    return 128 + signo;
}

/* Unix passes main's arguments as the bytes that the user typed: nothing is converted. */
OS_ANSWER(int, os_process_arguments, (int *argc, char ***argv), 0)

void
os_host_name(char *name, size_t size)
{
    if (gethostname(name, size) < 0)
        *name = '\0';
    name[size - 1] = '\0'; /* POSIX does not say that a name that was cut has a NUL */
}

/* The group is set before the user: once the user is set, the process may have lost the
 * right to set its group. */
int
os_privileges_drop(void)
{
    if (getegid() != getgid() && setregid(getgid(), getgid()) < 0)
        return -1;
    if (geteuid() != getuid() && setreuid(getuid(), getuid()) < 0)
        return -1;
    return posix_capabilities_drop();
}

void
os_memory_free(void *memory)
{
    free(memory);
}

#ifdef MADV_POPULATE_WRITE    /* a flag that not every system has */
#define POPULATE_MIN_PAGES 16 /* fewer pages are not worth a system call */
#define SMALLEST_PAGE 4096    /* bytes; no system has smaller pages */

/* Makes the kernel provide all whole pages of the SIZE bytes at MEMORY at once. That
 * costs half as much time as one page fault after another. */
static void
populate_pages(char *memory, size_t size)
{
    if (size < POPULATE_MIN_PAGES * SMALLEST_PAGE)
        return;

    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t before =
        (page - (uintptr_t)memory % page) % page; /* bytes before the first whole page */
    if (size >= before + POPULATE_MIN_PAGES * page)
        madvise(memory + before, (size - before) / page * page, MADV_POPULATE_WRITE);
}
#endif

void *
os_memory_aligned(size_t alignment, size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, size) != 0)
        return NULL;
#ifdef MADV_POPULATE_WRITE
    populate_pages(memory, size);
#endif
    return memory;
}

void *
os_memory_zeroed(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void
os_memory_release(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}
