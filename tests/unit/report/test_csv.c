/* Comma-separated values (RFC 4180), to the byte. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"

#define STAMP "2026-11-21T07:50:57.055062Z,"
#define COUNTS "scope,count,failed,missed,bytes,elapsed_ns,iops,bytes_per_second,"
#define DEFAULT_TIMES "min_ns,avg_ns,p50_ns,p90_ns,p99_ns,p99.9_ns,max_ns,mdev_ns"

static struct job jobs[3];

/* The clocks of the report. At START, the wall clock shows golden_wall. */
#define START (1000 * SECOND)
static int64_t clock_now, wall_offset;

/* After each of the next `pause_count` reads of the wall clock, the program is paused for
 * `pause_ns`. */
static int pause_count;
static int64_t pause_ns;

static int64_t
get_clock(void)
{
    return clock_now;
}

static int64_t
get_wall(void)
{
    int64_t wall = golden_wall() + clock_now - START + wall_offset;
    if (pause_count > 0) {
        pause_count--;
        clock_now += pause_ns;
    }
    return wall;
}

/* A report of COUNT jobs, of which the first is the current one. */
static void
prepare(int count)
{
    golden_prepare(FORMAT_CSV);
    golden.plan.mode = MODE_RUN;
    golden.plan.output.percentiles = percentiles_default;
    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < count; i++) {
        jobs[i].index = i;
        jobs[i].target.description = golden.job.target.description;
    }
    golden.report = &golden.reports.list[0];
    *golden.report = (struct report){.format = &report_csv,
                                     .plan = &golden.plan,
                                     .output = golden.plan.output.list,
                                     .jobs = jobs,
                                     .job_count = count,
                                     .job = jobs,
                                     .target = &jobs[0].target.description,
                                     .monotonic_now = get_clock,
                                     .wall_now = get_wall};
    clock_now = START;
    wall_offset = 0;
    pause_count = 0;
}

/* Fails unless the report has added EXPECTED; empties it. */
static void
assert_added(const char *expected)
{
    assert_false(golden.report->text.failed);
    assert_string_equal(golden.report->text.text, expected);
    buffer_free(&golden.report->text);
}

static void
assert_head(const char *expected)
{
    golden.report->format->open(golden.report);
    assert_added(expected);
}

/* Adds a record of KIND over 7 ns, of STEP if that is not NULL. Fails unless the report
 * then has added EXPECTED. */
static void
assert_rows(enum record_kind kind, const struct stats *stats, const struct job_step *step,
            const char *expected)
{
    golden.report->format->records[kind](golden.report,
                                         &(struct run_record){.kind = kind,
                                                              .stats = stats,
                                                              .duration = 7,
                                                              .step = step,
                                                              .ended_at = START});
    assert_added(expected);
}

