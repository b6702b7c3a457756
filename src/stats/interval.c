/*
 * Confidence intervals of percentiles. A percentile that was measured is only an estimate
 * of the true percentile, which endlessly many requests of the same kind would have. This
 * file finds two bounds between which the true percentile lies with a known chance.
 * ioping-statistics(7), CONFIDENCE INTERVALS, explains the methods in plain words.
 *
 *     lower bound = (latency of rank K1) / F    upper bound = (latency of rank K2) * F
 *
 *   N        the number of latencies in the histogram
 *   T        the autocorrelation time: T dependent latencies tell as much as one
 *            independent latency (dependence.c)
 *   M        the number of independent latencies: the smaller one of N and the number of
 *            entries of the series, divided by T
 *   K        how many of the M latencies are at most the true percentile; K has a
 *            binomial distribution (binomial.c)
 *   K1, K2   the ranks of both bounds among M latencies, which are quantiles of K
 *   F        the factor by which a drift makes the interval wider; 1 without drift
 *            (dependence.c)
 *
 * The histogram has N latencies instead of M. So rank K among M becomes a rank among N:
 *
 *     N * (K - 1/2) / M + 1/2
 *
 * This is the middle of the N / M latencies that rank K stands for (Hazen, "Storage to be
 * provided in impounding reservoirs", 1914).
 *
 * The interval of the ratio of two percentiles: for each percentile, the distribution of
 * K is divided into QUANTILES equally likely parts. The true percentile lies between the
 * latencies of rank K and of rank K + 1, so the K in the middle of each part gives one
 * value of the percentile. Each value of one percentile is divided by each value of the
 * other percentile, which gives QUANTILES^2 equally likely ratios. 2.5 % of the ratios
 * are below the lower bound, and 2.5 % are above the upper bound (Hannig, Iyer,
 * Patterson: "Fiducial generalized confidence intervals", 2006).
 *
 * Assumptions:
 *
 * - N latencies with the autocorrelation time T tell as much as M independent latencies.
 * - The two percentiles of a ratio come from different runs, which are independent of
 *   each other.
 * - The longer T of both runs holds for both of them. The reason is that requests to one
 *   device depend on each other equally in both runs, but the cause, such as a stall, may
 *   show in one run only. If the runs have different rates, T is first converted to time:
 *   a stall of 1 s makes 100 requests of a fast run slow, but only 1 request of a slow
 *   run. T of the slow run is never used for less time than T of the fast run. The other
 *   way round, T is not converted, because T of the slow run is at least 1 request, even
 *   if its requests are independent.
 *
 * The longer T may leave so few independent latencies that a high percentile of the fast
 * run has no upper bound. Then the ratio has no lower bound, even if each latency of one
 * run is longer than all latencies of the other run. So the ratio of two high percentiles
 * gets a second lower bound:
 *
 *     (lower bound of the median of one run) / (upper bound of the reference)
 *
 * This is a lower bound of the ratio, because no such percentile is below the median. The
 * upper bound of the reference comes from its own T. The lower bound of the median comes
 * from DEPENDENCE_MIN independent latencies, the smallest number with which a dependence
 * is known. It is the latency that 17 % of the latencies do not exceed. The second upper
 * bound of the ratio is found in the same way.
 *
 * A stall that only one run shows seldom misleads these bounds, however requests depend
 * on each other. If both runs are equal, 1 % of all requests exceed the true p99 on
 * average. So at most 1 / 0.83 = 1.2 % of all runs have 83 % of their requests above it
 * (Markov's inequality). From SECOND_PERCENTILE on, this share is at most 2.5 %. Logs of
 * histograms have no second bounds, because their latencies have no order.
 */
#include "stats/interval.h"

#include "binomial.h"
#include "stats/distribution.h"
#include "stats/histogram_series.h"
#include "stats/stats.h"

#include <math.h>

/* The chance that a true ratio is below its interval. The chance that a true ratio is
 * above its interval is the same. */
#define RATIO_TAIL 0.025

/* The chance that a percentile is outside of a bound that takes part in a second bound of
 * a ratio. */
#define SECOND_TAIL 0.01

/* The lowest percentile whose ratio has second bounds, in billionths of 100 %. */
#define SECOND_PERCENTILE (PERCENTILE_HUNDRED / 100 * 98)

/* The number of equally likely values of each percentile of a ratio. */
#define QUANTILES 300

/* The largest number of independent latencies of a series of histograms. More would not
 * make the bounds narrower than the bins of the histogram, but take long to compute. */
#define MAX_INDEPENDENT 4194304.0

#define MAX_RATIO 1e15  /* more than any ratio of two latencies in a histogram */
#define RANK_ERROR 1e-6 /* more than the rounding error of a rank */

/* Returns the average time from the start of one entry of SERIES to the next, in ns, or 0
 * if there are too few entries. The entries must be sorted. */
