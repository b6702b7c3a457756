#ifndef OS_POSIX_H
#define OS_POSIX_H

/* Functions that the posix_*.c files share, with linux_*.c and bsd.c where these have
 * them. */

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Interrupts a system call of the thread that it is sent to, by os_thread_wake, and does
 * nothing else. No other program counts on it, as it is ignored by default. */
#define POSIX_SIGNAL_WAKE SIGURG

/* The monitor sends it to the child that it abandons, where all threads block it. */
#define POSIX_SIGNAL_ABANDONED SIGVTALRM

/*
 * The body of a thread that lets go of what is the caller's when the monitor abandons the
 * child: that which the signals reach may be stuck in a file system, as it writes there.
 */
void *posix_signals_guard(void *unused);

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
 * Waits for LIMIT ns with the signal mask MASK; the wait may end a ms earlier.
 * Returns 0 when the time is over; -1 with EINTR after a signal with a handler and, once
 * os_signals_see_freezes was called, after a freeze or a stop of the process.
 */
int posix_signals_pause(int64_t limit, const sigset_t *mask);

/*
 * The file of os_leftover_begin, posix_leftover.c. posix_leftover_share: the process is
 * about to become two; 0, or -1 with errno. posix_leftover_part: it has, and this is the
 * monitor if OWN is 0, the child if it is 1, and alone if it is -1.
 * posix_leftover_start_removal: the monitor is about to end, and has the file removed
 * once the child is gone; AT_ONCE: it is, so that this waits a moment for it.
 * posix_leftover_remove: the process is about to end, which removes the file if it has no
 * monitor; a handler of signals may call it.
 */
int posix_leftover_share(void);
void posix_leftover_part(int own);
void posix_leftover_start_removal(bool at_once);
void posix_leftover_remove(void);

/*
 * The monitor and its child, posix_monitor.c. Handlers of signals may call these, but for
 * posix_monitor_follow. Without a monitor they do nothing.
 *
 * posix_monitor_pass: passes signal SIGNO, sent by process SENDER or, 0, by the kernel,
 * on to the child; false: this is not the monitor. posix_monitor_copies: counts such a
 * signal in the child; true: it is only another copy of one that was counted.
 */
bool posix_monitor_pass(int signo, pid_t sender);
bool posix_monitor_copies(int signo, pid_t sender);

/* Notes that SIGNO asks to stop, for os_signals_asked. Returns whether it is a second
 * SIGINT, and not the same one sent twice. */
bool posix_monitor_stop(int signo);

/* The calling thread, which the signals reach, ends the process when the monitor dies. */
void posix_monitor_attach(void);

/* Returns whether the monitor has abandoned the child, to which it sends SIGCHLD then. */
bool posix_monitor_has_abandoned(void);

/* Returns whether this is a child of a monitor, which posix_monitor_follow has to follow
 * now and then: the child stops while the monitor is stopped, which that returns, and
 * ends with it. */
bool posix_monitor_is_followed(void);
bool posix_monitor_follow(void);

/* Waits until the writes to STREAM that have begun have ended, for a moment. Nothing that
 * is begun afterwards may get there. */
void posix_monitor_settle(int stream);

/* Has the monitor watch writes to descriptor FD, whose file is PATH, like those to the
 * standard streams; -1: no longer. */
void posix_monitor_file(int fd, const char *path);

/*
 * posix_monitor_notify: the monitor will leave with exit STATUS, or by signal SIGNO if
 * that is not 0, once the child has ended or has had the time for it; what was said first
 * holds. posix_monitor_detach: the child may be stuck in the kernel; it leaves the
 * session of the caller. posix_monitor_leave: it has closed what is the caller's, and is
 * not waited for any more.
 */
void posix_monitor_notify(int status, int signo);
void posix_monitor_detach(void);
void posix_monitor_leave(void);

/* posix_last_line: writes the line of os_process_last_line, unless it has been written or
 * is not wanted any more. posix_answers: whether there ever was one. posix_last_status:
 * the status of a second SIGINT. */
void posix_last_line(void);
bool posix_answers(void);
int posix_last_status(void);

/*
 * Descriptors whose end other processes wait for, at first the standard streams.
 * posix_inherited_list: notes those that the process was started with, but for numbers of
 * 256 and above. posix_inherited_add: notes FD, one that output goes to or whose end
 * another process waits for; 0, or -1 with errno if there are too many.
 * posix_inherited_remove: it is the caller's alone again, who is about to close it. Any
 * thread.
 */
void posix_inherited_list(void);
int posix_inherited_add(int fd);
void posix_inherited_remove(int fd);

/*
 * posix_inherited_close: closes them in the table of the calling thread; standard error
 * only if ERRORS. posix_inherited_release: closes them all as the process is about to
 * end, and their numbers stay occupied; a handler of signals may call it.
 */
void posix_inherited_close(bool errors);
void posix_inherited_release(void);

/* Closes descriptor FD in the table of the calling thread, which others may not share. */
void posix_descriptor_close(int fd);

/* Writes SIZE bytes to a descriptor if that needs no wait: the reader may be gone. A
 * handler of signals may call it. */
void posix_descriptor_write(int fd, const char *bytes, size_t size);

/* Dies by signal SIGNO. Returns 128 + SIGNO where a process cannot die by it. */
int posix_process_die(int signo);

/* posix_process_is_stopped: whether process PID is stopped. posix_process_is_killed:
 * whether it is to end by SIGKILL, or has ended but for a thread that is stuck in the
 * kernel. False where the system does not tell. */
bool posix_process_is_stopped(pid_t pid);
bool posix_process_is_killed(pid_t pid);

/* Has the kernel send signal SIGNO to the process at the death of its parent, as long as
 * the calling thread lives; 0: not any more. Does nothing where the system cannot. */
void posix_parent_death(int signo);

/*
 * Drops for good the capabilities that come from the program's file and that the user
 * does not have. Only the calling thread's, so before there are others. Returns 0, or -1
 * with errno.
 */
int posix_capabilities_drop(void);

/*
 * Makes an empty file whose name is PREFIX and six characters that no other has, in a
 * MODE of open(2), and only for its owner. NAME, of SIZE bytes, becomes its name, which
 * os_leftover_begin has from before until the caller calls os_leftover_end. Returns a
 * descriptor, or -1 with errno, and then there is no leftover.
 */
int posix_file_create(const char *prefix, int mode, char *name, size_t size);

/* As os_file_flush, but a signal may interrupt it: EINTR. */
int posix_file_flush(int fd);

/* An os_resident_function by mincore(2), for systems that have it; -1 with errno. */
int posix_mincore(int fd, int64_t offset, int64_t length);

#endif
