/* Limits: their syntax, and the statistics that keep them. */
#include "mix.h"
#include "support.h"

#include "base/buffer.h"
#include "base/time.h"
#include "base/units.h"
#include "stats/slo.h"
#include "stats/stats.h"

#define NO_NAME \
    "unknown figure; use min, avg, max, mdev, iops, bps or a percentile such as p99"
#define NO_RATE "a part of the time has no rate"
#define NO_OWN_RATE "a rate counts reads and writes together"
#define NO_LIMIT "a limit is missing, as in p99=10ms"
#define NO_LIST "one limit at a time; give the option again for each other"
#define NO_TIME "not a time such as 10ms, 0.5s or 2min"
#define NO_PERCENT "not a percentage such as +10% or -2.5%"
#define NO_RELATIVE "only a percentile of all requests can be relative, as in p99=+10%"
#define NO_MORE "must be above -100 %"
#define NO_COUNT "not a count such as 10, 5k or 1M"
#define NO_SIZE "not a size such as 4096, 4k or 1.5m"

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

/* Returns the verdict; VALUE becomes the figure, or how many values it takes to know. */
static enum slo_verdict
check(const struct slo *slo, const struct stats *stats, int64_t *value)
{
    struct slo_answer answer = slo_answer(slo, stats);
    *value = answer.verdict == SLO_UNKNOWN ? (int64_t)answer.samples_for_certainty
                                           : answer.value;
    return answer.verdict;
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

TEST(names_and_limits_are_read)
{
    static const struct {
        const char *text, *name;
        enum slo_metric metric;
        int64_t billionths, limit;
    } cases[] = {
        {"min=1us", "min", SLO_MIN, 0, 1000},
        {"avg=2s", "avg", SLO_AVG, 0, 2000000000},
        {"max=1.5ms", "max", SLO_MAX, 0, 1500000},
        {"mdev=0", "mdev", SLO_MDEV, 0, 0},
        {"iops=1.5k", "iops", SLO_IOPS, 0, 1500},
        {"p99=10ms", "p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {"p99.99=1/100s", "p99.99", SLO_PERCENTILE, 999900000, 10 * MS},
        {"p0.5=1ns", "p0.5", SLO_PERCENTILE, 5000000, 1},
        {"device-p99=1ms", "device-p99", SLO_PERCENTILE, 990000000, MS},
        {"submit-min=1us", "submit-min", SLO_MIN, 0, 1000},
        {"queue-mdev=0", "queue-mdev", SLO_MDEV, 0, 0},
        {"loaded-p99=10ms", "loaded-p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {"idle-avg=1s", "idle-avg", SLO_AVG, 0, SECOND},
        {"recovered-device-p99=1s", "recovered-device-p99", SLO_PERCENTILE, 990000000,
         SECOND},
        {"return-p000099.9999999=1s", "return-p000099.9999999", SLO_PERCENTILE, 999999999,
         SECOND},
        {"sync-p99=10ms", "sync-p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {"read-avg=1us", "read-avg", SLO_AVG, 0, 1000},
        {"write-max=1s", "write-max", SLO_MAX, 0, SECOND},
        {"bps=100m", "bps", SLO_BPS, 0, 100 << 20},
        {"loaded-bps=4k", "loaded-bps", SLO_BPS, 0, 4096},
        {"bw=200m", "bps", SLO_BPS, 0, 200 << 20},
        {"p99<10ms", "p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {"p99<=10ms", "p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {"p99 < 10 ms", "p99", SLO_PERCENTILE, 990000000, 10 * MS},
        {" max <= 1.5 ms ", "max", SLO_MAX, 0, 1500000},
        {"iops>1k", "iops", SLO_IOPS, 0, 1000},
        {"iops >= 1.5 k", "iops", SLO_IOPS, 0, 1500},
        {"bps >= 200 MiB/s", "bps", SLO_BPS, 0, 200 << 20},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].text);
        char name[SLO_NAME_SIZE];
        assert_int_equal(slo.metric, cases[i].metric);
        assert_int_equal(slo.percentile.billionths, cases[i].billionths);
        assert_int_equal(slo.limit, cases[i].limit);
        assert_string_equal(slo_name(&slo, name), cases[i].name);
    }
}

TEST(what_is_no_limit_is_refused_and_not_added)
{
    static const char *const cases[][2] = {
        {"", NO_NAME},
        {"x", NO_NAME},
        {"foo=1ms", NO_NAME},
        {"=1", NO_NAME},
        {"=", NO_NAME},
        {"p=1ms", NO_NAME},
        {"p0=1", NO_NAME},
        {"p100=1ms", NO_NAME},
        {"p101=1", NO_NAME},
        {"p-1=1", NO_NAME},
        {"pp99=1", NO_NAME},
        {"p99x=1", NO_NAME},
        {"P99=1", NO_NAME},
        {"ma=1ms", NO_NAME},
        {"maxi=1ms", NO_NAME},
        {"max=1 0ms", NO_TIME},
        {"max<", NO_TIME},
        {"max>1ms", "a time can have an upper limit only, as in p99<10ms"},
        {"iops<1k", "a rate can have a lower limit only, as in iops>1k"},
        {"p99=10", "10 what? write p99=10ms or p99=10s"},
        {"device-max=0.5", "0.5 what? write device-max=0.5ms or device-max=0.5s"},
        {"p99 < 10", "10 what? write p99=10ms or p99=10s"},
        {"iops=1k/s", NO_COUNT},
        {"p99", NO_LIMIT},
        {"iops", NO_LIMIT},
        {"p99=", NO_TIME},
        {"p99=-1", NO_TIME},
        {"p99=10k", NO_TIME},
        {"p99=1ms,", NO_TIME},
        {"p99=1,5ms", NO_TIME},
        {"p99=1ms,iops=1k", NO_LIST},
        {"iops=1k, p99=1ms", NO_LIST},
        {"max==1", NO_TIME},
        {"iops=", NO_COUNT},
        {"iops=abc", NO_COUNT},
        {"iops=-1", NO_COUNT},
        {"iops=1ms", NO_COUNT},
        {"bps=", NO_SIZE},
        {"bps=1ms", NO_SIZE},
        {"device-iops=1", NO_RATE},
        {"device-bps=1", NO_RATE},
        {"read-bps=1", NO_OWN_RATE},
        {"sync-iops=1", NO_RATE},
        {"read-iops=1", NO_OWN_RATE},
        {"write-iops=1", NO_OWN_RATE},
        {"read=1ms", NO_NAME},
        {"read-=1ms", NO_NAME},
        {"sync-write-p99=1ms", NO_NAME},
        {"device=1ms", NO_NAME},
        {"idle=1ms", NO_NAME},
        {"idle-=1ms", NO_NAME},
        {"device-idle-p99=1ms", NO_NAME},
        {"idle-loaded-p99=1ms", NO_NAME},
        {"device-=1ms", NO_NAME},
        {"-p99=1ms", NO_NAME},
        {"disk-p99=1ms", NO_NAME},
        {"device-p99", NO_LIMIT},
        {"device-p0=1", NO_NAME},
        {"devicep99=1ms", NO_NAME},
        {"device-p99=x", NO_TIME},
        {"device-queue-p99=1ms", NO_NAME},
        {"p99-device=1ms", NO_NAME},
        {"iops=+10%", NO_RELATIVE},
        {"max=+10%", NO_RELATIVE},
        {"avg=-10%", NO_RELATIVE},
        {"device-p99=+10%", NO_RELATIVE},
        {"sync-p99=+10%", NO_RELATIVE},
        {"read-p99=+10%", NO_RELATIVE},
        {"loaded-p99=+1%", NO_RELATIVE},
        {"foo=+1%", NO_NAME},
        {"p99=+%", NO_PERCENT},
        {"p99=%", NO_TIME},
        {"p99=10%", NO_TIME},
        {"p99=+10", NO_PERCENT},
        {"p99=+1 0% ", NO_PERCENT},
        {"p99=+-10%", NO_PERCENT},
        {"p99=++10%", NO_PERCENT},
        {"p99=+10%%", NO_PERCENT},
        {"p99=+1.%", NO_PERCENT},
        {"p99=+.5%", NO_PERCENT},
        {"p99=+1,5%", NO_PERCENT},
        {"p99=+1.23456%", NO_PERCENT},
        {"p99=+1234567890%", NO_PERCENT},
        {"p99=+1e2%", NO_PERCENT},
        {"p99=+ 1 1%", NO_PERCENT},
        {"p99=-100%", NO_MORE},
        {"p99=-100.0001%", NO_MORE},
    };
    struct slos list = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        const char *wrong = slos_add(&list, cases[i][0]);
        if (!wrong || strcmp(wrong, cases[i][1]) != 0)
            fail_msg("'%s': %s", cases[i][0], wrong ? wrong : "taken");
    }
    assert_int_equal(list.count, 0);
}

/* In millionths, and written as they are read. */
TEST(limits_relative_to_another_run_are_read)
{
    static const struct {
        const char *text;
        int64_t limit;
        const char *written;
    } cases[] = {
        {"p99=+10%", 100000, "+10%"},
        {"p50=-2.5%", -25000, "-2.5%"},
        {"p99.9=+0%", 0, "+0%"},
        {"p90=-0%", 0, "+0%"},
        {"p50=+0.0001%", 1, "+0.0001%"},
        {"p50=-99.9999%", -999999, "-99.9999%"},
        {"p50=+100%", 1000000, "+100%"},
        {"p50=+007.2500%", 72500, "+7.25%"},
        {"p50=+999999999.9999%", 9999999999999, "+999999999.9999%"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].text);
        char limit[UNITS_TEXT];
        assert_true(slo.is_relative);
        assert_int_equal(slo.metric, SLO_PERCENTILE);
        assert_int_equal(slo.scope, SCOPE_ALL);
        assert_int_equal(slo.limit, cases[i].limit);
        assert_string_equal(slo_limit(&slo, limit), cases[i].written);
    }
    assert_false(slo_of("p99=10ms").is_relative);
}

/* A run by itself keeps it, however few its requests are. */
TEST(a_limit_relative_to_another_run_is_none_of_one)
{
    struct slo slo = slo_of("p99=-99%");
    struct slos list = {.count = 1, .list = {slo}};
    struct stats none = {0}, some = stats_of(100);
    int64_t value;
    assert_int_equal(check(&slo, &none, &value), SLO_MET);
    assert_int_equal(check(&slo, &some, &value), SLO_MET);
    assert_int_equal(slos_check(&list, &none), SLO_MET);
}

TEST(sixteen_are_kept_in_order_and_no_more)
{
    struct slos list = {0};
    char text[32];
    for (int i = 1; i <= 16; i++) {
        snprintf(text, sizeof(text), "max=%dns", i);
        assert_null(slos_add(&list, text));
    }
    assert_string_equal(slos_add(&list, "max=17ns"), "there can be at most 16 limits");
    assert_int_equal(list.count, 16);
    for (int i = 0; i < 16; i++)
        assert_int_equal(list.list[i].limit, i + 1);
}

/*
 * Latencies of 1 to 100 ms. The average is 50.5 ms; the deviation the root of (100^2 - 1)
 * / 12 ms^2; 100 requests in 5.05 s are 19.8 per second. 50 ms lie in the step from
 * 49.807360 ms, 2^18 ns wide, 99 ms in that from 98.566144 ms, 2^19 ns wide.
 */
TEST(a_limit_that_is_met_exactly_is_kept)
{
    static const struct {
        const char *met, *broken;
        int64_t value;
    } cases[] = {
        {"min=1ms", "min=999999ns", MS},
        {"avg=50500us", "avg=50499999ns", 50500000},
        {"max=100ms", "max=99999999ns", 100 * MS},
        {"mdev=28866070ns", "mdev=28866069ns", 28866070},
        {"iops=19", "iops=20", 19},
        {"bps=81108", "bps=81109", 81108}, /* 19.8 times 4 KiB */
        {"p50=49938432ns", "p50=49938431ns", 49938432},
        {"p99=98828288ns", "p99=98828287ns", 98828288},
    };
    struct stats stats = stats_of(100);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo met = slo_of(cases[i].met), broken = slo_of(cases[i].broken);
        int64_t value = -1;
        if (check(&met, &stats, &value) != SLO_MET || value != cases[i].value)
            fail_msg("%s: %lld", cases[i].met, (long long)value);
        value = -1;
        if (check(&broken, &stats, &value) != SLO_BROKEN || value != cases[i].value)
            fail_msg("%s: %lld", cases[i].broken, (long long)value);
    }
}

