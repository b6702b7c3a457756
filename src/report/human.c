/*
 * The format for people. Each request has a line and each target a summary, as in ioping
 * 1.3, which scripts parse. A terminal also gets percentiles, further counts and colours;
 * elsewhere, lines that ioping 1.3 does not have appear only if an option asks for them.
 * A sweep has a table instead, which grows by a row for each step.
 *
 * The tables stand in table.c and comparison.c, the lines of requests in request_line.c,
 * and histograms in text_histogram.c.
 */
#include "report/report.h"

#include "base/units.h"
#include "human.h"
#include "os/os.h"
#include "raw.h"
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

/* Frees report->state, the labels of the targets. A label is made once, so that it is the
 * same in all lines about its target. */
static void
close_labels(struct report *report)
{
    struct buffer *labels = report->state;

    for (int i = 0; labels && i < report->job_count; i++)
        buffer_free(&labels[i]);
    free(labels);
}

/* Returns the label of the current target, "/data (ext4 /dev/sda1 39.3 GiB)"; an empty
 * text if memory was short. */
static const char *
label_of(const struct report *report)
{
    const struct buffer *labels = report->state;
    const char *label = labels ? labels[report->job->index].text : NULL;
    return label ? label : "";
}

/* Adds a line that begins a block: the label of the target and WHAT, such as
 * "statistics". */
static void
add_head(struct report *report, const char *what)
{
    buffer_format(&report->text, "\n--- %s ioping %s ---\n", label_of(report), what);
}

/* Makes the label of the current target. Of a sweep, adds the head of the table. */
static void
human_begin(struct report *report)
{
    struct buffer label = {0};
    struct buffer *labels = report->state;
    if (!labels)
        labels = report->state = calloc((size_t)report->job_count, sizeof(*labels));

    int ordinal = job_number(report->jobs, report->job_count, report->job->index);
    description_label(report->target, &label);
    if (ordinal)
        buffer_format(&label, " #%d", ordinal);
    if (labels && !label.failed)
        buffer_escaped(&labels[report->job->index], label.text);
    report->text.failed |= label.failed || !*label_of(report);
    buffer_free(&label);

    if (report->plan->sweep.kind == SWEEP_NONE)
        return;

    add_head(report, "statistics");
    table_head(report);
}

static void
human_sample(struct report *report, const struct sample *sample)
{
    request_line_add(report, label_of(report), sample);
}

/* Adds "10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s". IN follows the number of
 * requests, DONE the size. The noun is always plural off a terminal ("1 requests"), as in
 * ioping 1.3. */
static void
add_volume(struct report *report, uint64_t count, const char *in, int64_t time,
           int64_t bytes, const char *done, double iops, double bps)
{
    bool is_one = count == 1 && report->is_terminal;
    char texts[5][UNITS_TEXT];

    buffer_format(&report->text, "%s request%s %s %s, %s%s, %s iops, %s/s",
                  units_format(UNITS_COUNT, (int64_t)count, texts[0]), is_one ? "" : "s",
                  in, units_format(UNITS_TIME, time, texts[1]),
                  units_format(UNITS_SIZE, bytes, texts[2]), done,
                  units_format(UNITS_COUNT, (int64_t)iops, texts[3]),
                  units_format(UNITS_SIZE, (int64_t)bps, texts[4]));
}

/*
 * Returns the option that limited the number of requests: without it, STATS would have
 * more of them in TIME, ns by the clock. The option is the limit if at least 90 % of the
 * requests that it allows were sent. Returns NULL if the device was slower than that, or
 * if no option limits the rate.
 */
static const char *
find_pace(const struct plan *plan, const struct stats *stats, int64_t time)
{
    const struct plan_pace *pace = &plan->pace;
    if (!pace->given_by || stats->requests < 2)
        return NULL;

    double each = (double)pace->burst * plan->io.threads;
    double allowed = each * (double)time / (double)pace->interval;
    return (double)stats->requests >= 0.9 * allowed ? pace->given_by : NULL;
}

