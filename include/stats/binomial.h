#ifndef STATS_BINOMIAL_H
#define STATS_BINOMIAL_H

#include "stats/percentile.h"

#include <stdint.h>

/*
 * What independent values tell of a percentile of where they come from, whatever their
 * distribution: each is up to it with the same chance, so how many are is binomial
 * (Conover, "Practical nonparametric statistics", 3.2). Where a value equals the
 * percentile, chances are at most those given here. Time grows as the square root of the
 * number of values.
 */

/* Returns the chance that at most MOST of COUNT values are up to the percentile, 0 to 1;
 * of no value 1. */
double percentile_chance(const struct percentile *percentile, uint64_t count,
                         uint64_t most);

/* Ranks of values in ascending order, from 1; 0: no value is such a bound. */
struct rank_bounds {
    uint64_t lower, upper;
};

/*
 * Returns the highest rank whose value is above the percentile with a chance of TAIL at
 * most, and the lowest whose value is below it likewise, among COUNT independent values.
 * 0 < TAIL < 0.5: 0.025 gives both bounds of an interval at 95 %, 0.05 one of them alone.
 */
struct rank_bounds percentile_bounds(const struct percentile *percentile, uint64_t count,
                                     double tail);

/*
 * Fill NUMBERS with SIZE of them, equally likely and in ascending order, of COUNT
 * independent values that are up to the percentile: the quantiles of the distribution in
 * the middle of SIZE equal parts.
 */
void percentile_spread(const struct percentile *percentile, uint64_t count,
                       uint64_t *numbers, int size);

/* Returns how many values it takes for the largest to be an upper bound, at TAIL as
 * above: 299 for p99 and 0.05. */
uint64_t percentile_bounded(const struct percentile *percentile, double tail);

#endif