static double
find_spacing(const struct time_series *series)
{
    const struct series_entry *entries = series->entries;

    if (series->count < 2)
        return 0;
    return (double)(entries[series->count - 1].start - entries[0].start) /
           (series->count - 1);
}

int
estimate_make(struct estimate *estimate, const struct stats *stats,
              const struct time_series *series, const struct percentile *percentile)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    *estimate =
        (struct estimate){*percentile, latencies.histogram, 0, 0, {false, 1, 0, 0}};
    if (!series || latencies.is_corrected)
        return 0;

    if (series->histograms) {
        estimate->entry_count = fmin((double)latencies.histogram->count, MAX_INDEPENDENT);
        histogram_series_dependence(&estimate->dependence, series->histograms, percentile,
                                    estimate->entry_count);
        return 0;
    }

    estimate->entry_count = series->count;
    if (dependence_find(&estimate->dependence, series, percentile) < 0)
        return -1;
    estimate->spacing = find_spacing(series);
    return 0;
}

/* Returns the number of independent latencies of ESTIMATE, at least 1. TIME is the
 * autocorrelation time. */
static uint64_t
count_independent(const struct estimate *estimate, double time)
{
    double count = fmin(estimate->entry_count, (double)estimate->histogram->count);
    return (uint64_t)fmax(count / time, 1);
}

/* A position in a histogram. It only moves up, so that one pass over the histogram finds
 * several ranks in ascending order. */
struct histogram_climb {
    const struct histogram *histogram;
    int bin;
    uint64_t upto_count; /* latencies in this bin and in lower bins */
};

static struct histogram_climb
start_climb(const struct histogram *histogram)
{
    return (struct histogram_climb){histogram, 0, histogram->bins[0]};
}

/* Moves CLIMB up to the bin that has the latency with RANK, among all latencies of the
 * histogram. Does nothing if CLIMB is already at this bin or above it. */
static void
climb_to_rank(struct histogram_climb *climb, double rank)
{
    while ((double)climb->upto_count < rank && climb->bin < HISTOGRAM_BINS - 1) {
        climb->bin++;
        climb->upto_count += climb->histogram->bins[climb->bin];
    }
}

/* Turns RANK among COUNT independent latencies into a rank among all latencies of
 * HISTOGRAM, by the formula of Hazen at the top of this file. Returns this rank, which is
 * not a whole number. */
static double
convert_rank(const struct histogram *histogram, uint64_t rank, uint64_t count)
{
    return ((double)rank - 0.5) / (double)count * (double)histogram->count + 0.5;
}

/* Returns a lower bound, in ns: the shortest latency in the bin of RANK among COUNT
 * independent latencies. RANK must not be below the rank of the previous call. If RANK is
 * 0 or above COUNT, no latency has this rank. Then returns 0, which stands for an open
 * bound. Other bounds are at least 1 ns, because no request takes 0 ns. */
static double
find_lower_bound(struct histogram_climb *climb, uint64_t rank, uint64_t count)
{
    if (rank == 0 || rank > count)
        return 0;

    climb_to_rank(climb, floor(convert_rank(climb->histogram, rank, count) + RANK_ERROR));
    return (double)(histogram_below(climb->bin) + 1);
}

/* Returns an upper bound, in ns: the longest latency in the bin of RANK among COUNT
 * independent latencies. RANK must not be below the rank of the previous call. If RANK is
 * 0 or above COUNT, no latency has this rank. Then returns INFINITY, which stands for an
 * open bound. */
static double
find_upper_bound(struct histogram_climb *climb, uint64_t rank, uint64_t count)
{
    if (rank == 0 || rank > count)
        return INFINITY;

    climb_to_rank(climb, ceil(convert_rank(climb->histogram, rank, count) - RANK_ERROR));
    return (double)histogram_upto(climb->bin);
}

double
estimate_widening(const struct estimate *estimate)
{
    return dependence_widening(&estimate->dependence);
}

struct interval
estimate_interval(const struct estimate *estimate, double tail)
{
    struct histogram_climb climb = start_climb(estimate->histogram);
    uint64_t count =
        count_independent(estimate, estimate->dependence.autocorrelation_time);
    struct rank_bounds ranks = binomial_bounds(&estimate->percentile, count, tail);
    double widening = estimate_widening(estimate);

    double low = find_lower_bound(&climb, ranks.lower, count);
    double high = find_upper_bound(&climb, ranks.upper, count);
    return (struct interval){estimate->dependence.is_known, low / widening,
                             high * widening};
}

/* Equally likely values of a percentile, in ascending order. The histogram tells only two
 * bounds of each value, in ns: `low` comes from the latency of rank K, and `high` from
 * the latency of rank K + 1. */
struct likely_values {
    double low[QUANTILES], high[QUANTILES];
};

/* Fills VALUES with the likely values of the percentile of ESTIMATE. TIME is the
 * autocorrelation time. */
