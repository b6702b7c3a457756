/* Limits: their syntax, and the statistics that keep them. */
#include "support.h"

#include "base/time.h"
#include "stats/percentile.h"
#include "stats/stats.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define NO_NAME "not one of min, avg, max, mdev, iops and percentiles such as p99"
#define NO_LIMIT "a limit is missing, as in p99=10ms"
#define NO_TIME "not a time such as 1, 0.5s, 100ms, 20us, 1/100, 2min"
#define NO_COUNT "not a number with an optional suffix da, k, M, G, T, P, E"

static struct slo
slo_of(const char *text)
{
    struct slos list = {0};
    const char *wrong = slos_add(&list, text);
    if (wrong)
        fail_msg("%s: %s", text, wrong);
    assert_int_equal(list.count, 1);
    return list.list[0];
}

/* 1 ms, 2 ms, and so on. */
static struct stats
stats_of(int count)
{
    struct stats stats = {0};
    struct sample sample = {.size = 4096, .bytes = 4096, .verdict = VERDICT_NONE};
    for (int i = 1; i <= count; i++) {
        sample.latency = i * MS;
        stats_record(&stats, &sample);
    }
    return stats;
}

static void
names_and_limits_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *text, *name;
        enum slo_metric metric;
        int64_t billionths, limit;
    } cases[] = {
        {"min=1us", "min", SLO_MIN, 0, 1000},
        {"avg=2", "avg", SLO_AVG, 0, 2000000000},
        {"max=1.5ms", "max", SLO_MAX, 0, 1500000},
        {"mdev=0", "mdev", SLO_MDEV, 0, 0},
        {"iops=1.5k", "iops", SLO_IOPS, 0, 1500},
        {"p99=10ms", "p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {"p99.99=1/100", "p99.99", SLO_PERCENTILE, 999900000, 10 * MS},
        {"p0.5=1ns", "p0.5", SLO_PERCENTILE, 5000000, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].text);
        char name[24];
        assert_int_equal(slo.metric, cases[i].metric);
        assert_int_equal(slo.percentile.billionths, cases[i].billionths);
        assert_int_equal(slo.limit, cases[i].limit);
        assert_string_equal(slo_name(&slo, name), cases[i].name);
    }
}

static void
what_is_no_limit_is_refused_and_not_added(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", NO_NAME},          {"x", NO_NAME},        {"foo=1ms", NO_NAME},
        {"=1", NO_NAME},        {"=", NO_NAME},        {"p=1ms", NO_NAME},
        {"p0=1", NO_NAME},      {"p100=1ms", NO_NAME}, {"p101=1", NO_NAME},
        {"p-1=1", NO_NAME},     {"pp99=1", NO_NAME},   {"p99x=1", NO_NAME},
        {"P99=1", NO_NAME},     {"ma=1ms", NO_NAME},   {"maxi=1ms", NO_NAME},
        {" max=1ms", NO_NAME},  {"p99", NO_LIMIT},     {"iops", NO_LIMIT},
        {"p99=", NO_TIME},      {"p99=-1", NO_TIME},   {"p99=10k", NO_TIME},
        {"p99=1ms,", NO_TIME},  {"max==1", NO_TIME},   {"iops=", NO_COUNT},
        {"iops=abc", NO_COUNT}, {"iops=-1", NO_COUNT}, {"iops=1ms", NO_COUNT},
    };
    struct slos list = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *wrong = slos_add(&list, cases[i][0]);
        if (!wrong || strcmp(wrong, cases[i][1]) != 0)
            fail_msg("'%s': %s", cases[i][0], wrong ? wrong : "taken");
    }
    assert_int_equal(list.count, 0);
}

static void
sixteen_are_kept_in_order_and_no_more(void **state)
{
    (void)state;
    struct slos list = {0};
    char text[32];
    for (int i = 1; i <= 16; i++) {
        snprintf(text, sizeof(text), "max=%dns", i);
        assert_null(slos_add(&list, text));
    }
    assert_string_equal(slos_add(&list, "max=17ns"), "more than 16 limits");
    assert_int_equal(list.count, 16);
    for (int i = 0; i < 16; i++)
        assert_int_equal(list.list[i].limit, i + 1);
}

/*
 * Latencies of 1 to 100 ms. The average is 50.5 ms; the deviation the root of (100^2 - 1)
 * / 12 ms^2; 100 requests in 5.05 s are 19.8 per second. 50 ms lie in the step from
 * 49.807360 ms, 2^18 ns wide, 99 ms in that from 98.566144 ms, 2^19 ns wide.
 */
