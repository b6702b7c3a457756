#ifndef OS_POSIX_H
#define OS_POSIX_H

/* What the Unix files of this folder have for each other. */

#include <signal.h>
#include <stdint.h>

/* Does nothing but to interrupt a system call; sent by one thread to another.
 * Nobody else counts on what it does, which is nothing by default. */
#define POSIX_SIGNAL_POKE SIGURG

/* Holds back, on the calling thread, the signals that users send; BEFORE
 * becomes what was held back until now. */
void posix_signals_hold(sigset_t *before);

/*
 * How often the calling thread has left its processor by itself so far: for a wait, and
 * for a stop of the process; modulo 2^31. A handler may call it. -1: this system does not
 * tell, or does not count stops.
 */
int posix_signals_switches(void);

/*
 * Of a process that is about to end: has the file of os_leftover_begin removed, if there
 * is one. Waits for nothing, so that a handler may call it.
 */
void posix_leftover_remove(void);

/*
 * Gives up for good the capabilities that the program's file has given to a user who does
 * not have them. Of the calling thread, so before there are others. Returns 0, or -1 with
 * errno.
 */
int posix_capabilities_drop(void);

/* Whether any page of a range of an open file is in memory, by mincore(2): 1 or 0; -1
 * with errno: it cannot be asked. For systems that
 * have it. */
int mincore_ask(int fd, int64_t offset, int64_t length);

#endif
