/*
 * Metrics in the text exposition format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats), for the textfile
 * collector of its node exporter.
 */
#include "base/buffer.h"
#include "base/time.h"
#include "plan/plan.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/job.h"
#include "stats/stats.h"
#include "writers.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The format has an escape for quotes, backslashes and newlines alone. */
static void
add_label(struct buffer *text, const char *name, const char *value)
{
    struct escape_character character;
    buffer_format(text, "%s=\"", name);
    while (escape_next(&value, &character)) {
        if (character.code == '\n')
            buffer_text(text, "\\n");
        else if (character.kind != ESCAPE_PLAIN)
            buffer_text(text, ESCAPE_REPLACEMENT);
        else if (character.code == '"' || character.code == '\\')
            buffer_format(text, "\\%c", *character.bytes);
        else
            buffer_add(text, character.bytes, character.length);
    }
    buffer_text(text, "\"");
}

/* Adds the labels of a target, of an OPERATION, NULL: of both, and of a PHASE. */
static void
add_labels(struct buffer *text, const struct description *target, const char *operation,
           enum phase phase)
{
    add_label(text, "target", target->path);
    add_label(text, ",device", target->device);
    add_label(text, ",fstype", target->fstype);
    if (operation)
        add_label(text, ",operation", operation);
    add_label(text, ",mode", description_mode(target->mode));
    if (phase)
        add_label(text, ",phase", phase_name(phase));
}

/* The series of one operation of a target, or of both together, in one phase if it has
 * any; a metric has a line for each. */
struct series {
    struct buffer labels;
    const struct job *job;
    const struct stats *stats;
    enum operation operation;
    struct latencies latencies; /* of one operation, like all that follows */
    struct scope_counts counts;
    const struct moments *parts; /* of PARTS */
    uint64_t split;
};

struct metrics {
    struct buffer *text;
    const struct buckets *buckets;
    const struct series *series; /* of operations */
    int count;
    const struct series *targets; /* of what is not told apart */
    int target_count;
    int64_t now;   /* monotonic */
    int64_t epoch; /* of that clock, ns since 1970 */
};

static void
add_head(struct buffer *text, const char *name, const char *help, const char *type)
{
    buffer_format(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Adds a metric of the counter at offset AT of a series. */
static void
add_counter(const struct metrics *metrics, const char *name, const char *help, size_t at)
{
    add_head(metrics->text, name, help, "counter");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        const uint64_t *value = (const void *)((const char *)series + at);
        buffer_format(metrics->text, "%s{%s} %" PRIu64 "\n", name, series->labels.text,
                      *value);
    }
}

/* Adds sum and count of a series, with MORE labels behind its own. */
static void
add_totals(struct buffer *text, const char *labels, const char *more, const char *name,
           const struct moments *moments)
{
    buffer_format(text, "%s_sum{%s%s} %" PRId64 ".%09" PRId64 "\n", name, labels, more,
                  moments->sum / SECOND, moments->sum % SECOND);
    buffer_format(text, "%s_count{%s%s} %" PRIu64 "\n", name, labels, more,
                  moments->count);
}

/* Adds a histogram of the bounds that LE names. Fifteen digits are all that a bound has,
 * and as many as a double keeps. */
static void
add_distribution(const struct metrics *metrics, const char *labels, const char *name,
                 const struct latencies *latencies)
{
    const struct histogram *histogram = latencies->requests;
    struct buffer *text = metrics->text;
    for (int i = 0; i < metrics->buckets->count; i++) {
        int64_t bound = metrics->buckets->list[i];
        buffer_format(text, "%s_bucket{%s,le=\"%.15g\"} %" PRIu64 "\n", name, labels,
                      (double)bound / SECOND, histogram_count(histogram, bound));
    }
    buffer_format(text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
                  histogram->count);
    add_totals(text, labels, "", name, latencies->moments);
}

static void
add_requests(const struct metrics *metrics)
{
    static const char name[] = "ioping_request_duration_seconds";
    add_head(metrics->text, name, "Time of the requests that count.", "histogram");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        add_distribution(metrics, series->labels.text, name, &series->latencies);
    }
}

static void
add_flushes(const struct metrics *metrics)
{
    static const char name[] = "ioping_sync_duration_seconds";
    add_head(metrics->text, name,
             "Time of the flush after a write, a part of the request's.", "histogram");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        const struct latencies flushes = latencies_of(series->stats, SCOPE_SYNC);
        if (series->operation == OPERATION_WRITE)
            add_distribution(metrics, series->labels.text, name, &flushes);
    }
}

