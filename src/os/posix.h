#ifndef OS_POSIX_H
#define OS_POSIX_H

/*
 * Functions that the posix_*.c files share with each other. Some of them are defined in
 * linux_*.c or bsd.c on those systems.
 *
 * "The signal thread" is the one thread in which the signals of os_signals_install are
 * not blocked. "The caller" is the process that started this program. Even after the
 * program has ended, the caller may wait until no process uses the caller's terminal, its
 * working directory or the inherited descriptors any more.
 */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Calls open(2) with the flags MODE, and calls it again if a signal interrupts it. A file
 * that is created has the permissions 0600, limited by the umask. Returns the descriptor,
 * or -1 with errno. If O_NOFOLLOW refuses a symbolic link, errno is ELOOP, as on Linux;
 * FreeBSD reports EMLINK, and NetBSD EFTYPE. Defined in posix_files.c.
 */
int posix_open(const char *path, int mode);

/* Signals and waits: posix_signals.c, except where the system has its own way. */

/* The signal that os_thread_wake sends to a thread: it interrupts the thread's system
 * call and does nothing else. SIGURG is chosen because it is ignored by default: other
 * programs do not use it to make this program do something. */
#define POSIX_SIGNAL_WAKE SIGURG

/* The signal that the monitor sends to the child when it abandons the child. All threads
 * of the child block this signal; the guard thread waits for it. */
#define POSIX_SIGNAL_ABANDONED SIGVTALRM

/* Body of the guard thread: waits until the monitor abandons the child, then releases
 * everything that the caller may wait for and ends the process. The signal thread cannot
 * do this, because it may itself be stuck in a write to a file. */
void *posix_signals_guard(void *unused);

/* Blocks the signals of os_signals_install for the calling thread. BEFORE receives the
 * previous signal mask. */
void posix_signals_block(sigset_t *before);

/*
 * Returns the number of voluntary context switches of the calling thread so far, modulo
 * 2^31. Each wait counts as one switch, and so does each stop of the process (Ctrl-Z).
 * Returns -1 if the system has no such count or does not include stops.
 * Async-signal-safe.
 */
int posix_signals_switches(void);

/*
 * Waits for LIMIT ns with the signal mask MASK; may end up to one ms early. Returns 0
 * when the time is over, or -1 with EINTR after a signal with a handler. Once
 * os_signals_see_freezes has been called, a freeze or a stop of the process also returns
 * -1 with EINTR.
 */
int posix_signals_pause(int64_t limit, const sigset_t *mask);

/* The file that is being made, and the process that removes it after an early end, called
 * the remover: posix_leftover.c. (linux_tracefs.c has another remover, which removes a
 * trace instance.) */

/* Prepares a fork: puts what os_leftover_begin knows into memory that both processes will
 * share, and makes a pipe. Returns 0, or -1 with errno. */
int posix_leftover_share(void);

/* Completes posix_leftover_share after a fork that has returned PID: closes the end of
 * the pipe that belongs to the other process. PID -1: undoes posix_leftover_share. */
void posix_leftover_after_fork(pid_t pid);

/* Called by the monitor before it ends: forks the remover, if there may be a file to
 * remove. The remover waits until the child of the monitor, the process that measures, is
 * gone. Then the remover removes the file of os_leftover_begin. AT_ONCE: the child of the
 * monitor is gone already, so this function waits until the remover has ended, but no
 * longer than DEADLINE_TIDYING. */
void posix_leftover_start_removal(bool at_once);

/* Called when the process is about to end: removes the file of os_leftover_begin if the
 * process has no monitor. Async-signal-safe. */
void posix_leftover_remove(void);

/*
 * The monitor and its child: posix_monitor.c. Without a monitor these functions do
 * nothing, unless their comment says more. All of them except posix_monitor_follow and
 * posix_monitor_watch_file are async-signal-safe.
 */

/* In the monitor: passes signal SIGNO on to the child. SENDER is the PID of the process
 * that sent the signal, 0 if the kernel did. Returns false if this process is not the
 * monitor. */
bool posix_monitor_pass(int signo, pid_t sender);

/* In the child: counts signal SIGNO, which has arrived from the process SENDER. Returns
 * true if the signal must be ignored, because its other copy has been handled: one copy
 * comes directly, the other through the monitor. */
bool posix_monitor_is_copy(int signo, pid_t sender);

/* Notes, with or without a monitor, that signal SIGNO asks to stop, for
 * os_signals_stop_asked_at. Returns true if this is a second SIGINT, later than the first
 * by more than OS_SIGINT_SAME. */
bool posix_monitor_note_stop(int signo);

/* In the signal thread of the child: makes the kernel kill the child when the monitor
 * dies, where the kernel can do that. Ends the child if the monitor has died already. */
void posix_monitor_attach(void);

/* Returns true if the monitor has abandoned the child. The monitor also sends SIGCHLD and
 * POSIX_SIGNAL_ABANDONED to the child then. */
bool posix_monitor_has_abandoned(void);

/* Returns true if this process is the child of a monitor. */
bool posix_monitor_exists(void);

/* In the signal thread of the child, which calls this regularly: ends the child if the
 * monitor is gone, and stops the child while the monitor is stopped (Ctrl-Z). Returns
 * true if the child was stopped. */
bool posix_monitor_follow(void);

/* The child tells the monitor by these two functions that a write to STREAM begins, and
 * that the write has ended. The monitor considers a write stuck if it does not end. Any
 * thread may call these functions. */
