/*
 * The autocorrelation time: how much latencies depend on earlier latencies.
 *
 *     T = 1 + 2 * (r(1) + r(2) + r(3) + ...)
 *
 *   N      the number of latencies, in the order of their starts
 *   T      the integrated autocorrelation time, at least 1
 *   M      N / T: N dependent latencies tell as much as M independent latencies
 *   r(k)   the autocorrelation at lag k: the correlation of a value with the value k
 *          requests later
 *   L      the number of lags in the sum, lag 0 included
 *   R      the correlation of the ranks of successive latencies
 *   S      the drift: the standard deviation of the level of log latencies
 *   F      the factor by which a drift makes intervals wider
 *
 * Sources: Bayley, Hammersley: "The effective number of independent observations in an
 * autocorrelated time series", 1946. For a percentile, the values of the series are 1 for
 * each latency that is at most the percentile, and 0 for each other latency
 * (Heidelberger, Lewis: "Quantile estimation in dependent sequences", 1984).
 *
 * Assumptions: The requests behave alike during the whole run (the process is
 * stationary). The run is much longer than T: M is at least 15. Otherwise T is not known,
 * unless all latencies drift together, as described at "Drift" below.
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
 *   autocovariances, because each lag k above 0 counts twice, as +k and as -k. So the sum
 *   is divided by 1 - (2 L - 1) / N.
 *
 * - Noise. Each autocorrelation of independent values has the variance 1 / N (Bartlett,
 *   "On the theoretical specification and sampling properties of autocorrelated
 *   time-series", 1946). So the standard error of T is 2 * sqrt(L / N). If T exceeds 1 by
 *   less than its standard error, T is 1.
 *
 * - Long sums. If the first 64 lags do not end the sum, every two successive values are
 *   replaced by their sum, and the computation starts again. T of the shorter series,
 *   counted in the original values, is the same (Flyvbjerg, Petersen: "Error estimates on
 *   averages of correlated data", 1989).
 *
 * - High percentiles. Only few latencies are above a high percentile, too few to show
 *   that slow requests follow each other. So T is also computed at lower percentiles,
 *   above which there are twice, four times, eight times as many latencies. The longest T
 *   is used. Low percentiles are treated in the same way, from the other end.
 *
 * Latencies that are equal to the percentile can be counted as 1 or as 0. Both series are
 * tried, and the longer T is used.
 *
 * A short series of zeros and ones hides how slowly latencies change. So the ranks of the
 * latencies are used as well (Bartels, "The rank version of von Neumann's ratio test for
 * randomness", 1982). If R is too large for chance, N must also be at least 15 times
 * (1 + R) / (1 - R), which is the T of an autoregressive process of first order.
 *
 * R is too large for chance if R * sqrt(N) is above a limit. The limit is 1.65, which
 * independent latencies exceed in one of 20 series. But in short series, the limit 1.65
 * would often overlook that latencies change slowly: in one of 12 series of 20 latencies,
 * and in one of 4 series of 15. So the limit is lower for series of less than 21
 * latencies (RANKS_LIMIT_EACH).
 */
#include "stats/dependence.h"

#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

/* The largest number of lags in a sum. If a sum needs more lags, every two successive
 * values are replaced by their sum. */
#define MAX_LAGS 64

/* A lower limit of the divisor that corrects the bias, 1 - (2 L - 1) / N. Without this
 * limit, the divisor would be near 0 if the number of lags L is near half of the number
 * of values N. */
#define MIN_DIVISOR 0.1

/*
 * The autocorrelation time for a percentile is computed at several ranks: first at the
 * rank of the percentile, then at ranks nearer and nearer to the median. The last of
 * these ranks is the one after the first reliable rank. A rank is reliable if at least
 * MIN_BEYOND latencies lie beyond it. At least MIN_LEVELS ranks are used, unless the
 * median comes first.
 */
#define MIN_LEVELS 3
#define MIN_BEYOND 50

/* The correlation R of the ranks of successive latencies is not chance if R * sqrt(N) is
 * above this limit, for N latencies. For N below 21, the limit is lower: N times
 * RANKS_LIMIT_EACH. */
#define RANKS_LIMIT 1.65
#define RANKS_LIMIT_EACH 0.08

/* The correlation R of the ranks of successive latencies is limited to this value, so
 * that (1 + R) / (1 - R) is finite. */
#define MAX_CORRELATION (1 - 1e-6)

