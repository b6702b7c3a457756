#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

/* Threads, wake-ups of their sleeps, and locks. */

struct os_thread {
    uintptr_t id;
};

/* Starts BODY with ARGUMENT on a thread of its own, where the signals of
 * os_signals_install are blocked until it unblocks the set of another, and interrupt no
 * system call. Returns 0, or -1 with errno. */
int os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument);

/* The calling thread. */
struct os_thread os_thread_self(void);

/* Ends the os_sleep_until or os_signals_wait that THREAD is in, after os_signals_install;
 * other system calls go on. A wait that is only about to begin is ended, a sleep is not:
 * a caller that must be sure calls it again. */
void os_thread_wake(const struct os_thread *thread);

/* Waits for the end of THREAD. */
void os_thread_join(const struct os_thread *thread);

/*
 * Gives the calling thread a table of descriptors of its own, if the system can, as then
 * system calls are quicker: a copy without the standard streams. What others close stays
 * open here until this thread ends. Standard error stays, for what the C library, the
 * loader or a sanitizer say last, unless it is a pipe or a socket, whose reader would see
 * no end while the kernel holds this thread. Returns whether that was done.
 */
bool os_thread_unshare(void);

/* A lock, for one thread at a time. */
struct os_lock;

/* Makes one; NULL without memory. Freed by os_lock_free. */
struct os_lock *os_lock_make(void);
void os_lock_free(struct os_lock *lock);

/* Waits for the lock and acquires it; or, true, only if that needs no wait. */
void os_lock_acquire(struct os_lock *lock);
bool os_lock_try(struct os_lock *lock);

/* These are for the thread that has acquired the lock. os_lock_wait: releases it, waits
 * for os_lock_notify by another thread, and acquires it again; it may come back without
 * one, so the caller looks at what it waits for. os_lock_notify wakes one thread that
 * waits, os_lock_notify_all all of them. */
void os_lock_release(struct os_lock *lock);
void os_lock_wait(struct os_lock *lock);
void os_lock_notify(struct os_lock *lock);
void os_lock_notify_all(struct os_lock *lock);

#endif