static void
fill_values(struct likely_values *values, const struct estimate *estimate, double time)
{
    struct histogram_climb low = start_climb(estimate->histogram);
    struct histogram_climb high = low;
    uint64_t count = count_independent(estimate, time);
    uint64_t ranks[QUANTILES];

    binomial_quantiles(&estimate->percentile, count, ranks, QUANTILES);
    for (int i = 0; i < QUANTILES; i++) {
        values->low[i] = find_lower_bound(&low, ranks[i], count);
        values->high[i] = find_upper_bound(&high, ranks[i] + 1, count);
    }
}

/* Pairs each value with each reference. Returns the share of the pairs, 0 to 1, whose
 * ratio (value / reference) is at most RATIO. Both arrays are in ascending order. So a
 * value that is low enough for one reference is also low enough for the next one.
 * Therefore one pass over both arrays is enough. */
static double
find_share(const double *values, const double *references, double ratio)
{
    int value_count = 0;
    int pair_count = 0;

    for (int i = 0; i < QUANTILES; i++) {
        while (value_count < QUANTILES && values[value_count] <= ratio * references[i])
            value_count++;
        pair_count += value_count;
    }
    return (double)pair_count / QUANTILES / QUANTILES;
}

/* Returns the SHARE quantile of the ratios of all pairs: the lowest ratio that at least
 * SHARE of the pairs do not exceed. Returns 0 or INFINITY if the value or the reference
 * of the pair with this ratio has an open bound. */
static double
find_ratio(const double *values, const double *references, double share)
{
    double low = 1 / MAX_RATIO;
    double high = MAX_RATIO;
    if (find_share(values, references, low) >= share)
        return 0;
    if (find_share(values, references, high) < share)
        return INFINITY;

    /* The bisection is on a logarithmic scale. */
    while (high / low > 1 + 1e-12) {
        double middle = sqrt(low * high);
        if (find_share(values, references, middle) >= share)
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Returns the autocorrelation time to use for ESTIMATE, in its entries, if it is compared
 * with OTHER: the longer one of both. If the entries of ESTIMATE are further apart than
 * those of OTHER, fewer of them fit into the same time. */
static double
find_common_time(const struct estimate *estimate, const struct estimate *other)
{
    double time = other->dependence.autocorrelation_time;
    bool is_sparser = other->spacing > 0 && estimate->spacing > other->spacing;

    if (is_sparser)
        time *= other->spacing / estimate->spacing;
    return fmax(estimate->dependence.autocorrelation_time, time);
}

/* Returns the interval of the ratio of two percentiles, at 95 %. The longer
 * autocorrelation time is used for both. */
static struct interval
find_common_interval(const struct estimate *estimate, const struct estimate *reference)
{
    struct likely_values values;
    struct likely_values references;
    double widening =
        dependence_ratio_widening(&estimate->dependence, &reference->dependence);

    fill_values(&values, estimate, find_common_time(estimate, reference));
    fill_values(&references, reference, find_common_time(reference, estimate));

    double low = find_ratio(values.low, references.high, RATIO_TAIL);
    double high = find_ratio(values.high, references.low, 1 - RATIO_TAIL);
    return (struct interval){true, low / widening, high * widening};
}

/* Returns a lower bound of the median of ESTIMATE, in ns. It is also a lower bound of
 * each higher percentile. */
static double
find_median_low(const struct estimate *estimate)
{
    struct histogram_climb climb = start_climb(estimate->histogram);
    struct rank_bounds ranks =
        binomial_bounds(&percentiles_common.list[0], DEPENDENCE_MIN, SECOND_TAIL);

    return find_lower_bound(&climb, ranks.lower, DEPENDENCE_MIN) /
           estimate_widening(estimate);
}

/* Narrows RATIO by the second bounds of the ratio of ESTIMATE and REFERENCE. */
static void
narrow_by_medians(struct interval *ratio, const struct estimate *estimate,
                  const struct estimate *reference)
{
    double high = estimate_interval(estimate, SECOND_TAIL).high;
    double reference_high = estimate_interval(reference, SECOND_TAIL).high;
    double reference_low = find_median_low(reference);

    /* An open bound leaves RATIO as it is. */
    ratio->low = fmax(ratio->low, find_median_low(estimate) / reference_high);
    if (reference_low > 0)
        ratio->high = fmin(ratio->high, high / reference_low);
}

struct interval
estimate_ratio(const struct estimate *estimate, const struct estimate *reference)
{
    bool has_order = estimate->spacing > 0 && reference->spacing > 0;
    bool is_high = estimate->percentile.billionths >= SECOND_PERCENTILE;
    if (!estimate->dependence.is_known || !reference->dependence.is_known)
        return (struct interval){0};

    struct interval ratio = find_common_interval(estimate, reference);
    if (has_order && is_high)
        narrow_by_medians(&ratio, estimate, reference);
    return ratio;
}