/* Adds " = 1 ms / 2 ms" and a newline. A negative value is unknown and becomes "-". */
static void
add_times(struct buffer *text, const int64_t *values, int count)
{
    for (int i = 0; i < count; i++) {
        buffer_text(text, i ? " / " : " = ");
        if (values[i] < 0)
            buffer_text(text, "-");
        else
            units_add(text, UNITS_TIME, values[i]);
    }
    buffer_text(text, "\n");
}

/* Adds the line "min/avg/max/mdev = ...". */
static void
add_extremes(struct buffer *text, const struct moments *latency)
{
    const int64_t values[] = {latency->min, moments_average(latency), latency->max,
                              moments_deviation(latency)};

    buffer_text(text, "min/avg/max/mdev");
    add_times(text, values, 4);
}

/* Adds a line with the percentiles of LIST whose bits are set in SHOWN. The line begins
 * with NAME, padded to WIDTH columns. Adds nothing if SHOWN is 0. */
static void
add_ranks(struct buffer *text, int width, const char *name,
          const struct latencies *latencies, const struct percentiles *list,
          unsigned shown)
{
    int64_t values[PERCENTILES_MOST];
    int count = 0;

    if (!shown)
        return;

    buffer_format(text, "%-*s", width, name);
    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_format(text, "%sp%s", count ? "/" : "", list->list[i].name);
        values[count++] = latencies_percentile(latencies, &list->list[i]);
    }

    if (latencies->is_corrected)
        buffer_text(text, " (corrected)");
    add_times(text, values, count);
}

/* The fewest requests for which a line of percentiles is added without being asked
 * for. */
#define FEW 10

/* Adds a line of the percentiles of LIST, with NAME before it, if there are enough
 * requests or the user gave the list. */
static void
add_percentiles(struct buffer *text, const char *name, const struct latencies latencies,
                const struct percentiles *list)
{
    uint64_t count = latencies.moments->count;

    if (list->is_given || count >= FEW)
        add_ranks(text, 0, name, &latencies, list, percentiles_shown(list, count));
}

/* Adds a line about the time of flushes after writes, if there were enough of them. */
static void
add_syncs(struct buffer *text, const struct stats *stats)
{
    const struct percentile *list = percentiles_common.list;
    const struct latencies flushes = latencies_of(stats, SCOPE_SYNC);
    const int64_t values[] = {latencies_known_percentile(&flushes, &list[0]),
                              latencies_known_percentile(&flushes, &list[1]),
                              flushes.max};

    if (flushes.moments->count < FEW)
        return;

    buffer_text(text, "fdatasync p50/p99/max");
    add_times(text, values, 3);
}

#define GAP 3 /* columns after the longest name of a part */
/* The percentiles of the default list that are shown, as bits: 50, 90 and 99, which fit
 * into a line. */
#define SHOWN 0x7u

/* Adds a line for each part of the time of the requests, a line about the slowest
 * request, and the number of requests that could not be split. */
static void
add_breakdown(struct buffer *text, const struct stats *stats,
              const struct percentiles *given)
{
    const struct breakdown *breakdown = &stats->breakdown;
    const struct percentiles *list = given->is_given ? given : &percentiles_default;
    bool synced = breakdown->parts[PART_FLUSH].moments.count > 0;
    int width = (int)strlen(synced ? "sync device" : "submit") + GAP;
    const struct breakdown_request *slowest = &breakdown->slowest;
    uint64_t count = breakdown_count(breakdown);
    char time[UNITS_TEXT];
    int percent;

    for (enum scope scope = SCOPE_SUBMIT; scope < SCOPES; scope++) {
        const struct latencies latencies = latencies_of(stats, scope);
        unsigned shown = percentiles_shown(list, latencies.moments->count);
        /* The bit of the median is always set, so every part has a line. */
        if (latencies.moments->count > 0)
            add_ranks(text, width,
                      scope == SCOPE_SYNC_DEVICE ? "sync device" : scope_name(scope),
                      &latencies, list, list->is_given ? shown : (shown & SHOWN) | 1);
    }

    if (slowest->index) {
        const char *culprit = breakdown_culprit(breakdown, &percent);
        bool slower = stats->latency.max > slowest->latency;
        buffer_format(text, "slowest%s: request=%llu %s, of it %d %% %s\n",
                      slower ? " that was split" : "", (unsigned long long)slowest->index,
                      units_format(UNITS_TIME, slowest->latency, time), percent, culprit);
    }

    if (count < stats->latency.count)
        buffer_format(text, "split %llu of %llu %s\n", (unsigned long long)count,
                      (unsigned long long)stats->latency.count,
                      units_plural(stats->latency.count, "request", "requests"));
}

