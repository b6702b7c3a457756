/*
 * Moments and histograms of latencies.
 *
 * Moments: with the n-th value x, the mean m and the sum of squared distances q become m'
 * and q' (Welford: "Note on a method for calculating corrected sums of squares and
 * products", Technometrics 1962):
 *
 *     d = x - m
 *     m' = m + d / n
 *     q' = q + d * (x - m')
 *
 * Two sets of n1 and n2 values are merged by a similar formula (Chan, Golub, LeVeque:
 * "Updating formulae and a pairwise algorithm for computing sample variances", 1979):
 *
 *     d = m2 - m1
 *     m' = m1 + d * n2 / (n1 + n2)
 *     q' = q1 + q2 + d^2 * n1 * n2 / (n1 + n2)
 *
 * Neither formula subtracts large sums from each other, so no digits are lost. The sum is
 * an integer, which is exact for 9 * 10^9 requests of a second each.
 *
 * Histogram: the bin of a latency is computed by a shift and a sum:
 *
 *     v = latency - 1
 *     e = the number of bits of v without its eight highest bits; 0 for v below 256
 *     bin = 128 * e + v / 2^e
 *
 * - 1 is subtracted so that the upper bound of a bin belongs to the bin, as in other
 *   histograms, and so that round numbers of microseconds are bounds.
 * - Bins have no gaps: for v below 256 the bin is v itself. For e above 0, v / 2^e runs
 *   from 128 to 255, so the bins of each e begin where the bins of e - 1 end.
 * - The error is small: for e above 0, a bin is 2^e wide and its values are at least 128
 *   * 2^e, so half a bin is at most 1/256 of a value.
 */
#include "stats/distribution.h"

#include <math.h>
#include <string.h>

void
moments_merge(struct moments *moments, const struct moments *more)
{
    if (more->count == 0)
        return;
    if (moments->count == 0) {
        *moments = *more;
        return;
    }

    double count = (double)moments->count;
    double more_count = (double)more->count;
    double distance = more->mean - moments->mean;
    moments->mean += distance * more_count / (count + more_count);
    moments->squares +=
        more->squares + distance * distance * count * more_count / (count + more_count);
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

#define OCTAVE_BINS (1 << HISTOGRAM_BITS) /* bins from a power of two to the next one */

int64_t
histogram_below(int bin)
{
    int extra = bin < 2 * OCTAVE_BINS ? 0 : bin / OCTAVE_BINS - 1;
    return (int64_t)(bin - extra * OCTAVE_BINS) << extra;
}

int64_t
histogram_upto(int bin)
{
    return histogram_below(bin + 1);
}

int64_t
histogram_middle(int bin)
{
    int64_t below = histogram_below(bin);
    return below + (histogram_upto(bin) - below + 1) / 2;
}

/* Goes through the waits from the longest to the shortest, and adds all waits that belong
 * to the same bin at once. */
void
histogram_record_waits(struct histogram *histogram, int64_t latency, int64_t every,
                       int64_t idle)
{
    int64_t wait = latency - every;
    while (wait > idle) {
        int bin = histogram_bin(wait);
        int64_t below = histogram_below(bin);
        int64_t lowest = below > idle ? below : idle; /* waits must be longer than this */
        int64_t waits = (wait - lowest - 1) / every + 1;
        histogram->count += (uint64_t)waits;
        histogram->bins[bin] += (uint64_t)waits;
        wait -= waits * every;
    }
}

void
histogram_merge(struct histogram *histogram, const struct histogram *more, int64_t least,
                int64_t most)
{
    if (more->count == 0)
        return;
    histogram->count += more->count;
    for (int i = histogram_bin(least); i <= histogram_bin(most); i++)
        histogram->bins[i] += more->bins[i];
}

int64_t
histogram_value(const struct histogram *histogram, uint64_t rank)
{
    int bin = 0;
    uint64_t upto_count = histogram->bins[0];

    while (upto_count < rank && bin < HISTOGRAM_BINS - 1) {
        bin++;
        upto_count += histogram->bins[bin];
    }
    return histogram_middle(bin);
}

uint64_t
histogram_count_upto(const struct histogram *histogram, int64_t limit)
{
    uint64_t count = 0;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        if (histogram_upto(i) > limit)
            break;
        count += histogram->bins[i];
    }
    return count;
}

void
histogram_clear(struct histogram *histogram, int64_t least, int64_t most)
{
    int first = histogram_bin(least);
    int last = histogram_bin(most);
    histogram->count = 0;
    memset(&histogram->bins[first], 0,
           (size_t)(last - first + 1) * sizeof(histogram->bins[0]));
}

void
distribution_merge(struct distribution *distribution, const struct distribution *more)
{
    const struct moments *moments = &more->moments;
    moments_merge(&distribution->moments, moments);
    histogram_merge(&distribution->histogram, &more->histogram, moments->min,
                    moments->max);
}

void
distribution_clear(struct distribution *distribution)
{
    const struct moments *moments = &distribution->moments;
    if (moments->count == 0)
        return;
    histogram_clear(&distribution->histogram, moments->min, moments->max);
    distribution->moments = (struct moments){0};
}