TEST(too_few_requests_are_told_with_how_many_it_takes)
{
    static const struct {
        const char *text;
        int needs;
    } cases[] = {
        {"min=1h", 1}, {"avg=1h", 1},  {"max=1h", 1},     {"mdev=1h", 1},
        {"iops=0", 1}, {"bps=0", 1},   {"p50=1h", 1},     {"p75=1h", 3},
        {"p90=1h", 9}, {"p95=1h", 19}, {"p10=1h", 1},     {"p66=1h", 2},
        {"p67=1h", 3}, {"p99=1h", 99}, {"p99.9=1h", 999}, {"p99.5=1h", 199},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].text);
        struct stats few = stats_of(cases[i].needs - 1),
                     enough = stats_of(cases[i].needs);
        int64_t value = -1;
        assert_int_equal(check(&slo, &few, &value), SLO_UNKNOWN);
        assert_int_equal(value, cases[i].needs);
        assert_int_equal(check(&slo, &enough, &value), SLO_MET);
    }
}

/* Returns the statistics of COUNT requests, ABOVE of which took a second, the others 1
 * ms.
 */
static struct stats
above_of(int count, int above)
{
    struct stats stats = {0};
    for (int i = 0; i < count; i++) {
        struct sample sample = {.latency = i < above ? SECOND : MS,
                                .verdict = VERDICT_NONE};
        stats_record(&stats, &sample);
    }
    return stats;
}

