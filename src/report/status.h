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

/* The current step of a sweep, or the current phase. */
struct status_place {
    int target; /* index of the target */
    /* Index of the step, and the number of all steps. `count` is 0 before the first step,
     * and -1 if the number is unknown. */
    int index, count;
    /* of the swept quantity: bytes, threads, requests in flight, ns, or requests per
     * second */
    int64_t value;
    int64_t began; /* when the step or phase began, ns, monotonic */
    /* PHASE_NONE if it is a step, or if there are neither steps nor phases */
    enum phase phase;
};

/* The status line: the progress of a run on the last line of the terminal that stderr
 * goes to, redrawn in place. The supervisor's thread draws it. Any thread that writes to
 * the terminal erases it first (status_pause). */
struct status {
    const struct plan *plan;
    int targets;
    int64_t began; /* when the run began, ns, monotonic */
    struct status_place place;
    struct stats merged; /* statistics of all targets, if there are several */
    /* what the terminal can show; status_open leaves `color` false */
    bool utf8, color;
    /* the text being made; the text that was written last */
    struct buffer line, last;
    /* held while a thread writes to the terminal; guards `shown` */
    struct os_lock *lock;
    bool shown; /* the line is on the terminal now */
};

/* Returns true if PLAN has a status line by default. It has none if lines for requests or
 * short periods show already that the run is alive, nor for a plug-in or a comparison.
 * The printed outputs of PLAN must be known. */
bool status_chosen(const struct plan *plan);

/* Returns true if stderr goes to a terminal that can move its cursor. */
bool status_possible(void);

/* Makes the status line of a run of PLAN, which must outlive it, on TARGETS targets. The
 * run begins at NOW, ns, monotonic. Nothing is drawn yet. Returns NULL if memory is
 * short: the run then has no status line. Free with status_close. */
struct status *status_open(const struct plan *plan, int targets, int64_t now);

#define STATUS_INTERVAL (100 * MS) /* ns from one tick to the next */

/* Erases the line. The next tick draws it again. STATUS may be NULL. */
void status_erase(struct status *status);

/* Erases the line, if it is shown, before the caller writes to the terminal, and locks it
 * until status_resume. Any thread may call it. STATUS may be NULL: nothing happens. */
void status_pause(struct status *status);

/* Lets the line be drawn again, on the next tick. STATUS may be NULL. */
void status_resume(struct status *status);

/* Writes NOTES to stderr, with the line erased, and empties them. STATUS may be NULL. */
void status_notes(struct status *status, struct notes *notes);

/* Erases the line and frees STATUS, which may be NULL. */
void status_close(struct status *status);

/* The data that a status line shows. Times are in ns; negative if unknown. */
struct status_facts {
    enum sweep_kind swept; /* SWEEP_NONE if there are no steps */
    struct status_place place;
    int targets;

    /* part of the whole run that is done, 0 to 1; negative if unknown */
    double share;
    /* since the begin of the run or phase, and until the end of the run */
    int64_t elapsed, remaining_ns;
    bool is_endless;       /* only a signal or a failure ends the run */
    int64_t oldest_age_ns; /* age of the oldest request in flight; 0 if there is none */
    uint64_t requests, failed; /* counts, of all targets */
    bool corrected;            /* percentiles are corrected for missed requests */
    int64_t max;               /* latency */
    int extra_count; /* number of operations minus one, if operations are mixed, else 0 */
    /* The scope of each percentile: one for each operation, or SCOPE_ALL alone. */
    enum scope scope[OPERATION_TURNS];
    /* The percentiles of each scope. */
    int64_t p50[OPERATION_TURNS], p99[OPERATION_TURNS];
};

/* Fills FACTS from COUNT jobs at NOW, ns, monotonic. Changes nothing in STATUS except
 * `merged`. */
void status_gather(struct status *status, const struct job *jobs, int count, int64_t now,
                   struct status_facts *facts);

/*
 * Adds the line, without a newline, to TEXT. The line fits a terminal of COLUMNS columns
 * and leaves the last one free, so that it does not wrap. If there is not enough room,
 * the bar shrinks first, then whole fields are left out, the least important first. UTF8:
 * the bar is made of block characters. COLOR: failures are red.
 */
void status_format(struct buffer *text, const struct status_facts *facts, int columns,
                   bool utf8, bool color);

#endif
