/*
 * The line that a monitoring plug-in prints (-check). It has the state, and each target
 * with the figures that decided the state of the target. A bar follows, and then the
 * performance data: all figures, for drawing graphs. An example:
 *
 *   IOPING WARNING - /data p99 3 ms (limit 2 ms) | p99=0.003s;0.002;0.01 max=0.005s ...
 *
 * The format is that of the Monitoring Plugins Development Guidelines
 * (https://www.monitoring-plugins.org/doc/guidelines.html), "Performance data": a figure
 * is LABEL=VALUE UNIT;WARNING;CRITICAL. WARNING and CRITICAL are ranges: "10" means that
 * more than 10 is bad, "10:" that less than 10 is bad.
 *
 * Programs that read the line disagree about quotes and equals signs in labels, and about
 * bars in the text. These characters are therefore written as a backslash and three octal
 * digits, like control characters.
 */
#include "check.h"

#include "base/deadlines.h"
#include "base/time.h"
#include "base/units.h"
#include "os/output.h"
#include "os/process.h"
#include "report/console.h"
#include "report/outputs.h"
#include "run/job.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* Maximum number of figures of a target: the requested percentiles, max and IOPS, which
 * are always listed; the figures with a limit of -warn or -slo; and one figure that is
 * shown if nothing has a limit. */
#define FIGURES_MAX (PERCENTILES_MAX + 2 + 2 * SLOS_MAX + 1)

/* The limits of a figure: -warn gives the first kind, -slo the second. */
enum limit_kind { LIMIT_WARNING, LIMIT_CRITICAL, LIMIT_KINDS };

/* A figure of a target and its limits. If several limits of one kind apply to a figure,
 * the strictest is used. */
struct figure {
    struct slo slo; /* which figure it is; the member `limit` is not used */
    const struct slo *limits[LIMIT_KINDS]; /* NULL if absent */
    const struct slo *broken; /* the gravest limit that is broken; NULL if none is */
    struct slo_answer answer;
    enum check_state state;
};

struct figures {
    int count;
    struct figure list[FIGURES_MAX];
};

static const struct {
    const char *word;
    int rank; /* the higher, the worse: a known problem is worse than an unknown state */
} states[] = {
    [CHECK_OK] = {"OK", 0},
    [CHECK_UNKNOWN] = {"UNKNOWN", 1},
    [CHECK_WARNING] = {"WARNING", 2},
    [CHECK_CRITICAL] = {"CRITICAL", 3},
};

/* Returns the worse of two states. */
static enum check_state
worse_state(enum check_state state, enum check_state other)
{
    return states[other].rank > states[state].rank ? other : state;
}

/* characters that are escaped in the text of the line, before the performance data */
#define ESCAPED_IN_TEXT "|\"`"
/* characters that are escaped in a path in the text before the performance data */
#define ESCAPED_IN_PATH ESCAPED_IN_TEXT "'"
/* characters that are escaped in a label of the performance data */
#define ESCAPED_IN_LABEL ESCAPED_IN_PATH "="

/* Adds TEXT to LINE. The characters of SET, and characters that cannot be displayed, are
 * escaped. */
static void
add_escaped(struct buffer *line, const char *text, const char *set)
{
    struct escape_character character;

    while (escape_next(&text, &character)) {
        bool is_in_set = character.length == 1 && strchr(set, character.bytes[0]);

        if (character.kind == ESCAPE_PLAIN && !is_in_set)
            buffer_add(line, character.bytes, character.length);
        else
            buffer_octal(line, &character);
    }
}

/* Adds the path of JOBS[INDEX] with the characters of SET escaped. If earlier jobs have
 * the same path, adds a number, because graphs identify figures by their labels alone. */
static void
add_target_path(struct buffer *line, const struct job *jobs, int index, const char *set)
{
    int ordinal = job_path_ordinal(jobs, index);

    add_escaped(line, jobs[index].plan.path, set);
    if (ordinal > 1)
        buffer_format(line, "#%d", ordinal);
}

/* Returns true if ONE and OTHER are about the same figure. */
static bool
is_same_figure(const struct slo *one, const struct slo *other)
{
    if (one->metric != other->metric || one->scope != other->scope ||
        one->phase != other->phase)
        return false;

    return one->metric != SLO_PERCENTILE ||
           one->percentile.billionths == other->percentile.billionths;
}