/*
 * Of values of which one in a hundred is above 10 ms, 1 of 5 is with a chance of 4.90 %,
 * 1 of 6 with 5.85, 1 of 19 with 17.4, 2 of 19 with 1.53, 2 of 50 with 8.94, 3 of 50 with
 * 1.38, 3 of 98 with 7.57 and 4 of 98 with 1.72 (sums of binomial terms).
 */
TEST(a_limit_is_broken_as_soon_as_the_values_refute_it)
{
    static const struct {
        int count, above;
        enum slo_verdict verdict;
    } cases[] = {
        {1, 0, SLO_UNKNOWN},  {1, 1, SLO_BROKEN},   {5, 1, SLO_BROKEN},
        {6, 1, SLO_UNKNOWN},  {19, 1, SLO_UNKNOWN}, {19, 2, SLO_BROKEN},
        {19, 19, SLO_BROKEN}, {50, 2, SLO_UNKNOWN}, {50, 3, SLO_BROKEN},
        {98, 0, SLO_UNKNOWN}, {98, 3, SLO_UNKNOWN}, {98, 4, SLO_BROKEN},
        {99, 0, SLO_MET},     {99, 1, SLO_BROKEN},  {100, 1, SLO_MET},
    };
    struct slo slo = slo_of("p99=10ms");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stats stats = above_of(cases[i].count, cases[i].above);
        int64_t value;
        assert_int_equal(check(&slo, &stats, &value), cases[i].verdict);
        int64_t right = cases[i].verdict == SLO_UNKNOWN  ? 99
                        : cases[i].verdict == SLO_BROKEN ? SECOND
                                                         : MS;
        assert_in_range(value, right, right + right / 250);
        assert_int_equal(slo_answer(&slo, &stats).min_samples, 99);
    }
}

