#include "stats/dependence.h"

#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

/*
 * Step 2: the autocorrelation time T.
 *
 * A latency depends on earlier latencies: a device stalls for many requests, or is busy
 * for a while. N dependent latencies tell as much as M = N / T independent ones (Bayley,
 * Hammersley: "The effective number of independent observations in an autocorrelated time
 * series", 1946). T is the integrated autocorrelation time, 1 plus twice the sum of all
 * autocorrelations. For a percentile, the series has a 1 for each latency that is at most
 * the percentile, and a 0 for each other latency (Heidelberger, Lewis: "Quantile
 * estimation in dependent sequences", 1984).
 *
 * Five rules make T reliable:
 *
 * - Where the sum ends. Autocovariances are added in pairs of lags: 0 and 1, 2 and 3, and
 *   so on. The sum ends before the first pair that is not above 0, because the pairs
 *   after it are noise (the initial positive sequence of Geyer, "Practical Markov chain
 *   Monte Carlo", 1992).
 *
 * - Bias. The mean is estimated from the same series. Therefore each autocovariance is
 *   too low by the variance of the mean, which is the whole sum divided by N (Anderson,
 *   "The statistical analysis of time series", 1971, 8.3). The sum has 2 L - 1
 *   autocovariances for L lags, because all lags but 0 have both signs. So the sum is
 *   divided by 1 - (2 L - 1) / N.
 *
 * - Noise. Each autocorrelation of independent values has the variance 1 / N (Bartlett,
 *   "On the theoretical specification and sampling properties of autocorrelated
 *   time-series", 1946). If T exceeds 1 by less than its standard error, T is 1.
 *
 * - Long sums. If the first 64 lags do not end the sum, each two successive values are
 *   replaced by their sum, and the computation starts again. T of the shorter series,
 *   counted in the original values, is the same (Flyvbjerg, Petersen: "Error estimates on
 *   averages of correlated data", 1989).
 *
 * - High percentiles. Only few latencies are beyond a high percentile, too few to show
 *   that slow requests follow each other. So T is also computed at levels further inside:
 *   at the percentiles with twice, four times, eight times as many latencies beyond. The
 *   longest T is used. Low percentiles are treated alike, from the other end.
 *
 * Equal latencies at the percentile can be counted as 1 or as 0. Both series are tried,
 * and the longer T is used.
 *
 * A short series of zeros and ones hides how slowly latencies change. So the ranks of the
 * latencies are looked at as well (Bartels, "The rank version of von Neumann's ratio test
 * for randomness", 1982). R is the correlation of the ranks of neighbours. If R is too
 * large for chance, the series must also be long enough for the T of an autoregressive
 * process of first order, which is (1 + R) / (1 - R).
 *
 * How large R may be by chance: R * sqrt(N) exceeds 1.65 in one of 20 series of
 * independent latencies. If latencies change slowly, R * sqrt(N) still stays below 1.65
 * in one of 12 series of 20 latencies, and in one of 4 series of 15. So the bound is
 * lower for the shortest series.
 */
#define LAGS 64          /* the most lags in a sum before values are added in pairs */
#define BEYOND 50        /* after a level with 50 latencies beyond, one level follows */
#define LEVELS_LEAST 3   /* levels in any case, except levels beyond the median */
#define RANKS_BOUND 1.65 /* R * sqrt(N) above this is not chance */
#define RANKS_BOUND_EACH 0.08 /* times N: the same bound for N below 21 */
#define RANKS_MOST (1 - 1e-6) /* the largest R, so that (1 + R) / (1 - R) is finite */

