/*
 * The format for people: a line for each request and a summary as those of ioping 1.3,
 * with percentiles and colours on a terminal; of a sweep, a table that grows by a row for
 * each step.
 */
#include "report/report.h"

#include "base/units.h"
#include "os/os.h"
#include "report/console.h"
#include "report/outputs.h"
#include "run/job.h"
#include "stats/comparison.h"
#include "stats/stats.h"
#include "target/target.h"
#include "writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The state is the labels of targets, each the same in all its lines. */
static void
open_labels(struct report *report)
{
    report->state = calloc((size_t)report->count, sizeof(struct buffer));
    report->text.failed |= !report->state;
}

static void
close_labels(struct report *report)
{
    struct buffer *labels = report->state;
    for (int i = 0; labels && i < report->count; i++)
        buffer_free(&labels[i]);
    free(labels);
}

static const char *
label_of(const struct report *report)
{
    const struct buffer *labels = report->state;
    const char *label = labels ? labels[report->job->index].text : NULL;
    return label ? label : "";
}

static void
add_head(struct report *report, const char *what)
{
    buffer_format(&report->text, "\n--- %s ioping %s ---\n", label_of(report), what);
}

/* Returns how wide tables may be; 0: as wide as they are. */
static int
width_of_tables(const struct report *report)
{
    return report->terminal ? report->columns : 0;
}

static void
human_begin(struct report *report)
{
    struct buffer label = {0}, *labels = report->state;
    description_label(report->target, &label);
    if (labels && !label.failed)
        buffer_escaped(&labels[report->job->index], label.text);
    report->text.failed |= label.failed || !*label_of(report);
    buffer_free(&label);
    if (report->plan->sweep.kind == SWEEP_NONE)
        return;
    add_head(report, "statistics");
    table_head(&report->text, report->plan, width_of_tables(report));
}

static void
add_time(struct report *report)
{
    char text[512];
    struct tm local;
    os_clock_local(report->wall(), &local);
    size_t length =
        strftime(text, sizeof(text), report->plan->output.time_format, &local);
    buffer_add(&report->text, text, length);
    buffer_text(&report->text, " ");
}

static void
add_part(struct buffer *text, const char *name, int64_t time)
{
    buffer_format(text, " %s=", name);
    units_add(text, UNITS_TIME, time);
}

/* Adds the parts of a request, which add up to its time with the flush after a write. */
static void
add_split(struct buffer *text, const struct sample *sample)
{
    const struct split *split = &sample->split;
    for (enum part part = 0; part < PARTS; part++)
        add_part(text, part_name(part), split->part[part]);
    if (sample->sync)
        add_part(text, "sync", sample->sync);
    if (split->sync_device)
        add_part(text, "sync-device", split->sync_device);
}

/* Returns SAMPLE with the verdict that is shown: on a terminal by the median, so that one
 * that is very slow does not make all that follow fast; else by the average, as that of
 * ioping 1.3. */
static struct sample
judge(const struct report *report, const struct sample *sample)
{
    struct sample judged = *sample;
    int64_t usual = sample->median ? sample->median : sample->latency;
    if (report->terminal)
        sample_compare(&judged, (double)usual);
    return judged;
}

static void
human_sample(struct report *report, const struct sample *sample)
{
    struct buffer *text = &report->text;
    char number[16], size[UNITS_TEXT], time[UNITS_TEXT];
    const struct sample judged = judge(report, sample);
    const char *notice = sample_notice(&judged, number);
    int64_t burst = report->plan->output.burst;
    if (report->plan->output.time_format)
        add_time(report);
    buffer_format(text, "%s %s %s: request=%llu time%c%s",
                  units_format(UNITS_SIZE, sample->bytes, size),
                  sample->operation == OPERATION_WRITE ? ">>>" : "<<<", label_of(report),
                  (unsigned long long)sample->index,
                  sample->verdict == VERDICT_TIMEOUT ? '>' : '=',
                  units_format(UNITS_TIME, sample->latency, time));
    if (sample->split.result == SPLIT_DONE)
        add_split(text, sample);
    if (notice) {
        buffer_text(text, " (");
        color_add(text, report->color, color_of(judged.verdict), notice);
        buffer_text(text, ")");
    }
    buffer_text(text, burst && sample->index % (uint64_t)burst == 0 ? "\n\n" : "\n");
}

