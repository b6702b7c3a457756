/*
 * The choice of the outputs that a command line asks for. Nine rules make the choice.
 * Each rule is a function, whose comment states the rule:
 *
 *   1  which kind of output has the results               choose_results
 *   2  what standard output and the file of -output get   add_printed
 *   3  which other outputs there are                      add_unprinted
 *   4  whether an output shows each request               shows_requests
 *   5  whether an output has periods                      has_periods
 *   6  whether an output has a summary                    has_summary
 *   7  how often an output is written or drawn            choose_tick_interval
 *   8  which files are refused                            check_files
 *   9  which periods are refused                          check_figure_periods
 *
 * The rules are about rows of the table of outputs (outputs.c). They name two rows only:
 * the text for people, and -batch, which has no lines for requests and no default
 * interval. Messages also name -check and -print.
 */
#include "report/output_choice.h"

#include "cli/cli.h"
#include "report/output_file.h"
#include "report/outputs.h"

#include <stdio.h>
#include <string.h>

static const struct output_kind *const text_for_people = &output_kinds[0];

/* Returns true if OPTIONS ask for results of KIND. */
static bool
is_asked_for(const struct output_kind *kind, const struct options *options)
{
    return kind->min_given > 0 && options->given[kind->option] >= kind->min_given;
}

/*
 * Rule 1: The last row of the table whose option was given often enough has the results.
 * Without such an option, the results are the text for people. With -record, which asks
 * for raw lines in this text, a kind that takes the screen does not have the results.
 */
static const struct output_kind *
choose_results(const struct options *options)
{
    const struct output_kind *results = text_for_people;

    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        if (options->record && kind->takes_screen)
            continue;
        if (is_asked_for(kind, options))
            results = kind;
    }

    return results;
}

/* Returns the kind of output that standard output gets while the results, of the kind
 * RESULTS, go to a file: the kind that takes the screen if OPTIONS ask for it, else the
 * text for people. */
static const struct output_kind *
choose_screen(const struct options *options, const struct output_kind *results)
{
    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        if (kind->takes_screen && kind != results && is_asked_for(kind, options))
            return kind;
    }

    return text_for_people;
}

/* Returns true if no output of PLAN shows each request, for rules 4 and 6. */
static bool
silences_requests(const struct plan *plan)
{
    const struct options *options = plan->options;

    if (plan->mode & (MODE_SWEEP | MODE_COMPARE | MODE_DIAGNOSE))
        return true;

    return options->record || options->given[OPTION_QUIET] ||
           options->given[OPTION_RAPID] || options->given[OPTION_BATCH];
}

/* Returns true if an output of KIND shows each request of PLAN, unless the live screen is
 * there in its place. */
static bool
has_request_lines(const struct plan *plan, const struct output_kind *kind)
{
    return kind->format->sample && !silences_requests(plan);
}

/*
 * Rule 4: An output shows each request if its format has lines for requests. No output
 * does with -quiet, -rapid, -batch, -record, -compare or -diagnose, or in a sweep. With
 * -live, the text for people on standard output does not: the live screen is there. PATH
 * is the file of the output, or NULL.
 */
static bool
shows_requests(const struct plan *plan, const struct output_kind *kind, const char *path)
{
    bool is_live = plan->options->given[OPTION_LIVE] && kind->for_people && !path;

    return has_request_lines(plan, kind) && !is_live;
}

/* Returns the number of requests after which a period ends; 0 if no number of requests
 * ends it. With -record each request is a period, so that the file has a raw line for
 * each request. */
static int64_t
choose_print_count(const struct options *options)
{
    return options->record ? 1 : options->print_count;
}

/* Returns the time after which a period of KIND ends, in ns; 0 if no time ends it. The
 * default interval of KIND is used only if no option says when a period ends. It is not
 * used with -batch, which asks for a single line about the whole run. */
static int64_t
choose_print_interval(const struct options *options, const struct output_kind *kind)
{
    if (options->print_interval)
        return options->print_interval;

    if (options->record || options->given[OPTION_PRINT_COUNT] ||
        options->given[OPTION_PRINT_INTERVAL] || options->given[OPTION_BATCH])
        return 0;

    return kind->default_interval_ns;
}

/*
 * Rule 5: An output has periods if its format has lines for periods, and if -p, -P,
 * -record or the default interval of its kind says when a period ends. A kind that emits
 * the partial period at the end of the run, but has no summary, always has periods: if
 * nothing else ends a period, the whole run is one. A sweep has steps instead of periods,
 * and -diagnose has parts.
 */
