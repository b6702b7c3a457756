#ifndef REPORT_STATUS_H
#define REPORT_STATUS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/time.h"
#include "cli/options.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

struct job;
struct os_lock;
struct plan;

/* The current step of a sweep, or phase. */
struct status_place {
    int target;       /* from 0 */
    int index, count; /* of the step, from 0, and of all steps; COUNT 0: none began */
    int64_t value;    /* bytes, threads or depth */
    int64_t began;    /* ns, monotonic */
    enum phase phase; /* PHASE_NONE: it is a step, or there is neither */
};

/*
 * The status line: the progress of a run, on the last line of the terminal that stderr
 * goes to, redrawn in place. Times are ns, monotonic.
 */
struct status {
    const struct plan *plan;
    int targets;
    int64_t began;
    struct status_place place;
    struct stats merged;      /* of all targets together, if they are several */
    bool utf8, color;         /* COLOR: false unless the caller sets it */
    struct buffer line, last; /* to be written; and as it was written last */
    struct os_lock *lock;     /* held while somebody writes to the terminal; guards: */
    bool shown;               /* the line is on the terminal */
};

/* Returns whether PLAN, whose streams are known, is to have a status line: a line per
 * request shows well enough that the run is alive. */
bool status_chosen(const struct plan *plan);

/* Returns whether stderr goes to a terminal that can draw it. */
bool status_possible(void);

/*
 * Starts the line of a run of PLAN, which must stay, on so many targets; it begins NOW.
 * Returns NULL without memory: the run has no line then. Freed by status_close.
 */
struct status *status_open(const struct plan *plan, int targets, int64_t now);

#define STATUS_INTERVAL (100 * MS) /* ns from one tick to the next */

/* Erases the line until the next tick. STATUS may be NULL. */
void status_erase(struct status *status);

/*
 * Erases the line, if it is shown, before somebody writes to the terminal, and keeps it
 * from being drawn until status_resume. Any thread; STATUS may be NULL: nothing happens.
 */
void status_pause(struct status *status);
void status_resume(struct status *status);

/* Writes NOTES to stderr, the line erased meanwhile, and empties them. */
void status_notes(struct status *status, struct notes *notes);

/* Erases the line for good and frees STATUS, which may be NULL. */
void status_close(struct status *status);

/* The contents of a status line. Times are ns; one below 0 is not known. */
struct status_facts {
    enum sweep_kind swept; /* SWEEP_NONE: there are no steps */
    struct status_place place;
    int targets;

    double share; /* of the whole run that is done: 0 to 1; below 0: not known */
    int64_t elapsed, left;
    bool is_endless;           /* nothing but a signal or a failure ends the run */
    int64_t waiting;           /* age of the oldest request in flight; 0: none is */
    uint64_t requests, failed; /* of all targets */
    bool corrected;            /* the percentiles are */
    int64_t max;
    int more;                          /* operations after the first, where several are */
    enum scope scope[OPERATION_TURNS]; /* mixed; else SCOPE_ALL alone, */
    int64_t p50[OPERATION_TURNS], p99[OPERATION_TURNS]; /* and of each these */
};

/*
 * Gathers the facts of COUNT jobs at NOW. Nothing of STATUS changes but its merged
 * statistics.
 */
void status_gather(struct status *status, const struct job *jobs, int count, int64_t now,
                   struct status_facts *facts);

/*
 * Adds the line, without an end, for a terminal with so many COLUMNS: narrower by one, so
 * that it does not wrap. Without room for all of it the bar shrinks, then whole fields
 * are left out, the least important first. The bar is made of blocks if the terminal has
 * UTF8. In COLOR failures are red.
 */
void status_format(struct buffer *text, const struct status_facts *facts, int columns,
                   bool utf8, bool color);

#endif
