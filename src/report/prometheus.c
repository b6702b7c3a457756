/*
 * The text exposition format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats), for the textfile
 * collector of its node exporter.
 */
#include "report/prometheus.h"

#include "base/escape.h"
#include "os/output.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define BUCKETS 26 /* 1 us * 2^k, up to 33.5 s */

static void
add_label(struct buffer *text, const char *name, const char *value)
{
    buffer_format(text, "%s=\"", name);
    while (*value) {
        size_t length = escape_utf8_length(value);
        if (length == 0)
            buffer_text(text, "\xef\xbf\xbd"); /* U+FFFD */
        else if (*value == '\n')
            buffer_text(text, "\\n");
        else if (*value == '"' || *value == '\\')
            buffer_format(text, "\\%c", *value);
        else
            buffer_add(text, value, length);
        value += length ? length : 1;
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

static void
add_head(struct buffer *text, const char *name, const char *help, const char *type)
{
    buffer_format(text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void
add_counter(struct buffer *text, const char *labels, const char *name, const char *help,
            uint64_t value)
{
    add_head(text, name, help, "counter");
    buffer_format(text, "%s{%s} %" PRIu64 "\n", name, labels, value);
}

static void
add_histogram(struct buffer *text, const char *labels, const char *name, const char *help,
              const struct histogram *histogram, const struct moments *moments)
{
    add_head(text, name, help, "histogram");
    for (int k = 0; k < BUCKETS; k++)
        buffer_format(text, "%s_bucket{%s,le=\"%.9g\"} %" PRIu64 "\n", name, labels,
                      1e-6 * (double)(1 << k), histogram_count(histogram, 1000LL << k));
    buffer_format(text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
                  histogram->count);
    buffer_format(text, "%s_sum{%s} %" PRId64 ".%09" PRId64 "\n", name, labels,
                  moments->sum / SECOND, moments->sum % SECOND);
    buffer_format(text, "%s_count{%s} %" PRIu64 "\n", name, labels, histogram->count);
}

static void
add_last(struct buffer *text, const char *labels, int64_t last)
{
    static const char name[] = "ioping_last_request_timestamp_seconds";
    add_head(text, name, "When the last request ended, since 1970.", "gauge");
    buffer_format(text, "%s{%s} %" PRId64 ".%06" PRId64 "\n", name, labels, last / SECOND,
                  last % SECOND / 1000);
}

static void
add_metrics(struct buffer *text, const char *labels, const struct plan *plan,
            const struct stats *stats, int64_t last)
{
    add_histogram(text, labels, "ioping_request_duration_seconds",
                  "Time of the requests that count.", &stats->latencies, &stats->latency);
    if (plan->load != LOAD_READ && !plan->cached)
        add_histogram(text, labels, "ioping_sync_duration_seconds",
                      "Time of the flush after a write, a part of the request's.",
                      &stats->syncs, &stats->sync);
    add_counter(text, labels, "ioping_requests_total",
                "All requests, warm-up and failed ones included.", stats->requests);
    add_counter(text, labels, "ioping_failed_requests_total", "Requests that failed.",
                stats->failed);
    add_counter(text, labels, "ioping_missed_requests_total",
                "Requests that were due and not sent, because one took too long.",
                stats->missed);
    if (last)
        add_last(text, labels, last);
    add_head(text, "ioping_build_info", "The version of ioping.", "gauge");
    buffer_format(text, "ioping_build_info{version=\"" IOPING_VERSION "\",%s} 1\n",
                  labels);
}

void
prometheus_format(struct buffer *text, const struct plan *plan,
                  const struct description *target, const struct stats *stats,
                  int64_t last)
{
    struct buffer labels = {0};
    add_labels(&labels, plan, target);
    if (labels.failed)
        text->failed = true;
    else
        add_metrics(text, labels.text, plan, stats, last);
    buffer_free(&labels);
}

int
prometheus_keep(const struct plan *plan, const struct description *target,
                const struct stats *stats, int64_t last)
{
    struct buffer text = {0};
    prometheus_format(&text, plan, target, stats, last);
    int failed = text.failed ? ENOMEM : 0;
    if (!failed && os_file_replace(plan->output.prometheus, text.text, text.length,
                                   "# HELP ioping_") < 0)
        failed = errno;
    buffer_free(&text);
    return failed;
}

int
prometheus_begin(const struct plan *plan, const struct description *target,
                 struct error *error)
{
    if (!plan->output.prometheus)
        return 0;
    struct stats *nothing = calloc(1, sizeof(*nothing));
    int failed = nothing ? prometheus_keep(plan, target, nothing, 0) : ENOMEM;
    free(nothing);
    if (failed == EEXIST)
        return error_set(error, EXIT_PREPARE, plan->output.prometheus,
                         "is there already, and not a file of metrics");
    return failed ? error_set(error, EXIT_PREPARE, plan->output.prometheus, "%s",
                              strerror(failed))
                  : 0;
}
