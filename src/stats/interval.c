/*
 * Confidence intervals of percentiles. A percentile that was measured is only an estimate
 * of the true percentile, which endlessly many requests of the same kind would have. This
 * file finds two bounds between which the true percentile lies with a known chance.
 * ioping-statistics(7), CONFIDENCE INTERVALS, explains the methods in plain words.
 *
 * Symbols:
 *
 *   p   the percentile as a fraction: 0.99 for p99
 *   N   the number of latencies
 *   T   the autocorrelation time, at least 1: T dependent latencies tell as much as one
 *       independent latency
 *   M   the number of independent latencies, N / T
 *   K   how many of the M latencies are at most the true percentile
 *   R   the correlation of the ranks of successive latencies
 *   S   the drift: the standard deviation of the level of log latencies
 *
 * The bounds are found in three steps, and each step is a section of this file:
 *
 *   1. K has a binomial distribution, whatever the distribution of the latencies is:
 *
 *          Pr(K = k) = C(M, k) * p^k * (1 - p)^(M - k)
 *
 *      The quantiles of K are ranks. The true percentile is below the latency of the
 * lower rank with a chance of at most TAIL, and above the latency of the upper rank with
 * a chance of at most TAIL.
 *
 *   2. T comes from the series of latencies in the order of their starts:
 *
 *          T = 1 + 2 * (r(1) + r(2) + r(3) + ...)
 *
 *      r(k) is the correlation of a value with the value k requests later. The values are
 *      1 for a latency at most the percentile, else 0. Without 15 independent latencies
 *      (M < 15) nothing is known, unless all latencies drift together. Then S is found,
 *      and both bounds become wider by the factor exp(3.8 * S).
 *
 *   3. The histogram turns the ranks among M latencies into two latencies, the bounds.
 *      For the ratio of two percentiles, all pairs of equally likely values are compared.
 */
#include "stats/interval.h"

#include "binomial.h"
#include "stats/distribution.h"
#include "stats/stats.h"

#include <math.h>

/*
 * Step 3: intervals by ranks.
 *
 * If K of the M independent latencies are at most the true percentile, then the true
 * percentile lies between the latency of rank K and the latency of rank K + 1. The
 * binomial distribution says how likely each K is. The histogram has N latencies instead
 * of M, so rank K among M becomes a rank among N:
 *
 *     N * (K - 1/2) / M + 1/2
 *
 * This is the middle of the N / M latencies that rank K stands for (Hazen, "Storage to be
 * provided in impounding reservoirs", 1914).
 *
 * The interval of the ratio of two percentiles: for each percentile, the distribution of
 * K is cut into POINTS equally likely parts, and the middle of each part gives one value
 * of the percentile. Each value of the one percentile is divided by each value of the
 * other, which gives POINTS^2 equally likely ratios. 2.5 % of the ratios are below the
 * lower bound, and 2.5 % are above the upper bound (Hannig, Iyer, Patterson: "Fiducial
 * generalized confidence intervals", 2006).
 *
 * The longer T of the two series holds for both. The reason is that requests to one
 * device depend on each other equally in both runs, but the cause, such as a stall, may
 * show in one run only.
 */
#define TAIL 0.025 /* chance that a ratio is beyond one of its bounds */
#define POINTS 300

/* Equally likely values of a percentile, ascending, as the bounds of each value, ns: the
 * latencies of rank K and of rank K + 1. */
struct points {
    double low[POINTS], high[POINTS];
};

int
estimate_make(struct estimate *estimate, const struct stats *stats,
              const struct time_series *series, const struct percentile *percentile)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    *estimate = (struct estimate){*percentile, latencies.histogram, 0, {false, 1, 0}};
    if (!series || latencies.is_corrected)
        return 0;

    estimate->entry_count = series->count;
    return dependence_find(&estimate->dependence, series, percentile);
}

/* Returns M: how many independent latencies ESTIMATE has if T is TIME. */
static uint64_t
count_independent(const struct estimate *estimate, double time)
{
    double count = fmin(estimate->entry_count, (double)estimate->histogram->count);
    return (uint64_t)fmax(count / time, 1);
}

/* A position in a histogram that only moves up, so that ascending ranks are found in one
 * pass. */
struct climb {
    const struct histogram *histogram;
    int bin;
    uint64_t seen; /* latencies in this bin and in lower bins */
};

