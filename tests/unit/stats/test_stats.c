/* Statistics of samples: verdicts, counts, rates, merging and clearing. */
#include "mix.h"
#include "support.h"

#include "base/random.h"
#include "stats/stats.h"

static const struct stats_limits limits = {.warmup = 2, .fastest = 1000, .slowest = 9000};

static void
assert_rate(double number, int64_t time, double expected)
{
    double difference = stats_rate(number, time) - expected;
    assert_true(difference < 1e-9 && difference > -1e-9);
}

/* A whole request of 4096 bytes with a verdict. */
static struct sample
sample_of(int64_t latency, enum verdict verdict)
{
    return (struct sample){
        .latency = latency, .size = 4096, .bytes = 4096, .verdict = verdict};
}

/* So many requests of the same latency that count. */
static struct stats
stats_of(int count, int64_t latency)
{
    struct stats stats = {0};
    struct sample sample = sample_of(latency, VERDICT_NONE);
    for (int i = 0; i < count; i++)
        stats_record(&stats, &sample);
    return stats;
}

/* Each row lacks the reason of the row before it and keeps all later ones. */
TEST(the_first_reason_decides)
{
    static const struct {
        struct sample sample;
        enum verdict verdict;
    } cases[] = {
        {{.timed_out = true,
          .error = EIO,
          .index = 1,
          .was_cached = true,
          .was_stopped = true},
         VERDICT_TIMEOUT},
        {{.error = EIO, .bytes = 0, .index = 1, .was_cached = true, .was_stopped = true},
         VERDICT_ERROR},
        {{.bytes = 4095, .index = 1, .was_cached = true, .was_stopped = true},
         VERDICT_SHORT},
        {{.bytes = 4096, .index = 1, .was_cached = true, .was_stopped = true},
         VERDICT_CACHED},
        {{.bytes = 4096, .index = 1, .was_stopped = true, .latency = 1}, VERDICT_STOPPED},
        {{.bytes = 4096, .index = 1, .latency = 1}, VERDICT_WARMUP},
        {{.bytes = 4096, .index = 3, .latency = 1}, VERDICT_TOO_FAST},
        {{.bytes = 4096, .index = 3, .latency = 9001}, VERDICT_TOO_SLOW},
        {{.bytes = 4096, .index = 3, .latency = 5000}, VERDICT_NONE},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sample sample = cases[i].sample;
        sample.size = 4096;
        stats_judge(&limits, &sample);
        assert_int_equal(sample.verdict, cases[i].verdict);
    }
}

TEST(limits_themselves_still_count)
{
    static const struct {
        uint64_t index;
        int64_t latency;
        enum verdict verdict;
    } cases[] = {{1, 5000, VERDICT_WARMUP},  {2, 5000, VERDICT_WARMUP},
                 {3, 5000, VERDICT_NONE},    {3, 999, VERDICT_TOO_FAST},
                 {3, 1000, VERDICT_NONE},    {3, 9000, VERDICT_NONE},
                 {3, 9001, VERDICT_TOO_SLOW}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sample sample = sample_of(cases[i].latency, VERDICT_SLOW);
        sample.index = cases[i].index;
        stats_judge(&limits, &sample);
        assert_int_equal(sample.verdict, cases[i].verdict);
    }
}

TEST(without_warmup_the_first_request_counts)
{
    struct stats_limits none = {.slowest = INT64_MAX};
    struct sample sample = sample_of(0, VERDICT_WARMUP);
    sample.index = 1;
    stats_judge(&none, &sample);
    assert_int_equal(sample.verdict, VERDICT_NONE);
}

TEST(only_requests_that_count_are_recorded_as_such)
{
    struct stats stats = {0};
    static const enum verdict verdicts[] = {
        VERDICT_WARMUP, VERDICT_TOO_FAST, VERDICT_TOO_FAST, VERDICT_TOO_SLOW,
        VERDICT_CACHED, VERDICT_NONE,     VERDICT_FAST,     VERDICT_SLOW,
    };
    for (size_t i = 0; i < LENGTH(verdicts); i++) {
        struct sample sample = sample_of(1000 + (int64_t)i, verdicts[i]);
        stats_record(&stats, &sample);
    }
    assert_int_equal(stats.latency.count, 3);
    assert_int_equal(stats.latency.sum, 1005 + 1006 + 1007);
    assert_int_equal(stats.latency.min, 1005);
    assert_int_equal(stats.latency.max, 1007);
    assert_int_equal(stats.bytes, 3 * 4096);
    assert_int_equal(stats.requests, 8);
    assert_int_equal(stats.all_bytes, 8 * 4096);
    assert_int_equal(stats.too_fast, 2);
    assert_int_equal(stats.too_slow, 1);
    assert_int_equal(stats.cached, 1);
    assert_int_equal(stats.failed, 0);
}

