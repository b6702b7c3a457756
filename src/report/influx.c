/*
 * The line protocol of InfluxDB
 * (docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol), a line for each
 * period and target, or for each step of a sweep: measurement, tags, fields, and the
 * time; then one for each distribution that it tells apart. Parts of the time of requests
 * are a measurement of their own: who sums up or averages one of requests gets no parts.
 *
 * Parsers do not agree on a backslash before another, or before a comma, a space or an
 * equals sign, and none takes one at the end of a tag; a line break ends the line for
 * most. These, what else is no printable character, what reorders text and what is no
 * UTF-8 are written as a backslash and three octal digits, as in raw lines, and so is a
 * backslash before a digit: no two paths have the same tag.
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

/* Returns whether a backslash before NEXT is one for all parsers. */
static bool
is_literal_before(char next)
{
    return next > ' ' && next < 0x7f && !strchr("\\,=", next) && !is_digit(next);
}

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

/* Adds the measurement and the tags, which tell one series from another. */
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

/* Adds a time, ns, in seconds; a field with a point is a float, whatever its value. */
static void
add_time(struct buffer *text, const char *name, int64_t time)
{
    buffer_format(text, "%s=%" PRId64 ".%09" PRId64, name, time / SECOND, time % SECOND);
}

/* Adds the fields of SCOPE. Only all requests together have rates: reads and writes share
 * the time that these are over. */
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

/* Adds VALUE of what is swept. */
static void
add_value(struct report *report, int64_t value)
{
    enum sweep_kind kind = report->plan->sweep.kind;
    if (kind == SWEEP_INTERVAL)
        add_time(&report->text, sweep_kinds[kind].name, value);
    else
        buffer_format(&report->text, "%s=%" PRId64 "i", sweep_kinds[kind].name, value);
}

/* Adds the lines of a record, which have one time. */
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

/* Adds nothing if there is none: a field has a value. */
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

/* There is no summary: what is left of the last period comes as one. */
const struct report_format report_influx = {
    .records = {[RECORD_PERIOD] = add_record,
                [RECORD_STEP] = add_record,
                [RECORD_HIGHEST] = add_highest},
};