/* 299 is the least power of 0.99 below 0.05; 473 are enough with one value above. */
TEST(an_answer_says_whether_it_is_certain)
{
    static const struct {
        const char *limit;
        int count, above;
        enum slo_verdict verdict;
        bool certain;
    } cases[] = {
        {"p99=10ms", 98, 0, SLO_UNKNOWN, false}, {"p99=10ms", 99, 0, SLO_MET, false},
        {"p99=10ms", 298, 0, SLO_MET, false},    {"p99=10ms", 299, 0, SLO_MET, true},
        {"p99=10ms", 472, 1, SLO_MET, false},    {"p99=10ms", 473, 1, SLO_MET, true},
        {"p99=10ms", 100, 1, SLO_MET, false},   /* it is at the limit */
        {"p99=10ms", 99, 1, SLO_BROKEN, false}, /* nearly */
        {"p99=10ms", 19, 2, SLO_BROKEN, true},   {"p99=10ms", 359, 4, SLO_BROKEN, false},
        {"p99=10ms", 200, 1, SLO_MET, false},    {"p90=10ms", 20, 3, SLO_BROKEN, false},
        {"p50=10ms", 4, 0, SLO_MET, false},      {"p50=10ms", 10, 1, SLO_MET, true},
        {"p50=10ms", 10, 2, SLO_MET, false},     {"p50=10ms", 10, 6, SLO_BROKEN, false},
        {"max=10ms", 1, 0, SLO_MET, true},       {"iops=1", 9, 0, SLO_MET, true},
        {"avg=1ms", 2, 1, SLO_BROKEN, true},     {"p99=+10%", 9, 0, SLO_MET, true},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stats stats = above_of(cases[i].count, cases[i].above);
        struct slo slo = slo_of(cases[i].limit);
        struct slo_answer answer = slo_answer(&slo, &stats);
        if (answer.verdict != cases[i].verdict || answer.is_certain != cases[i].certain)
            fail_msg("%s of %d, %d above: %d, %d", cases[i].limit, cases[i].count,
                     cases[i].above, answer.verdict, answer.is_certain);
        assert_int_equal(answer.count, cases[i].count);
    }
}

/* Ten waits of up to 900 ms are no more values: one of 20 requests refutes nothing, and
 * one of 99 breaks the limit, but not for certain. */
TEST(waits_do_not_refute_a_limit)
{
    struct stats few = {.corrected_interval = 100 * MS},
                 enough = {.corrected_interval = 100 * MS};
    for (int i = 0; i < 99; i++) {
        struct sample sample = {.latency = i == 9 ? SECOND : MS, .verdict = VERDICT_NONE};
        if (i < 20)
            stats_record(&few, &sample);
        stats_record(&enough, &sample);
    }
    struct slo slo = slo_of("p99=10ms");
    struct slo_answer answer = slo_answer(&slo, &few);
    assert_int_equal(answer.verdict, SLO_UNKNOWN);
    answer = slo_answer(&slo, &enough);
    assert_int_equal(answer.verdict, SLO_BROKEN);
    assert_false(answer.is_certain);
}

