#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include "stats/percentile.h"
#include "stats/track.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What independent values tell of a percentile of where they come from, whatever their
 * distribution: how many are up to it is binomial (Conover, "Practical nonparametric
 * statistics", 3.2). Where a value equals the percentile, chances are at most those given
 * here. Time grows as the square root of the number of values.
 */

/* Returns the chance, 0 to 1, that at most MOST of COUNT values are up to the percentile;
 * 1 of no value. */
double percentile_chance(const struct percentile *percentile, uint64_t count,
                         uint64_t most);

/* Ranks of values in ascending order, from 1; 0: no value is such a bound. */
struct rank_bounds {
    uint64_t lower, upper;
};

/* Returns the highest rank among COUNT values whose value is above the percentile with a
 * chance of TAIL at most, and the lowest whose value is below it likewise. 0 < TAIL <
 * 0.5: 0.025 gives both bounds of an interval at 95 %, 0.05 one of them alone. */
struct rank_bounds percentile_bounds(const struct percentile *percentile, uint64_t count,
                                     double tail);

/* Returns how many values it takes for the largest to be an upper bound, at TAIL as
 * above: 299 for p99 and 0.05. */
uint64_t percentile_bounded(const struct percentile *percentile, double tail);

/* How much of a series is worth one independent request, as far as a percentile goes. */
struct dependence {
    bool is_known; /* worth DEPENDENCE_LEAST, for the percentile and for the median */
    double autocorrelation_time; /* the integrated autocorrelation time, in entries, 1 at
                                    least */
    double drift; /* standard deviation of the level of log latencies; 0: none is seen */
};

#define DEPENDENCE_LEAST 15 /* independent requests */

/* Find the dependence of SERIES, whose entries are put in the order of their starts.
 * Returns 0, or -1 without memory. */
int dependence_find(struct dependence *dependence, const struct time_series *series,
                    const struct percentile *percentile);

/* How far a percentile may be from that of endlessly many requests of the same kind. */
struct estimate {
    struct percentile percentile;
    const struct histogram *histogram; /* of all requests; valid as long as these */
    int entries;                       /* of the series */
    struct dependence dependence;
};

/* Estimate a percentile of STATS, of whose requests SERIES is a sample. Without one,
 * NULL, or where waits were added to the latencies, it is not known. Returns 0, or -1
 * without memory. */
int estimate_make(struct estimate *estimate, const struct stats *stats,
                  const struct time_series *series, const struct percentile *percentile);

/* Bounds of a value, both of which it may have. Without enough requests one of them is
 * open: 0 the lower, INFINITY the upper. */
struct interval {
    bool is_known;
    double low, high;
};

/* Returns the interval of an estimate, ns, which the percentile is below with a chance of
 * TAIL at most, and above likewise. If not known, it is the narrowest that it may be. */
struct interval estimate_interval(const struct estimate *estimate, double tail);

/* Returns the factor, at least 1, by which the drift of the latencies makes both bounds
 * of estimate_interval wider. */
double estimate_widening(const struct estimate *estimate);

/* Returns the interval at 95 % of the ratio to a REFERENCE, a percentile above 0. */
struct interval estimate_ratio(const struct estimate *estimate,
                               const struct estimate *reference);

/* Returns true if a ratio with this interval is known not to be 1. */
static inline bool
interval_differs(const struct interval *ratio)
{
    return ratio->is_known && (ratio->low > 1 || ratio->high < 1);
}

#endif