static bool
has_periods(const struct plan *plan, const struct output_kind *kind)
{
    const struct options *options = plan->options;

    if (plan->mode & (MODE_SWEEP | MODE_DIAGNOSE) ||
        !kind->format->records[RECORD_PERIOD])
        return false;

    bool whole_run_is_period =
        kind->emit_partial_period && !kind->format->records[RECORD_SUMMARY];

    return whole_run_is_period || choose_print_count(options) > 0 ||
           choose_print_interval(options, kind) > 0;
}

/*
 * Rule 6: An output has a summary if its format has one. An output with PERIODS omits the
 * summary, unless it has lines for requests, too, or its kind asks for a summary after
 * periods. With -diagnose, the summary is the diagnosis.
 */
static bool
has_summary(const struct plan *plan, const struct output_kind *kind, bool periods)
{
    if (!kind->format->records[RECORD_SUMMARY])
        return false;

    return kind->summary_after_periods || !periods || has_request_lines(plan, kind);
}

/*
 * Rule 7: An exported file is written at the interval of -every. Without -every, it is
 * written at the interval of -P if its kind says so, or else at the default interval of
 * its kind. The status line and the live screen are drawn at the default interval of
 * their kinds. In a sweep, a growing file has no interval, because it gets the data of
 * each step when the step ends.
 *
 * Returns the interval in ns, or 0 for none. PATH is the file of the output, or NULL.
 */
static int64_t
choose_tick_interval(const struct plan *plan, const struct output_kind *kind,
                     const char *path)
{
    const struct options *options = plan->options;

    if (!kind->format->tick)
        return 0;
    if (kind->sink == SINK_GROWING && plan->mode & MODE_SWEEP)
        return 0;

    if (path && options->export_interval)
        return options->export_interval;
    if (kind->uses_print_interval && options->print_interval)
        return options->print_interval;

    return kind->default_interval_ns;
}

/* Adds an output of KIND to PLAN, with PERIODS or without them. PATH is its file; NULL if
 * standard output or the terminal gets the output. There is always room in the list,
 * because OUTPUTS_MAX is checked against the number of kinds (outputs.c). */
static void
add_output(struct plan *plan, const struct output_kind *kind, const char *path,
           bool periods)
{
    struct plan_output *output = &plan->output;
    struct output *added = &output->list[output->count++];

    *added = (struct output){
        .kind = kind,
        .path = path,
        .tick_interval = choose_tick_interval(plan, kind, path),
        .has_requests = shows_requests(plan, kind, path),
        .has_periods = periods,
        .has_summary = has_summary(plan, kind, periods),
    };

    if (periods) {
        output->print_count = choose_print_count(plan->options);
        output->print_interval = choose_print_interval(plan->options, kind);
        output->emit_partial_period |= kind->emit_partial_period;
    }

    output->any_requests |= added->has_requests;
    output->any_periods |= added->has_periods;
    output->any_summary |= added->has_summary;
    output->needs_track |= kind->needs_track;
    output->needs_names |= kind->needs_names;
}

/* Returns the path that the option of KIND names; NULL if the option was not given. */
static const char *
option_path(const struct output_kind *kind, const struct options *options)
{
    const char *path;

    memcpy(&path, (const char *)options + cli_option(kind->option)->offset, sizeof(path));
    return path;
}

/* Returns the kind that takes all of standard output at the end, as "-plot -" does; NULL
 * if OPTIONS do not ask for such a kind. */
static const struct output_kind *
find_stdout_at_end(const struct options *options)
{
    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        if (kind->sink != SINK_STDOUT_AT_END)
            continue;

        const char *path = option_path(kind, options);
        if (path && strcmp(path, "-") == 0)
            return kind;
    }

    return NULL;
}

/* Returns true if OPTIONS ask for an exported file. The option of AT_END, the kind that
 * takes all of standard output, is skipped: its value is "-", not the path of a file. */
static bool
exports_file(const struct options *options, const struct output_kind *at_end)
{
    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        if (output_kind_is_exported(kind) && kind->option != at_end->option &&
            option_path(kind, options))
            return true;
    }

    return false;
}

/* Refuses options that cannot be combined with AT_END, a kind that takes all of standard
 * output. The results, of the kind RESULTS, must not go to standard output too. The
 * option -every is refused if no file is written at intervals. Returns 0, or -1 with
 * ERROR. */
