#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include "base/time.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A process: arguments, signals, its end, privileges, memory. */

/* Replaces main's command line by one in UTF-8, where it has another encoding; that lives
 * as long as the program. Returns 0, or -1 with errno. */
int os_process_arguments(int *argc, char ***argv);

/*
 * Installs the handlers: SIGINT, SIGTERM and SIGHUP ask to stop; SIGQUIT, SIGUSR1 and,
 * where it exists, SIGINFO ask for statistics; a second SIGINT, not the same one sent
 * twice, ends the program with status 4 at once. A console without signals has Ctrl-C for
 * SIGINT and Ctrl-Break for SIGQUIT.
 */
void os_signals_install(void);

/* Two SIGINT, or Ctrl-C, within this time (ns) are one: timeout(1) sends its signal to
 * the program and to its group. */
#define OS_SIGNAL_SAME (20 * MS)

/*
 * Parts the process in two, where the system has fork(2): the one that was started
 * becomes the monitor, which passes signals on, and its child returns from here. The
 * monitor ends as the child ends or as os_process_end has it do so, while the child may
 * be stuck in the kernel; if it is killed, the child ends. After os_signals_install, with
 * one thread. Returns 0, or -1 with errno: the process goes on alone.
 */
int os_monitor_start(void);

/* Sets the limit for output that nobody reads to the monotonic time WHEN, ns. From then
 * on the monitor waits for no reader, and ends with status 3. It does so in any case some
 * time after a signal that asks the program to stop. Before the monitor starts, or if
 * there is none, writes to the standard streams fail instead. */
void os_monitor_limit(int64_t when);

/* Sets the limit like os_monitor_limit, but keeps an earlier one. */
void os_monitor_limit_most(int64_t when);

/* Blocks these signals for the calling thread, before it starts the one that unblocks
 * them, where pending ones arrive then. Returns the set that it blocked: signals that the
 * parent of the process had blocked are not in it. */
unsigned os_signals_block(void);
void os_signals_unblock(unsigned set);

/* The signal that asked to stop, and when the first one did, monotonic; 0: none. Any
 * thread. */
int os_signals_stop(void);
int64_t os_signals_asked(void);

/* Has os_signals_wait see from now on that the process was frozen by a control group, as
 * by "docker pause", or stopped by a debugger, where the system tells. Takes a
 * descriptor. Only for the thread that the signals reach. */
void os_signals_see_freezes(void);

/*
 * When the process was last seen to go on after a stop by Ctrl-Z or SIGSTOP, or after a
 * freeze, monotonic; 0: never. Freezes of less than about 150 ms are not seen. The thread
 * that the signals reach sees it, in os_signals_wait and os_signals_resumed, which that
 * thread alone may call; others may be ahead of it.
 */
int64_t os_process_resumed(void);
int64_t os_signals_resumed(void);

/* Returns false if the process, for certain, was not stopped after monotonic time SINCE
 * for a ms or more, or if it is not certain that it was frozen; waits for that thread to
 * see it, for DEADLINE_CONTINUE or DEADLINE_THAW at most. Any thread. */
bool os_process_stopped(int64_t since);

/* A thread that is at least this late (ns) was probably not just waiting for a processor:
 * the machine was paused or overloaded, or the process was frozen. */
#define OS_LATE_LEAST SECOND

/* Returns whether the thread that the signals reach was late by OS_LATE_LEAST or more,
 * all of it after monotonic time SINCE, and it is not certain why: the machine was busy
 * or paused, or the process was frozen. False where the system does not tell. Any thread.
 */
bool os_process_was_late(int64_t since);

/* Returns true if a signal asked for statistics since the last call. */
bool os_signals_report(void);

/* Waits until monotonic time WHEN at the most, or until a signal comes or os_thread_wake:
 * not at all if one came since the last wait or *UNLESS is true. Only for the one thread
 * that the signals reach. */
void os_signals_wait(int64_t when, const atomic_bool *unless);

/* A byte, and a newline, that a second SIGINT writes to STREAM before it ends the
 * program, so that an open JSON array is closed; 0 for none. */
void os_signals_closing(int stream, int byte);

/*
 * Has LINE, a constant with its newline, written to stdout, if that needs no wait, where
 * the process ends before its final line: by a second SIGINT, with STATUS then and not 4,
 * killed, or abandoned by the monitor. NULL: that line is said; STATUS still holds. First
 * called before os_monitor_start; from then on the process ends by no signal.
 */
void os_process_last_line(const char *line, int status);

/*
 * Ends the program by SIGTERM or SIGHUP if that asked to stop, so that its parent sees
 * why, unless there was a line of os_process_last_line. Else returns STATUS, for main to
 * return, or 128 and the signal where a process cannot die by it. Any thread.
 */
int os_signals_end(int status);

/* Ends the program at once, by os_signals_end, even if the kernel holds a thread: nobody
 * waits for it, or for the end of its output, any longer. What the kernel holds is left
 * without terminal, output, descriptors and folder of the caller. */
_Noreturn void os_process_end(int status);

/*
 * File PATH, which the caller is about to make, is removed if the process ends early, by
 * os_process_end or a signal, once the kernel has released it: if it is an empty file
 * then, or in any case after os_leftover_made, which says that this process has made it.
 * Until os_leftover_end; one file at a time, of one thread at a time. Returns 0, or -1
 * with errno: EINTR if the process ends already, and nothing may be made.
 */
int os_leftover_begin(const char *path);
void os_leftover_made(void);
void os_leftover_end(void);

/*
 * File PATH, which was removed while it is open, is removed once more if the process ends
 * early, once the kernel has closed it: it may be there again then, see os_file_vanish.
 * Until os_leftover_forget with the same PATH. One thread at a time calls these. Of
 * LEFTOVER_FILES files and more at a time only the first are removed.
 */
#define LEFTOVER_FILES 80
void os_leftover_watch(const char *path);
void os_leftover_forget(const char *path);

/* Drops for good the rights beyond the real user's that a set-user-ID or set-group-ID bit
 * or the capabilities of the program's file brought. Before there is a second thread.
 * Returns 0, or -1 with errno. */
int os_privileges_drop(void);

/* Keeps idle processors from sleeping, as far as the system can, until the process ends.
 * Returns 0, or -1 with errno; ENOTSUP: the system has no way. */
int os_processors_awake(void);

/* Bytes that this process can still have before the system ends it instead of refusing
 * them; INT64_MAX: not known, or it refuses them. As it takes longer than many a run has
 * for its start, nobody asks for OS_MEMORY_LITTLE bytes or less. */
int64_t os_memory_available(void);
#define OS_MEMORY_LITTLE (4LL << 20)

/* Memory of SIZE bytes at a multiple of ALIGNMENT (a power of two, at least
 * that of a pointer); NULL if there is none. Freed by os_memory_free. */
void *os_memory_aligned(size_t alignment, size_t size);
void os_memory_free(void *memory);

/* The same, all zero, that shares no cache line with the memory of another thread, whose
 * writes would delay each request. */
void *os_memory_unshared(size_t size);

/* SIZE bytes of zeros, NULL if there are none, for what is large and mostly untouched: a
 * page costs nothing until then, whatever the C library or a tool in its place does.
 * Freed by os_memory_release with the same SIZE; NULL is allowed. */
void *os_memory_zeroed(size_t size);
void os_memory_release(void *memory, size_t size);

#endif
