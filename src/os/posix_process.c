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

void
os_leftover_made(void)
{
    atomic_store(&made, true);
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
    close(ends[1]);
    for (int stream = 0; stream < 3; stream++)
        close(stream);
    while (read(ends[0], &byte, 1) < 0 && errno == EINTR)
        ;
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
