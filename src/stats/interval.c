/*
 * Intervals by ranks. As many of the independent values that a series is worth
 * (dependence.c) are up to the percentile as the binomial distribution says (binomial.h);
 * if it is so many, the percentile is from the last of these values to the first beyond.
 * Values of rank K among M stand where those of rank N (K - 1/2) / M + 1/2 do among N
 * requests, in the middle of what they are worth (Hazen, "Storage to be provided in
 * impounding reservoirs", Transactions of the American Society of Civil Engineers 77,
 * 1914).
 *
 * For the ratio of two percentiles each is taken at POINTS numbers that are equally
 * likely, so that all pairs of these are (Hannig, Iyer, Patterson: "Fiducial generalized
 * confidence intervals", Journal of the American Statistical Association 101, 2006).
 * Bounds are what 2.5 % of the pairs are below and above. Requests of one device are as
 * dependent in a run as in the other, though what makes them so, a stall perhaps, may be
 * seen in one alone: the longer of the two autocorrelation times holds for both.
 */
#include "stats/interval.h"

#include "stats/binomial.h"
#include "stats/distribution.h"
#include "stats/stats.h"

#define TAIL 0.025
#define POINTS 300

/* Values that a percentile may have, ns, equally likely and in ascending order: the
 * bounds of each. */
struct points {
    double low[POINTS], high[POINTS];
};

int
estimate_make(struct estimate *estimate, const struct stats *stats,
              const struct time_series *series, const struct percentile *percentile)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    *estimate = (struct estimate){*percentile, latencies.histogram, 0, {false, 1, 0}};
    if (!series || latencies.corrected)
        return 0;
    estimate->entries = series->used;
    return dependence_find(&estimate->dependence, series, percentile);
}

/* Returns how many independent values the estimate has if TIME entries are worth one. */
static uint64_t
count_independent(const struct estimate *estimate, double time)
{
    double count = fmin(estimate->entries, (double)estimate->histogram->count);
    return (uint64_t)fmax(count / time, 1);
}

/* A walk through a histogram, from its lowest bin to its highest. */
struct walk {
    const struct histogram *histogram;
    int bin;
    uint64_t seen; /* up to this bin */
};

/* Returns the bin of RANK, which is not below the one before. */
static int
find_bin(struct walk *walk, double rank)
{
    const struct histogram *histogram = walk->histogram;
    if (walk->seen == 0)
        walk->seen = histogram->bins[walk->bin];
    while ((double)walk->seen < rank && walk->bin < HISTOGRAM_BINS - 1)
        walk->seen += histogram->bins[++walk->bin];
    return walk->bin;
}

/* Returns which rank among all requests has the value of RANK among COUNT independent
 * ones. */
static double
find_rank(const struct walk *walk, uint64_t rank, uint64_t count)
{
    return ((double)rank - 0.5) / (double)count * (double)walk->histogram->count + 0.5;
}

/* Returns the lower bound of that value, ns: no latency is 0 by any clock that has
 * passed. */
static double
find_low(struct walk *walk, uint64_t rank, uint64_t count)
{
    if (rank == 0)
        return 0;
    int bin = find_bin(walk, floor(find_rank(walk, rank, count) + 1e-6));
    return (double)histogram_below(bin) + 1;
}

static double
find_high(struct walk *walk, uint64_t rank, uint64_t count)
{
    if (rank == 0 || rank > count)
        return INFINITY;
    int bin = find_bin(walk, ceil(find_rank(walk, rank, count) - 1e-6));
    return (double)histogram_upto(bin);
}

struct interval
estimate_interval(const struct estimate *estimate, double tail)
{
    struct walk walk = {estimate->histogram, 0, 0};
    uint64_t count = count_independent(estimate, estimate->dependence.time);
    struct rank_bounds bounds = percentile_bounds(&estimate->percentile, count, tail);
    double wider = 1 + estimate->dependence.tolerance;
    double low = find_low(&walk, bounds.lower, count);
    double high = find_high(&walk, bounds.upper, count);
    return (struct interval){estimate->dependence.known, low / wider, high * wider};
}

static void
fill_points(struct points *points, const struct estimate *estimate, double time)
{
    struct walk low = {estimate->histogram, 0, 0}, high = low;
    uint64_t count = count_independent(estimate, time), numbers[POINTS];
    percentile_spread(&estimate->percentile, count, numbers, POINTS);
    for (int i = 0; i < POINTS; i++) {
        points->low[i] = find_low(&low, numbers[i], count);
        points->high[i] = find_high(&high, numbers[i] + 1, count);
    }
}

/* Returns the share of all pairs of VALUES and REFERENCES whose ratio is at most RATIO.
 */
static double
find_share(const double *values, const double *references, double ratio)
{
    int at = 0, pairs = 0;
    for (int i = 0; i < POINTS; i++, pairs += at)
        while (at < POINTS && values[at] <= ratio * references[i])
            at++;
    return (double)pairs / POINTS / POINTS;
}

#define RATIO_MOST 1e15 /* of two latencies in a histogram */

/* Returns the lowest ratio that SHARE of all pairs are at most; 0 or INFINITY: of so many
 * one of the two has no bound. */
static double
find_ratio(const double *values, const double *references, double share)
{
    double low = 1 / RATIO_MOST, high = RATIO_MOST;
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
    const struct dependence *own = &estimate->dependence, *other = &reference->dependence;
    double time = fmax(own->time, other->time);
    double wider = (1 + own->tolerance) * (1 + other->tolerance);
    struct points values, references;
    if (!own->known || !other->known)
        return (struct interval){0};
    fill_points(&values, estimate, time);
    fill_points(&references, reference, time);
    double low = find_ratio(values.low, references.high, TAIL);
    double high = find_ratio(values.high, references.low, 1 - TAIL);
    return (struct interval){true, low / wider, high * wider};
}
