/*
 * JSON (RFC 8259) in two layouts. Both have the same records, and each record is an
 * object:
 * - report_json writes one array of records, with one member per line, as ioping 1.3
 *   does. Some programs search this output for lines instead of parsing JSON.
 * - report_ndjson writes each record in one line (newline-delimited JSON).
 *
 * Every record begins with the time and the target (open_record). The record of a request
 * then has the object "io". A record of statistics has the objects "stat" and "load", and
 * further ones that depend on the options. ioping-output(5) describes all members.
 */
#include "report/report.h"

#include "base/buffer.h"
#include "base/time.h"
#include "cli/options.h"
#include "os/os.h"
#include "report/outputs.h"
#include "run/job.h"
#include "stats/comparison.h"
#include "stats/distribution.h"
#include "stats/stats.h"
#include "target/target.h"
#include "writers.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

/* Adds the object "target". For a recorded run, the object has only the path, because
 * nothing else is known. */
static void
add_target_object(struct json *json, const struct description *target)
{
    json_open(json, "target", '{');
    json_string(json, "path", target->path);
    if (!target->is_recorded) {
        json_string(json, "fstype", target->fstype);
        json_string(json, "device", target->device);
        json_value(json, "device_size", "%" PRId64, target->size);
        json_string(json, "mode", io_mode_name(target->mode));
    }
    json_close(json, '}');
}

/* Opens the object of a record, and adds the members that all records have. Returns the
 * state for the next members; close_record closes the object. */
static struct json
open_record(struct report *report)
{
    struct json json = {.text = &report->text,
                        .one_line = report->format == &report_ndjson};
    char local_text[64];
    struct tm local;
    int64_t wall = report->wall_now();

    os_clock_local(wall, &local);
    strftime(local_text, sizeof(local_text), "%Y-%m-%dT%H:%M:%S%z", &local);

    if (report->needs_comma && !json.one_line)
        buffer_text(&report->text, ",");
    report->needs_comma = true;

    json_open(&json, NULL, '{');
    json_value(&json, "timestamp", "%" PRId64 ".%06" PRId64, wall / SECOND,
               wall % SECOND / US);
    json_string(&json, "localtime", local_text);

    add_target_object(&json, report->target);
    if (report->phase)
        json_string(&json, "phase", phase_label(report->phase));

    return json;
}

/* Closes the object of a record that open_record opened. */
static void
close_record(struct report *report, struct json *json)
{
    json_close(json, '}');
    if (json->one_line)
        buffer_text(&report->text, "\n");
}

/* Adds a member for each of PARTS: the times of the parts of a request, in ns, indexed by
 * enum part. If IS_STACKED is false, the request did not go through a stack of devices,
 * and PART_STACK is left out. */
static void
add_part_members(struct json *json, const int64_t *parts, bool is_stacked)
{
    for (enum part part = 0; part < PARTS; part++)
        if (part != PART_STACK || is_stacked)
            json_value(json, part_name(part), "%" PRId64, parts[part]);
}

/* Adds the object "breakdown" of one request. Adds nothing if the time of the request
 * could not be split into parts. */
static void
add_request_breakdown(struct json *json, const struct split *split)
{
    if (split->result != SPLIT_DONE)
        return;

    json_open(json, "breakdown", '{');
    add_part_members(json, split->part, split->is_stacked);
    if (split->sync_device)
        json_value(json, "sync_device", "%" PRId64, split->sync_device);
    json_close(json, '}');
}

static void
json_sample(struct report *report, const struct sample *sample)
{
    char name[16];
    const char *notice = sample_verdict_word(sample, name);
    struct json json = open_record(report);

    json_open(&json, "io", '{');
    json_value(&json, "request", "%" PRIu64, sample->index);
    json_string(&json, "operation", operations[sample->operation].word);
    json_value(&json, "offset", "%" PRId64, sample->offset);
    json_value(&json, "size", "%" PRId64, sample->bytes);
    json_value(&json, "time", "%" PRId64, sample->latency);
    if (sample->sync)
        json_value(&json, "sync", "%" PRId64, sample->sync);
    add_request_breakdown(&json, &sample->split);
    json_value(&json, "ignored", "%s", sample_counts(sample) ? "false" : "true");

    if (notice)
        json_string(&json, "notice", notice);

    json_close(&json, '}');
    close_record(report, &json);
}

