/*
 * The plan of what a run prints and keeps: the format, the file that takes the place of
 * standard output, and the exported files.
 */
#include "base/time.h"
#include "cli/cli.h"
#include "resolve.h"

#include <stdio.h>
#include <string.h>

static void
resolve_output(const struct options *options, struct plan_output *output)
{
    bool batch = plan_given(options, OPTION_BATCH);
    bool quiet = plan_given(options, OPTION_QUIET) || plan_given(options, OPTION_RAPID);
    bool json = plan_given(options, OPTION_JSON);
    output->format = options->given[OPTION_JSON] > 1 ? FORMAT_NDJSON
                     : json                          ? FORMAT_JSON
                     : batch                         ? FORMAT_RAW
                                                     : FORMAT_HUMAN;
    output->print_count = options->print_count;
    bool exported = options->prometheus || options->hdr;
    output->print_interval = exported ? 0 : options->print_interval;
    output->requests = !quiet && !batch && !plan_given(options, OPTION_COMPARE);
    bool periods = output->print_count || output->print_interval;
    output->summary = json || batch || !quiet || !periods;
    output->time_format = plan_given(options, OPTION_TIME) ? options->time_format : NULL;
    output->burst = options->burst;
    output->percentiles = options->percentiles;
    output->plot = options->plot;
}

/* Refuses a file whose name is that of another which it would destroy. */
static int
check_file(const struct options *options, struct error *error)
{
    const char *path = options->output, *is = NULL;
    const struct {
        const char *path, *is;
    } others[] = {{options->load.path, "a target"},
                  {options->prometheus, "the file of -prometheus"},
                  {options->plot, "the file of -plot"},
                  {options->hdr, "the file of -hdr"}};
    for (int i = 0; i < options->target_count; i++)
        if (strcmp(path, options->targets[i]) == 0)
            is = "a target";
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        if (others[i].path && strcmp(path, others[i].path) == 0)
            is = others[i].is;
    if (!is)
        return 0;
    error_set(error, EXIT_USAGE, "-output", "%s is %s too", path, is);
    return error_advise(error, "name another file");
}

/* Has all that goes to standard output go to a file, and there what people read, as if no
 * format were given. */
static int
resolve_file(const struct options *options, struct plan *plan, struct error *error)
{
    struct plan_output *output = &plan->output;
    bool quiet = plan_given(options, OPTION_QUIET) || plan_given(options, OPTION_RAPID) ||
                 plan_given(options, OPTION_BATCH);
    if (!options->output)
        return 0;
    output->file = options->output;
    plan->screen =
        (struct plan_output){.format = FORMAT_HUMAN,
                             .requests = !quiet && plan->sweep.kind == SWEEP_NONE,
                             .summary = true,
                             .time_format = output->time_format,
                             .burst = output->burst,
                             .percentiles = output->percentiles};
    return check_file(options, error);
}

/* One format at a time; periods are what it is made of, and nothing else is printed. */
static int
resolve_influx(const struct options *options, struct plan_output *output,
               struct error *error)
{
    bool periods = plan_given(options, OPTION_PRINT_COUNT) ||
                   plan_given(options, OPTION_PRINT_INTERVAL);
    if (!plan_given(options, OPTION_INFLUX))
        return 0;
    if (plan_given(options, OPTION_JSON))
        return plan_refuse_together(OPTION_JSON, "-influx", error);
    if (plan_given(options, OPTION_BATCH))
        return plan_refuse_together(OPTION_BATCH, "-influx", error);
    output->format = FORMAT_INFLUX;
    output->requests = output->summary = false;
    output->rest = options->sweep.kind == SWEEP_NONE; /* else it has steps instead */
    output->print_interval = periods ? options->print_interval : SECOND;
    if (!output->rest)
        output->print_interval = 0;
    return 0;
}

/* A line per request shows well enough that the run is alive. */
static void
resolve_status(const struct options *options, struct plan *plan)
{
    const struct plan_output *shown = plan->output.file ? &plan->screen : &plan->output;
    plan->output.status = !shown->requests && !shown->print_count && !plan->compare &&
                          shown->format != FORMAT_CHECK &&
                          !plan_given(options, OPTION_NO_STATUS);
}

/* Metrics and a log take over the interval of the raw lines, which are not printed then.
 * A log has a line for each step of a sweep. */
static int
resolve_exports(const struct options *options, struct plan_output *output,
                struct error *error)
{
    int64_t interval = options->print_interval;
    output->prometheus = options->prometheus;
    output->buckets = &options->buckets;
    if (output->prometheus)
        output->export_interval = interval ? interval : 15 * SECOND;
    output->hdr = options->hdr;
    if (output->hdr && options->sweep.kind == SWEEP_NONE)
        output->hdr_interval = interval ? interval : SECOND;
    if (output->prometheus || !plan_given(options, OPTION_BUCKETS))
        return 0;
    error_set(error, EXIT_USAGE, "-buckets", "no metrics have a histogram");
    return error_advise(error, "add -prometheus FILE");
}

/* Each exported file would take the place of another at the same path. */
static int
check_exports(const struct options *options, struct error *error)
{
    const struct {
        enum option_id id;
        const char *path;
    } files[] = {{OPTION_HDR, options->hdr},
                 {OPTION_PLOT, options->plot},
                 {OPTION_PROMETHEUS, options->prometheus}};
    size_t count = sizeof(files) / sizeof(files[0]);
    char what[32];
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            if (!files[i].path || !files[k].path || strcmp(files[i].path, files[k].path))
                continue;
            snprintf(what, sizeof(what), "-%s", cli_option(files[i].id)->name);
            error_set(error, EXIT_USAGE, what, "-%s has the same file",
                      cli_option(files[k].id)->name);
            return error_advise(error, "name another");
        }
    return 0;
}

int
plan_resolve_output(const struct options *options, struct plan_output *output,
                    struct error *error)
{
    resolve_output(options, output);
    if (check_exports(options, error) < 0 || resolve_influx(options, output, error) < 0)
        return -1;
    return resolve_exports(options, output, error);
}

int
plan_resolve_screen(const struct options *options, struct plan *plan, struct error *error)
{
    if (resolve_file(options, plan, error) < 0)
        return -1;
    resolve_status(options, plan);
    return 0;
}
