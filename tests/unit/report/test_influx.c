/* InfluxDB's line protocol, to the byte. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"

#define STAMP " 1795247457055062000\n"
#define TMP "ioping,path=/tmp,operation=read,mode=direct"

static struct job jobs[3];

/* A report of COUNT jobs, of which the first is the current one. */
static void
prepare(int count)
{
    golden_prepare(FORMAT_INFLUX);
    golden.plan.output.percentiles = percentiles_default;
    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < count; i++) {
        jobs[i].index = i;
        jobs[i].target.description = golden.job.target.description;
    }
    golden.report = &golden.reports.list[0];
    *golden.report = (struct report){.format = &report_influx,
                                     .plan = &golden.plan,
                                     .output = golden.plan.output.list,
                                     .jobs = jobs,
                                     .job_count = count,
                                     .job = jobs,
                                     .target = &jobs[0].target.description,
                                     .wall_now = golden_wall};
}

/* Fails unless what REPORT has added is EXPECTED; empties it. */
static void
assert_added(struct report *report, const char *expected)
{
    assert_false(report->text.failed);
    assert_string_equal(report->text.text, expected);
    buffer_free(&report->text);
}

/* Adds a record of KIND over 7 ns, of STEP if that is not NULL. */
static void
add(struct report *report, enum record_kind kind, const struct stats *stats,
    const struct job_step *step)
{
    report->format->records[kind](
        report,
        &(struct run_record){.kind = kind, .stats = stats, .duration = 7, .step = step});
}

static void
assert_period(struct report *report, const struct stats *stats, const char *expected)
{
    add(report, RECORD_PERIOD, stats, NULL);
    assert_added(report, expected);
}

/* Requests that took 1, 2 ... COUNT ms. */
static struct stats
requests_of(int count)
{
    struct stats stats = {0};
    for (int i = 1; i <= count; i++) {
        struct sample sample = {.index = (uint64_t)i,
                                .latency = i * MS,
                                .size = 4096,
                                .bytes = 4096,
                                .verdict = VERDICT_NONE};
        stats_record(&stats, &sample);
    }
    return stats;
}

/* The numbers of the raw line of test_raw.c. */
TEST(figures_are_those_of_a_raw_line_with_times_in_seconds)
{
    struct stats stats = golden_stats();
    stats.latency.sum = 4500000;
    stats.failed = 2;
    stats.missed = 3;
    prepare(1);
    golden.plan.output.percentiles = (struct percentiles){.is_given = true};
    assert_period(golden.report, &stats,
                  TMP " min=0.000590800,avg=0.000500000,max=0.000685012,"
                      "mdev=0.000026501,iops=2000.000000,bps=8192000,count=9i,failed=2i,"
                      "missed=3i" STAMP);
}

/* Of ten none lies above the 99th percentile; nearest ranks, in the middle of a step. */
TEST(percentiles_are_those_that_the_requests_know)
{
    struct stats stats = requests_of(10);
    prepare(1);
    assert_period(golden.report, &stats,
                  TMP " p50=0.004997120,p90=0.009011200,min=0.001000000,avg=0.005500000,"
                      "max=0.010000000,mdev=0.002872281,iops=181.818182,bps=744727,"
                      "count=10i,failed=0i,missed=0i" STAMP);
}

TEST(percentiles_have_the_names_that_were_given)
{
    struct stats stats = requests_of(1);
    prepare(1);
    golden.plan.output.percentiles =
        (struct percentiles){2, true, {{999000000, "99.9"}, {250000000, "25.0"}}};
    add(golden.report, RECORD_PERIOD, &stats, NULL);
    assert_contains(golden.report->text.text,
                    TMP " p99.9=0.001000000,p25.0=0.001000000,min=0.001000000,");
    buffer_free(&golden.report->text);
}

TEST(nothing_that_counts_has_counts_alone)
{
    struct stats stats = {.requests = 3, .failed = 2, .missed = 7};
    prepare(1);
    assert_period(golden.report, &stats, TMP " count=0i,failed=2i,missed=7i" STAMP);
}

TEST(large_numbers_are_whole)
{
    struct stats stats = {.latency = {.count = 1, .sum = INT64_MAX},
                          .failed = INT64_MAX,
                          .missed = INT64_MAX};
    stats.latency.min = stats.latency.max = INT64_MAX;
    prepare(1);
    golden.plan.output.percentiles.count = 0;
    assert_period(golden.report, &stats,
                  TMP " min=9223372036.854775807,avg=9223372036.854775807,"
                      "max=9223372036.854775807,mdev=0.000000000,iops=0.000000,bps=0,"
                      "count=1i,failed=9223372036854775807i,"
                      "missed=9223372036854775807i" STAMP);
}

