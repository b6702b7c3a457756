/*
 * The line protocol of InfluxDB
 * (docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol). Each period of a
 * target, or each step of a sweep, has a line for each scope: all requests, each
 * operation if several are mixed, and each part of their time. A line is
 *
 *   MEASUREMENT,TAG=VALUE,... FIELD=VALUE,... TIME
 *
 * Parts of the time of requests are a measurement of their own ("ioping_part"), so that
 * sums and averages over "ioping" do not include them.
 *
 * Escapes in paths. Parsers disagree about a backslash before another backslash, a comma,
 * a space or an equals sign; none accepts a backslash at the end of a tag, and most end
 * the line at any line break. These backslashes, line breaks and other control
 * characters, characters that reorder text, and bytes that are not UTF-8 are written as a
 * backslash and three octal digits, as in raw lines. A backslash before a digit is
 * written in this way too, so that two paths never have the same tag.
 */
#include "report/report.h"

#include "base/time.h"
#include "base/units.h"
#include "report/outputs.h"
#include "run/job.h"
#include "stats/stats.h"
#include "target/target.h"

#include <inttypes.h>
#include <string.h>

/* Returns true if every parser takes a backslash before NEXT literally. */
static bool
is_literal_before(char next)
{
    return next > ' ' && next < 0x7f && !strchr("\\,=", next) && !is_digit(next);
}

/* Adds PATH as the value of a tag, escaped as described above. */
static void
add_path(struct buffer *text, const char *path)
{
    struct escape_character character;
    while (escape_next(&path, &character)) {
        bool backslash = character.code == '\\';
        if (character.kind != ESCAPE_PLAIN || (backslash && !is_literal_before(*path))) {
            for (size_t i = 0; i < character.length; i++)
                buffer_format(text, "\\%03o", (unsigned char)character.bytes[i]);
            continue;
        }
        if (character.code == ',' || character.code == ' ' || character.code == '=')
            buffer_text(text, "\\");
        buffer_add(text, character.bytes, character.length);
    }
}

/* Adds the measurement and the tags, which identify the series. */
static void
begin_line(struct report *report, enum scope scope)
{
    struct buffer *text = &report->text;
    int ordinal = job_ordinal(report->jobs, report->job->index);

    buffer_text(text, scope_is_part(scope) ? "ioping_part,path=" : "ioping,path=");
    add_path(text, report->target->path);
    buffer_format(text, ",operation=%s,mode=%s",
                  scope_is_operation(scope)
                      ? scope_name(scope)
                      : operation_mix_word(&report->plan->workload.mix),
                  description_mode(report->target->mode));

    if (scope_is_part(scope))
        buffer_format(text, ",part=%s", scope_name(scope));
    if (ordinal > 1)
        buffer_format(text, ",number=%d", ordinal);
    if (report->phase)
        buffer_format(text, ",phase=%s", phase_name(report->phase));

    buffer_text(text, " ");
}

/* Adds a time, given in ns, in seconds. The point makes the field a float in every line,
 * even if the time is a whole number of seconds. */
static void
add_time(struct buffer *text, const char *name, int64_t time)
{
    buffer_format(text, "%s=%" PRId64 ".%09" PRId64, name, time / SECOND, time % SECOND);
}

/* Adds the fields of SCOPE. Rates exist only for all requests together: operations share
 * the time that a rate is computed over. */
static void
add_fields(struct report *report, const struct stats *stats, enum scope scope)
{
    struct buffer *text = &report->text;
    const struct scope_counts counts = scope_counts_of(stats, scope);
    const struct latencies latencies = latencies_of(stats, scope);
    const struct moments *latency = latencies.moments;
    const struct percentiles *list = &report->plan->output.percentiles;
    unsigned shown = percentiles_shown(list, latency->count);

    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_text(text, "p");
        add_time(text, list->list[i].name,
                 latencies_percentile(&latencies, &list->list[i]));
        buffer_text(text, ",");
    }

    if (latency->count) {
        add_time(text, "min", latency->min);
        add_time(text, ",avg", moments_average(latency));
        add_time(text, ",max", latency->max);
        add_time(text, ",mdev", moments_deviation(latency));
        buffer_text(text, ",");
    }

    if (scope == SCOPE_ALL && latency->count)
        buffer_format(text, "iops=%.6f,bps=%.0f,", stats_iops(stats), stats_bps(stats));
    buffer_format(text, "count=%" PRIu64 "i", latency->count);
    if (!scope_is_part(scope))
        buffer_format(text, ",failed=%" PRIu64 "i,missed=%" PRIu64 "i", counts.failed,
                      counts.missed);
}

/* Adds the VALUE of the step, with the name of the quantity that is swept. */
static void
add_value(struct report *report, int64_t value)
{
    enum sweep_kind kind = report->plan->sweep.kind;

    if (kind == SWEEP_INTERVAL)
        add_time(&report->text, sweep_kinds[kind].name, value);
    else
        buffer_format(&report->text, "%s=%" PRId64 "i", sweep_kinds[kind].name, value);
}

/* Adds the lines of a record. All of them have the same time. */
static void
add_record(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct job_step *step = record->step;
    int64_t wall = report->wall_now();
    bool judged =
        step && step->verdict != SLO_UNKNOWN &&
        (report->plan->statistics.slos.count || report->plan->sweep.kind == SWEEP_RATE);

    for (enum scope scope = SCOPE_ALL; scope < SCOPES; scope = scope_next(stats, scope)) {
        begin_line(report, scope);
        if (step) {
            add_value(report, step->value);
            buffer_text(&report->text, ",");
        }
        add_fields(report, stats, scope);
        if (judged && scope == SCOPE_ALL)
            buffer_format(&report->text, ",met=%s",
                          step->verdict == SLO_MET ? "true" : "false");
        buffer_format(&report->text, " %" PRId64 "\n", wall);
    }
}

/* Adds the highest step of a sweep that meets the limits. Adds nothing if no step does,
 * because a field must have a value. */
static void
add_highest(struct report *report, const struct run_record *record)
{
    (void)record;

    if (report->job->sweep.highest_index < 0)
        return;

    begin_line(report, SCOPE_ALL);
    buffer_text(&report->text, "highest_");
    add_value(report, job_highest(report->job));
    buffer_format(&report->text, " %" PRId64 "\n", report->wall_now());
}

/* There is no summary: when the run ends, the rest of the last period is reported as a
 * period (emit_partial_period). */
const struct report_format report_influx = {
    .records = {[RECORD_PERIOD] = add_record,
                [RECORD_STEP] = add_record,
                [RECORD_HIGHEST] = add_highest},
};
