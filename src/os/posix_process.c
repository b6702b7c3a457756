/*
 * The process on all Unix systems: its wall clock, the descriptors that it inherited, its
 * privileges and its memory. The first part has the answers for systems other than Linux,
 * which has its own in linux_process.c.
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
/* All threads share one descriptor table on these systems. */
void
posix_descriptor_close(int fd)
{
    close(fd);
}

/* Program files have no capabilities on these systems. */
OS_ANSWER(int, posix_capabilities_drop, (void), 0)

/* These systems do not count context switches, or do not count them for stops. */
OS_ANSWER(int, posix_signals_switches, (void), -1)

/* These systems do not report a freeze. */
OS_ANSWER(void, os_signals_see_freezes, (void), )

int
posix_signals_pause(int64_t limit, const sigset_t *mask)
{
    struct timespec rest = time_spec(limit);
    return pselect(0, NULL, NULL, NULL, &rest, mask);
}

/* The kernel cannot signal the death of a parent here; the child checks its parent
 * regularly (posix_monitor_follow). */
OS_ANSWER(void, posix_parent_death, (int signo), )
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

/* The inherited descriptors, each plus one; 0 is a free entry. Any thread writes an entry
 * by one atomic exchange, so a signal handler may read the list at any time. */
#define HELD 4096
static atomic_int held[HELD] = {STDIN_FILENO + 1, STDOUT_FILENO + 1, STDERR_FILENO + 1};

int
posix_inherited_add(int fd)
{
    for (int i = 0; i < HELD; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&held[i], &none, fd + 1))
            return 0;
    }
    return os_fail(EMFILE);
}

void
posix_inherited_remove(int fd)
{
    for (int i = 0; i < HELD; i++) {
        int found = fd + 1;
        if (atomic_compare_exchange_strong(&held[i], &found, 0))
            return;
    }
}

#define INHERITED 256

/* poll(2) reports POLLNVAL for a closed descriptor, but on some systems it accepts only a
 * few descriptors, or no terminals; then fcntl(2) is asked about each. The standard
 * streams are open already. */
void
posix_inherited_list(void)
{
    struct pollfd each[INHERITED];
    for (int i = 0; i < INHERITED; i++)
        each[i] = (struct pollfd){.fd = i};
    bool known = poll(each, INHERITED, 0) >= 0;
    for (int i = STDERR_FILENO + 1; i < INHERITED; i++)
        if (known ? !(each[i].revents & POLLNVAL) : fcntl(i, F_GETFD) >= 0)
            posix_inherited_add(i);
}

void
posix_inherited_close(bool errors)
{
    for (int i = 0; i < HELD; i++) {
        int fd = atomic_load(&held[i]) - 1;
        if (fd >= 0 && (fd != STDERR_FILENO || errors))
            posix_descriptor_close(fd);
    }
}

/* The numbers stay occupied by a descriptor of "/", as in os_stream_guard: other threads
 * may still write to these numbers, and a newly opened file must not receive those
 * writes. */
void
posix_inherited_release(void)
{
    int none = open("/", O_RDONLY | O_CLOEXEC);
    for (int i = 0; i < HELD; i++) {
        int fd = atomic_load(&held[i]) - 1;
        if (fd >= 0 && (none < 0 || dup2(none, fd) < 0))
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

/* Process 1 of a container does not die by a signal; its exit status says the same. */
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

/* main's arguments are the bytes that the user typed. */
OS_ANSWER(int, os_process_arguments, (int *argc, char ***argv), 0)

/* The group is set first, because after dropping the user's privileges it could not be
 * set any more. */
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

/* Populating all pages at once costs half as much as one page fault after another. */
void *
os_memory_aligned(size_t alignment, size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, size) != 0)
        return NULL;
#ifdef MADV_POPULATE_WRITE /* tests for a feature, not for a system */
    size_t page = size < 16 * 4096 ? 0 : (size_t)sysconf(_SC_PAGESIZE);
    size_t before = page ? (page - (uintptr_t)memory % page) % page : 0;
    if (page && size >= before + 16 * page)
        madvise((char *)memory + before, (size - before) / page * page,
                MADV_POPULATE_WRITE);
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