static int
check_stdout_at_end(const struct options *options, const struct output_kind *at_end,
                    const struct output_kind *results, struct error *error)
{
    char what[32];

    snprintf(what, sizeof(what), "-%s -", cli_option(at_end->option)->name);

    if (results->answer)
        return error_set(error, EXIT_USAGE, what,
                         "standard output has the line of -check; name a file such as "
                         "x.svg");
    if (!options->output && !options->record)
        return error_set(error, EXIT_USAGE, what,
                         "standard output has the results; add -output FILE, or name a "
                         "file such as x.svg");

    const struct output_kind *screen = choose_screen(options, results);
    if (screen != text_for_people)
        return error_set(error, EXIT_USAGE, what,
                         "standard output has the values of -%s; name a file such as "
                         "x.svg",
                         cli_option(screen->option)->name);

    if (options->given[OPTION_EVERY] && !exports_file(options, at_end))
        return error_set(error, EXIT_USAGE, "-every",
                         "%s writes once, at the end; leave out -every", what);

    return 0;
}

/*
 * Rule 2: The results, of the kind RESULTS, go to standard output. With -output or
 * -record the results go to the file instead, and standard output gets the text for
 * people, or a kind that takes the screen, without periods. If AT_END is not NULL,
 * standard output gets the output of kind AT_END instead.
 */
static void
add_printed(struct plan *plan, const struct output_kind *results,
            const struct output_kind *at_end)
{
    const struct options *options = plan->options;
    const char *path = options->record ? options->record : options->output;

    add_output(plan, results, path, has_periods(plan, results));
    if (path)
        add_output(plan, at_end ? at_end : choose_screen(options, results), NULL, false);

    plan->output.stream_count = plan->output.count;
}

/*
 * Rule 3: Each option that names a file adds an output in that file, except the option of
 * AT_END. The status line is added if its kind enables it by default, unless -no-status
 * was given. The live screen is added if its option was given. AT_END may be NULL.
 */
static void
add_unprinted(struct plan *plan, const struct output_kind *at_end)
{
    const struct options *options = plan->options;

    for (int i = 0; i < output_kind_count; i++) {
        const struct output_kind *kind = &output_kinds[i];
        bool is_exported = output_kind_is_exported(kind);
        const char *path = is_exported ? option_path(kind, options) : NULL;
        bool is_wanted = path != NULL;

        if (at_end && at_end->option == kind->option)
            continue;

        if (!is_exported && kind->enabled_by_default)
            is_wanted = !options->given[kind->option] && kind->enabled_by_default(plan);
        if (kind->sink == SINK_LIVE_SCREEN)
            is_wanted = options->given[kind->option];

        if (is_wanted)
            add_output(plan, kind, path, has_periods(plan, kind));
    }
}

/* Returns true if PATH is the path of a target of PLAN, or of its background load. */
static bool
is_target_path(const struct plan *plan, const char *path)
{
    const struct options *options = plan->options;
    const char *background = options->background.path;

    for (int i = 0; i < options->target_count; i++)
        if (strcmp(path, options->targets[i]) == 0)
            return true;

    return background && strcmp(path, background) == 0;
}

/* Returns true if ONE and OTHER have a file each, and both have the same path. */
static bool
has_same_path(const struct output *one, const struct output *other)
{
    return one->path && other->path && strcmp(one->path, other->path) == 0;
}

/* Fills ERROR: PATH, which OPTION names, is also OTHER_USE, such as "a target" or "the
 * file of -plot". Returns -1. */
static int
refuse_output_path(enum option_id option, const char *path, const char *other_use,
                   struct error *error)
{
    char what[32];
    snprintf(what, sizeof(what), "-%s", cli_option(option)->name);

    error_set(error, EXIT_USAGE, what, "%s is also %s", path, other_use);
    return error_advise(error, "name another file");
}

/* Fills ERROR: the path that OPTION names is also the file of OTHER. Returns -1. */
static int
refuse_same_path(enum option_id option, const struct output *other, struct error *error)
{
    char other_use[48];
    snprintf(other_use, sizeof(other_use), "the file of -%s",
             cli_option(other->kind->option)->name);

    return refuse_output_path(option, other->path, other_use, error);
}

/*
 * Refuses the path "-", which users expect to be standard output, for all outputs of PLAN
 * that would make a file of that name. Returns 0, or -1 with ERROR.
 */
