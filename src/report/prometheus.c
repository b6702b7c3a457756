/*
 * Metrics in the text exposition format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats), for the textfile
 * collector of its node exporter. A job whose labels equal those of earlier ones gets
 * another: its number among them, 2 for the second.
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

/* Adds the labels of a target, of an OPERATION, NULL: of all, and of a PHASE. */
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

/* The series of one operation of a target, or of all together, in one phase if it has
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
    const struct plan *plan;
    const struct series *operations;
    int count;
    const struct series *targets; /* of what operations do not distinguish */
    int target_count;
    int64_t now;                 /* monotonic */
    int64_t epoch;               /* of that clock, ns since 1970 */
    const char *name;            /* of the current metric, */
    const struct series *series; /* of which this is the current one */
};

static void
add_count(const struct metrics *metrics, uint64_t value)
{
    buffer_format(metrics->text, "%s{%s} %" PRIu64 "\n", metrics->name,
                  metrics->series->labels.text, value);
}

/* Adds a TIME, ns, in seconds. */
static void
add_time(const struct metrics *metrics, int64_t time)
{
    buffer_format(metrics->text, "%s{%s} %" PRId64 ".%06" PRId64 "\n", metrics->name,
                  metrics->series->labels.text, time / SECOND, time % SECOND / US);
}

/* Adds sum and count of the series, with MORE labels behind its own. */
static void
add_totals(const struct metrics *metrics, const char *more, const struct moments *moments)
{
    const char *name = metrics->name, *labels = metrics->series->labels.text;
    buffer_format(metrics->text, "%s_sum{%s%s} %" PRId64 ".%09" PRId64 "\n", name, labels,
                  more, moments->sum / SECOND, moments->sum % SECOND);
    buffer_format(metrics->text, "%s_count{%s%s} %" PRIu64 "\n", name, labels, more,
                  moments->count);
}

/* Adds a histogram of the bounds that LE names. Fifteen digits are all that a bound has,
 * and as many as a double keeps. */
static void
add_distribution(const struct metrics *metrics, const struct latencies *latencies)
{
    const struct histogram *histogram = latencies->requests;
    const struct buckets *buckets = metrics->plan->output.buckets;
    const char *name = metrics->name, *labels = metrics->series->labels.text;
    for (int i = 0; i < buckets->count; i++)
        buffer_format(metrics->text, "%s_bucket{%s,le=\"%.15g\"} %" PRIu64 "\n", name,
                      labels, (double)buckets->list[i] / SECOND,
                      histogram_count(histogram, buckets->list[i]));
    buffer_format(metrics->text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
                  histogram->count);
    add_totals(metrics, "", latencies->moments);
}

static void
add_requests(const struct metrics *metrics)
{
    add_distribution(metrics, &metrics->series->latencies);
}

static void
add_flushes(const struct metrics *metrics)
{
    const struct latencies flushes = latencies_of(metrics->series->stats, SCOPE_SYNC);
    add_distribution(metrics, &flushes);
}

/* A summary without quantiles for each. */
static void
add_parts(const struct metrics *metrics)
{
    for (enum part part = 0; part < PARTS; part++) {
        char label[24];
        snprintf(label, sizeof(label), ",part=\"%s\"", part_name(part));
        add_totals(metrics, label, &metrics->series->parts[part]);
    }
}

static void
add_sync_device(const struct metrics *metrics)
{
    add_totals(metrics, "", &metrics->series->stats->breakdown.parts[PART_FLUSH].moments);
}

static void
add_last(const struct metrics *metrics)
{
    add_time(metrics, metrics->series->counts.last + metrics->epoch);
}

static void
add_under_way(const struct metrics *metrics)
{
    add_count(metrics, (uint64_t)metrics->series->job->under_way.count);
}

static void
add_oldest(const struct metrics *metrics)
{
    int64_t since = metrics->series->job->under_way.oldest;
    add_time(metrics, since && since < metrics->now ? metrics->now - since : 0);
}

static void
add_version(const struct metrics *metrics)
{
    buffer_format(metrics->text, "%s{version=\"" IOPING_VERSION "\",%s} 1\n",
                  metrics->name, metrics->series->labels.text);
}

/* Which series a metric is of. */
enum { TARGETS = 1, FLUSHED = 2, SPLIT = 4, ENDED = 8 };

static const struct metric {
    const char *name, *help, *type;
    unsigned of;                                /* OR-ed; 0: all operations */
    void (*add)(const struct metrics *metrics); /* of the current series; NULL: */
    size_t at;                                  /* it is the counter there */
} list[] = {
    {"ioping_request_duration_seconds", "Time of the requests that count.", "histogram",
     0, add_requests, 0},
    {"ioping_sync_duration_seconds",
     "Time of the flush after a write, a part of the request's.", "histogram", FLUSHED,
     add_flushes, 0},
    {"ioping_request_part_seconds", "Parts of the time of requests that could be split.",
     "summary", SPLIT, add_parts, 0},
    {"ioping_sync_device_seconds", "Time of the device for the flush after a write.",
     "summary", SPLIT | FLUSHED, add_sync_device, 0},
    {"ioping_requests_split_total", "Requests that count whose time could be split.",
     "counter", SPLIT, NULL, offsetof(struct series, split)},
    {"ioping_requests_total", "All requests, warm-up and failed ones included.",
     "counter", 0, NULL, offsetof(struct series, counts.requests)},
    {"ioping_failed_requests_total", "Requests that failed.", "counter", 0, NULL,
     offsetof(struct series, counts.failed)},
    {"ioping_missed_requests_total",
     "Requests that were due and not sent, because one took too long.", "counter", 0,
     NULL, offsetof(struct series, counts.missed)},
    {"ioping_last_request_timestamp_seconds", "When the last request ended, since 1970.",
     "gauge", ENDED, add_last, 0},
    {"ioping_requests_in_flight", "Requests that have no answer yet.", "gauge", TARGETS,
     add_under_way, 0},
    {"ioping_oldest_request_seconds", "Age of the oldest of them, 0 without one.",
     "gauge", TARGETS, add_oldest, 0},
    {"ioping_build_info", "The version of ioping.", "gauge", TARGETS, add_version, 0},
};

