/*
 * Metrics in the text exposition format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats), for the textfile collector of
 * its node exporter.
 *
 * The format wants all lines of a metric together, so the file is made in two steps.
 * First, each job gets its series: one for each operation in each phase, and one for the
 * whole target (make_all). Then each row of the table of metrics adds its head and a line
 * for each series that has the metric (add_metric). Two jobs with equal labels, such as a
 * target that is named twice, get a further label, number="2" for the
 * second.
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

/* Adds a label. The format can escape quotes, backslashes and newlines, and nothing
 * else. */
static void
add_label(struct buffer *text, const char *name, const char *value)
{
    buffer_format(text, "%s=", name);
    quoted_add(text, value, false);
}

/* The values behind one line of each metric. A series is about one operation of a target,
 * in one phase if there are phases, or about the target as a whole. */
struct series {
    /* in the text form, without braces */
    struct buffer labels;
    bool is_whole_target; /* about the target as a whole, not one operation */
    /* Writes of this series are followed by a flush; false for cached I/O. */
    bool has_flushes;
    /* of the requests that count, and of the flushes after writes */
    struct latencies latencies, flushes;
    struct scope_counts counts;
    /* `parts` is an array of PARTS elements, one for each enum part. */
    const struct moments *parts, *sync_device;
    uint64_t split_count, under_way; /* requests with a breakdown; requests in flight */
    /* when the last request ended, ns since 1970; age of the oldest request in flight,
     * ns */
    int64_t last_end_at, oldest_age_ns;
};

/* The metrics while they are written. */
struct metrics {
    struct buffer *text;
    const struct plan *plan;
    int64_t now;                 /* monotonic, in ns */
    int64_t epoch;               /* wall clock minus monotonic clock, in ns */
    const char *name;            /* of the current metric */
    const struct series *series; /* the current series of that metric */
};

/* Adds a line with a count, a uint64_t, of the current series. */
static void
add_count(const struct metrics *metrics, const void *count)
{
    buffer_format(metrics->text, "%s{%s} %" PRIu64 "\n", metrics->name,
                  metrics->series->labels.text, *(const uint64_t *)count);
}

/* Adds a line with a time of the current series, an int64_t in ns, as seconds. */
static void
add_time(const struct metrics *metrics, const void *ns)
{
    int64_t time = *(const int64_t *)ns;

    buffer_format(metrics->text, "%s{%s} %" PRId64 ".%06" PRId64 "\n", metrics->name,
                  metrics->series->labels.text, time / SECOND, time % SECOND / US);
}

/* Adds the sum and the count of the current series. MORE are further labels after those
 * of the series. */
static void
add_totals(const struct metrics *metrics, const char *more, const struct moments *moments)
{
    const char *name = metrics->name;
    const char *labels = metrics->series->labels.text;
    buffer_format(metrics->text, "%s_sum{%s%s} %" PRId64 ".%09" PRId64 "\n", name, labels,
                  more, moments->sum / SECOND, moments->sum % SECOND);
    buffer_format(metrics->text, "%s_count{%s%s} %" PRIu64 "\n", name, labels, more,
                  moments->count);
}

/* Adds the latencies of the current series as a histogram with the buckets of -buckets.
 * Fifteen significant digits are enough for every bound in seconds, and they survive the
 * conversion to a double and back. */
static void
add_distribution(const struct metrics *metrics, const void *of)
{
    const struct latencies *latencies = of;
    const struct histogram *histogram = latencies->uncorrected;
    const struct buckets *buckets = metrics->plan->output.buckets;
    const char *name = metrics->name;
    const char *labels = metrics->series->labels.text;

    for (int i = 0; i < buckets->count; i++)
        buffer_format(metrics->text, "%s_bucket{%s,le=\"%.15g\"} %" PRIu64 "\n", name,
                      labels, (double)buckets->list[i] / SECOND,
                      histogram_count(histogram, buckets->list[i]));

    buffer_format(metrics->text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
                  histogram->count);
    add_totals(metrics, "", latencies->moments);
}

/* Adds a summary without quantiles for each part of the time of requests. PART_STACK
 * appears once a request went through a stack of devices. */
