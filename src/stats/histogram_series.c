/*
 * The autocorrelation time of latencies that are known only as histograms over time.
 *
 *   G      the number of groups
 *   n(g)   the number of latencies of group g; N is their sum
 *   x(g)   how many of these latencies are at most a threshold; X is their sum
 *   p      X / N
 *   d(g)   x(g) - p * n(g), by how much group g differs from the average
 *   D      the design effect: the variance of X for these groups, divided by its variance
 *          for independent latencies
 *   T      the autocorrelation time, in latencies
 *   t      the autocorrelation time of d, in groups
 *
 *     D = (G / (G - 1) * sum of d(g)^2) / (N * p * (1 - p))
 *     T = D * t
 *
 * Sources: for D, Kish, "Survey sampling", 1965, where a group is called a cluster; its
 * variance is that of a ratio, because groups differ in size (Cochran, "Sampling
 * techniques", 11.3). For t see dependence.c, which also says what T is used for: N
 * dependent latencies tell as much as N / T independent latencies.
 *
 * D is an estimate with G - 1 degrees of freedom. Its standard error for independent
 * latencies is sqrt(2 / (G - 1)). If D exceeds 1 by less, it counts as 1. Otherwise it is
 * multiplied by the square of the quotient of Student's factor and the factor of the
 * normal distribution, which is about 1 + 2.8 / (G - 1) for intervals of 95 %.
 *
 * Assumptions: The groups behave alike during the whole log (the process is stationary),
 * and the log is much longer than t: G is at least MIN_GROUPS, and G / t is at least
 * DEPENDENCE_MIN if t is above 1. As in dependence.c, a slow change may not show in t of
 * a short series. So the correlation R of successive groups is used as well: if R is too
 * large for chance, G must also be at least DEPENDENCE_MIN times (1 + R) / (1 - R). And T
 * is also computed at two lower percentiles, above which there are twice and four times
 * as many latencies.
 */
#include "stats/histogram_series.h"

#include <math.h>
#include <string.h>

#define GROUPS HISTOGRAM_SERIES_GROUPS

/* The minimum number of groups for a known dependence. If successive groups depend on
 * each other, DEPENDENCE_MIN independent groups are needed instead. */
#define MIN_GROUPS 10

/* The correlation R of successive groups is not chance if R * sqrt(G) is above this
 * limit, see dependence.c. */
#define CORRELATION_LIMIT 1.65
#define CORRELATION_LIMIT_EACH 0.08
#define MAX_CORRELATION 0.999

/* The autocorrelation time is computed at the rank of the percentile and at MORE_LEVELS
 * further ranks, which are nearer to the median. */
#define MORE_LEVELS 2

/* Replaces every two successive groups by one. */
static void
join_groups(struct histogram_series *series)
{
    int pair_count = series->group_count / 2;

    for (int pair = 0; pair < pair_count; pair++) {
        for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
            uint64_t sum =
                (uint64_t)series->bins[2 * pair][bin] + series->bins[2 * pair + 1][bin];
            uint32_t joined = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
            /* Memory that was never used is not touched. */
            if (series->bins[pair][bin] != joined)
                series->bins[pair][bin] = joined;
        }
        series->counts[pair] = series->counts[2 * pair] + series->counts[2 * pair + 1];
    }

    for (int group = pair_count; group < series->group_count; group++) {
        for (int bin = 0; bin < HISTOGRAM_BINS; bin++)
            if (series->bins[group][bin])
                series->bins[group][bin] = 0;
        series->counts[group] = 0;
    }
    series->group_count = pair_count;
    series->shift++;
}

void
histogram_series_add(struct histogram_series *series, uint64_t number, int bin,
                     uint64_t count)
{
    if (number != series->previous_number) {
        if (series->interval_count >> series->shift == GROUPS)
            join_groups(series);
        series->previous_number = number;
        series->interval_count++;
        series->group_count = (int)((series->interval_count - 1) >> series->shift) + 1;
    }

    int group = series->group_count - 1;
    uint32_t room = UINT32_MAX - series->bins[group][bin];
    uint32_t added = count < room ? (uint32_t)count : room;
    series->bins[group][bin] += added;
    series->counts[group] += added;
}

/* The latencies of all groups up to a threshold. */
struct threshold {
    double upto_counts[GROUPS]; /* by group; x in the head comment */
    double upto_count;          /* in all groups; X */
    double count;               /* latencies of all groups; N */
};

/* Fills THRESHOLD for the upper bound of BIN. */
static void
fill_threshold(struct threshold *threshold, const struct histogram_series *series,
               int bin)
{
    memset(threshold, 0, sizeof(*threshold));
    for (int group = 0; group < series->group_count; group++) {
        double upto_count = 0;
        for (int i = 0; i <= bin; i++)
            upto_count += series->bins[group][i];
        threshold->upto_counts[group] = upto_count;
        threshold->upto_count += upto_count;
        threshold->count += (double)series->counts[group];
    }
}

/* The autocorrelation time of a series at one threshold. */
struct group_time {
    double in_latencies; /* T in the head comment */
    double in_groups;    /* t, or (1 + R) / (1 - R) if that is longer */
};