/* Returns the lower or the UPPER bound, in ns, of the latency that has RANK among COUNT
 * independent latencies. RANK must not be below the rank of the previous call. Returns 0
 * or INFINITY if no latency has RANK, so that the bound is open. A lower bound is never 0
 * otherwise, because no request takes 0 ns. */
static double
find_bound(struct climb *climb, uint64_t rank, uint64_t count, bool upper)
{
    const struct histogram *histogram = climb->histogram;
    double all = ((double)rank - 0.5) / (double)count * (double)histogram->count + 0.5;
    all = upper ? ceil(all - 1e-6) : floor(all + 1e-6);
    if (rank == 0 || rank > count)
        return upper ? INFINITY : 0;

    if (climb->seen == 0)
        climb->seen = histogram->bins[climb->bin];
    while ((double)climb->seen < all && climb->bin < HISTOGRAM_BINS - 1)
        climb->seen += histogram->bins[++climb->bin];
    return (double)(upper ? histogram_upto(climb->bin) : histogram_below(climb->bin) + 1);
}

double
estimate_widening(const struct estimate *estimate)
{
    return dependence_widening(&estimate->dependence);
}

struct interval
estimate_interval(const struct estimate *estimate, double tail)
{
    struct climb climb = {estimate->histogram, 0, 0};
    uint64_t count =
        count_independent(estimate, estimate->dependence.autocorrelation_time);
    struct rank_bounds bounds = percentile_bounds(&estimate->percentile, count, tail);
    double wider = estimate_widening(estimate);

    double low = find_bound(&climb, bounds.lower, count, false);
    double high = find_bound(&climb, bounds.upper, count, true);
    return (struct interval){estimate->dependence.is_known, low / wider, high * wider};
}

/* Fills POINTS for an autocorrelation time of TIME. */
static void
fill_points(struct points *points, const struct estimate *estimate, double time)
{
    struct climb low = {estimate->histogram, 0, 0};
    struct climb high = low;
    uint64_t count = count_independent(estimate, time);
    uint64_t ranks[POINTS];

    percentile_quantiles(&estimate->percentile, count, ranks, POINTS);
    for (int i = 0; i < POINTS; i++) {
        points->low[i] = find_bound(&low, ranks[i], count, false);
        points->high[i] = find_bound(&high, ranks[i] + 1, count, true);
    }
}

/* Returns the share, 0 to 1, of all pairs of a value and a reference whose ratio is at
 * most RATIO. Both arrays ascend, so one pass over both of them is enough. */
static double
find_share(const double *values, const double *references, double ratio)
{
    int at = 0;
    int pairs = 0;
    for (int i = 0; i < POINTS; i++, pairs += at)
        while (at < POINTS && values[at] <= ratio * references[i])
            at++;
    return (double)pairs / POINTS / POINTS;
}

#define RATIO_MOST 1e15 /* more than any ratio of two latencies in a histogram */

/* Returns the SHARE quantile of the ratios of all pairs: the lowest ratio that at least
 * SHARE of the pairs do not exceed. Returns 0 or INFINITY if the quantile is a pair in
 * which a value or a reference has an open bound. */
static double
find_ratio(const double *values, const double *references, double share)
{
    double low = 1 / RATIO_MOST;
    double high = RATIO_MOST;
    if (find_share(values, references, low) >= share)
        return 0;
    if (find_share(values, references, high) < share)
        return INFINITY;

    while (high / low > 1 + 1e-12) {
        double middle = sqrt(low * high);
        if (find_share(values, references, middle) >= share)
            high = middle;
        else
            low = middle;
    }
    return high;
}

struct interval
estimate_ratio(const struct estimate *estimate, const struct estimate *reference)
{
    const struct dependence *own = &estimate->dependence;
    const struct dependence *other = &reference->dependence;
    double time = fmax(own->autocorrelation_time, other->autocorrelation_time);
    double wider = dependence_ratio_widening(own, other);
    struct points values;
    struct points references;
    if (!own->is_known || !other->is_known)
        return (struct interval){0};

    fill_points(&values, estimate, time);
    fill_points(&references, reference, time);

    double low = find_ratio(values.low, references.high, TAIL);
    double high = find_ratio(values.high, references.low, 1 - TAIL);
    return (struct interval){true, low / wider, high * wider};
}
