/*
 * Metrics in the text exposition format of Prometheus, version 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats), for the textfile collector of
 * its node exporter.
 *
 * The format wants all lines of a metric together, so the file is made in two steps:
 * 1. Each job gets its series: one for each operation in each phase, and one for the
 *    target as a whole (make_job_series). If a series has the same labels as an earlier
 *    one, because a target is named twice, it gets the further label number="2"
 *    (number_series).
 * 2. Each metric of the table `metric_table` adds its lines # HELP and # TYPE, and its
 *    lines for each series that has the metric (add_metric).
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

/* Adds the label NAME="VALUE". The format can escape only quotes, backslashes and
 * newlines; quoted_add replaces all other characters that cannot be displayed. */
static void
add_metric_label(struct buffer *text, const char *name, const char *value)
{
    buffer_format(text, "%s=", name);
    quoted_add(text, value, false);
}

/* The values of one series, which is the set of all lines with the same labels. A series
 * is about one operation of a target, in one phase if there are phases, or about a target
 * as a whole. */
struct series {
    struct buffer labels; /* text between the braces of each line: name="value", ... */
    bool is_whole_target; /* about the target as a whole, not about one operation */
    bool has_flushes;     /* each request is followed by a flush: writes without -C */
    struct latencies latencies; /* latencies of the requests that count */
    struct latencies flushes;   /* times of the flushes after writes */
    struct scope_counts counts;
    /* array indexed by enum part: the parts of the time of the requests */
    const struct moments *parts;
    const struct moments *sync_device; /* times for which the device worked on flushes */
    uint64_t split_count;              /* requests that count and were split into parts */
    uint64_t in_flight_count;          /* requests that have no answer yet */
    int64_t last_end_at;   /* when the last request ended, wall clock, ns since 1970 */
    int64_t oldest_age_ns; /* age of the oldest request in flight; 0 if there is none */
};

/* The state while the metrics are written. */
struct metrics {
    struct buffer *text;
    const struct plan *plan;
    int64_t now;                 /* time of the values, ns, monotonic */
    int64_t epoch;               /* wall clock minus monotonic clock, in ns */
    const char *name;            /* name of the current metric */
    const struct series *series; /* the series whose lines are written */
};

/* Adds a line with a count. COUNT points to the count, a uint64_t in the current
 * series. */
static void
add_count_line(const struct metrics *metrics, const void *count)
{
    buffer_format(metrics->text, "%s{%s} %" PRIu64 "\n", metrics->name,
                  metrics->series->labels.text, *(const uint64_t *)count);
}

/* Adds a line with a time in seconds. NS points to the time in ns, an int64_t in the
 * current series. */
static void
add_time_line(const struct metrics *metrics, const void *ns)
{
    int64_t time = *(const int64_t *)ns;

    buffer_format(metrics->text, "%s{%s} %" PRId64 ".%06" PRId64 "\n", metrics->name,
                  metrics->series->labels.text, time / SECOND, time % SECOND / US);
}

/* Adds a line with the sum of MOMENTS, in seconds, and a line with their count.
 * EXTRA_LABELS follow the labels of the current series, and begin with a comma unless
 * they are "". */
static void
add_sum_and_count(const struct metrics *metrics, const char *extra_labels,
                  const struct moments *moments)
{
    const char *name = metrics->name;
    const char *labels = metrics->series->labels.text;

    buffer_format(metrics->text, "%s_sum{%s%s} %" PRId64 ".%09" PRId64 "\n", name, labels,
                  extra_labels, moments->sum / SECOND, moments->sum % SECOND);
    buffer_format(metrics->text, "%s_count{%s%s} %" PRIu64 "\n", name, labels,
                  extra_labels, moments->count);
}

/* Adds the lines of a histogram with the buckets of -buckets. VALUE points to a struct
 * latencies of the current series. A bound is printed in seconds with 15 significant
 * digits: these are enough for every bound, and a reader who converts them to a double
 * and back gets the same digits. */
