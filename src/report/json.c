/*
 * JSON (RFC 8259): one array, an object per record, laid out line by line as ioping 1.3
 * does, so that programs that read lines find theirs; or a record per line (NDJSON).
 * The writer of values stands first.
 */
#include "report/report.h"

#include "base/escape.h"
#include "base/time.h"
#include "os/os.h"
#include "stats/histogram.h"
#include "stats/stats.h"
#include "target/description.h"
#include "writers.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

/* Adds the comma, the line and the name before a value. */
static void
begin_value(struct json *json, const char *name)
{
    if (json->begun)
        buffer_text(json->text, json->one_line ? ", " : ",");
    if (json->depth && !json->one_line)
        buffer_format(json->text, "\n%*s", json->depth * 2, "");
    if (name)
        buffer_format(json->text, "\"%s\": ", name);
    json->begun = true;
}

void
json_open(struct json *json, const char *name, char bracket)
{
    begin_value(json, name);
    buffer_add(json->text, &bracket, 1);
    json->depth++;
    json->begun = false;
}

void
json_close(struct json *json, char bracket)
{
    json->depth--;
    if (json->begun && !json->one_line)
        buffer_format(json->text, "\n%*s", json->depth * 2, "");
    buffer_add(json->text, &bracket, 1);
    json->begun = true;
}

void
json_value(struct json *json, const char *name, const char *format, ...)
{
    char value[128];
    va_list list;
    va_start(list, format);
    vsnprintf(value, sizeof(value), format, list);
    va_end(list);
    begin_value(json, name);
    buffer_text(json->text, value);
}

void
json_string(struct json *json, const char *name, const char *value)
{
    struct buffer *text = json->text;
    struct escape_character character;
    begin_value(json, name);
    buffer_text(text, "\"");
    while (escape_next(&value, &character)) {
        if (character.kind == ESCAPE_INVALID)
            buffer_text(text, "\\ufffd");
        else if (character.kind != ESCAPE_PLAIN)
            buffer_format(text, "\\u%04x", (unsigned)character.code);
        else if (character.code == '"' || character.code == '\\')
            buffer_format(text, "\\%c", *character.bytes);
        else
            buffer_add(text, character.bytes, character.length);
    }
    buffer_text(text, "\"");
}

static struct json
begin_json(struct report *report)
{
    return (struct json){.text = &report->text,
                         .one_line = report->output->format == FORMAT_NDJSON};
}

static void
add_target(struct json *json, const struct description *target)
{
    json_open(json, "target", '{');
    json_string(json, "path", target->path);
    json_string(json, "fstype", target->fstype);
    json_string(json, "device", target->device);
    json_value(json, "device_size", "%" PRId64, target->size);
    json_string(json, "mode", description_mode(target->mode));
    json_close(json, '}');
}

static struct json
open_record(struct report *report)
{
    struct json json = begin_json(report);
    char local_text[64];
    struct tm local;
    int64_t wall = report->wall();
    os_clock_local(wall, &local);
    strftime(local_text, sizeof(local_text), "%Y-%m-%dT%H:%M:%S%z", &local);
    if (report->records && !json.one_line)
        buffer_text(&report->text, ",");
    json_open(&json, NULL, '{');
    json_value(&json, "timestamp", "%" PRId64 ".%06" PRId64, wall / SECOND,
               wall % SECOND / US);
    json_string(&json, "localtime", local_text);
    add_target(&json, report->target);
    return json;
}

static void
close_record(struct report *report, struct json *json)
{
    json_close(json, '}');
    if (json->one_line)
        buffer_text(&report->text, "\n");
}

static void
open_array(struct report *report)
{
    buffer_text(&report->text, "[");
}

