/*
 * JSON (RFC 8259), in two layouts of the same records. report_json writes one array with
 * an object for each record, laid out as ioping 1.3 does, so that programs that read
 * single lines instead of parsing JSON still find theirs. report_ndjson writes each
 * record in a line of its own (newline-delimited JSON).
 *
 * Every record begins with the time and the target (open_record). Then follows "io" for a
 * request, or "stat" and "load" for statistics, with further objects that depend on the
 * options. ioping-output(5) describes all members.
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

/* Adds the target. Of a recorded run only the path is known. */
static void
add_target(struct json *json, const struct description *target)
{
    json_open(json, "target", '{');
    json_string(json, "path", target->path);
    if (!target->is_recorded) {
        json_string(json, "fstype", target->fstype);
        json_string(json, "device", target->device);
        json_value(json, "device_size", "%" PRId64, target->size);
        json_string(json, "mode", description_mode(target->mode));
    }
    json_close(json, '}');
}

/* Begins a record: opens its object and adds the members that all records have. */
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

    add_target(&json, report->target);
    if (report->phase)
        json_string(&json, "phase", phase_label(report->phase));

    return json;
}

static void
close_record(struct report *report, struct json *json)
{
    json_close(json, '}');
    if (json->one_line)
        buffer_text(&report->text, "\n");
}

/* Adds the parts of the time of a request, in ns. IS_STACKED: the request went through a
 * stack of devices, so that PART_STACK is one of its parts. */
static void
add_parts(struct json *json, const int64_t *parts, bool is_stacked)
{
    for (enum part part = 0; part < PARTS; part++)
        if (part != PART_STACK || is_stacked)
            json_value(json, part_name(part), "%" PRId64, parts[part]);
}

/* Adds the breakdown of one request; nothing if its time could not be split. */
static void
add_split(struct json *json, const struct split *split)
{
    if (split->result != SPLIT_DONE)
        return;

    json_open(json, "breakdown", '{');
    add_parts(json, split->part, split->is_stacked);
    if (split->sync_device)
        json_value(json, "sync_device", "%" PRId64, split->sync_device);
    json_close(json, '}');
}

static void
json_sample(struct report *report, const struct sample *sample)
{
    char name[16];
    const char *notice = sample_notice(sample, name);
    struct json json = open_record(report);

    json_open(&json, "io", '{');
    json_value(&json, "request", "%" PRIu64, sample->index);
    json_string(&json, "operation", operations[sample->operation].word);
    json_value(&json, "offset", "%" PRId64, sample->offset);
    json_value(&json, "size", "%" PRId64, sample->bytes);
    json_value(&json, "time", "%" PRId64, sample->latency);
    if (sample->sync)
        json_value(&json, "sync", "%" PRId64, sample->sync);
    add_split(&json, &sample->split);
    json_value(&json, "ignored", "%s", sample_counts(sample) ? "false" : "true");

    if (notice)
        json_string(&json, "notice", notice);

    json_close(&json, '}');
    close_record(report, &json);
}

static void
add_percentiles(struct json *json, const struct latencies *latencies,
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

static void
add_histogram(struct json *json, const struct histogram *histogram)
{
    json_open(json, "histogram", '[');
    for (int i = 0; i < HISTOGRAM_BINS; i++)
        if (histogram->bins[i])
            json_value(json, NULL, "{\"le\": %" PRId64 ", \"count\": %" PRIu64 "}",
                       histogram_upto(i), histogram->bins[i]);
    json_close(json, ']');
}

static void
add_slowest(struct json *json, const struct breakdown_request *slowest)
{
    json_open(json, "slowest", '{');
    json_value(json, "request", "%" PRIu64, slowest->index);
    json_value(json, "time", "%" PRId64, slowest->latency);
    if (slowest->sync)
        json_value(json, "sync", "%" PRId64, slowest->sync);
    add_parts(json, slowest->part, slowest->is_stacked);
    json_close(json, '}');
}

/* Adds the figures of LATENCIES, except count and sum. SPLIT: leaves out the mean
 * deviation and the histogram, as for parts of the time of requests. */
static void
add_figures(const struct report *report, struct json *json,
            const struct latencies *latencies, bool split)
{
    const struct moments *moments = latencies->moments;

    json_value(json, "min", "%" PRId64, moments->min);
    json_value(json, "avg", "%" PRId64, moments_average(moments));
    json_value(json, "max", "%" PRId64, moments->max);
    if (!split)
        json_value(json, "mdev", "%" PRId64, moments_deviation(moments));
    if (latencies->is_corrected)
        json_value(json, "corrected", "true");
    add_percentiles(json, latencies, &report->plan->output.percentiles);
    if (!split && report->plan->options->given[OPTION_HISTOGRAM])
        add_histogram(json, latencies->histogram);
}

/* Adds an object with the figures of SCOPE. */
static void
add_scope(const struct report *report, struct json *json, const struct stats *stats,
          enum scope scope)
{
    const struct latencies latencies = latencies_of(stats, scope);

    json_open(json, scope_name(scope), '{');
    json_value(json, "count", "%" PRIu64, latencies.moments->count);
    if (scope_is_operation(scope))
        json_value(json, "size", "%" PRId64, scope_counts_of(stats, scope).bytes);
    json_value(json, "time", "%" PRId64, latencies.moments->sum);

    add_figures(report, json, &latencies, scope >= SCOPE_SUBMIT);
    json_close(json, '}');
}

/* Adds where the time of the requests went, and how many of them could not be split. */
static void
add_breakdown(const struct report *report, struct json *json, const struct stats *stats)
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
            add_scope(report, json, stats, scope);
    if (breakdown->parts[PART_FLUSH].moments.count)
        add_scope(report, json, stats, SCOPE_SYNC_DEVICE);

    if (breakdown->slowest.index)
        add_slowest(json, &breakdown->slowest);
    json_close(json, '}');
}