/* Returns the figure that SLO is about. Adds the figure if the list does not have it
 * yet. */
static struct figure *
find_figure(struct figures *figures, const struct slo *slo)
{
    for (int i = 0; i < figures->count; i++)
        if (is_same_figure(&figures->list[i].slo, slo))
            return &figures->list[i];

    struct figure *figure = &figures->list[figures->count++];
    *figure = (struct figure){.slo = *slo};
    return figure;
}

/* Returns true if there were enough requests to know the figure. */
static bool
is_known(const struct figure *figure)
{
    return slo_is_known(&figure->answer) && !figure->answer.reason;
}

/* Finds the value and the state of FIGURE from STATS. A limit can be broken even if there
 * are too few requests to know the value. */
static void
judge_figure(struct figure *figure, const struct stats *stats)
{
    static const enum check_state broken_states[LIMIT_KINDS] = {
        [LIMIT_WARNING] = CHECK_WARNING,
        [LIMIT_CRITICAL] = CHECK_CRITICAL,
    };
    bool has_limit = figure->limits[LIMIT_WARNING] || figure->limits[LIMIT_CRITICAL];

    figure->answer = slo_answer(&figure->slo, stats);
    figure->state = has_limit && !is_known(figure) ? CHECK_UNKNOWN : CHECK_OK;

    for (int kind = 0; kind < LIMIT_KINDS; kind++) {
        const struct slo *limit = figure->limits[kind];
        if (!limit)
            continue;
        const struct slo_answer answer = slo_answer(limit, stats);
        if (answer.verdict != SLO_BROKEN)
            continue;

        figure->answer.above = answer.above;
        figure->state = broken_states[kind];
        figure->broken = limit;
    }
}

/* Returns true if LIMIT is stricter than OTHER: a higher rate, or a shorter time. */
static bool
is_stricter(const struct slo *limit, const struct slo *other)
{
    if (slo_is_rate(limit))
        return limit->limit >= other->limit;
    return limit->limit < other->limit;
}

/* Adds the figures that LIMITS are about, unless the list has them already. Stores the
 * limits in these figures. */
static void
list_limits(struct figures *figures, const struct slos *limits, enum limit_kind kind)
{
    for (int i = 0; i < limits->count; i++) {
        const struct slo *limit = &limits->list[i];
        const struct slo **strictest = &find_figure(figures, limit)->limits[kind];

        if (!*strictest || is_stricter(limit, *strictest))
            *strictest = limit;
    }
}

/* Fills FIGURES for PLAN, the plan of a target, and judges them by STATS: percentiles,
 * max and IOPS, which are always listed, then all figures with limits. */
static void
list_figures(struct figures *figures, const struct plan *plan, const struct stats *stats)
{
    const struct percentiles *percentiles = &percentiles_common;

    if (plan->output.percentiles.is_given)
        percentiles = &plan->output.percentiles;

    for (int i = 0; i < percentiles->count; i++)
        find_figure(figures, &(struct slo){.metric = SLO_PERCENTILE,
                                           .percentile = percentiles->list[i]});
    find_figure(figures, &(struct slo){.metric = SLO_MAX});
    find_figure(figures, &(struct slo){.metric = SLO_IOPS});

    list_limits(figures, &plan->statistics.warnings, LIMIT_WARNING);
    list_limits(figures, &plan->statistics.slos, LIMIT_CRITICAL);

    for (int i = 0; i < figures->count; i++)
        judge_figure(&figures->list[i], stats);
}

/* Returns true if TEXT, a displayed value, is the text of LIMIT, such as "2 ms", or of
 * the next larger value, such as "2.00 ms". People would take both for LIMIT. */
static bool
is_shown_as(const char *text, const struct slo *limit)
{
    char exact[UNITS_TEXT];
    char larger[UNITS_TEXT];

    slo_format(limit, limit->limit, exact);
    slo_format(limit, time_add(limit->limit, 1), larger);
    return strcmp(text, exact) == 0 || strcmp(text, larger) == 0;
}

/* Adds FIGURE for people, and the limit that it breaks. A value that would look equal to
 * the limit is shown with all its digits. A limit can be broken although the value is not
 * known; then the line has the number of requests above the limit. */
