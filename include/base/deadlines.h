#ifndef BASE_DEADLINES_H
#define BASE_DEADLINES_H

#include "base/time.h"

/*
 * How long, in ns, something is waited for that may never come, and what happens then. A
 * request times out; its worker, or the child of the monitor, is abandoned if it is stuck
 * in the kernel; the session gives up, and ends the program. The plan makes such times of
 * -timeout, -w and -hang. The pause from one look to the next stands beside the look.
 */

/* A request, without -hang: it is reported as stuck, and again after twice that. */
#define DEADLINE_HANG (5 * SECOND)
/* A request, or an opening that does not advance, with -check but no -timeout: it has
 * failed. */
#define DEADLINE_CHECK (10 * SECOND)
/* A run with -check but no -w, beyond the time that its requests take: it ends. */
#define DEADLINE_CHECK_RUN (10 * SECOND)
/* Requests at the end of the work time, with -hang 0: their worker is abandoned. */
#define DEADLINE_ENDING (5 * SECOND)
/*
 * What should end after a signal or a failure, though a disk that is slow is not dead:
 * - requests, also at the end of the work time at the least: their worker is abandoned;
 * - a queue that is to fail requests which have timed out, and then another thread that
 *   notifies: the worker is abandoned, and nobody is notified of what it had;
 * - an opening, a closing, a comparison: the session gives up;
 * - exported files: they count as not written;
 * - messages, output, a second SIGINT: they are dropped, and the child is abandoned.
 */
#define DEADLINE_GRACE (750 * MS)
/* A last version or a message, when that is used up: it is lost, and no other waits. */
#define DEADLINE_GRACE_LEAST (150 * MS)
/* A closing or a removal, likewise: the program ends with targets as they are. */
#define DEADLINE_CLOSING (200 * MS)
/* A device or file that another program has just closed, to be free: it is in use. */
#define DEADLINE_CLAIM (200 * MS)
/* What another run has left, to be claimed by one that is about to: it is removed. */
#define DEADLINE_LEFTOVER (60 * SECOND)
/* A trace that something still uses, after the run: its instance is left. */
#define DEADLINE_TRACE (60 * SECOND)
/* A SIGCONT that the thread with the signals is to take: the process was stopped. */
#define DEADLINE_CONTINUE (10 * MS)
/* After a freeze of the process, the thread with the signals to say whether there was
 * one: it is not certain, so none is assumed. */
#define DEADLINE_THAW (100 * MS)
/* One write of output for which there is no more time: the child is abandoned. */
#define DEADLINE_WRITE (500 * MS)
/* The child, when it has said its last: the monitor leaves without it. */
#define DEADLINE_CHILD (2 * SECOND)
/* A child that is killed, to be gone: the monitor leaves without it. */
#define DEADLINE_KILLED (250 * MS)
/* A stuck child that lets go of what is the caller's, the removal of what it has left, on
 * Windows the last line at a second Ctrl-C: the process ends without. */
#define DEADLINE_TIDYING (100 * MS)

#endif
