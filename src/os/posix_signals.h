#ifndef OS_POSIX_SIGNALS_H
#define OS_POSIX_SIGNALS_H

#include <signal.h>

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

#endif