static void
assert_summary(const struct stats *stats, const char *expected)
{
    assert_rows(RECORD_SUMMARY, stats, NULL, expected);
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

/* A write of 6 ms, of which the flush took 4 and the device 2, and a read of 1 ms, which
 * failed; two points were missed before that. */
static struct stats
write_and_read(void)
{
    struct stats stats = {.mix = mix_of("rw")};
    struct sample write = {.latency = 6 * MS,
                           .sync = 4 * MS,
                           .bytes = 4096,
                           .operation = OPERATION_WRITE,
                           .verdict = VERDICT_NONE,
                           .split = {.result = SPLIT_DONE, .part[PART_DEVICE] = 2 * MS}},
                  read = {.latency = MS, .missed = 2, .verdict = VERDICT_ERROR};
    stats_record(&stats, &write);
    breakdown_record(&stats.breakdown, &write);
    stats_record(&stats, &read);
    return stats;
}

TEST(a_run_has_one_row)
{
    struct stats stats = golden_stats();
    stats.failed = 2;
    stats.missed = 3;
    prepare(1);
    golden.plan.output.percentiles.count = 0;
    assert_head("time,target," COUNTS "min_ns,avg_ns,max_ns,mdev_ns\r\n");
    assert_summary(&stats,
                   STAMP "/tmp,all,9,2,3,36864,7,1603.077910,6566207,590800,623800,"
                         "685012,26501\r\n");
}

/* Of ten none lies above the 99th percentile; nearest ranks, in the middle of a step. */
TEST(a_percentile_that_the_requests_do_not_know_is_empty)
{
    struct stats stats = requests_of(10);
    prepare(1);
    assert_head("time,target," COUNTS DEFAULT_TIMES "\r\n");
    assert_summary(&stats,
                   STAMP "/tmp,all,10,0,0,40960,7,181.818182,744727,1000000,5500000,"
                         "4997120,9011200,,,10000000,2872281\r\n");
}

TEST(percentiles_have_the_names_that_were_given)
{
    struct stats stats = requests_of(1);
    prepare(1);
    golden.plan.output.percentiles =
        (struct percentiles){2, true, {{999000000, "99.9"}, {250000000, "25.0"}}};
    assert_head("time,target," COUNTS
                "min_ns,avg_ns,p99.9_ns,p25.0_ns,max_ns,mdev_ns\r\n");
    assert_summary(&stats, STAMP
                   "/tmp,all,1,0,0,4096,7,1000.000000,4096000,1000000,1000000,1000000,"
                   "1000000,1000000,0\r\n");
}

TEST(nothing_that_counts_has_counts_alone)
{
    struct stats stats = {.requests = 3, .failed = 2, .missed = 7};
    prepare(1);
    assert_summary(&stats, STAMP "/tmp,all,0,2,7,0,7,,,,,,,,,,\r\n");
}

TEST(large_numbers_are_whole)
{
    struct stats stats = {.latency = {.count = 1, .sum = INT64_MAX},
                          .failed = INT64_MAX,
                          .missed = INT64_MAX,
                          .bytes = INT64_MAX};
    stats.latency.min = stats.latency.max = INT64_MAX;
    prepare(1);
    golden.plan.output.percentiles.count = 0;
    assert_summary(&stats,
                   STAMP "/tmp,all,1,9223372036854775807,9223372036854775807,"
                         "9223372036854775807,7,0.000000,1000000000,9223372036854775807,"
                         "9223372036854775807,9223372036854775807,0\r\n");
}

TEST(a_period_has_a_row_like_a_run)
{
    struct stats stats = requests_of(1);
    prepare(1);
    golden.plan.output.percentiles.count = 0;
    assert_rows(RECORD_PERIOD, &stats, NULL,
                STAMP
                "/tmp,all,1,0,0,4096,7,1000.000000,4096000,1000000,1000000,1000000,0"
                "\r\n");
}

/* A field with a comma or a quote is quoted, and its quotes are doubled. What would end
 * the row, or is no UTF-8, is in octal. */
TEST(paths_are_quoted_and_escaped)
{
    static const char *const cases[][2] = {
        {"/a b", "/a b"},
        {" a'b ", " a'b "},
        {"=1+2", "=1+2"},
        {"a,b", "\"a,b\""},
        {"a\"b", "\"a\"\"b\""},
        {"\"", "\"\"\"\""},
        {"C:\\data\\", "C:\\data\\"},
        {"a\\012", "a\\134012"},
        {"a\\\\1", "a\\\\1341"},
        {"a\\n", "a\\n"},
        {"a\nb\r\tc", "a\\012b\\015\\011c"},
        {"a,\r\n", "\"a,\\015\\012\""},
        {"a\\\n", "a\\\\012"},
        {"\x7f\x1b[1m", "\\177\\033[1m"},
        {"\xc3\xa9\xe2\x82\xac", "\xc3\xa9\xe2\x82\xac"},
        {"a\xff|\xc3|\xed\xa0\x80", "a\\377|\\303|\\355\\240\\200"},
        {"\xc2\x9b", "\\302\\233"},
        {"a\xe2\x80\xae.b", "a\\342\\200\\256.b"},
    };
    struct stats stats = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char expected[128];
        prepare(1);
        jobs[0].target.description.path = cases[i][0];
        snprintf(expected, sizeof(expected), STAMP "%s,all,0,0,0,0,7,,,,,,,,,,\r\n",
                 cases[i][1]);
        assert_summary(&stats, expected);
    }
}

TEST(a_target_that_is_named_again_has_its_number)
{
    struct stats stats = {0};
    prepare(3);
    jobs[2].target.description.path = jobs[1].target.description.path = "a,b";
    golden.report->job = &jobs[1];
    golden.report->target = &jobs[1].target.description;
    assert_summary(&stats, STAMP "\"a,b\",all,0,0,0,0,7,,,,,,,,,,\r\n");
    golden.report->job = &jobs[2];
    golden.report->target = &jobs[2].target.description;
    assert_summary(&stats, STAMP "\"a,b#2\",all,0,0,0,0,7,,,,,,,,,,\r\n");
}

/* Raw lines have no time, and no numbers of failed and missed requests. */
TEST(a_recorded_run_lacks_what_its_file_lacks)
{
    struct stats stats = requests_of(1);
    prepare(1);
    golden.plan.output.percentiles.count = 0;
    jobs[0].target.description.is_recorded = true;
    assert_summary(&stats,
                   ",/tmp,all,1,,,4096,7,1000.000000,4096000,1000000,1000000,1000000,0"
                   "\r\n");
}