/*
 * Drift is assumed for a series that is too short for its autocorrelation time.
 *
 *   N   the number of latencies
 *   T   the autocorrelation time
 *   R   the correlation of the ranks of successive latencies
 *   S   the drift: the standard deviation of the level of log latencies
 *   F   the factor by which the drift makes the interval wider
 *
 * All latencies may have become longer or shorter together, because a clock or a machine
 * was slower for a while. Then T is long at every percentile, and N / T is below 15. Such
 * a series does not tell the percentile exactly. But it still tells, for example, that
 * the percentile is not 50 times as long. So the level of the latencies is assumed to
 * drift, and the interval becomes wider by the factor
 *
 *     F = exp(DRIFT_FACTOR * S)
 *
 * T is then computed at two thresholds instead of the percentile: the percentile divided
 * by F, and the percentile multiplied by F. Drift alone moves few latencies across these
 * thresholds.
 *
 * The latencies are divided into 8 successive blocks. The level of a block is the median
 * of its log latencies. S is the standard deviation of the 8 levels, like the standard
 * deviation of batch means (Schmeiser, "Batch size effects in the analysis of simulation
 * output", 1982).
 *
 * A series that changes slowly shows only a part of its drift, because the series ends
 * too early. A series is slow if R, the correlation of the ranks of successive latencies,
 * is at least 1 - 16 / N. A random walk has such an R in 19 of 20 cases. (For values
 * instead of ranks the number is 14: Dickey, Fuller, "Distribution of the estimators for
 * autoregressive time series with a unit root", 1979.) For a slow series, S^2 is
 * multiplied by 1 + 3000 / N, for these reasons:
 *
 *   - The slowest process for which this factor is large enough is autoregressive, of
 *     first order. Its correlation P from one request to the next is 0.999, so it forgets
 *     its level in about 1000 requests.
 *   - With steps of variance V, the level of this process has the variance V / (1 - P^2).
 *   - But a series of N steps looks like a random walk, and the variance of its level
 *     around its own mean is only N * V / 6.
 *   - The quotient of both variances is 6 / ((1 - P^2) * N), which is 3000 / N.
 *
 * S is itself uncertain, more so than with 8 independent blocks. Therefore the factors
 * below are larger than Student's 2.4 for 7 degrees of freedom. They come from
 * simulations of autoregressive processes with P from 0 to 0.999 and N from 15 to 5000:
 * at most 5 % of the comparisons of two equal processes showed a difference. Slower
 * processes were not simulated.
 */
#define DRIFT_BLOCKS 8

/* A series of N latencies is slow if the correlation of the ranks of successive latencies
 * is at least 1 - DRIFT_SLOW / N. */
#define DRIFT_SLOW 16.0

/* For a slow series of N latencies, the square of the drift is multiplied by 1 +
 * DRIFT_SPAN / N. DRIFT_SPAN is a number of requests. */
#define DRIFT_SPAN 3000.0

/* A drift S makes the interval of a percentile wider by the factor exp(DRIFT_FACTOR * S).
 * For the ratio of two percentiles, this factor is exp(DRIFT_RATIO_FACTOR * S), where S^2
 * is the sum of the squares of both drifts. */
#define DRIFT_FACTOR 3.8
#define DRIFT_RATIO_FACTOR 3.2

/* The largest factor by which a drift may make an interval wider. If the factor would be
 * larger, no drift is assumed, and the dependence stays unknown. */
#define MAX_WIDENING 100

/* A series of latencies while its autocorrelation time is computed. */
struct latency_set {
    int count;        /* number of latencies */
    uint16_t *bins;   /* histogram bin of each latency, in the order of the starts */
    int *upto_counts; /* for each bin, how many latencies are in it or in lower bins */
    float *values; /* room for the series of `count` values whose autocorrelation time is
                      computed */
    double widening; /* factor by which an assumed drift makes intervals wider; 1 without
                        drift */
    bool is_slow;    /* the latencies change slowly: the correlation of the ranks of
                        successive latencies is near 1 */
};

static int
compare_starts(const void *left, const void *right)
{
    const struct series_entry *a = left;
    const struct series_entry *b = right;
    return (a->start > b->start) - (a->start < b->start);
}

/* Groups of 1024 products are added as floats, which is fast. The sums of the groups are
 * added as doubles, which is precise. */
double
dependence_covariance(const float *values, int count, int lag)
{
    int pairs = count - lag;
    double sum = 0;

    for (int first = 0; first < pairs; first += 1024) {
        int end = first + 1024 < pairs ? first + 1024 : pairs;
        float group_sum = 0;
        for (int i = first; i < end; i++)
            group_sum += values[i] * values[i + lag];
        sum += (double)group_sum;
    }
    return sum / count;
}

