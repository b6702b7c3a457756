/*
 * The choice of the outputs that a command line asks for.
 *
 * These rules choose the outputs:
 * 1. The last row of the table whose option was given often enough is printed. If there
 * is no such row, the text for people is printed.
 * 2. With -output or -record the printed output goes to the file. Standard output then
 * gets the text for people without periods, or the plot of "-plot -".
 * 3. An option that names a file adds an output in that file. The status line is added,
 *    unless -no-status was given or its row decides against it.
 * 4. Requests have lines if the format has them, except with -q, -R, -batch, -record, in
 * a sweep, and with -compare.
 * 5. -p and -P set the periods. Without them, periods have the default interval of the
 *    row; with -batch there is no default. A row with emit_partial_period has periods in
 *    any case: without an interval the whole run is one period. A sweep has steps instead
 *    of periods.
 * 6. The summary is printed if the format has one, except by an output that has periods
 *    while rule 4 silences its requests; a row can ask for it even then.
 * 7. A file is written every -every. Without that option it is written every -P if its
 * row says so, or else at the default interval of the row. In a sweep, a growing file has
 *    no ticks but gets the data of each step.
 * 8. The file of an output must not be a target, nor the file of another output.
 *
 * Rule 8 compares paths, because nothing is open yet. Two different paths may lead to the
 * same file, so output_file.c checks the file of -output again once it is open.
 */
#include "report/output_choice.h"

#include "cli/cli.h"
#include "report/output_file.h"
#include "report/outputs.h"

#include <stdio.h>
#include <string.h>

/* Adds KIND to the outputs of PLAN by the rules 4 to 7 above. PATH is the file of this
 * output; NULL if standard output or the terminal gets it. OWN is false only for the text
 * that standard output gets while the results go to a file (rule 2). */
static void
add_output(struct plan *plan, const struct output_kind *kind, const char *path, bool own)
{
    const struct options *options = plan->options;
    struct plan_output *output = &plan->output;
    const struct report_format *format = kind->format;
    bool sweeps = plan->mode & MODE_SWEEP;
    bool batch = options->given[OPTION_BATCH];

    bool records = options->record != NULL;
    int64_t print_count = records ? 1 : options->print_count;
    bool asked = records || options->given[OPTION_PRINT_COUNT] ||
                 options->given[OPTION_PRINT_INTERVAL] || batch;
    bool quiet = records || options->given[OPTION_QUIET] ||
                 options->given[OPTION_RAPID] || batch ||
                 (plan->mode & (MODE_SWEEP | MODE_COMPARE)); /* requests have no lines */

    int64_t interval = options->print_interval ? options->print_interval
                       : asked                 ? 0
                                               : kind->default_interval_ns;
    bool periods = own && !sweeps && format->records[RECORD_PERIOD] &&
                   (print_count || interval || kind->emit_partial_period);

    struct output *one = &output->list[output->count++];
    *one = (struct output){.kind = kind,
                           .path = path,
                           .has_requests = format->sample && !quiet,
                           .has_periods = periods,
                           .has_summary =
                               format->records[RECORD_SUMMARY] &&
                               (kind->summary_after_periods || !quiet || !periods)};

    if (periods) {
        output->print_count = print_count;
        output->print_interval = interval;
        output->emit_partial_period |= kind->emit_partial_period;
    }

    output->any_requests |= one->has_requests;
    output->any_periods |= periods;
    output->any_summary |= one->has_summary;
    output->needs_track |= kind->needs_track;
    output->needs_names |= kind->needs_names;

    if (format->tick && !(kind->sink == SINK_GROWING && sweeps))
        one->tick_interval = path && options->export_interval ? options->export_interval
                             : kind->uses_print_interval && options->print_interval
                                 ? options->print_interval
                                 : kind->default_interval_ns;
}

/* Returns the path that the option of KIND names; NULL if the option was not given. */
static const char *
path_of(const struct output_kind *kind, const struct options *options)
{
    const char *path;

    memcpy(&path, (const char *)options + cli_option(kind->option)->offset, sizeof(path));
    return path;
}

/* Returns the kind that takes all of standard output, as "-plot -" does; NULL if OPTIONS
 * do not ask for such a kind. */