/* Commas, spaces and equals signs have a backslash; a backslash is in octal where parsers
 * differ on it, as is what would end the line or is no UTF-8. */
TEST(paths_are_escaped)
{
    static const char *const cases[][2] = {
        {"/a b", "/a\\ b"},
        {"a,b=c d", "a\\,b\\=c\\ d"},
        {"\"quoted\" 'too'", "\"quoted\"\\ 'too'"},
        {"#{}[]", "#{}[]"},
        {"C:\\data", "C:\\data"},
        {"C:\\", "C:\\134"},
        {"\\\\.\\PhysicalDrive1", "\\134\\.\\PhysicalDrive1"},
        {"a\\,b", "a\\134\\,b"},
        {"a\\ b", "a\\134\\ b"},
        {"a\\=b", "a\\134\\=b"},
        {"a\\\\", "a\\134\\134"},
        {"a\\134", "a\\134134"},
        {"a\\n", "a\\n"},
        {"a\nb\r\tc", "a\\012b\\015\\011c"},
        {"a\\\n", "a\\134\\012"},
        {"\x7f\x1b[1m", "\\177\\033[1m"},
        {"\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac"},
        {"\\\xc3\xa9", "\\134\xc3\xa9"},
        {"a\xff|\xc3|\xed\xa0\x80", "a\\377|\\303|\\355\\240\\200"},
        {"\xc2\x9b", "\\302\\233"},
        {"a\xe2\x80\xae.b", "a\\342\\200\\256.b"},
    };
    struct stats stats = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[128];
        prepare(1);
        jobs[0].target.description.path = cases[i][0];
        snprintf(expected, sizeof(expected),
                 "ioping,path=%s,operation=read,mode=direct count=0i,failed=0i,missed=0i"
                 "%s",
                 cases[i][1], STAMP);
        assert_period(golden.report, &stats, expected);
    }
}

TEST(operation_and_mode_are_tags)
{
    static const struct {
        const char *load;
        enum io_mode mode;
        const char *tags;
    } cases[] = {
        {"read", IO_MODE_DIRECT, ",operation=read,mode=direct count=0i"},
        {"write", IO_MODE_NOCACHE, ",operation=write,mode=nocache count=0i"},
        {"rw", IO_MODE_CACHED, ",operation=rw,mode=cached count=0i"},
    };
    struct stats stats = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        prepare(1);
        golden.plan.workload.mix = mix_of(cases[i].load);
        jobs[0].target.description.mode = cases[i].mode;
        add(golden.report, RECORD_PERIOD, &stats, NULL);
        assert_contains(golden.report->text.text, cases[i].tags);
        buffer_free(&golden.report->text);
    }
}

TEST(a_phase_is_a_tag)
{
    struct stats stats = {0};
    prepare(1);
    golden.report->phase = PHASE_LOADED;
    assert_period(golden.report, &stats,
                  TMP ",phase=loaded count=0i,failed=0i,missed=0i" STAMP);
}

/* Else a database would take them for one series. */
TEST(a_target_that_is_named_again_has_its_number)
{
    struct stats stats = {0};
    prepare(3);
    jobs[1].target.description.path = "/mnt";
    assert_period(golden.report, &stats, TMP " count=0i,failed=0i,missed=0i" STAMP);
    golden.report->job = &jobs[1];
    golden.report->target = &jobs[1].target.description;
    assert_period(golden.report, &stats,
                  "ioping,path=/mnt,operation=read,mode=direct "
                  "count=0i,failed=0i,missed=0i" STAMP);
    golden.report->job = &jobs[2];
    golden.report->target = &jobs[2].target.description;
    assert_period(golden.report, &stats,
                  TMP ",number=2 count=0i,failed=0i,missed=0i" STAMP);
}

/* A write of 6 ms, of which the flush took 4 and the device 2, and a read of 1 ms, which
 * failed; two points were missed before that. */
static struct stats
write_and_read(void)
{
    struct stats stats = {.mix = mix_of("rw")};
    struct sample write = {.latency = 6 * MS,
                           .sync = 4 * MS,
                           .operation = OPERATION_WRITE,
                           .verdict = VERDICT_NONE,
                           .split = {.result = SPLIT_DONE, .part[PART_DEVICE] = 2 * MS}},
                  read = {.latency = MS, .missed = 2, .verdict = VERDICT_ERROR};
    stats_record(&stats, &write);
    breakdown_record(&stats.breakdown, &write);
    stats_record(&stats, &read);
    return stats;
}