/* Adds the statistics of the requests that count. */
static void
add_stat(struct report *report, struct json *json, const struct stats *stats)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    enum scope scope = SCOPE_ALL;

    json_open(json, "stat", '{');
    json_value(json, "count", "%" PRIu64, stats->latency.count);
    json_value(json, "size", "%" PRId64, stats->bytes);
    json_value(json, "time", "%" PRId64, stats->latency.sum);
    json_value(json, "iops", "%.6f", stats_iops(stats));
    json_value(json, "bps", "%.0f", stats_bps(stats));

    add_figures(report, json, &latencies, false);

    while ((scope = scope_next(stats, scope)) <= SCOPE_SYNC)
        add_scope(report, json, stats, scope);

    if (report->plan->statistics.breakdown)
        add_breakdown(report, json, stats);
    json_close(json, '}');
}

/* Adds the work done in TIME, ns by the clock, by all requests, including those that do
 * not count in "stat". RECORDED: the run was read from raw lines, which lack some
 * members. */
static void
add_load(struct json *json, const struct stats *stats, int64_t time, bool recorded)
{
    json_open(json, "load", '{');
    json_value(json, "count", "%" PRIu64, stats->requests);
    if (!recorded) {
        json_value(json, "failed", "%" PRIu64, stats->failed);
        json_value(json, "missed", "%" PRIu64, stats->missed);
        json_value(json, "size", "%" PRId64, stats->all_bytes);
    }
    json_value(json, "time", "%" PRId64, time);
    json_value(json, "iops", "%.6f", stats_rate((double)stats->requests, time));
    if (!recorded)
        json_value(json, "bps", "%.0f", stats_rate((double)stats->all_bytes, time));
    json_close(json, '}');
}

/* Adds a bound of a confidence interval; null if the interval is open at this end. */
static void
add_bound(struct json *json, const char *name, double bound)
{
    if (bound > 0 && !isinf(bound))
        json_value(json, name, "%.9g", bound);
    else
        json_value(json, name, "null");
}

/* Adds a RATIO and its confidence interval. Nine digits, because a bound comes from the
 * edge of a histogram bin and may be very close to 1. */
static void
add_ratio(struct json *json, const char *name, double ratio,
          const struct interval *bounds)
{
    const char *differs = !bounds->is_known          ? "null"
                          : interval_differs(bounds) ? "true"
                                                     : "false";

    json_open(json, name, '{');
    json_value(json, "ratio", "%.9g", ratio);
    if (bounds->is_known) {
        add_bound(json, "low", bounds->low);
        add_bound(json, "high", bounds->high);
    }

    json_value(json, "differs", "%s", differs);
    json_close(json, '}');
}

/* Returns the row of the comparison whose statistics are STATS, which must be those of a
 * job; NULL if there is no comparison, or memory is short. Every job has a row, so the
 * search ends. */
static const struct comparison_row *
find_row(struct report *report, const struct stats *stats)
{
    bool compared = report->job_count > 1 && report->plan->statistics.series_capacity;
    const struct comparison_row *row = compared ? comparison_rows(report) : NULL;

    while (row && row->stats != stats)
        row++;
    return row;
}

/* Adds the ratios of this target to the reference, the target that all are compared with.
 * The object of the reference itself has no ratios. */
static void
add_change(struct report *report, struct json *json, const struct stats *stats)
{
    static const char *const names[COMPARISON_FIGURES] = {"p50", "p99"};
    const struct comparison_row *row = find_row(report, stats);

    if (!row)
        return;

    json_open(json, "change", '{');
    json_string(json, "reference", report->rows[0].name);
    for (int i = 0; row != report->rows && i < COMPARISON_FIGURES; i++)
        if (row->figures[i].ratio > 0)
            add_ratio(json, names[i], row->figures[i].ratio, &row->figures[i].bounds);
    json_close(json, '}');
}

