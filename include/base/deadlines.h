#ifndef BASE_DEADLINES_H
#define BASE_DEADLINES_H

#include "base/time.h"

/*
 * Limits, in ns, on waiting for events that may never happen: storage that fails may
 * leave a system call in the kernel for ever. Each comment says what the program waits
 * for, and what it does at the deadline:
 * - a request times out, which counts as a failure of the request;
 * - a worker thread that is stuck in the kernel is abandoned: the run goes on without it;
 * - the session gives up, which ends the program;
 * - the monitor abandons its child process, and exits (os/posix_monitor.c).
 * The options -timeout, -w and -hang give further limits, which are in the plan (struct
 * plan_ends). Code that polls defines the pause between two polls beside the loop.
 */

/*
 * Waits for the answer to a request, if -hang is not given; then reports that the request
 * is stuck. Each further report comes when the wait has doubled.
 */
#define DEADLINE_HANG (5 * SECOND)
/*
 * With -check but without -timeout: waits for the answer to a request, or for progress in
 * opening a target; then the request or the opening has failed.
 */
#define DEADLINE_CHECK (10 * SECOND)
/*
 * With -check but without -w: how long a run may take in addition to the time that its
 * requests are scheduled for; then the run ends.
 */
#define DEADLINE_CHECK_RUN (10 * SECOND)
/*
 * With -hang 0: waits for the requests that are in flight at the end of the work time;
 * then abandons their workers.
 */
#define DEADLINE_ENDING (5 * SECOND)
/*
 * The grace period after a signal or a failure. It is short, because the user wants the
 * program to end, but longer than most requests take on a slow disk that works:
 * - waits for requests in flight, then abandons their workers; with -hang, this is also
 * the shortest such wait at the end of the work time;
 * - waits for a worker with a queue to fail its requests that have timed out by itself,
 * then for the lock of the notifications; then abandons the worker without a notification
 * of its requests;
 * - waits for an opening, a closing or a comparison, then the session gives up;
 * - waits for exported files, then counts them as not written;
 * - waits for readers of messages and output, or for the end after a second SIGINT; then
 *   drops the messages and the output, and abandons the child.
 */
#define DEADLINE_GRACE (750 * MS)
/*
 * When the grace period is already over: how long the last version of an exported file,
 * or a message, is still waited for. Then that text is lost, and later messages are
 * dropped at once.
 */
#define DEADLINE_GRACE_LEAST (150 * MS)
/*
 * When the grace period is already over: how long the closing of targets or the removal
 * of a working file is still waited for. Then the program ends without it.
 */
#define DEADLINE_CLOSING (200 * MS)
/*
 * Waits for a device or file that is busy, because another program may just be closing
 * it; then reports that it is in use.
 */
#define DEADLINE_CLAIM (200 * MS)
/*
 * The age from which an unfinished file or a trace instance counts as the leftover of a
 * run that died, and is removed. A younger one may belong to a run that is just starting.
 */
#define DEADLINE_LEFTOVER (60 * SECOND)
/*
 * After the run: waits until nothing uses the trace instance any more, so that it can be
 * removed; then leaves it behind.
 */
#define DEADLINE_TRACE (60 * SECOND)
/*
 * Waits for the signal thread to consume a pending SIGCONT; then assumes that the process
 * was stopped.
 */
#define DEADLINE_CONTINUE (10 * MS)
/*
 * When the process may just have been frozen (cgroup freezer, suspend): waits for the
 * signal thread to say whether it was; then assumes that it was not.
 */
#define DEADLINE_THAW (100 * MS)
/*
 * When the time for output is over: how long one write(2) may still block; then the
 * monitor abandons the child.
 */
#define DEADLINE_WRITE (500 * MS)
/*
 * Waits for the child to exit, after it has handed its exit status to the monitor; then
 * the monitor exits first.
 */
#define DEADLINE_CHILD (2 * SECOND)
/* Waits for a killed child to be gone; then the monitor exits without it. */
#define DEADLINE_KILLED (250 * MS)
/*
 * Waits for the last steps of a process that ends early; then the process ends without
 * them: a stuck child closes what it has of the caller, such as a pipe; files that the
 * child has left are removed; on Windows, the final line is written at a second Ctrl-C.
 */
#define DEADLINE_TIDYING (100 * MS)

#endif