/* Adds the time of the last request of the targets that have one; no head without. */
static void
add_last(const struct metrics *metrics)
{
    static const char name[] = "ioping_last_request_timestamp_seconds";
    bool begun = false;
    for (int i = 0; i < metrics->count; i++) {
        int64_t last = metrics->series[i].counts.last;
        last = last ? last + metrics->epoch : 0;
        if (last && !begun)
            add_head(metrics->text, name, "When the last request ended, since 1970.",
                     "gauge");
        if (last)
            buffer_format(metrics->text, "%s{%s} %" PRId64 ".%06" PRId64 "\n", name,
                          metrics->series[i].labels.text, last / SECOND,
                          last % SECOND / US);
        begun |= last != 0;
    }
}

/* Adds what has no answer at this time. */
static void
add_under_way(const struct metrics *metrics)
{
    static const char count[] = "ioping_requests_in_flight",
                      age[] = "ioping_oldest_request_seconds";
    add_head(metrics->text, count, "Requests that have no answer yet.", "gauge");
    for (int i = 0; i < metrics->target_count; i++)
        buffer_format(metrics->text, "%s{%s} %d\n", count,
                      metrics->targets[i].labels.text,
                      metrics->targets[i].job->under_way.count);
    add_head(metrics->text, age, "Age of the oldest of them, 0 without one.", "gauge");
    for (int i = 0; i < metrics->target_count; i++) {
        int64_t since = metrics->targets[i].job->under_way.oldest;
        int64_t waited = since && since < metrics->now ? metrics->now - since : 0;
        buffer_format(metrics->text, "%s{%s} %" PRId64 ".%06" PRId64 "\n", age,
                      metrics->targets[i].labels.text, waited / SECOND,
                      waited % SECOND / US);
    }
}

static void
add_version(const struct metrics *metrics)
{
    static const char name[] = "ioping_build_info";
    add_head(metrics->text, name, "The version of ioping.", "gauge");
    for (int i = 0; i < metrics->target_count; i++)
        buffer_format(metrics->text, "%s{version=\"" IOPING_VERSION "\",%s} 1\n", name,
                      metrics->targets[i].labels.text);
}

/* Adds the parts of the time of requests: a summary without quantiles for each. */
static void
add_parts(const struct metrics *metrics)
{
    static const char name[] = "ioping_request_part_seconds";
    add_head(metrics->text, name, "Parts of the time of requests that could be split.",
             "summary");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        for (enum part part = 0; part < PARTS; part++) {
            char label[24];
            snprintf(label, sizeof(label), ",part=\"%s\"", part_name(part));
            add_totals(metrics->text, series->labels.text, label, name,
                       &series->parts[part]);
        }
    }
}

static void
add_sync_device(const struct metrics *metrics)
{
    static const char name[] = "ioping_sync_device_seconds";
    add_head(metrics->text, name, "Time of the device for the flush after a write.",
             "summary");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        if (series->operation == OPERATION_WRITE)
            add_totals(metrics->text, series->labels.text, "", name,
                       &series->stats->breakdown.sync_device.moments);
    }
}

static void
add_breakdown(const struct metrics *metrics, bool flushes)
{
    add_parts(metrics);
    if (flushes)
        add_sync_device(metrics);
    add_counter(metrics, "ioping_requests_split_total",
                "Requests that count whose time could be split.",
                offsetof(struct series, split));
}

static void
add_metrics(const struct metrics *metrics, const struct plan *plan)
{
    bool flushes = plan->workload.load != LOAD_READ && !plan->io.cached;
    add_requests(metrics);
    if (flushes)
        add_flushes(metrics);
    if (plan->statistics.breakdown)
        add_breakdown(metrics, flushes);
    add_counter(metrics, "ioping_requests_total",
                "All requests, warm-up and failed ones included.",
                offsetof(struct series, counts.requests));
    add_counter(metrics, "ioping_failed_requests_total", "Requests that failed.",
                offsetof(struct series, counts.failed));
    add_counter(metrics, "ioping_missed_requests_total",
                "Requests that were due and not sent, because one took too long.",
                offsetof(struct series, counts.missed));
    add_last(metrics);
    add_under_way(metrics);
    add_version(metrics);
}

/* Returns how many of the BEFORE series have these LABELS. */
static int
count_same(const struct series *series, int before, const char *labels)
{
    int same = 0;
    for (int i = 0; i < before; i++)
        same += strcmp(series[i].labels.text, labels) == 0;
    return same;
}