double
dependence_autocorrelation_time(float *values, int count)
{
    double variance = dependence_covariance(values, count, 0);
    if (variance <= 0)
        return 1;

    /* In each round, a value is the sum of `size` successive original values. */
    for (int size = 1;; size *= 2) {
        /* Each autocovariance counts twice: for a lag and for the negative lag. Only
         * lag 0 counts once. */
        double sum = -dependence_covariance(values, count, 0);
        int lags = 0;

        for (; lags < MAX_LAGS && lags + 1 < count / 2; lags += 2) {
            double pair = dependence_covariance(values, count, lags) +
                          dependence_covariance(values, count, lags + 1);
            if (pair <= 0)
                break;
            sum += 2 * pair;
        }

        if (lags < MAX_LAGS) {
            double time = sum / (size * variance);
            double standard_error = 2 * sqrt((double)lags / count);
            double divisor = fmax(1 - (2.0 * lags - 1) / count, MIN_DIVISOR);
            return time < 1 + standard_error ? 1 : time / divisor;
        }

        count /= 2;
        for (int i = 0; i < count; i++)
            values[i] = values[2 * i] + values[2 * i + 1];
    }
}

/* Returns the autocorrelation time of the series that has a 1 for each latency in BIN or
 * in a lower bin, and a 0 for each other latency. */
static double
find_time_at_bin(const struct latency_set *set, int bin)
{
    float mean = (float)set->upto_counts[bin] / (float)set->count;

    for (int i = 0; i < set->count; i++) {
        float value = set->bins[i] <= bin ? 1 : 0;
        set->values[i] = value - mean;
    }
    return dependence_autocorrelation_time(set->values, set->count);
}

/* Returns the autocorrelation time that follows from the correlation of the ranks of
 * successive latencies, or 1 if this correlation may be chance. Sets `is_slow`. Equal
 * latencies all get the mean of their ranks. */
static double
find_time_of_ranks(struct latency_set *set)
{
    int count = set->count;

    for (int i = 0; i < count; i++) {
        int bin = set->bins[i];
        int below = bin > 0 ? set->upto_counts[bin - 1] : 0;
        set->values[i] = (float)(below + set->upto_counts[bin] - count) / 2;
    }

    double variance = dependence_covariance(set->values, count, 0);
    if (variance <= 0)
        return 1;
    double correlation = dependence_covariance(set->values, count, 1) / variance;
    correlation = fmin(correlation, MAX_CORRELATION);
    if (correlation * sqrt(count) < fmin(RANKS_LIMIT_EACH * count, RANKS_LIMIT))
        return 1;

    set->is_slow = correlation >= 1 - DRIFT_SLOW / count;
    return (1 + correlation) / (1 - correlation);
}

/*
 * Computes the autocorrelation time of two series, and returns the longer one. A series
 * has a 1 for each latency up to a threshold, and a 0 for each other latency. The first
 * threshold is the lower bound of the bin of RANK, divided by `widening`. The second
 * threshold is the upper bound of this bin, multiplied by `widening`. So if `widening` is
 * 1, the latencies in the bin of RANK are 0 in the first series and 1 in the second
 * series.
 */
static double
find_time_at_rank(const struct latency_set *set, int rank)
{
    int bin = 0;
    while (set->upto_counts[bin] < rank)
        bin++;

    double low = (double)histogram_below(bin) / set->widening;
    double high = (double)histogram_upto(bin) * set->widening;
    return fmax(find_time_at_bin(set, histogram_bin((int64_t)low)),
                find_time_at_bin(set, histogram_bin((int64_t)high)));
}

/*
 * Computes the autocorrelation time at RANK and at further ranks, each of which is nearer
 * to the median. Returns the longest one. `beyond_count` is the number of latencies from
 * a rank to the nearer end of the sorted latencies, the rank included. This number
 * doubles from each rank to the next. For p99 of 1000 latencies, it is 11, 22, 44 and so
 * on.
 */
static double
find_longest_time(const struct latency_set *set, int rank)
{
    bool is_high = 2 * rank > set->count;
    int beyond_count = is_high ? set->count - rank + 1 : rank;
    int previous_count = 0;
    double longest = find_time_at_rank(set, rank);

    for (int level = 1; level < MIN_LEVELS || previous_count < MIN_BEYOND; level++) {
        previous_count = beyond_count;
        beyond_count *= 2;
        if (beyond_count > set->count / 2)
            break;
        int inner_rank = is_high ? set->count - beyond_count + 1 : beyond_count;
        longest = fmax(longest, find_time_at_rank(set, inner_rank));
    }
    return longest;
}

