#ifndef STATS_BOOTSTRAP_H
#define STATS_BOOTSTRAP_H

#include "stats/percentile.h"
#include "stats/series.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * How far a percentile may be from the one of endlessly many requests of the same kind,
 * and two of them from each other, at 95 %: a moving-block bootstrap, as latencies of a
 * device depend on those before them.
 */
#define BOOTSTRAP_REPLICATES 999
#define BOOTSTRAP_LEAST 30 /* requests; of fewer nothing is told */

/* A percentile of a series, and what it was in each of its replicates, by steps of the
 * histogram, in no order. */
struct bootstrap {
    bool known; /* the series has enough requests for it */
    int step;
    uint16_t steps[BOOTSTRAP_REPLICATES];
};

/*
 * Resample SERIES for a percentile; the same SEED does it the same way. The entries are
 * put in the order of their starts. Returns 0, or -1 without memory.
 */
int bootstrap_resample(struct bootstrap *bootstrap, const struct time_series *series,
                       const struct percentile *percentile, uint64_t seed);

/* Bounds of a value, both of which it may have. */
struct interval {
    bool known;
    double low, high;
};

/* Returns the interval of the percentile, which is VALUE in the statistics, ns, and
 * within it. */
struct interval bootstrap_interval(const struct bootstrap *bootstrap, int64_t value);

/*
 * Returns the interval of the ratio of a percentile, which is VALUE in the statistics, to
 * that of a REFERENCE, which is FIRST, ns; their ratio is within it. It is known for
 * values above 0.
 */
struct interval bootstrap_ratio(const struct bootstrap *bootstrap, int64_t value,
                                const struct bootstrap *reference, int64_t first);

/* Returns true if a ratio with this interval is known not to be 1. */
static inline bool
interval_differs(const struct interval *ratio)
{
    return ratio->known && (ratio->low > 1 || ratio->high < 1);
}

#endif