static void
json_sample(struct report *report, const struct sample *sample)
{
    char number[16];
    const char *notice = sample_notice(sample, number);
    bool writes = sample->operation == OPERATION_WRITE;
    struct json json = open_record(report);
    json_open(&json, "io", '{');
    json_value(&json, "request", "%" PRIu64, sample->index);
    json_string(&json, "operation", writes ? "write" : "read");
    json_value(&json, "offset", "%" PRId64, sample->offset);
    json_value(&json, "size", "%" PRId64, sample->bytes);
    json_value(&json, "time", "%" PRId64, sample->latency);
    if (sample->sync)
        json_value(&json, "sync", "%" PRId64, sample->sync);
    json_value(&json, "ignored", "%s", sample_counts(sample) ? "false" : "true");
    if (notice)
        json_string(&json, "notice", notice);
    json_close(&json, '}');
    close_record(report, &json);
}

static void
add_percentiles(struct json *json, const struct stats *stats,
                const struct percentiles *list)
{
    unsigned shown = stats_shown(stats, list);
    json_open(json, "percentiles", '{');
    for (int i = 0; i < list->count; i++)
        if (shown & 1u << i)
            json_value(json, list->list[i].name, "%" PRId64,
                       stats_percentile(stats, &list->list[i]));
    json_close(json, '}');
}

static void
add_histogram(struct json *json, const struct histogram *histogram)
{
    json_open(json, "histogram", '[');
    for (int i = 0; i < HISTOGRAM_STEPS; i++)
        if (histogram->steps[i])
            json_value(json, NULL, "{\"le\": %" PRId64 ", \"count\": %" PRIu64 "}",
                       histogram_upto(i), histogram->steps[i]);
    json_close(json, ']');
}

static void
add_stat(struct report *report, struct json *json, const struct stats *stats)
{
    const struct moments *latency = &stats->latency;
    json_open(json, "stat", '{');
    json_value(json, "count", "%" PRIu64, latency->count);
    json_value(json, "size", "%" PRId64, stats->bytes);
    json_value(json, "time", "%" PRId64, latency->sum);
    json_value(json, "iops", "%.6f", stats_iops(stats));
    json_value(json, "bps", "%.0f", stats_bps(stats));
    json_value(json, "min", "%" PRId64, latency->min);
    json_value(json, "avg", "%" PRId64, moments_average(latency));
    json_value(json, "max", "%" PRId64, latency->max);
    json_value(json, "mdev", "%" PRId64, moments_deviation(latency));
    if (stats->every)
        json_value(json, "corrected", "true");
    if (report->output->percentiles.count)
        add_percentiles(json, stats, &report->output->percentiles);
    if (report->plan->options->given[OPTION_HISTOGRAM])
        add_histogram(json, stats_distribution(stats));
    json_close(json, '}');
}

static void
add_load(struct json *json, const struct stats *stats, int64_t time)
{
    json_open(json, "load", '{');
    json_value(json, "count", "%" PRIu64, stats->requests);
    json_value(json, "failed", "%" PRIu64, stats->failed);
    json_value(json, "missed", "%" PRIu64, stats->missed);
    json_value(json, "size", "%" PRId64, stats->all_bytes);
    json_value(json, "time", "%" PRId64, time);
    json_value(json, "iops", "%.6f", stats_rate((double)stats->requests, time));
    json_value(json, "bps", "%.0f", stats_rate((double)stats->all_bytes, time));
    json_close(json, '}');
}

static void
json_stats(struct report *report, const struct stats *stats, int64_t time)
{
    struct json json = open_record(report);
    add_stat(report, &json, stats);
    add_load(&json, stats, time);
    close_record(report, &json);
}

static void
json_step(struct report *report, int64_t value, const struct stats *stats, int64_t time)
{
    struct json json = open_record(report);
    json_open(&json, "sweep", '{');
    json_value(&json, sweep_name(report->plan->sweep.kind), "%" PRId64, value);
    json_close(&json, '}');
    add_stat(report, &json, stats);
    add_load(&json, stats, time);
    close_record(report, &json);
}

static void
close_array(struct report *report)
{
    buffer_text(&report->text, "]\n");
}

const struct report_format report_json = {
    .open = open_array,
    .sample = json_sample,
    .period = json_stats,
    .summary = json_stats,
    .step = json_step,
    .end = close_array,
    .closing = ']',
};

const struct report_format report_ndjson = {
    .sample = json_sample,
    .period = json_stats,
    .summary = json_stats,
    .step = json_step,
};
