/*
 * Values as texts, and the texts of three headings of a plot: workload, numbers of
 * requests, and origin. The description of the plot repeats these texts.
 */
#include "words.h"

#include "draw.h"

#include "base/time.h"
#include "cli/options.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* If one of these characters follows the letters "us", they are not the unit. */
#define UNIT_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/"

char *
plot_value(enum units_kind kind, int64_t value, char *text)
{
    units_format(kind, value, text);

    size_t length = strlen(text);
    if (kind == UNITS_TIME && length > 2 && strcmp(text + length - 3, " us") == 0)
        memcpy(text + length - 2, PLOT_MICRO, sizeof(PLOT_MICRO));
    return text;
}

void
plot_add_value(struct buffer *text, const char *before, enum units_kind kind,
               int64_t value, const char *after)
{
    char number[PLOT_TEXT];

    buffer_format(text, "%s%s%s", before, plot_value(kind, value, number), after);
}

char *
plot_swept_value(enum sweep_kind kind, int64_t value, char *text)
{
    if (kind == SWEEP_INTERVAL)
        return plot_value(UNITS_TIME, value, text);
    return sweep_format(kind, value, text);
}

void
plot_take_line(const char **rest, int columns, struct buffer *line)
{
    while (**rest) {
        size_t before = line->length;
        size_t word = strcspn(*rest, " ");

        if (before > 0)
            buffer_text(line, " ");
        buffer_add(line, *rest, word);
        if (line->failed)
            return;
        if (before > 0 && svg_width(line->text, 1) > columns * SVG_GLYPH) {
            line->length = before;
            line->text[before] = '\0';
            return;
        }
        *rest += word;
        *rest += strspn(*rest, " ");
    }
}

void
plot_add_micro(struct buffer *text, const char *plain)
{
    const char *rest = plain;
    const char *found = plain;

    while ((found = strstr(found, " us")) != NULL) {
        bool is_unit = found > plain && strchr("0123456789", found[-1]) &&
                       strspn(found + 3, UNIT_LETTERS) == 0;
        found++;
        if (!is_unit)
            continue;

        buffer_add(text, rest, (size_t)(found - rest));
        buffer_text(text, PLOT_MICRO);
        found += strlen("us");
        rest = found;
    }

    buffer_text(text, rest);
}

void
plot_add_limits(struct buffer *text, const struct slos *slos)
{
    struct buffer plain = {0};

    slos_print(slos, &plain);
    text->failed |= plain.failed;
    plot_add_micro(text, plain.failed || !plain.text ? "" : plain.text);
    buffer_free(&plain);
}

/* Returns true if all targets of PLOT have the same I/O mode. */
static bool
have_same_mode(const struct plot *plot)
{
    enum io_mode mode = plot->jobs[0].target.description.mode;

    for (int i = 1; i < plot->count; i++)
        if (plot->jobs[i].target.description.mode != mode)
            return false;

    return true;
}

/* Returns the access pattern of PLAN, such as "random ", with a space at the end. Returns
 * "" if the requests move no data, because their offsets do not matter then. */
static const char *
find_access_pattern(const struct plan *plan)
{
    if (!plan_does(plan, OPERATION_MOVES))
        return "";
    if (plan->workload.is_log)
        return "appended ";
    if (plan->workload.linear)
        return "sequential ";

    return "random ";
}

/* Adds the pace of the requests, such as ", every 1 ms". Adds nothing if they were sent
 * back to back. */
static void
add_pace(struct buffer *text, const struct plan *plan)
{
    const struct plan_pace *pace = &plan->pace;

    if (plan->sweep.kind == SWEEP_INTERVAL)
        buffer_text(text, ", at rising intervals");
    if (plan->sweep.kind == SWEEP_RATE)
        buffer_text(text, pace->is_poisson ? ", at rising rates, due at random"
                                           : ", at rising rates");

    if (pace->interval <= 0)
        return;
    if (pace->burst > 1)
        buffer_format(text, ", %" PRId64 " every ", pace->burst);
    else
        buffer_text(text, ", every ");
    plot_add_value(text, "", UNITS_TIME, pace->interval, "");
}

