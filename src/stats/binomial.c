/*
 * The binomial distribution, from its mode to both sides: each term is the one beside it
 * times a ratio of integers, so that none over- or underflows, however many the values
 * are. Terms below NOTHING of the mode's are left out.
 */
#include "stats/binomial.h"

#include <math.h>

#define NOTHING 1e-18

/* A walk over the numbers of values that may be up to a percentile, in ascending order.
 */
struct walk {
    uint64_t count, at;
    double odds;   /* of a value to be up to the percentile */
    double weight; /* of this number, the mode's is about 1 */
};

/* Returns the weight of the next number, as a multiple of this one's. */
static double
find_growth(const struct walk *walk, uint64_t at)
{
    return walk->odds * (double)(walk->count - at) / (double)(at + 1);
}

static void
advance(struct walk *walk)
{
    walk->weight *= find_growth(walk, walk->at);
    walk->at++;
}

/* Begins at the lowest number that counts. */
static struct walk
begin(const struct percentile *percentile, uint64_t count)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    struct walk walk = {.count = count,
                        .at = percentile_rank(percentile, count),
                        .odds = (double)percentile->billionths / above,
                        .weight = 1};
    walk.at = walk.at < count ? walk.at : count;
    for (; walk.at > 0 && walk.weight > NOTHING; walk.at--)
        walk.weight /= find_growth(&walk, walk.at - 1);
    return walk;
}

/* Returns the sum of all weights from here on. */
static double
add_up(struct walk walk)
{
    double sum = walk.weight, before = 0;
    while (walk.at < walk.count && (walk.weight > NOTHING || walk.weight > before)) {
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
    double total = add_up(walk), sum = 0;
    if (most >= count)
        return 1;
    for (; walk.at <= most && sum < total; advance(&walk))
        sum += walk.weight;
    return fmin(sum / total, 1);
}

struct rank_bounds
percentile_bounds(const struct percentile *percentile, uint64_t count, double tail)
{
    struct walk walk = begin(percentile, count);
    double total = add_up(walk), sum = 0;
    struct rank_bounds bounds = {0, 0};
    for (; walk.at < count; advance(&walk)) {
        sum += walk.weight;
        if (sum <= tail * total)
            bounds.lower = walk.at + 1;
        if (total - sum <= tail * total) {
            bounds.upper = walk.at + 1;
            break;
        }
    }
    return bounds;
}

void
percentile_spread(const struct percentile *percentile, uint64_t count, uint64_t *numbers,
                  int size)
{
    struct walk walk = begin(percentile, count);
    double total = add_up(walk), sum = walk.weight;
    for (int i = 0; i < size; i++) {
        while (walk.at < count && sum < total * (i + 0.5) / size) {
            advance(&walk);
            sum += walk.weight;
        }
        numbers[i] = walk.at;
    }
}

uint64_t
percentile_bounded(const struct percentile *percentile, double tail)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    return (uint64_t)ceil(log(tail) / log1p(-above / PERCENTILE_HUNDRED));
}
