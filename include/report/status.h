#ifndef REPORT_STATUS_H
#define REPORT_STATUS_H

#include "base/buffer.h"
#include "os/thread.h"
#include "plan/plan.h"
#include "run/job.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* Which step of a sweep is under way. */
struct status_place {
    int target;        /* whose, from 0 */
    int number, count; /* from 0, of so many; COUNT 0: none has begun */
    int64_t value;     /* what is swept: bytes, or how many */
    int64_t began;     /* ns, monotonic */
};

/*
 * The status line: how far a run has come, on the last line of the terminal that stderr
 * goes to, drawn over and over. Times are ns, monotonic.
 */
struct status {
    const struct plan *plan;
    int targets;
    int64_t began;
    struct status_place place;
    struct stats *merged; /* room for all targets together; NULL: one, or no memory */
    bool utf8;
    struct buffer line, last; /* as it is written; LAST is what was */
    struct os_lock *lock;     /* held by whoever writes to the terminal */
    bool shown;               /* under it */
};

/* Whether PLAN has one and stderr goes to a terminal that can draw it. */
bool status_wanted(const struct plan *plan);

/*
 * Starts one for a run of PLAN, which must stay, on so many targets; it begins NOW.
 * Returns NULL without memory: there is none then. Without memory for what several
 * have together it shows no percentiles. Freed by status_close.
 */
struct status *status_open(const struct plan *plan, int targets, int64_t now);

#define STATUS_INTERVAL 100000000LL /* ns from one tick to the next */

/* Draws it as COUNT jobs stand at NOW, unless the run has only just begun. For the
 * supervisor's thread. */
void status_tick(struct status *status, const struct job *jobs, int count, int64_t now);

/* Erases it until the next tick; it may be NULL. */
void status_erase(struct status *status);

/* A sweep begins step NUMBER, from 0, of the COUNT steps of TARGET, from 0, with VALUE.
 * For the thread that attends. */
void status_step(struct status *status, int target, int64_t value, int number, int count,
                 int64_t now);

/*
 * Erases it, if it is shown, for whoever is about to write to the terminal, and keeps it
 * from being drawn until status_resume. Any thread; STATUS may be NULL: there is none.
 */
void status_pause(struct status *status);
void status_resume(struct status *status);

/* Erases it for good and frees it; it may be NULL. */
void status_close(struct status *status);

#endif
