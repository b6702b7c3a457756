/* Threads that have the users' signals blocked, by pthreads(7). */
#include "os/thread.h"

#include "os/os.h"
#include "posix.h"

#include <pthread.h>
#include <signal.h>
#ifdef __GLIBC__ /* tests for a library, not for a system */
#include <malloc.h>
#endif

#define STACK (512 << 10) /* the default may exceed a limit on memory */
#define LARGE (128 << 10) /* larger allocations get their own mapping */

int
os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument)
{
    pthread_t id;
    pthread_attr_t attributes;
    sigset_t before;

#ifdef M_ARENA_MAX /* threads allocate little: they need no pool each */
    mallopt(M_ARENA_MAX, 1);
#endif
    /* Fixes the threshold. Otherwise glibc raises it, and a large calloc then reuses
     * memory and writes zeros to all of it. */
#ifdef M_MMAP_THRESHOLD
    mallopt(M_MMAP_THRESHOLD, LARGE);
#endif

    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK);
    posix_signals_block(&before);
    int failed = pthread_create(&id, &attributes, body, argument);
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return os_fail(failed);

    thread->id = (uintptr_t)id;
    return 0;
}

struct os_thread
os_thread_self(void)
{
    return (struct os_thread){(uintptr_t)pthread_self()};
}

void
os_thread_wake(const struct os_thread *thread)
{
    pthread_kill((pthread_t)thread->id, POSIX_SIGNAL_WAKE);
}

void
os_thread_join(const struct os_thread *thread)
{
    pthread_join((pthread_t)thread->id, NULL);
}
