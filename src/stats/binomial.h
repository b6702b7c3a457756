#ifndef STATS_BINOMIAL_H
#define STATS_BINOMIAL_H

#include "stats/percentile.h"

#include <stdint.h>

/*
 * The functions are for COUNT independent values. Whatever the distribution
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

#endif