/* 50 of 5 ms and one of 1 s every 100 ms: ten waits of up to 900 ms beside. */
TEST(corrected_percentiles_are_what_is_limited)
{
    struct stats plain = {0}, corrected = {.corrected_interval = 100 * MS};
    struct sample sample = {.size = 1, .bytes = 1, .verdict = VERDICT_NONE};
    for (int i = 0; i < 51; i++) {
        sample.latency = i < 50 ? 5 * MS : 1000 * MS;
        stats_record(&plain, &sample);
        stats_record(&corrected, &sample);
    }
    struct slo slo = slo_of("p90=10ms"), most = slo_of("max=1s"),
               least = slo_of("iops=40");
    int64_t value;
    assert_int_equal(check(&slo, &plain, &value), SLO_MET);
    assert_int_equal(check(&slo, &corrected, &value), SLO_BROKEN);
    assert_in_range(value, 398 * MS, 402 * MS);
    assert_int_equal(check(&most, &corrected, &value), SLO_MET);
    assert_int_equal(check(&least, &corrected, &value), SLO_MET);
    assert_int_equal(value, 40);
}

/* 19.8 per second one at a time, 158.4 with eight; times stay as they are. */
TEST(requests_per_second_are_over_the_busy_time)
{
    static const struct {
        int together;
        const char *met, *broken;
        int64_t value;
    } cases[] = {{1, "iops=19", "iops=20", 19},
                 {8, "iops=158", "iops=159", 158},
                 {1000, "iops=19.801k", "iops=19.802k", 19801}};
    struct stats stats = stats_of(100);
    struct slo average = slo_of("avg=50.5ms");
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo met = slo_of(cases[i].met), broken = slo_of(cases[i].broken);
        int64_t value = -1;
        stats.busy_time = stats.latency.sum / cases[i].together;
        assert_int_equal(check(&met, &stats, &value), SLO_MET);
        assert_int_equal(value, cases[i].value);
        assert_int_equal(check(&broken, &stats, &value), SLO_BROKEN);
        assert_int_equal(value, cases[i].value);
        assert_int_equal(check(&average, &stats, &value), SLO_MET);
        assert_int_equal(value, 50500000);
    }
}

/* 1 ms, 2 ms, and so on, of which the COUNT with an odd number have been split: all their
 * time into a part of them. */
static struct stats
split_of(int count, enum part part)
{
    struct stats stats = {0};
    struct sample sample = {.size = 4096, .bytes = 4096, .verdict = VERDICT_NONE};
    for (int i = 1; i <= 2 * count; i++) {
        sample.index = (uint64_t)i;
        sample.latency = i * MS;
        sample.split = (struct split){.result = i % 2 ? SPLIT_DONE : SPLIT_LOST};
        sample.split.is_stacked = part == PART_STACK;
        sample.split.part[part] = i % 2 ? sample.latency : 0;
        stats_record(&stats, &sample);
        breakdown_record(&stats.breakdown, &sample);
    }
    return stats;
}

/* 1, 3 ... 199 ms in the part, 0 in the others. */
TEST(a_limit_of_a_part_is_compared_with_that)
{
    static const struct {
        const char *met, *broken;
        int64_t value;
    } cases[] = {
        {"min=1ms", "min=999999ns", MS},
        {"avg=100ms", "avg=99999999ns", 100 * MS},
        {"max=199ms", "max=198999999ns", 199 * MS},
        {"p50=100ms", "p50=98ms", 98828288},
    };
    for (enum part part = 0; part < PARTS; part++) {
        struct stats stats = split_of(100, part);
        stats.corrected_interval = MS; /* nothing of a part is corrected */
        for (size_t i = 0; i < LENGTH(cases); i++) {
            char text[64];
            int64_t value = -1;
            snprintf(text, sizeof(text), "%s-%s", part_name(part), cases[i].met);
            struct slo slo = slo_of(text);
            assert_int_equal(check(&slo, &stats, &value), SLO_MET);
            assert_int_equal(value, cases[i].value);
            snprintf(text, sizeof(text), "%s-%s", part_name(part), cases[i].broken);
            slo = slo_of(text);
            assert_int_equal(check(&slo, &stats, &value), SLO_BROKEN);
            assert_int_equal(value, cases[i].value);
        }
    }
}

TEST(a_limit_of_a_part_takes_as_many_that_were_split)
{
    struct slo slo = slo_of("queue-p99=1h"), least = slo_of("queue-min=1h");
    struct stats few = split_of(98, PART_QUEUE), enough = split_of(99, PART_QUEUE);
    struct stats none = stats_of(1000);
    int64_t value = -1;
    assert_int_equal(check(&slo, &few, &value), SLO_UNKNOWN);
    assert_int_equal(value, 99);
    assert_int_equal(latencies_of(&few, slo.scope).moments->count, 98);
    assert_int_equal(check(&slo, &enough, &value), SLO_MET);
    assert_int_equal(check(&least, &none, &value), SLO_UNKNOWN);
    assert_int_equal(value, 1);
}