/* Numbers equal series from the last to the first, so that the labels before one have no
 * number yet. Returns false if memory ran out. */
static bool
number_series(struct series *series, int count)
{
    bool failed = false;
    for (int i = 0; i < count; i++)
        failed |= series[i].labels.failed;
    for (int i = count; !failed && i-- > 1;) {
        int same = count_same(series, i, series[i].labels.text);
        if (same)
            buffer_format(&series[i].labels, ",number=\"%d\"", same + 1);
        failed |= series[i].labels.failed;
    }
    return !failed;
}

static const char *const operations[] = {"read", "write"};

/* Makes the series of OPERATION of a job, which is one of BOTH or the only one, in PHASE.
 */
static void
make_series(struct series *series, const struct job *job, enum phase phase,
            enum operation operation, bool both)
{
    const struct stats *of_phase = phase ? job_phase_stats(job, phase) : job->stats;
    const struct stats *stats = of_phase ? of_phase : &job->total; /* nothing, at first */
    enum scope scope = !both                         ? SCOPE_ALL
                       : operation == OPERATION_READ ? SCOPE_READ
                                                     : SCOPE_WRITE;
    series->job = job;
    series->stats = stats;
    series->operation = operation;
    series->latencies = latencies_of(stats, scope);
    series->counts = scope_counts_of(stats, scope);
    series->parts = stats->breakdown.operations[operation];
    series->split = series->parts[PART_SUBMIT].count;
    add_labels(&series->labels, &job->target.description, operations[operation], phase);
}

/* Returns the phase that a job is in or begins with; PHASE_NONE: it has none. */
static enum phase
phase_of(const struct job *job)
{
    enum phase phase = job->phases ? job->phases->current : PHASE_NONE;
    return job->phases && !phase ? PHASE_IDLE : phase;
}

/* Makes the series of a job from NEXT on, all phases up to the present. Returns the next
 * after them. */
static struct series *
make_all(struct series *next, const struct plan *plan, const struct job *job)
{
    bool both = plan->workload.load == LOAD_READ_WRITE;
    enum phase last = phase_of(job);
    for (enum phase phase = last ? PHASE_IDLE : PHASE_NONE; phase <= last; phase++) {
        if (plan->workload.load != LOAD_WRITE)
            make_series(next++, job, phase, OPERATION_READ, both);
        if (plan->workload.load != LOAD_READ)
            make_series(next++, job, phase, OPERATION_WRITE, both);
    }
    return next;
}

/* Makes what metrics are of from LIST, which has room. Returns false if memory ran out.
 */
static bool
fill_metrics(struct metrics *metrics, struct series *list, const struct plan *plan,
             const struct job *jobs, int count)
{
    const char *operation = plan->workload.load == LOAD_READ_WRITE ? NULL
                            : plan->workload.load == LOAD_READ
                                ? operations[OPERATION_READ]
                                : operations[OPERATION_WRITE];
    struct series *next = list;
    for (int i = 0; i < count; i++)
        next = make_all(next, plan, &jobs[i]);
    metrics->series = metrics->targets = list;
    metrics->count = (int)(next - list);
    metrics->target_count = count;
    if (metrics->count == count)
        return number_series(list, count);
    metrics->targets = next;
    for (int i = 0; i < count; i++) {
        next[i].job = &jobs[i];
        add_labels(&next[i].labels, &jobs[i].target.description, operation,
                   phase_of(&jobs[i]));
    }
    return number_series(list, metrics->count) && number_series(next, count);
}

#define SERIES_MOST 7 /* of a target: each operation in each phase, and both together */

void
prometheus_format(struct buffer *text, const struct plan *plan, const struct job *jobs,
                  int count, int64_t now, int64_t wall)
{
    int most = SERIES_MOST * count;
    struct series *list = calloc((size_t)most, sizeof(*list));
    struct metrics metrics = {
        .text = text, .buckets = plan->output.buckets, .now = now, .epoch = wall - now};
    if (list && fill_metrics(&metrics, list, plan, jobs, count))
        add_metrics(&metrics, plan);
    else
        text->failed = true;
    for (int i = 0; list && i < most; i++)
        buffer_free(&list[i].labels);
    free(list);
}

static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    (void)jobs, (void)count, (void)last;
    prometheus_format(&report->text, report->plan, report->jobs, report->count, now,
                      report->wall());
}

const struct report_format report_prometheus = {.tick = tick};