/* "met" of an answer to a limit */
static const char *const answers[] = {
    [SLO_MET] = "true", [SLO_BROKEN] = "false", [SLO_UNKNOWN] = "null"};

/* Adds the answer to an absolute limit. */
static void
add_answer(struct json *json, const struct slo *slo, const struct slo_answer *answer)
{
    json_value(json, "limit", "%" PRId64, slo->limit);
    json_value(json, "count", "%" PRIu64, answer->count);

    if (answer->count)
        json_value(json, "value", "%" PRId64, answer->value);

    json_value(json, "met", "%s", answers[answer->verdict]);
    json_value(json, "certain", "%s", answer->is_certain ? "true" : "false");

    if (answer->samples_for_certainty)
        json_value(json, "needs", "%" PRIu64, answer->samples_for_certainty);
}

/* Adds the answer to a limit that is relative to the reference of a comparison. */
static void
add_relative(struct json *json, const struct slo *slo, const struct comparison_figure *is)
{

    json_value(json, "most", "%.9g", 1 + (double)slo->limit / SLO_WHOLE);
    if (is->ratio > 0)
        json_value(json, "ratio", "%.9g", is->ratio);
    json_value(json, "met", "%s", answers[is->verdict]);
    json_value(json, "certain", "%s", is->verdict == SLO_UNKNOWN ? "false" : "true");
}

/* Adds the answers to the limits. An array is opened only if there is an answer. */
static void
add_limits(struct report *report, struct json *json)
{
    const struct outcome *outcome = &report->job->outcome;
    const struct comparison_row *row = find_row(report, &outcome->total);
    int count = outcome->is_explained && outcome->slos ? outcome->slos->count : 0;
    int added = 0;
    char name[SLO_NAME];

    for (int i = 0; i < count; i++) {
        const struct slo *slo = &outcome->slos->list[i];
        if (slo->is_relative && (!row || row == report->rows))
            continue;

        if (added++ == 0)
            json_open(json, "limits", '[');
        json_open(json, NULL, '{');
        json_string(json, "name", slo_name(slo, name));
        if (slo->is_relative)
            add_relative(json, slo, &row->figures[COMPARISON_FIGURES + i]);
        else
            add_answer(json, slo, &outcome->answers[i]);
        json_close(json, '}');
    }

    if (added)
        json_close(json, ']');
}

/* Adds the swept value of the step and, if the step was judged, its verdict. */
static void
add_step(const struct report *report, struct json *json, const struct job_step *step)
{
    enum sweep_kind kind = report->plan->sweep.kind;

    json_open(json, "sweep", '{');
    json_value(json, sweep_kinds[kind].name, "%" PRId64, step->value);
    json_close(json, '}');

    if (report->plan->statistics.slos.count || kind == SWEEP_RATE)
        json_value(json, "met", "%s", answers[step->verdict]);
}

/* Adds the background load of a phase. Its figures cover the time from when the load had
 * settled to its end. */
static void
add_background(struct report *report, struct json *json, const struct job *background)
{
    const struct plan *plan = &background->plan;
    const struct outcome *outcome = &background->outcome;
    const struct stats *stats = &outcome->total;
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);

    json_open(json, "background", '{');
    json_string(json, "path", plan->path);
    json_string(json, "mode", description_mode(background->target.description.mode));
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

    add_figures(report, json, &latencies, true);
    json_close(json, '}');
}

/* Writes a record of statistics: of a period, a run, a step or a phase. */
static void
json_record(struct report *report, const struct run_record *record)
{
    struct json json = open_record(report);

    if (record->step)
        add_step(report, &json, record->step);
    add_stat(report, &json, record->stats);
    add_load(&json, record->stats, record->duration, report->target->is_recorded);
    if (record->background)
        add_background(report, &json, record->background);

    if (record->kind == RECORD_SUMMARY || record->kind == RECORD_PHASE)
        add_limits(report, &json);
    if (record->kind == RECORD_SUMMARY)
        add_change(report, &json, record->stats);

    close_record(report, &json);
}

/* Writes the highest step of a sweep that meets the limits; null if none does. */
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
        json_value(&json, name, "%" PRId64, job_highest(job));

    if (limits.failed)
        report->text.failed = true;
    else if (report->plan->statistics.slos.count)
        json_string(&json, "limit", limits.text);

    json_close(&json, '}');
    close_record(report, &json);
    buffer_free(&limits);
}

static void
open_array(struct report *report)
{
    buffer_text(&report->text, "[");
}

/* Indexed by enum record_kind. There is no record of a comparison: "change" in the record
 * of each target has the same data. */
#define RECORDS_OF_JSON    \
    .sample = json_sample, \
    .records = {json_record, json_record, json_record, json_record, json_highest}

const struct report_format report_json = {
    .open = open_array,
    RECORDS_OF_JSON,
    .closing = ']',
};

const struct report_format report_ndjson = {RECORDS_OF_JSON};
