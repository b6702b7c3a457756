/*
 * The format for people: a line for each request and a summary as those of ioping 1.3,
 * with percentiles and colours on a terminal; of a sweep, a table that grows by a row for
 * each step.
 */
#include "report/report.h"

#include "base/units.h"
#include "os/os.h"
#include "report/console.h"
#include "run/job.h"
#include "stats/stats.h"
#include "target/description.h"
#include "writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Widths of the columns of a table, for the widest value and a gap before it. */
#define WIDTH_SWEPT 10
#define WIDTH_RATE 9
#define WIDTH_SPEED 14
#define WIDTH_TIME 11

/* Returns the percentiles that were asked for, or the two that matter most. */
static const struct percentiles *
percentiles_of(const struct plan *plan)
{
    const struct percentiles *list = &plan->output.percentiles;
    return list->given ? list : &percentiles_common;
}

static void
add_value(struct buffer *text, int width, enum units_kind kind, int64_t value,
          const char *after)
{
    char shown[UNITS_TEXT], cell[UNITS_TEXT + 8];
    snprintf(cell, sizeof(cell), "%s%s", units_format(kind, value, shown), after);
    buffer_format(text, "%*s", width, cell);
}

/* Returns the width of a percentile's column: its name may be longer than any time. */
static int
width_of(const struct percentile *percentile)
{
    int name = (int)strlen(percentile->name) + 3;
    return name > WIDTH_TIME ? name : WIDTH_TIME;
}

/* Adds a time, or a dash for one that is not known. */
static void
add_cell(struct buffer *text, int width, bool known, int64_t time)
{
    if (known)
        add_value(text, width, UNITS_TIME, time, "");
    else
        buffer_format(text, "%*s", width, "-");
}

static void
add_cells(struct buffer *text, const struct plan *plan, const struct stats *stats)
{
    const struct percentiles *list = percentiles_of(plan);
    unsigned shown = stats_shown(stats, list);
    bool any = stats->latency.count > 0;
    add_cell(text, WIDTH_TIME, any, moments_average(&stats->latency));
    for (int i = 0; i < list->count; i++)
        add_cell(text, width_of(&list->list[i]), shown & 1u << i,
                 stats_percentile(stats, &list->list[i]));
    add_cell(text, WIDTH_TIME, any, stats->latency.max);
}

void
table_head(struct buffer *text, const struct plan *plan)
{
    const struct percentiles *list = percentiles_of(plan);
    buffer_format(text, "%*s%*s%*s%*s", WIDTH_SWEPT, sweep_name(plan->sweep.kind),
                  WIDTH_RATE, "iops", WIDTH_SPEED, "bandwidth", WIDTH_TIME, "avg");
    for (int i = 0; i < list->count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "p%s", list->list[i].name);
        buffer_format(text, "%*s", width_of(&list->list[i]), name);
    }
    buffer_format(text, "%*s\n", WIDTH_TIME, "max");
}

void
table_row(struct buffer *text, const struct plan *plan, int64_t value,
          const struct stats *stats, int64_t time)
{
    if (plan->sweep.kind == SWEEP_SIZE)
        add_value(text, WIDTH_SWEPT, UNITS_SIZE, value, "");
    else
        buffer_format(text, "%*lld", WIDTH_SWEPT, (long long)value);
    add_value(text, WIDTH_RATE, UNITS_COUNT,
              (int64_t)stats_rate((double)stats->requests, time), "");
    add_value(text, WIDTH_SPEED, UNITS_SIZE,
              (int64_t)stats_rate((double)stats->all_bytes, time), "/s");
    add_cells(text, plan, stats);
    buffer_text(text, "\n");
}

static void
add_label(struct report *report)
{
    buffer_add(&report->text, report->label->text, report->label->length);
}

static void
add_head(struct report *report)
{
    buffer_text(&report->text, "\n--- ");
    add_label(report);
    buffer_text(&report->text, " ioping statistics ---\n");
}

