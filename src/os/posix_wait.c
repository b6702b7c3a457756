/* Waiting: locks with a condition variable, by pthreads(7), the monotonic clock, and
 * sleeps. */
#include "base/time.h"
#include "has.h"
#include "os/os.h"
#include "os/thread.h"

#include <pthread.h>
#include <stdlib.h>

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

void
os_lock_notify_all(struct os_lock *lock)
{
    pthread_cond_broadcast(&lock->notified);
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
#else
/* This system can only sleep for a duration, not until a time: nanosleep(2). */
int
os_sleep_until(int64_t when)
{
    int64_t remaining = when - os_clock_now();
    while (remaining > 0) {
        struct timespec pause = time_spec(time_earlier(remaining, TIME_WAIT_MAX));
        if (nanosleep(&pause, NULL) < 0)
            return -1;
        remaining = when - os_clock_now();
    }
    return 0;
}
#endif