TEST(failed_and_short_requests_are_failures)
{
    struct stats stats = {0};
    struct sample failed = {.size = 4096, .error = EIO, .verdict = VERDICT_ERROR};
    struct sample cut = {.size = 4096, .bytes = 512, .verdict = VERDICT_SHORT};
    stats_record(&stats, &failed);
    stats_record(&stats, &cut);
    assert_int_equal(stats.failed, 2);
    assert_int_equal(stats.requests, 2);
    assert_int_equal(stats.latency.count, 0);
    assert_int_equal(stats.bytes, 0);
    assert_int_equal(stats.all_bytes, 512);
}

/* Recorded first, then compared, as the average includes the request itself. */
static enum verdict
compare_next(struct stats stats, int64_t latency)
{
    struct sample sample = sample_of(latency, VERDICT_NONE);
    stats_record(&stats, &sample);
    stats_compare(&stats, &sample);
    return sample.verdict;
}

/* With nine requests of 1000 before it, x meets (9000 + x) / 10 * 2 at 2250; with 19 of
 * 1014, (19266 + x) / 20 / 2 at 494. */
TEST(fast_and_slow_need_more_than_five_and_include_the_request)
{
    static const struct {
        int before, latency, next;
        enum verdict verdict;
    } cases[] = {
        {4, 1000, 1, VERDICT_NONE},    {4, 1000, 1000000, VERDICT_NONE},
        {5, 1000, 1, VERDICT_FAST},    {5, 1000, 1000000, VERDICT_SLOW},
        {9, 1000, 2250, VERDICT_NONE}, {9, 1000, 2251, VERDICT_SLOW},
        {19, 1014, 494, VERDICT_NONE}, {19, 1014, 493, VERDICT_FAST},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_int_equal(
            compare_next(stats_of(cases[i].before, cases[i].latency), cases[i].next),
            cases[i].verdict);
}

TEST(exactly_half_and_twice_are_neither)
{
    struct stats stats = stats_of(8, 1000);
    static const struct {
        int64_t latency;
        enum verdict verdict;
    } cases[] = {{499, VERDICT_FAST},
                 {500, VERDICT_NONE},
                 {2000, VERDICT_NONE},
                 {2001, VERDICT_SLOW}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct sample sample = sample_of(cases[i].latency, VERDICT_NONE);
        stats_compare(&stats, &sample);
        assert_int_equal(sample.verdict, cases[i].verdict);
    }
}

/* A request of one second makes the average 100 ms, but not the median. */
TEST(what_is_slow_does_not_follow_one_value)
{
    struct sample slow = sample_of(1000000000, VERDICT_NONE);
    struct sample next = sample_of(3710000, VERDICT_NONE);
    struct stats stats = stats_of(5, 1000000);
    stats_record(&stats, &slow);
    assert_in_range(stats_slow_above(&stats, &next), 2 * 996000, 2 * 1004000);
    stats_record(&stats, &next);
    stats_compare(&stats, &next);
    assert_int_equal(next.verdict, VERDICT_FAST);
}

/* The median of few requests says little. */
TEST(few_requests_are_slow_above_ten_times_the_median)
{
    struct stats stats = {0};
    struct sample sample = sample_of(1000000, VERDICT_NONE);
    assert_int_equal(stats_slow_above(&stats, &sample), 0);
    for (int count = 1; count <= 8; count++) {
        int times = count > 5 ? 2 : 10;
        stats_record(&stats, &sample);
        assert_in_range(stats_slow_above(&stats, &sample), times * 996000,
                        times * 1004000);
    }
}

/* Writes take ten times as long: none of them is slow. */
TEST(what_is_slow_depends_on_the_operation)
{
    struct stats stats = {.mix = mix_of("rw")};
    for (int i = 0; i < 12; i++) {
        struct sample sample = sample_of(i % 2 ? 1000 : 10000, VERDICT_NONE);
        sample.operation = i % 2 ? OPERATION_READ : OPERATION_WRITE;
        stats_record(&stats, &sample);
        int times = i < 10 ? 10 : 2;
        assert_in_range(stats_slow_above(&stats, &sample), times * sample.latency * 0.996,
                        times * sample.latency * 1.004);
    }
}

TEST(what_does_not_count_is_not_compared)
{
    struct stats stats = stats_of(8, 1000);
    for (int verdict = VERDICT_WARMUP; verdict < VERDICT_NONE; verdict++) {
        struct sample sample = sample_of(1, (enum verdict)verdict);
        stats_compare(&stats, &sample);
        assert_int_equal(sample.verdict, verdict);
    }
}

TEST(merging_adds_every_counter)
{
    struct stats stats = stats_of(2, 100), more = stats_of(3, 200);
    stats.requests = 7, stats.all_bytes = 70, stats.too_fast = 1, stats.too_slow = 2;
    stats.cached = 3, stats.failed = 4, stats.stopped = 5;
    more.requests = 10, more.all_bytes = 500, more.too_fast = 30, more.too_slow = 60;
    more.cached = 90, more.failed = 120, more.stopped = 150;
    stats_merge(&stats, &more);
    assert_int_equal(stats.latency.count, 5);
    assert_int_equal(stats.latency.sum, 800);
    assert_int_equal(stats.bytes, 5 * 4096);
    assert_int_equal(stats.requests, 17);
    assert_int_equal(stats.all_bytes, 570);
    assert_int_equal(stats.too_fast, 31);
    assert_int_equal(stats.too_slow, 62);
    assert_int_equal(stats.cached, 93);
    assert_int_equal(stats.stopped, 155);
    assert_int_equal(stats.failed, 124);
}

static void
record_times(struct stats *stats, int64_t latency, int64_t sync)
{
    struct sample sample = {.latency = latency, .sync = sync, .verdict = VERDICT_NONE};
    stats_record(stats, &sample);
}

TEST(clearing_leaves_nothing_but_what_its_owner_sets)
{
    static const int64_t everies[] = {0, 300, 1000000};
    struct random random;
    random_seed(&random, 5);
    for (size_t i = 0; i < 3; i++) {
        bool both = i > 0;
        struct stats stats = {.corrected_interval = everies[i],
                              .mix = mix_of(both ? "rw" : "read")};
        struct stats empty = {.corrected_interval = everies[i],
                              .mix = mix_of(both ? "rw" : "read")};
        stats_clear(&stats);
        assert_memory_equal(&stats, &empty, sizeof(stats));
        for (int round = 0; round < 100; round++) {
            int64_t least = (int64_t)random_below(&random, 1ull << (round % 40));
            for (int k = 0; k < 10; k++) {
                int64_t latency = least + (int64_t)random_below(&random, 100000);
                struct sample sample = {.start = 1,
                                        .latency = latency,
                                        .sync = latency / 2,
                                        .missed = 1,
                                        .size = 9,
                                        .bytes = 9,
                                        .operation = (enum operation)(k / 3 % 2),
                                        .verdict = (enum verdict)(k % 9)};
                stats_record(&stats, &sample);
            }
            assert_int_equal(stats.requests, 10);
            stats_clear(&stats);
            assert_memory_equal(&stats, &empty, sizeof(stats));
        }
    }
}

TEST(rejecting_makes_what_counts_cached)
{
    static const char *const mixes[] = {"read", "rw"};
    for (size_t i = 0; i < LENGTH(mixes); i++) {
        struct stats stats = {.corrected_interval = 1000, .mix = mix_of(mixes[i])};
        struct stats expected = stats;
        for (int k = 0; k < 9; k++) {
            struct sample sample = {.start = k,
                                    .latency = 100 + k,
                                    .missed = 1,
                                    .size = 9,
                                    .bytes = 9,
                                    .operation = (enum operation)(k % 2),
                                    .verdict = k % 3 ? VERDICT_NONE : VERDICT_ERROR};
            stats_record(&stats, &sample);
            sample.verdict = k % 3 ? VERDICT_CACHED : VERDICT_ERROR;
            stats_record(&expected, &sample);
        }
        assert_int_equal(stats.latency.count, 6);
        stats_reject(&stats);
        assert_int_equal(stats.latency.count, 0);
        assert_int_equal(stats.cached, 6);
        assert_memory_equal(&stats, &expected, sizeof(stats));
    }
}

TEST(clearing_reaches_the_shortest_and_the_longest)
{
    struct stats stats = {.corrected_interval = 1000000000},
                 empty = {.corrected_interval = 1000000000};
    record_times(&stats, 0, 1);
    record_times(&stats, INT64_MAX, INT64_MAX - 1);
    assert_int_equal(stats.latencies.bins[HISTOGRAM_BINS - 1], 1);
    stats_clear(&stats);
    assert_memory_equal(&stats, &empty, sizeof(stats));
}

TEST(what_was_merged_is_cleared_too)
{
    struct stats stats = {.corrected_interval = 10}, more = {.corrected_interval = 10},
                 empty = {.corrected_interval = 10};
    record_times(&stats, 500, 400);
    record_times(&more, 100, 50);
    record_times(&more, 90000, 80000);
    stats_merge(&stats, &more);
    stats_clear(&stats);
    assert_memory_equal(&stats, &empty, sizeof(stats));
}

TEST(merging_adds_every_distribution)
{
    struct stats stats = {.corrected_interval = 100}, more = {.corrected_interval = 100};
    record_times(&stats, 120, 100);
    record_times(&more, 250, 240);
    record_times(&more, 20, 0);
    stats.missed = 3, stats.last_end = 70;
    more.missed = 40, more.last_end = 60;
    stats_merge(&stats, &more);
    static const int latencies[] = {120, 250, 20}, syncs[] = {100, 240},
                     corrected[] = {120, 20, 250, 150, 50, 20};
    struct histogram expected[3] = {{0}};
    for (int i = 0; i < 3; i++)
        histogram_record(&expected[0], latencies[i]);
    for (int i = 0; i < 2; i++)
        histogram_record(&expected[1], syncs[i]);
    for (int i = 0; i < 6; i++)
        histogram_record(&expected[2], corrected[i]);
    assert_memory_equal(&stats.latencies, &expected[0], sizeof(expected[0]));
    assert_memory_equal(&stats.sync.histogram, &expected[1], sizeof(expected[1]));
    assert_memory_equal(&stats.corrected, &expected[2], sizeof(expected[2]));
    assert_int_equal(stats.sync.moments.count, 2);
    assert_int_equal(stats.sync.moments.sum, 340);
    assert_int_equal(stats.missed, 43);
    assert_int_equal(stats.last_end, 70);
    assert_int_equal(stats.corrected_interval, 100);
    stats.last_end = 0;
    stats_merge(&stats, &more);
    assert_int_equal(stats.last_end, 60);
}

TEST(a_rate_is_per_second_and_zero_over_no_time)
{
    assert_rate(10, 1000000000, 10);
    assert_rate(1, 500000, 2000);
    assert_rate(3, 2000000000, 1.5);
    assert_rate(0, 5, 0);
    assert_true(stats_rate(10, 0) == 0);
    assert_true(stats_rate(10, -1) == 0);
}

/* 5 requests of 4096 bytes, 2 ms each: one at a time 500 per second, 2048000 bytes. */
TEST(own_rates_are_over_the_busy_time)
{
    static const struct {
        int64_t busy;
        double iops, bps;
    } cases[] = {{0, 500, 2048000},
                 {10000000, 500, 2048000},
                 {5000000, 1000, 4096000},
                 {2000000, 2500, 10240000},
                 {4000000000000, 0.00125, 5.12}};
    struct stats stats = stats_of(5, 2000000);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        stats.busy_time = cases[i].busy;
        assert_true(stats_iops(&stats) == cases[i].iops);
        assert_true(stats_bps(&stats) == cases[i].bps);
    }
}