/* Prepares the label, the same in all lines of a target. */
static void
human_begin(struct report *report)
{
    struct buffer label = {0};
    description_label(report->target, &label);
    if (!label.failed)
        buffer_escaped(report->label, label.text);
    report->text.failed |= label.failed || report->label->failed;
    buffer_free(&label);
    if (report->plan->sweep.kind == SWEEP_NONE)
        return;
    add_head(report);
    table_head(&report->text, report->plan);
}

static void
add_time(struct report *report)
{
    char text[512];
    struct tm local;
    os_clock_local(report->wall(), &local);
    size_t length = strftime(text, sizeof(text), report->output->time_format, &local);
    buffer_add(&report->text, text, length);
    buffer_text(&report->text, " ");
}

static void
human_sample(struct report *report, const struct sample *sample)
{
    struct buffer *text = &report->text;
    char number[16];
    const char *notice = sample_notice(sample, number);
    if (report->output->time_format)
        add_time(report);
    units_add(text, UNITS_SIZE, sample->bytes);
    buffer_text(text, sample->operation == OPERATION_WRITE ? " >>> " : " <<< ");
    add_label(report);
    buffer_format(text, ": request=%llu time=", (unsigned long long)sample->index);
    units_add(text, UNITS_TIME, sample->latency);
    if (notice) {
        buffer_text(text, " (");
        color_add(text, report->color, color_of(sample->verdict), notice);
        buffer_text(text, ")");
    }
    buffer_text(text, "\n");
    if (report->output->burst && sample->index % (uint64_t)report->output->burst == 0)
        buffer_text(text, "\n");
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
    const struct percentiles *list = &report->output->percentiles;
    return report->terminal || stats->every || (list->given && list->count > 0);
}

/* A summary of fewer requests has no line of percentiles unless it was asked for. */
#define FEW 10

static void
add_percentiles(struct buffer *text, const struct stats *stats,
                const struct percentiles *list)
{
    int64_t values[PERCENTILES_MOST];
    unsigned shown = stats_shown(stats, list);
    int count = 0;
    if (!shown || (!list->given && stats->latency.count < FEW))
        return;
    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_format(text, "%sp%s", count ? "/" : "", list->list[i].name);
        values[count++] = stats_percentile(stats, &list->list[i]);
    }
    if (stats->every)
        buffer_text(text, " (corrected)");
    add_times(text, values, count);
}

static void
add_syncs(struct buffer *text, const struct stats *stats)
{
    const struct percentile *list = percentiles_common.list;
    const int64_t values[] = {stats_sync_percentile(stats, &list[0]),
                              stats_sync_percentile(stats, &list[1]), stats->sync.max};
    if (stats->sync.count < FEW)
        return;
    buffer_text(text, "fdatasync p50/p99/max");
    add_times(text, values, 3);
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

static void
human_summary(struct report *report, const struct stats *stats, int64_t time)
{
    static const char *const done[] = {
        [LOAD_READ] = " read", [LOAD_WRITE] = " written", [LOAD_READ_WRITE] = ""};
    const struct moments *latency = &stats->latency;
    struct buffer *text = &report->text;
    add_head(report);
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
        add_percentiles(text, stats, &report->output->percentiles);
    }
    add_extremes(text, latency);
    if (report->plan->options->given[OPTION_HISTOGRAM])
        text_histogram_add(text, stats_distribution(stats), stats->every > 0,
                           report->columns, report->utf8);
}

static void
human_compare(struct report *report)
{
    struct comparison_row *rows = calloc((size_t)report->count, sizeof(*rows));
    for (int i = 0; rows && i < report->count; i++)
        rows[i] = (struct comparison_row){report->jobs[i].target.description.path,
                                          &report->jobs[i].outcome.total};
    if (rows)
        comparison_format(&report->text, rows, report->count, &report->plan->slos,
                          report->color);
    else
        report->text.failed = true;
    free(rows);
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
human_step(struct report *report, int64_t value, const struct stats *stats, int64_t time)
{
    table_row(&report->text, report->plan, value, stats, time);
}

const struct report_format report_human = {
    .begin = human_begin,
    .sample = human_sample,
    .period = human_period,
    .summary = human_summary,
    .step = human_step,
    .compare = human_compare,
};