/*
 * Drift, for a series that is too short for its T.
 *
 * All latencies may have become longer or shorter together, because a clock or a machine
 * was slower for a while. Then T is long at every percentile, and N / T is below 15. Such
 * a series does not tell the percentile exactly, but it still tells, for example, that
 * the percentile is not 50 times as long. So the level of the latencies is assumed to
 * drift, and the bounds become wider by the factor F = exp(DRIFT_FACTOR * S). T is then
 * computed at two thresholds instead of the percentile: the percentile divided by F, and
 * the percentile multiplied by F. Drift alone moves few latencies across them.
 *
 * The level is the median of log latencies. S is its standard deviation over 8 successive
 * blocks, like the standard deviation of batch means (Schmeiser, "Batch size effects in
 * the analysis of simulation output", 1982).
 *
 * A series that changes slowly shows only a part of its drift, because the series ends
 * too early. A series is slow if R is at least 1 - 16 / N: the ranks of a random walk
 * have such an R in 19 of 20 cases. (For values instead of ranks the number is 14:
 * Dickey, Fuller, "Distribution of the estimators for autoregressive time series with a
 * unit root", 1979.) For a slow series, S^2 is multiplied by 1 + 3000 / N:
 *
 *   - The slowest process that is allowed for is autoregressive. Its correlation P is
 *     0.999, so it forgets its level in about 1000 requests.
 *   - With steps of variance V, the level of this process has the variance V / (1 - P^2).
 *   - But a series of N steps looks like a random walk, and the variance of its level
 *     around its own mean is only N * V / 6.
 *   - The quotient of both is 6 / ((1 - P^2) * N), which is 3000 / N.
 *
 * S is itself uncertain, more so than with 8 independent blocks. Therefore the factors
 * below are larger than Student's 2.4 for 7 degrees of freedom. They come from
 * simulations of autoregressive processes with P from 0 to 0.999 and N from 15 to 5000:
 * at most 5 % of the comparisons of two equal processes showed a difference. Slower
 * processes were not simulated.
 */
#define DRIFT_BLOCKS 8
#define DRIFT_SLOW 16.0        /* a series is slow if R >= 1 - DRIFT_SLOW / N */
#define DRIFT_SPAN 3000.0      /* requests */
#define DRIFT_FACTOR 3.8       /* bounds of a percentile become wider by this many S */
#define DRIFT_RATIO_FACTOR 3.2 /* the same for a ratio, whose S^2 is the sum of both */
#define DRIFT_MOST 100 /* the largest factor; nothing is known if bounds are wider */

/* A series of latencies while its T is computed. */
struct sample_set {
    int count;        /* N */
    uint16_t *bins;   /* bin of each latency, in the order of the starts */
    int *cumulative;  /* for each bin, how many latencies are in it or in lower bins */
    double tolerance; /* F: T is computed this factor below and above a percentile; 1
                         without drift */
    bool is_slow;     /* R says that the latencies change slowly */
    float *values;    /* scratch: one value for each latency */
};

