/*
 * How certain a percentile is, in three steps: the binomial distribution of independent
 * values, how many of these a series of dependent ones is worth, and intervals by ranks.
 */
#include "stats/interval.h"

#include "stats/distribution.h"
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

/*
 * The binomial distribution, from its mode to both sides: each term is the one beside it
 * times a ratio of integers, so that none over- or underflows, however many the values
 * are. Terms below NOTHING of the mode's are left out.
 */
#define NOTHING 1e-18

/* A walk over the numbers of values that may be up to a percentile, ascending. */
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

uint64_t
percentile_bounded(const struct percentile *percentile, double tail)
{
    double above = (double)(PERCENTILE_HUNDRED - percentile->billionths);
    return (uint64_t)ceil(log(tail) / log1p(-above / PERCENTILE_HUNDRED));
}

/*
 * A latency depends on those before it: a device stalls for many requests, or is busy for
 * a while. N of them tell as much as N / T independent ones (Bayley, Hammersley: "The
 * effective number of independent observations in an autocorrelated time series", 1946),
 * where T is the integrated autocorrelation time, 1 + 2 times the sum of all
 * autocorrelations: of a percentile those of the series of ones and zeros that says which
 * latencies are up to it (Heidelberger, Lewis: "Quantile estimation in dependent
 * sequences", 1984).
 *
 * The sum ends before the first pair of autocovariances that is not above 0, Geyer's
 * initial positive sequence ("Practical Markov chain Monte Carlo", 1992). Each of them is
 * too low by the variance of the mean, the sum divided by the count (Anderson, "The
 * statistical analysis of time series", 1971, 8.3), so the sum is divided by the share of
 * the series that its lags leave. One no further from 1 than its standard error, each
 * autocorrelation of independent values having a variance of 1 / N (Bartlett, "On the
 * theoretical specification and sampling properties of autocorrelated time-series",
 * 1946), is taken for 1. Where the sum is long, pairs of values become one, which leaves
 * it as it is (Flyvbjerg, Petersen: "Error estimates on averages of correlated data",
 * 1989).
 *
 * Beyond a high percentile are few latencies. What follows each other there may be seen
 * from lower ones only, so the largest of several times is taken: those of the percentile
 * and of others with two, four and so on times as many beyond. Of equal latencies those
 * below the percentile tell one time and those up to it another; the larger is taken.
 *
 * A machine that is busy for a while makes equal latencies a little longer for as long.
 * Where the times at a percentile are too long, those are taken which latencies further
 * away from it than a tolerance tell, and its bounds become as much wider.
 */
#define LAGS 64   /* that are added up before pairs become one */
#define BEYOND 50 /* latencies beyond a percentile that tell of what follows */
#define TOLERANCE 0.15
#define LEVELS_LEAST 3 /* that are looked at, if not the median is among them */

/* A series while its dependence is sought. */
struct sample_set {
    int count;
    uint16_t *bins; /* of each latency, in order */
    int *upto;      /* latencies in a bin of the histogram and those below */
    double tolerance;
    float *values; /* 1 up to a percentile, 0 beyond, less their mean */
};