static int
refuse_dash(const struct plan *plan, struct error *error)
{
    for (int i = 0; i < plan->output.count; i++) {
        const struct output *output = &plan->output.list[i];
        char what[32];

        if (!output->path || strcmp(output->path, "-") != 0)
            continue;

        enum option_id option = output_file_option(plan);
        if (output != plan_results(plan))
            option = output->kind->option;
        snprintf(what, sizeof(what), "-%s", cli_option(option)->name);
        error_set(error, EXIT_USAGE, what, "- is not standard output here");
        return error_advise(error, "to write a file of that name, give ./-");
    }

    return 0;
}

/*
 * Rule 8: The file of -output or -record must not be a target, and no two outputs may
 * have the same file. Returns 0, or -1 with ERROR.
 *
 * Paths are compared, because nothing is open yet. Different paths may still lead to the
 * same file, so output_file.c checks the file of -output again once it is open.
 */
static int
check_files(const struct plan *plan, struct error *error)
{
    const struct output *list = plan->output.list;
    const struct output *results = plan_results(plan);
    int last = plan->output.count - 1;

    if (refuse_dash(plan, error) < 0)
        return -1;
    if (results->path && is_target_path(plan, results->path))
        return refuse_output_path(output_file_option(plan), results->path, "a target",
                                  error);

    /* The file of -output is compared with all others first, so that the message tells
     * the user to change -output. */
    for (int i = last; i > 0; i--)
        if (has_same_path(results, &list[i]))
            return refuse_same_path(output_file_option(plan), &list[i], error);

    for (int i = last; i > 0; i--)
        for (int k = i - 1; k > 0; k--)
            if (has_same_path(&list[i], &list[k]))
                return refuse_same_path(list[i].kind->option, &list[k], error);

    return 0;
}

/*
 * Checks FIGURE of -print, which each period prints. It must not be a figure of a phase.
 * If it is a percentile, the number of requests after which a period of PLAN ends (-p)
 * must be enough to know it. Returns 0, or -1 with ERROR.
 */
static int
check_period_figure(const struct plan *plan, const struct slo *figure,
                    struct error *error)
{
    char name[SLO_NAME_SIZE];
    uint64_t period = (uint64_t)plan->output.print_count;

    slo_name(figure, name);
    if (figure->phase)
        return error_set(error, EXIT_USAGE, "-print",
                         "%s is a figure of a whole phase; leave out -p and -P, or "
                         "use -csv",
                         name);

    if (figure->metric != SLO_PERCENTILE || period == 0)
        return 0;

    uint64_t needs = percentile_min_samples(&figure->percentile);
    if (period < needs)
        return error_set(error, EXIT_USAGE, "-print",
                         "%s needs %llu requests that count, but -p %llu gives at most "
                         "%llu; use -p %llu",
                         name, (unsigned long long)needs, (unsigned long long)period,
                         (unsigned long long)period, (unsigned long long)needs);
    return 0;
}

/*
 * Rule 9: The line of a period of -print does not name a target or a phase. So there may
 * be only one target, and no figure of a phase. Each period must have enough requests for
 * each figure, as far as that is known. Returns 0, or -1 with ERROR.
 */
static int
check_figure_periods(const struct plan *plan, struct error *error)
{
    const struct output *results = plan_results(plan);
    const struct slos *figures = plan->output.figures;

    if (!results->kind->takes_screen || !results->has_periods)
        return 0;

    if (plan->target_count > 1)
        return error_set(error, EXIT_USAGE, "-print",
                         "lines of periods do not name their target; name one target, or "
                         "use -csv");

    for (int i = 0; i < figures->count; i++)
        if (check_period_figure(plan, &figures->list[i], error) < 0)
            return -1;
    return 0;
}

int
outputs_choose(const struct options *options, struct plan *plan, struct error *error)
{
    struct plan_output *output = &plan->output;
    const struct output_kind *results = choose_results(options);
    const struct output_kind *at_end = find_stdout_at_end(options);

    if (at_end && check_stdout_at_end(options, at_end, results, error) < 0)
        return -1;

    output->time_format = options->given[OPTION_TIME] ? options->time_format : NULL;
    output->burst = options->burst;
    output->percentiles = options->percentiles;
    output->buckets = &options->buckets;
    output->figures = &options->figures;

    add_printed(plan, results, at_end);
    add_unprinted(plan, at_end);

    if (check_files(plan, error) < 0)
        return -1;
    return check_figure_periods(plan, error);
}
