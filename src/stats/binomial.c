/*
 * The binomial distribution: how many of M values are at most the true percentile.
 *
 *     Pr(K = k) = C(M, k) * p^k * (1 - p)^(M - k)
 *
 *   M   the number of values
 *   p   the percentile as a fraction: 0.99 for p99
 *   K   how many of the M values are at most the true percentile
 *   C   the binomial coefficient
 *
 * Source: Conover, "Practical nonparametric statistics", 3.2.
 *
 * Assumptions: The values are independent of each other, and all of them come from the
 * same distribution. Any distribution will do, because a value is at most the true
 * percentile with probability p by definition. (The probability is above p if values can
 * be equal to the true percentile. Then the chances below are upper limits.)
 *
 * The distribution turns into statements about ranks. The value of rank k + 1 is above
 * the true percentile if at most k values are at most the true percentile. So the value
 * of rank k + 1 is above the true percentile with the chance Pr(K <= k).
 *
 * Factorials and powers would overflow. So each term is computed from its neighbour:
 *
 *     Pr(K = k + 1) = Pr(K = k) * p / (1 - p) * (M - k) / (k + 1)
 *
 * The terms are computed as weights, which are proportional to the chances. The weight of
 * k = M * p, rounded up, is 1. This k is the most likely k (the mode) or one above it. A
 * chance is a sum of weights divided by the sum of all weights. Weights fall quickly on
 * both sides of the mode. So it is enough to go down from the mode until the weights are
 * negligible, and then up until they are negligible again.
 */
#include "binomial.h"

#include <math.h>

#define NEGLIGIBLE_WEIGHT 1e-18

/* A walk over all possible values k of K, the number of values that are at most the true
 * percentile. The walk is in ascending order. */
struct binomial_walk {
    uint64_t value_count; /* the number of values (M) */
    uint64_t k;           /* where the walk stands: 0 to `value_count` */
    double odds;          /* p / (1 - p), for the percentile p as a fraction */
    double weight; /* the weight of `k`, which is proportional to the chance that K = k */
};

/* Returns the weight of K + 1 divided by the weight of K. */
static double
find_weight_ratio(const struct binomial_walk *walk, uint64_t k)
{
    return walk->odds * (double)(walk->value_count - k) / (double)(k + 1);
}

/* Moves WALK from k to k + 1, which must not be above `value_count`. */
static void
advance_walk(struct binomial_walk *walk)
{
    walk->weight *= find_weight_ratio(walk, walk->k);
    walk->k++;
}

/* Returns a walk for PERCENTILE of COUNT values. It stands at the lowest k whose weight
 * matters. */
static struct binomial_walk
start_walk(const struct percentile *percentile, uint64_t count)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    uint64_t mode = percentile_rank(percentile, count);
    struct binomial_walk walk = {.value_count = count,
                                 .k = mode < count ? mode : count,
                                 .odds = (double)percentile->billionths / above,
                                 .weight = 1};

    while (walk.k > 0 && walk.weight > NEGLIGIBLE_WEIGHT) {
        walk.weight /= find_weight_ratio(&walk, walk.k - 1);
        walk.k--;
    }
    return walk;
}

/* Returns the sum of the weights from the current k of WALK on. Ends where the weights
 * are negligible and no longer grow. (Below the mode they are negligible at first, but
 * grow.) WALK is a copy, so the caller's walk does not move. */
static double
sum_weights(struct binomial_walk walk)
{
    double sum = walk.weight;
    double previous = 0;

    while (walk.k < walk.value_count &&
           (walk.weight > NEGLIGIBLE_WEIGHT || walk.weight > previous)) {
        previous = walk.weight;
        advance_walk(&walk);
        sum += walk.weight;
    }
    return sum;
}

double
binomial_chance(const struct percentile *percentile, uint64_t count, uint64_t most)
{
    if (most >= count)
        return 1;

    struct binomial_walk walk = start_walk(percentile, count);
    double total = sum_weights(walk);
    double sum = 0;

    while (walk.k <= most && sum < total) {
        sum += walk.weight;
        advance_walk(&walk);
    }
    return fmin(sum / total, 1);
}

struct rank_bounds
binomial_bounds(const struct percentile *percentile, uint64_t count, double tail)
{
    struct binomial_walk walk = start_walk(percentile, count);
    double total = sum_weights(walk);
    double sum = 0;
    struct rank_bounds bounds = {0, 0};

    for (; walk.k < count; advance_walk(&walk)) {
        sum += walk.weight;

        /* `sum` / `total` is Pr(K <= k), the chance that the value of rank k + 1 is above
         * the true percentile. */
        if (sum <= tail * total)
            bounds.lower = walk.k + 1;
        /* (`total` - `sum`) / `total` is Pr(K > k), the chance that the value of rank
         * k + 1 is not above the true percentile. */
        if (total - sum <= tail * total) {
            bounds.upper = walk.k + 1;
            break;
        }
    }
    return bounds;
}

/* The largest value is an upper bound if Pr(K = M) = p^M is at most TAIL (Wilks,
 * "Determination of sample sizes for setting tolerance limits", 1941). */
uint64_t
binomial_min_count(const struct percentile *percentile, double tail)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    return (uint64_t)ceil(log(tail) / log1p(-above / PERCENTILE_HUNDRED));
}

void
binomial_quantiles(const struct percentile *percentile, uint64_t count,
                   uint64_t *quantiles, int size)
{
    struct binomial_walk walk = start_walk(percentile, count);
    double total = sum_weights(walk);
    double sum = walk.weight;

    for (int i = 0; i < size; i++) {
        double wanted = total * (i + 0.5) / size;
        while (walk.k < count && sum < wanted) {
            advance_walk(&walk);
            sum += walk.weight;
        }
        quantiles[i] = walk.k;
    }
}
