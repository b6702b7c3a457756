#ifndef OS_POSIX_TERMINAL_H
#define OS_POSIX_TERMINAL_H

#include <sys/types.h>

/* The terminal with the screen of -live, for the other posix_*.c files. Without a screen,
 * these functions do nothing. */

/* Restores the terminal if the screen is shown, as os_screen_hide does. Any process, once
 * no other process draws. Async-signal-safe. */
void posix_terminal_restore(void);

/* Lets a terminal that was stopped by Ctrl-S accept output again. */
void posix_terminal_restart(void);

/* In the monitor: from now on, a stop (Ctrl-Z) is noted for posix_terminal_stop_if_asked
 * instead of stopping the monitor at once. If a signal such as SIGSEGV ends the monitor,
 * the terminal is restored first. CHILD is the process that draws. */
void posix_terminal_watch(pid_t child);

/* In the monitor: if a stop was noted, stops the child, restores the terminal, and
 * stops. */
void posix_terminal_stop_if_asked(void);

#endif