static void
add_histogram_lines(const struct metrics *metrics, const void *value)
{
    const struct latencies *latencies = value;
    const struct histogram *histogram = latencies->uncorrected;
    const struct buckets *buckets = metrics->plan->output.buckets;
    const char *name = metrics->name;
    const char *labels = metrics->series->labels.text;

    for (int i = 0; i < buckets->count; i++)
        buffer_format(metrics->text, "%s_bucket{%s,le=\"%.15g\"} %" PRIu64 "\n", name,
                      labels, (double)buckets->list[i] / SECOND,
                      histogram_count_upto(histogram, buckets->list[i]));

    buffer_format(metrics->text, "%s_bucket{%s,le=\"+Inf\"} %" PRIu64 "\n", name, labels,
                  histogram->count);
    add_sum_and_count(metrics, "", latencies->moments);
}

/*
 * Adds a summary without quantiles for each part of the time of requests. VALUE points to
 * the field `parts` of the current series. PART_STACK is left out until a request has
 * gone through a stack of devices.
 */
static void
add_parts_lines(const struct metrics *metrics, const void *value)
{
    const struct moments *parts = *(const struct moments *const *)value;

    for (enum part part = 0; part < PARTS; part++) {
        char label[24];
        if (part == PART_STACK && !parts[part].count)
            continue;
        snprintf(label, sizeof(label), ",part=\"%s\"", part_name(part));
        add_sum_and_count(metrics, label, &parts[part]);
    }
}

/* Adds a summary without quantiles. VALUE points to a pointer to struct moments. */
static void
add_summary_lines(const struct metrics *metrics, const void *value)
{
    add_sum_and_count(metrics, "", *(const struct moments *const *)value);
}

/* Adds a line with the version of the program as a label, and the value 1. */
static void
add_version_line(const struct metrics *metrics, const void *unused)
{
    (void)unused;
    buffer_format(metrics->text, "%s{version=\"" IOPING_VERSION "\",%s} 1\n",
                  metrics->name, metrics->series->labels.text);
}

/* The flags of a metric. They select the series that have the metric. */
enum {
    /* only series of whole targets; without this flag, only series of one operation */
    WHOLE_TARGETS = 1,
    WITH_FLUSHES = 2,       /* only series whose requests are followed by a flush */
    WITH_PARTS = 4,         /* the metric exists only with -breakdown */
    WITH_ENDED_REQUEST = 8, /* only series in which a request has ended */
};

/* The metrics, in the order of the file. */
static const struct metric {
    const char *name, *help, *type; /* as in the lines # HELP and # TYPE */
    unsigned series_flags;          /* WHOLE_TARGETS, WITH_FLUSHES and so on, OR-ed */
    size_t offset;                  /* offset of the value in struct series */
    /* Adds the lines of the current series. VALUE points to the value at `offset`. */
    void (*add_lines)(const struct metrics *metrics, const void *value);
} metric_table[] = {
    {"ioping_request_duration_seconds", "Time of the requests that count.", "histogram",
     0, offsetof(struct series, latencies), add_histogram_lines},
    {"ioping_sync_duration_seconds",
     "Time of the flush after a write, a part of the request's.", "histogram",
     WITH_FLUSHES, offsetof(struct series, flushes), add_histogram_lines},
    {"ioping_request_part_seconds", "Parts of the time of requests that could be split.",
     "summary", WITH_PARTS, offsetof(struct series, parts), add_parts_lines},
    {"ioping_sync_device_seconds", "Time of the device for the flush after a write.",
     "summary", WITH_PARTS | WITH_FLUSHES, offsetof(struct series, sync_device),
     add_summary_lines},
    {"ioping_requests_split_total", "Requests that count whose time could be split.",
     "counter", WITH_PARTS, offsetof(struct series, split_count), add_count_line},
    {"ioping_requests_total", "All requests, warm-up and failed ones included.",
     "counter", 0, offsetof(struct series, counts.requests), add_count_line},
    {"ioping_failed_requests_total", "Requests that failed.", "counter", 0,
     offsetof(struct series, counts.failed), add_count_line},
    {"ioping_missed_requests_total",
     "Requests that were due and not sent, because one took too long.", "counter", 0,
     offsetof(struct series, counts.missed), add_count_line},
    {"ioping_last_request_timestamp_seconds", "When the last request ended, since 1970.",
     "gauge", WITH_ENDED_REQUEST, offsetof(struct series, last_end_at), add_time_line},
    {"ioping_requests_in_flight", "Requests that have no answer yet.", "gauge",
     WHOLE_TARGETS, offsetof(struct series, in_flight_count), add_count_line},
    {"ioping_oldest_request_seconds", "Age of the oldest of them, 0 without one.",
     "gauge", WHOLE_TARGETS, offsetof(struct series, oldest_age_ns), add_time_line},
    {"ioping_build_info", "The version of ioping.", "gauge", WHOLE_TARGETS, 0,
     add_version_line},
};

