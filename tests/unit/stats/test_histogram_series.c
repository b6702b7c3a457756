/*
 * Intervals of percentiles of histograms over time: how often they hold the true value,
 * and how often two runs of one process are called different. PAIRS=1000 tries as many
 * pairs of each process, and prints the table.
 */
/* Marks: apart native */
#include "support.h"

#include "base/random.h"
#include "stats/histogram_series.h"
#include "stats/interval.h"
#include "stats/stats.h"

#define SCALE 5e5 /* ns: the median */

/* A process that latencies come from: log latencies are 0.3 times the sum of a normal
 * value that is independent of all others, and of one that depends on its predecessor. */
static const struct kind {
    const char *name;
    double correlation;  /* of the dependent value from one request to the next */
    double share;        /* of the dependent value in the variance */
    int intervals, each; /* intervals of a run, and requests of each */
    int min_known;       /* percent of the runs whose interval must be known */
    int min_held; /* percent of the known intervals that must hold the true value */
} kinds[] = {
    {"independent", 0, 0, 60, 60, 80, 92},
    {"few intervals", 0, 0, 12, 300, 50, 92},
    {"many intervals", 0, 0, 1440, 10, 80, 92},
    {"one request each", 0, 0, 3000, 1, 80, 92},
    {"AR(1) 0.9", 0.9, 1, 60, 60, 80, 90},
    {"AR(1) 0.99", 0.99, 1, 120, 60, 80, 90},
    {"AR(1) 0.99 few", 0.99, 1, 16, 300, 40, 85},
    {"AR(1) 0.999 long", 0.999, 1, 1000, 100, 80, 90},
    {"AR(1) 0.999 too short", 0.999, 1, 200, 60, 0, 0},
    {"AR(1) 0.9999 too short", 0.9999, 0.5, 100, 60, 0, 0},
};

#define MAX_DIFFERENT 7 /* percent of all pairs that may be called different */

static double
uniform(struct random *random)
{
    return ((double)(random_next(random) >> 11) + 0.5) * 0x1p-53;
}

/* The transform of Box and Muller. */
static double
normal(struct random *random)
{
    return sqrt(-2 * log(uniform(random))) * cos(6.283185307179586 * uniform(random));
}

struct run {
    struct stats stats;
    struct histogram_series histograms;
    struct time_series series;
};

static struct run runs[2];

static void
fill(struct run *run, const struct kind *kind, struct random *random)
{
    double level = normal(random);
    memset(run, 0, sizeof(*run));
    run->series.histograms = &run->histograms;
    for (int i = 0; i < kind->intervals; i++)
        for (int k = 0; k < kind->each; k++) {
            level = kind->correlation * level +
                    sqrt(1 - kind->correlation * kind->correlation) * normal(random);
            double own = sqrt(1 - kind->share) * normal(random);
            double value = SCALE * exp(0.3 * (own + sqrt(kind->share) * level));
            const struct sample sample = {.latency = (int64_t)value,
                                          .verdict = VERDICT_NONE};
            stats_record(&run->stats, &sample);
            histogram_series_add(&run->histograms, (uint64_t)i + 1,
                                 histogram_bin(sample.latency), 1);
        }
}

/* For one percentile of a process: how many runs have a known interval, how many
 * of these hold the true value, and how many pairs are called different. */
struct tally {
    int known, held, different;
};

static void
count_pair(struct tally *tally, const struct percentile *percentile, double truth)
{
    struct estimate estimates[2];
    for (int i = 0; i < 2; i++) {
        estimate_make(&estimates[i], &runs[i].stats, &runs[i].series, percentile);
        struct interval interval = estimate_interval(&estimates[i], 0.025);
        if (!interval.is_known)
            continue;
        tally->known++;
        if (interval.low <= truth && truth <= interval.high)
            tally->held++;
    }
    struct interval ratio = estimate_ratio(&estimates[1], &estimates[0]);
    if (interval_differs(&ratio))
        tally->different++;
}

TEST_EACH(intervals_hold_the_true_percentile, kinds)
{
    static const double truths[] = {1, 2.00954};
    const struct kind *kind = *state;
    const char *wanted = getenv("PAIRS");
    int pairs = wanted ? atoi(wanted) : 40;
    struct random random = {7};
    struct tally tallies[2] = {0};

    for (int i = 0; i < pairs; i++) {
        fill(&runs[0], kind, &random);
        fill(&runs[1], kind, &random);
        for (int k = 0; k < 2; k++)
            count_pair(&tallies[k], &percentiles_common.list[k], SCALE * truths[k]);
    }
    for (int k = 0; k < 2; k++) {
        const struct tally *tally = &tallies[k];
        if (wanted)
            printf("%-24s p%s: known %5.1f %%, held %5.1f %%, different %4.1f %%\n",
                   kind->name, percentiles_common.list[k].name,
                   50.0 * tally->known / pairs, 100.0 * tally->held / tally->known,
                   100.0 * tally->different / pairs);
        assert_true(50 * tally->known >= kind->min_known * pairs);
        assert_true(100 * tally->held >= kind->min_held * tally->known);
        assert_true(100 * tally->different <= MAX_DIFFERENT * pairs);
    }
}