void
plot_add_workload(struct buffer *text, const struct plot *plot)
{
    const struct plan *plan = plot->plan;
    enum sweep_kind swept = plan->sweep.kind;

    if (plot->diagnosis) {
        plot_add_value(text, "reads of ", UNITS_SIZE, plan->workload.request_size, ", ");
        buffer_format(text,
                      "%s: idle, then many at a time, then sequential; then flushes",
                      io_mode_name(plot->jobs[0].target.description.mode));
        return;
    }
    if (plan->mode == MODE_COMPARE && plot_is_log(plot)) {
        buffer_text(text, "latencies of a log of histograms");
        return;
    }
    if (plan->mode == MODE_COMPARE) {
        buffer_text(text, "each run begins at time 0");
        return;
    }

    buffer_format(text, "%s%s", find_access_pattern(plan),
                  operation_mix_noun(&plan->workload.mix));
    if (swept == SWEEP_SIZE)
        buffer_text(text, " of rising size");
    else if (plan_does(plan, OPERATION_MOVES))
        plot_add_value(text, " of ", UNITS_SIZE, plan->workload.request_size, "");

    if (have_same_mode(plot))
        buffer_format(text, ", %s", io_mode_name(plot->jobs[0].target.description.mode));

    add_pace(text, plan);

    if (swept == SWEEP_THREADS)
        buffer_text(text, ", by more and more threads");
    else if (plan->io.threads > 1)
        buffer_format(text, ", %d threads", plan->io.threads);
    if (swept == SWEEP_DEPTH)
        buffer_text(text, ", at rising depth");
    else if (plan->io.depth > 1)
        buffer_format(text, ", depth %d", plan->io.depth);

    if (plan->io.engine_name)
        buffer_format(text, " (%s)", plan->io.engine_name);
    const struct job_phases *phases = plot->jobs[0].phases;
    if (phases && phases->background) {
        buffer_text(text, "; ");
        plot_phase_name(text, plot, PHASE_LOADED);
    }
}

void
plot_add_counts(struct buffer *text, uint64_t count, uint64_t failed, uint64_t missed)
{
    plot_add_value(text, "", UNITS_COUNT, (int64_t)count,
                   count == 1 ? " request counted" : " requests counted");
    if (failed)
        plot_add_value(text, ", ", UNITS_COUNT, (int64_t)failed, " failed");
    if (missed)
        plot_add_value(text, ", ", UNITS_COUNT, (int64_t)missed, " missed");
}

/* The numbers of requests of all targets and steps. */
struct plot_totals {
    uint64_t request_count; /* requests that count */
    uint64_t failed;
    uint64_t missed; /* in a sweep 0, because its steps do not have this number */
};

static struct plot_totals
find_totals(const struct plot *plot)
{
    struct plot_totals totals = {0};

    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];

        for (int k = 0; k < job->sweep.count; k++) {
            totals.request_count += job->sweep.steps[k].requests;
            totals.failed += job->sweep.steps[k].failed;
        }
        if (plot->plan->sweep.kind == SWEEP_NONE) {
            totals.request_count += job->stats->latency.count;
            totals.failed += job->stats->failed;
            totals.missed += job->stats->missed;
        }
    }

    return totals;
}

void
plot_add_total(struct buffer *text, const struct plot *plot)
{
    struct plot_totals totals = find_totals(plot);

    plot_add_counts(text, totals.request_count, totals.failed, totals.missed);
    if (plot->plan->sweep.kind != SWEEP_NONE && plot->plan->statistics.slos.count) {
        buffer_text(text, "; limit ");
        plot_add_limits(text, &plot->plan->statistics.slos);
    }

    if (plot->plan->statistics.corrected_interval)
        buffer_text(text, "; corrected for requests that were not sent");
}

void
plot_add_losses(struct buffer *text, const struct plot *plot)
{
    struct plot_totals totals = find_totals(plot);

    if (totals.failed)
        plot_add_value(text, "; ", UNITS_COUNT, (int64_t)totals.failed, " failed");
    if (totals.missed)
        plot_add_value(text, totals.failed ? ", " : "; ", UNITS_COUNT,
                       (int64_t)totals.missed, " missed");
}

/* Adds the time AT, in ns since 1970, in UTC and as in ISO 8601: 2026-11-29T06:35:26Z. */
static void
add_date(struct buffer *text, int64_t at)
{
    time_t seconds = (time_t)(at / SECOND);
    char date[32] = "";

    strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", gmtime(&seconds));
    buffer_text(text, date);
}

/* Adds WORD in single quotes, as a shell reads it. */
static void
add_quoted(struct buffer *text, const char *word)
{
    buffer_text(text, "'");
    for (; *word; word++) {
        /* A quote cannot stand inside of quotes: they end, and begin again after it. */
        if (*word == '\'')
            buffer_text(text, "'\\''");
        else
            buffer_add(text, word, 1);
    }
    buffer_text(text, "'");
}

/* Adds the command line from which OPTIONS were read. Words that a shell would split or
 * expand are quoted. */
static void
add_command(struct buffer *text, const struct options *options)
{
    buffer_text(text, "ioping");

    for (int i = 1; i < options->word_count; i++) {
        const char *word = options->words[i];

        buffer_text(text, " ");
        if (*word == '\0' || strpbrk(word, " \t\n\"'$`\\&|;<>()*?[]{}#~!"))
            add_quoted(text, word);
        else
            buffer_text(text, word);
    }
}

void
plot_add_origin(struct buffer *text, const struct plot *plot)
{
    const struct options *options = plot->plan->options;

    if (plot->host && *plot->host)
        buffer_format(text, "%s, ", plot->host);
    add_date(text, plot->made_at);
    buffer_text(text, ", ioping " IOPING_VERSION);
    if (options && options->word_count > 0) {
        buffer_text(text, ": ");
        add_command(text, options);
    }
}