/* Adds the object "percentiles" unless LIST is empty. Percentiles that need more requests
 * than there are (percentiles_shown) are left out. */
static void
add_percentile_object(struct json *json, const struct latencies *latencies,
                      const struct percentiles *list)
{
    unsigned shown = percentiles_shown(list, latencies->moments->count);

    if (!list->count)
        return;

    json_open(json, "percentiles", '{');
    for (int i = 0; i < list->count; i++)
        if (shown & 1u << i)
            json_value(json, list->list[i].name, "%" PRId64,
                       latencies_percentile(latencies, &list->list[i]));
    json_close(json, '}');
}

/* Adds the array "histogram": the upper bound, in ns, and the count of each bin that is
 * not empty. */
static void
add_histogram_array(struct json *json, const struct histogram *histogram)
{
    json_open(json, "histogram", '[');
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        if (histogram->bins[i])
            json_value(json, NULL, "{\"le\": %" PRId64 ", \"count\": %" PRIu64 "}",
                       histogram_upto(i), histogram->bins[i]);
    json_close(json, ']');
}

/* Adds the object "slowest": the slowest request that was split, with its parts. */
static void
add_slowest_object(struct json *json, const struct breakdown_request *slowest)
{
    json_open(json, "slowest", '{');
    json_value(json, "request", "%" PRIu64, slowest->index);
    json_value(json, "time", "%" PRId64, slowest->latency);
    if (slowest->sync)
        json_value(json, "sync", "%" PRId64, slowest->sync);
    add_part_members(json, slowest->part, slowest->is_stacked);
    json_close(json, '}');
}

/* Adds members with the figures of LATENCIES, except count and sum. If COMPLETE is false,
 * leaves out the standard deviation ("mdev") and the histogram. */
static void
add_latency_members(const struct report *report, struct json *json,
                    const struct latencies *latencies, bool complete)
{
    const struct moments *moments = latencies->moments;

    json_value(json, "min", "%" PRId64, moments->min);
    json_value(json, "avg", "%" PRId64, moments_average(moments));
    json_value(json, "max", "%" PRId64, moments->max);
    if (complete)
        json_value(json, "mdev", "%" PRId64, moments_deviation(moments));
    if (latencies->is_corrected)
        json_value(json, "corrected", "true");
    add_percentile_object(json, latencies, &report->plan->output.percentiles);
    if (complete && report->plan->options->given[OPTION_HISTOGRAM])
        add_histogram_array(json, latencies->histogram);
}

/* Adds an object with the figures of SCOPE, named like the scope. Objects of parts of the
 * time of requests are shorter (add_latency_members). */
static void
add_scope_object(const struct report *report, struct json *json,
                 const struct stats *stats, enum scope scope)
{
    const struct latencies latencies = latencies_of(stats, scope);

    json_open(json, scope_name(scope), '{');
    json_value(json, "count", "%" PRIu64, latencies.moments->count);
    if (scope_is_operation(scope))
        json_value(json, "size", "%" PRId64, scope_counts_of(stats, scope).bytes);
    json_value(json, "time", "%" PRId64, latencies.moments->sum);

    add_latency_members(report, json, &latencies, scope < SCOPE_SUBMIT);
    json_close(json, '}');
}

/* Adds the object "breakdown" of all requests: the figures of each part of their time,
 * and how many requests could not be split, by reason. */
static void
add_total_breakdown(const struct report *report, struct json *json,
                    const struct stats *stats)
{
    const struct breakdown *breakdown = &stats->breakdown;

    json_open(json, "breakdown", '{');
    json_value(json, "count", "%" PRIu64, breakdown_count(breakdown));
    json_value(json, "unasked", "%" PRIu64, breakdown->no_device_io);
    json_value(json, "lost", "%" PRIu64, breakdown->lost);
    json_value(json, "shared", "%" PRIu64, breakdown->ambiguous);
    json_value(json, "time", "%" PRId64, breakdown->total_time);
    if (breakdown->total_sync)
        json_value(json, "sync", "%" PRId64, breakdown->total_sync);

    for (enum scope scope = SCOPE_SUBMIT; scope <= SCOPE_RETURN; scope++)
        if (scope != SCOPE_STACK || breakdown->parts[PART_STACK].moments.count)
            add_scope_object(report, json, stats, scope);
    if (breakdown->parts[PART_FLUSH].moments.count)
        add_scope_object(report, json, stats, SCOPE_SYNC_DEVICE);

    if (breakdown->slowest.index)
        add_slowest_object(json, &breakdown->slowest);
    json_close(json, '}');
}