/* Reads of 1, 3 ... 199 ms in turn with writes of 1002, 1004 ... 1200 ms, of which 500,
 * 501 ... 599 ms are the flush. */
static struct stats
mixed(void)
{
    struct stats stats = {.mix = mix_of("rw")};
    for (int i = 0; i < 200; i++) {
        bool writes = i % 2;
        struct sample sample = {.latency = (i + 1 + (writes ? 1000 : 0)) * MS,
                                .sync = writes ? (500 + i / 2) * MS : 0,
                                .operation = writes ? OPERATION_WRITE : OPERATION_READ,
                                .verdict = VERDICT_NONE};
        stats_record(&stats, &sample);
    }
    return stats;
}

/* The 50th of 100: its step is at most 0.8 % wide. */
TEST(a_limit_of_an_operation_or_of_flushes_is_compared_with_that)
{
    static const struct {
        const char *text;
        int64_t value;
        bool about;
    } cases[] = {
        {"read-min=0", MS, false},         {"read-avg=0", 100 * MS, false},
        {"read-max=0", 199 * MS, false},   {"read-mdev=0", 57732140, false},
        {"read-p50=0", 99 * MS, true},     {"write-min=0", 1002 * MS, false},
        {"write-avg=0", 1101 * MS, false}, {"write-max=0", 1200 * MS, false},
        {"write-p50=0", 1100 * MS, true},  {"sync-min=0", 500 * MS, false},
        {"sync-avg=0", 549500000, false},  {"sync-max=0", 599 * MS, false},
        {"sync-mdev=0", 28866070, false},  {"sync-p50=0", 549 * MS, true},
        {"sync-p99=0", 598 * MS, true},    {"p50=0", 199 * MS, true},
        {"max=0", 1200 * MS, false},
    };
    struct stats stats = mixed();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].text);
        int64_t value = -1, near = cases[i].about ? cases[i].value / 200 : 0;
        assert_int_equal(check(&slo, &stats, &value), SLO_BROKEN);
        if (value < cases[i].value - near || value > cases[i].value + near)
            fail_msg("%s: %lld", cases[i].text, (long long)value);
        slo.limit = value;
        assert_int_equal(check(&slo, &stats, &value), SLO_MET);
    }
}

/* Whatever their times are; other limits are known, also after a clear and a merge. */
TEST(a_limit_of_flushes_that_did_not_reach_the_device_is_not_known)
{
    static const char *const limits[] = {"sync-max=1h", "sync-max=1ns", "sync-p50=1h"};
    struct stats stats = {.flushes_ignored = true}, sum = {0};
    stats_clear(&stats);
    for (uint64_t i = 1; i <= 9; i++) {
        struct sample sample = {.index = i, .latency = MS, .sync = MS / 2};
        sample.verdict = VERDICT_NONE;
        stats_record(&stats, &sample);
    }
    stats_merge(&sum, &stats);
    for (size_t i = 0; i < LENGTH(limits); i++) {
        struct slo slo = slo_of(limits[i]);
        struct slo_answer answer = slo_answer(&slo, &sum);
        assert_int_equal(answer.verdict, SLO_UNKNOWN);
        assert_string_equal(answer.reason, "no flush reached the device");
        assert_int_equal(answer.samples_for_certainty, 0);
        sum.flushes_ignored = false;
        assert_int_equal(slo_answer(&slo, &sum).verdict, i == 1 ? SLO_BROKEN : SLO_MET);
        sum.flushes_ignored = true;
    }
    struct slo all = slo_of("max=1h");
    assert_int_equal(slo_answer(&all, &sum).verdict, SLO_MET);
}

/* Requests from memory may be why a limit is kept, but not why it is broken. */
TEST(a_limit_is_not_known_to_be_kept_if_memory_answered_some)
{
    static const struct {
        const char *limit;
        enum slo_verdict verdict;
    } cases[] = {
        {"p50=1h", SLO_UNKNOWN},      {"max=1h", SLO_UNKNOWN},   {"iops=1", SLO_UNKNOWN},
        {"read-p50=1h", SLO_UNKNOWN}, {"write-p50=1h", SLO_MET}, {"p50=1ns", SLO_BROKEN},
        {"read-max=1ns", SLO_BROKEN},
    };
    struct stats stats = mixed();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slo slo = slo_of(cases[i].limit);
        stats.from_memory = 1;
        struct slo_answer answer = slo_answer(&slo, &stats);
        assert_int_equal(answer.verdict, cases[i].verdict);
        if (answer.verdict == SLO_UNKNOWN)
            assert_string_equal(answer.reason, "requests were answered from memory");
        stats.from_memory = 0;
        assert_int_equal(slo_answer(&slo, &stats).verdict == SLO_BROKEN,
                         cases[i].verdict == SLO_BROKEN);
    }
}