static int
compare_starts(const void *left, const void *right)
{
    const struct series_entry *a = left, *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Returns the autocovariance. */
static double
find_covariance(const float *values, int count, int lag)
{
    double sum = 0;
    count -= lag;
    for (int done = 0; done < count;) { /* floats for a while: they are quick */
        int end = done + 1024 < count ? done + 1024 : count;
        float part = 0;
        for (; done < end; done++)
            part += values[done] * values[done + lag];
        sum += (double)part;
    }
    return sum / (count + lag);
}

/* Returns the autocorrelation time of VALUES, which are used up. */
static double
find_time(float *values, int count)
{
    double variance = find_covariance(values, count, 0);
    if (variance <= 0)
        return 1;
    for (int size = 1;; size *= 2) {
        double sum = -find_covariance(values, count, 0); /* of lags of both signs */
        int lag = 0;
        for (; lag < LAGS && lag + 1 < count / 2; lag += 2) {
            double pair = find_covariance(values, count, lag) +
                          find_covariance(values, count, lag + 1);
            if (pair <= 0)
                break;
            sum += 2 * pair;
        }
        double time = sum / (size * variance), noise = 2 * sqrt((double)lag / count);
        if (lag < LAGS)
            return time < 1 + noise ? 1 : time / fmax(1 - (2.0 * lag - 1) / count, 0.1);
        count /= 2;
        for (int i = 0; i < count; i++)
            values[i] = values[2 * i] + values[2 * i + 1];
    }
}

/* Returns the autocorrelation time of being up to BIN. */
static double
find_time_upto(const struct sample_set *set, int bin)
{
    float mean = (float)set->upto[bin] / (float)set->count;
    for (int i = 0; i < set->count; i++)
        set->values[i] = (set->bins[i] <= bin ? 1 : 0) - mean;
    return find_time(set->values, set->count);
}

/* Returns the autocorrelation time of the percentile that has RANK. */
static double
find_time_at(const struct sample_set *set, int rank)
{
    int bin = 0;
    while (set->upto[bin] < rank)
        bin++;
    double low = (double)histogram_below(bin) / (1 + set->tolerance);
    double high = (double)histogram_upto(bin) * (1 + set->tolerance);
    return fmax(find_time_upto(set, histogram_bin((int64_t)low)),
                find_time_upto(set, histogram_bin((int64_t)high)));
}

/* Finds the longest time of the percentile and of those further inside the series. */
static struct dependence
find_dependence(const struct sample_set *set, const struct percentile *percentile)
{
    int rank = (int)percentile_rank(percentile, (uint64_t)set->count), before = 0;
    bool high = 2 * rank > set->count;
    int beyond = high ? set->count - rank + 1 : rank;
    double longest = find_time_at(set, rank);
    for (int level = 1; level < LEVELS_LEAST || before < BEYOND; level++) {
        before = beyond;
        beyond *= 2;
        if (beyond > set->count / 2)
            break;
        longest =
            fmax(longest, find_time_at(set, high ? set->count - beyond + 1 : beyond));
    }
    double median = find_time_at(set, (set->count + 1) / 2);
    bool known = set->count >= DEPENDENCE_LEAST * fmax(median, longest);
    return (struct dependence){known, longest, set->tolerance};
}

int
dependence_find(struct dependence *dependence, const struct time_series *series,
                const struct percentile *percentile)
{
    struct series_entry *entries = series->entries;
    struct sample_set set = {.count = series->used};
    size_t count = (size_t)set.count;
    int ordered = 1, status = -1;
    *dependence = (struct dependence){false, 1, 0};
    if (set.count < DEPENDENCE_LEAST)
        return 0;
    while (ordered < set.count && entries[ordered].start >= entries[ordered - 1].start)
        ordered++;
    if (ordered < set.count)
        qsort(entries, count, sizeof(*entries), compare_starts);
    set.bins = malloc(count * sizeof(*set.bins));
    set.upto = calloc(HISTOGRAM_BINS, sizeof(*set.upto));
    set.values = malloc(count * sizeof(*set.values));
    if (set.bins && set.upto && set.values) {
        for (int i = 0; i < set.count; i++) {
            set.bins[i] = (uint16_t)histogram_bin(entries[i].latency);
            set.upto[set.bins[i]]++;
        }
        for (int bin = 1; bin < HISTOGRAM_BINS; bin++)
            set.upto[bin] += set.upto[bin - 1];
        *dependence = find_dependence(&set, percentile);
        set.tolerance = TOLERANCE;
        if (!dependence->known) {
            struct dependence roughly = find_dependence(&set, percentile);
            *dependence = roughly.known ? roughly : *dependence;
        }
        status = 0;
    }
    free(set.bins);
    free(set.upto);
    free(set.values);
    return status;
}

/*
 * Intervals by ranks. As many of the independent values that a series is worth are up to
 * the percentile as the binomial distribution says; if it is so many, the percentile is
 * from the last of these values to the first beyond. Values of rank K among M stand where
 * those of rank N (K - 1/2) / M + 1/2 do among N requests, in the middle of what they are
 * worth (Hazen, "Storage to be provided in impounding reservoirs", 1914).
 *
 * For the ratio of two percentiles each is taken at POINTS numbers that are equally
 * likely, so that all pairs of these are (Hannig, Iyer, Patterson: "Fiducial generalized
 * confidence intervals", 2006). Bounds are what 2.5 % of the pairs are below and above.
 * Requests of one device are as dependent in a run as in the other, though what makes
 * them so, a stall perhaps, may be seen in one alone: the longer of the two
 * autocorrelation times holds for both.
 */
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

/* A way through a histogram, from its lowest bin to its highest. */
struct climb {
    const struct histogram *histogram;
    int bin;
    uint64_t seen; /* up to this bin */
};

/* Returns the lower or the UPPER bound of the value that has RANK, not below the one
 * before, among COUNT independent ones, ns: by no clock that has passed is it 0. */
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

struct interval
estimate_interval(const struct estimate *estimate, double tail)
{
    struct climb climb = {estimate->histogram, 0, 0};
    uint64_t count = count_independent(estimate, estimate->dependence.time);
    struct rank_bounds bounds = percentile_bounds(&estimate->percentile, count, tail);
    double wider = 1 + estimate->dependence.tolerance;
    double low = find_bound(&climb, bounds.lower, count, false);
    double high = find_bound(&climb, bounds.upper, count, true);
    return (struct interval){estimate->dependence.known, low / wider, high * wider};
}

/* Fills POINTS with the middles of as many equal parts of the binomial distribution. */
static void
fill_points(struct points *points, const struct estimate *estimate, double time)
{
    struct climb low = {estimate->histogram, 0, 0}, high = low;
    uint64_t count = count_independent(estimate, time);
    struct walk walk = begin(&estimate->percentile, count);
    double total = add_up(walk), sum = walk.weight;
    for (int i = 0; i < POINTS; i++) {
        for (; walk.at < count && sum < total * (i + 0.5) / POINTS; sum += walk.weight)
            advance(&walk);
        points->low[i] = find_bound(&low, walk.at, count, false);
        points->high[i] = find_bound(&high, walk.at + 1, count, true);
    }
}

/* Returns the share of all pairs of values whose ratio is at most RATIO. */
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