static void
add_figure(struct buffer *line, const struct figure *figure)
{
    char name[SLO_NAME_SIZE];
    char value[UNITS_TEXT];
    char limit_value[UNITS_TEXT];
    const struct slo *limit = figure->broken;
    const struct slo_answer *answer = &figure->answer;

    slo_name(&figure->slo, name);
    if (answer->reason) {
        buffer_format(line, "%s unknown: %s", name, answer->reason);
        return;
    }

    if (!is_known(figure) && !limit) {
        buffer_format(line, "%s unknown: needs %" PRIu64 " %s, got %" PRIu64, name,
                      answer->min_samples,
                      units_plural(answer->min_samples, "request", "requests"),
                      answer->count);
        return;
    }

    if (!is_known(figure)) {
        buffer_format(line, "%s above %s (", name,
                      slo_format(limit, limit->limit, limit_value));
        slo_add_above(limit, answer, line);
        buffer_text(line, ")");
        return;
    }

    slo_format(&figure->slo, answer->value, value);
    if (limit && is_shown_as(value, limit)) {
        struct slo exact = *limit;
        exact.limit = answer->value;
        slo_limit(&exact, value);
    }

    buffer_format(line, "%s %s", name, value);
    if (limit)
        buffer_format(line, " (limit %s)", slo_format(limit, limit->limit, limit_value));
}

/* Returns the number of requests that had no answer when the run ended. It is at least 1
 * if OUTCOME has the age of such a request. */
static int
count_unanswered(const struct outcome *outcome)
{
    if (outcome->waiting_age && outcome->abandoned_requests == 0)
        return 1;
    return outcome->abandoned_requests;
}

/* Adds how many requests had no answer, and for how long. */
static void
add_unanswered(struct buffer *line, const struct outcome *outcome)
{
    int count = count_unanswered(outcome);
    char age[UNITS_TEXT];

    units_format(UNITS_TIME, outcome->waiting_age, age);
    if (count == 1)
        buffer_format(line, "no answer to 1 request for %s", age);
    else
        buffer_format(line, "no answer to %d requests for %s", count, age);
}

/* Adds why no request of a run counted. */
static void
add_nothing_counted(struct buffer *line, const struct outcome *outcome)
{
    char text[OUTCOME_TEXT];

    if (outcome->total.cached)
        outcome_cached_text(outcome, text);
    else
        outcome_nothing_text(outcome, text);
    add_escaped(line, text, ESCAPED_IN_TEXT);
}

/* Adds a description of failed or missing requests and outputs of JOB, if there are any.
 * Returns the state that follows from them. */
static enum check_state
add_trouble(struct buffer *line, const struct job *job)
{
    const struct outcome *outcome = &job->outcome;
    size_t start = line->length;
    char text[OUTCOME_TEXT];
    enum check_state state = CHECK_OK;

    if (outcome->failed_sample.index)
        add_escaped(line, outcome_failure_text(&outcome->failed_sample, text),
                    ESCAPED_IN_TEXT);
    else if (outcome->waiting_age)
        add_unanswered(line, outcome);

    if (line->length > start) {
        state = CHECK_CRITICAL;
    } else if (outcome->total.latency.count == 0) {
        add_nothing_counted(line, outcome);
        state = CHECK_UNKNOWN;
    }

    /* All targets share the outputs, so only the first target reports their failure. */
    if (outcome->output_error && job->index == 0) {
        if (line->length > start)
            buffer_text(line, ", ");
        add_escaped(line, outcome->failed_output, ESCAPED_IN_PATH);
        buffer_text(line, ": ");
        add_escaped(line, strerror(outcome->output_error), ESCAPED_IN_TEXT);
        state = worse_state(state, CHECK_UNKNOWN);
    }

    return state;
}

/* Adds the figures of JOB that have limits, the worst first. Without any limits, adds p99
 * or, while there are too few requests for p99, avg and max. The text about JOB begins at
 * byte START of LINE, and may describe trouble already. Returns the worst of STATE and
 * the states of the added figures. */
