/*
 * The moving-block bootstrap (Kuensch: "The jackknife and the bootstrap for general
 * stationary observations", Annals of Statistics 17, 1989) of a percentile. A replicate
 * is put together from blocks of successive latencies, each from anywhere in the series,
 * so that what follows each other stays together.
 *
 * The length of blocks comes from the series of ones and zeros that says which latencies
 * are up to the percentile, as its mean is what decides. The rule of Politis and White
 * ("Automatic block-length selection for the dependent bootstrap", Econometric Reviews
 * 23, 2004, corrected with Patton in 28, 2009) has the least error of the variance;
 * intervals that hold what they say want longer blocks (Sun, Phillips, Jin: "Optimal
 * bandwidth selection in heteroskedasticity-autocorrelation robust testing", Econometrica
 * 76, 2008): twice that, and at least 1.3 times the square root of the number of
 * latencies (Lazarus, Lewis, Stock, Watson: "HAR inference: recommendations for
 * practice", Journal of Business and Economic Statistics 36, 2018).
 *
 * Blocks are few, and beyond a high percentile are few latencies, in clusters perhaps, so
 * that a replicate varies too little. Its distance from the series, in ranks, is
 * stretched by three factors: that of Kiefer and Vogelsang for the length of blocks ("A
 * new asymptotic theory for heteroskedasticity-autocorrelation robust tests", Econometric
 * Theory 21, 2005, the critical values of Bartlett's kernel); what a process of first
 * order with the same correlation would vary more; and that of Student's distribution
 * with half as many degrees of freedom as the latencies beyond the percentile would be
 * worth if they were independent. tests/unit/stats/test_bootstrap.c has the rates of
 * error that come of it.
 */
#include "stats/bootstrap.h"

#include "base/random.h"
#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define Z 1.959964 /* the normal quantile of 97.5 % */
#define LAGS_MOST 2048