/* Returns true if SERIES has METRIC. */
static bool
has_metric(const struct metrics *metrics, const struct metric *metric,
           const struct series *series)
{
    unsigned flags = metric->series_flags;
    bool of_whole_targets = (flags & WHOLE_TARGETS) != 0;

    if (series->is_whole_target != of_whole_targets)
        return false;
    if (flags & WITH_FLUSHES && !series->has_flushes)
        return false;
    if (flags & WITH_ENDED_REQUEST && !series->counts.last_end)
        return false;
    if (flags & WITH_PARTS && !metrics->plan->statistics.has_breakdown)
        return false;

    return true;
}

/* Adds METRIC: its lines # HELP and # TYPE, and its lines for each of COUNT series that
 * has the metric. Adds nothing if no series has the metric. */
static void
add_metric(struct metrics *metrics, const struct metric *metric,
           const struct series *series, int count)
{
    bool has_help = false;

    metrics->name = metric->name;

    for (int i = 0; i < count; i++) {
        if (!has_metric(metrics, metric, &series[i]))
            continue;

        if (!has_help)
            buffer_format(metrics->text, "# HELP %s %s\n# TYPE %s %s\n", metric->name,
                          metric->help, metric->name, metric->type);
        has_help = true;
        metrics->series = &series[i];
        metric->add_lines(metrics, (const char *)&series[i] + metric->offset);
    }
}

/* Returns true if two series cannot be distinguished by their labels. The series of an
 * operation and of a whole target may have equal labels, because they have no metric in
 * common. */
static bool
is_same_series(const struct series *one, const struct series *other)
{
    return one->is_whole_target == other->is_whole_target &&
           strcmp(one->labels.text, other->labels.text) == 0;
}

/* Numbers the series that have the same labels. Each but the first gets a further label,
 * such as number="2" for the second. Returns false if memory ran out. */
static bool
number_series(struct series *series, int count)
{
    for (int i = 0; i < count; i++)
        if (series[i].labels.failed)
            return false;

    /* Goes from the last series to the first, because the labels of earlier series must
     * not have a number yet when they are compared. */
    for (int i = count - 1; i > 0; i--) {
        int ordinal = 1;

        for (int k = 0; k < i; k++)
            if (is_same_series(&series[k], &series[i]))
                ordinal++;
        if (ordinal > 1)
            buffer_format(&series[i].labels, ",number=\"%d\"", ordinal);
        if (series[i].labels.failed)
            return false;
    }

    return true;
}

/* Fills SERIES, a series of the target of JOB. If IS_WHOLE, SERIES is about the target as
 * a whole, otherwise about OPERATION in PHASE. */
static void
make_series(struct series *series, const struct metrics *metrics, const struct job *job,
            enum phase phase, enum operation operation, bool is_whole)
{
    const struct description *target = &job->target.description;
    const struct stats *phase_stats = phase ? job_phase_stats(job, phase) : job->stats;
    /* Before the first request of a job with phases, no phase has statistics. The
     * statistics of the whole job are empty then. */
    const struct stats *stats = phase_stats ? phase_stats : &job->progress.total;
    bool is_mixed = metrics->plan->workload.mix.extra_count > 0;
    bool is_of_operation = is_mixed && !is_whole;
    enum scope scope =
        is_of_operation ? SCOPE_OPERATION + (enum scope)operation : SCOPE_ALL;
    int64_t oldest_sent_at = job->in_flight.oldest_sent_at;
    bool has_age = oldest_sent_at && oldest_sent_at < metrics->now;