static enum check_state
add_decisive_figures(struct buffer *line, const struct job *job, size_t start,
                     enum check_state state)
{
    const struct percentile *p99 = &percentiles_common.list[1];
    const struct plan *plan = &job->plan;
    const struct stats *stats = &job->outcome.total;
    bool has_limits = plan->statistics.slos.count || plan->statistics.warnings.count;
    bool has_p99 = stats->latency.count >= percentile_min_samples(p99);
    struct figures figures = {0};

    /* The first figure of the list is the one that is shown if nothing has a limit. */
    find_figure(&figures, &(struct slo){.metric = has_p99 ? SLO_PERCENTILE : SLO_AVG,
                                        .percentile = *p99});
    list_figures(&figures, plan, stats);

    for (int rank = states[CHECK_CRITICAL].rank; rank >= 0; rank--)
        for (int i = 0; i < figures.count; i++) {
            const struct figure *figure = &figures.list[i];
            bool is_listed;

            if (has_limits)
                is_listed =
                    figure->limits[LIMIT_WARNING] || figure->limits[LIMIT_CRITICAL];
            else
                is_listed = i == 0 || (!has_p99 && figure->slo.metric == SLO_MAX);
            if (!is_listed || states[figure->state].rank != rank)
                continue;

            if (line->length > start)
                buffer_text(line, ", ");
            add_figure(line, figure);
            state = worse_state(state, figure->state);
        }

    return state;
}

/* Adds the text about JOBS[INDEX]: its path, trouble, and the figures that decide its
 * state. Returns the state of the job. */
static enum check_state
add_job(struct buffer *line, const struct job *jobs, int index)
{
    const struct job *job = &jobs[index];

    add_target_path(line, jobs, index, ESCAPED_IN_PATH);
    buffer_text(line, " ");
    size_t start = line->length;
    enum check_state state = add_trouble(line, job);

    if (job->outcome.total.latency.count == 0)
        return state;

    return add_decisive_figures(line, job, start, state);
}