static int
compare_starts(const void *left, const void *right)
{
    const struct series_entry *a = left;
    const struct series_entry *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Returns the autocovariance of VALUES, whose mean is 0, at LAG. Up to 1024 products are
 * added as floats, which is fast, and their sums as doubles, which is precise. */
static double
find_covariance(const float *values, int count, int lag)
{
    double sum = 0;
    count -= lag;

    for (int done = 0; done < count;) {
        int end = done + 1024 < count ? done + 1024 : count;
        float part = 0;
        for (; done < end; done++)
            part += values[done] * values[done + lag];
        sum += (double)part;
    }
    return sum / (count + lag);
}

/* Returns T of VALUES, whose mean is 0. Overwrites VALUES with sums of `size` successive
 * original values. */
static double
find_time(float *values, int count)
{
    double variance = find_covariance(values, count, 0);
    if (variance <= 0)
        return 1;

    for (int size = 1;; size *= 2) {
        /* Lags of both signs: each pair counts twice, but lag 0 only once. */
        double sum = -find_covariance(values, count, 0);
        int lag = 0;

        for (; lag < LAGS && lag + 1 < count / 2; lag += 2) {
            double pair = find_covariance(values, count, lag) +
                          find_covariance(values, count, lag + 1);
            if (pair <= 0)
                break;
            sum += 2 * pair;
        }

        double time = sum / (size * variance);
        double noise = 2 * sqrt((double)lag / count);
        if (lag < LAGS)
            return time < 1 + noise ? 1 : time / fmax(1 - (2.0 * lag - 1) / count, 0.1);

        count /= 2;
        for (int i = 0; i < count; i++)
            values[i] = values[2 * i] + values[2 * i + 1];
    }
}

/* Returns T of the series that has a 1 for each latency in BIN or below, else a 0. */
static double
find_time_upto(const struct sample_set *set, int bin)
{
    float mean = (float)set->cumulative[bin] / (float)set->count;

    for (int i = 0; i < set->count; i++)
        set->values[i] = (set->bins[i] <= bin ? 1 : 0) - mean;
    return find_time(set->values, set->count);
}

/* Returns the T that follows from R, or 1 if R may be chance. Sets is_slow. Equal
 * latencies have the mean of their ranks. */
static double
find_time_of_ranks(struct sample_set *set)
{
    int count = set->count;

    for (int i = 0; i < count; i++) {
        int bin = set->bins[i];
        int below = bin > 0 ? set->cumulative[bin - 1] : 0;
        set->values[i] = (float)(below + set->cumulative[bin] - count) / 2;
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

/* Returns the longer T of two series. They have a 1 for each latency up to a threshold:
 * the latency of RANK divided by `tolerance`, or multiplied by `tolerance`. If
 * `tolerance` is 1, latencies equal to the latency of RANK are 0 in the first series and
 * 1 in the second. */
static double
find_time_at(const struct sample_set *set, int rank)
{
    int bin = 0;
    while (set->cumulative[bin] < rank)
        bin++;

    double low = (double)histogram_below(bin) / set->tolerance;
    double high = (double)histogram_upto(bin) * set->tolerance;
    return fmax(find_time_upto(set, histogram_bin((int64_t)low)),
                find_time_upto(set, histogram_bin((int64_t)high)));
}

/* Returns the longest T at PERCENTILE and at the levels further inside. The percentile is
 * known if the series has at least 15 times this T, the T at the median, and RANKS_TIME,
 * the T that follows from R. */
static struct dependence
find_dependence(const struct sample_set *set, const struct percentile *percentile,
                double ranks_time)
{
    int rank = (int)percentile_rank(percentile, (uint64_t)set->count);
    int before = 0;
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

/* Sorts SIZE values and returns their median. */
static double
find_median(float *values, int size)
{
    qsort(values, (size_t)size, sizeof(*values), compare_values);
    return ((double)values[(size - 1) / 2] + (double)values[size / 2]) / 2;
}

/* Returns S, the standard deviation of the level of log latencies. ENTRIES are sorted by
 * their starts. */
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

/* Replaces DEPENDENCE by the dependence of a series whose level drifts. Leaves DEPENDENCE
 * as it is if the percentile is not known then either. */
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
    int ordered = 1;
    int status = -1;
    *dependence = (struct dependence){false, 1, 0};
    if (set.count < DEPENDENCE_LEAST)
        return 0;

    while (ordered < set.count && entries[ordered].start >= entries[ordered - 1].start)
        ordered++;
    if (ordered < set.count)
        qsort(entries, count, sizeof(*entries), compare_starts);

    set.bins = malloc(count * sizeof(*set.bins));
    set.cumulative = calloc(HISTOGRAM_BINS, sizeof(*set.cumulative));
    set.values = malloc(count * sizeof(*set.values));
    if (set.bins && set.cumulative && set.values) {
        for (int i = 0; i < set.count; i++) {
            set.bins[i] = (uint16_t)histogram_bin(entries[i].latency);
            set.cumulative[set.bins[i]]++;
        }
        for (int bin = 1; bin < HISTOGRAM_BINS; bin++)
            set.cumulative[bin] += set.cumulative[bin - 1];

        double ranks_time = find_time_of_ranks(&set);
        *dependence = find_dependence(&set, percentile, ranks_time);
        if (!dependence->is_known)
            allow_drift(dependence, &set, entries, percentile);
        status = 0;
    }

    free(set.bins);
    free(set.cumulative);
    free(set.values);
    return status;
}

double
dependence_widening(const struct dependence *dependence)
{
    return exp(DRIFT_FACTOR * dependence->drift);
}

double
dependence_ratio_widening(const struct dependence *dependence,
                          const struct dependence *reference)
{
    return exp(DRIFT_RATIO_FACTOR * hypot(dependence->drift, reference->drift));
}