TEST(a_limit_of_an_operation_takes_as_many_of_it)
{
    static const char *const limits[] = {"read-p99.5=1h", "write-p99.5=1h",
                                         "sync-p99.5=1h", "p99.5=1h"};
    struct stats stats = mixed();
    for (size_t i = 0; i < LENGTH(limits); i++) {
        struct slo slo = slo_of(limits[i]);
        int64_t value;
        enum slo_verdict verdict = check(&slo, &stats, &value);
        assert_int_equal(verdict, i < 3 ? SLO_UNKNOWN : SLO_MET);
        if (i < 3)
            assert_int_equal(value, 199);
    }
}

TEST(the_names_to_choose_from_are_listed)
{
    struct buffer text = {0};
    slos_list(&text);
    assert_string_equal(text.text,
                        "p50=\np90=\np99=\np99.9=\nmin=\navg=\nmax=\nmdev=\n"
                        "iops=\nbps=\ndevice-p99=\nqueue-p99=\nsync-p99=\nread-p99=\n"
                        "write-p99=\nidle-p99=\nloaded-p99=\n");
    buffer_free(&text);
}

TEST(lists_are_written_as_they_are_read)
{
    static const char *const limits[] = {"p99=0.001s", "iops=1.5k", "device-max=2s",
                                         "p50=-02.50%"};
    struct slos list = {0};
    struct buffer text = {0};
    slos_text(&list, &text);
    assert_null(text.text);
    for (size_t i = 0; i < LENGTH(limits); i++)
        assert_null(slos_add(&list, limits[i]));
    slos_text(&list, &text);
    assert_string_equal(text.text, "p99=1ms,iops=1500,device-max=2s,p50=-2.5%");
    buffer_free(&text);
}

/* Of 1, 2, 3 ms. */
TEST(the_worst_verdict_of_a_list_holds)
{
    static const struct {
        const char *limits[2];
        enum slo_verdict verdict;
    } cases[] = {
        {{"max=3ms", "avg=2ms"}, SLO_MET},      {{"max=3ms", "p99=1h"}, SLO_UNKNOWN},
        {{"p99=1h", "max=3ms"}, SLO_UNKNOWN},   {{"max=2ms", "p99=1h"}, SLO_BROKEN},
        {{"p99=1h", "max=2999us"}, SLO_BROKEN}, {{"max=2ms", "min=1ms"}, SLO_BROKEN},
        {{"p99=1h", "p99.9=1h"}, SLO_UNKNOWN},
    };
    struct slos none = {0};
    struct stats stats = stats_of(3);
    assert_int_equal(slos_check(&none, &stats), SLO_MET);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slos list = {0};
        for (int k = 0; k < 2; k++)
            assert_null(slos_add(&list, cases[i].limits[k]));
        assert_int_equal(slos_check(&list, &stats), cases[i].verdict);
    }
}

/* Reads TEXT as a list of figures to print. */
static struct slos
figures_of(const char *text)
{
    struct slos list = {.count = 7};
    const char *wrong = slos_parse_figures(&list, text);
    if (wrong)
        fail_msg("%s: %s", text, wrong);
    return list;
}

TEST(figures_have_the_names_of_limits_and_counts)
{
    static const char text[] = "p99.9,min,avg,max,mdev,iops,bps,count,failed,missed,"
                               "read-p50,write-failed,sync-count,device-max,"
                               "loaded-read-p99,idle-iops";
    struct slos list = figures_of(text);
    char joined[256] = "", name[SLO_NAME_SIZE];
    for (int i = 0; i < list.count; i++) {
        size_t used = strlen(joined);
        snprintf(joined + used, sizeof(joined) - used, "%s%s", used ? "," : "",
                 slo_name(&list.list[i], name));
    }
    assert_string_equal(joined, text);
    list = figures_of("bw");
    assert_string_equal(slo_name(&list.list[0], name), "bps");
}

#define NO_FIGURE(name)                                                              \
    "unknown figure '" name "'; use min, avg, max, mdev, iops, bps, count, failed, " \
    "missed or a percentile such as p99"

#define NO_LAST "no figure follows the last comma; leave out the comma"
#define NO_FIRST "no figure stands before a comma; leave out the comma"