    *series = (struct series){
        .is_whole_target = is_whole,
        .has_flushes = operations[operation].flags & OPERATION_FLUSHED &&
                       !metrics->plan->io.uses_cache,
        .latencies = latencies_of(stats, scope),
        .flushes = latencies_of(stats, SCOPE_SYNC),
        .counts = scope_counts_of(stats, scope),
        .parts = stats->breakdown.operations[operation],
        .sync_device = latencies_of(stats, SCOPE_SYNC_DEVICE).moments,
        .split_count = stats->breakdown.operations[operation][PART_SUBMIT].count,
        .in_flight_count = (uint64_t)job->in_flight.count,
        .oldest_age_ns = has_age ? metrics->now - oldest_sent_at : 0,
    };

    series->last_end_at = series->counts.last_end + metrics->epoch;
    add_metric_label(&series->labels, "target", target->path);
    add_metric_label(&series->labels, ",device", target->device);
    add_metric_label(&series->labels, ",fstype", target->fstype);
    if (is_of_operation || !is_mixed)
        add_metric_label(&series->labels, ",operation", operations[operation].word);
    add_metric_label(&series->labels, ",mode", io_mode_name(target->mode));
    if (phase)
        add_metric_label(&series->labels, ",phase", phase_name(phase));
}

/* Fills the series of JOB: a series for each operation in each phase up to the current
 * phase, and a series for the target as a whole. LIST has COUNT series already; the new
 * ones follow. Returns the new number of series in LIST. */
static int
make_job_series(struct series *list, int count, const struct metrics *metrics,
                const struct job *job)
{
    const struct operation_mix *mix = &metrics->plan->workload.mix;
    enum phase first = job->phases ? PHASE_IDLE : PHASE_NONE;
    enum phase current = first;

    /* Before the first request, the current phase is PHASE_NONE. */
    if (job->phases && job->phases->current)
        current = job->phases->current;

    for (enum phase phase = first; phase <= current; phase++) {
        for (enum operation operation = 0; operation < OPERATION_FLUSH; operation++) {
            if (operation_mix_turn(mix, operation) < 0)
                continue;
            make_series(&list[count], metrics, job, phase, operation, false);
            count++;
        }
    }

    make_series(&list[count], metrics, job, current, mix->turns[0], true);
    return count + 1;
}

/* The largest number of series that a job can have: one for each operation in each phase,
 * and one for the target as a whole. */
#define JOB_SERIES_MAX (OPERATION_TURNS * (PHASES - 1) + 1)

/* Adds the whole file, with the values at NOW (ns, monotonic). */
static void
prometheus_tick(struct report *report, const struct job *jobs, int job_count, int64_t now,
                bool last)
{
    (void)jobs, (void)job_count, (void)last;

    size_t capacity = (size_t)report->job_count * JOB_SERIES_MAX;
    struct series *series = calloc(capacity, sizeof(*series));
    int count = 0;
    struct metrics metrics = {.text = &report->text,
                              .plan = report->plan,
                              .now = now,
                              .epoch = report->wall_now() - now};

    if (!series) {
        report->text.failed = true;
        return;
    }

    for (int i = 0; i < report->job_count; i++)
        count = make_job_series(series, count, &metrics, &report->jobs[i]);

    if (number_series(series, count)) {
        for (size_t i = 0; i < sizeof(metric_table) / sizeof(metric_table[0]); i++)
            add_metric(&metrics, &metric_table[i], series, count);
    } else {
        report->text.failed = true;
    }

    for (int i = 0; i < count; i++)
        buffer_free(&series[i].labels);
    free(series);
}

const struct report_format report_prometheus = {.tick = prometheus_tick};