static void
human_period(struct report *report, const struct stats *stats, int64_t time)
{
    raw_line(report, stats, time);
}

/* Adds ", 36 KiB read, 1.60 k iops, 6.26 MiB/s" and a newline. */
static void
add_volume(struct buffer *text, int64_t bytes, const char *done, double iops, double bps)
{
    buffer_text(text, ", ");
    units_add(text, UNITS_SIZE, bytes);
    buffer_format(text, "%s, ", done);
    units_add(text, UNITS_COUNT, (int64_t)iops);
    buffer_text(text, " iops, ");
    units_add(text, UNITS_SIZE, (int64_t)bps);
    buffer_text(text, "/s\n");
}

static void
add_times(struct buffer *text, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++) {
        buffer_text(text, i ? " / " : " = ");
        units_add(text, UNITS_TIME, values[i]);
    }
    buffer_text(text, "\n");
}

static void
add_extremes(struct buffer *text, const struct moments *latency)
{
    const int64_t values[] = {latency->min, moments_average(latency), latency->max,
                              moments_deviation(latency)};
    buffer_text(text, "min/avg/max/mdev");
    add_times(text, values, 4);
}

/*
 * Percentiles are shown on a terminal, or where -percentiles or -corrected asks for them:
 * ioping 1.3 has none, and programs that read its summary from a pipe count the lines.
 */
static bool
has_percentiles(const struct report *report, const struct stats *stats)
{
    const struct percentiles *list = &report->plan->output.percentiles;
    return report->terminal || stats->every || (list->given && list->count > 0);
}

/* A summary of fewer requests has no line of percentiles unless it was asked for. */
#define FEW 10

/* Adds a line of percentiles, with NAME before it. */
static void
add_percentiles_of(struct buffer *text, const char *name,
                   const struct latencies *latencies, const struct percentiles *list)
{
    int64_t values[PERCENTILES_MOST];
    unsigned shown = percentiles_shown(list, latencies->moments->count);
    int count = 0;
    if (!shown || (!list->given && latencies->moments->count < FEW))
        return;
    buffer_text(text, name);
    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_format(text, "%sp%s", count ? "/" : "", list->list[i].name);
        values[count++] = latencies_percentile(latencies, &list->list[i]);
    }
    if (latencies->corrected)
        buffer_text(text, " (corrected)");
    add_times(text, values, count);
}

static void
add_percentiles(struct buffer *text, const struct stats *stats,
                const struct percentiles *list)
{
    const struct latencies all = latencies_of(stats, SCOPE_ALL),
                           reads = latencies_of(stats, SCOPE_READ),
                           writes = latencies_of(stats, SCOPE_WRITE);
    if (!stats->both) {
        add_percentiles_of(text, "", &all, list);
        return;
    }
    add_percentiles_of(text, "read ", &reads, list);
    add_percentiles_of(text, "write ", &writes, list);
}

static void
add_syncs(struct buffer *text, const struct stats *stats)
{
    const struct percentile *list = percentiles_common.list;
    const struct latencies flushes = latencies_of(stats, SCOPE_SYNC);
    const int64_t values[] = {latencies_percentile(&flushes, &list[0]),
                              latencies_percentile(&flushes, &list[1]), flushes.most};
    if (stats->sync.count < FEW)
        return;
    buffer_text(text, "fdatasync p50/p99/max");
    add_times(text, values, 3);
}

#define GAP 3 /* columns after the longest name of a part */
/* Of the default list 50, 90 and 99: what fits into a line. */
#define SHOWN 0x7u

/* Adds a line of percentiles, of which the median at least is shown; nothing of no
 * values. */
