/* Threads that have the users' signals blocked, and locks, by pthreads(7); the clock, and
 * sleeps. */
#include "os/thread.h"

#include "base/time.h"
#include "has.h"
#include "os/os.h"
#include "posix.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#ifdef __GLIBC__ /* a library, not a system */
#include <malloc.h>
#endif

#define STACK (512 << 10) /* the default may be more than memory is allowed */

int
os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument)
{
    pthread_t id;
    pthread_attr_t attributes;
    sigset_t before;
#ifdef M_ARENA_MAX /* threads here allocate little: no memory pool for each of them */
    mallopt(M_ARENA_MAX, 1);
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

struct os_lock {
    pthread_mutex_t mutex;
    pthread_cond_t notified;
};

struct os_lock *
os_lock_make(void)
{
    struct os_lock *lock = malloc(sizeof(*lock));
    if (!lock)
        return NULL;
    pthread_mutex_init(&lock->mutex, NULL);
    pthread_cond_init(&lock->notified, NULL);
    return lock;
}

void
os_lock_free(struct os_lock *lock)
{
    if (!lock)
        return;
    pthread_cond_destroy(&lock->notified);
    pthread_mutex_destroy(&lock->mutex);
    free(lock);
}

void
os_lock_acquire(struct os_lock *lock)
{
    pthread_mutex_lock(&lock->mutex);
}

bool
os_lock_try(struct os_lock *lock)
{
    return pthread_mutex_trylock(&lock->mutex) == 0;
}

void
os_lock_release(struct os_lock *lock)
{
    pthread_mutex_unlock(&lock->mutex);
}

void
os_lock_wait(struct os_lock *lock)
{
    pthread_cond_wait(&lock->notified, &lock->mutex);
}

void
os_lock_notify(struct os_lock *lock)
{
    pthread_cond_signal(&lock->notified);
}

#ifndef OS_HAS_CLOCK_NOW
int64_t
os_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}
#endif

#ifdef OS_HAS_CLOCK_NANOSLEEP
int
os_sleep_until(int64_t when)
{
    struct timespec until = time_spec(when);
    int code = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return code ? os_fail(code) : 0;
}
#else /* sleeps are for a time, not until one */
int
os_sleep_until(int64_t when)
{
    for (int64_t left = when - os_clock_now(); left > 0; left = when - os_clock_now()) {
        struct timespec pause = time_spec(time_earlier(left, TIME_WAIT_MOST));
        if (nanosleep(&pause, NULL) < 0)
            return -1;
    }
    return 0;
}
#endif