/* Adds the object "stat": the statistics of the requests that count. */
static void
add_stat_object(struct report *report, struct json *json, const struct stats *stats)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);

    json_open(json, "stat", '{');
    json_value(json, "count", "%" PRIu64, stats->latency.count);
    if (!stats->lacks_sizes)
        json_value(json, "size", "%" PRId64, stats->bytes);
    json_value(json, "time", "%" PRId64, stats->latency.sum);
    json_value(json, "iops", "%.6f", stats_iops(stats));
    if (!stats->lacks_sizes)
        json_value(json, "bps", "%.0f", stats_bps(stats));

    add_latency_members(report, json, &latencies, true);

    for (enum scope scope = scope_next(stats, SCOPE_ALL); scope <= SCOPE_SYNC;
         scope = scope_next(stats, scope))
        add_scope_object(report, json, stats, scope);

    if (report->plan->statistics.has_breakdown)
        add_total_breakdown(report, json, stats);
    json_close(json, '}');
}

/* Adds the object "load": the work of all requests, including requests that do not count,
 * in the elapsed TIME, in ns. If IS_RECORDED, the run was read from raw lines. Members
 * with figures that raw lines do not have are then left out. */
static void
add_load_object(struct json *json, const struct stats *stats, int64_t time,
                bool is_recorded)
{
    json_open(json, "load", '{');
    json_value(json, "count", "%" PRIu64, stats->requests);
    if (!is_recorded) {
        json_value(json, "failed", "%" PRIu64, stats->failed);
        json_value(json, "missed", "%" PRIu64, stats->missed);
        json_value(json, "size", "%" PRId64, stats->all_bytes);
    }
    json_value(json, "time", "%" PRId64, time);
    json_value(json, "iops", "%.6f", stats_rate((double)stats->requests, time));
    if (!is_recorded)
        json_value(json, "bps", "%.0f", stats_rate((double)stats->all_bytes, time));
    json_close(json, '}');
}

/* Adds the member NAME with BOUND, a bound of the confidence interval of a ratio. If
 * BOUND is 0 or infinite, the interval is open at this end, and the member is null. */
static void
add_bound(struct json *json, const char *name, double bound)
{
    if (bound > 0 && !isinf(bound))
        json_value(json, name, "%.9g", bound);
    else
        json_value(json, name, "null");
}

/* Adds the object NAME with a RATIO and its confidence interval BOUNDS. Numbers have nine
 * digits, because a bound comes from the edge of a histogram bin and may be very close to
 * 1. The member "differs" says whether the ratio is known to differ from 1. It is null if
 * the interval is unknown or open on both sides. */
static void
add_ratio(struct json *json, const char *name, double ratio,
          const struct interval *bounds)
{
    const char *differs = interval_differs(bounds) ? "true" : "false";
    if (!interval_has_bound(bounds))
        differs = "null";

    json_open(json, name, '{');
    json_value(json, "ratio", "%.9g", ratio);
    if (interval_has_bound(bounds)) {
        add_bound(json, "low", bounds->low);
        add_bound(json, "high", bounds->high);
    }

    json_value(json, "differs", "%s", differs);
    json_close(json, '}');
}

/* Returns the row of the comparison that belongs to the job with the statistics STATS.
 * Returns NULL if there is no comparison, or if memory is short. */
static const struct comparison_row *
find_comparison_row(struct report *report, const struct stats *stats)
{
    bool is_compared = report->job_count > 1 && report->plan->statistics.series_capacity;
    const struct comparison_row *row = is_compared ? comparison_rows(report) : NULL;

    if (!row)
        return NULL;

    /* Every job has a row, so the search ends. */
    while (row->stats != stats)
        row++;
    return row;
}

/* Adds the object "change": how the job with the statistics STATS compares with the
 * reference, the first row of the comparison. The object of the reference itself has no
 * ratios. Adds nothing if there is no comparison. */
