/* Percentiles of known distributions, also merged and corrected for missed requests. */
#include "support.h"

#include "base/random.h"
#include "base/time.h"
#include "stats/slo.h"
#include "stats/stats.h"

#define COUNT 100000

/* A percentile that is given in thousandths. */
static struct percentile
percentile_of(int64_t thousandths)
{
    return (struct percentile){.billionths = thousandths * 1000000};
}

static int64_t
value_at(const struct stats *stats, int64_t thousandths)
{
    struct percentile percentile = percentile_of(thousandths);
    return stats_percentile(stats, &percentile);
}

static int64_t
sync_at(const struct stats *stats, int64_t thousandths)
{
    struct percentile percentile = percentile_of(thousandths);
    const struct latencies flushes = latencies_of(stats, SCOPE_SYNC);
    return latencies_percentile(&flushes, &percentile);
}

static void
record(struct stats *stats, int64_t latency, int64_t sync)
{
    struct sample sample = {.latency = latency, .sync = sync, .verdict = VERDICT_NONE};
    stats_record(stats, &sample);
}

static void
record_all(struct stats *stats, const int64_t *latencies, int count)
{
    for (int i = 0; i < count; i++)
        record(stats, latencies[i], 0);
}

/* Above 0, up to 1. */
static double
any_share(struct random *random)
{
    return (double)((random_next(random) >> 11) + 1) / 9007199254740992.0;
}

static double
any_normal(struct random *random)
{
    double distance = sqrt(-2 * log(any_share(random)));
    return distance * cos(6.283185307179586 * any_share(random));
}

static double
draw_constant(struct random *random)
{
    (void)random;
    return 123457;
}

static double
draw_uniform(struct random *random)
{
    return 50 * US + 1000 * US * any_share(random);
}

static double
draw_exponential(struct random *random)
{
    return 1 - 200 * US * log(any_share(random));
}

static double
draw_lognormal(struct random *random)
{
    return 300 * US * exp(any_normal(random));
}

/* A cache that answers nine in ten, and a disk. */
static double
draw_bimodal(struct random *random)
{
    bool hit = random_below(random, 10) > 0;
    return (hit ? 5 * US : 8 * MS) * (1 + 0.1 * any_normal(random));
}

/* Pareto: no variance, and of 100000 some of seconds. */
static double
draw_heavy_tailed(struct random *random)
{
    return 50 * US * pow(any_share(random), -1 / 1.1);
}

static const struct input {
    const char *name;
    double (*draw)(struct random *random);
} inputs[] = {
    {"constant", draw_constant},       {"uniform", draw_uniform},
    {"exponential", draw_exponential}, {"log-normal", draw_lognormal},
    {"bimodal", draw_bimodal},         {"heavy-tailed", draw_heavy_tailed},
};

#define INPUTS (LENGTH(inputs))

static void
draw_all(const struct input *input, int64_t *latencies)
{
    struct random random;
    random_seed(&random, 2026);
    for (int i = 0; i < COUNT; i++) {
        latencies[i] = (int64_t)input->draw(&random);
        assert_in_range(latencies[i], 0, HISTOGRAM_MAX_LATENCY);
    }
}