/* All rows of a record have its time. Operations have what is theirs of failed and missed
 * requests, and parts have latencies only. */
TEST(operations_and_parts_have_rows_of_their_own)
{
    struct stats stats = write_and_read();
    prepare(1);
    golden.plan.workload.mix = mix_of("rw");
    golden.plan.output.percentiles.count = 0;
    assert_rows(RECORD_PERIOD, &stats, NULL,
                STAMP "/tmp,all,1,1,2,4096,7,166.666667,682667,6000000,6000000,6000000,0"
                      "\r\n" STAMP "/tmp,read,0,1,1,0,7,,,,,,\r\n" STAMP
                      "/tmp,write,1,0,1,4096,7,,,6000000,6000000,6000000,0\r\n" STAMP
                      "/tmp,sync,1,,,,7,,,4000000,4000000,4000000,0\r\n" STAMP
                      "/tmp,submit,1,,,,7,,,0,0,0,0\r\n" STAMP
                      "/tmp,queue,1,,,,7,,,0,0,0,0\r\n" STAMP
                      "/tmp,device,1,,,,7,,,2000000,2000000,2000000,0\r\n" STAMP
                      "/tmp,return,1,,,,7,,,0,0,0,0\r\n");
}

TEST(a_phase_is_a_column)
{
    struct stats stats = requests_of(1);
    prepare(1);
    golden.plan.mode = MODE_PHASES;
    golden.plan.output.percentiles.count = 0;
    golden.report->phase = PHASE_LOADED;
    assert_head("time,target,phase," COUNTS "min_ns,avg_ns,max_ns,mdev_ns\r\n");
    assert_rows(RECORD_PHASE, &stats, NULL,
                STAMP "/tmp,loaded,all,1,0,0,4096,7,1000.000000,4096000,1000000,1000000,"
                      "1000000,0\r\n");
}

/* The column of a swept value has the unit of the value. A verdict stands where there are
 * limits; it is empty if it is not known. */
TEST(a_step_has_its_value_and_its_verdict)
{
    static const struct {
        enum sweep_kind kind;
        int limits;
        enum slo_verdict verdict;
        const char *column, *end;
    } cases[] = {
        {SWEEP_SIZE, 0, SLO_MET, "size_bytes", ""},
        {SWEEP_DEPTH, 1, SLO_MET, "depth", ",true"},
        {SWEEP_DEPTH, 1, SLO_BROKEN, "depth", ",false"},
        {SWEEP_THREADS, 1, SLO_UNKNOWN, "threads", ","},
        {SWEEP_RATE, 0, SLO_BROKEN, "rate", ",false"},
        {SWEEP_INTERVAL, 0, SLO_MET, "interval_ns", ""},
    };
    struct stats stats = {0};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct job_step step = {.value = 4096, .verdict = cases[i].verdict};
        char expected[256];
        prepare(1);
        golden.plan.mode = MODE_SIZES;
        golden.plan.sweep.kind = cases[i].kind;
        golden.plan.statistics.slos.count = cases[i].limits;
        golden.plan.output.percentiles.count = 0;
        snprintf(expected, sizeof(expected),
                 "time,target,%s," COUNTS "min_ns,avg_ns,max_ns,mdev_ns%s\r\n",
                 cases[i].column, cases[i].end[0] ? ",met" : "");
        assert_head(expected);
        snprintf(expected, sizeof(expected), STAMP "/tmp,4096,all,0,0,0,0,7,,,,,,%s\r\n",
                 cases[i].end);
        assert_rows(RECORD_STEP, &stats, &step, expected);
    }
}

/* Limits of a plain run have no column: the exit status tells of them. */
TEST(a_run_with_limits_has_the_same_columns)
{
    struct stats stats = {0};
    prepare(1);
    golden.plan.statistics.slos.count = 1;
    assert_head("time,target," COUNTS DEFAULT_TIMES "\r\n");
    assert_summary(&stats, STAMP "/tmp,all,0,0,0,0,7,,,,,,,,,,\r\n");
}

TEST(a_verdict_is_about_all_requests)
{
    struct stats stats = write_and_read();
    struct job_step step = {.value = 4096, .verdict = SLO_MET};
    prepare(1);
    stats.breakdown = (struct breakdown){0};
    golden.plan.mode = MODE_SIZES;
    golden.plan.sweep.kind = SWEEP_SIZE;
    golden.plan.statistics.slos.count = 1;
    golden.plan.output.percentiles.count = 0;
    assert_rows(RECORD_STEP, &stats, &step,
                STAMP
                "/tmp,4096,all,1,1,2,4096,7,166.666667,682667,6000000,6000000,6000000,0,"
                "true\r\n" STAMP "/tmp,4096,read,0,1,1,0,7,,,,,,,\r\n" STAMP
                "/tmp,4096,write,1,0,1,4096,7,,,6000000,6000000,6000000,0,\r\n" STAMP
                "/tmp,4096,sync,1,,,,7,,,4000000,4000000,4000000,0,\r\n");
}

