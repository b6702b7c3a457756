#include "binomial.h"

#include <math.h>

/*
 * Step 1: the binomial distribution.
 *
 * Factorials and powers would overflow. So each term is computed from its neighbour:
 *
 *     Pr(K = k + 1) = Pr(K = k) * p / (1 - p) * (M - k) / (k + 1)
 *
 * The terms are weights: the weight of the mode (the most likely k) is about 1, and a
 * chance is a sum of weights divided by the sum of all weights. A walk begins at the
 * mode, goes down until the weights no longer matter, and then goes up through all
 * numbers.
 */
#define NOTHING 1e-18 /* weights below this do not matter */

/* A walk over K, ascending. */
struct walk {
    uint64_t count;      /* M */
    uint64_t upto_count; /* the current k */
    double odds;         /* p / (1 - p) */
    double weight;       /* of the current k; about 1 at the mode */
};

/* Returns the weight of AT + 1 divided by the weight of AT. */
static double
find_growth(const struct walk *walk, uint64_t at)
{
    return walk->odds * (double)(walk->count - at) / (double)(at + 1);
}

static void
advance(struct walk *walk)
{
    walk->weight *= find_growth(walk, walk->upto_count);
    walk->upto_count++;
}

/* Returns a walk that stands at the lowest k whose weight matters. */
static struct walk
begin(const struct percentile *percentile, uint64_t count)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    struct walk walk = {.count = count,
                        .upto_count = percentile_rank(percentile, count),
                        .odds = (double)percentile->billionths / above,
                        .weight = 1};

    walk.upto_count = walk.upto_count < count ? walk.upto_count : count;
    for (; walk.upto_count > 0 && walk.weight > NOTHING; walk.upto_count--)
        walk.weight /= find_growth(&walk, walk.upto_count - 1);
    return walk;
}

/* Returns the sum of the weights from the current k on. Below the mode, where weights
 * still grow, small weights do not end the sum. */
static double
add_up(struct walk walk)
{
    double sum = walk.weight;
    double before = 0;

    while (walk.upto_count < walk.count &&
           (walk.weight > NOTHING || walk.weight > before)) {
        before = walk.weight;
        advance(&walk);
        sum += walk.weight;
    }
    return sum;
}

double
percentile_chance(const struct percentile *percentile, uint64_t count, uint64_t most)
{
    struct walk walk = begin(percentile, count);
    double total = add_up(walk);
    double sum = 0;

    if (most >= count)
        return 1;
    for (; walk.upto_count <= most && sum < total; advance(&walk))
        sum += walk.weight;
    return fmin(sum / total, 1);
}

struct rank_bounds
percentile_bounds(const struct percentile *percentile, uint64_t count, double tail)
{
    struct walk walk = begin(percentile, count);
    double total = add_up(walk);
    double sum = 0;
    struct rank_bounds bounds = {0, 0};

    for (; walk.upto_count < count; advance(&walk)) {
        sum += walk.weight;
        if (sum <= tail * total)
            bounds.lower = walk.upto_count + 1;
        if (total - sum <= tail * total) {
            bounds.upper = walk.upto_count + 1;
            break;
        }
    }
    return bounds;
}

uint64_t
percentile_bounded(const struct percentile *percentile, double tail)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    return (uint64_t)ceil(log(tail) / log1p(-above / PERCENTILE_HUNDRED));
}

void
percentile_quantiles(const struct percentile *percentile, uint64_t count,
                     uint64_t *quantiles, int size)
{
    struct walk walk = begin(percentile, count);
    double total = add_up(walk);
    double sum = walk.weight;

    for (int i = 0; i < size; i++) {
        for (; walk.upto_count < count && sum < total * (i + 0.5) / size;
             sum += walk.weight)
            advance(&walk);
        quantiles[i] = walk.upto_count;
    }
}
