#ifndef OS_POSIX_H
#define OS_POSIX_H

/*
 * Functions that the posix_*.c files share with each other, and with linux_*.c and bsd.c
 * where those define them. "The signal thread" is the one thread that has the users'
 * signals unblocked.
 */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Sent to a thread by os_thread_wake: interrupts its system call and does nothing else.
 * No other program relies on this signal, because it is ignored by default. */
#define POSIX_SIGNAL_WAKE SIGURG

/* Sent by the monitor to the child that it abandons. All threads of the child block it;
 * the guard thread waits for it. */
#define POSIX_SIGNAL_ABANDONED SIGVTALRM

/* Body of the guard thread: waits until the monitor abandons the child, releases
 * everything that belongs to the caller, and ends the process. Needed because the signal
 * thread itself may be stuck in a write to a file. */
void *posix_signals_guard(void *unused);

/* Blocks the users' signals for the calling thread. BEFORE receives the previous mask. */
void posix_signals_block(sigset_t *before);

/* Returns the number of voluntary context switches of the calling thread so far, modulo
 * 2^31: each wait counts one, and each stop of the process counts one. -1: the system
 * does not tell, or does not count stops. Async-signal-safe. */
int posix_signals_switches(void);

/*
 * Waits for LIMIT ns with the signal mask MASK; may end up to one ms early. Returns 0
 * when the time is over, or -1 with EINTR after a signal with a handler. Once
 * os_signals_see_freezes has been called, a freeze or a stop of the process also returns
 * -1 with EINTR.
 */
int posix_signals_pause(int64_t limit, const sigset_t *mask);

/* The file that is being made, and its remover: posix_leftover.c. */

/* Prepares the file of os_leftover_begin for a process that is about to fork: puts it
 * into shared memory. Returns 0, or -1 with errno. */
int posix_leftover_share(void);

/* Completes posix_leftover_share after the fork: closes the end of the pipe that belongs
 * to the other process. OWN is 0 in the monitor, 1 in the child, and -1 if the fork
 * failed. */
void posix_leftover_part(int own);

/* Called by the monitor before it ends: forks a process, the remover, that removes the
 * file once the child is gone. AT_ONCE: the child is gone already, so wait for the
 * removal, but no longer than DEADLINE_TIDYING. */
void posix_leftover_start_removal(bool at_once);

/* Called when the process is about to end: removes the file if the process has no
 * monitor. Async-signal-safe. */
void posix_leftover_remove(void);

/* The monitor and its child: posix_monitor.c. Without a monitor these functions do
 * nothing. All of them except posix_monitor_follow and posix_monitor_file are
 * async-signal-safe. */

/* In the monitor: passes signal SIGNO on to the child. SENDER is the PID of the process
 * that sent it, 0 if the kernel did. Returns false if this process is not the monitor. */
bool posix_monitor_pass(int signo, pid_t sender);

/* In the child: counts a signal that has arrived. Returns true if the signal is only a
 * second copy of one that was already handled (one came directly, the other through the
 * monitor). */
bool posix_monitor_copies(int signo, pid_t sender);

/* Notes that SIGNO asks to stop, for os_signals_asked. Returns true if this is a second
 * SIGINT, later than the first by more than OS_SIGNAL_SAME. */
bool posix_monitor_stop(int signo);

/* Makes the kernel end the process when the monitor dies, where the kernel can do that.
 * Called by the signal thread. */
void posix_monitor_attach(void);

/* Returns true if the monitor has abandoned the child. The monitor also sends the child
 * SIGCHLD and POSIX_SIGNAL_ABANDONED then. */
bool posix_monitor_has_abandoned(void);

/* Returns true if this process is the child of a monitor; its signal thread then calls
 * posix_monitor_follow regularly. */
bool posix_monitor_is_followed(void);

/* In the child: ends the process if the monitor is gone, and stops the process while the
 * monitor is stopped. Returns true if the process was stopped. */
bool posix_monitor_follow(void);

/* Waits until all writes to STREAM that have begun have ended, but no longer than
 * DEADLINE_TIDYING. The caller makes sure that no later write can reach the stream. */
void posix_monitor_settle(int stream);

/* Tell the monitor that a write to STREAM begins, and that it has ended. A write that has
 * begun and does not end is stuck. Any thread. */
void posix_monitor_write_begins(int stream);
void posix_monitor_write_ends(int stream);