/* Adds "3 cached, "; nothing if COUNT is 0. */
static void
add_exception(struct buffer *text, uint64_t count, const char *what)
{
    char number[UNITS_TEXT];
    if (count)
        buffer_format(text, "%s %s, ", units_format(UNITS_COUNT, (int64_t)count, number),
                      what);
}

/* Adds the counts of exceptional requests. Off a terminal only those that ioping 1.3
 * prints are added; the others are remarks on stderr (outcome_explain). */
static void
add_exceptions(struct report *report, const struct stats *stats)
{
    struct buffer *text = &report->text;

    add_exception(text, stats->too_fast, "too fast");
    add_exception(text, stats->too_slow, "too slow");

    if (report->is_terminal) {
        add_exception(text, stats->cached, "cached");
        add_exception(text, stats->stopped, "stopped");
        add_exception(text, stats->failed, "failed");
    }

    if (report->is_terminal || stats->corrected_interval)
        add_exception(text, stats->missed, "missed");
}

/* Adds the histogram of STATS, or one for each operation if several are mixed, if
 * -histogram was given. NAME says what they are about; it is empty if that needs no
 * saying. */
static void
add_histograms(struct report *report, const struct stats *stats, const char *name)
{
    if (!report->plan->options->given[OPTION_HISTOGRAM])
        return;

    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        const char *own = scope_name(scope);
        if (latencies.moments->count && (*name || *own))
            buffer_format(&report->text, "\n%s%s%s:\n", name, *name && *own ? ", " : "",
                          own);
        text_histogram_add(&report->text, latencies.histogram, latencies.is_corrected,
                           report->columns, report->has_utf8);
    }
}

/* Adds the summary of a job with phases: a head that names the background load, the table
 * of the phases, and their histograms. */
static void
add_phases(struct report *report)
{
    const struct job *job = &report->jobs[0];
    struct buffer head = {0};

    buffer_format(&head, "%s: ", phase_label(PHASE_LOADED));
    plan_background_name(&job->phases->background->plan, &head);
    report->text.failed |= head.failed;
    add_head(report, head.failed ? phase_label(PHASE_LOADED) : head.text);
    buffer_free(&head);

    outcome_limits(&job->outcome, NULL, &report->text);
    table_phases(report);

    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        add_histograms(report, &job->phases->list[phase].stats, phase_label(phase));
}

