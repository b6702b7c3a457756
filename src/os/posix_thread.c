#include "os/thread.h"

#include "posix_signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>

int
os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument)
{
    pthread_t id;
    sigset_t before;
    posix_signals_hold(&before);
    errno = pthread_create(&id, NULL, body, argument);
    int failed = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = failed;
    thread->id = (uintptr_t)id;
    return failed ? -1 : 0;
}

struct os_thread
os_thread_self(void)
{
    return (struct os_thread){(uintptr_t)pthread_self()};
}

void
os_thread_poke(const struct os_thread *thread)
{
    pthread_kill((pthread_t)thread->id, POSIX_SIGNAL_POKE);
}

void
os_thread_join(const struct os_thread *thread)
{
    pthread_join((pthread_t)thread->id, NULL);
}