static void
add_parts(const struct metrics *metrics, const void *parts)
{

    const struct moments *of = *(const struct moments *const *)parts;

    for (enum part part = 0; part < PARTS; part++) {
        char label[24];
        if (part == PART_STACK && !of[part].count)
            continue;
        snprintf(label, sizeof(label), ",part=\"%s\"", part_name(part));
        add_totals(metrics, label, &of[part]);
    }
}

/* Adds a summary without quantiles. */
static void
add_summary(const struct metrics *metrics, const void *moments)
{
    add_totals(metrics, "", *(const struct moments *const *)moments);
}

/* Adds the version of the program as a label, with the value 1. */
static void
add_version(const struct metrics *metrics, const void *none)
{
    (void)none;
    buffer_format(metrics->text, "%s{version=\"" IOPING_VERSION "\",%s} 1\n",
                  metrics->name, metrics->series->labels.text);
}

/* Which series have a metric: those about whole targets; with flushes; with -breakdown;
 * with a request that has ended. */
enum { TARGETS = 1, FLUSHED = 2, SPLIT = 4, ENDED = 8 };

static const struct metric {
    const char *name, *help, *type;
    unsigned series_flags; /* OR-ed; without TARGETS, the series of operations */
    size_t offset;         /* offset of the value in struct series */
    void (*add)(const struct metrics *metrics, const void *value);
} list[] = {
    {"ioping_request_duration_seconds", "Time of the requests that count.", "histogram",
     0, offsetof(struct series, latencies), add_distribution},
    {"ioping_sync_duration_seconds",
     "Time of the flush after a write, a part of the request's.", "histogram", FLUSHED,
     offsetof(struct series, flushes), add_distribution},
    {"ioping_request_part_seconds", "Parts of the time of requests that could be split.",
     "summary", SPLIT, offsetof(struct series, parts), add_parts},
    {"ioping_sync_device_seconds", "Time of the device for the flush after a write.",
     "summary", SPLIT | FLUSHED, offsetof(struct series, sync_device), add_summary},
    {"ioping_requests_split_total", "Requests that count whose time could be split.",
     "counter", SPLIT, offsetof(struct series, split_count), add_count},
    {"ioping_requests_total", "All requests, warm-up and failed ones included.",
     "counter", 0, offsetof(struct series, counts.requests), add_count},
    {"ioping_failed_requests_total", "Requests that failed.", "counter", 0,
     offsetof(struct series, counts.failed), add_count},
    {"ioping_missed_requests_total",
     "Requests that were due and not sent, because one took too long.", "counter", 0,
     offsetof(struct series, counts.missed), add_count},
    {"ioping_last_request_timestamp_seconds", "When the last request ended, since 1970.",
     "gauge", ENDED, offsetof(struct series, last_end_at), add_time},
    {"ioping_requests_in_flight", "Requests that have no answer yet.", "gauge", TARGETS,
     offsetof(struct series, under_way), add_count},
    {"ioping_oldest_request_seconds", "Age of the oldest of them, 0 without one.",
     "gauge", TARGETS, offsetof(struct series, oldest_age_ns), add_time},
    {"ioping_build_info", "The version of ioping.", "gauge", TARGETS, 0, add_version},
};

/* Adds METRIC: its head, and a line for each of COUNT series that have the metric. Adds
 * nothing if no series has it. */
static void
add_metric(struct metrics *metrics, const struct metric *metric,
           const struct series *series, int count)
{
    unsigned of = metric->series_flags;

    metrics->name = NULL;

    for (; count-- > 0; series++) {
        if (series->is_whole_target != ((of & TARGETS) != 0) ||
            (of & FLUSHED && !series->has_flushes) ||
            (of & ENDED && !series->counts.last_end) ||
            (of & SPLIT && !metrics->plan->statistics.breakdown))
            continue;
        if (!metrics->name)
            buffer_format(metrics->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                          metric->help, metric->name, metric->type);
        metrics->name = metric->name;
        metrics->series = series;
        metric->add(metrics, (const char *)series + metric->offset);
    }
}

/* Adds a number to the labels of each series whose labels equal those of earlier ones.
 * Goes from the last to the first, so that the earlier labels are still without a number
 * when they are compared. Returns false if memory ran out. */
