#ifndef OS_SCREEN_H
#define OS_SCREEN_H

#include <stddef.h>

#include <stdbool.h>
#include <stdint.h>

/*
 * The terminal of the user as a screen that the program fills (-live). It is the
 * controlling terminal, opened anew, so that it does not matter where the standard
 * streams go, and so that writing without waiting does not change these streams.
 *
 * While the screen is shown, the terminal shows its alternate screen without a cursor,
 * and passes keys on at once, without an echo. Ctrl-C, Ctrl-Z and Ctrl-S work as always.
 *
 * The terminal is restored whenever the program ends or stops, except if the monitor
 * (os_monitor_start) is killed. If the program stops (Ctrl-Z), the screen is no longer
 * shown when the program continues. Only the signal thread may call these functions,
 * except os_screen_open.
 */

/* Opens the terminal. Changes nothing on it. Call this before os_monitor_start, so that
 * the monitor can restore the terminal. Returns 0, or -1 with errno; ENXIO: the process
 * has no controlling terminal; ENOTSUP: this system has no such screen. */
int os_screen_open(void);

/* Returns true if the terminal belongs to this process at the moment, and to no other job
 * of the shell. */
bool os_screen_is_foreground(void);

/* Returns true if the screen is shown. */
bool os_screen_is_shown(void);

/* Shows the screen, which is empty. Call this only in the foreground. Nothing is shown if
 * the terminal accepts nothing at the moment; then the caller may try again later. */
void os_screen_show(void);

/* Restores the terminal. If the terminal accepts nothing, tries to make it accept output
 * again, and gives up after DEADLINE_TIDYING. Does nothing if the screen is not shown. */
void os_screen_hide(void);

/* Stores the size of the terminal; 80 x 24 if the terminal does not tell it. */
void os_screen_size(int *columns, int *rows);

/* Writes up to SIZE bytes without waiting. Returns how many bytes the terminal has
 * accepted, 0 if it accepts nothing at the moment, for example because it is stopped
 * (Ctrl-S). */
size_t os_screen_write(const char *bytes, size_t size);

/* Reads up to SIZE bytes of the keys that were pressed, without waiting. Returns the
 * number of bytes. */
size_t os_screen_read(char *bytes, size_t size);

/* Does what Ctrl-C does: asks the whole program to stop. Lets a terminal that was stopped
 * by Ctrl-S go on, as Ctrl-C does. */
void os_screen_interrupt(void);

#endif
