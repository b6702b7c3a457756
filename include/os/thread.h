#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Threads, wake-ups of their sleeps, and locks. */

struct os_thread {
    uintptr_t id;
};

/*
 * Starts BODY with ARGUMENT on a thread of its own. The signals of os_signals_install are
 * blocked there, until it unblocks the set of another, so they cannot interrupt its
 * system calls. Returns 0, or -1 with errno.
 */
int os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument);

/* The calling thread. */
struct os_thread os_thread_self(void);

/*
 * Ends the os_sleep_until or os_signals_wait that THREAD is in, after
 * os_signals_install. Other system calls go on. A sleep that is only about to
 * begin is not ended, so a caller that must be sure calls it again; a wait is.
 */
void os_thread_wake(const struct os_thread *thread);

/* Waits for the end of THREAD. */
void os_thread_join(const struct os_thread *thread);

/*
 * Unshares the calling thread's table of descriptors, if the system can: it becomes a
 * copy without the standard streams, and system calls are quicker when no other thread
 * can change the table meanwhile. A descriptor that others close stays open here until
 * this thread ends. Standard error stays, for what the C library, the loader
 * or a sanitizer say last, unless it is a pipe or a socket: its reader would not see its
 * end while the kernel holds this thread. Returns whether that was done.
 */
bool os_thread_unshare(void);

/* A lock, for one thread at a time. */
struct os_lock;

/* Makes one; NULL without memory. Freed by os_lock_free. */
struct os_lock *os_lock_make(void);
void os_lock_free(struct os_lock *lock);

/* Waits for the lock and acquires it. */
void os_lock_acquire(struct os_lock *lock);

/* Acquires the lock if that needs no wait: true; else false. */
bool os_lock_try(struct os_lock *lock);

/* Releases a lock that the calling thread has acquired. */
void os_lock_release(struct os_lock *lock);

/*
 * Releases a lock that the calling thread has acquired, waits for os_lock_notify, and
 * acquires it again. It may come back without one, so the caller looks at what it waits
 * for. One thread at a time may wait with a lock.
 */
void os_lock_wait(struct os_lock *lock);

/* Ends the wait of another thread with a lock that the calling thread has acquired. */
void os_lock_notify(struct os_lock *lock);

#endif
