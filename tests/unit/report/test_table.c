/* The table of a sweep: its values, and the alignment of its columns. */
#include "golden.h"

#include "base/time.h"
#include "report/writers.h"

/* A report of PLAN on a terminal of COLUMNS, 0 where there is none. */
static struct report
report_of(const struct plan *plan, int columns)
{
    return (struct report){.plan = plan, .is_terminal = columns > 0, .columns = columns};
}

/* Adds the head of a table, or a row, to TEXT, for a terminal of COLUMNS. */
static void
add_head(struct buffer *text, const struct plan *plan, int columns)
{
    struct report report = report_of(plan, columns);
    report.text = *text;
    table_head(&report);
    *text = report.text;
}

static void
add_row(struct buffer *text, const struct plan *plan, const struct job_step *step,
        const struct stats *stats, int64_t time, int columns)
{
    struct report report = report_of(plan, columns);
    report.text = *text;
    table_row(&report,
              &(struct run_record){.stats = stats, .duration = time, .step = step});
    *text = report.text;
}

/* 100 us, 200 us, and so on. */
static struct stats
rising(int count)
{
    struct stats stats = {0};
    struct sample sample = {.size = 4096, .bytes = 4096, .verdict = VERDICT_NONE};
    for (int i = 1; i <= count; i++) {
        sample.latency = i * 100000;
        stats_record(&stats, &sample);
    }
    return stats;
}

static void
begin(enum sweep_kind kind, const char *percentiles)
{
    struct percentiles *list = &golden.plan.output.percentiles;
    golden_prepare(FORMAT_HUMAN);
    golden.plan.sweep.kind = kind;
    *list = percentiles_default;
    if (percentiles)
        assert_null(percentiles_parse(percentiles, list));
    golden_begin();
}

/* A step of COUNT rising requests. */
static void
add_step(int64_t value, int count, int64_t time)
{
    struct stats stats = rising(count);
    assert_int_equal(golden_step(value, &stats, time), 0);
}

TEST(the_head_is_there_before_the_first_step_ends)
{
    size_t size;
    begin(SWEEP_SIZE, NULL);
    char *text = golden_read(golden.path, &size);
    golden_end("sweep_head");
    assert_non_null(strstr(text, "\n--- /tmp (ext4 /dev/vda1 39.3 GiB) "));
    assert_non_null(strstr(text, " bandwidth        avg        p50        p99  "));
    assert_int_equal(text[size - 1], '\n');
    free(text);
}

TEST(each_row_is_there_once_the_next_step_begins)
{
    size_t size;
    begin(SWEEP_SIZE, NULL);
    add_step(512, 1, 100000);
    golden.observer.part(&golden.reports, &golden.job,
                         &(struct run_part){.name = "size=4096", .value = 4096});
    char *text = golden_read(golden.path, &size);
    assert_non_null(strstr(text, "     512 B     10 k "));
    free(text);
    add_step(4096, 3, 1500000);
    add_step(1572864, 100, 505000000);
    add_step(2147479552, 0, SECOND);
    golden_end("sweep_size");
}

TEST(threads_are_plain_numbers)
{
    begin(SWEEP_THREADS, NULL);
    add_step(1, 100, 505000000);
    add_step(1024, 0, SECOND);
    golden_end("sweep_threads");
}

TEST(depths_are_plain_numbers)
{
    begin(SWEEP_DEPTH, NULL);
    add_step(3, 3, 1500000);
    add_step(4096, 100, 505000000);
    golden_end("sweep_depth");
}

/* However few the requests are, as long as there is one. */
TEST(percentiles_asked_for_have_columns_in_their_order)
{
    begin(SWEEP_SIZE, "99.9,50,0.001");
    add_step(4096, 3, 1500000);
    add_step(8192, 0, SECOND);
    golden_end("sweep_percentiles");
}

TEST(there_may_be_no_percentiles)
{
    begin(SWEEP_SIZE, "none");
    add_step(4096, 100, 505000000);
    golden_end("sweep_percentiles_none");
}

/* The 4 requests that count would be 64000 per second by themselves. */
TEST(a_row_has_the_rates_of_the_clock)
{
    struct plan plan = {.sweep.kind = SWEEP_DEPTH};
    struct stats stats = {.busy_time = 62500};
    struct sample sample = {.size = 4096, .bytes = 4096, .latency = 1000000};
    struct buffer text = {0};
    for (int i = 0; i < 5; i++) {
        sample.verdict = i == 0 ? VERDICT_TOO_SLOW : VERDICT_NONE;
        stats_record(&stats, &sample);
    }
    add_row(&text, &plan, &(struct job_step){.value = 64}, &stats, SECOND / 50, 0);
    assert_string_equal(text.text, "        64      250    1000 KiB/s       1 ms"
                                   "       1 ms          -       1 ms\n");
    buffer_free(&text);
}