static void
add_part_line(struct buffer *text, int width, const char *name,
              const struct distribution *distribution, const struct percentiles *list)
{
    int64_t values[PERCENTILES_MOST];
    unsigned shown = percentiles_shown(list, distribution->moments.count);
    int count = 0;
    if (!list->given)
        shown = (shown & SHOWN) | 1;
    if (list->count == 0 || distribution->moments.count == 0)
        return;
    buffer_format(text, "%-*s", width, name);
    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_format(text, "%sp%s", count ? "/" : "", list->list[i].name);
        values[count++] = distribution_percentile(distribution, &list->list[i]);
    }
    add_times(text, values, count);
}

static void
add_slowest(struct buffer *text, const struct stats *stats)
{
    const struct breakdown_request *slowest = &stats->breakdown.slowest;
    int percent;
    if (!slowest->index)
        return;
    const char *culprit = breakdown_culprit(&stats->breakdown, &percent);
    bool slower = stats->latency.max > slowest->latency;
    buffer_format(text, "slowest%s: request=%llu ", slower ? " that was split" : "",
                  (unsigned long long)slowest->index);
    units_add(text, UNITS_TIME, slowest->latency);
    buffer_format(text, ", of it %d %% %s\n", percent, culprit);
}

/* Adds where the time of the requests went, and how many could not be split. */
static void
add_breakdown(struct buffer *text, const struct stats *stats,
              const struct percentiles *given)
{
    const struct breakdown *breakdown = &stats->breakdown;
    const struct percentiles *list = given->given ? given : &percentiles_default;
    bool synced = breakdown->sync_device.moments.count > 0;
    int width = (int)strlen(synced ? "sync device" : "submit") + GAP;
    uint64_t count = breakdown_count(breakdown);
    for (enum part part = 0; part < PARTS; part++)
        add_part_line(text, width, part_name(part), &breakdown->parts[part], list);
    add_part_line(text, width, "sync device", &breakdown->sync_device, list);
    add_slowest(text, stats);
    if (count < stats->latency.count)
        buffer_format(text, "split %llu of %llu requests\n", (unsigned long long)count,
                      (unsigned long long)stats->latency.count);
}

static void
add_exception(struct buffer *text, uint64_t count, const char *what)
{
    if (count == 0)
        return;
    units_add(text, UNITS_COUNT, (int64_t)count);
    buffer_format(text, " %s, ", what);
}

/* Adds the exceptions, off a terminal only those of ioping 1.3: the others are told on
 * stderr then, see outcome_explain. */
static void
add_exceptions(struct report *report, const struct stats *stats)
{
    struct buffer *text = &report->text;
    add_exception(text, stats->too_fast, "too fast");
    add_exception(text, stats->too_slow, "too slow");
    if (report->terminal) {
        add_exception(text, stats->cached, "cached");
        add_exception(text, stats->stopped, "stopped");
        add_exception(text, stats->failed, "failed");
    }
    if (report->terminal || stats->every)
        add_exception(text, stats->missed, "missed");
}

/* Adds the histogram of STATS, or one of each operation, if they were asked for; NAME, if
 * that is not empty, is what they are of. */
static void
add_histograms(struct report *report, const struct stats *stats, const char *name)
{
    if (!report->plan->options->given[OPTION_HISTOGRAM])
        return;
    for (enum scope scope = stats->both ? SCOPE_READ : SCOPE_ALL; scope <= SCOPE_WRITE;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        const char *own = scope_name(scope);
        if (latencies.moments->count && (*name || *own))
            buffer_format(&report->text, "\n%s%s%s:\n", name, *name && *own ? ", " : "",
                          own);
        text_histogram_add(&report->text, latencies.histogram, latencies.corrected,
                           report->columns, report->utf8);
    }
}

/* Adds the table of the phases, and the histograms. */
static void
add_phases(struct report *report)
{
    const struct job *job = &report->jobs[0];
    add_head(report, "under load");
    outcome_limits(&job->outcome, NULL, &report->text);
    phases_table(&report->text, report->plan, job->phases, width_of_tables(report));
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        add_histograms(report, &job->phases->list[phase].stats, phase_name(phase));
}

