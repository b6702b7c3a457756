#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Threads, wake-ups of their sleeps, and locks. */

struct os_thread {
    uintptr_t id;
};

/* Starts a thread that calls BODY with ARGUMENT. The signals of os_signals_install are
 * blocked in the new thread, so they do not interrupt its system calls;
 * os_signals_unblock unblocks them. Returns 0, or -1 with errno. */
int os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument);

/* Returns the calling thread. */
struct os_thread os_thread_self(void);

/*
 * Ends the os_sleep_until or os_signals_wait that THREAD is in; other system calls
 * continue. Call it after os_signals_install. If THREAD is just about to call
 * os_signals_wait, that call returns at once. A sleep that is just about to begin is not
 * ended, so a caller that must be sure repeats the wake-up.
 */
void os_thread_wake(const struct os_thread *thread);

/* Waits until THREAD has ended. */
void os_thread_join(const struct os_thread *thread);

/*
 * Gives the calling thread a descriptor table of its own, if the system can do that,
 * because system calls are faster with a table that no other thread uses. The new table
 * is a copy of the old one without the standard streams. A descriptor that another thread
 * closes later stays open in the copy until this thread ends.
 *
 * Standard error stays in the copy, because the C library, the loader or a sanitizer may
 * write to it. If standard error is a pipe or a socket, it is left out too: the reader
 * would wait for its end as long as this thread is stuck in the kernel.
 *
 * Returns true if the thread has its own table now.
 */
bool os_thread_unshare(void);

/* A mutex with one condition variable. */
struct os_lock;

/* Creates a lock. Returns NULL without memory. Freed by os_lock_free. */
struct os_lock *os_lock_make(void);

/* Frees a lock that nobody holds; NULL is allowed. */
void os_lock_free(struct os_lock *lock);

/* Waits until the lock is free and acquires it. */
void os_lock_acquire(struct os_lock *lock);

/* Acquires the lock if that needs no wait. Returns true if it did. */
bool os_lock_try(struct os_lock *lock);

/* Releases the lock. Only for the thread that holds it, like the functions below. */
void os_lock_release(struct os_lock *lock);

/* Releases the lock, waits for os_lock_notify by another thread, and acquires the lock
 * again. It may return without a notification, so the caller checks its condition in a
 * loop. */
void os_lock_wait(struct os_lock *lock);

/* Wakes one thread that is in os_lock_wait. */
void os_lock_notify(struct os_lock *lock);

/* Wakes all threads that are in os_lock_wait. */
void os_lock_notify_all(struct os_lock *lock);

#endif