/* Fails unless each column of LINE ends where it should, a space before it. */
static void
check_columns(const char *line, int times)
{
    int begin = 0;
    for (int i = 0; i < 3 + times; i++) {
        int end = begin + (i == 0 ? 10 : i == 1 ? 9 : i == 2 ? 14 : 11);
        bool separate = i == 0 || line[begin] == ' ';
        if (!separate || line[end - 1] == ' ' || !strchr(" \n", line[end]))
            fail_msg("column %d: %s", i + 1, line);
        begin = end;
    }
    if (strcmp(line + begin, "\n") != 0)
        fail_msg("no end: %s", line);
}

/* Each list has those whose text is the longest of their unit. */
static const int64_t sizes[] = {1, 1023, 1025, 1048064, 1048575, 1073741823, 2147479552};
static const int64_t rates[] = {0,         9999,         999949,      999999,
                                999999999, 999949999999, 999999999999};
static const int64_t speeds[] = {
    0,          1023,          1048064,          1048575,
    1073741823, 1099511627775, 1125899906842623, 1152921504606846975};
static const int64_t times[] = {
    0,           999,         1001,          999999,        999999999,       1000000001,
    59999999999, 60000000001, 3599999999999, 3600000000001, 3599639999999999};

TEST(no_value_is_too_wide_for_its_column)
{
    struct plan plan = {.sweep.kind = SWEEP_SIZE};
    struct buffer text = {0};
    add_head(&text, &plan, 0);
    check_columns(text.text, 4);
    for (size_t i = 0; i < LENGTH(times); i++) {
        struct stats stats = {0};
        struct sample sample = {.latency = times[i], .verdict = VERDICT_NONE};
        for (int k = 0; k < 100; k++)
            stats_record(&stats, &sample);
        stats.requests = (uint64_t)rates[i % LENGTH(rates)];
        stats.all_bytes = speeds[i % LENGTH(speeds)];
        buffer_clear(&text);
        add_row(&text, &plan, &(struct job_step){.value = sizes[i % LENGTH(sizes)]},
                &stats, SECOND, 0);
        check_columns(text.text, 4);
    }
    buffer_free(&text);
}

/* The most decimals that are parsed; a row has its values under the names. */
TEST(no_percentile_is_too_wide_for_its_column)
{
    struct plan plan = {.sweep.kind = SWEEP_THREADS};
    struct buffer text = {0};
    struct stats stats = {0};
    assert_null(
        percentiles_parse("99.9999,99.9999999,0.0000001", &plan.output.percentiles));
    add_head(&text, &plan, 0);
    add_row(&text, &plan, &(struct job_step){.value = 8}, &stats, SECOND, 0);
    assert_string_equal(
        text.text, "   threads     iops     bandwidth        avg   p99.9999  p99.9999999"
                   "  p0.0000001        max\n"
                   "         8        0         0 B/s          -          -            -"
                   "           -          -\n");
    buffer_free(&text);
}

TEST(a_table_has_room_for_sixteen_percentiles)
{
    struct plan plan = {.sweep.kind = SWEEP_DEPTH};
    struct buffer text = {0};
    struct stats stats = rising(3);
    assert_null(percentiles_parse("1,2,3,4,5,6,7,8,9,10,20,30,40,50,60,99",
                                  &plan.output.percentiles));
    add_head(&text, &plan, 0);
    check_columns(text.text, 18);
    buffer_clear(&text);
    add_row(&text, &plan, &(struct job_step){.value = 1}, &stats, SECOND, 0);
    check_columns(text.text, 18);
    buffer_free(&text);
}

/* The second broke it, the third had too few requests to know. */
static void
add_judged(int highest)
{
    static const enum slo_verdict verdicts[] = {SLO_MET, SLO_BROKEN, SLO_UNKNOWN};
    struct stats stats = rising(100);
    struct job *job = &golden.job;
    job->plan = golden.plan;
    for (int i = 0; i < 3; i++) {
        job->sweep.steps[i] = (struct job_step){
            .value = 8192 << i, .iops = 48000, .bps = 196608000, .verdict = verdicts[i]};
        job->sweep.count = i + 1;
        assert_int_equal(golden_end_step(&job->sweep.steps[i], &stats, 505000000), 0);
    }
    job->sweep.highest_index = highest;
    golden_highest();
}

