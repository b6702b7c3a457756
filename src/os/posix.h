#ifndef OS_POSIX_H
#define OS_POSIX_H

/* Functions that the posix_*.c files share, with linux_*.c and bsd.c where these have
 * them. */

#include <signal.h>
#include <stdint.h>

/* Interrupts a system call of the thread that it is sent to, by os_thread_wake, and does
 * nothing else. No other program counts on it, as it is ignored by default. */
#define POSIX_SIGNAL_WAKE SIGURG

/* Blocks the signals that users send for the calling thread; BEFORE becomes the mask
 * until now. */
void posix_signals_block(sigset_t *before);

/*
 * Voluntary context switches of the calling thread so far: one for a wait, and one for a
 * stop of the process; modulo 2^31. A handler may call it. -1: this system does not tell,
 * or does not count stops.
 */
int posix_signals_switches(void);

/*
 * Has the file of os_leftover_begin removed, if one is set, as the process is about to
 * end. Waits for nothing, so that a handler may call it.
 */
void posix_leftover_remove(void);

/*
 * Drops for good the capabilities that come from the program's file and that the user
 * does not have. Only the calling thread's, so before there are others. Returns 0, or -1
 * with errno.
 */
int posix_capabilities_drop(void);

/* An os_resident_function by mincore(2), for systems that have it; -1 with errno. */
int posix_mincore(int fd, int64_t offset, int64_t length);

#endif