static void
add_change_object(struct report *report, struct json *json, const struct stats *stats)
{
    static const char *const names[COMPARISON_FIGURES] = {"p50", "p99"};
    const struct comparison_row *row = find_comparison_row(report, stats);

    if (!row)
        return;

    json_open(json, "change", '{');
    json_string(json, "reference", report->rows[0].name);
    if (row != report->rows) {
        for (int i = 0; i < COMPARISON_FIGURES; i++)
            if (row->figures[i].ratio > 0)
                add_ratio(json, names[i], row->figures[i].ratio, &row->figures[i].bounds);
    }
    json_close(json, '}');
}

/* the value of the member "met" for each verdict on a limit */
static const char *const met_values[] = {
    [SLO_MET] = "true", [SLO_BROKEN] = "false", [SLO_UNKNOWN] = "null"};

/* Adds the members about an absolute limit: the limit and its answer. */
static void
add_absolute_limit(struct json *json, const struct slo *slo,
                   const struct slo_answer *answer)
{
    json_value(json, "limit", "%" PRId64, slo->limit);
    json_value(json, "count", "%" PRIu64, answer->count);

    if (answer->count && slo_is_known(answer))
        json_value(json, "value", "%" PRId64, answer->value);

    json_value(json, "met", "%s", met_values[answer->verdict]);
    json_value(json, "certain", "%s", answer->is_certain ? "true" : "false");

    if (answer->samples_for_certainty)
        json_value(json, "needs", "%" PRIu64, answer->samples_for_certainty);
}

/* Adds the members about a limit that is relative to the reference of the comparison.
 * FIGURE is the limited percentile, compared with the reference. */
static void
add_relative_limit(struct json *json, const struct slo *slo,
                   const struct comparison_figure *figure)
{
    bool is_certain = figure->verdict != SLO_UNKNOWN;

    json_value(json, "most", "%.9g", 1 + (double)slo->limit / SLO_HUNDRED_PERCENT);
    if (figure->ratio > 0)
        json_value(json, "ratio", "%.9g", figure->ratio);
    json_value(json, "met", "%s", met_values[figure->verdict]);
    json_value(json, "certain", "%s", is_certain ? "true" : "false");
}

/* Adds the array "limits": an object for each limit of the current job that has an
 * answer. Adds nothing if no limit has one. A relative limit has no answer for the
 * reference itself. */
static void
add_limits_array(struct report *report, struct json *json)
{
    const struct outcome *outcome = &report->job->outcome;
    const struct comparison_row *row = find_comparison_row(report, &outcome->total);
    bool has_reference = row && row != report->rows;
    bool is_open = false;
    char name[SLO_NAME_SIZE];

    if (!outcome->is_explained || !outcome->slos)
        return;

    for (int i = 0; i < outcome->slos->count; i++) {
        const struct slo *slo = &outcome->slos->list[i];
        if (slo->is_relative && !has_reference)
            continue;

        if (!is_open)
            json_open(json, "limits", '[');
        is_open = true;

        json_open(json, NULL, '{');
        json_string(json, "name", slo_name(slo, name));
        if (slo->is_relative)
            add_relative_limit(json, slo, &row->figures[COMPARISON_FIGURES + i]);
        else
            add_absolute_limit(json, slo, &outcome->answers[i]);
        json_close(json, '}');
    }

    if (is_open)
        json_close(json, ']');
}

/* Adds the object "sweep" with the swept value of STEP and, if steps are judged, the
 * member "met" with the verdict on STEP. */
static void
add_step_members(const struct report *report, struct json *json,
                 const struct job_step *step)
{
    enum sweep_kind kind = report->plan->sweep.kind;

    json_open(json, "sweep", '{');
    json_value(json, sweep_kinds[kind].name, "%" PRId64, step->value);
    json_close(json, '}');

    if (report->plan->statistics.slos.count || kind == SWEEP_RATE)
        json_value(json, "met", "%s", met_values[step->verdict]);
}

/* Adds the object "background" about the background load of a phase. The figures of the
 * load do not include its first second, in which it settles (PLAN_LOAD_SETTLE_TIME). */