static void
limit(enum format format, enum sweep_kind kind, enum color color)
{
    golden_prepare(format);
    golden.plan.sweep.kind = kind;
    golden.options.color = color;
    assert_null(slos_add(&golden.plan.statistics.slos, "p99=1ms"));
    assert_null(slos_add(&golden.plan.statistics.slos, "iops=10k"));
    golden_begin();
}

TEST(steps_that_broke_a_limit_say_so)
{
    limit(FORMAT_HUMAN, SWEEP_DEPTH, COLOR_NEVER);
    add_judged(0);
    golden_end("sweep_slo");
    limit(FORMAT_HUMAN, SWEEP_SIZE, COLOR_ALWAYS);
    add_judged(0);
    golden_end("sweep_slo_color");
}

TEST(the_last_line_has_the_highest_that_keeps_the_limits)
{
    static const struct {
        enum sweep_kind kind;
        int highest;
        enum slo_verdict verdict;
        const char *line;
    } cases[] = {
        {SWEEP_DEPTH, 0, SLO_MET,
         "highest depth with p99 <= 1 ms: 65536 (48 k iops, 187.5 MiB/s)\n"},
        {SWEEP_SIZE, 0, SLO_MET,
         "largest size with p99 <= 1 ms: 64 KiB (48 k iops, 187.5 MiB/s)\n"},
        {SWEEP_THREADS, 0, SLO_MET,
         "highest number of threads with p99 <= 1 ms: 65536 (48 k iops, 187.5 "
         "MiB/s)\n"},
        {SWEEP_INTERVAL, 0, SLO_MET, "longest interval with p99 <= 1 ms: 65.5 us\n"},
        {SWEEP_THREADS, -1, SLO_BROKEN,
         "highest number of threads with p99 <= 1 ms: none\n"},
        {SWEEP_DEPTH, -1, SLO_UNKNOWN, "highest depth with p99 <= 1 ms: UNKNOWN\n"},
    };
    static struct job job;
    assert_null(slos_add(&job.plan.statistics.slos, "p99=1ms"));
    job.sweep.steps[0] =
        (struct job_step){.value = 65536, .iops = 48000, .bps = 196608000};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct report report = {0};
        job.plan.sweep.kind = cases[i].kind;
        job.sweep.highest_index = cases[i].highest;
        job.outcome.verdict = cases[i].verdict;
        report.job = &job;
        table_highest(&report, NULL);
        assert_string_equal(report.text.text, cases[i].line);
        buffer_free(&report.text);
    }
}

TEST(the_last_line_says_if_a_higher_value_may_keep_the_limits)
{
    static const struct {
        int count, highest;
        bool is_lower_bound, was_interrupted;
        const char *line;
    } cases[] = {
        {2, 1, true, false,
         "at least 2 (48 k iops, 187.5 MiB/s), the highest that was "
         "measured\n"},
        {2, 1, true, true, "at least 2 (48 k iops, 187.5 MiB/s); interrupted\n"},
        {3, 1, true, false, "at least 2 (48 k iops, 187.5 MiB/s)\n"},
        {3, 1, false, true, "2 (48 k iops, 187.5 MiB/s); interrupted\n"},
        {3, -1, false, true, "UNKNOWN; interrupted\n"},
    };
    static struct job job;
    char line[200];

    assert_null(slos_add(&job.plan.statistics.slos, "p99=1ms"));
    job.plan.sweep.kind = SWEEP_DEPTH;
    job.outcome.verdict = SLO_UNKNOWN;
    job.sweep.steps[1] = (struct job_step){.value = 2, .iops = 48000, .bps = 196608000};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct report report = {.job = &job};
        job.sweep.count = cases[i].count;
        job.sweep.highest_index = cases[i].highest;
        job.sweep.is_lower_bound = cases[i].is_lower_bound;
        job.sweep.was_interrupted = cases[i].was_interrupted;
        table_highest(&report, NULL);
        snprintf(line, sizeof(line), "highest depth with p99 <= 1 ms: %s", cases[i].line);
        assert_string_equal(report.text.text, line);
        buffer_free(&report.text);
    }
}

TEST(a_pipe_has_the_highest_in_a_line_of_its_own_kind)
{
    limit(FORMAT_RAW, SWEEP_DEPTH, COLOR_NEVER);
    add_judged(0);
    golden_end("raw_sweep_slo");
    limit(FORMAT_RAW, SWEEP_SIZE, COLOR_NEVER);
    add_judged(-1);
    golden_end("raw_sweep_slo_none");
}

TEST(intervals_are_times)
{
    begin(SWEEP_INTERVAL, NULL);
    add_step(16 * MS, 30, 480 * MS);
    add_step(SECOND, 30, 30 * SECOND);
    golden_end("sweep_interval");
}

