/* The lines of values (-print), and the reasons for values that are unknown. */
#include "golden.h"
#include "mix.h"

#include "base/time.h"

static struct slos figures;
static struct notes notes;

/* Prepares a report of a single job that prints LIST. */
static void
prepare(const char *list)
{
    golden_prepare(FORMAT_PRINT);
    notes_clear(&notes);
    assert_null(slos_parse_figures(&figures, list));
    golden.plan.output.figures = &figures;
    golden.report = &golden.reports.list[0];
    *golden.report = (struct report){.format = &report_print,
                                     .plan = &golden.plan,
                                     .output = golden.plan.output.list,
                                     .jobs = &golden.job,
                                     .job_count = 1,
                                     .job = &golden.job,
                                     .notes = &notes};
}

/* Fails unless the report has added LINE, and the notes NOTE, a line or "". Empties
 * both. */
static void
assert_added(const char *line, const char *note)
{
    char lines[1024] = "";
    for (int i = 0; i < notes.count; i++)
        strcat(lines, notes.lines[i]);
    assert_false(golden.report->text.failed);
    assert_string_equal(golden.report->text.text, line);
    assert_string_equal(lines, note);
    buffer_free(&golden.report->text);
    notes_clear(&notes);
}

static void
assert_run(const struct stats *stats, const char *line, const char *note)
{
    golden.job.outcome.total = *stats;
    report_print.records[RECORD_SUMMARY](
        golden.report,
        &(struct run_record){.kind = RECORD_SUMMARY, .stats = &golden.job.outcome.total});
    assert_added(line, note);
}

static void
assert_period(const struct stats *stats, const char *line, const char *note)
{
    report_print.records[RECORD_PERIOD](
        golden.report, &(struct run_record){.kind = RECORD_PERIOD, .stats = stats});
    assert_added(line, note);
}