/* Adds an interval of COUNT latencies, all in the bin of 0.5 ms. */
static void
add_interval(struct histogram_series *histograms, uint64_t number, uint64_t count)
{
    histogram_series_add(histograms, number, histogram_bin(500000), count);
}

TEST(groups_have_all_latencies_however_many_intervals)
{
    struct histogram_series *histograms = &runs[0].histograms;
    static const int lengths[] = {1, 2, 127, 128, 129, 255, 256, 257, 10080, 100000};
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        uint64_t count = 0;
        memset(histograms, 0, sizeof(*histograms));
        for (int number = 1; number <= lengths[i]; number++)
            add_interval(histograms, (uint64_t)number, 3);
        for (int group = 0; group < histograms->group_count; group++) {
            count += histograms->counts[group];
            assert_int_equal(histograms->counts[group],
                             histograms->bins[group][histogram_bin(500000)]);
        }
        assert_int_equal(count, 3 * lengths[i]);
        assert_in_range(histograms->group_count, lengths[i] < 64 ? lengths[i] : 64,
                        HISTOGRAM_SERIES_GROUPS);
    }
}

TEST(counts_never_overflow)
{
    struct histogram_series *histograms = &runs[0].histograms;
    struct dependence dependence;
    memset(histograms, 0, sizeof(*histograms));
    for (uint64_t number = 1; number <= 1000; number++)
        add_interval(histograms, number, UINT64_MAX);
    histogram_series_dependence(&dependence, histograms, &percentiles_common.list[1],
                                4e6);
    assert_true(dependence.autocorrelation_time >= 1);
}

TEST(fewer_than_ten_intervals_tell_nothing)
{
    struct histogram_series *histograms = &runs[0].histograms;
    struct dependence dependence;
    memset(histograms, 0, sizeof(*histograms));
    for (uint64_t number = 1; number <= 10; number++) {
        add_interval(histograms, number, 1000);
        histogram_series_dependence(&dependence, histograms, &percentiles_common.list[0],
                                    1000);
        assert_true(dependence.is_known == (number == 10));
        assert_int_equal(dependence.min_intervals, number < 10 ? 10 : 0);
    }
}

TEST(intervals_of_few_requests_must_be_more)
{
    struct histogram_series *histograms = &runs[0].histograms;
    struct dependence dependence;
    memset(histograms, 0, sizeof(*histograms));
    for (uint64_t number = 1; number <= 15; number++) {
        add_interval(histograms, number, 1);
        histogram_series_dependence(&dependence, histograms, &percentiles_common.list[0],
                                    (double)number);
        assert_true(dependence.is_known == (number == 15));
        assert_int_equal(dependence.min_intervals, number < 15 ? 15 : 0);
    }
}

/* The advice is the least that could be enough. Each process has INTERVALS intervals, and
 * then as many as the advice says, and so on, at most 10 times. */
TEST(logs_that_follow_the_advice_become_known)
{
    static const struct kind cases[] = {
        {"independent", 0, 0, 3, 100, 0, 0},
        {"AR(1) 0.99", 0.99, 1, 12, 60, 0, 0},
        {"AR(1) 0.999", 0.999, 1, 12, 100, 0, 0},
        {"AR(1) 0.999 joined", 0.999, 1, 140, 10, 0, 0},
    };
    const char *wanted = getenv("PAIRS");
    int tries = wanted ? atoi(wanted) : 40;

    for (size_t i = 0; i < LENGTH(cases); i++) {
        int unknown = 0, after_one = 0, known = 0;
        for (int seed = 1; seed <= tries; seed++) {
            struct kind kind = cases[i];
            struct estimate estimate;
            for (int round = 0; round < 10; round++) {
                struct random random = {(uint64_t)seed};
                fill(&runs[0], &kind, &random);
                estimate_make(&estimate, &runs[0].stats, &runs[0].series,
                              &percentiles_common.list[0]);
                uint64_t advice = estimate.dependence.min_intervals;
                assert_true(estimate.dependence.is_known == (advice == 0));
                unknown += round == 0 && advice > 0;
                after_one += round == 1 && advice == 0;
                known += advice == 0;
                if (advice == 0)
                    break;
                assert_true(advice > (uint64_t)kind.intervals);
                kind.intervals = (int)advice;
            }
        }
        if (wanted)
            printf(
                "%-20s unknown %d, known with the advice %d, known in the end %d of %d\n",
                cases[i].name, unknown, after_one, known, tries);
        assert_true(unknown > 0);
        assert_true(after_one > 0);
        assert_true(10 * known >= 9 * tries);
    }
}
