/*
 * The line that a monitoring plug-in prints (-check): the state, each target with the
 * figures that decided its state, then after a bar all figures for graphs, the
 * performance data. An example:
 *
 *   IOPING WARNING - /data p99 3 ms (limit 2 ms) | p99=0.003s;0.002;0.01 max=0.005s ...
 *
 * The format is that of the Monitoring Plugins Development Guidelines
 * (https://www.monitoring-plugins.org/doc/guidelines.html), "Performance data": a figure
 * is LABEL=VALUE UNIT;WARNING;CRITICAL. The range "10" means that more than 10 is bad,
 * the range "10:" that less than 10 is bad.
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

/* At most: the requested percentiles, max and IOPS, which are always listed, the figures
 * with a limit that warns or is critical, and one figure that is shown if nothing has a
 * limit. */
#define FIGURES_MOST (PERCENTILES_MOST + 2 + 2 * SLOS_MOST + 1)

/* A figure of a target and its limits. limits[0] warns and limits[1] is critical. If
 * several limits of one kind apply to a figure, the strictest is used. */
struct figure {
    struct slo slo;              /* which figure; its member `limit` is not used */
    const struct slo *limits[2]; /* NULL if absent */
    const struct slo *broken;    /* the gravest limit that is broken; NULL if none is */
    struct slo_answer answer;
    enum check_state state;
};

