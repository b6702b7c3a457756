/* The table of outputs, and how a run hands what it has to a kind that is added to it. */
#include "golden.h"

#include "base/time.h"
#include "cli/cli.h"

GROUP_SETUP(hear_wake_ups)

TEST(each_row_has_what_its_destination_needs)
{
    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        bool file = output_kind_is_exported(kind);
        bool printed = kind->sink == SINK_PRINTED;
        assert_int_equal(kind->refuse != NULL, printed);
        assert_int_equal(kind->magic && kind->magic_description, file);
        assert_int_equal(kind->early_exit_line != NULL, kind->answer != NULL);
        if (file) /* its option has the path */
            assert_true(cli_option(kind->option)->is_path);
        if (!printed && kind->sink != SINK_STDOUT_AT_END) /* somebody decides how often */
            assert_true(kind->default_interval_ns > 0);
        if (kind->sink == SINK_REPLACED || kind->sink == SINK_STDOUT_AT_END)
            assert_non_null(kind->format->tick);
    }
}

/* Tests name them by their places. */
TEST(rows_have_their_names)
{
    static const enum option_id options[] = {[FORMAT_PRINT] = OPTION_PRINT,
                                             [FORMAT_RAW] = OPTION_BATCH,
                                             [FORMAT_JSON] = OPTION_JSON,
                                             [FORMAT_NDJSON] = OPTION_JSON,
                                             [FORMAT_INFLUX] = OPTION_INFLUX,
                                             [FORMAT_CSV] = OPTION_CSV,
                                             [FORMAT_CHECK] = OPTION_CHECK,
                                             [FORMAT_PLOT] = OPTION_PLOT,
                                             [FORMAT_PROMETHEUS] = OPTION_PROMETHEUS,
                                             [FORMAT_HDR] = OPTION_HDR,
                                             [FORMAT_PLOT_STREAM] = OPTION_PLOT,
                                             [FORMAT_STATUS] = OPTION_NO_STATUS,
                                             [FORMAT_LIVE] = OPTION_LIVE};
    assert_true(output_kinds[FORMAT_HUMAN].for_people);
    for (int i = FORMAT_PRINT; i < output_kind_count; i++)
        assert_int_equal(output_kinds[i].option, options[i]);
}

static void
add_head(struct report *report)
{
    buffer_text(&report->text, "head\n");
}

static void
add_period(struct report *report, const struct run_record *record)
{
    buffer_format(&report->text, "%s %llu %lld\n", report->target->path,
                  (unsigned long long)record->stats->requests,
                  (long long)record->duration);
}

static const struct report_format periods = {.open = add_head,
                                             .records = {[RECORD_PERIOD] = add_period}};
static const struct output_kind kind = {.option = OPTION_HDR,
                                        .sink = SINK_GROWING,
                                        .format = &periods,
                                        .magic = "head",
                                        .magic_description = "one"};

static bool
has_line(const char *path, const char *line)
{
    size_t size;
    char *text = golden_read(path, &size);
    bool has = strstr(text, line) != NULL;
    free(text);
    return has;
}

/* Any thread may end a period, which is written while the run goes on. What is printed
 * has none of it. */
TEST(a_file_that_grows_has_each_period)
{
    struct stats stats = golden_stats();
    char path[1100];
    size_t size;
    snprintf(path, sizeof(path), "%s/grows", scratch());
    golden_prepare(FORMAT_HUMAN);
    golden.plan.output.list[0].has_periods = false;
    golden.plan.output.list[1] =
        (struct output){.kind = &kind, .path = path, .has_periods = true};
    golden.plan.output.count = 2;
    golden.plan.end.timeout = INT64_MAX;
    golden.plan.end.grace = 60 * SECOND;
    golden_begin();
    golden_period(&stats, 1000);
    while (!has_line(path, "/tmp 10 1000\n"))
        os_sleep_until(os_clock_now() + MS);
    stats.requests++;
    golden_period(&stats, 2000);
    golden.observer.end(&golden.reports, &golden.job, 1, 0);
    report_end(&golden.reports, &golden.outcome);
    dup2(golden.saved, 1);
    close(golden.saved);
    assert_int_equal(golden.outcome.output_error, 0);
    char *text = golden_read(path, &size);
    assert_string_equal(text, "head\n/tmp 10 1000\n/tmp 11 2000\n");
    free(text);
    text = golden_read(golden.path, &size);
    assert_string_equal(text, "");
    free(text);
}