static void
add_background_object(struct report *report, struct json *json,
                      const struct job *background)
{
    const struct plan *plan = &background->plan;
    const struct outcome *outcome = &background->outcome;
    const struct stats *stats = &outcome->total;
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);

    json_open(json, "background", '{');
    json_string(json, "path", plan->path);
    json_string(json, "mode", io_mode_name(background->target.description.mode));
    json_string(json, "operation", operation_mix_word(&plan->workload.mix));
    json_value(json, "linear", "%s", plan->workload.linear ? "true" : "false");
    json_value(json, "size", "%" PRId64, plan->workload.request_size);
    json_value(json, "depth", "%d", plan->io.depth);
    json_value(json, "threads", "%d", plan->io.threads);

    json_value(json, "count", "%" PRIu64, stats->requests);
    json_value(json, "failed", "%" PRIu64, stats->failed);
    json_value(json, "bytes", "%" PRId64, stats->all_bytes);
    json_value(json, "time", "%" PRId64, outcome->duration);
    json_value(json, "iops", "%.6f",
               stats_rate((double)stats->requests, outcome->duration));
    json_value(json, "bps", "%.0f",
               stats_rate((double)stats->all_bytes, outcome->duration));

    add_latency_members(report, json, &latencies, false);
    json_close(json, '}');
}

/* Adds a record of statistics: of a period, a run, a step or a phase. */
static void
json_record(struct report *report, const struct run_record *record)
{
    struct json json = open_record(report);

    if (record->step)
        add_step_members(report, &json, record->step);
    add_stat_object(report, &json, record->stats);
    add_load_object(&json, record->stats, record->duration, report->target->is_recorded);
    if (record->background)
        add_background_object(report, &json, record->background);

    if (record->kind == RECORD_SUMMARY || record->kind == RECORD_PHASE)
        add_limits_array(report, &json);
    if (record->kind == RECORD_SUMMARY)
        add_change_object(report, &json, record->stats);

    close_record(report, &json);
}

/* Adds a record with the highest step of a sweep that meets the limits. Its value is null
 * if no step meets them. */
static void
json_highest(struct report *report, const struct run_record *record)
{
    (void)record;
    const struct job *job = report->job;
    const char *name = sweep_kinds[report->plan->sweep.kind].name;
    struct json json = open_record(report);
    struct buffer limits = {0};

    slos_text(&report->plan->statistics.slos, &limits);
    json_open(&json, "highest", '{');
    if (job->sweep.highest_index < 0)
        json_value(&json, name, "null");
    else
        json_value(&json, name, "%" PRId64, job_highest_value(job));

    if (limits.failed)
        report->text.failed = true;
    else if (report->plan->statistics.slos.count)
        json_string(&json, "limit", limits.text);
    if (job->sweep.is_lower_bound)
        json_value(&json, "at_least", "true");
    if (job->sweep.was_interrupted)
        json_value(&json, "interrupted", "true");

    json_close(&json, '}');
    close_record(report, &json);
    buffer_free(&limits);
}

/* Adds the array "limits" with the limits of all parts of -diagnose: each limit is on one
 * part. Adds nothing if no limit has an answer. */
static void
add_limits_of_parts(const struct report *report, struct json *json)
{
    bool is_open = false;
    char name[SLO_NAME_SIZE];

    for (int i = 0; i < report->job_count; i++) {
        const struct outcome *outcome = &report->jobs[i].outcome;
        int count = outcome->is_explained ? outcome->slos->count : 0;

        for (int k = 0; k < count; k++) {
            const struct slo *slo = &outcome->slos->list[k];
            if (!is_open)
                json_open(json, "limits", '[');
            is_open = true;

            json_open(json, NULL, '{');
            json_string(json, "name", slo_name(slo, name));
            add_absolute_limit(json, slo, &outcome->answers[k]);
            json_close(json, '}');
        }
    }

    if (is_open)
        json_close(json, ']');
}

/* Adds the record of a diagnosis. */
static void
json_diagnosis(struct report *report, const struct run_record *record)
{
    struct json json = open_record(report);

    diagnosis_add_object(&json, record->diagnosis);
    add_limits_of_parts(report, &json);
    close_record(report, &json);
}

static void
open_array(struct report *report)
{
    buffer_text(&report->text, "[");
}

/* The functions that both layouts share. `records` is indexed by enum record_kind. A
 * comparison has no record, because the object "change" in the summary of each target has
 * the same data. */
#define RECORDS_OF_JSON                                                \
    .sample = json_sample,                                             \
    .records = {json_record,  json_record, json_record,   json_record, \
                json_highest, NULL,        json_diagnosis}

const struct report_format report_json = {
    .open = open_array,
    RECORDS_OF_JSON,
    .closing = ']',
};

const struct report_format report_ndjson = {RECORDS_OF_JSON};
