/*
 * The plan of what a run prints and keeps: the format, the file that takes the place of
 * standard output, and the exported files.
 */
#include "base/time.h"
#include "cli/cli.h"
#include "resolve.h"

#include <stdio.h>
#include <string.h>

/* Returns whether requests have no lines. */
static bool
is_quiet(const struct options *options, const struct plan *plan)
{
    return plan_given(options, OPTION_QUIET) || plan_given(options, OPTION_RAPID) ||
           plan_given(options, OPTION_BATCH) ||
           (plan->mode & (MODE_SWEEP | MODE_COMPARE));
}

static void
resolve_output(const struct options *options, struct plan *plan)
{
    struct plan_output *output = &plan->output;
    bool batch = plan_given(options, OPTION_BATCH), quiet = is_quiet(options, plan);
    bool json = plan_given(options, OPTION_JSON);
    output->format = options->given[OPTION_JSON] > 1 ? FORMAT_NDJSON
                     : json                          ? FORMAT_JSON
                     : batch                         ? FORMAT_RAW
                                                     : FORMAT_HUMAN;
    output->print_count = options->print_count;
    output->print_interval = options->print_interval;
    output->requests = !quiet;
    bool periods = output->print_count || output->print_interval;
    output->summary = json || batch || !quiet || !periods;
    output->time_format = plan_given(options, OPTION_TIME) ? options->time_format : NULL;
    output->burst = options->burst;
    output->percentiles = options->percentiles;
    output->plot = options->plot;
}

/* Has all that goes to standard output go to a file, and there what people read, as if no
 * format were given. */
static void
resolve_file(const struct options *options, struct plan *plan)
{
    struct plan_output *output = &plan->output;
    if (!options->output)
        return;
    output->file = options->output;
    plan->screen = (struct plan_output){.format = FORMAT_HUMAN,
                                        .requests = !is_quiet(options, plan),
                                        .summary = true,
                                        .time_format = output->time_format,
                                        .burst = output->burst,
                                        .percentiles = output->percentiles};
}

/* Periods are what the line protocol is made of, and nothing else is printed. Of a batch
 * the whole run is one, unless others are asked for. */
static void
resolve_influx(const struct options *options, struct plan *plan)
{
    struct plan_output *output = &plan->output;
    bool periods = plan_given(options, OPTION_PRINT_COUNT) ||
                   plan_given(options, OPTION_PRINT_INTERVAL) ||
                   plan_given(options, OPTION_BATCH);
    if (!plan_given(options, OPTION_INFLUX))
        return;
    output->format = FORMAT_INFLUX;
    output->requests = output->summary = false;
    output->rest = !(plan->mode & MODE_SWEEP); /* else it has steps instead */
    output->print_interval = periods ? options->print_interval : SECOND;
    if (!output->rest)
        output->print_interval = 0;
}

/* A line per request shows well enough that the run is alive. */
static void
resolve_status(const struct options *options, struct plan *plan)
{
    const struct plan_output *shown = plan->output.file ? &plan->screen : &plan->output;
    plan->output.status = !shown->requests && !shown->print_count &&
                          !(plan->mode & (MODE_CHECK | MODE_COMPARE)) &&
                          !plan_given(options, OPTION_NO_STATUS);
}

/* Metrics and a log are made as often as raw lines unless files have an interval of their
 * own. A log has a line for each step of a sweep. */
static void
resolve_exports(const struct options *options, struct plan *plan)
{
    struct plan_output *output = &plan->output;
    int64_t interval = options->every ? options->every : options->print_interval;
    output->prometheus = options->prometheus;
    output->buckets = &options->buckets;
    if (output->prometheus)
        output->export_interval = interval ? interval : 15 * SECOND;
    output->hdr = options->hdr;
    if (output->hdr && !(plan->mode & MODE_SWEEP))
        output->hdr_interval = interval ? interval : SECOND;
    if (output->plot)
        output->plot_interval = options->every ? options->every : 10 * SECOND;
}

static bool
is_same(const char *path, const char *other)
{
    return path && other && strcmp(path, other) == 0;
}

static int
refuse_same(enum option_id id, const char *path, const char *is, struct error *error)
{
    char what[32];
    snprintf(what, sizeof(what), "-%s", cli_option(id)->name);
    error_set(error, EXIT_USAGE, what, "%s is %s too", path, is);
    return error_advise(error, "name another file");
}

/* Refuses files that would take the place of each other, and output that would destroy a
 * target. */
static int
check_files(const struct options *options, struct error *error)
{
    const struct {
        enum option_id id;
        const char *path;
    } files[] = {{OPTION_OUTPUT, options->output},
                 {OPTION_HDR, options->hdr},
                 {OPTION_PLOT, options->plot},
                 {OPTION_PROMETHEUS, options->prometheus}};
    size_t count = sizeof(files) / sizeof(files[0]);
    bool target = is_same(options->output, options->background.path);
    char other[48];
    for (int i = 0; i < options->target_count; i++)
        target |= is_same(options->output, options->targets[i]);
    if (target)
        return refuse_same(OPTION_OUTPUT, options->output, "a target", error);
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            if (!is_same(files[i].path, files[k].path))
                continue;
            snprintf(other, sizeof(other), "the file of -%s",
                     cli_option(files[k].id)->name);
            return refuse_same(files[i].id, files[i].path, other, error);
        }
    return 0;
}

int
plan_resolve_output(const struct options *options, struct plan *plan, struct error *error)
{
    resolve_output(options, plan);
    resolve_influx(options, plan);
    resolve_exports(options, plan);
    return check_files(options, error);
}

void
plan_resolve_screen(const struct options *options, struct plan *plan)
{
    resolve_file(options, plan);
    resolve_status(options, plan);
}
