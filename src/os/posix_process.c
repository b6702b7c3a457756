/*
 * A process: its wall clock, its privileges, its memory, and how it ends.
 *
 * A thread that is stuck in the kernel does not come back once its process ends, but the
 * file that it was making is made all the same. So another process waits until the kernel
 * has released all threads, however late, and removes the file then; nothing waits for
 * it. A pipe tells when: its other end closes with the last thread.
 */
#include "base/time.h"
#include "has.h"
#include "os/os.h"
#include "os/process.h"
#include "posix.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int64_t
os_clock_wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}

void
os_clock_local(int64_t wall, struct tm *local)
{
    time_t seconds = (time_t)(wall / SECOND);
    memset(local, 0, sizeof(*local));
    localtime_r(&seconds, local);
}

/* The descriptors that were open when the process started, as far as they are known. */
#define INHERITED 256
static int inherited[INHERITED] = {0, 1, 2};
static int inherited_count = 3;

/* poll(2) tells of those that are not open, but some systems know it for few, or for no
 * terminals. The standard streams are open. */
void
posix_inherited_list(void)
{
    struct pollfd each[INHERITED];
    for (int i = 0; i < INHERITED; i++)
        each[i] = (struct pollfd){.fd = i};
    bool known = poll(each, INHERITED, 0) >= 0;
    for (int i = inherited_count; i < INHERITED; i++)
        if (known ? !(each[i].revents & POLLNVAL) : fcntl(i, F_GETFD) >= 0)
            inherited[inherited_count++] = i;
}

#ifndef OS_HAS_DESCRIPTOR_CLOSE /* all threads share one table */
void
posix_descriptor_close(int fd)
{
    close(fd);
}
#endif

/* Descriptors that are closed with them, and 0 for none. A handler of signals may read
 * them while another thread changes them. */
#define ADDED 4096
static atomic_int added[ADDED];

int
posix_inherited_add(int fd)
{
    for (int i = 0; i < ADDED; i++) {
        int none = 0;
        if (atomic_compare_exchange_strong(&added[i], &none, fd))
            return 0;
    }
    errno = EMFILE;
    return -1;
}

void
posix_inherited_remove(int fd)
{
    for (int i = 0; i < ADDED; i++) {
        int found = fd;
        if (atomic_compare_exchange_strong(&added[i], &found, 0))
            return;
    }
}

static atomic_int output; /* 0: there is none */

void
posix_inherited_output(int fd)
{
    atomic_store(&output, fd);
}

static void
close_added(void)
{
    for (int i = 0; i < ADDED; i++) {
        int fd = atomic_load(&added[i]);
        if (fd > 0)
            posix_descriptor_close(fd);
    }
}

void
posix_inherited_close(bool errors)
{
    int file = atomic_load(&output);
    close_added();
    if (file)
        posix_descriptor_close(file);
    for (int i = 0; i < inherited_count; i++)
        if (inherited[i] != STDERR_FILENO || errors)
            posix_descriptor_close(inherited[i]);
}

/* The numbers of the standard streams stay occupied, by what os_stream_guard takes: other
 * threads may still write to them, and what is opened next must not get that. */
void
posix_inherited_release(void)
{
    int none = open("/", O_RDONLY | O_CLOEXEC), file = atomic_load(&output);
    close_added();
    if (file && (none < 0 || dup2(none, file) < 0))
        posix_descriptor_close(file);
    for (int i = 0; i < inherited_count; i++)
        if (none < 0 || inherited[i] > STDERR_FILENO || dup2(none, inherited[i]) < 0)
            posix_descriptor_close(inherited[i]);
}

/* The leftover file. Once the state is ENDING nothing changes any more, so that the other
 * process, which has a copy of all this, has a name that is whole. */
enum state { NONE, CHANGING, SET, ENDING };

static atomic_int state;
static atomic_bool made;
static char name[4096]; /* PATH_MAX */

/* Changes the state, unless it is not FROM, as when the process ends meanwhile. */
static bool
change(int from, int to)
{
    return atomic_compare_exchange_strong(&state, &from, to);
}

int
os_leftover_begin(const char *path)
{
    size_t size = strlen(path) + 1;
    if (size > sizeof(name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    if (change(NONE, CHANGING)) {
        atomic_store(&made, false);
        memcpy(name, path, size);
        if (change(CHANGING, SET))
            return 0;
    }
    errno = EINTR;
    return -1;
}

/* While the process ends nothing more is written: the other process has a copy that does
 * not say that the file is made, and removes it only if it is empty. */
void
os_leftover_made(void)
{
    atomic_store(&made, true);
    while (atomic_load(&state) == ENDING)
        pause();
}

void
os_leftover_end(void)
{
    change(SET, NONE);
}

/* A file that os_leftover_made did not tell of may be another's, if it is not empty. */
static void
remove_file(void)
{
    struct stat status;
    if (atomic_load(&made) ||
        (lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0))
        unlink(name);
}

/* Every call here is safe in the handler of a signal. */
static _Noreturn void
wait_and_remove(const int ends[2])
{
    char byte;
    ssize_t got;
    close(ends[1]);
    do
        got = read(ends[0], &byte, 1);
    while (got > 0 || (got < 0 && errno == EINTR));
    remove_file();
    _exit(0);
}

void
posix_leftover_remove(void)
{
    sigset_t all;
    int ends[2];
    if (atomic_exchange(&state, ENDING) != SET)
        return;
    sigfillset(&all); /* signals are not for the other process */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pid_t other = pipe(ends) < 0 ? -1 : fork();
    if (other == 0)
        wait_and_remove(ends);
    if (other < 0)
        remove_file();
}

/* The arguments of main are bytes as the user typed them. */
int
os_process_arguments(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

#ifndef OS_HAS_CAPABILITIES /* the files of programs have none */
int
posix_capabilities_drop(void)
{
    return 0;
}
#endif

/* The group first: without the user's privileges it could not be set. */
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

/* Populating pages at once costs half of one page fault after the other. */
static void
touch_pages(void *memory, size_t size)
{
#ifdef MADV_POPULATE_WRITE /* a feature, not a system */
    size_t page, before, most = 16 * 4096;
    if (size < most)
        return;
    page = (size_t)sysconf(_SC_PAGESIZE);
    before = (page - (uintptr_t)memory % page) % page;
    if (size >= before + 16 * page)
        madvise((char *)memory + before, (size - before) / page * page,
                MADV_POPULATE_WRITE);
#else
    (void)memory, (void)size;
#endif
}

void *
os_memory_aligned(size_t alignment, size_t size)
{
    void *memory = NULL;
    if (posix_memalign(&memory, alignment, size) != 0)
        return NULL;
    touch_pages(memory, size);
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
    munmap(memory, size);
}
