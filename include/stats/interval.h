#ifndef STATS_INTERVAL_H
#define STATS_INTERVAL_H

#include "stats/percentile.h"
#include "stats/track.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Confidence intervals: how far a measured percentile may be from the true percentile.
 *
 * The first three functions are for COUNT independent values. Whatever the distribution
 * of the values is, the number of values that are at most the true percentile is binomial
 * (Conover, "Practical nonparametric statistics", 3.2). If several values equal the
 * percentile, the chances below are upper limits. The functions take a time that grows
 * with the square root of COUNT.
 */

/* Returns the chance, 0 to 1, that at most MOST of COUNT values are at most the true
 * PERCENTILE. Returns 1 if COUNT is 0. */
double percentile_chance(const struct percentile *percentile, uint64_t count,
                         uint64_t most);

/* Ranks of two values in ascending order, from 1; 0 if no value is such a bound. */
struct rank_bounds {
    uint64_t lower, upper;
};

/* Returns the ranks of both bounds of PERCENTILE among COUNT values. `lower` is the
 * highest rank whose value is above the true percentile with a chance of at most TAIL.
 * `upper` is the lowest rank whose value is below the true percentile with a chance of at
 * most TAIL. TAIL is above 0 and below 0.5: with 0.025, both bounds together make an
 * interval at 95 %; with 0.05, each bound alone holds at 95 %. */
struct rank_bounds percentile_bounds(const struct percentile *percentile, uint64_t count,
                                     double tail);

/* Returns the smallest COUNT for which percentile_bounds finds an upper bound: 299 for
 * p99 and a TAIL of 0.05. The upper bound is the largest value then. */
uint64_t percentile_bounded(const struct percentile *percentile, double tail);

/* Cuts the binomial distribution, for PERCENTILE among COUNT values, into SIZE equally
 * likely parts. Stores the number of values in the middle of each part in QUANTILES, in
 * ascending order. */
void percentile_quantiles(const struct percentile *percentile, uint64_t count,
                          uint64_t *quantiles, int size);

/* How much the requests of a series depend on each other, as far as one percentile is
 * concerned: how many requests tell as much as one independent request. */
struct dependence {
    bool is_known; /* the series is worth at least DEPENDENCE_LEAST independent requests,
                      for the percentile and for the median */
    double autocorrelation_time; /* integrated autocorrelation time, in entries of the
                                    series, at least 1 */
    double drift; /* standard deviation of the level of log latencies; 0 if there is no
                     drift */
};

#define DEPENDENCE_LEAST 15 /* independent requests */

/* Finds the dependence of the requests of SERIES, as far as PERCENTILE is concerned.
 * Sorts the entries of SERIES by their starts. Returns 0, or -1 if memory is lacking. */
int dependence_find(struct dependence *dependence, const struct time_series *series,
                    const struct percentile *percentile);

/* Returns the factor, at least 1, by which the drift makes both bounds of a percentile
 * wider. */
double dependence_widening(const struct dependence *dependence);

/* Returns the factor, at least 1, by which the drifts of two percentiles make both bounds
 * of their ratio wider. */
double dependence_ratio_widening(const struct dependence *dependence,
                                 const struct dependence *reference);

/* All that is needed to find the bounds of a percentile. The true percentile is the one
 * that endlessly many requests of the same kind would have. */
struct estimate {
    struct percentile percentile;
    const struct histogram *histogram; /* of all requests; belongs to their statistics */
    int entry_count;                   /* number of entries of the series */
    struct dependence dependence;      /* not known without a series */
};

/* Fills ESTIMATE for PERCENTILE of all requests of STATS. SERIES is a sample of the
 * requests, in the sense of stats/track.h, and its entries become sorted by their starts.
 * The dependence is not known if SERIES is NULL, or if waits were added to the latencies
 * (-corrected). ESTIMATE refers to STATS, which must outlive it. Returns 0, or -1 if
 * memory is lacking. */
int estimate_make(struct estimate *estimate, const struct stats *stats,
                  const struct time_series *series, const struct percentile *percentile);

/* Two bounds. Values equal to a bound lie inside of the interval. With too few requests a
 * bound is open: `low` is 0, or `high` is INFINITY. */
struct interval {
    bool is_known;
    double low, high;
};

/* Returns the interval of the percentile, in ns. The true percentile is below the
 * interval with a chance of at most TAIL, and above the interval with a chance of at most
 * TAIL. If the dependence is not known, `is_known` is false, and the interval is the
 * narrowest one that is possible: the true interval may be wider. */
struct interval estimate_interval(const struct estimate *estimate, double tail);

/* Returns the factor, at least 1, by which the drift of the latencies makes both bounds
 * of estimate_interval wider. */
double estimate_widening(const struct estimate *estimate);

/* Returns the interval at 95 % of the ratio of two percentiles: that of ESTIMATE divided
 * by that of REFERENCE, which must be above 0. The interval is not known unless both
 * dependences are known. */
struct interval estimate_ratio(const struct estimate *estimate,
                               const struct estimate *reference);

/* Returns true if the interval of a ratio excludes 1, so that two percentiles differ. */
static inline bool
interval_differs(const struct interval *ratio)
{
    return ratio->is_known && (ratio->low > 1 || ratio->high < 1);
}

#endif
