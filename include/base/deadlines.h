#ifndef BASE_DEADLINES_H
#define BASE_DEADLINES_H

#include "base/time.h"

/*
 * Limits, in ns, on waiting for events that may never happen: storage that fails may
 * leave a system call in the kernel for ever. These are the consequences at a deadline:
 * - a request times out: it has failed;
 * - a worker is abandoned: its thread is stuck in the kernel, and the run goes on without
 *   the worker;
 * - the session gives up: it prints what it has and ends the program;
 * - the monitor (os/posix_monitor.c) abandons the child process: the monitor exits and
 *   no longer waits for the child.
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
/*
 * How much longer than planned a run of -check may take, if -w is not given. Then the run
 * ends.
 */
#define DEADLINE_CHECK_RUN (10 * SECOND)
/*
 * How long the program waits, with -hang 0, for the requests that are in flight at the
 * end of the work time. Then their workers are abandoned.
 */
#define DEADLINE_ENDING (5 * SECOND)
/*
 * The grace period after a signal or a failure. It is short, because the user wants the
 * program to end, but longer than most requests take on a slow disk that works. The
 * program waits for this time in the following cases:
 * - Requests are in flight. Afterwards their workers are abandoned. At the end of the
 *   work time, the wait is as long as -hang says, but at least this long.
 * - The requests of an engine that queues requests have timed out. The worker should fail
 *   them by itself. After this time the worker is abandoned. That needs the lock of the
 *   run, to notify the observers. If another thread holds the lock for this time, the
 *   worker is abandoned without notifying them.
 * - Targets are being opened or closed. Afterwards the session gives up.
 * - The reports of -compare are being written. Afterwards the program ends with an error.
 * - Exported files are being written. Afterwards they are reported as not written.
 * - Nobody reads messages and output. Afterwards both are dropped, and the monitor
 *   abandons the child if a write is stuck.
 * - The child has not ended after a second SIGINT. Afterwards the monitor abandons it.
 */
#define DEADLINE_GRACE (750 * MS)
/*
 * How long the program still tries to write a message, or the last version of an exported
 * file, if the grace period is already over. Then that text is lost. Once a message is
 * lost, later messages are dropped at once while standard error accepts nothing.
 */
#define DEADLINE_GRACE_MIN (150 * MS)
/*
 * How long the program still waits until targets are closed, or until a working file is
 * removed, if the grace period is already over. Then it ends without waiting.
 */
#define DEADLINE_CLOSING (200 * MS)
/*
 * How long opening a device, or replacing a file, is retried while another program uses
 * the device or file, because that program may just be closing it. Then the device or
 * file is reported as in use.
 */
#define DEADLINE_CLAIM (200 * MS)
/*
 * The age from which an unfinished file or a trace instance (a directory of tracefs) of
 * another run is removed, because that run must have died. A younger file or instance may
 * belong to a run that is just starting.
 */
#define DEADLINE_LEFTOVER (60 * SECOND)
/*
 * How long the program retries, after the run, to remove its trace instance (a directory
 * of tracefs) while the instance is still in use. Then the instance stays behind.
 */
#define DEADLINE_TRACE (60 * SECOND)
/*
 * A pending SIGCONT may mean that the process was stopped and has just been continued.
 * This is how long a thread waits until the signal thread has consumed the SIGCONT. If
 * the SIGCONT is still pending then, the process is assumed to have been stopped.
 */
#define DEADLINE_CONTINUE (10 * MS)
/*
 * How long to wait until the signal thread has noted whether the process was frozen
 * (cgroup freezer, suspend). Then the process is assumed not to have been frozen.
 */
#define DEADLINE_THAW (100 * MS)
/*
 * How long one write may block once the deadline for output has passed
 * (posix_monitor_output_deadline in src/os/posix.h). Then the write fails or, if it
 * cannot return, the monitor abandons the child.
 */
#define DEADLINE_WRITE (500 * MS)
/*
 * How long the monitor waits for the child to exit after the child has handed over its
 * exit status. Then the monitor exits first.
 */
#define DEADLINE_CHILD (2 * SECOND)
/* How long the monitor waits for a killed child to be gone. Then the monitor exits. */
#define DEADLINE_KILLED (250 * MS)
/*
 * How long a process that must end waits for one of these last steps, which may hang.
 * Then it ends without waiting:
 * - the monitor waits until a stuck child has closed the descriptors that it inherited
 *   from the caller, such as a pipe;
 * - the child waits, before it writes its final bytes to a stream, until other threads
 *   have ended their writes to that stream;
 * - the monitor waits until an unfinished file of a dead child has been removed;
 * - on Windows, after a second Ctrl-C, the program waits for its last output.
 */
#define DEADLINE_TIDYING (100 * MS)

#endif