static int
compare(const void *one, const void *other)
{
    int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

/* The nearest rank of the sorted latencies: the first with so many up to it. */
static double
error_at(const struct stats *stats, const int64_t *sorted, int64_t billionths)
{
    struct percentile percentile = {.billionths = billionths};
    int64_t rank = (billionths * COUNT + PERCENTILE_HUNDRED - 1) / PERCENTILE_HUNDRED;
    double exact = (double)sorted[rank - 1];
    double value = (double)stats_percentile(stats, &percentile);
    return exact == value ? 0 : fabs(value - exact) / exact;
}

/* At every tenth of a percent and in both tails. */
static double
worst_error(const struct stats *stats, const int64_t *sorted)
{
    static const int64_t tails[] = {1,         10,        1000,      10000,
                                    100000,    999900000, 999990000, 999999000,
                                    999999900, 999999999};
    double worst = 0;
    for (int64_t billionths = 1000000; billionths < PERCENTILE_HUNDRED;
         billionths += 1000000)
        worst = fmax(worst, error_at(stats, sorted, billionths));
    for (size_t i = 0; i < LENGTH(tails); i++)
        worst = fmax(worst, error_at(stats, sorted, tails[i]));
    return worst;
}

TEST(percentiles_are_within_4_in_1000_of_the_exact_ones)
{
    static int64_t latencies[COUNT];
    printf("%-14s %s\n", "input", "worst relative error");
    for (size_t i = 0; i < INPUTS; i++) {
        struct stats stats = {0};
        draw_all(&inputs[i], latencies);
        record_all(&stats, latencies, COUNT);
        qsort(latencies, COUNT, sizeof(latencies[0]), compare);
        double worst = worst_error(&stats, latencies);
        printf("%-14s %.4f %%\n", inputs[i].name, 100 * worst);
        assert_true(worst < 0.004);
        if (inputs[i].draw == draw_constant)
            assert_true(worst == 0);
    }
}

TEST(four_parts_merged_give_what_the_whole_gives)
{
    static int64_t latencies[COUNT];
    for (size_t i = 0; i < INPUTS; i++) {
        struct stats whole = {.corrected_interval = 100 * US}, merged = whole,
                     part = whole;
        draw_all(&inputs[i], latencies);
        record_all(&whole, latencies, COUNT);
        for (int from = 0; from < COUNT; from += COUNT / 4) {
            stats_clear(&part);
            record_all(&part, latencies + from, COUNT / 4);
            stats_merge(&merged, &part);
        }
        assert_int_equal(merged.latencies.count, COUNT);
        assert_memory_equal(&merged.latencies, &whole.latencies, sizeof(whole.latencies));
        assert_memory_equal(&merged.corrected, &whole.corrected, sizeof(whole.corrected));
        for (int64_t thousandths = 1; thousandths < 1000; thousandths++)
            assert_int_equal(value_at(&merged, thousandths),
                             value_at(&whole, thousandths));
    }
}

/* The middles of their steps are 5008, 6000 and 7024. */
TEST(the_extremes_bound_the_percentiles)
{
    static const int64_t latencies[] = {6010, 7010, 5010};
    struct stats stats = {0};
    record_all(&stats, latencies, 3);
    assert_int_equal(value_at(&stats, 1), 5010);
    assert_int_equal(value_at(&stats, 333), 5010);
    assert_int_equal(value_at(&stats, 334), 6000);
    assert_int_equal(value_at(&stats, 666), 6000);
    assert_int_equal(value_at(&stats, 667), 7010);
    assert_int_equal(value_at(&stats, 999), 7010);
}

TEST(equal_latencies_are_exact_however_long)
{
    static const int64_t latencies[] = {0,      1,          257,           5010,
                                        SECOND, SECOND + 1, 7200 * SECOND, INT64_MAX};
    for (size_t i = 0; i < LENGTH(latencies); i++) {
        struct stats stats = {0};
        record(&stats, latencies[i], latencies[i]);
        for (int64_t thousandths = 1; thousandths < 1000; thousandths += 499) {
            assert_int_equal(value_at(&stats, thousandths), latencies[i]);
            assert_int_equal(sync_at(&stats, thousandths), latencies[i]);
        }
    }
}

/* The middle of the last step is 2^42 - 2^33. */
TEST(what_is_too_long_counts_as_the_longest_step)
{
    struct stats stats = {0};
    record(&stats, 1, 0);
    record(&stats, INT64_MAX - 1, 0);
    assert_int_equal(value_at(&stats, 500), 1);
    assert_int_equal(value_at(&stats, 501), 4389456576512);
    assert_int_equal(value_at(&stats, 999), 4389456576512);
}

TEST(percentiles_of_nothing_are_zero)
{
    struct stats stats = {0}, corrected = {.corrected_interval = 1};
    struct sample sample = {.latency = 5000, .sync = 4000, .verdict = VERDICT_WARMUP};
    stats_record(&stats, &sample);
    stats_record(&corrected, &sample);
    assert_int_equal(value_at(&stats, 500), 0);
    assert_int_equal(sync_at(&stats, 500), 0);
    assert_int_equal(value_at(&corrected, 500), 0);
}

TEST(only_requests_that_count_are_in_the_distribution)
{
    struct stats stats = {.corrected_interval = 100};
    for (int verdict = VERDICT_WARMUP; verdict <= VERDICT_SLOW; verdict++) {
        struct sample sample = {.latency = 150 + verdict,
                                .sync = 100 + verdict,
                                .missed = 1,
                                .verdict = (enum verdict)verdict};
        stats_record(&stats, &sample);
    }
    assert_int_equal(stats.missed, VERDICT_SLOW + 1); /* of all: nothing was sent then */
    assert_int_equal(stats.latencies.count, 3);
    assert_int_equal(stats.sync.histogram.count, 3);
    assert_int_equal(stats.corrected.count, 6);
    for (int counted = VERDICT_NONE; counted <= VERDICT_SLOW; counted++) {
        assert_int_equal(stats.latencies.bins[149 + counted], 1);
        assert_int_equal(stats.sync.histogram.bins[99 + counted], 1);
        assert_int_equal(stats.corrected.bins[149 + counted], 1);
        assert_int_equal(stats.corrected.bins[49 + counted], 1);
    }
}

TEST(flushes_have_percentiles_of_their_own)
{
    struct stats stats = {.corrected_interval = 1000};
    record(&stats, 8000, 5010);
    record(&stats, 9000, 6010);
    record(&stats, 9500, 7010);
    record(&stats, 3, 0); /* a read */
    assert_int_equal(stats.sync.moments.count, 3);
    assert_int_equal(stats.sync.moments.min, 5010);
    assert_int_equal(stats.sync.moments.max, 7010);
    assert_int_equal(stats.sync.moments.sum, 18030);
    assert_int_equal(sync_at(&stats, 333), 5010);
    assert_int_equal(sync_at(&stats, 500), 6000);
    assert_int_equal(sync_at(&stats, 999), 7010);
}

/* 3500 brings 2500, 1500 and 500, whose middles are 2504, 1500 and 499. */
TEST(waits_are_added_only_where_they_are_asked_for)
{
    struct stats stats = {0}, corrected = {.corrected_interval = 1000};
    record(&stats, 3500, 0);
    record(&corrected, 3500, 0);
    assert_ptr_equal(stats_percentile_histogram(&stats), &stats.latencies);
    assert_int_equal(stats.latencies.count, 1);
    assert_int_equal(stats.corrected.count, 0);
    assert_int_equal(value_at(&stats, 1), 3500);
    assert_ptr_equal(stats_percentile_histogram(&corrected), &corrected.corrected);
    assert_int_equal(corrected.latencies.count, 1);
    assert_int_equal(corrected.corrected.count, 4);
    assert_int_equal(corrected.latency.count, 1);
    assert_int_equal(value_at(&corrected, 250), 499);
    assert_int_equal(value_at(&corrected, 500), 1500);
    assert_int_equal(value_at(&corrected, 750), 2504);
    assert_int_equal(value_at(&corrected, 751), 3496);
}

TEST(corrected_percentiles_are_not_above_the_longest)
{
    struct stats stats = {.corrected_interval = 100000};
    record(&stats, 7010, 0); /* the middle of its step is 7024 */
    assert_int_equal(value_at(&stats, 999), 7010);
}

/* The middle of its step is 5008. */
TEST(corrected_percentiles_are_not_below_what_was_seen)
{
    struct stats stats = {.corrected_interval = 100000};
    record(&stats, 5010, 0);
    assert_int_equal(value_at(&stats, 500), 5010);
}

/* The waits are 990 ms, 980 ms, down to 10 ms: of 199 values the 198th and the 120th. */
TEST(one_long_stall_is_more_than_one_in_a_hundred_once_corrected)
{
    struct stats stats = {.corrected_interval = 10 * MS};
    for (int i = 0; i < 99; i++)
        record(&stats, MS, 0);
    record(&stats, SECOND, 0);
    assert_int_equal(stats.corrected.count, 199);
    assert_in_range(value_at(&stats, 990), 986 * MS, 994 * MS);
    assert_in_range(value_at(&stats, 600), 209 * MS, 211 * MS);
    stats.corrected_interval = 0;
    assert_in_range(value_at(&stats, 990), MS, MS + MS / 250);
}

TEST(waits_do_not_make_more_percentiles_shown)
{
    struct stats stats = {.corrected_interval = 1};
    record(&stats, SECOND, 0);
    assert_int_equal(stats.corrected.count, SECOND);
    assert_int_equal(percentiles_shown(&percentiles_default, stats.latency.count), 1);
}
