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
 * - the monitor (os/posix_monitor.c) abandons the child process: it exits alone.
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
 * program waits this long:
 * - for requests in flight; then it abandons their workers. Without a signal it waits as
 *   long as -hang says at the end of the work time, but at least this long;
 * - for a worker with several requests in flight, which fails its requests at -timeout by
 *   itself; then as long again for the lock of the notifications; then it abandons the
 *   worker without notifying observers;
 * - for opening or closing targets, and for a comparison; then the session gives up;
 * - for exported files; then it reports them as not written;
 * - for readers of messages and output, or for its own end after a second SIGINT; then it
 *   drops messages and output, and the monitor abandons the child.
 */
#define DEADLINE_GRACE (750 * MS)
/*
 * How long the last version of an exported file, or a message, is waited for if the grace
 * period is already over. Then that text is lost, and later messages are dropped at once.
 */
#define DEADLINE_GRACE_LEAST (150 * MS)
/*
 * How long the closing of targets, or the removal of a working file, is waited for if the
 * grace period is already over. Then the program ends without it.
 */
#define DEADLINE_CLOSING (200 * MS)
/*
 * How long opening a device, or replacing a file, is retried while another program uses
 * it, because that program may just be closing it. Then it is reported as in use.
 */
#define DEADLINE_CLAIM (200 * MS)
/*
 * The age from which an unfinished file or a trace instance is removed, because the run
 * that created it must have died. A younger one may belong to a run that is starting.
 */
#define DEADLINE_LEFTOVER (60 * SECOND)
/*
 * How long the removal of a trace instance is retried after the run, while the instance
 * is still in use. Then the instance stays behind.
 */
#define DEADLINE_TRACE (60 * SECOND)
/*
 * How long to wait until the signal thread has consumed a pending SIGCONT. Then the
 * process is assumed to have been stopped.
 */
#define DEADLINE_CONTINUE (10 * MS)
/*
 * How long to wait until the signal thread has noted whether the process was frozen
 * (cgroup freezer, suspend). Then the process is assumed not to have been frozen.
 */
#define DEADLINE_THAW (100 * MS)
/*
 * How long one write(2) may block when the time for output is over. Then the monitor
 * abandons the child.
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
 * How long a process that ends early waits for its last steps; then it ends without them.
 * A stuck child closes the descriptors of the caller, such as a pipe. Files that the
 * child has left are removed. On Windows, the final line is written at a second Ctrl-C.
 */
#define DEADLINE_TIDYING (100 * MS)

#endif