static void
human_summary(struct report *report, const struct stats *stats, int64_t time)
{
    static const char *const done[] = {
        [LOAD_READ] = " read", [LOAD_WRITE] = " written", [LOAD_READ_WRITE] = ""};
    const struct moments *latency = &stats->latency;
    struct buffer *text = &report->text;
    if (report->plan->mode == MODE_PHASES) {
        add_phases(report);
        return;
    }
    add_head(report, "statistics");
    units_add(text, UNITS_COUNT, (int64_t)latency->count);
    buffer_text(text, " requests completed in ");
    units_add(text, UNITS_TIME, latency->sum);
    add_volume(text, stats->bytes, done[report->load], stats_iops(stats),
               stats_bps(stats));
    add_exceptions(report, stats);
    buffer_text(text, "generated ");
    units_add(text, UNITS_COUNT, (int64_t)stats->requests);
    buffer_text(text, " requests in ");
    units_add(text, UNITS_TIME, time);
    add_volume(text, stats->all_bytes, "", stats_rate((double)stats->requests, time),
               stats_rate((double)stats->all_bytes, time));
    if (has_percentiles(report, stats)) {
        add_syncs(text, stats);
        add_percentiles(text, stats, &report->plan->output.percentiles);
    }
    if (report->plan->statistics.breakdown)
        add_breakdown(text, stats, &report->plan->output.percentiles);
    outcome_limits(&report->job->outcome, NULL, text);
    add_extremes(text, latency);
    add_histograms(report, stats, "");
}

/* Adds what options ask for of recorded runs, which have no summaries. */
static void
add_distributions(struct report *report)
{
    const struct percentiles *list = &report->plan->output.percentiles;
    struct buffer *text = &report->text;
    if (list->given && list->count)
        buffer_text(text, "\n");
    for (int i = 0; i < report->count && list->given && list->count; i++) {
        const struct job *job = &report->jobs[i];
        const struct latencies all = latencies_of(&job->outcome.total, SCOPE_ALL);
        if (all.moments->count == 0)
            continue;
        buffer_escaped(text, job->target.description.path);
        add_percentiles_of(text, ": ", &all, list);
    }
    if (!report->plan->options->given[OPTION_HISTOGRAM])
        return;
    for (int i = 0; i < report->count; i++) {
        const struct job *job = &report->jobs[i];
        buffer_text(text, "\n");
        buffer_escaped(text, job->target.description.path);
        buffer_text(text, ":\n");
        text_histogram_add(text, &job->outcome.total.latencies, false, report->columns,
                           report->utf8);
    }
}

static void
human_compare(struct report *report)
{
    const char *with = report->plan->mode == MODE_COMPARE
                           ? report->jobs[0].target.description.path
                           : NULL;
    const struct comparison_row *rows = comparison_rows(report);
    for (int i = 0; with && i < report->count; i++) {
        outcome_limits(&report->jobs[i].outcome, report->jobs[i].target.description.path,
                       &report->text);
        if (rows && i > 0) /* they are not ranked */
            comparison_limits(&report->text, &rows[i], &report->plan->statistics.slos);
    }
    if (rows)
        comparison_format(&report->text, rows, report->count, with,
                          &report->plan->statistics.slos, report->color,
                          width_of_tables(report));
    if (report->plan->mode == MODE_COMPARE)
        add_distributions(report);
}

void
human_interim(struct buffer *text, const char *target, const struct stats *stats)
{
    if (target) {
        buffer_escaped(text, target);
        buffer_text(text, ": ");
    }
    units_add(text, UNITS_COUNT, (int64_t)stats->requests);
    buffer_text(text, " requests, ");
    add_exception(text, stats->failed, "failed");
    add_extremes(text, &stats->latency);
}

static void
human_step(struct report *report, const struct job_step *step, const struct stats *stats,
           int64_t time)
{
    table_row(&report->text, report->plan, step, stats, time, report->color,
              width_of_tables(report));
}

static void
human_highest(struct report *report, const struct job *job)
{
    table_highest(&report->text, job);
}

const struct report_format report_human = {
    .open = open_labels,
    .begin = human_begin,
    .sample = human_sample,
    .period = human_period,
    .summary = human_summary,
    .step = human_step,
    .highest = human_highest,
    .compare = human_compare,
    .close = close_labels,
};