static bool
number_series(struct series *series, int count)
{
    bool failed = false;

    for (int i = 0; i < count; i++)
        failed |= series[i].labels.failed;

    for (int i = count; !failed && i-- > 1;) {
        int same = 0;
        for (int k = 0; k < i; k++)
            same += series[k].is_whole_target == series[i].is_whole_target &&
                    strcmp(series[k].labels.text, series[i].labels.text) == 0;
        if (same)
            buffer_format(&series[i].labels, ",number=\"%d\"", same + 1);
        failed |= series[i].labels.failed;
    }

    return !failed;
}

/* Makes the series of OPERATION of JOB in PHASE or, if WHOLE, the series of the target as
 * a whole. */
static void
make_series(struct series *series, const struct metrics *metrics, const struct job *job,
            enum phase phase, enum operation operation, bool whole)
{
    const struct description *target = &job->target.description;
    const struct stats *of_phase = phase ? job_phase_stats(job, phase) : job->stats;
    /* Before the first request of a job with phases, no phase has statistics; the total
     * is empty then. */
    const struct stats *stats = of_phase ? of_phase : &job->progress.total;
    bool mixed = metrics->plan->workload.mix.extra_count > 0;
    enum scope scope =
        mixed && !whole ? SCOPE_OPERATION + (enum scope)operation : SCOPE_ALL;
    int64_t since = job->in_flight.oldest_sent_at;

    *series = (struct series){
        .is_whole_target = whole,
        .has_flushes =
            operations[operation].flags & OPERATION_FLUSHED && !metrics->plan->io.cached,
        .latencies = latencies_of(stats, scope),
        .flushes = latencies_of(stats, SCOPE_SYNC),
        .counts = scope_counts_of(stats, scope),
        .parts = stats->breakdown.operations[operation],
        .sync_device = latencies_of(stats, SCOPE_SYNC_DEVICE).moments,
        .split_count = stats->breakdown.operations[operation][PART_SUBMIT].count,
        .under_way = (uint64_t)job->in_flight.count,
        .oldest_age_ns = since && since < metrics->now ? metrics->now - since : 0,
    };

    series->last_end_at = series->counts.last_end + metrics->epoch;
    add_label(&series->labels, "target", target->path);
    add_label(&series->labels, ",device", target->device);
    add_label(&series->labels, ",fstype", target->fstype);
    if (!(mixed && whole))
        add_label(&series->labels, ",operation", operations[operation].word);
    add_label(&series->labels, ",mode", description_mode(target->mode));
    if (phase)
        add_label(&series->labels, ",phase", phase_name(phase));
}

/* Makes the series of JOB, from NEXT on: of each operation in each phase up to the
 * current one, and of the target as a whole. Returns the pointer after the last one. */
static struct series *
make_all(struct series *next, const struct metrics *metrics, const struct job *job)
{
    const struct operation_mix *mix = &metrics->plan->workload.mix;
    enum phase first = job->phases ? PHASE_IDLE : PHASE_NONE;
    enum phase last = job->phases && job->phases->current ? job->phases->current : first;

    for (enum phase phase = first; phase <= last; phase++)
        for (enum operation one = 0; one < OPERATION_FLUSH; one++)
            if (operation_mix_turn(mix, one) >= 0)
                make_series(next++, metrics, job, phase, one, false);
    make_series(next++, metrics, job, last, mix->turns[0], true);
    return next;
}

/* The number of series of a job, at most: each operation in each phase, and the whole. */
#define SERIES_MOST (OPERATION_TURNS * (PHASES - 1) + 1)

static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    (void)jobs, (void)count, (void)last;

    size_t most = (size_t)report->job_count * SERIES_MOST;
    struct series *series = calloc(most, sizeof(*series));
    struct series *end = series;
    struct metrics metrics = {.text = &report->text,
                              .plan = report->plan,
                              .now = now,
                              .epoch = report->wall_now() - now};

    for (int i = 0; series && i < report->job_count; i++)
        end = make_all(end, &metrics, &report->jobs[i]);
    bool made = series && number_series(series, (int)(end - series));
    for (size_t i = 0; made && i < sizeof(list) / sizeof(list[0]); i++)
        add_metric(&metrics, &list[i], series, (int)(end - series));

    report->text.failed |= !made;
    while (end > series)
        buffer_free(&(--end)->labels);
    free(series);
}

const struct report_format report_prometheus = {.tick = tick};