/* Adds NUMBER times 10^-DIGITS, without trailing zeros. */
static void
add_decimal(struct buffer *line, int64_t number, int digits)
{
    int64_t one = 1;

    for (int i = 0; i < digits; i++)
        one *= 10;

    int64_t fraction = number % one;
    buffer_format(line, "%" PRId64, number / one);
    if (fraction == 0)
        return;

    while (fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    buffer_format(line, ".%0*" PRId64, digits, fraction);
}

/* Adds LIMIT as a range, in the notation of the guidelines. Adds nothing if LIMIT is
 * NULL. */
static void
add_limit_range(struct buffer *line, const struct slo *limit)
{
    if (!limit)
        return;

    if (slo_is_rate(limit))
        buffer_format(line, "%" PRId64 ":", limit->limit);
    else
        add_decimal(line, limit->limit, 9);
}

/* Adds the label NAME and an equals sign. If there are several targets, the label is
 * quoted and begins with the path of the target. */
static void
add_data_label(struct buffer *line, const struct job *jobs, int index, const char *name)
{
    if (jobs[index].target_count > 1) {
        buffer_text(line, " '");
        add_target_path(line, jobs, index, ESCAPED_IN_LABEL);
        buffer_format(line, " %s'=", name);
    } else {
        buffer_format(line, " %s=", name);
    }
}

/* Adds the value of FIGURE and its unit, or "U" if the value is unknown. IOPS are cut
 * after three decimals and not rounded, because limits compare them that way. */
static void
add_data_value(struct buffer *line, const struct figure *figure,
               const struct stats *stats)
{
    if (!is_known(figure)) {
        buffer_text(line, "U");
    } else if (figure->slo.metric == SLO_IOPS) {
        add_decimal(line, (int64_t)(stats_iops(stats) * 1000), 3);
    } else if (figure->slo.metric == SLO_BPS) {
        buffer_format(line, "%" PRId64 "B", figure->answer.value);
    } else {
        add_decimal(line, figure->answer.value, 9);
        if (!slo_is_rate(&figure->slo))
            buffer_text(line, "s");
    }
}

/* Adds the performance data of JOBS[INDEX]. The figures are the same in every run. */
static void
add_performance_data(struct buffer *line, const struct job *jobs, int index)
{
    const struct job *job = &jobs[index];
    const struct stats *stats = &job->outcome.total;
    struct figures figures = {0};
    char name[SLO_NAME_SIZE];

    list_figures(&figures, &job->plan, stats);
    for (int i = 0; i < figures.count; i++) {
        const struct figure *figure = &figures.list[i];
        const struct slo *warning = figure->limits[LIMIT_WARNING];
        const struct slo *critical = figure->limits[LIMIT_CRITICAL];

        add_data_label(line, jobs, index, slo_name(&figure->slo, name));
        add_data_value(line, figure, stats);
        if (warning || critical)
            buffer_text(line, ";");
        add_limit_range(line, warning);
        if (critical)
            buffer_text(line, ";");
        add_limit_range(line, critical);
    }

    uint64_t failed = stats->failed + (uint64_t)count_unanswered(&job->outcome);
    add_data_label(line, jobs, index, "failed");
    buffer_format(line, "%" PRIu64 "c", failed);
}

enum check_state
check_add(struct buffer *text, const struct job *jobs, int count)
{
    /* The text about each target is made twice. The first text goes to `draft` and is
     * thrown away: only the state of the target is wanted. The line begins with the worst
     * state, so all states must be known first. The second text goes to `text`, the
     * target with the worst state first. */
    struct buffer draft = {0};
    enum check_state state = CHECK_OK;
    enum check_state job_states[TARGETS_MAX];
    const char *gap = "";

    for (int i = 0; i < count; i++) {
        job_states[i] = add_job(&draft, jobs, i);
        state = worse_state(state, job_states[i]);
    }

    buffer_free(&draft);

    buffer_format(text, "IOPING %s - ", states[state].word);

    for (int rank = states[CHECK_CRITICAL].rank; rank >= 0; rank--)
        for (int i = 0; i < count; i++) {
            if (states[job_states[i]].rank != rank)
                continue;

            buffer_text(text, gap);
            add_job(text, jobs, i);
            gap = "; ";
        }

    buffer_text(text, " |");
    for (int i = 0; i < count; i++)
        add_performance_data(text, jobs, i);
    buffer_text(text, "\n");

    return state;
}

enum check_state
check_add_error(struct buffer *text, const struct error *error)
{
    static const char program[] = "ioping: ";
    char line[ERROR_LINE];
    bool is_critical = error->storage_failed || error->status == EXIT_RUNTIME;
    enum check_state state = is_critical ? CHECK_CRITICAL : CHECK_UNKNOWN;

    /* error_format adds the name of the program and a newline. The line of the plug-in
     * has neither. */
    line[error_format(error, line, sizeof(line)) - 1] = '\0';

    buffer_format(text, "IOPING %s - ", states[state].word);
    add_escaped(text, line + sizeof(program) - 1, ESCAPED_IN_TEXT);
    buffer_text(text, "\n");

    return state;
}

/* Writes the line TEXT, or a line that says that memory is short, to stdout. Frees TEXT.
 * Returns STATE as an exit status, or CHECK_UNKNOWN if the line could not be written. */
static int
write_line(struct buffer *text, enum check_state state)
{
    const char *line = text->text;
    struct error error;

    if (text->failed) {
        line = "IOPING UNKNOWN - not enough memory for the line\n";
        state = CHECK_UNKNOWN;
    }

    if (os_stream_write(1, line, strlen(line)) < 0) {
        const char *why = errno == ETIMEDOUT ? OS_STREAM_STUCK : strerror(errno);
        error_set(&error, EXIT_RUNTIME, "standard output", "%s", why);
        console_error(&error);
        state = CHECK_UNKNOWN;
    }

    os_process_set_last_line(NULL, (int)state);
    buffer_free(text);
    return (int)state;
}

int
check_answer(const struct job *jobs, int count)
{
    struct buffer text = {0};
    enum check_state state = check_add(&text, jobs, count);

    return write_line(&text, state);
}

int
check_refuse(const struct error *error)
{
    struct buffer text = {0};

    /* stderr may be a pipe that nobody reads. The time for writing ERROR to stderr is
     * limited, because the caller still waits for the line on stdout. */
    os_monitor_limit_at_most(time_add(os_clock_now(), DEADLINE_GRACE));
    console_error(error);

    enum check_state state = check_add_error(&text, error);
    return write_line(&text, state);
}

/* This format has no functions: nothing is written before all answers are known, and then
 * check_answer writes the line. */
const struct report_format report_check = {0};
