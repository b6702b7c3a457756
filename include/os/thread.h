#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Threads, wake-ups of threads that sleep, and locks. */

struct os_thread {
    uintptr_t id;
};

/* Starts a thread that calls BODY with ARGUMENT. The new thread begins with the signals
 * of os_signals_install blocked, so that they do not interrupt its system calls. It may
 * unblock them with os_signals_unblock. Returns 0, or -1 with errno. */
int os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument);

/* Returns the calling thread. */
struct os_thread os_thread_self(void);

/*
 * Wakes THREAD if it is in os_sleep_until or os_signals_wait: the call returns. All other
 * system calls continue. Call this after os_signals_install. If THREAD is just about to
 * call os_signals_wait, that call returns at once. A sleep that is just about to begin is
 * not ended, so a caller that must be sure repeats the wake-up.
 */
void os_thread_wake(const struct os_thread *thread);

/* Waits until THREAD has ended. */
void os_thread_join(const struct os_thread *thread);

/*
 * Gives the calling thread a descriptor table of its own, if the system can do that:
 * system calls are faster with a table that no other thread uses. The new table is a copy
 * of the old table, without standard input, standard output and all other descriptors
 * whose close another process may wait for. A descriptor that another thread closes later
 * stays open in the copy until this thread ends.
 *
 * The copy includes standard error, because the C library, the loader or a sanitizer may
 * write to it. The exception is a standard error that is a pipe or a socket. The copy
 * does not include it, because the reader of the pipe or socket would get no end of file
 * while this thread is stuck in the kernel.
 *
 * Returns true if the thread has its own table now.
 */
bool os_thread_unshare(void);

/* A mutex with one condition variable. */
struct os_lock;

/* Creates a lock, which os_lock_free frees. Returns NULL without memory. */
struct os_lock *os_lock_make(void);

/* Frees a lock that no thread holds; NULL is allowed. */
void os_lock_free(struct os_lock *lock);

/* Waits until no other thread holds the lock, and acquires it. */
void os_lock_acquire(struct os_lock *lock);

/* Acquires the lock if no other thread holds it, without a wait. Returns true if the lock
 * was acquired. */
bool os_lock_try(struct os_lock *lock);

/* Releases the lock. Only for the thread that holds it. */
void os_lock_release(struct os_lock *lock);

/* Releases the lock, waits for os_lock_notify by another thread, and acquires the lock
 * again. It may return without a notification, so the caller checks its condition in a
 * loop. Only for the thread that holds the lock. */
void os_lock_wait(struct os_lock *lock);

/* Wakes one thread that is in os_lock_wait. Only for the thread that holds the lock. */
void os_lock_notify(struct os_lock *lock);

/* Wakes all threads that are in os_lock_wait. Only for the thread that holds the lock. */
void os_lock_notify_all(struct os_lock *lock);

#endif
