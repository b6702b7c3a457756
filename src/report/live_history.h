#ifndef REPORT_LIVE_HISTORY_H
#define REPORT_LIVE_HISTORY_H

#include "stats/distribution.h"
#include "stats/percentile.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The recent past of one row of the live screen (-live): of one target or, if operations
 * are mixed, of one operation of a target. Its memory is constant.
 *
 * All data comes from snapshots of the statistics of the run. The requests between two
 * snapshots are the difference of the two histograms, so requests cost nothing.
 */

#define LIVE_SECONDS 10 /* length of the recent time, in s */

/* The heat map: a column is an interval of time, and a bin is a range of latencies, an
 * eighth of the range from one power of two ns to the next one. */
#define LIVE_BIN_SHIFT (HISTOGRAM_BITS - 3)
#define LIVE_BINS (HISTOGRAM_BINS >> LIVE_BIN_SHIFT)
#define LIVE_COLUMNS 256 /* maximum number of columns */
#define LIVE_SCALES 6

/* How much time a column has, in s, ascending. */
extern const int live_scales[LIVE_SCALES];

/* The requests of one second. A request that ended after the last snapshot of a second
 * belongs to the next second. */
struct live_second {
    int64_t began_at; /* ns from the start of the run to the last snapshot before this
                         second */
    uint64_t latency_count; /* how many requests counted */
    uint64_t requests;      /* how many requests ended, counted or not */
    int64_t max;            /* ns; the longest latency, as exact as the histogram */
    int low_bin, high_bin;  /* no other bins are in use; LOW above HIGH: none is */
    uint32_t bins[HISTOGRAM_BINS];
};

/* The columns of one scale: a ring, indexed by the number of the column modulo
 * LIVE_COLUMNS. A count stops at its maximum. */
struct live_map {
    int64_t newest; /* number of the newest column; column 0 begins with the run */
    uint16_t counts[LIVE_COLUMNS][LIVE_BINS];
};

/* All zero is the past of a run that has just begun. Owned by the supervisor. */
struct live_history {
    int64_t elapsed;      /* ns from the start of the run to the last snapshot */
    int64_t last_latency; /* ns; mean of the latest requests; valid if has_latency */
    bool has_latency;

    /* the figures of the last snapshot */
    struct histogram seen;
    struct scope_counts seen_counts;
    uint64_t seen_latency_count;
    int64_t seen_sum; /* ns */
    int64_t seen_max; /* ns */

    struct live_second seconds[LIVE_SECONDS]; /* a ring, by second modulo LIVE_SECONDS */
    struct live_map maps[LIVE_SCALES];

    /* Everything since the user has reset the figures (the key r). */
    bool was_reset;
    int64_t reset_at; /* ns from the start of the run; 0 without a reset */
    struct scope_counts counts_at_reset;
    struct moments moments; /* only `count` and `max` are used */
    struct histogram histogram;
};

/* Figures of a row. Times are in ns; a time is negative if unknown. */
struct live_figures {
    int64_t now;                                /* mean of the latest requests */
    int64_t recent_p50, recent_p99, recent_max; /* of the last LIVE_SECONDS */
    int64_t p50, p99, max;                      /* of the run, or since the reset */
    double rate; /* requests per second of the last LIVE_SECONDS, or since the reset */
    uint64_t requests, failed, missed; /* of the run, or since the reset */
    int64_t oldest_age;                /* age of the oldest request in flight; 0: none */
};

/* Adds the requests that SCOPE of STATS, a new snapshot, has more than the last one. The
 * snapshot was made ELAPSED ns after the start of the run. */
void live_history_add(struct live_history *history, const struct stats *stats,
                      enum scope scope, int64_t elapsed);

/* From now on, the figures of the run count from this moment. The heat map is empty. */
void live_history_reset(struct live_history *history);

/* Fills FIGURES, except `oldest_age`. STATS and SCOPE must be the same as in the last
 * call of live_history_add. SCRATCH is memory to work with, too large for a stack. */
void live_history_figures(const struct live_history *history, const struct stats *stats,
                          enum scope scope, struct histogram *scratch,
                          struct live_figures *figures);

/* Returns the counts of the column that is AGE columns older than the column of ELAPSED,
 * in ns from the start of the run. The counts are an array of LIVE_BINS. ELAPSED is not
 * later than the last snapshot. SCALE is an index of live_scales. Returns NULL if the run
 * had not begun, or if LIVE_COLUMNS columns are newer. */
const uint16_t *live_history_column(const struct live_history *history, int scale,
                                    int64_t elapsed, int age);

#endif