static bool
is_of(const struct metric *metric, const struct plan *plan, const struct series *series)
{
    unsigned of = metric->of;
    bool flushed =
        operations[series->operation].does & OPERATION_FLUSHED && !plan->io.cached;
    return (flushed || !(of & FLUSHED)) && (series->counts.last || !(of & ENDED)) &&
           (plan->statistics.breakdown || !(of & SPLIT));
}

/* Adds METRIC, if it is of any series. */
static void
add_metric(struct metrics *metrics, const struct metric *metric)
{
    const struct series *all =
        metric->of & TARGETS ? metrics->targets : metrics->operations;
    int count = metric->of & TARGETS ? metrics->target_count : metrics->count;
    for (int i = 0; i < count; i++) {
        if (!is_of(metric, metrics->plan, &all[i]))
            continue;
        if (metrics->name != metric->name)
            buffer_format(metrics->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                          metric->help, metric->name, metric->type);
        metrics->name = metric->name;
        metrics->series = &all[i];
        if (metric->add)
            metric->add(metrics);
        else
            add_count(metrics, *(const uint64_t *)(const void *)((const char *)&all[i] +
                                                                 metric->at));
    }
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
        int same = 0;
        for (int k = 0; k < i; k++)
            same += strcmp(series[k].labels.text, series[i].labels.text) == 0;
        if (same)
            buffer_format(&series[i].labels, ",number=\"%d\"", same + 1);
        failed |= series[i].labels.failed;
    }
    return !failed;
}

/* Makes the series of OPERATION of a job, which is one of several if it is MIXED, in
 * PHASE. */
static void
make_series(struct series *series, const struct job *job, enum phase phase,
            enum operation operation, bool mixed)
{
    const struct stats *of_phase = phase ? job_phase_stats(job, phase) : job->stats;
    const struct stats *stats =
        of_phase ? of_phase : &job->progress.total; /* nothing, at first */
    enum scope scope = mixed ? SCOPE_OPERATION + (enum scope)operation : SCOPE_ALL;
    series->job = job;
    series->stats = stats;
    series->operation = operation;
    series->latencies = latencies_of(stats, scope);
    series->counts = scope_counts_of(stats, scope);
    series->parts = stats->breakdown.operations[operation];
    series->split = series->parts[PART_SUBMIT].count;
    add_labels(&series->labels, &job->target.description, operations[operation].word,
               phase);
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
    const struct operation_mix *mix = &plan->workload.mix;
    enum phase last = phase_of(job);
    for (enum phase phase = last ? PHASE_IDLE : PHASE_NONE; phase <= last; phase++)
        for (enum operation one = 0; one < OPERATION_FLUSH; one++)
            if (operation_mix_turn(mix, one) >= 0)
                make_series(next++, job, phase, one, mix->more > 0);
    return next;
}

/* Makes what metrics are of from FIRST on, where is room. Returns false if memory ran
 * out.
 */
static bool
fill_metrics(struct metrics *metrics, struct series *first, const struct plan *plan,
             const struct job *jobs, int count)
{
    const struct operation_mix *mix = &plan->workload.mix;
    const char *operation = mix->more ? NULL : operation_mix_word(mix);
    struct series *next = first;
    for (int i = 0; i < count; i++)
        next = make_all(next, plan, &jobs[i]);
    metrics->operations = metrics->targets = first;
    metrics->count = (int)(next - first);
    metrics->target_count = count;
    if (metrics->count == count)
        return number_series(first, count);
    metrics->targets = next;
    for (int i = 0; i < count; i++) {
        next[i].job = &jobs[i];
        add_labels(&next[i].labels, &jobs[i].target.description, operation,
                   phase_of(&jobs[i]));
    }
    return number_series(first, metrics->count) && number_series(next, count);
}

/* Of a target: each operation in each phase, and all together. */
#define SERIES_MOST (OPERATION_TURNS * (PHASES - 1) + 1)

static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    (void)jobs, (void)count, (void)last;
    int most = SERIES_MOST * report->count;
    struct series *series = calloc((size_t)most, sizeof(*series));
    struct metrics metrics = {.text = &report->text,
                              .plan = report->plan,
                              .now = now,
                              .epoch = report->wall() - now};
    bool filled = series && fill_metrics(&metrics, series, report->plan, report->jobs,
                                         report->count);
    for (size_t i = 0; filled && i < sizeof(list) / sizeof(list[0]); i++)
        add_metric(&metrics, &list[i]);
    report->text.failed |= !filled;
    for (int i = 0; series && i < most; i++)
        buffer_free(&series[i].labels);
    free(series);
}

const struct report_format report_prometheus = {.tick = tick};
