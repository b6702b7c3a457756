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
    buffer_format(text, "%s=", name);
    quoted_add(text, value, false);
}

/* The series of one operation of a target, or of the target as a whole, in one phase if
 * it has any; a metric has a line for each. */
struct series {
    struct buffer labels;
    bool whole;
    bool flushed; /* the operation is, as far as it is not cached */
    struct latencies latencies, flushes;
    struct scope_counts counts;
    const struct moments *parts, *sync_device; /* of these the first are PARTS */
    uint64_t split, under_way;
    int64_t last, oldest; /* ns since 1970; and ns */
};

struct metrics {
    struct buffer *text;
    const struct plan *plan;
    int64_t now;                 /* monotonic */
    int64_t epoch;               /* of that clock, ns since 1970 */
    const char *name;            /* of the current metric, */
    const struct series *series; /* of which this is the current one */
};

/* Adds the COUNT of the series. */
static void
add_count(const struct metrics *metrics, const void *count)
{
    buffer_format(metrics->text, "%s{%s} %" PRIu64 "\n", metrics->name,
                  metrics->series->labels.text, *(const uint64_t *)count);
}

/* Adds a time of the series, NS, in seconds. */
static void
add_time(const struct metrics *metrics, const void *ns)
{
    int64_t time = *(const int64_t *)ns;
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

/* Adds a histogram of latencies, of the bounds that LE names. Fifteen digits are all that
 * a bound has, and as many as a double keeps. */
static void
add_distribution(const struct metrics *metrics, const void *of)
{
    const struct latencies *latencies = of;
    const struct histogram *histogram = latencies->uncorrected;
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

/* A summary without quantiles for each of the PARTS. Only a stack of devices has
 * PART_STACK, which shows when the first request to it has been split. */
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

static void
add_summary(const struct metrics *metrics, const void *moments)
{
    add_totals(metrics, "", *(const struct moments *const *)moments);
}

static void
add_version(const struct metrics *metrics, const void *none)
{
    (void)none;
    buffer_format(metrics->text, "%s{version=\"" IOPING_VERSION "\",%s} 1\n",
                  metrics->name, metrics->series->labels.text);
}

/* Which series a metric is of. */
enum { TARGETS = 1, FLUSHED = 2, SPLIT = 4, ENDED = 8 };

static const struct metric {
    const char *name, *help, *type;
    unsigned of; /* OR-ed; 0: all operations */
    size_t at;   /* what is added of a series is there */
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
     "counter", SPLIT, offsetof(struct series, split), add_count},
    {"ioping_requests_total", "All requests, warm-up and failed ones included.",
     "counter", 0, offsetof(struct series, counts.requests), add_count},
    {"ioping_failed_requests_total", "Requests that failed.", "counter", 0,
     offsetof(struct series, counts.failed), add_count},
    {"ioping_missed_requests_total",
     "Requests that were due and not sent, because one took too long.", "counter", 0,
     offsetof(struct series, counts.missed), add_count},
    {"ioping_last_request_timestamp_seconds", "When the last request ended, since 1970.",
     "gauge", ENDED, offsetof(struct series, last), add_time},
    {"ioping_requests_in_flight", "Requests that have no answer yet.", "gauge", TARGETS,
     offsetof(struct series, under_way), add_count},
    {"ioping_oldest_request_seconds", "Age of the oldest of them, 0 without one.",
     "gauge", TARGETS, offsetof(struct series, oldest), add_time},
    {"ioping_build_info", "The version of ioping.", "gauge", TARGETS, 0, add_version},
};

/* Adds METRIC of those of COUNT series that have it, after its head. */
static void
add_metric(struct metrics *metrics, const struct metric *metric,
           const struct series *series, int count)
{
    unsigned of = metric->of;
    metrics->name = NULL;
    for (; count-- > 0; series++) {
        if (series->whole != ((of & TARGETS) != 0) ||
            (of & FLUSHED && !series->flushed) ||
            (of & ENDED && !series->counts.last_end) ||
            (of & SPLIT && !metrics->plan->statistics.breakdown))
            continue;
        if (!metrics->name)
            buffer_format(metrics->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                          metric->help, metric->name, metric->type);
        metrics->name = metric->name;
        metrics->series = series;
        metric->add(metrics, (const char *)series + metric->at);
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
            same += series[k].whole == series[i].whole &&
                    strcmp(series[k].labels.text, series[i].labels.text) == 0;
        if (same)
            buffer_format(&series[i].labels, ",number=\"%d\"", same + 1);
        failed |= series[i].labels.failed;
    }
    return !failed;
}

/* Makes the series of OPERATION of a job in PHASE, or of all its operations as a WHOLE.
 */
static void
make_series(struct series *series, const struct metrics *metrics, const struct job *job,
            enum phase phase, enum operation operation, bool whole)
{
    const struct description *target = &job->target.description;
    const struct stats *of_phase = phase ? job_phase_stats(job, phase) : job->stats;
    const struct stats *stats =
        of_phase ? of_phase : &job->progress.total; /* nothing, at first */
    bool mixed = metrics->plan->workload.mix.extra_count > 0;
    enum scope scope =
        mixed && !whole ? SCOPE_OPERATION + (enum scope)operation : SCOPE_ALL;
    int64_t since = job->in_flight.oldest_sent_at;
    *series = (struct series){
        .whole = whole,
        .flushed =
            operations[operation].flags & OPERATION_FLUSHED && !metrics->plan->io.cached,
        .latencies = latencies_of(stats, scope),
        .flushes = latencies_of(stats, SCOPE_SYNC),
        .counts = scope_counts_of(stats, scope),
        .parts = stats->breakdown.operations[operation],
        .sync_device = latencies_of(stats, SCOPE_SYNC_DEVICE).moments,
        .split = stats->breakdown.operations[operation][PART_SUBMIT].count,
        .under_way = (uint64_t)job->in_flight.count,
        .oldest = since && since < metrics->now ? metrics->now - since : 0,
    };
    series->last = series->counts.last_end + metrics->epoch;
    add_label(&series->labels, "target", target->path);
    add_label(&series->labels, ",device", target->device);
    add_label(&series->labels, ",fstype", target->fstype);
    if (!(mixed && whole))
        add_label(&series->labels, ",operation", operations[operation].word);
    add_label(&series->labels, ",mode", description_mode(target->mode));
    if (phase)
        add_label(&series->labels, ",phase", phase_name(phase));
}

/* Makes the series of a job from NEXT on: of its operations in all phases up to the
 * present, or the first, and of all as a whole. Returns the next after them. */
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

/* Of a job: each operation in each phase, and all as a whole. */
#define SERIES_MOST (OPERATION_TURNS * (PHASES - 1) + 1)

static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    (void)jobs, (void)count, (void)last;
    size_t most = (size_t)report->count * SERIES_MOST;
    struct series *series = calloc(most, sizeof(*series)), *end = series;
    struct metrics metrics = {.text = &report->text,
                              .plan = report->plan,
                              .now = now,
                              .epoch = report->wall_now() - now};
    for (int i = 0; series && i < report->count; i++)
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