/* A series while it is resampled. */
struct sample_set {
    int count;
    uint16_t *cells; /* of each latency in order: its step, as a number among CELL_COUNT
                        that are in use */
    int cell_count;
    uint16_t *steps;  /* of a cell */
    uint64_t *upto;   /* latencies in it and those below */
    uint32_t *drawn;  /* latencies of a replicate in it */
    float *indicator; /* of each latency: 1 up to the percentile, 0 beyond, less their
                         mean */
    uint64_t rank;    /* of the percentile */
    int cell;         /* which has it */
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

static void
free_set(struct sample_set *set)
{
    free(set->cells);
    free(set->steps);
    free(set->upto);
    free(set->drawn);
    free(set->indicator);
}

/* Numbers the steps that are in use, and finds the percentile. Returns 0, or -1 without
 * memory. */
static int
fill_set(struct sample_set *set, const struct time_series *series,
         const struct percentile *percentile)
{
    size_t count = (size_t)series->used, cells = HISTOGRAM_STEPS;
    set->count = series->used;
    set->cells = malloc(count * sizeof(*set->cells));
    set->indicator = malloc(count * sizeof(*set->indicator));
    set->steps = malloc(cells * sizeof(*set->steps));
    set->upto = calloc(cells, sizeof(*set->upto));
    set->drawn = calloc(cells, sizeof(*set->drawn));
    if (!set->cells || !set->indicator || !set->steps || !set->upto || !set->drawn)
        return -1;
    for (int i = 0; i < set->count; i++)
        set->drawn[histogram_step(series->entries[i].latency)]++;
    uint64_t below = 0;
    set->rank = percentile_rank(percentile, count);
    for (int step = 0; step < HISTOGRAM_STEPS; step++) {
        if (!set->drawn[step])
            continue;
        if (below < set->rank)
            set->cell = set->cell_count;
        below += set->drawn[step];
        set->upto[set->cell_count] = below;
        set->drawn[step] = (uint32_t)set->cell_count;
        set->steps[set->cell_count++] = (uint16_t)step;
    }
    float mean = (float)((double)set->upto[set->cell] / (double)count);
    for (int i = 0; i < set->count; i++) {
        int step = histogram_step(series->entries[i].latency);
        set->cells[i] = (uint16_t)set->drawn[step];
        set->indicator[i] = (set->cells[i] <= set->cell ? 1 : 0) - mean;
    }
    return 0;
}

/* Returns the autocovariance of the indicator. */
static double
find_covariance(const struct sample_set *set, int lag)
{
    const float *one = set->indicator, *other = one + lag;
    int count = set->count - lag;
    double sum = 0;
    for (int done = 0; done < count;) { /* floats for a while: they are quick */
        int end = done + 1024 < count ? done + 1024 : count;
        float part = 0;
        for (; done < end; done++)
            part += one[done] * other[done];
        sum += (double)part;
    }
    return sum / set->count;
}

/* Returns the lag from which on the indicator depends on itself no more: it is followed
 * by RUN lags of little correlation (Politis and White, 2004, 3.2). */
static int
find_last_lag(const struct sample_set *set, double variance, int most)
{
    double count = set->count;
    double little = 2 * sqrt(log10(count) / count) * variance;
    int run = (int)fmax(5, ceil(sqrt(log10(count)))), quiet = 0, lag = 1;
    for (; lag <= most && quiet < run; lag++)
        quiet = fabs(find_covariance(set, lag)) < little ? quiet + 1 : 0;
    lag = quiet < run ? most : lag - 1 - run;
    return lag > 1 ? lag : 1;
}

/* Returns the length of blocks by the rule of Politis and White, at least 1. */
static double
find_automatic_length(const struct sample_set *set)
{
    double count = set->count, variance = find_covariance(set, 0);
    int most = set->count / 3 < LAGS_MOST ? set->count / 3 : LAGS_MOST;
    double sum = variance, weighted = 0;
    if (variance <= 0)
        return 1;
    int lags = 2 * find_last_lag(set, variance, (int)fmin(most, sqrt(count) + 5));
    lags = lags < most ? lags : most;
    for (int lag = 1; lag <= lags; lag++) {
        double window = 2 * lag <= lags ? 1 : 2 * (1 - (double)lag / lags);
        double term = 2 * window * find_covariance(set, lag);
        sum += term;
        weighted += lag * term;
    }
    double length = cbrt(1.5 * weighted * weighted / (sum * sum)) * cbrt(count);
    return sum > 0 ? fmax(1, fmin(length, fmin(3 * sqrt(count), count / 3))) : 1;
}

static int
find_length(const struct sample_set *set)
{
    double length = fmax(2 * find_automatic_length(set), 1.3 * sqrt(set->count));
    return (int)ceil(fmin(length, set->count / 3.0));
}

/* Returns the variance of the indicator's mean in replicates, times the count: Kuensch's
 * formula, over all blocks. */
static double
find_variance(const struct sample_set *set, int length)
{
    double sum = 0, mean = 0, squares = 0;
    int blocks = set->count - length + 1;
    for (int i = 0; i < set->count; i++) {
        sum += (double)set->indicator[i];
        if (i >= length)
            sum -= (double)set->indicator[i - length];
        if (i < length - 1)
            continue;
        mean += sum / blocks;
        squares += sum * sum / blocks;
    }
    return (squares - mean * mean) / length;
}

/* Returns Student's quantile of 97.5 % by the expansion of Abramowitz and Stegun,
 * "Handbook of mathematical functions", 26.7.5. */
static double
find_student(double freedom)
{
    const double z = Z, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
    double f = fmax(freedom, 1);
    return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

/* Returns the variance of the same if the indicator is an autoregressive process of first
 * order, which shows in short series already (Andrews, Monahan: "An improved
 * heteroskedasticity and autocorrelation consistent covariance matrix estimator",
 * Econometrica 60, 1992). The correlation is corrected for its bias (Marriott, Pope:
 * "Bias in the estimation of autocorrelations", Biometrika 41, 1954). */
static double
find_first_order(const struct sample_set *set)
{
    double variance = find_covariance(set, 0);
    double rho = variance > 0 ? find_covariance(set, 1) / variance : 0;
    rho = fmin(rho + (1 + 4 * rho) / set->count, 0.99);
    return rho > 0 ? variance * (1 + rho) / (1 - rho) : 0;
}

/* Returns the factor for distances from the series. */
static double
find_stretch(const struct sample_set *set, int length)
{
    double count = set->count, share = (double)set->upto[set->cell] / count;
    double part = length / count, variance = find_variance(set, length);
    double fixed = 1.96 + 2.9694 * part + 0.4160 * part * part - 0.5324 * pow(part, 3);
    double most = fmax(variance, find_first_order(set));
    double worth = most > 0 ? fmin(1, share * (1 - share) / most) : 1;
    double fewer = fmin((double)set->rank, count - (double)set->rank);
    double longer = variance > 0 ? sqrt(most / variance) : 1;
    return fixed / 1.96 * longer * find_student(worth * fewer / 2) / Z;
}

/* Draws a replicate in blocks of LENGTH. */
static void
draw(struct sample_set *set, int length, struct random *random)
{
    uint64_t starts = (uint64_t)(set->count - length + 1);
    memset(set->drawn, 0, (size_t)set->cell_count * sizeof(*set->drawn));
    for (int left = set->count; left > 0; left -= length) {
        const uint16_t *cell = set->cells + random_below(random, starts);
        int size = left < length ? left : length;
        for (int i = 0; i < size; i++)
            set->drawn[cell[i]]++;
    }
}

/* Returns the step of the percentile in the replicate, whose distances are stretched. */
static int
find_step(const struct sample_set *set, double stretch)
{
    uint64_t drawn = 0;
    for (int i = 0; i < set->cell_count; i++) {
        drawn += set->drawn[i];
        double upto = (double)set->upto[i];
        if (upto + stretch * ((double)drawn - upto) >= (double)set->rank)
            return set->steps[i];
    }
    return set->steps[set->cell_count - 1];
}

int
bootstrap_resample(struct bootstrap *bootstrap, const struct time_series *series,
                   const struct percentile *percentile, uint64_t seed)
{
    struct sample_set set = {0};
    struct random random;
    uint64_t count = (uint64_t)series->used;
    bootstrap->known = count >= BOOTSTRAP_LEAST && count > percentile_needs(percentile);
    if (!bootstrap->known)
        return 0;
    sort_entries(series);
    int status = fill_set(&set, series, percentile);
    if (status == 0) {
        int length = find_length(&set);
        double stretch = find_stretch(&set, length);
        random_seed(&random, seed);
        bootstrap->step = set.steps[set.cell];
        for (int i = 0; i < BOOTSTRAP_REPLICATES; i++) {
            draw(&set, length, &random);
            bootstrap->steps[i] = (uint16_t)find_step(&set, stretch);
        }
    }
    free_set(&set);
    return status;
}

static int
compare_doubles(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The bounds of a step, above 0: no latency is 0 by any clock that has passed. */
static double
lowest(int step)
{
    return (double)histogram_below(step) + 1;
}

static double
highest(int step)
{
    return (double)histogram_upto(step);
}

/* Sorts the bounds of all replicates, and returns the interval that 2.5 % of them are
 * below and above. */
static struct interval
cut(double *low, double *high)
{
    const int tail = (BOOTSTRAP_REPLICATES + 1) / 40;
    qsort(low, BOOTSTRAP_REPLICATES, sizeof(*low), compare_doubles);
    qsort(high, BOOTSTRAP_REPLICATES, sizeof(*high), compare_doubles);
    return (struct interval){true, low[tail - 1], high[BOOTSTRAP_REPLICATES - tail]};
}

/* Widens an interval to hold VALUE, which is that of all requests where the series has
 * only some. Moving it would be wrong where latencies leave a gap: there the two values
 * may be far from each other. */
static struct interval
hold(struct interval interval, double value)
{
    interval.low = fmin(interval.low, value);
    interval.high = fmax(interval.high, value);
    return interval;
}

struct interval
bootstrap_interval(const struct bootstrap *bootstrap, int64_t value)
{
    double low[BOOTSTRAP_REPLICATES], high[BOOTSTRAP_REPLICATES];
    if (!bootstrap->known)
        return (struct interval){0};
    for (int i = 0; i < BOOTSTRAP_REPLICATES; i++) {
        low[i] = lowest(bootstrap->steps[i]);
        high[i] = highest(bootstrap->steps[i]);
    }
    return hold(cut(low, high), (double)value);
}

struct interval
bootstrap_ratio(const struct bootstrap *bootstrap, int64_t value,
                const struct bootstrap *reference, int64_t first)
{
    double low[BOOTSTRAP_REPLICATES], high[BOOTSTRAP_REPLICATES];
    if (!bootstrap->known || !reference->known || first <= 0)
        return (struct interval){0};
    for (int i = 0; i < BOOTSTRAP_REPLICATES; i++) {
        low[i] = lowest(bootstrap->steps[i]) / highest(reference->steps[i]);
        high[i] = highest(bootstrap->steps[i]) / lowest(reference->steps[i]);
    }
    return hold(cut(low, high), (double)value / (double)first);
}