/* Returns the longer times of A and B. */
static struct group_time
longer_time(struct group_time a, struct group_time b)
{
    return (struct group_time){fmax(a.in_latencies, b.in_latencies),
                               fmax(a.in_groups, b.in_groups)};
}

/* Returns the autocorrelation time, in groups, that follows from the correlation of
 * successive VALUES, or 1 if this correlation may be chance. */
static double
find_time_of_neighbours(const float *values, int count)
{
    double variance = dependence_covariance(values, count, 0);
    double correlation = dependence_covariance(values, count, 1) / variance;
    double limit = fmin(CORRELATION_LIMIT_EACH * count, CORRELATION_LIMIT);

    correlation = fmin(correlation, MAX_CORRELATION);
    if (correlation * sqrt(count) < limit)
        return 1;
    return (1 + correlation) / (1 - correlation);
}

/* Returns the time at the upper bound of BIN. */
static struct group_time
measure_at_bin(const struct histogram_series *series, int bin)
{
    struct threshold threshold;
    struct group_time time = {1, 1};
    int count = series->group_count;
    float values[GROUPS];
    double squares = 0;

    fill_threshold(&threshold, series, bin);
    double share = threshold.upto_count / threshold.count;
    for (int group = 0; group < count; group++) {
        double difference =
            threshold.upto_counts[group] - share * (double)series->counts[group];
        values[group] = (float)difference;
        squares += difference * difference;
    }
    double independent = threshold.count * share * (1 - share);
    if (independent <= 0 || squares <= 0)
        return time;

    double freedom = count - 1;
    double effect = count / freedom * squares / independent;
    if (effect < 1 + sqrt(2 / freedom))
        effect = 1;
    else
        effect *= 1 + 2.8 / freedom;

    time.in_groups = find_time_of_neighbours(values, count);
    double group_time = dependence_autocorrelation_time(values, count);
    time.in_groups = fmax(time.in_groups, group_time);
    time.in_latencies = effect * group_time;
    return time;
}

/* Returns the bin of the latency with RANK among all latencies of SERIES. */
static int
find_bin(const struct histogram_series *series, double rank)
{
    double upto_count = 0;

    for (int bin = 0; bin < HISTOGRAM_BINS - 1; bin++) {
        for (int group = 0; group < series->group_count; group++)
            upto_count += series->bins[group][bin];
        if (upto_count >= rank)
            return bin;
    }
    return HISTOGRAM_BINS - 1;
}

/* Returns the longer one of two times: latencies in the bin of RANK are above the
 * threshold for the first, and not above it for the second. */
static struct group_time
measure_at_rank(const struct histogram_series *series, double rank)
{
    int bin = find_bin(series, rank);
    struct group_time time = measure_at_bin(series, bin);
    if (bin > 0)
        time = longer_time(time, measure_at_bin(series, bin - 1));
    return time;
}

/* Returns how many intervals a series like SERIES needs at least, so that it has
 * GROUP_COUNT groups of the current size, and DEPENDENCE_MIN latencies. The series has
 * COUNT latencies so far. */
static uint64_t
find_min_intervals(const struct histogram_series *series, double group_count,
                   double count)
{
    double for_groups = ldexp(ceil(group_count), series->shift);
    double for_latencies =
        ceil(DEPENDENCE_MIN * (double)series->interval_count / fmax(count, 1));

    return (uint64_t)fmax(for_groups, for_latencies);
}

void
histogram_series_dependence(struct dependence *dependence,
                            const struct histogram_series *series,
                            const struct percentile *percentile, double entry_count)
{
    double count = 0;

    *dependence = (struct dependence){false, 1, 0, 0};
    for (int group = 0; group < series->group_count; group++)
        count += (double)series->counts[group];
    if (series->group_count < MIN_GROUPS || count < DEPENDENCE_MIN) {
        dependence->min_intervals = find_min_intervals(series, MIN_GROUPS, count);
        return;
    }

    double share = (double)percentile->billionths / PERCENTILE_HUNDRED;
    bool is_high = share > 0.5;
    double beyond = is_high ? 1 - share : share;
    struct group_time time = measure_at_rank(series, ceil(share * count));

    for (int level = 0; level < MORE_LEVELS; level++) {
        beyond *= 2;
        if (beyond > 0.5)
            break;
        double rank = is_high ? 1 - beyond : beyond;
        time = longer_time(time, measure_at_rank(series, ceil(rank * count)));
    }

    /* The time at the median says whether the dependence is known, but the bounds of
     * another percentile do not depend on it. */
    struct group_time median = measure_at_rank(series, ceil(count / 2));
    double in_groups = fmax(time.in_groups, median.in_groups);
    dependence->is_known =
        in_groups <= 1 || series->group_count >= DEPENDENCE_MIN * in_groups;
    if (!dependence->is_known)
        dependence->min_intervals =
            find_min_intervals(series, DEPENDENCE_MIN * in_groups, count);
    dependence->autocorrelation_time = fmax(time.in_latencies * entry_count / count, 1);
}
