/*
 * The line protocol of InfluxDB
 * (docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol), a line for each
 * period and target, or for each step of a sweep: measurement, tags, fields, and the
 * time.
 *
 * Parsers do not agree on a backslash before another, or before a comma, a space or an
 * equals sign, and none takes one at the end of a tag; a line break ends the line for
 * most. These, what else is no printable character and what is no UTF-8 are written as a
 * backslash and three octal digits, as in raw lines, and so is a backslash before a
 * digit: no two paths have the same tag.
 */
#include "report/report.h"

#include "base/time.h"
#include "base/units.h"
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
        if (character.kind == ESCAPE_INVALID || character.kind == ESCAPE_CONTROL ||
            (backslash && !is_literal_before(*path))) {
            for (size_t i = 0; i < character.length; i++)
                buffer_format(text, "\\%03o", (unsigned char)character.bytes[i]);
            continue;
        }
        if (character.code == ',' || character.code == ' ' || character.code == '=')
            buffer_text(text, "\\");
        buffer_add(text, character.bytes, character.length);
    }
}

/* Returns which of the targets with its path the current one is, from 1. */
static int
number_of(const struct report *report)
{
    int number = 0;
    while (&report->jobs[number].target.description != report->target)
        number++;
    return job_ordinal(report->jobs, number);
}

/* Adds the measurement and the tags, which tell one series from another. */
static void
begin_line(struct report *report)
{
    struct buffer *text = &report->text;
    int number = number_of(report);
    buffer_text(text, "ioping,path=");
    add_path(text, report->target->path);
    buffer_format(text, ",operation=%s,mode=%s", plan_load_name(report->plan->load),
                  description_mode(report->target->mode));
    if (number > 1)
        buffer_format(text, ",number=%d", number);
    if (report->phase)
        buffer_format(text, ",phase=%s", phase_name(report->phase));
    buffer_text(text, " ");
}

static void
end_line(struct report *report)
{
    buffer_format(&report->text, " %" PRId64 "\n", report->wall());
}

/* Adds a time, ns, in seconds; a field with a point is a float, whatever its value. */
static void
add_time(struct buffer *text, const char *name, int64_t time)
{
    buffer_format(text, "%s=%" PRId64 ".%09" PRId64, name, time / SECOND, time % SECOND);
}

/* Adds what is known of requests that count, each field with a comma behind it. */
static void
add_figures(struct report *report, const struct stats *stats)
{
    struct buffer *text = &report->text;
    const struct moments *latency = &stats->latency;
    const struct percentiles *list = &report->output->percentiles;
    unsigned shown = stats_shown(stats, list);
    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_text(text, "p");
        add_time(text, list->list[i].name, stats_percentile(stats, &list->list[i]));
        buffer_text(text, ",");
    }
    if (latency->count == 0)
        return;
    add_time(text, "min", latency->min);
    add_time(text, ",avg", moments_average(latency));
    add_time(text, ",max", latency->max);
    add_time(text, ",mdev", moments_deviation(latency));
    buffer_format(text, ",iops=%.6f,bps=%.0f,", stats_iops(stats), stats_bps(stats));
}

static void
add_fields(struct report *report, const struct stats *stats)
{
    add_figures(report, stats);
    buffer_format(&report->text,
                  "count=%" PRIu64 "i,failed=%" PRIu64 "i,missed=%" PRIu64 "i",
                  stats->latency.count, stats->failed, stats->missed);
}

static void
add_period(struct report *report, const struct stats *stats, int64_t time)
{
    (void)time;
    begin_line(report);
    add_fields(report, stats);
    end_line(report);
}

/* Adds VALUE of what is swept. */
static void
add_value(struct report *report, int64_t value)
{
    enum sweep_kind kind = report->plan->sweep.kind;
    if (kind == SWEEP_INTERVAL)
        add_time(&report->text, sweep_name(kind), value);
    else
        buffer_format(&report->text, "%s=%" PRId64 "i", sweep_name(kind), value);
}

static void
add_step(struct report *report, const struct job_step *step, const struct stats *stats,
         int64_t time)
{
    (void)time;
    begin_line(report);
    add_value(report, step->value);
    buffer_text(&report->text, ",");
    add_fields(report, stats);
    if ((report->plan->slos.count || report->plan->sweep.kind == SWEEP_RATE) &&
        step->verdict != SLO_UNKNOWN)
        buffer_format(&report->text, ",kept=%s",
                      step->verdict == SLO_MET ? "true" : "false");
    end_line(report);
}

/* Adds nothing if there is none: a field has a value. */
static void
add_highest(struct report *report, const struct job *job)
{
    if (job->highest < 0)
        return;
    begin_line(report);
    buffer_text(&report->text, "highest_");
    add_value(report, job_highest(job));
    end_line(report);
}

/* The plan has no summary: what is left of the last period comes as one. */
const struct report_format report_influx = {
    .period = add_period,
    .summary = add_period,
    .step = add_step,
    .highest = add_highest,
};