static void
human_summary(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct operation_mix *mix = &report->plan->workload.mix;
    const char *done = mix->extra_count ? "" : operations[mix->turns[0]].done;
    enum scope scope = scope_first(stats);
    char name[32];
    const struct percentiles *list = &report->plan->output.percentiles;
    const struct moments *latency = &stats->latency;
    struct buffer *text = &report->text;
    /* Off a terminal, ioping 1.3 has no lines of percentiles, and programs that read its
     * output count lines. */
    bool ranked = report->is_terminal || stats->corrected_interval ||
                  (list->is_given && list->count > 0);

    if (report->plan->mode == MODE_PHASES) {
        add_phases(report);
        return;
    }

    add_head(report, "statistics");
    add_volume(report, latency->count, "completed in", latency->sum, stats->bytes, done,
               stats_iops(stats), stats_bps(stats));
    buffer_text(text, "\n");
    add_exceptions(report, stats);

    buffer_text(text, "generated ");
    add_volume(report, stats->requests, "in", record->duration, stats->all_bytes, "",
               stats_rate((double)stats->requests, record->duration),
               stats_rate((double)stats->all_bytes, record->duration));

    const char *pace = find_pace(report->plan, stats, record->duration);
    if (report->is_terminal && pace)
        buffer_format(text, " (paced by %s)", pace);
    buffer_text(text, "\n");

    if (ranked)
        add_syncs(text, stats);
    for (; ranked && scope < SCOPE_SYNC; scope = scope_next(stats, scope)) {
        snprintf(name, sizeof(name), "%s%s", scope_name(scope), scope ? " " : "");
        add_percentiles(text, name, latencies_of(stats, scope), list);
    }

    if (report->plan->statistics.breakdown)
        add_breakdown(text, stats, list);

    outcome_limits(&report->job->outcome, NULL, text);
    add_extremes(text, latency);
    add_histograms(report, stats, "");
}

/* Adds the path of the target of JOB, with a number if another target has the same
 * path. */
static void
add_path(struct buffer *text, const struct report *report, const struct job *job)
{
    int ordinal = job_number(report->jobs, report->job_count, job->index);

    buffer_escaped(text, job->target.description.path);
    if (ordinal)
        buffer_format(text, " #%d", ordinal);
}

/* Adds percentiles and histograms of recorded runs, which have no summaries, if options
 * ask for them. */
static void
add_distributions(struct report *report)
{
    const struct percentiles *list = &report->plan->output.percentiles;
    const struct job *jobs = report->jobs;
    const struct job *end = jobs + report->job_count;
    struct buffer *text = &report->text;
    bool listed = list->is_given && list->count;
    bool drawn = report->plan->options->given[OPTION_HISTOGRAM];

    if (listed)
        buffer_text(text, "\n");

    for (const struct job *job = jobs; listed && job < end; job++) {
        const struct latencies all = latencies_of(&job->outcome.total, SCOPE_ALL);
        if (all.moments->count == 0)
            continue;
        add_path(text, report, job);
        add_percentiles(text, ": ", all, list);
    }

    for (const struct job *job = jobs; drawn && job < end; job++) {
        buffer_text(text, "\n");
        add_path(text, report, job);
        buffer_text(text, ":\n");
        text_histogram_add(text, &job->outcome.total.latencies, false, report->columns,
                           report->has_utf8);
    }
}

static void
human_compare(struct report *report, const struct run_record *record)
{
    (void)record;

    const struct comparison_row *rows = comparison_rows(report);
    bool recorded = report->plan->mode == MODE_COMPARE;

    for (int i = 0; recorded && i < report->job_count; i++) {
        outcome_limits(&report->jobs[i].outcome, report->jobs[i].target.description.path,
                       &report->text);
        /* The rows of recorded runs are not sorted by speed, so rows[i] belongs to
         * jobs[i]. */
        if (rows && i > 0)
            comparison_limits(report, &rows[i]);
    }

    if (rows)
        comparison_format(report, rows);
    if (recorded)
        add_distributions(report);
}

void
human_interim(struct buffer *text, const char *target, const struct stats *stats)
{
    if (target) {
        buffer_escaped(text, target);
        buffer_text(text, ": ");
    }
    char number[UNITS_TEXT];

    buffer_format(text, "%s requests, ",
                  units_format(UNITS_COUNT, (int64_t)stats->requests, number));
    add_exception(text, stats->failed, "failed");
    add_extremes(text, &stats->latency);
}

const struct report_format report_human = {
    .begin = human_begin,
    .sample = human_sample,
    /* Indexed by enum record_kind. The table of phases is part of the summary. */
    .records = {raw_line, human_summary, table_row, NULL, table_highest, human_compare},
    .close = close_labels,
};
