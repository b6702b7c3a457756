/*
 * A latency depends on those before it: a device stalls for many requests, or is busy for
 * a while. N of them tell as much as N / T independent ones (Bayley, Hammersley: "The
 * effective number of independent observations in an autocorrelated time series",
 * Supplement to the Journal of the Royal Statistical Society 8, 1946), where T is the
 * integrated autocorrelation time, 1 + 2 times the sum of all autocorrelations: of a
 * percentile those of the series of ones and zeros that says which latencies are up to it
 * (Heidelberger, Lewis: "Quantile estimation in dependent sequences", Operations Research
 * 32, 1984).
 *
 * The sum ends before the first pair of autocovariances that is not above 0, Geyer's
 * initial positive sequence ("Practical Markov chain Monte Carlo", Statistical Science 7,
 * 1992). Each of them is too low by the variance of the mean, the sum divided by the
 * count (Anderson, "The statistical analysis of time series", 1971, 8.3), so the sum is
 * divided by the share of the series that its lags leave. One no further from 1 than its
 * standard error, each autocorrelation of independent values having a variance of 1 / N
 * (Bartlett, "On the theoretical specification and sampling properties of autocorrelated
 * time-series", Supplement to the Journal of the Royal Statistical Society 8, 1946), is
 * taken for 1. Where the sum is long, pairs of values become one, which leaves it as it
 * is (Flyvbjerg, Petersen: "Error estimates on averages of correlated data", Journal of
 * Chemical Physics 91, 1989).
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
#include "stats/dependence.h"

#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

#define LAGS 64   /* that are added up before pairs become one */
#define BEYOND 50 /* latencies beyond a percentile that tell of what follows */
#define TOLERANCE 0.15
#define LEVELS_LEAST \
    3 /* percentiles that are looked at, if not the median is among them */

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

static void
sort_entries(const struct time_series *series)
{
    struct series_entry *entries = series->entries;
    for (int i = 1; i < series->used; i++) {
        if (entries[i].start >= entries[i - 1].start)
            continue;
        qsort(entries, (size_t)series->used, sizeof(*entries), compare_starts);
        return;
    }
}

/* Returns 0, or -1 without memory. */
static int
fill_set(struct sample_set *set, const struct time_series *series)
{
    size_t count = (size_t)series->used;
    set->count = series->used;
    set->bins = malloc(count * sizeof(*set->bins));
    set->upto = calloc(HISTOGRAM_BINS, sizeof(*set->upto));
    set->values = malloc(count * sizeof(*set->values));
    if (!set->bins || !set->upto || !set->values)
        return -1;
    for (int i = 0; i < set->count; i++) {
        set->bins[i] = (uint16_t)histogram_bin(series->entries[i].latency);
        set->upto[set->bins[i]]++;
    }
    for (int bin = 1; bin < HISTOGRAM_BINS; bin++)
        set->upto[bin] += set->upto[bin - 1];
    return 0;
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

/* Returns the autocovariances of all lags up to LAG, those of both signs, as far as they
 * are above 0, and how far that is. */
static double
add_covariances(const float *values, int count, int *lag)
{
    double sum = -find_covariance(values, count, 0);
    for (*lag = 0; *lag < LAGS && *lag + 1 < count / 2; *lag += 2) {
        double pair = find_covariance(values, count, *lag) +
                      find_covariance(values, count, *lag + 1);
        if (pair <= 0)
            break;
        sum += 2 * pair;
    }
    return sum;
}

/* Returns the autocorrelation time of VALUES, which are used up. */
static double
find_time(float *values, int count)
{
    double variance = find_covariance(values, count, 0), sum;
    int lag, size = 1;
    if (variance <= 0)
        return 1;
    while (sum = add_covariances(values, count, &lag), lag == LAGS) {
        count /= 2;
        size *= 2;
        for (int i = 0; i < count; i++)
            values[i] = values[2 * i] + values[2 * i + 1];
    }
    double time = sum / (size * variance), noise = 2 * sqrt((double)lag / count);
    return time < 1 + noise ? 1 : time / fmax(1 - (2.0 * lag - 1) / count, 0.1);
}

/* Returns the autocorrelation time of being up to STEP. */
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

/* Returns the longest time of RANK and of those further from its end of the series. */
static double
find_longest(const struct sample_set *set, int rank)
{
    bool high = 2 * rank > set->count;
    int beyond = high ? set->count - rank + 1 : rank, before = 0;
    double longest = find_time_at(set, rank);
    for (int level = 1; level < LEVELS_LEAST || before < BEYOND; level++) {
        before = beyond;
        beyond *= 2;
        if (beyond > set->count / 2)
            break;
        longest =
            fmax(longest, find_time_at(set, high ? set->count - beyond + 1 : beyond));
    }
    return longest;
}

static struct dependence
find_dependence(const struct sample_set *set, const struct percentile *percentile)
{
    int rank = (int)percentile_rank(percentile, (uint64_t)set->count);
    double median = find_time_at(set, (set->count + 1) / 2);
    double time = find_longest(set, rank);
    bool known = set->count >= DEPENDENCE_LEAST * fmax(median, time);
    return (struct dependence){known, time, set->tolerance};
}

int
dependence_find(struct dependence *dependence, const struct time_series *series,
                const struct percentile *percentile)
{
    struct sample_set set = {0};
    *dependence = (struct dependence){false, 1, 0};
    if (series->used < DEPENDENCE_LEAST)
        return 0;
    sort_entries(series);
    int status = fill_set(&set, series);
    if (status == 0)
        *dependence = find_dependence(&set, percentile);
    if (status == 0 && !dependence->known) {
        set.tolerance = TOLERANCE;
        struct dependence roughly = find_dependence(&set, percentile);
        if (roughly.known)
            *dependence = roughly;
    }
    free(set.bins);
    free(set.upto);
    free(set.values);
    return status;
}