static void
a_limit_that_is_met_exactly_is_kept(void **state)
{
    (void)state;
    static const struct {
        const char *kept, *broken;
        int64_t value;
    } cases[] = {
        {"min=1ms", "min=999999ns", MS},
        {"avg=50500us", "avg=50499999ns", 50500000},
        {"max=100ms", "max=99999999ns", 100 * MS},
        {"mdev=28866070ns", "mdev=28866069ns", 28866070},
        {"iops=19", "iops=20", 19},
        {"p50=49938432ns", "p50=49938431ns", 49938432},
        {"p99=98828288ns", "p99=98828287ns", 98828288},
    };
    struct stats stats = stats_of(100);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo kept = slo_of(cases[i].kept), broken = slo_of(cases[i].broken);
        int64_t value = -1;
        if (slo_check(&kept, &stats, &value) != SLO_MET || value != cases[i].value)
            fail_msg("%s: %lld", cases[i].kept, (long long)value);
        value = -1;
        if (slo_check(&broken, &stats, &value) != SLO_BROKEN || value != cases[i].value)
            fail_msg("%s: %lld", cases[i].broken, (long long)value);
    }
}

static void
too_few_requests_are_told_with_how_many_it_takes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int needs;
    } cases[] = {
        {"min=1h", 1},   {"avg=1h", 1},      {"max=1h", 1},     {"mdev=1h", 1},
        {"iops=0", 1},   {"p50=1h", 2},      {"p75=1h", 4},     {"p90=1h", 10},
        {"p95=1h", 20},  {"p10=1h", 2},      {"p66=1h", 3},     {"p67=1h", 4},
        {"p99=1h", 100}, {"p99.9=1h", 1000}, {"p99.5=1h", 200},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].text);
        struct stats few = stats_of(cases[i].needs - 1),
                     enough = stats_of(cases[i].needs);
        int64_t value = -1;
        assert_int_equal(slo_check(&slo, &few, &value), SLO_UNKNOWN);
        assert_int_equal(value, cases[i].needs);
        assert_int_equal(slo_check(&slo, &enough, &value), SLO_MET);
    }
}

/* 50 of 5 ms and one of 1 s every 100 ms: ten waits of up to 900 ms beside. */
static void
corrected_percentiles_are_what_is_limited(void **state)
{
    (void)state;
    struct stats plain = {0}, corrected = {.every = 100 * MS};
    struct sample sample = {.size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    for (int i = 0; i < 51; i++) {
        sample.latency = i < 50 ? 5 * MS : 1000 * MS;
        stats_record(&plain, &sample);
        stats_record(&corrected, &sample);
    }
    struct slo slo = slo_of("p90=10ms"), most = slo_of("max=1s"),
               least = slo_of("iops=40");
    int64_t value;
    assert_int_equal(slo_check(&slo, &plain, &value), SLO_MET);
    assert_int_equal(slo_check(&slo, &corrected, &value), SLO_BROKEN);
    assert_in_range(value, 398 * MS, 402 * MS);
    assert_int_equal(slo_check(&most, &corrected, &value), SLO_MET);
    assert_int_equal(slo_check(&least, &corrected, &value), SLO_MET);
    assert_int_equal(value, 40);
}

/* 19.8 per second one at a time, 158.4 with eight; times stay as they are. */
static void
requests_per_second_are_over_the_busy_time(void **state)
{
    (void)state;
    static const struct {
        int together;
        const char *kept, *broken;
        int64_t value;
    } cases[] = {{1, "iops=19", "iops=20", 19},
                 {8, "iops=158", "iops=159", 158},
                 {1000, "iops=19.801k", "iops=19.802k", 19801}};
    struct stats stats = stats_of(100);
    struct slo average = slo_of("avg=50.5ms");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo kept = slo_of(cases[i].kept), broken = slo_of(cases[i].broken);
        int64_t value = -1;
        stats.busy = stats.latency.sum / cases[i].together;
        assert_int_equal(slo_check(&kept, &stats, &value), SLO_MET);
        assert_int_equal(value, cases[i].value);
        assert_int_equal(slo_check(&broken, &stats, &value), SLO_BROKEN);
        assert_int_equal(value, cases[i].value);
        assert_int_equal(slo_check(&average, &stats, &value), SLO_MET);
        assert_int_equal(value, 50500000);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_limits_are_read),
        cmocka_unit_test(what_is_no_limit_is_refused_and_not_added),
        cmocka_unit_test(sixteen_are_kept_in_order_and_no_more),
        cmocka_unit_test(a_limit_that_is_met_exactly_is_kept),
        cmocka_unit_test(too_few_requests_are_told_with_how_many_it_takes),
        cmocka_unit_test(corrected_percentiles_are_what_is_limited),
        cmocka_unit_test(requests_per_second_are_over_the_busy_time),
    };
    return cmocka_run_group_tests_name("slo", tests, NULL, NULL);
}