void posix_monitor_write_begins(int stream);
void posix_monitor_write_ends(int stream);

/* Returns true if a write to STREAM must fail rather than block for ever, because the
 * thread that writes has more to do afterwards. Also valid without a monitor. */
bool posix_monitor_must_not_block(int stream);

/* Returns the time after which a write that blocks is given up, in ns, monotonic: the
 * time of os_monitor_limit, or DEADLINE_GRACE after a signal that asked to stop,
 * whichever is earlier. Returns INT64_MAX if there is no limit. Also valid without a
 * monitor. */
int64_t posix_monitor_output_deadline(void);

/* Waits until all writes to STREAM that have begun have ended, but no longer than
 * DEADLINE_TIDYING. Also valid without a monitor. The caller makes sure beforehand that
 * no later write can reach the stream. */
void posix_monitor_wait_for_writes(int stream);

/* Makes the monitor watch writes to descriptor FD, whose file is PATH, like writes to the
 * standard streams. FD -1: the monitor no longer watches such a file. */
void posix_monitor_watch_file(int fd, const char *path);

/* The child announces how the program shall end: with exit status STATUS, or by signal
 * SIGNO if that is not 0. The monitor ends in this way when the child has ended, or after
 * DEADLINE_CHILD. Only the first call counts. */
void posix_monitor_announce_end(int status, int signo);

/* Leaves the caller's session and terminal, and tells the monitor that a thread of the
 * child may be stuck in the kernel. */
void posix_monitor_detach(void);

/* Call this after the child has closed the inherited descriptors. Leaves the caller's
 * working directory, then tells the monitor that it need not wait for the child any
 * more. */
void posix_monitor_announce_let_go(void);

/* Writes the line of os_process_set_last_line to stdout if that needs no wait, unless the
 * line was already written or withdrawn. Also valid without a monitor. */
void posix_last_line_write(void);

/* Returns true if os_process_set_last_line was ever called with a line. Then the program
 * never ends by a signal. */
bool posix_last_line_was_set(void);

/* Returns the exit status of the program after a second SIGINT. */
int posix_last_line_status(void);

/*
 * Inherited descriptors, posix_process.c: another process may wait until this program has
 * closed them. For example, the reader of a pipe gets no end of file before all writers
 * have closed the pipe. At first, the inherited descriptors are the standard streams. If
 * the process must end while a thread is stuck in the kernel, the inherited descriptors
 * are closed early, so that nobody waits. Any thread may call these functions.
 */

/* Adds all descriptors below 256 that the process was started with. */
void posix_inherited_list(void);

/* Adds FD: a descriptor to which output goes, or whose close another process waits for.
 * Returns 0, or -1 with EMFILE if there are too many. */
int posix_inherited_add(int fd);

/* Removes FD, which the calling thread is about to close. */
void posix_inherited_remove(int fd);

/* Closes the inherited descriptors in the descriptor table of the calling thread. Closes
 * standard error only if ERRORS. */
void posix_inherited_close(bool errors);

/* Releases the files of all inherited descriptors, because the process is about to end.
 * Afterwards the descriptors refer to the directory "/", so that a file that is opened
 * later does not get one of their numbers. Async-signal-safe. */
void posix_inherited_release(void);

/* Descriptors and processes: posix_process.c, except where the system has its own way. */

/* Closes descriptor FD in the descriptor table of the calling thread, whether this table
 * is shared with other threads or the thread has its own table (os_thread_unshare). */
void posix_descriptor_close(int fd);

/* Writes SIZE bytes to descriptor FD if that needs no wait; otherwise writes nothing,
 * because perhaps nobody reads any more. Async-signal-safe. */
void posix_descriptor_write(int fd, const char *bytes, size_t size);

/* Ends the process by signal SIGNO. If the process cannot die by this signal, returns
 * 128 + SIGNO, the exit status that shells use for it. */
int posix_process_die(int signo);

/* Returns true if process PID is stopped (Ctrl-Z); false if it is not, or if the system
 * does not tell. */
bool posix_process_is_stopped(pid_t pid);

/* Returns true if process PID has a pending SIGKILL or has ended, even if one of its
 * threads is still stuck in the kernel. Returns false if neither is so, or if the system
 * does not tell. */
bool posix_process_is_killed(pid_t pid);

/* Makes the kernel send signal SIGNO to this process when its parent dies, as long as the
 * calling thread lives. SIGNO 0: the kernel no longer sends a signal. Does nothing on
 * systems that have no such signal. */
void posix_parent_death(int signo);

/* Drops for good the capabilities that come from the program's file and that the user
 * does not have. Affects the calling thread only, so call it before there are others.
 * Returns 0, or -1 with errno. */
int posix_capabilities_drop(void);

/* Files: posix_files.c, except where the system has its own way. */

/*
 * Creates an empty file with a new name: PREFIX and six characters. MODE has the open(2)
 * flags, such as O_WRONLY. Only the owner may access the file. NAME, of SIZE bytes,
 * receives the name. Calls os_leftover_begin before the creation; the caller calls
 * os_leftover_end when the file is complete or gone. Returns a descriptor, or -1 with
 * errno. After -1, os_leftover_end need not be called.
 */
int posix_file_create(const char *prefix, int mode, char *name, size_t size);

/* The same as os_file_flush, but returns -1 with EINTR if a signal interrupts it. */
int posix_file_flush(int fd);

/* An os_resident_function that uses mincore(2), for systems that have it. Returns -1 with
 * errno if it fails. */
int posix_mincore(int fd, int64_t offset, int64_t length);

#endif
