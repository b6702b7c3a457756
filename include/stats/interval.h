#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include "stats/dependence.h"
#include "stats/percentile.h"
#include "stats/track.h"

#include <math.h>
#include <stdbool.h>

/*
 * Confidence intervals: how far a measured percentile may be from the true percentile.
 * The true percentile is the one that endlessly many requests of the same kind would
 * have.
 */

/* A measured percentile, with all that is needed to find its interval. */
struct estimate {
    struct percentile percentile;
    const struct histogram *histogram; /* latencies of all requests that count; owned by
                                          the statistics of these requests */
    double entry_count; /* entries of the series; for a series of histograms, the number
                           of their latencies; 0 without a series */
    double spacing; /* average time from the start of one entry to the next, ns; 0 if not
                       known, as for a series of histograms */
    struct dependence dependence; /* `is_known` is false without a series */
};

/* Fills ESTIMATE for PERCENTILE of all requests of STATS. SERIES is a sample of these
 * requests (stats/track.h). Its entries get sorted by their starts. The dependence is not
 * known if SERIES is NULL, or if waits were added to the latencies (-corrected). ESTIMATE
 * refers to STATS, which must outlive it. Returns 0, or -1 if memory is lacking. */
int estimate_make(struct estimate *estimate, const struct stats *stats,
                  const struct time_series *series, const struct percentile *percentile);

/* Two bounds. Values equal to a bound lie inside of the interval. With too few requests a
 * bound is open: `low` is 0, or `high` is INFINITY. */
struct interval {
    bool is_known;
    double low, high;
};

/*
 * Returns the interval of the percentile, in ns. The true percentile is below the
 * interval with a chance of at most TAIL, and above the interval with a chance of at most
 * TAIL. If the dependence is not known, `is_known` is false. Then the returned interval
 * may be too narrow, because the requests may depend on each other more strongly than the
 * series shows.
 */
struct interval estimate_interval(const struct estimate *estimate, double tail);

/* Returns the factor, at least 1, by which the drift of the latencies makes the interval
 * of estimate_interval wider: the lower bound is divided by it, and the upper bound is
 * multiplied by it. */
double estimate_widening(const struct estimate *estimate);

/* Returns the interval at 95 % of the ratio of two percentiles: the percentile of
 * ESTIMATE divided by the percentile of REFERENCE, which must be above 0. The interval is
 * known only if both dependences are known. It may be open on one side or on both. */
struct interval estimate_ratio(const struct estimate *estimate,
                               const struct estimate *reference);

/* Returns true if INTERVAL has a bound. An interval that is known may be open on both
 * sides: then it tells as little as an unknown one. */
static inline bool
interval_has_bound(const struct interval *interval)
{
    return interval->is_known && (interval->low > 0 || !isinf(interval->high));
}

/* Returns true if the interval of a ratio excludes 1, which means that two percentiles
 * differ. */
static inline bool
interval_differs(const struct interval *ratio)
{
    return ratio->is_known && (ratio->low > 1 || ratio->high < 1);
}

#endif