/* Returns true if a write to STREAM must not block for ever, because the thread that
 * writes has more to do afterwards. */
bool posix_monitor_must_not_block(int stream);

/* Returns the time after which a write that blocks is given up, in ns, monotonic:
 * os_monitor_limit, or DEADLINE_GRACE after a signal that asks to stop. INT64_MAX: there
 * is no limit. */
int64_t posix_monitor_output_deadline(void);

/* Makes the monitor watch writes to descriptor FD, whose file is PATH, like writes to the
 * standard streams. FD -1: the monitor no longer watches such a file. */
void posix_monitor_file(int fd, const char *path);

/* The child announces how the monitor shall end: with exit status STATUS, or by signal
 * SIGNO if that is not 0. The monitor does so when the child has ended, or after
 * DEADLINE_CHILD. Only the first call counts. */
void posix_monitor_notify(int status, int signo);

/* The child announces that it may be stuck in the kernel, and leaves the session of the
 * caller. */
void posix_monitor_detach(void);

/* The child announces that it has closed everything that belongs to the caller, so the
 * monitor need not wait for it any more. */
void posix_monitor_leave(void);

/* Writes the line of os_process_last_line to stdout if that needs no wait, unless the
 * line was already written or withdrawn. */
void posix_last_line(void);

/* Returns true if os_process_last_line was ever called with a line. */
bool posix_answers(void);

/* Returns the exit status after a second SIGINT. */
int posix_last_status(void);

/*
 * Inherited descriptors: the descriptors whose end another process may be waiting for. At
 * first these are the standard streams. If the process must end while a thread is stuck
 * in the kernel, these descriptors are closed early, so that the other processes do not
 * wait. Any thread may call these functions.
 */

/* Adds all descriptors below 256 that the process was started with. */
void posix_inherited_list(void);

/* Adds FD: a descriptor that output goes to, or whose end another process waits for.
 * Returns 0, or -1 with EMFILE if there are too many. */
int posix_inherited_add(int fd);

/* Removes FD, which the caller is about to close. */
void posix_inherited_remove(int fd);

/* Closes the inherited descriptors in the table of the calling thread. Closes standard
 * error only if ERRORS. */
void posix_inherited_close(bool errors);

/* Closes all inherited descriptors, because the process is about to end. Their numbers
 * stay occupied. Async-signal-safe. */
void posix_inherited_release(void);

/* Closes descriptor FD in the table of the calling thread, which may be a table of its
 * own. */
void posix_descriptor_close(int fd);

/* Writes SIZE bytes to a descriptor if that needs no wait; otherwise writes nothing, as
 * the reader may be gone. Async-signal-safe. */
void posix_descriptor_write(int fd, const char *bytes, size_t size);

/* Dies by signal SIGNO. If the process cannot die by it, returns 128 + SIGNO. */
int posix_process_die(int signo);

/*
 * Returns true if process PID is stopped; false if not, or on systems that do not tell.
 */
bool posix_process_is_stopped(pid_t pid);

/* Returns true if process PID has a pending SIGKILL or has ended except for a thread that
 * is stuck in the kernel; false if not, or on systems that do not tell. */
bool posix_process_is_killed(pid_t pid);

/* Makes the kernel send signal SIGNO to this process when its parent dies, as long as the
 * calling thread lives. SIGNO 0 cancels that. Does nothing on systems without such a
 * signal. */
void posix_parent_death(int signo);

/* Drops for good the capabilities that come from the program's file and that the user
 * does not have. Affects the calling thread only, so call it before there are others.
 * Returns 0, or -1 with errno. */
int posix_capabilities_drop(void);

/*
 * Creates an empty file with a new name: PREFIX and six characters. MODE has the open(2)
 * flags, such as O_WRONLY. Only the owner may access the file. NAME, of SIZE bytes,
 * receives the name. From before the creation until the caller calls os_leftover_end, the
 * file is the one of os_leftover_begin. Returns a descriptor, or -1 with errno and
 * without a leftover.
 */
int posix_file_create(const char *prefix, int mode, char *name, size_t size);

/* The same as os_file_flush, but returns -1 with EINTR if a signal interrupts it. */
int posix_file_flush(int fd);

/* An os_resident_function by mincore(2), for systems that have it. Sets errno with -1. */
int posix_mincore(int fd, int64_t offset, int64_t length);

#endif
