#ifndef STATS_BINOMIAL_H
#define STATS_BINOMIAL_H

#include "stats/percentile.h"

#include <stdint.h>

/*
 * Chances and bounds that follow from one number: how many of COUNT values are at most
 * the true percentile. This number has a binomial distribution (binomial.c). The true
 * percentile is the one that endlessly many values would have.
 *
 * The COUNT values must be independent of each other. Their distribution may be of any
 * kind. If values can be equal to the true percentile, the chances below are upper
 * limits. Each function takes a time that grows with the square root of COUNT.
 */

/* Returns the chance, 0 to 1, that of COUNT values no more than MOST are below or equal
 * to the true PERCENTILE. Returns 1 if COUNT is 0. */
double binomial_chance(const struct percentile *percentile, uint64_t count,
                       uint64_t most);

/* The ranks of two of the values, sorted in ascending order. The smallest value has rank
 * 1. A rank is 0 if there are too few values for this bound. */
struct rank_bounds {
    uint64_t lower, upper;
};

/* Returns the ranks of the two bounds of PERCENTILE among COUNT values. `lower` is the
 * highest rank whose value is above the true percentile with a chance of at most TAIL.
 * `upper` is the lowest rank whose value is below the true percentile with a chance of at
 * most TAIL. TAIL is above 0 and below 0.5. With a TAIL of 0.025, the true percentile
 * lies between both bounds with a chance of 95 %. With a TAIL of 0.05, each bound alone
 * holds with a chance of 95 %. */
struct rank_bounds binomial_bounds(const struct percentile *percentile, uint64_t count,
                                   double tail);

/* Returns the smallest COUNT for which binomial_bounds finds an upper bound. For p99
 * and a TAIL of 0.05, this is 299. The upper bound is then the largest value. */
uint64_t binomial_min_count(const struct percentile *percentile, double tail);

/* Divides the distribution of K, the number of values that are at most the true
 * PERCENTILE, into SIZE equally likely parts. Stores the middle of each part in
 * QUANTILES, in ascending order. The middle of part i, from 0, is the smallest k for
 * which Pr(K <= k) is at least (i + 1/2) / SIZE. */
void binomial_quantiles(const struct percentile *percentile, uint64_t count,
                        uint64_t *quantiles, int size);

#endif
