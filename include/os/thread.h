#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <stdint.h>

/* Threads, and how one of them ends the sleep of another. */

struct os_thread {
    uintptr_t id;
};

/*
 * Starts BODY with ARGUMENT on a thread of its own. The signals of
 * os_signals_install never reach it, so they cannot interrupt its system
 * calls. Returns 0, or -1 with errno.
 */
int os_thread_start(struct os_thread *thread, void *(*body)(void *), void *argument);

/* The calling thread. */
struct os_thread os_thread_self(void);

/*
 * Ends the os_sleep_until or os_signals_wait that THREAD is in, after
 * os_signals_install. Other system calls go on. A sleep that is only about to
 * begin is not ended, so whoever must be sure calls it again; a wait is.
 */
void os_thread_poke(const struct os_thread *thread);

/* Waits for the end of THREAD. */
void os_thread_join(const struct os_thread *thread);

#endif
