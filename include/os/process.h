#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include "base/time.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The process: arguments, signals, how it ends, privileges, memory. "The signal thread"
 * is the one thread in which the signals of os_signals_install are not blocked; all other
 * threads block these signals.
 */

/* Replaces main's arguments by copies in UTF-8, on systems that pass them in another
 * encoding. The copies live as long as the program. Returns 0, or -1 with errno. */
int os_process_arguments(int *argc, char ***argv);

/* Stores the name of this machine in NAME, which has SIZE bytes, at least 1. A name that
 * is too long is cut. Stores "" if the name is not known. */
void os_host_name(char *name, size_t size);

/*
 * Installs the signal handlers. SIGINT, SIGTERM and SIGHUP ask the program to stop.
 * SIGQUIT, SIGUSR1 and, where it exists, SIGINFO ask for statistics. A second SIGINT ends
 * the program at once with status 4. On a console without signals, Ctrl-C acts as SIGINT
 * and Ctrl-Break as SIGQUIT.
 */
void os_signals_install(void);

/* Two SIGINT (or Ctrl-C) within this time, in ns, count as one, because timeout(1) sends
 * its signal both to the program and to its process group. */
#define OS_SIGINT_SAME (20 * MS)

/*
 * Splits the process in two, on systems with fork(2). The original process becomes the
 * monitor, which passes signals on to its child and never returns from this function. The
 * child returns, and does all the work. The monitor ends when the child ends, or when
 * os_process_end tells it to, even if the child is stuck in the kernel. If the monitor is
 * killed, the child ends too.
 *
 * Call this after os_signals_install, while the process has one thread. Returns 0, or -1
 * with errno; then the process continues without a monitor.
 */
int os_monitor_start(void);

/*
 * Sets how long the program waits for readers of its output: until WHEN, in ns,
 * monotonic. A signal that asks to stop moves the limit to DEADLINE_GRACE after the
 * signal, unless WHEN is earlier. If a write is stuck after the limit, the monitor ends
 * the program with status 3, or by SIGTERM or SIGHUP if that signal asked to stop.
 * Without a monitor, a write to a standard stream fails instead.
 */
void os_monitor_limit(int64_t when);

/* Sets the limit of os_monitor_limit to WHEN, in ns, monotonic, unless the present limit
 * is earlier. */
void os_monitor_limit_at_most(int64_t when);

/*
 * Blocks the signals of os_signals_install for the calling thread. Call this before the
 * signal thread is started. Returns the set of signals that this call has blocked, for
 * os_signals_unblock. A signal that the parent process had blocked is not in the set, so
 * it stays blocked.
 */
unsigned os_signals_block(void);

/* Makes the calling thread the signal thread: unblocks the signals of SET, which
 * os_signals_block has returned. Signals that are pending arrive at once. */
void os_signals_unblock(unsigned set);

/* Returns the signal that asked to stop, 0 if none did. Any thread may call this. */
int os_signals_stop_signal(void);

/* Returns the time at which a signal first asked to stop (ns, monotonic), 0 if none did.
 * Any thread may call this. */
int64_t os_signals_stop_asked_at(void);

/*
 * From now on, os_signals_wait also detects that the process was frozen by a control
 * group (as by "docker pause") or stopped by a debugger. Not every system can detect
 * this. Uses one descriptor. Only for the signal thread.
 */
void os_signals_see_freezes(void);

/*
 * Returns the time at which the process last continued after a stop (Ctrl-Z, SIGSTOP) or
 * a freeze (ns, monotonic), or 0 if no stop or freeze has been detected. Freezes shorter
 * than about 150 ms are not detected. Any thread may call this, but only the signal
 * thread detects stops and freezes, in os_signals_wait and os_signals_check_resumed_at.
 * So another thread may get an old value.
 */
int64_t os_process_resumed_at(void);

/* Checks now whether the process was stopped, and returns the same as
 * os_process_resumed_at. Only for the signal thread. */
int64_t os_signals_check_resumed_at(void);

/*
 * Returns true if the process was stopped or frozen after the monotonic time SINCE, in
 * ns. Also returns true if it is uncertain whether there was a stop of 1 ms or more; but
 * an uncertain freeze does not count. If the signal thread has not noted the stop or
 * freeze yet, waits until it has: DEADLINE_CONTINUE at most for a stop, DEADLINE_THAW at
 * most for a freeze. Any thread may call this.
 */
bool os_process_was_stopped(int64_t since);

/* In ns. A thread that runs late by this time or more was probably not just waiting for a
 * processor: the machine was paused or overloaded, or the process was frozen. */
#define OS_LATE_MIN SECOND

/*
 * Returns true if the signal thread ran late by OS_LATE_MIN or more after the monotonic
 * time SINCE, in ns, and it is unknown why. Possible reasons are that the machine was
 * busy or paused, or that the process was frozen. Returns false on systems that cannot
 * tell. Any thread may call this.
 */
bool os_process_was_late(int64_t since);

/* Returns true if a signal has asked for statistics since the last call. */
bool os_signals_take_report_request(void);