/* Requests that do not count have bytes, but no time. */
TEST(own_rates_leave_out_what_does_not_count)
{
    struct stats stats = stats_of(5, 2000000);
    struct sample warmup = sample_of(9000000, VERDICT_WARMUP);
    stats_record(&stats, &warmup);
    assert_true(stats_iops(&stats) == 500);
    assert_true(stats_bps(&stats) == 2048000);
}

TEST(own_rates_of_nothing_are_zero)
{
    struct stats none = {0}, timeless = stats_of(3, 0);
    assert_true(stats_iops(&none) == 0 && stats_bps(&none) == 0);
    assert_true(stats_iops(&timeless) == 0 && stats_bps(&timeless) == 0);
}

TEST(clearing_forgets_the_busy_time)
{
    struct stats stats = stats_of(5, 1000), empty = {.corrected_interval = 70};
    stats.corrected_interval = 70;
    stats.busy_time = 900;
    record_times(&stats, 90, 80);
    stats_clear(&stats);
    assert_memory_equal(&stats, &empty, sizeof(stats));
}

/* The steps of a sweep, of which some have one request at a time. */
TEST(merging_adds_busy_times)
{
    struct stats stats = stats_of(2, 1000000), more = stats_of(3, 2000000), none = {0};
    stats_merge(&stats, &none);
    assert_int_equal(stats.busy_time, 0);
    more.busy_time = 3000000; /* two at a time */
    stats_merge(&stats, &more);
    assert_int_equal(stats.busy_time, 5000000);
    assert_true(stats_iops(&stats) == 1000);
    stats_merge(&stats, &none);
    assert_int_equal(stats.busy_time, 5000000);
}