/* 500 requests of 1 ms to 500 ms per second: 125 of them under way in the mean. */
TEST(rates_have_columns_of_their_own)
{
    struct plan plan = {.sweep.kind = SWEEP_RATE};
    struct buffer text = {0};
    struct stats stats = rising(500);
    struct job_step step = {
        .value = 48000, .answered_rate = 47960, .verdict = SLO_BROKEN};
    double in_use = (double)stats.latency.sum / 1e9;
    char expected[64];
    add_head(&text, &plan, 0);
    assert_string_equal(text.text, "   offered  achieved   in use        avg        p50"
                                   "        p99        max\n");
    buffer_clear(&text);
    add_row(&text, &plan, &step, &stats, SECOND, 0);
    snprintf(expected, sizeof(expected), "      48 k    48.0 k%9.2f ", in_use);
    assert_memory_equal(text.text, expected, strlen(expected));
    assert_non_null(strstr(text.text, "  FAIL\n"));
    buffer_clear(&text);
    step.answered_rate = 1000;
    stats.latency.sum = 1234567 * SECOND;
    add_row(&text, &plan, &step, &stats, SECOND, 0);
    assert_non_null(strstr(text.text, "  1 k   1.23 M "));
    buffer_free(&text);
}

/* Head and row have the same columns. At the end is FAIL, where there is room for
 * UNKNOWN.
 */
TEST(a_narrow_terminal_lacks_the_least_useful_columns)
{
    static const struct {
        enum sweep_kind kind;
        bool breakdown, limited;
        int columns;
        const char *lacking;
        size_t width; /* of a row */
    } cases[] = {
        {SWEEP_SIZE, false, false, 77, "", 77},
        {SWEEP_SIZE, false, true, 86, "", 83},
        {SWEEP_SIZE, false, true, 85, "avg", 72},
        {SWEEP_SIZE, true, false, 80, "avg iops max", 72},
        {SWEEP_SIZE, true, true, 80, "avg iops max", 78},
        {SWEEP_THREADS, true, true, 80, "avg bandwidth max", 73},
        {SWEEP_THREADS, true, false, 80, "avg bandwidth", 78},
        {SWEEP_THREADS, false, true, 61, "avg bandwidth", 58},
        {SWEEP_RATE, false, true, 82, "", 79},
        {SWEEP_RATE, true, true, 80, "avg in use max", 74},
    };
    static const char *const names[] = {"avg", "iops", "bandwidth", "max", "in use"};
    struct stats stats = rising(100);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plan plan = {.sweep.kind = cases[i].kind,
                            .statistics.has_breakdown = cases[i].breakdown};
        struct job_step step = {.value = 4096, .verdict = SLO_MET};
        struct buffer head = {0}, row = {0};
        if (cases[i].limited) {
            assert_null(slos_add(&plan.statistics.slos, "p99=1ms"));
            step.verdict = SLO_BROKEN;
        }
        add_head(&head, &plan, cases[i].columns);
        add_row(&row, &plan, &step, &stats, SECOND, cases[i].columns);
        for (size_t k = 0; k < LENGTH(names); k++)
            if (strstr(cases[i].lacking, names[k]))
                assert_null(strstr(head.text, names[k]));
        assert_int_equal(row.length - 1, cases[i].width);
        assert_int_equal(head.length - 1, row.length - 1 - (cases[i].limited ? 6 : 0));
        buffer_free(&head);
        buffer_free(&row);
    }
}

TEST(the_last_line_of_rates_has_what_was_answered)
{
    static const struct {
        int highest;
        bool limited;
        const char *line;
    } cases[] = {
        {1, true, "highest rate with p99 <= 1 ms: 48 k iops (187.5 MiB/s)\n"},
        {1, false, "highest rate that was achieved: 48 k iops (187.5 MiB/s)\n"},
        {-1, true, "highest rate with p99 <= 1 ms: none\n"},
        {-1, false, "highest rate that was achieved: none\n"},
    };
    static struct job job; /* too large for a stack */
    job.plan.sweep.kind = SWEEP_RATE;
    job.plan.workload.request_size = 4096;
    job.sweep.steps[1] = (struct job_step){.value = 49000, .answered_rate = 48000};
    job.sweep.count = 2;
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct report report = {0};
        job.plan.statistics.slos.count = 0;
        if (cases[i].limited)
            assert_null(slos_add(&job.plan.statistics.slos, "p99=1ms"));
        job.sweep.highest_index = cases[i].highest;
        report.job = &job;
        table_highest(&report, NULL);
        assert_string_equal(report.text.text, cases[i].line);
        buffer_free(&report.text);
    }
}