static const struct output_kind *
find_last(const struct options *options)
{
    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        const char *path =
            kind->sink == SINK_STDOUT_AT_END ? path_of(kind, options) : NULL;
        if (path && strcmp(path, "-") == 0)
            return kind;
    }
    return NULL;
}

/* Refuses options that cannot be combined with LAST, the kind that takes all of standard
 * output: results that would be PRINTED there too, and -every if no file is written again
 * and again. Returns 0, or -1 with ERROR. */
static int
check_last(const struct options *options, const struct output_kind *last,
           const struct output_kind *printed, struct error *error)
{
    char what[32];
    bool has_files = options->prometheus || options->hdr;

    snprintf(what, sizeof(what), "-%s -", cli_option(last->option)->name);

    if (printed->answer)
        return error_set(error, EXIT_USAGE, what,
                         "standard output has the line of -check; name a file such as "
                         "x.svg");
    if (!options->output && !options->record)
        return error_set(error, EXIT_USAGE, what,
                         "standard output has the results; add -output FILE, or name a "
                         "file such as x.svg");

    if (options->given[OPTION_EVERY] && !has_files)
        return error_set(error, EXIT_USAGE, "-every",
                         "%s writes once, at the end; leave out -every", what);

    return 0;
}

/* Fills ERROR: PATH, which option ID names, IS already something else, such as "a
 * target". Returns -1. */
static int
refuse_same(enum option_id id, const char *path, const char *is, struct error *error)
{
    char what[32];
    snprintf(what, sizeof(what), "-%s", cli_option(id)->name);

    error_set(error, EXIT_USAGE, what, "%s is also %s", path, is);
    return error_advise(error, "name another file");
}

/* Refuses a file of the printed output that is a target, and two outputs with the same
 * file (rule 8). Compares paths only, since nothing is open yet. Returns 0, or -1 with
 * ERROR. */
static int
check_files(const struct plan *plan, struct error *error)
{
    const struct plan_output *output = &plan->output;
    const struct options *options = plan->options;
    const char *path = plan_printed(plan)->path;
    const char *background = options->background.path;
    bool target = path && background && strcmp(path, background) == 0;
    char other[48];

    for (int i = 0; path && i < options->target_count; i++)
        target |= strcmp(path, options->targets[i]) == 0;

    if (target)
        return refuse_same(output_file_option(plan), path, "a target", error);

    for (int n = 0; n < output->count; n++) {
        /* The file of -output is compared first, with all others, so that a message tells
         * the user to change -output. */
        int i = n ? output->count - n : 0;
        for (int k = i ? i : output->count; k-- > 1;) {
            const char *one = output->list[i].path;
            const char *two = output->list[k].path;
            if (!one || !two || strcmp(one, two) != 0)
                continue;
            snprintf(other, sizeof(other), "the file of -%s",
                     cli_option(output->list[k].kind->option)->name);
            return refuse_same(i ? output->list[i].kind->option
                                 : output_file_option(plan),
                               one, other, error);
        }
    }

    return 0;
}

int
outputs_plan(const struct options *options, struct plan *plan, struct error *error)
{
    struct plan_output *output = &plan->output;
    const struct output_kind *printed = output_kinds;
    output->time_format = options->given[OPTION_TIME] ? options->time_format : NULL;
    output->burst = options->burst;
    output->percentiles = options->percentiles;
    output->buckets = &options->buckets;

    for (int i = 0; i < output_kind_count; i++)
        if (output_kinds[i].min_given > 0 &&
            options->given[output_kinds[i].option] >= output_kinds[i].min_given)
            printed = &output_kinds[i];

    const struct output_kind *last = find_last(options);
    if (last && check_last(options, last, printed, error) < 0)
        return -1;

    const char *path = options->record ? options->record : options->output;
    add_output(plan, printed, path, true);
    /* Rule 2: standard output gets what it would have if no format had been chosen. */
    if (path)
        add_output(plan, last ? last : output_kinds, NULL, false);
    output->stream_count = output->count;

    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        bool file = output_kind_is_exported(kind);
        const char *file_path = file ? path_of(kind, options) : NULL;
        if (last && last->option == kind->option)
            continue;

        if (file ? file_path != NULL
                 : kind->enabled_by_default && !options->given[kind->option] &&
                       kind->enabled_by_default(plan))
            add_output(plan, kind, file_path, true);
    }

    return check_files(plan, error);
}