/* Returns the dependence for PERCENTILE, with a drift of 0. RANKS_TIME is the
 * autocorrelation time that follows from the ranks of the latencies. The dependence is
 * known if the number of latencies is at least 15 times the longest of three
 * autocorrelation times: those for the percentile and for the median, and RANKS_TIME. */
static struct dependence
find_dependence(const struct latency_set *set, const struct percentile *percentile,
                double ranks_time)
{
    int rank = (int)percentile_rank(percentile, (uint64_t)set->count);
    double longest = find_longest_time(set, rank);
    double median = find_time_at_rank(set, (set->count + 1) / 2);

    double needed = fmax(fmax(median, longest), ranks_time);
    bool is_known = set->count >= DEPENDENCE_MIN * needed;
    return (struct dependence){is_known, longest, 0, 0};
}

static int
compare_values(const void *left, const void *right)
{
    float a = *(const float *)left;
    float b = *(const float *)right;
    return (a > b) - (a < b);
}

/* Sorts COUNT VALUES and returns their median. */
static double
find_median(float *values, int count)
{
    qsort(values, (size_t)count, sizeof(*values), compare_values);
    return ((double)values[(count - 1) / 2] + (double)values[count / 2]) / 2;
}

/* Returns the drift: the standard deviation of the levels of successive blocks. The level
 * of a block is the median of its log latencies. If the latencies change slowly
 * (`is_slow`), the drift is increased. ENTRIES are sorted by their starts. `mean` and
 * `squares` are updated as in moments_record. */
static double
find_drift(const struct latency_set *set, const struct series_entry *entries)
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

/* Tries to explain a long autocorrelation time of SET by a drift. If that makes the
 * dependence for PERCENTILE known, stores it in DEPENDENCE. Otherwise leaves DEPENDENCE
 * as it is. */
static void
assume_drift(struct dependence *dependence, struct latency_set *set,
             const struct series_entry *entries, const struct percentile *percentile)
{
    double drift = find_drift(set, entries);
    set->widening = exp(DRIFT_FACTOR * drift);
    if (set->widening > MAX_WIDENING)
        return;

    /* The correlation of ranks is not used, because a drift makes it large. */
    struct dependence drifting = find_dependence(set, percentile, 1);
    if (!drifting.is_known)
        return;
    *dependence = drifting;
    dependence->drift = drift;
}

/* Sorts COUNT entries by their starts. Often they are sorted already; then a single pass
 * finds that out, and nothing is moved. */
static void
sort_by_start(struct series_entry *entries, int count)
{
    int sorted = 1;

    while (sorted < count && entries[sorted].start >= entries[sorted - 1].start)
        sorted++;
    if (sorted < count)
        qsort(entries, (size_t)count, sizeof(*entries), compare_starts);
}

/* Allocates and fills the bins of SET from ENTRIES. Allocates its values. Returns false
 * if memory is lacking. The caller frees all three arrays in either case. */
static bool
fill_set(struct latency_set *set, const struct series_entry *entries)
{
    size_t count = (size_t)set->count;

    set->bins = malloc(count * sizeof(*set->bins));
    set->upto_counts = calloc(HISTOGRAM_BINS, sizeof(*set->upto_counts));
    set->values = malloc(count * sizeof(*set->values));
    if (!set->bins || !set->upto_counts || !set->values)
        return false;

    for (int i = 0; i < set->count; i++) {
        set->bins[i] = (uint16_t)histogram_bin(entries[i].latency);
        set->upto_counts[set->bins[i]]++;
    }
    for (int bin = 1; bin < HISTOGRAM_BINS; bin++)
        set->upto_counts[bin] += set->upto_counts[bin - 1];
    return true;
}

int
dependence_find(struct dependence *dependence, const struct time_series *series,
                const struct percentile *percentile)
{
    struct series_entry *entries = series->entries;
    struct latency_set set = {.count = series->count, .widening = 1};

    *dependence = (struct dependence){false, 1, 0, 0};
    if (set.count < DEPENDENCE_MIN)
        return 0;

    sort_by_start(entries, set.count);
    bool is_filled = fill_set(&set, entries);
    if (is_filled) {
        double ranks_time = find_time_of_ranks(&set);
        *dependence = find_dependence(&set, percentile, ranks_time);
        if (!dependence->is_known)
            assume_drift(dependence, &set, entries, percentile);
    }

    free(set.bins);
    free(set.upto_counts);
    free(set.values);
    return is_filled ? 0 : -1;
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
