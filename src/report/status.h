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
    int index;  /* index of the step, from 0 */
    int count;  /* number of steps; 0 before the first step, -1 if unknown */
    /* value of the swept quantity: bytes, threads, requests in flight, ns, or requests
     * per second */
    int64_t value;
    int64_t began_at; /* when the step or phase began, ns, monotonic */
    /* the current phase; PHASE_NONE in a sweep, and if there are neither steps nor
     * phases */
    enum phase phase;
};

/* The status line: the progress of a run on the last line of the terminal that stderr
 * goes to, redrawn in place. The supervisor's thread draws it. Any thread that writes to
 * the terminal erases the status line first (status_pause). */
struct status {
    const struct plan *plan;
    int target_count;
    int64_t began_at; /* when the run began, ns, monotonic */
    struct status_place place;
    /* statistics of all targets together; unused if there is only one target */
    struct stats merged;
    bool has_utf8;            /* the line may have characters beyond ASCII */
    bool has_color;           /* the line may have colours; status_open leaves it false */
    struct buffer line;       /* the line that is being made */
    struct buffer drawn_line; /* the line that was written last */
    /* held while a thread writes to the terminal; guards `is_shown` */
    struct os_lock *lock;
    bool is_shown; /* the line is on the terminal now */
};

/* Returns true if a run of PLAN has a status line unless -no-status is given. A plug-in,
 * a comparison and a run with -live have no status line. Neither has a run that prints a
 * line for each request, or for each period if -p sets the number of requests in a
 * period: these lines already show that the run is alive. The printed outputs of PLAN
 * must have been chosen before. */
bool status_is_default(const struct plan *plan);

/* Returns true if stderr goes to a terminal that can move its cursor. */
bool status_possible(void);

/* Makes the status line of a run of PLAN on TARGET_COUNT targets. PLAN must outlive the
 * status line. The run begins at NOW (ns, monotonic). Nothing is drawn yet. Returns NULL
 * if memory is short: the run then has no status line. The caller frees the status line
 * with status_close. */
struct status *status_open(const struct plan *plan, int target_count, int64_t now);

#define STATUS_INTERVAL (100 * MS) /* time from one tick to the next, in ns */

/* Erases the line. The next tick draws it again. STATUS may be NULL. */
void status_erase(struct status *status);

/* Erases the line, if it is shown, and locks it, so that the caller can write to the
 * terminal. status_resume unlocks the line. Any thread may call this function. If STATUS
 * is NULL, nothing happens. */
void status_pause(struct status *status);

/* Unlocks the line. The next tick draws it again. STATUS may be NULL. */
void status_resume(struct status *status);

/* Writes NOTES to stderr, with the line erased, and empties them. STATUS may be NULL. */
void status_notes(struct status *status, struct notes *notes);

/* Erases the line and frees STATUS, which may be NULL. */
void status_close(struct status *status);

/* The data that a status line shows. All times are in ns. A time is negative if
 * unknown. */
struct status_facts {
    enum sweep_kind sweep_kind; /* SWEEP_NONE if there are no steps */
    struct status_place place;
    int target_count;

    /* the part of the whole run that is done, 0 to 1; negative if unknown */
    double share;
    /* time since the start of the run or, with phases, of the current phase */
    int64_t elapsed_ns;
    int64_t remaining_ns; /* time until the end of the run */
    bool is_endless;      /* only a signal or a failure ends the run */
    /* age of the oldest request in flight; 0 if none is in flight */
    int64_t oldest_age_ns;

    /* The statistics from here on are of all targets together. */
    uint64_t requests, failed; /* number of all requests, and of failed requests */
    int64_t max_latency;       /* longest latency of the requests that count */
    bool is_corrected;         /* percentiles are corrected for missed requests */
    /* number of operations minus one, so 0 if operations are not mixed */
    int extra_count;
    /* The scopes of the percentiles: one for each operation if operations are mixed,
     * otherwise SCOPE_ALL alone. */
    enum scope scope[OPERATION_TURNS];
    /* The percentiles of each scope: p50[i] and p99[i] are of scope[i]. */
    int64_t p50[OPERATION_TURNS], p99[OPERATION_TURNS];
};

/* Fills FACTS from COUNT jobs at NOW, ns, monotonic. Changes nothing in STATUS except
 * `merged`. */
void status_gather(struct status *status, const struct job *jobs, int count, int64_t now,
                   struct status_facts *facts);

/*
 * Adds the line, without a newline, to TEXT. The line fits a terminal of COLUMNS columns
 * and leaves the last one free, so that it does not wrap. If there is not enough room,
 * the bar shrinks first, then whole fields are left out, the least important first. If
 * UTF8, the bar is made of block characters. If COLOR, the count of failures is red.
 */
void status_format(struct buffer *text, const struct status_facts *facts, int columns,
                   bool utf8, bool color);

#endif