#define OF(time) "min=" time ",avg=" time ",max=" time ",mdev=0.000000000,"
#define PART "ioping_part,path=/tmp,operation=rw,mode=direct,part="
#define STEP "size=4096i,"

/* Operations have what is theirs of failed and missed ones, parts are a measurement of
 * their own; all lines of a record have its time, and of a step its value. */
TEST(what_is_apart_has_a_line_of_its_own)
{
    struct stats stats = write_and_read();
    struct job_step step = {.value = 4096, .verdict = SLO_MET};
    prepare(1);
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.output.percentiles.count = 0;
    assert_period(
        golden.report, &stats,
        "ioping,path=/tmp,operation=rw,mode=direct " OF(
            "0.006000000") "iops=166.666667,bps=0,count=1i,failed=1i,missed=2i" STAMP
                           "ioping,path=/tmp,operation=read,mode=direct "
                           "count=0i,failed=1i,missed=1i" STAMP
                           "ioping,path=/tmp,operation=write,mode=direct " OF(
                               "0.006000000") "count=1i,failed=0i,missed=1i" STAMP
                               PART "sync " OF("0.004000000") "count=1i" STAMP
                                   PART "submit " OF("0.000000000") "count=1i" STAMP
                                       PART "queue " OF("0.000000000") "count=1i" STAMP
                                           PART "device " OF(
                                               "0.002000000") "count=1i" STAMP
                                               PART "return " OF(
                                                   "0.000000000") "count=1i" STAMP);
    stats.breakdown = (struct breakdown){0};
    golden.plan.sweep.kind = SWEEP_SIZE;
    golden.plan.statistics.slos.count = 1;
    golden.report->phase = PHASE_IDLE;
    add(golden.report, RECORD_STEP, &stats, &step);
    assert_added(
        golden.report,
        "ioping,path=/tmp,operation=rw,mode=direct,phase=idle " STEP OF(
            "0.006000000") "iops=166.666667,bps=0,count=1i,failed=1i,missed=2i,met="
                           "true" STAMP
                           "ioping,path=/tmp,operation=read,mode=direct,phase=idle " STEP
                           "count=0i,failed=1i,missed=1i" STAMP
                           "ioping,path=/tmp,operation=write,mode=direct,phase=idle " STEP
                               OF("0.006000000") "count=1i,failed=0i,missed=1i" STAMP PART
                                                 "sync,phase=idle " STEP OF(
                                                     "0.004000000") "count=1i" STAMP);
}

/* A time in seconds, all else a number; `kept` where there are limits, and it is known.
 */
TEST(a_step_has_its_value_and_what_it_keeps)
{
    static const struct {
        enum sweep_kind kind;
        int limits;
        enum slo_verdict verdict;
        const char *expected;
    } cases[] = {
        {SWEEP_SIZE, 0, SLO_MET, " size=4096i,count=0i,failed=0i,missed=0i" STAMP},
        {SWEEP_DEPTH, 1, SLO_MET,
         " depth=4096i,count=0i,failed=0i,missed=0i,met=true" STAMP},
        {SWEEP_THREADS, 1, SLO_UNKNOWN,
         " threads=4096i,count=0i,failed=0i,missed=0i" STAMP},
        {SWEEP_RATE, 0, SLO_BROKEN,
         " rate=4096i,count=0i,failed=0i,missed=0i,met=false" STAMP},
        {SWEEP_INTERVAL, 0, SLO_MET,
         " interval=0.000004096,count=0i,failed=0i,missed=0i" STAMP},
    };
    struct stats stats = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct job_step step = {.value = 4096, .verdict = cases[i].verdict};
        prepare(1);
        golden.plan.sweep.kind = cases[i].kind;
        golden.plan.statistics.slos.count = cases[i].limits;
        add(golden.report, RECORD_STEP, &stats, &step);
        assert_contains(golden.report->text.text, cases[i].expected);
        buffer_free(&golden.report->text);
    }
}

TEST(the_highest_step_has_a_line_if_there_is_one)
{
    prepare(1);
    golden.plan.sweep.kind = jobs[0].plan.sweep.kind = SWEEP_DEPTH;
    jobs[0].sweep.highest_index = -1;
    add(golden.report, RECORD_HIGHEST, NULL, NULL);
    assert_int_equal(golden.report->text.length, 0);
    jobs[0].sweep.steps[0].value = 16;
    jobs[0].sweep.highest_index = 0;
    add(golden.report, RECORD_HIGHEST, NULL, NULL);
    assert_added(golden.report, TMP " highest_depth=16i" STAMP);
}