/* Waits until the monotonic time WHEN in ns, until a signal comes, or until
 * os_thread_wake. Returns at once if a signal has come since the last wait or if *UNLESS
 * is true. Only for the signal thread. */
void os_signals_wait(int64_t when, const atomic_bool *unless);

/* Makes a second SIGINT write BYTE and a newline to STREAM before it ends the program.
 * The byte closes an open JSON array. BYTE 0: nothing is written. */
void os_signals_set_closing_byte(int stream, int byte);

/*
 * Sets the final line of a monitoring plug-in, for the case that the process ends before
 * it prints its result: because of a second SIGINT, because it is killed, or because the
 * monitor abandons it. LINE then goes to stdout, unless that would block. LINE is a
 * string constant that ends with a newline. A second SIGINT then ends the program with
 * STATUS instead of 4.
 *
 * The plug-in calls this again with LINE as NULL when it has printed its real final line;
 * STATUS still applies. The first call comes before os_monitor_start. After the first
 * call, the program ends with a status wherever it would otherwise die by a signal.
 */
void os_process_set_last_line(const char *line, int status);

/*
 * Returns the exit status that main should return, or ends the program by a signal.
 * Unlike os_process_end, this function normally returns.
 *
 * If SIGTERM or SIGHUP asked to stop, this function ends the program by that signal, so
 * that the parent sees why. If the process cannot die by the signal, it returns 128 +
 * signal. In all other cases, and always once os_process_set_last_line has been called
 * with a line, it returns STATUS. Any thread may call this.
 */
int os_signals_end(int status);

/*
 * Ends the program at once, even if a thread is stuck in the kernel. The exit status or
 * the signal is as for os_signals_end. The process that started this program waits
 * neither for the stuck thread nor for the end of the output. A stuck thread may keep
 * this process alive, but by then this process has left its terminal and its working
 * directory, and has closed the output and the other inherited descriptors.
 */
_Noreturn void os_process_end(int status);

/*
 * Announces that the calling thread is about to create the file PATH. If the process then
 * ends early, by os_process_end or a signal, the file is removed as soon as the kernel
 * has released the process. An empty file is always removed; a file with contents is
 * removed only after os_leftover_made.
 *
 * The announcement is valid until os_leftover_end. There may be one such file at a time,
 * used by one thread at a time. Returns 0, or -1 with errno; EINTR: the process is
 * already ending, so the file must not be created.
 */
int os_leftover_begin(const char *path);

/* States that this process has created the file of os_leftover_begin, so the file may be
 * removed even if it is not empty. */
void os_leftover_made(void);

/* States that the file of os_leftover_begin is complete or gone, so nothing is removed
 * any more. */
void os_leftover_end(void);

/* The maximum number of files that os_leftover_watch remembers. */
#define LEFTOVER_FILES 80

/*
 * Remembers PATH, a name that was removed while its file is open. The file may reappear
 * when it is closed, see os_file_remove_again. If the process ends early, PATH is removed
 * again once the kernel has closed the file. PATH is remembered until os_leftover_forget.
 * If LEFTOVER_FILES names are already remembered, PATH is ignored. Only one thread at a
 * time may call this.
 */
void os_leftover_watch(const char *path);

/* Forgets PATH, which was an argument of os_leftover_watch. Only one thread at a time may
 * call this. */
void os_leftover_forget(const char *path);

/* Drops for good all rights that the real user does not have: rights that come from a
 * set-user-ID or set-group-ID bit, or from capabilities of the program's file. Call it
 * while the process has one thread. Returns 0, or -1 with errno. */
int os_privileges_drop(void);

/* Keeps idle processors out of sleep states until the process ends, as far as the system
 * can. Returns 0, or -1 with errno; ENOTSUP: the system offers no way. */
int os_processors_awake(void);

/* In bytes. Before an allocation of this size or less, callers need not ask
 * os_memory_available: the query takes too much time for so little memory. */
#define OS_MEMORY_QUERY_MIN (4LL << 20)

/*
 * Returns how many bytes of memory this process may still use before the system kills it
 * (an out-of-memory killer or a control group). Returns INT64_MAX if that is unknown, or
 * if the system makes allocations fail instead. The query is slow.
 */
int64_t os_memory_available(void);

/* Allocates SIZE bytes at a multiple of ALIGNMENT, a power of two and at least the size
 * of a pointer. Returns NULL without memory. os_memory_free frees the memory. */
void *os_memory_aligned(size_t alignment, size_t size);

/* Frees memory of os_memory_aligned or os_memory_unshared; NULL is allowed. */
void os_memory_free(void *memory);

/* Allocates SIZE bytes of zeros that share no cache line with memory of other threads. If
 * they shared one, the writes of other threads would slow down each request. Returns NULL
 * without memory. os_memory_free frees the memory. */
void *os_memory_unshared(size_t size);

/* Allocates SIZE bytes of zeros for large, mostly untouched data: a page costs memory
 * only when it is first touched, whatever allocator is in use. Returns NULL without
 * memory. os_memory_release frees the memory. */
void *os_memory_zeroed(size_t size);

/* Frees memory of os_memory_zeroed. SIZE is the allocated size; MEMORY may be NULL. */
void os_memory_release(void *memory, size_t size);

#endif
