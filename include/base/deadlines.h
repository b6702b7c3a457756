#ifndef BASE_DEADLINES_H
#define BASE_DEADLINES_H

#include "base/time.h"

/*
 * Limits, in ns, on waiting for events that may never happen: if storage fails, a system
 * call may stay in the kernel for ever. When a limit is reached, one of these things
 * happens:
 * - a request times out: it has failed;
 * - a worker is abandoned: its thread is stuck in the kernel, and the run goes on without
 *   the worker;
 * - the session gives up: it prints what it has and ends the program;
 * - the monitor (os/posix_monitor.c) abandons the child process: the monitor exits and no
 *   longer waits for the child.
 *
 * Further limits come from the options -timeout, -w and -hang; they are in struct
 * plan_end (plan/plan.h). Loops that poll until a deadline define their pause beside the
 * loop.
 */

/*
 * The default of -hang. A request without an answer is reported as stuck after this time,
 * and again whenever the time since it was sent has doubled.
 */
#define DEADLINE_HANG (5 * SECOND)
/*
 * The timeout of -check, if -timeout is not given. A request without an answer times out
 * after this time; opening a target fails after this time without progress.
 */
#define DEADLINE_CHECK (10 * SECOND)
/* With -check but without -w, a run ends after its planned duration plus this time. */
#define DEADLINE_CHECK_RUN (10 * SECOND)
/*
 * With -hang 0, the program waits this long for requests that are still in flight at the
 * end of the work time. After this time their workers are abandoned.
 */
#define DEADLINE_ENDING (5 * SECOND)
/*
 * The grace period after a signal or a failure. It is short, because the user wants the
 * program to end, but a slow disk that works completes most requests in less time. The
 * program waits at most this long in these cases:
 * - Requests are in flight. After this time their workers are abandoned. The end of the
 *   work time is different: there the program waits as long as -hang says, but at least
 *   this long.
 * - An engine that queues requests has requests that have timed out. The worker should
 *   fail them by itself. After this time the supervisor abandons the worker.
 * - The supervisor has to abandon a worker, but another thread holds the lock of the run,
 *   which is needed to notify the observer. After this time the worker is abandoned
 *   without notifying the observer.
 * - Targets are being opened or closed. After this time the session gives up.
 * - The reports of -compare are being written. After this time the program ends with an
 *   error.
 * - Exported files are being written. After this time they are reported as not written.
 * - Nobody reads messages and output. After this time both are dropped, and the monitor
 *   abandons the child if a write is stuck.
 * - Nobody reads messages, and the results go elsewhere. After this time the message is
 *   dropped, also without a signal or a failure.
 * - The child has not ended after a second SIGINT. After this time the monitor abandons
 *   the child.
 */
#define DEADLINE_GRACE (750 * MS)
/*
 * The shortest time that the program gives to a message, or to the last version of an
 * exported file, even if the grace period is already over. A text that is not written in
 * this time is lost. Once a message is lost, later messages are dropped at once while
 * standard error accepts nothing.
 */
#define DEADLINE_GRACE_MIN (150 * MS)
/*
 * The shortest time that the program gives to the closing of targets, even if the grace
 * period is already over. Also the longest wait for the removal of new working files when
 * the session gives up. After this time the program ends without waiting.
 */
#define DEADLINE_CLOSING (200 * MS)
/*
 * How long the program tries again to open a device, or to replace a file, while another
 * program uses it. The other program may just be closing it. After this time the device
 * or file is reported as in use.
 */
#define DEADLINE_CLAIM (200 * MS)
/*
 * The age from which an unfinished file or a trace instance (a directory of tracefs) of
 * another run is removed, because that run must have died. A younger file or instance may
 * belong to a run that is just starting.
 */
#define DEADLINE_LEFTOVER (60 * SECOND)
/*
 * How long the program tries again, after the run, to remove its trace instance (a
 * directory of tracefs) while the instance is still in use. After this time the instance
 * stays behind.
 */
#define DEADLINE_TRACE (60 * SECOND)
/*
 * How long a thread waits until the signal thread has consumed a pending SIGCONT. If the
 * SIGCONT is still pending after this time, the process is assumed to have been stopped
 * and just continued.
 */
#define DEADLINE_CONTINUE (10 * MS)
/*
 * The longest wait until the signal thread has noted whether the process was frozen
 * (cgroup freezer, suspend). If the signal thread has noted nothing by the end of this
 * wait, the process is assumed not to have been frozen.
 */
#define DEADLINE_THAW (100 * MS)
/*
 * How long one write may block in total, once the deadline for output
 * (posix_monitor_output_deadline in src/os/posix.h) has passed. After this time the write
 * fails or, if its system call does not return, the monitor abandons the child.
 */
#define DEADLINE_WRITE (500 * MS)
/*
 * How long the monitor waits for the child to exit, once the child has handed over its
 * exit status. After this time the monitor exits before the child.
 */
#define DEADLINE_CHILD (2 * SECOND)
/* How long the monitor waits for a killed child to be gone, before the monitor exits. */
#define DEADLINE_KILLED (250 * MS)
/*
 * The longest wait for one of the steps below by a process that must end. Each step may
 * hang. After this time the process ends without waiting for the step:
 * - the monitor waits until a stuck child has closed the descriptors that it inherited
 *   from the caller, such as a pipe;
 * - the child waits, before it writes its final bytes to a stream, until other threads
 *   have ended their writes to that stream;
 * - the monitor waits until an unfinished file of a dead child has been removed;
 * - the program restores the terminal of -live, which may accept nothing, or waits before
 *   that until its child has stopped (Ctrl-Z);
 * - on Windows, after a second Ctrl-C, the program waits for its last output.
 */
#define DEADLINE_TIDYING (100 * MS)

#endif
