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
 * A short series of zeros and ones hides how slowly latencies change, so their ranks are
 * looked at as well (Bartels, "The rank version of von Neumann's ratio test for
 * randomness", 1982). R is the correlation of the ranks of neighbours. If it is too large
 * for chance, the series has to be long enough for the time (1 + R) / (1 - R), which an
 * autoregressive process of first order has.
 *
 * Chance alone makes R * sqrt(N) larger than 1.65 in one of 20 independent series. It is
 * smaller in one of 12 series of 20 latencies that change slowly, and in one of 4 series
 * of 15. So the bound is lower for the shortest series.
 */
#define LAGS 64          /* that are added up before pairs become one */
#define BEYOND 50        /* latencies beyond a percentile that tell of what follows */
#define LEVELS_LEAST 3   /* that are looked at, if not the median is among them */
#define RANKS_BOUND 1.65 /* of R * sqrt(N) */
#define RANKS_BOUND_EACH 0.08 /* times N: the bound of R * sqrt(N) below N = 21 */
#define RANKS_MOST (1 - 1e-6) /* the largest R */

/*
 * If the times at a percentile are too long for the series, all latencies may have become
 * longer or shorter together: a clock or a machine was slower for a while. Such a series
 * does not tell the percentile exactly, but it does tell that it is not 50 times as long.
 * So the level of the latencies is taken to drift, and bounds become wider by the drift.
 * Only latencies that are further away from the percentile tell the times then.
 *
 * S is the standard deviation of the medians of 8 successive blocks of log latencies, in
 * the manner of batch means (Schmeiser, "Batch size effects in the analysis of simulation
 * output", 1982). A series that changes slowly shows only a part of its drift, because it
 * ends too early. It is taken for slow if R is at least 1 - 16 / N: the ranks of a random
 * walk have such an R in 19 of 20 cases (Dickey, Fuller, "Distribution of the estimators
 * for autoregressive time series with a unit root", 1979, have 14 for values).
 *
 * The slowest process that is allowed for is autoregressive with a correlation P = 0.999:
 * it forgets its level in about 1000 requests. Steps of variance V give it the variance
 * V / (1 - P^2), but N steps of a random walk have the variance N * V / 6 around their
 * own mean. So the level has the variance S^2 * (1 + 3000 / N): 6 / (1 - P^2) is 3000.
 *
 * Such an S is itself uncertain, more so than with 8 independent blocks. Therefore the
 * factors below are larger than Student's 2.4 for 7 degrees of freedom. They come from
 * simulations of autoregressive processes with P from 0 to 0.999 and N from 15 to 5000:
 * of two equal ones at most 5 % differ. Nothing is known of processes that are slower.
 */
#define DRIFT_BLOCKS 8
#define DRIFT_SLOW 16.0        /* 1 - this / N: the least R of a series that is slow */
#define DRIFT_SPAN 3000.0      /* requests */
#define DRIFT_FACTOR 3.8       /* deviations that the bounds of a percentile are wider */
#define DRIFT_RATIO_FACTOR 3.2 /* the same of a ratio; the deviations of both add up */
#define DRIFT_MOST 100 /* a factor; nothing is known if bounds are wider by more */

/* A series while its dependence is sought. */
struct sample_set {
    int count;
    uint16_t *bins;   /* of each latency, in order */
    int *upto;        /* latencies in a bin of the histogram and those below */
    double tolerance; /* latencies up to this factor from a percentile are close to it */
    bool is_slow;     /* ranks say that the latencies change slowly */
    float *values;    /* room for one of each latency */
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

/* Returns the autocorrelation time that the ranks of the latencies tell; 1 unless their
 * correlation is too large for chance. Sets is_slow. */
static double
find_time_of_ranks(struct sample_set *set)
{
    int count = set->count;
    for (int i = 0; i < count; i++) {
        int bin = set->bins[i];
        int below = bin > 0 ? set->upto[bin - 1] : 0;
        set->values[i] = (float)(below + set->upto[bin] - count) / 2;
    }

    double variance = find_covariance(set->values, count, 0);
    if (variance <= 0)
        return 1;
    double correlation = find_covariance(set->values, count, 1) / variance;
    correlation = fmin(correlation, RANKS_MOST);
    if (correlation * sqrt(count) < fmin(RANKS_BOUND_EACH * count, RANKS_BOUND))
        return 1;

    set->is_slow = correlation >= 1 - DRIFT_SLOW / count;
    return (1 + correlation) / (1 - correlation);
}

/* Returns the autocorrelation time of the percentile that has RANK. */
static double
find_time_at(const struct sample_set *set, int rank)
{
    int bin = 0;
    while (set->upto[bin] < rank)
        bin++;
    double low = (double)histogram_below(bin) / set->tolerance;
    double high = (double)histogram_upto(bin) * set->tolerance;
    return fmax(find_time_upto(set, histogram_bin((int64_t)low)),
                find_time_upto(set, histogram_bin((int64_t)high)));
}

/* Finds the longest time of the percentile and of those further inside the series. The
 * percentile is known if the series is long enough for this time, for the median's, and
 * for RANKS_TIME. */
static struct dependence
find_dependence(const struct sample_set *set, const struct percentile *percentile,
                double ranks_time)
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
    double needed = fmax(fmax(median, longest), ranks_time);
    bool known = set->count >= DEPENDENCE_LEAST * needed;
    return (struct dependence){known, longest, 0};
}

static int
compare_values(const void *left, const void *right)
{
    float a = *(const float *)left;
    float b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Returns the median of SIZE values, which are put in order. */
static double
find_median(float *values, int size)
{
    qsort(values, (size_t)size, sizeof(*values), compare_values);
    return ((double)values[(size - 1) / 2] + (double)values[size / 2]) / 2;
}

/* Returns the standard deviation of the level of log latencies, for ENTRIES in the order
 * of their starts. */
static double
find_drift(const struct sample_set *set, const struct series_entry *entries)
{
    int64_t count = set->count;
    double mean = 0;
    double squares = 0;
    for (int i = 0; i < count; i++)
        set->values[i] = (float)log(fmax((double)entries[i].latency, 1));

    for (int block = 0; block < DRIFT_BLOCKS; block++) {
        int first = (int)(count * block / DRIFT_BLOCKS);
        int end = (int)(count * (block + 1) / DRIFT_BLOCKS);
        double level = find_median(set->values + first, end - first);
        double distance = level - mean;
        mean += distance / (block + 1);
        squares += distance * (level - mean);
    }

    double variance = squares / (DRIFT_BLOCKS - 1);
    if (set->is_slow)
        variance *= 1 + DRIFT_SPAN / (double)count;
    return sqrt(variance);
}

/* Finds what is known if the level of the latencies drifts. Leaves DEPENDENCE as it is if
 * that is nothing. */
static void
allow_drift(struct dependence *dependence, struct sample_set *set,
            const struct series_entry *entries, const struct percentile *percentile)
{
    double drift = find_drift(set, entries);
    set->tolerance = exp(DRIFT_FACTOR * drift);
    if (set->tolerance > DRIFT_MOST)
        return;

    struct dependence drifting = find_dependence(set, percentile, 1);
    if (!drifting.is_known)
        return;
    *dependence = drifting;
    dependence->drift = drift;
}

int
dependence_find(struct dependence *dependence, const struct time_series *series,
                const struct percentile *percentile)
{
    struct series_entry *entries = series->entries;
    struct sample_set set = {.count = series->count, .tolerance = 1};
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
        double ranks_time = find_time_of_ranks(&set);
        *dependence = find_dependence(&set, percentile, ranks_time);
        if (!dependence->is_known)
            allow_drift(dependence, &set, entries, percentile);
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
    estimate->entries = series->count;
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

double
estimate_widening(const struct estimate *estimate)
{
    return exp(DRIFT_FACTOR * estimate->dependence.drift);
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
    double time = fmax(own->autocorrelation_time, other->autocorrelation_time);
    double wider = exp(DRIFT_RATIO_FACTOR * hypot(own->drift, other->drift));
    struct points values, references;
    if (!own->is_known || !other->is_known)
        return (struct interval){0};
    fill_points(&values, estimate, time);
    fill_points(&references, reference, time);
    double low = find_ratio(values.low, references.high, TAIL);
    double high = find_ratio(values.high, references.low, 1 - TAIL);
    return (struct interval){true, low / wider, high * wider};
}