TEST(blanks_around_figures_are_skipped)
{
    char name[SLO_NAME_SIZE];
    struct slos list = figures_of("  p99 , read-max,iops ");
    assert_int_equal(list.count, 3);
    assert_string_equal(slo_name(&list.list[0], name), "p99");
    assert_string_equal(slo_name(&list.list[1], name), "read-max");
    assert_string_equal(slo_name(&list.list[2], name), "iops");
}

TEST(a_wrong_figure_is_refused_by_its_name)
{
    static const char *const cases[][2] = {
        {"", "no figure is named; use -print p99, for example"},
        {"  ", "no figure is named; use -print p99, for example"},
        {"p99,", NO_LAST},
        {"p99 , ", NO_LAST},
        {",", NO_FIRST},
        {",p99", NO_FIRST},
        {"p99, ,max", NO_FIRST},
        {"p99,iop,bps", NO_FIGURE("iop")},
        {"p99 iops", NO_FIGURE("p99 iops")},
        {"p99=1ms", NO_FIGURE("p99=1ms")},
        {"p100", NO_FIGURE("p100")},
        {"99", NO_FIGURE("99")},
        {"fsync-p99", NO_FIGURE("fsync-p99")},
        {"read-", NO_FIGURE("read-")},
        {"read-loaded-p99", NO_FIGURE("read-loaded-p99")},
        {"a123456789b123456789c123456789d123456789e",
         NO_FIGURE("a123456789b123456789c123456789d123456789")},
        {"avg,read-iops", NO_OWN_RATE},
        {"device-bps", NO_RATE},
        {"sync-failed", "a part of the time cannot fail or be missed"},
        {"queue-missed", "a part of the time cannot fail or be missed"},
        {"avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg,avg",
         "there can be at most 16 figures"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slos list = {0};
        const char *wrong = slos_parse_figures(&list, cases[i][0]);
        if (!wrong || strcmp(wrong, cases[i][1]) != 0)
            fail_msg("%s: %s", cases[i][0], wrong ? wrong : "accepted");
    }
}

TEST(a_count_has_no_limit)
{
    static const char *const cases[] = {"count=1", "failed=0", "read-missed=0"};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct slos list = {0};
        assert_string_equal(slos_add(&list, cases[i]), NO_NAME);
    }
}

#define P99_OF_99 98828288 /* ns, the middle of the histogram bin of 99 ms */

/* A figure is known as soon as a limit on it could be met. */
TEST(a_figure_is_measured_without_a_limit)
{
    static const struct {
        const char *name;
        int count;
        enum slo_verdict verdict;
        int64_t value; /* or, if it is unknown, how many values it takes */
    } cases[] = {
        {"p99", 98, SLO_UNKNOWN, 99},    {"p99", 99, SLO_MET, P99_OF_99},
        {"p50", 1, SLO_MET, MS},         {"min", 0, SLO_UNKNOWN, 1},
        {"min", 5, SLO_MET, MS},         {"avg", 5, SLO_MET, 3 * MS},
        {"max", 5, SLO_MET, 5 * MS},     {"iops", 0, SLO_UNKNOWN, 1},
        {"iops", 4, SLO_MET, 400},       {"bps", 4, SLO_MET, 1638400},
        {"count", 0, SLO_MET, 0},        {"count", 4, SLO_MET, 4},
        {"failed", 0, SLO_MET, 2},       {"missed", 0, SLO_MET, 3},
        {"sync-max", 4, SLO_UNKNOWN, 1}, {"sync-count", 4, SLO_MET, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stats stats = stats_of(cases[i].count);
        stats.failed = 2;
        stats.missed = 3;
        struct slos list = figures_of(cases[i].name);
        struct slo_answer answer = slo_measure(&list.list[0], &stats);
        bool is_known = answer.verdict != SLO_UNKNOWN;
        int64_t value = is_known ? answer.value : (int64_t)answer.samples_for_certainty;
        if (answer.verdict != cases[i].verdict || value != cases[i].value)
            fail_msg("%s of %d: %lld", cases[i].name, cases[i].count, (long long)value);
    }
}

/* Each operation has counts of its own. */
TEST(counts_of_an_operation_are_its_own)
{
    struct stats stats = {.mix = mix_of("rw")};
    struct sample write = {.latency = MS,
                           .operation = OPERATION_WRITE,
                           .verdict = VERDICT_NONE},
                  read = {.latency = MS, .missed = 2, .verdict = VERDICT_ERROR};
    struct slos list =
        figures_of("read-count,write-count,read-failed,write-failed,read-missed,"
                   "write-missed,count,failed,missed");
    static const int64_t expected[] = {0, 1, 1, 0, 1, 1, 1, 1, 2};
    stats_record(&stats, &write);
    stats_record(&stats, &read);
    for (int i = 0; i < list.count; i++)
        assert_int_equal(slo_measure(&list.list[i], &stats).value, expected[i]);
}