TEST(nothing_else_has_a_row)
{
    assert_null(report_csv.sample);
    assert_null(report_csv.records[RECORD_HIGHEST]);
    assert_null(report_csv.records[RECORD_COMPARISON]);
}

/* The head is written when a run begins, even if nothing follows. */
TEST(the_head_is_written_once)
{
    size_t size;
    golden_prepare(FORMAT_CSV);
    golden.plan.output.percentiles.count = 0;
    memset(jobs, 0, sizeof(jobs));
    for (int i = 0; i < 2; i++)
        jobs[i].target.description = golden.job.target.description;
    jobs[1].index = 1;
    golden_begin_of(jobs, 2);
    char *text = golden_take(&size);
    assert_string_equal(text, "time,target," COUNTS "min_ns,avg_ns,max_ns,mdev_ns\r\n");
    free(text);
}

/* Adds the row of a period of jobs[INDEX] that ended at ENDED and was due at DUE, both ns
 * after START. Fails unless the row has TIME: the part after the minute. */
static void
assert_time(int index, int64_t ended, int64_t due, const char *time)
{
    struct stats stats = {0};
    char expected[200];
    golden.report->job = &jobs[index];
    clock_now = START + ended + US; /* the row comes after the end */
    golden.report->format->records[RECORD_PERIOD](
        golden.report, &(struct run_record){.kind = RECORD_PERIOD,
                                            .stats = &stats,
                                            .ended_at = START + ended,
                                            .due_at = due ? START + due : 0});
    snprintf(expected, sizeof(expected),
             "2026-11-21T07:50:%sZ,/tmp%s,all,0,0,0,0,0,,,,,,,,,,\r\n", time,
             index ? "#2" : "");
    assert_added(expected);
}

TEST(targets_share_the_time_of_a_period)
{
    prepare(2);
    jobs[0].plan.path = jobs[1].plan.path = "/tmp";
    assert_time(0, 1 * SECOND + 3 * US, 1 * SECOND, "58.055062");
    assert_time(1, 1 * SECOND + 9 * MS, 1 * SECOND, "58.055062");
    /* The second target is late. */
    assert_time(0, 2 * SECOND + 1 * US, 2 * SECOND, "59.055062");
    assert_time(1, 2 * SECOND + 900 * MS, 2 * SECOND, "59.055062");
}

TEST(targets_share_the_time_of_the_last_period)
{
    prepare(2);
    jobs[0].plan.path = jobs[1].plan.path = "/tmp";
    assert_time(0, 300 * MS, 1 * SECOND, "57.355062");
    assert_time(1, 301 * MS, 1 * SECOND, "57.355062");
    /* another period */
    assert_time(0, 302 * MS, 2 * SECOND, "57.357062");
    /* too much later in the same period */
    assert_time(1, 1303 * MS, 2 * SECOND, "58.358062");
}

TEST(periods_of_a_number_of_requests_have_times_of_their_own)
{
    prepare(2);
    jobs[0].plan.path = jobs[1].plan.path = "/tmp";
    assert_time(0, 300 * MS, 0, "57.355062");
    assert_time(1, 301 * MS, 0, "57.356062");
}

TEST(a_clock_that_is_set_is_followed)
{
    prepare(1);
    assert_time(0, 100 * MS, 100 * MS, "57.155062");
    wall_offset = 9 * MS; /* no more than an inaccuracy */
    assert_time(0, 200 * MS, 200 * MS, "57.255062");
    wall_offset = SECOND;
    assert_time(0, 300 * MS, 300 * MS, "58.355062");
}

/* The first offset is measured again after a pause. */
TEST(a_pause_at_the_first_row_does_not_change_the_times)
{
    prepare(2);
    jobs[0].plan.path = jobs[1].plan.path = "/tmp";
    pause_ns = 150 * MS;
    pause_count = 1;
    assert_time(0, 100 * MS, 100 * MS, "57.155062");
    assert_time(1, 100 * MS, 100 * MS, "57.155062");
}

/* However often the program is paused, the clock was not set, so the offset is kept. */
TEST(pauses_do_not_look_like_a_clock_that_is_set)
{
    prepare(2);
    jobs[0].plan.path = jobs[1].plan.path = "/tmp";
    assert_time(0, 100 * MS, 100 * MS, "57.155062");
    pause_ns = 900 * MS;
    pause_count = 100;
    assert_time(1, 100 * MS, 100 * MS, "57.155062");
}
