/*
 * The table of outputs. Which rows a command line asks for is decided in output_choice.c.
 *
 * Other files handle a kind of output by its row, with few exceptions: output_choice.c
 * knows -batch and the text for people, status.c knows -check, and some messages name an
 * option.
 */
#include "report/outputs.h"

#include "base/time.h"
#include "check.h"
#include "cli/cli.h"
#include "live.h"
#include "os/output.h"
#include "os/process.h"
#include "plot/plot.h"
#include "report/console.h"
#include "report/report.h"
#include "status.h"
#include "writers.h"

#define STANDARD_OUTPUT 1

static void
plot_tick(struct report *report, const struct job *jobs, int count, int64_t now,
          bool last)
{
    char host[256];
    bool is_recorded = report->plan->mode == MODE_COMPARE;
    bool has_series = report->plan->statistics.series_capacity > 0;
    struct plot_diagnosis diagnosis;
    struct buffer answer = {0};
    struct plot plot = {.plan = report->plan,
                        .jobs = report->jobs,
                        .count = report->job_count,
                        .host = host,
                        .made_at = report->wall_now()};
    (void)jobs, (void)count, (void)now;

    os_host_name(host, sizeof(host));
    if (report->plan->mode == MODE_DIAGNOSE) {
        diagnosis_fill_plot(report, &diagnosis, &answer);
        plot.diagnosis = &diagnosis;
    }
    /* Jobs can be compared when all of them have ended. */
    if (plot.count > 1 && has_series && (last || is_recorded))
        plot.rows = comparison_rows(report);

    plot_format(&report->text, &plot);
    report->text.failed |= answer.failed;
    buffer_free(&answer);
}

/* The functions of -plot. The plot itself is made in src/plot/. */
static const struct report_format report_plot = {.tick = plot_tick};

/* clang-format off */
/* Members of a printed output that reports an early error on stderr. */
#define PRINTED .sink = SINK_PRINTED, .refuse = console_error

const struct output_kind output_kinds[] = {
    {.format = &report_human, PRINTED, .for_people = true},
    {.format = &report_print, .option = OPTION_PRINT, .min_given = 1, PRINTED,
     .takes_screen = true},
    {.format = &report_raw, .option = OPTION_BATCH, .min_given = 1, PRINTED, .summary_after_periods = true},
    {.format = &report_json, .option = OPTION_JSON, .min_given = 1, PRINTED, .summary_after_periods = true},
    {.format = &report_ndjson, .option = OPTION_JSON, .min_given = 2, PRINTED,
     .summary_after_periods = true},
    {.format = &report_influx, .option = OPTION_INFLUX, .min_given = 1, PRINTED,
     .default_interval_ns = SECOND, .emit_partial_period = true},
    {.format = &report_csv, .option = OPTION_CSV, .min_given = 1, PRINTED,
     .emit_partial_period = true},
    {.format = &report_check, .option = OPTION_CHECK, .min_given = 1, .sink = SINK_PRINTED,
     .refuse = check_refuse, .answer = check_answer,
     .early_exit_line = CHECK_UNANSWERED, .early_exit_status = CHECK_UNKNOWN},

    {.format = &report_prometheus, .option = OPTION_PROMETHEUS,
     .sink = SINK_REPLACED, .magic = PROMETHEUS_START, .magic_description = "a file of metrics",
     .default_interval_ns = 15 * SECOND, .uses_print_interval = true, .needs_names = true},
    {.format = &report_plot, .option = OPTION_PLOT,
     .sink = SINK_REPLACED, .magic = PLOT_START, .magic_description = "an ioping plot",
     .default_interval_ns = 10 * SECOND, .needs_names = true, .needs_track = true},
    {.format = &report_plot, .option = OPTION_PLOT, .sink = SINK_STDOUT_AT_END,
     .needs_names = true, .needs_track = true},
    {.format = &report_hdr, .option = OPTION_HDR,
     .sink = SINK_GROWING, .magic = HDR_START, .magic_description = "an ioping log",
     .default_interval_ns = SECOND, .uses_print_interval = true},

    {.format = &report_status, .option = OPTION_NO_STATUS, .enabled_by_default = status_is_default,
     .sink = SINK_STATUS_LINE, .default_interval_ns = STATUS_INTERVAL},
    {.format = &report_live, .option = OPTION_LIVE, .prepare = live_prepare,
     .sink = SINK_LIVE_SCREEN, .default_interval_ns = LIVE_INTERVAL},
};
/* clang-format on */

#define KIND_COUNT (sizeof(output_kinds) / sizeof(output_kinds[0]))

const int output_kind_count = KIND_COUNT;

/* A run has at most one output of each kind. Only the text for people may be there twice:
 * in the file of -output, and on standard output. */
_Static_assert(KIND_COUNT + 1 <= OUTPUTS_MAX, "too many kinds; raise OUTPUTS_MAX");

const struct output_kind *
outputs_find(int argc, char *const argv[])
{
    for (int i = 0; i < output_kind_count; i++)
        if (output_kinds[i].answer && cli_has(argc, argv, output_kinds[i].option))
            return &output_kinds[i];

    return output_kinds;
}

/*
 * Refuses -live if the screen would hide all that the results print: they are records on
 * the same terminal, and have no summary that remains when the screen has disappeared.
 * The text for people is not refused, because people read the screen instead. Returns 0,
 * or -1 with ERROR.
 */
static int
check_screen(const struct plan *plan, struct error *error)
{
    const struct output *results = plan_results(plan);

    if (!plan->options->given[OPTION_LIVE] || results->path || results->has_summary ||
        results->kind->for_people || !os_stream_is_terminal(STANDARD_OUTPUT))
        return 0;

    const char *option = cli_option(results->kind->option)->name;
    return error_set(error, EXIT_USAGE, "-live",
                     "the screen is on the terminal to which -%s would print; add "
                     "-output FILE, or redirect standard output",
                     option);
}

int
outputs_prepare(const struct plan *plan, struct error *error)
{
    if (check_screen(plan, error) < 0)
        return -1;

    for (int i = 0; i < plan->output.count; i++) {
        const struct output_kind *kind = plan->output.list[i].kind;
        if (kind->prepare && kind->prepare(error) < 0)
            return -1;
    }

    return 0;
}
