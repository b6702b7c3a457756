/*
 * A thread that is stuck in the kernel does not come back once its process ends, but the
 * file that it was making there is made all the same. So another process waits until the
 * kernel has let go of all threads, and removes the file then: however late that is, and
 * nobody waits for it. A pipe tells, whose other end is closed with the last thread.
 */
#include "posix_leftover.h"

#include "os/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where it is ENDING nothing changes any more, so that the other process, which has a
 * copy of all this, has a name that is whole. */
enum state { NONE, CHANGING, THERE, ENDING };

static atomic_int state;
static atomic_bool made;
static char name[4096]; /* PATH_MAX */

/* Whether it went from one state to another, which nobody has ended meanwhile. */
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
        if (change(CHANGING, THERE))
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
    change(THERE, NONE);
}

/* What was not made yet by the process's own account may be another's, if not empty. */
static void
remove_file(void)
{
    struct stat status;
    if (atomic_load(&made) ||
        (lstat(name, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0))
        unlink(name);
}

/* All of this may be done in a handler of a signal. */
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
    if (atomic_exchange(&state, ENDING) != THERE)
        return;
    sigfillset(&all); /* what comes is not for the other process */
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    pid_t other = pipe(ends) < 0 ? -1 : fork();
    if (other == 0)
        wait_and_remove(ends);
    if (other < 0)
        remove_file();
}
