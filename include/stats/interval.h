#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include "stats/dependence.h"
#include "stats/percentile.h"

#include <math.h>
#include <stdbool.h>

struct histogram;

/*
 * How far a percentile may be from the one of endlessly many requests of the same kind,
 * and two of them from each other, at 95 %.
 */

/* What is known of a percentile. */
struct estimate {
    struct percentile percentile;
    const struct histogram *histogram; /* of all requests; valid as long as these */
    int entries;                       /* of the series */
    struct dependence dependence;
};

/*
 * Estimate a percentile of STATS, of whose requests SERIES is a sample; NULL: there is
 * none. It is not known then, nor where waits were added to the latencies. Returns 0, or
 * -1 without memory.
 */
int estimate_make(struct estimate *estimate, const struct stats *stats,
                  const struct time_series *series, const struct percentile *percentile);

/* Bounds of a value, both of which it may have. Without enough requests one of them is
 * open: 0 the lower, INFINITY the upper. */
struct interval {
    bool known;
    double low, high;
};

/* Returns the interval of an estimate, ns, which the percentile is below with a chance of
 * TAIL at most, and above likewise. If it is not known, the bounds are the narrowest that
 * it may have. */
struct interval estimate_interval(const struct estimate *estimate, double tail);

/* Returns the interval of the ratio of an estimate to that of a REFERENCE, a percentile
 * above 0. */
struct interval estimate_ratio(const struct estimate *estimate,
                               const struct estimate *reference);

/* Returns true if a ratio with this interval is known not to be 1. */
static inline bool
interval_differs(const struct interval *ratio)
{
    return ratio->known && (ratio->low > 1 || ratio->high < 1);
}

/* Returns true if there is no upper bound. */
static inline bool
interval_is_open(const struct interval *interval)
{
    return isinf(interval->high);
}

#endif
