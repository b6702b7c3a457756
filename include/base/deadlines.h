#ifndef BASE_DEADLINES_H
#define BASE_DEADLINES_H

#include "base/time.h"

/*
 * How long, in ns, something is waited for that may never come, and what happens then. A
 * request times out; its worker, or the child of the monitor, is abandoned if it is stuck
 * in the kernel; the session gives up, and ends the program. What the user says of it,
 * -timeout, -w and -hang, the plan turns into such times (resolve_deadlines in plan.c).
 * The pause from one look to the next, where there is one, stands beside the look.
 */

/* A request without answer, where -hang says nothing: it is reported, then after twice
 * that, and so on. */
#define DEADLINE_HANG (5 * SECOND)
/* A request, and each step of an opening, with -check where -timeout says nothing: it has
 * failed. */
#define DEADLINE_CHECK (10 * SECOND)
/* A run of -check without -w, beyond the time that its requests take: it ends. */
#define DEADLINE_CHECK_RUN (10 * SECOND)
/* What is under way at the end of the work time, with -hang 0: its worker is abandoned.
 */
#define DEADLINE_ENDING (5 * SECOND)

/*
 * What should end after a signal or a failure; a disk that is slow is not dead.
 * Requests, and at the end of the work time at the least: their worker is abandoned.
 * Requests of a queue that have timed out, for its loop to fail them, and then for what
 * another thread tells to be told: their worker is abandoned, and they are not told of.
 * An opening, a closing, a comparison: the session gives up.
 * Exported files: they count as not written.
 * Messages and output: what is not written is dropped, and the child abandoned.
 * A second SIGINT, for the child to end by itself: it is abandoned.
 */
#define DEADLINE_GRACE (750 * MS)
/* What is left of that when most of it was used up by something else.
 * The last version of an exported file: it counts as not written.
 * A message: it is dropped, and those that follow at once. */
#define DEADLINE_GRACE_LEAST (150 * MS)
/* Targets that are open, when the time after a signal is used up or another one is given
 * up, to be closed or removed: the program ends with them as they are. */
#define DEADLINE_CLOSING (200 * MS)

/* A device or file that another program has just closed, to be free: it is in use. */
#define DEADLINE_CLAIM (200 * MS)
/* What another run has left behind, by its age, as a run may be about to claim it: it is
 * removed. */
#define DEADLINE_LEFTOVER (60 * SECOND)
/* What the kernel has for a trace, to be closed by all, when the run has ended: it is
 * left behind. */
#define DEADLINE_TRACE (60 * SECOND)
/* The thread with the signals, to take a SIGCONT: the process counts as stopped. */
#define DEADLINE_CONTINUE (10 * MS)

/* One write of output, when there is no time left for it: the child is abandoned. */
#define DEADLINE_WRITE (500 * MS)
/* The child, when it has said its last: the monitor leaves without it. */
#define DEADLINE_CHILD (2 * SECOND)
/* A child that is killed, to be gone: the monitor leaves without it. */
#define DEADLINE_KILLED (250 * MS)
/* A child that is stuck, to let go of what is the caller's; the removal of what the child
 * has left; on Windows the last line at a second Ctrl-C: the process ends without. */
#define DEADLINE_TIDYING (100 * MS)

#endif