/* Requests that took 1, 2 ... COUNT ms, after one that did not count. */
static struct stats
requests_of(int count)
{
    struct stats stats = {.requests = 1};
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

TEST(a_line_has_the_values_in_the_order_of_the_list)
{
    struct stats stats = requests_of(5);
    stats.failed = 7;
    stats.missed = 11;
    prepare("max,avg,min,mdev,count,failed,missed");
    assert_run(&stats, "5000000 3000000 1000000 1414213 5 7 11\n", "");
    assert_int_equal(golden.report->unknown_figures, 0);
}

TEST(a_single_value_stands_alone)
{
    struct stats stats = requests_of(1);
    prepare("p50");
    assert_run(&stats, "1000000\n", "");
}

/* Three requests in 7 s are 0.43 per second; four are 0.57. */
TEST(rates_are_rounded)
{
    struct stats stats = {.latency = {.count = 3, .sum = 7 * SECOND}, .bytes = 3};
    prepare("iops,bps");
    assert_run(&stats, "0 0\n", "");
    stats.latency.count = 4;
    stats.bytes = 4;
    assert_run(&stats, "1 1\n", "");
}

TEST(large_values_have_all_their_digits)
{
    struct stats stats = {
        .latency = {.count = 1, .sum = INT64_MAX, .min = INT64_MAX, .max = INT64_MAX},
        .failed = INT64_MAX};
    prepare("min,max,failed");
    assert_run(&stats, "9223372036854775807 9223372036854775807 9223372036854775807\n",
               "");
}

/* As many more requests are advised as it takes if as many of them count. */
TEST(an_unknown_value_has_its_reason)
{
    struct stats stats = requests_of(49);
    prepare("max,p99");
    assert_run(&stats, "49000000 -\n",
               "ioping: -print p99: 49 requests count, and it takes 99; use -c 100\n");
    assert_int_equal(golden.report->unknown_figures, 2);
}

TEST(each_unknown_value_has_a_reason_of_its_own)
{
    struct stats stats = requests_of(9);
    prepare("p99,count,p99.9");
    assert_run(&stats, "- 9 -\n",
               "ioping: -print p99: 9 requests count, and it takes 99; use -c 100\n"
               "ioping: -print p99.9: 9 requests count, and it takes 999; use -c 1000\n");
}

TEST(one_reason_is_enough_if_nothing_counted)
{
    struct stats stats = {.requests = 1};
    prepare("count,avg,p99.9,iops");
    assert_run(&stats, "0 - - -\n", "ioping: -print avg: no request counted\n");
    assert_int_equal(golden.report->unknown_figures, 14);
}

TEST(a_run_with_a_work_time_needs_a_longer_one)
{
    struct stats stats = requests_of(9);
    prepare("p99");
    golden.job.outcome.work_time = SECOND;
    assert_run(&stats, "-\n",
               "ioping: -print p99: 9 requests count, and it takes 99; use -w 10s\n");
}

TEST(a_recorded_run_has_to_be_recorded_again)
{
    struct stats stats = requests_of(9);
    stats.requests = 9;
    prepare("p99");
    golden.job.outcome.is_recorded = true;
    assert_run(&stats, "-\n",
               "ioping: -print p99: 9 requests count, and it takes 99; record a run of "
               "99 requests\n");
}

TEST(one_of_several_targets_is_named)
{
    struct stats stats = requests_of(1);
    prepare("p90");
    golden.job.target_count = 2;
    golden.job.plan.path = "/mnt";
    assert_run(&stats, "-\n",
               "ioping: /mnt: -print p90: 1 request counts, and it takes 9; use -c 10\n");
}

TEST(an_operation_has_values_of_its_own)
{
    struct stats stats = {.requests = 2, .mix = mix_of("rw")};
    struct sample write = {.latency = 6 * MS,
                           .sync = 4 * MS,
                           .operation = OPERATION_WRITE,
                           .verdict = VERDICT_NONE};
    stats_record(&stats, &write);
    prepare("write-max,sync-max,read-max,read-count,write-count");
    assert_run(&stats, "6000000 4000000 - 0 1\n",
               "ioping: -print read-max: 0 reads count, and it takes 1; use -c 4\n");
}

/* A value without a phase is of all phases together. */
TEST(a_phase_has_values_of_its_own)
{
    static struct job_phase phases[PHASES];
    struct stats stats = requests_of(4);
    prepare("idle-max,loaded-max,recovered-max,max");
    memset(phases, 0, sizeof(phases));
    phases[PHASE_IDLE].stats = requests_of(2);
    phases[PHASE_LOADED].stats = requests_of(4);
    golden.job.outcome.phases = phases;
    assert_run(&stats, "2000000 4000000 - 4000000\n",
               "ioping: -print recovered-max: 0 requests count, and it takes 1; run "
               "longer\n");
}

/* Most periods after it would have the same reason. */
TEST(the_first_of_several_periods_has_the_reason)
{
    struct stats few = requests_of(10);
    struct stats none = {0};
    struct stats enough = requests_of(100);
    prepare("max,p99");
    golden.plan.output.print_interval = SECOND;
    assert_period(&enough, "100000000 98828288\n", "");
    assert_period(&few, "10000000 -\n",
                  "ioping: -print p99: in a period, 10 requests count, and it takes 99; "
                  "use a longer -P\n");
    assert_period(&few, "10000000 -\n", "");
    assert_period(
        &none, "- -\n",
        "ioping: -print max: in a period, 0 requests count, and it takes 1; use "
        "a longer -P\n");
    assert_period(&enough, "100000000 98828288\n", "");
    assert_int_equal(golden.report->unknown_figures, 3);
}

TEST(a_period_of_requests_needs_more_of_them)
{
    struct stats stats = requests_of(10);
    prepare("p99");
    golden.plan.output.print_interval = 0;
    assert_period(&stats, "-\n",
                  "ioping: -print p99: in a period, 10 requests count, and it takes 99; "
                  "use a larger -p\n");
}

TEST(nothing_else_is_printed)
{
    assert_null(report_print.open);
    assert_null(report_print.begin);
    assert_null(report_print.sample);
    assert_null(report_print.records[RECORD_STEP]);
    assert_null(report_print.records[RECORD_PHASE]);
    assert_null(report_print.records[RECORD_HIGHEST]);
    assert_null(report_print.records[RECORD_COMPARISON]);
}

/* The outcome, on which the exit status depends, tells of an unknown value. */
TEST(an_unknown_value_is_a_failure_of_the_run)
{
    static const struct {
        const char *list, *line;
        bool lacks;
    } cases[] = {{"max", "9000000\n", false}, {"max,p99", "9000000 -\n", true}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct stats stats = requests_of(9);
        size_t size;
        golden_prepare(FORMAT_PRINT);
        golden.plan.output.list[0].has_periods = false;
        assert_null(slos_parse_figures(&figures, cases[i].list));
        golden.plan.output.figures = &figures;
        golden_begin();
        assert_int_equal(golden_summary(&stats, 1), 0);
        char *text = golden_take(&size);
        assert_string_equal(text, cases[i].line);
        assert_int_equal(golden.outcome.lacks_figures, cases[i].lacks);
        free(text);
    }
}
