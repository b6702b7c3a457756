#include "report/report.h"

#include "base/units.h"
#include "os/os.h"
#include "report/color.h"
#include "report/comparison.h"
#include "table.h"
#include "text_histogram.h"

#include <stdlib.h>
#include <time.h>

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

/* Prepares the label, which stays the same. */
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

/* ", 36 KiB read, 1.60 k iops, 6.26 MiB/s" */
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
 * ioping 1.3 has no percentiles, and who reads from a pipe counts the lines: they are on
 * a terminal, or where -percentiles or -corrected asks for them.
 */
static bool
has_percentiles(const struct report *report, const struct stats *stats)
{
    const struct percentiles *list = &report->output->percentiles;
    return report->terminal || stats->every || (list->given && list->count > 0);
}

/* Fewer than FEW requests have no line of percentiles unless it was asked for. */
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

/* What is not of ioping 1.3 is told on stderr where the output is no terminal, see
 * outcome_explain. */
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
    if (report->output->histogram)
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
