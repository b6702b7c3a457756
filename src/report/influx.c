/*
 * The line protocol of InfluxDB
 * (docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol). Each period of a
 * target, or each step of a sweep, has a line for all requests, a line for each operation
 * if several are mixed, and a line for each part of their time that is known (flushes
 * after writes, and the parts of -breakdown). A line is
 *
 *   MEASUREMENT,TAG=VALUE,... FIELD=VALUE,... TIME
 *
 * Lines about parts of the time have another measurement, "ioping_part", so that sums and
 * averages over "ioping" do not include them.
 *
 * Escapes in paths. A path is the value of a tag. A character that some parser would not
 * read back unchanged is written as a backslash and three octal digits for each of its
 * bytes, as in raw lines (-batch). There are three kinds of such characters:
 * - control characters, because most parsers end the line at any line break; characters
 *   that reorder text; and bytes that are not UTF-8;
 * - a backslash before another backslash, a comma, a space or an equals sign, because
 *   parsers disagree about its meaning, and a backslash at the end of the tag, which no
 *   parser accepts;
 * - a backslash before a digit, because it could be mistaken for an octal escape, and
 *   then two paths could have the same tag.
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

/* Returns true if a backslash before the byte NEXT can be written as it is: every parser
 * takes it literally, and it cannot be mistaken for an octal escape. */
static bool
is_literal_before(char next)
{
    return next > ' ' && next < 0x7f && !strchr("\\,=", next) && !is_digit(next);
}

/* Adds PATH as the value of a tag, escaped as the top of this file describes. */
static void
add_path_tag(struct buffer *text, const char *path)
{
    struct escape_character character;

    while (escape_next(&path, &character)) {
        /* `path` points to the byte after `character` now. */
        bool is_backslash = character.code == '\\';
        bool is_octal =
            character.kind != ESCAPE_PLAIN || (is_backslash && !is_literal_before(*path));

        if (is_octal) {
            buffer_octal(text, &character);
            continue;
        }

        if (character.code == ',' || character.code == ' ' || character.code == '=')
            buffer_text(text, "\\");
        buffer_add(text, character.bytes, character.length);
    }
}

/* Begins a line about SCOPE: adds the measurement and the tags, which identify the series
 * in the database, and a space. */
static void
begin_line(struct report *report, enum scope scope)
{
    struct buffer *text = &report->text;
    int ordinal = job_path_ordinal(report->jobs, report->job->index);
    const char *operation = scope_is_operation(scope)
                                ? scope_name(scope)
                                : operation_mix_word(&report->plan->workload.mix);

    buffer_text(text, scope_is_part(scope) ? "ioping_part,path=" : "ioping,path=");
    add_path_tag(text, report->target->path);
    buffer_format(text, ",operation=%s,mode=%s", operation,
                  io_mode_name(report->target->mode));

    if (scope_is_part(scope))
        buffer_format(text, ",part=%s", scope_name(scope));
    if (ordinal > 1)
        buffer_format(text, ",number=%d", ordinal);
    if (report->phase)
        buffer_format(text, ",phase=%s", phase_name(report->phase));

    buffer_text(text, " ");
}

/* Adds the field NAME with TIME, given in ns, in seconds. The database takes a number
 * with a decimal point for a float. A field must be a float in every line, so the point
 * is written even for whole seconds. */
static void
add_time_field(struct buffer *text, const char *name, int64_t time)
{
    buffer_format(text, "%s=%" PRId64 ".%09" PRId64, name, time / SECOND, time % SECOND);
}

/* Adds the fields of SCOPE, separated by commas. Only the line of all requests has rates:
 * if operations are mixed, their requests share the time that a rate refers to. */
static void
add_scope_fields(struct report *report, const struct stats *stats, enum scope scope)
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
        add_time_field(text, list->list[i].name,
                       latencies_percentile(&latencies, &list->list[i]));
        buffer_text(text, ",");
    }

    if (latency->count) {
        add_time_field(text, "min", latency->min);
        add_time_field(text, ",avg", moments_average(latency));
        add_time_field(text, ",max", latency->max);
        add_time_field(text, ",mdev", moments_deviation(latency));
        buffer_text(text, ",");
    }

    if (scope == SCOPE_ALL && latency->count)
        buffer_format(text, "iops=%.6f,bps=%.0f,", stats_iops(stats), stats_bps(stats));
    buffer_format(text, "count=%" PRIu64 "i", latency->count);
    if (!scope_is_part(scope))
        buffer_format(text, ",failed=%" PRIu64 "i,missed=%" PRIu64 "i", counts.failed,
                      counts.missed);
}

/* Adds a field with VALUE, a value of the swept quantity. The field has the name of the
 * quantity, such as "depth". */
static void
add_swept_value(struct report *report, int64_t value)
{
    enum sweep_kind kind = report->plan->sweep.kind;

    if (kind == SWEEP_INTERVAL)
        add_time_field(&report->text, sweep_kinds[kind].name, value);
    else
        buffer_format(&report->text, "%s=%" PRId64 "i", sweep_kinds[kind].name, value);
}

/* Adds the lines of a period or step. All lines have the same time. */
static void
add_record_lines(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct job_step *step = record->step;
    int64_t wall = report->wall_now();
    bool judges_steps =
        report->plan->statistics.slos.count || report->plan->sweep.kind == SWEEP_RATE;
    bool has_verdict = step && judges_steps && step->verdict != SLO_UNKNOWN;

    for (enum scope scope = SCOPE_ALL; scope < SCOPES; scope = scope_next(stats, scope)) {
        begin_line(report, scope);
        if (step) {
            add_swept_value(report, step->value);
            buffer_text(&report->text, ",");
        }
        add_scope_fields(report, stats, scope);
        if (has_verdict && scope == SCOPE_ALL)
            buffer_format(&report->text, ",met=%s",
                          step->verdict == SLO_MET ? "true" : "false");
        buffer_format(&report->text, " %" PRId64 "\n", wall);
    }
}

/* Adds a line with the value of the highest step of a sweep that meets the limits. Adds
 * nothing if no step does, because a field must have a value. */
static void
add_highest_line(struct report *report, const struct run_record *record)
{
    (void)record;

    if (report->job->sweep.highest_index < 0)
        return;

    begin_line(report, SCOPE_ALL);
    buffer_text(&report->text, "highest_");
    add_swept_value(report, job_highest_value(report->job));
    buffer_format(&report->text, " %" PRId64 "\n", report->wall_now());
}

/* There is no record of a summary. The requests since the last full period are reported
 * as a shorter period when the run ends (emit_partial_period in report/outputs.h). */
const struct report_format report_influx = {
    .records = {[RECORD_PERIOD] = add_record_lines,
                [RECORD_STEP] = add_record_lines,
                [RECORD_HIGHEST] = add_highest_line},
};
