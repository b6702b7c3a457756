/*
 * Mean and squared deviation are updated with each value (Welford: "Note on a
 * method for calculating corrected sums of squares and products",
 * Technometrics 1962) and merged pairwise (Chan, Golub, LeVeque: "Updating
 * formulae and a pairwise algorithm for computing sample variances", 1979).
 * Neither subtracts large sums from each other, so no digits are lost. The
 * integer sum is exact for 10^9 requests of a second each, and for nine times
 * as many.
 */
#include "stats/moments.h"

#include <math.h>

void
moments_merge(struct moments *moments, const struct moments *more)
{
    if (more->count == 0)
        return;
    if (moments->count == 0) {
        *moments = *more;
        return;
    }
    double ours = (double)moments->count, theirs = (double)more->count;
    double distance = more->mean - moments->mean;
    moments->mean += distance * theirs / (ours + theirs);
    moments->squares +=
        more->squares + distance * distance * ours * theirs / (ours + theirs);
    moments->count += more->count;
    moments->sum += more->sum;
    if (more->min < moments->min)
        moments->min = more->min;
    if (more->max > moments->max)
        moments->max = more->max;
}

int64_t
moments_average(const struct moments *moments)
{
    return moments->count ? moments->sum / (int64_t)moments->count : 0;
}

int64_t
moments_deviation(const struct moments *moments)
{
    return moments->count ? (int64_t)sqrt(moments->squares / (double)moments->count) : 0;
}
