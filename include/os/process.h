#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What this process has of its system: arguments, signals, privileges, memory. */

/*
 * Puts the command line in the place of main's, as UTF-8, where the system does not give
 * main what the user typed; it lives as long as the program. Returns 0, or -1 with errno.
 */
int os_process_arguments(int *argc, char ***argv);

/* Signals: SIGINT, SIGTERM and SIGHUP ask to stop; SIGQUIT, SIGUSR1 and, where
 * it exists, SIGINFO ask for statistics; a second SIGINT, not
 * the same one sent twice, ends the program with status 4 at once. A console without
 * signals has Ctrl-C for SIGINT and Ctrl-Break for SIGQUIT. */
void os_signals_install(void);

/*
 * From now on none reaches the calling thread, which gives them away before it starts
 * the one that takes them. Returns which: those that its parent held back stay so.
 */
unsigned os_signals_block(void);

/* From now on those of GIVEN reach the calling thread; they have waited for that. */
void os_signals_unblock(unsigned given);

/* The signal that asked to stop, or 0. Any thread may ask. */
int os_signals_stop(void);

/* How often the process has gone on after it was stopped, by Ctrl-Z or SIGSTOP, as far
 * as the thread knows that the signals reach. Any thread. */
unsigned os_process_continues(void);

/* Whether that is more than BEFORE; waits a moment for that thread if it is about to know
 * of one more. Any thread. */
bool os_process_stopped(unsigned before);

/* Whether statistics were asked for since the last call. */
bool os_signals_report(void);

/*
 * Waits until monotonic time WHEN, never longer, and at most until a signal
 * comes or os_thread_wake: at once if one came since the last wait or *UNLESS
 * is true. Only for one thread, which they reach.
 */
void os_signals_wait(int64_t when, const atomic_bool *unless);

/* A byte, and a newline, that a second SIGINT writes to stdout before it ends
 * the program, so that an open JSON array is closed; 0 for none. */
void os_signals_farewell(int byte);

/*
 * The end of the program, for which its caller returns STATUS from main: if SIGTERM or
 * SIGHUP asked to stop, it dies by that signal here, so that its parent sees why. Returns
 * STATUS, or 128 and the signal where a process cannot die by it. Any thread.
 */
int os_signals_end(int status);

/*
 * Ends the program at once, likewise. Its readers see the end of the output even if the
 * kernel holds a thread, and with it the program, for longer.
 */
_Noreturn void os_process_end(int status);

/*
 * What a process must not leave behind that ends early, by os_process_end or a second
 * interrupt, perhaps while a thread is stuck in the kernel: file PATH, which is made from
 * now on. It is removed once the kernel has let go of the process, if it is an empty
 * file then, or after os_leftover_made: then it is this process's in any case. Until
 * os_leftover_end; one file at a time, of one thread at a time. Returns 0, or -1 with
 * errno: EINTR if the process ends already, and nothing may be made.
 */
int os_leftover_begin(const char *path);
void os_leftover_made(void);
void os_leftover_end(void);

/*
 * Gives up for good what a set-user-ID or set-group-ID bit, or the capabilities
 * of the program's file, gave beyond the rights of the real user. Called before
 * there is a second thread. Returns 0, or -1 with errno.
 */
int os_privileges_drop(void);

/*
 * How many bytes more this process can have before the system ends it instead of
 * refusing them; INT64_MAX: not known, or it refuses them in time. To ask takes longer
 * than many a run has for its start, so nobody asks for OS_MEMORY_LITTLE bytes or less.
 */
int64_t os_memory_available(void);
#define OS_MEMORY_LITTLE (4LL << 20)

/* Memory of SIZE bytes at a multiple of ALIGNMENT (a power of two, at least
 * that of a pointer); NULL if there is none. Freed by os_memory_free. */
void *os_memory_aligned(size_t alignment, size_t size);
void os_memory_free(void *memory);

/*
 * SIZE bytes of zeros; NULL if there are none. A page costs nothing until it is
 * touched. Given back by os_memory_release with the same SIZE.
 */
void *os_memory_zeroed(size_t size);
void os_memory_release(void *memory, size_t size);

#endif
