/*
 * Metrics in the text exposition format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats), for the textfile
 * collector of its node exporter.
 */
#include "prometheus.h"

#include "base/escape.h"
#include "base/time.h"
#include "os/output.h"
#include "plan/plan.h"
#include "run/job.h"
#include "stats/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 26 /* 1 us * 2^k, up to 33.5 s */

static void
add_label(struct buffer *text, const char *name, const char *value)
{
    struct escape_character character;
    buffer_format(text, "%s=\"", name);
    while (escape_next(&value, &character)) {
        if (character.kind == ESCAPE_INVALID)
            buffer_text(text, ESCAPE_REPLACEMENT);
        else if (character.code == '\n')
            buffer_text(text, "\\n");
        else if (character.code == '"' || character.code == '\\')
            buffer_format(text, "\\%c", *character.bytes);
        else
            buffer_add(text, character.bytes, character.length);
    }
    buffer_text(text, "\"");
}

static void
add_labels(struct buffer *text, const struct plan *plan, const struct description *target)
{
    static const char *const operations[] = {
        [LOAD_READ] = "read", [LOAD_WRITE] = "write", [LOAD_READ_WRITE] = "read-write"};
    add_label(text, "target", target->path);
    add_label(text, ",device", target->device);
    add_label(text, ",fstype", target->fstype);
    add_label(text, ",operation", operations[plan->load]);
    add_label(text, ",mode", description_mode(target->mode));
}

/* The series of a target; each metric has a line for it. */
struct series {
    struct buffer labels;
    const struct job *job;
};

struct metrics {
    struct buffer *text;
    struct series *series;
    int count;
    int64_t epoch; /* of the monotonic clock, ns since 1970 */
};

static void
add_head(struct buffer *text, const char *name, const char *help, const char *type)
{
    buffer_format(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Returns the member at offset AT of a target's statistics. */
static const void *
find(const struct series *series, size_t at)
{
    return (const char *)series->job->stats + at;
}

static void
add_counter(const struct metrics *metrics, const char *name, const char *help, size_t at)
{
    add_head(metrics->text, name, help, "counter");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        const uint64_t *value = find(series, at);
        buffer_format(metrics->text, "%s{%s} %" PRIu64 "\n", name, series->labels.text,
                      *value);
    }
}

static void
add_distribution(struct buffer *text, const char *labels, const char *name,
                 const struct histogram *histogram, const struct moments *moments)
{
    for (int k = 0; k < BUCKETS; k++)
        buffer_format(text, "%s_bucket{%s,le=\"%.9g\"} %" PRIu64 "\n", name, labels,
                      1e-6 * (double)(1 << k), histogram_count(histogram, 1000LL << k));
    buffer_format(text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
                  histogram->count);
    buffer_format(text, "%s_sum{%s} %" PRId64 ".%09" PRId64 "\n", name, labels,
                  moments->sum / SECOND, moments->sum % SECOND);
    buffer_format(text, "%s_count{%s} %" PRIu64 "\n", name, labels, histogram->count);
}

/* Adds a metric of the histogram at offset AT and the moments at MOMENTS_AT. */
static void
add_histogram(const struct metrics *metrics, const char *name, const char *help,
              size_t at, size_t moments_at)
{
    add_head(metrics->text, name, help, "histogram");
    for (int i = 0; i < metrics->count; i++) {
        const struct series *series = &metrics->series[i];
        add_distribution(metrics->text, series->labels.text, name, find(series, at),
                         find(series, moments_at));
    }
}

/* Adds the time of the last request of the targets that have one; no head without. */
static void
add_last(const struct metrics *metrics)
{
    static const char name[] = "ioping_last_request_timestamp_seconds";
    bool begun = false;
    for (int i = 0; i < metrics->count; i++) {
        int64_t last = metrics->series[i].job->stats->last;
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

static void
add_version(const struct metrics *metrics)
{
    static const char name[] = "ioping_build_info";
    add_head(metrics->text, name, "The version of ioping.", "gauge");
    for (int i = 0; i < metrics->count; i++)
        buffer_format(metrics->text, "%s{version=\"" IOPING_VERSION "\",%s} 1\n", name,
                      metrics->series[i].labels.text);
}

static void
add_metrics(const struct metrics *metrics, const struct plan *plan)
{
    add_histogram(metrics, "ioping_request_duration_seconds",
                  "Time of the requests that count.", offsetof(struct stats, latencies),
                  offsetof(struct stats, latency));
    if (plan->load != LOAD_READ && !plan->cached)
        add_histogram(metrics, "ioping_sync_duration_seconds",
                      "Time of the flush after a write, a part of the request's.",
                      offsetof(struct stats, syncs), offsetof(struct stats, sync));
    add_counter(metrics, "ioping_requests_total",
                "All requests, warm-up and failed ones included.",
                offsetof(struct stats, requests));
    add_counter(metrics, "ioping_failed_requests_total", "Requests that failed.",
                offsetof(struct stats, failed));
    add_counter(metrics, "ioping_missed_requests_total",
                "Requests that were due and not sent, because one took too long.",
                offsetof(struct stats, missed));
    add_last(metrics);
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
 * number yet. */
static void
number_series(struct series *series, int count)
{
    for (int i = count; i-- > 1;) {
        int same = count_same(series, i, series[i].labels.text);
        if (same)
            buffer_format(&series[i].labels, ",number=\"%d\"", same + 1);
    }
}

/* Returns false if memory ran out. */
static bool
name_series(struct series *series, const struct plan *plan, const struct job *jobs,
            int count)
{
    bool failed = false;
    for (int i = 0; i < count; i++) {
        series[i].job = &jobs[i];
        add_labels(&series[i].labels, plan, &jobs[i].target.description);
        failed |= series[i].labels.failed;
    }
    if (!failed)
        number_series(series, count);
    for (int i = 0; i < count; i++)
        failed |= series[i].labels.failed;
    return !failed;
}

void
prometheus_format(struct buffer *text, const struct plan *plan, const struct job *jobs,
                  int count, int64_t epoch)
{
    struct series *series = calloc((size_t)count, sizeof(*series));
    const struct metrics metrics = {text, series, count, epoch};
    if (series && name_series(series, plan, jobs, count))
        add_metrics(&metrics, plan);
    else
        text->failed = true;
    for (int i = 0; series && i < count; i++)
        buffer_free(&series[i].labels);
    free(series);
}

int
prometheus_write(const struct plan *plan, const struct job *jobs, int count,
                 int64_t epoch)
{
    struct buffer text = {0};
    prometheus_format(&text, plan, jobs, count, epoch);
    int failed = text.failed ? ENOMEM : 0;
    if (!failed && os_file_replace(plan->output.prometheus, text.text, text.length,
                                   "# HELP ioping_") < 0)
        failed = errno;
    buffer_free(&text);
    return failed;
}