struct figures {
    int count;
    struct figure list[FIGURES_MOST];
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
worse(enum check_state state, enum check_state other)
{
    return states[other].rank > states[state].rank ? other : state;
}

/* Characters that are escaped in the text, in a path in the text, and in a label. */
#define IN_TEXT "|\"`"
#define IN_PATH IN_TEXT "'"
#define IN_LABEL IN_PATH "="

/* Adds TEXT to LINE. The characters of SET, and characters that cannot be displayed, are
 * escaped. */
static void
add_harmless(struct buffer *line, const char *text, const char *set)
{
    struct escape_character character;
    while (escape_next(&text, &character)) {
        bool escaped = character.kind != ESCAPE_PLAIN ||
                       (character.length == 1 && strchr(set, character.bytes[0]));
        if (!escaped)
            buffer_add(line, character.bytes, character.length);
        for (size_t i = 0; escaped && i < character.length; i++)
            buffer_format(line, "\\%03o", (unsigned)(unsigned char)character.bytes[i]);
    }
}

/* Adds the path of JOBS[INDEX] with the characters of SET escaped. If earlier jobs have
 * the same path, adds a number: graphs identify figures by their labels alone. */
static void
add_path(struct buffer *line, const struct job *jobs, int index, const char *set)
{
    int ordinal = job_ordinal(jobs, index);

    add_harmless(line, jobs[index].plan.path, set);
    if (ordinal > 1)
        buffer_format(line, "#%d", ordinal);
}

/* Returns the figure that SLO is about. Adds the figure if the list does not have it
 * yet. */
static struct figure *
find_figure(struct figures *figures, const struct slo *slo)
{
    for (int i = 0; i < figures->count; i++) {
        const struct slo *is = &figures->list[i].slo;
        if (is->metric == slo->metric && is->scope == slo->scope &&
            is->phase == slo->phase &&
            (is->metric != SLO_PERCENTILE ||
             is->percentile.billionths == slo->percentile.billionths))
            return &figures->list[i];
    }

    struct figure *figure = &figures->list[figures->count++];
    *figure = (struct figure){.slo = *slo};
    return figure;
}

/* Returns true if there were enough requests to know the figure. */
static bool
is_known(const struct figure *figure)
{
    return figure->answer.count >= figure->answer.min_samples && !figure->answer.reason;
}

/* Finds the value and the state of FIGURE from STATS. A limit can be broken even if there
 * are too few requests to know the value. */
static void
judge_figure(struct figure *figure, const struct stats *stats)
{
    bool limited = figure->limits[0] || figure->limits[1];

    figure->answer = slo_answer(&figure->slo, stats);
    figure->state = limited && !is_known(figure) ? CHECK_UNKNOWN : CHECK_OK;

    for (int i = 0; i < 2; i++) {
        const struct slo *limit = figure->limits[i];
        if (!limit || slo_answer(limit, stats).verdict != SLO_BROKEN)
            continue;
        figure->state = i == 0 ? CHECK_WARNING : CHECK_CRITICAL;
        figure->broken = limit;
    }
}

/* Fills FIGURES for the plan of a target, and judges them by STATS: percentiles, max and
 * IOPS, which are always listed, then all figures with limits. */
static void
list_figures(struct figures *figures, const struct plan *plan, const struct stats *stats)
{
    const struct percentiles *ranks = plan->output.percentiles.is_given
                                          ? &plan->output.percentiles
                                          : &percentiles_common;
    const struct slos *lists[] = {&plan->statistics.warnings, &plan->statistics.slos};

    for (int i = 0; i < ranks->count; i++)
        find_figure(figures, &(struct slo){.metric = SLO_PERCENTILE,
                                           .percentile = ranks->list[i]});
    find_figure(figures, &(struct slo){.metric = SLO_MAX});
    find_figure(figures, &(struct slo){.metric = SLO_IOPS});

    for (int k = 0; k < 2; k++)
        for (int i = 0; i < lists[k]->count; i++) {
            const struct slo *slo = &lists[k]->list[i];
            const struct slo **limit = &find_figure(figures, slo)->limits[k];
            bool lower = *limit && slo->limit < (*limit)->limit;
            /* The strictest of several limits: the highest of a rate, the lowest of a
             * time. */
            if (!*limit || lower != slo_is_rate(slo))
                *limit = slo;
        }

    for (int i = 0; i < figures->count; i++)
        judge_figure(&figures->list[i], stats);
}

/* Returns true if TEXT looks like LIMIT does when displayed, with or without decimals. */
static bool
is_shown_as(const char *text, const struct slo *limit)
{
    char even[UNITS_TEXT];
    char beyond[UNITS_TEXT];
    return strcmp(text, slo_format(limit, limit->limit, even)) == 0 ||
           strcmp(text, slo_format(limit, time_add(limit->limit, 1), beyond)) == 0;
}

/* Adds FIGURE for people, and the limit that it breaks. A value that would look equal to
 * the limit is shown with all its digits. */
static void
add_figure(struct buffer *line, const struct figure *figure)
{
    char name[SLO_NAME];
    char is[UNITS_TEXT];
    char most[UNITS_TEXT];
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

    slo_format(&figure->slo, answer->value, is);
    if (limit && is_shown_as(is, limit)) {
        struct slo exact = *limit;
        exact.limit = answer->value;
        slo_limit(&exact, is);
    }

    buffer_format(line, "%s %s", name, is);
    if (limit)
        buffer_format(line, " (limit %s)", slo_format(limit, limit->limit, most));
}

/* Adds a description of failed or missing requests and outputs of JOB, if there are any.
 * Returns the state that follows from them. */
static enum check_state
add_trouble(struct buffer *line, const struct job *job)
{
    const struct outcome *outcome = &job->outcome;
    size_t start = line->length;
    char text[OUTCOME_TEXT];
    char waited[UNITS_TEXT];
    enum check_state state = CHECK_OK;

    if (outcome->failed_sample.index)
        add_harmless(line, outcome_failure_text(&outcome->failed_sample, text), IN_TEXT);
    else if (outcome->waiting_age)
        buffer_format(line, "no answer to %d request%s for %s",
                      outcome->abandoned_requests > 1 ? outcome->abandoned_requests : 1,
                      outcome->abandoned_requests > 1 ? "s" : "",
                      units_format(UNITS_TIME, outcome->waiting_age, waited));

    if (line->length > start)
        state = CHECK_CRITICAL;
    else if (outcome->total.latency.count == 0) {
        add_harmless(line,
                     outcome->total.cached ? outcome_cached_text(outcome, text)
                                           : outcome_nothing_text(outcome, text),
                     IN_TEXT);
        state = CHECK_UNKNOWN;
    }

    /* All targets share the outputs, so only the first target reports their failure. */
    if (outcome->output_error && job->index == 0) {
        buffer_text(line, line->length > start ? ", " : "");
        add_harmless(line, outcome->failed_output, IN_PATH);
        buffer_text(line, ": ");
        add_harmless(line, strerror(outcome->output_error), IN_TEXT);
        state = worse(state, CHECK_UNKNOWN);
    }

    return state;
}

/* Adds the text for JOBS[INDEX]: trouble first, then the figures that have limits, the
 * worst first. Without any limits it shows p99 or, while there are too few requests for
 * p99, avg and max. Returns the state of the job. */
static enum check_state
add_job(struct buffer *line, const struct job *jobs, int index)
{
    const struct percentile *p99 = &percentiles_common.list[1];
    const struct job *job = &jobs[index];
    const struct stats *stats = &job->outcome.total;
    bool limited = job->plan.statistics.slos.count || job->plan.statistics.warnings.count;
    bool ranked = stats->latency.count >= percentile_needs(p99);
    struct figures figures = {0};

    add_path(line, jobs, index, IN_PATH);
    buffer_text(line, " ");
    size_t start = line->length;
    enum check_state state = add_trouble(line, job);

    if (stats->latency.count == 0)
        return state;

    find_figure(&figures, &(struct slo){.metric = ranked ? SLO_PERCENTILE : SLO_AVG,
                                        .percentile = *p99});
    list_figures(&figures, &job->plan, stats);

    for (int rank = states[CHECK_CRITICAL].rank; rank >= 0; rank--)
        for (int i = 0; i < figures.count; i++) {
            const struct figure *figure = &figures.list[i];
            bool listed = limited ? figure->limits[0] || figure->limits[1]
                                  : i == 0 || (!ranked && figure->slo.metric == SLO_MAX);
            if (!listed || states[figure->state].rank != rank)
                continue;
            buffer_text(line, line->length > start ? ", " : "");
            add_figure(line, figure);
            state = worse(state, figure->state);
        }

    return state;
}

/* Adds NUMBER times 10^-DIGITS, without trailing zeros. */
static void
add_decimal(struct buffer *line, int64_t number, int digits)
{
    int64_t one = 1;
    for (int i = 0; i < digits; i++)
        one *= 10;

    buffer_format(line, "%" PRId64, number / one);
    int64_t rest = number % one;

    for (; rest && rest % 10 == 0; rest /= 10)
        digits--;
    if (rest)
        buffer_format(line, ".%0*" PRId64, digits, rest);
}

/* Adds LIMIT as a range of the guidelines; nothing if LIMIT is NULL. */
static void
add_range(struct buffer *line, const struct slo *limit)
{
    if (limit && slo_is_rate(limit))
        buffer_format(line, "%" PRId64 ":", limit->limit);
    else if (limit)
        add_decimal(line, limit->limit, 9);
}

/* Adds the label NAME and an equals sign. If there are several targets, the label is
 * quoted and begins with the path of the target. */
static void
add_label(struct buffer *line, const struct job *jobs, int index, const char *name)
{
    bool several = jobs[index].target_count > 1;

    buffer_text(line, several ? " '" : " ");
    if (several)
        add_path(line, jobs, index, IN_LABEL);
    buffer_format(line, several ? " %s'=" : "%s=", name);
}

/* Adds the performance data of JOBS[INDEX]. The figures are the same in every run; an
 * unknown value is U. IOPS are cut after three decimals, not rounded, as limits compare
 * them. */
static void
add_figures(struct buffer *line, const struct job *jobs, int index)
{
    const struct job *job = &jobs[index];
    const struct outcome *outcome = &job->outcome;
    const struct stats *stats = &outcome->total;
    struct figures figures = {0};
    char name[SLO_NAME];

    list_figures(&figures, &job->plan, stats);
    for (int i = 0; i < figures.count; i++) {
        const struct figure *figure = &figures.list[i];
        const struct slo *warning = figure->limits[0];
        const struct slo *critical = figure->limits[1];
        add_label(line, jobs, index, slo_name(&figure->slo, name));
        if (!is_known(figure))
            buffer_text(line, "U");
        else if (figure->slo.metric == SLO_IOPS)
            add_decimal(line, (int64_t)(stats_iops(stats) * 1000), 3);
        else if (figure->slo.metric == SLO_BPS)
            buffer_format(line, "%" PRId64 "B", figure->answer.value);
        else
            add_decimal(line, figure->answer.value, 9);
        if (is_known(figure) && !slo_is_rate(&figure->slo))
            buffer_text(line, "s");
        buffer_text(line, warning || critical ? ";" : "");
        add_range(line, warning);
        buffer_text(line, critical ? ";" : "");
        add_range(line, critical);
    }

    int left = outcome->waiting_age && !outcome->abandoned_requests
                   ? 1
                   : outcome->abandoned_requests;

    add_label(line, jobs, index, "failed");
    buffer_format(line, "%" PRIu64 "c", stats->failed + (uint64_t)left);
}

enum check_state
check_add(struct buffer *text, const struct job *jobs, int count)
{
    /* Each target is written twice: into DRAFT to learn its state, then in the order of
     * the states, the worst first. */
    struct buffer draft = {0};
    enum check_state state = CHECK_OK;
    enum check_state each[TARGETS_MOST];
    const char *gap = "";

    for (int i = 0; i < count; i++) {
        each[i] = add_job(&draft, jobs, i);
        state = worse(state, each[i]);
    }

    buffer_free(&draft);

    buffer_format(text, "IOPING %s - ", states[state].word);

    for (int rank = states[CHECK_CRITICAL].rank; rank >= 0; rank--)
        for (int i = 0; i < count; i++) {
            if (states[each[i]].rank != rank)
                continue;
            buffer_text(text, gap);
            add_job(text, jobs, i);
            gap = "; ";
        }

    buffer_text(text, " |");
    for (int i = 0; i < count; i++)
        add_figures(text, jobs, i);
    buffer_text(text, "\n");

    return state;
}

enum check_state
check_add_error(struct buffer *text, const struct error *error)
{
    static const char program[] = "ioping: ";
    char line[ERROR_LINE];
    bool critical = error->broken || error->status == EXIT_RUNTIME;
    enum check_state state = critical ? CHECK_CRITICAL : CHECK_UNKNOWN;

    /* Without the newline. */
    line[error_format(error, line, sizeof(line)) - 1] = '\0';

    buffer_format(text, "IOPING %s - ", states[state].word);
    add_harmless(text, line + sizeof(program) - 1, IN_TEXT);
    buffer_text(text, "\n");

    return state;
}

/* Writes the line TEXT, or a line that says that memory is short, to stdout. Frees TEXT.
 * Returns STATE as an exit status, or CHECK_UNKNOWN if the line could not be written. */
static int
write_line(struct buffer *text, enum check_state state)
{
    static const char poor[] = "IOPING UNKNOWN - not enough memory for the line\n";
    const char *line = text->failed ? poor : text->text;
    struct error error;

    if (text->failed)
        state = CHECK_UNKNOWN;

    if (os_stream_write(1, line, strlen(line)) < 0) {
        const char *why = errno == ETIMEDOUT ? OS_STREAM_STUCK : strerror(errno);
        error_set(&error, EXIT_RUNTIME, "standard output", "%s", why);
        console_error(&error);
        state = CHECK_UNKNOWN;
    }

    os_process_last_line(NULL, (int)state);
    buffer_free(text);
    return (int)state;
}

int
check_answer(const struct job *jobs, int count)
{
    struct buffer text = {0};
    return write_line(&text, check_add(&text, jobs, count));
}

int
check_refuse(const struct error *error)
{
    struct buffer text = {0};

    os_monitor_limit_most(time_add(os_clock_now(), DEADLINE_GRACE));
    console_error(error);

    return write_line(&text, check_add_error(&text, error));
}

/* This format has no functions: nothing is written before everything is known, and then
 * check_answer writes the line. */
const struct report_format report_check = {0};
