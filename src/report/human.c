/*
 * The format for people: a line for each request, and a summary for each target. The
 * layout is that of ioping 1.3, because scripts parse it. On a terminal, the summary also
 * has percentiles and further counts. In a file or a pipe, lines that ioping 1.3 does not
 * print appear only if an option asks for them. In place of the summary, a sweep has a
 * table, which gets a row when a step ends.
 *
 * The tables are made in table.c and comparison.c, the lines of requests in
 * request_line.c, and histograms in text_histogram.c.
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

/* Frees report->state, which is NULL or an array with the label of each target.
 * human_begin makes each label only once, so that all lines about a target have the same
 * label. */
static void
close_labels(struct report *report)
{
    struct buffer *labels = report->state;

    if (!labels)
        return;

    for (int i = 0; i < report->job_count; i++)
        buffer_free(&labels[i]);
    free(labels);
}

/* Returns the label of the current target, such as "/data (ext4 /dev/sda1 39.3 GiB)".
 * Returns "" if there was no memory for the label. */
static const char *
current_label(const struct report *report)
{
    const struct buffer *labels = report->state;
    const char *label = labels ? labels[report->job->index].text : NULL;
    return label ? label : "";
}

/* Adds an empty line and a heading with the label of the current target, such as
 * "--- /data (ext4 /dev/sda1 39.3 GiB) ioping statistics ---". The heading ends with
 * WHAT. */
static void
add_block_heading(struct report *report, const char *what)
{
    buffer_format(&report->text, "\n--- %s ioping %s ---\n", current_label(report), what);
}

/* Makes the label of the current target. In a sweep, also adds the column headers of the
 * table. */
static void
human_begin(struct report *report)
{
    struct buffer label = {0};
    struct buffer *labels = report->state;
    if (!labels)
        labels = report->state = calloc((size_t)report->job_count, sizeof(*labels));

    int ordinal = job_path_number(report->jobs, report->job_count, report->job->index);
    description_label(report->target, &label);
    if (ordinal)
        buffer_format(&label, " #%d", ordinal);
    if (labels && !label.failed)
        buffer_escaped(&labels[report->job->index], label.text);
    report->text.failed |= label.failed || !*current_label(report);
    buffer_free(&label);

    if (report->plan->sweep.kind == SWEEP_NONE)
        return;

    add_block_heading(report, "statistics");
    table_head(report);
}

static void
human_sample(struct report *report, const struct sample *sample)
{
    request_line_add(report, current_label(report), sample);
}

/*
 * Adds a text such as "10 requests in 9.00 s, 40 KiB, 1 iops, 4.44 KiB/s". TIME is in ns.
 * VERB stands between the number of requests and TIME, as "in" above; SUFFIX stands after
 * the size, as in "40 KiB written". Unless the output is a terminal, the noun is always
 * plural ("1 requests"), as in ioping 1.3.
 */
static void
add_volume(struct report *report, uint64_t count, const char *verb, int64_t time,
           int64_t bytes, const char *suffix, double iops, double bps)
{
    bool is_singular = count == 1 && report->is_terminal;
    const char *noun = is_singular ? "request" : "requests";
    char texts[5][UNITS_TEXT];

    buffer_format(&report->text, "%s %s %s %s, %s%s, %s iops, %s/s",
                  units_format(UNITS_COUNT, (int64_t)count, texts[0]), noun, verb,
                  units_format(UNITS_TIME, time, texts[1]),
                  units_format(UNITS_SIZE, bytes, texts[2]), suffix,
                  units_format(UNITS_COUNT, (int64_t)iops, texts[3]),
                  units_format(UNITS_SIZE, (int64_t)bps, texts[4]));
}

/*
 * Returns the option, such as "-i", that limited the rate of the requests of STATS. The
 * requests took TIME ns. The option was the limit if at least 90 % of the requests that
 * it allows in TIME were sent; otherwise the device was too slow to reach the rate.
 * Returns NULL if the device was too slow, if no option limits the rate, or if fewer than
 * two requests were sent.
 */
static const char *
find_limiting_option(const struct plan *plan, const struct stats *stats, int64_t time)
{
    const struct plan_pace *pace = &plan->pace;
    if (!pace->given_by || stats->requests < 2)
        return NULL;

    double per_interval = (double)pace->burst * plan->io.threads;
    double allowed = per_interval * (double)time / (double)pace->interval;
    return (double)stats->requests >= 0.9 * allowed ? pace->given_by : NULL;
}

/* Adds a list of COUNT times, such as " = 1 ms / 2 ms", and a newline. TIMES are in ns. A
 * negative time is unknown and is shown as "-". */
static void
add_time_list(struct buffer *text, const int64_t *times, int count)
{
    for (int i = 0; i < count; i++) {
        buffer_text(text, i ? " / " : " = ");
        if (times[i] < 0)
            buffer_text(text, "-");
        else
            units_add(text, UNITS_TIME, times[i]);
    }
    buffer_text(text, "\n");
}

/* Adds the line "min/avg/max/mdev = ...". */
static void
add_extremes(struct buffer *text, const struct moments *latency)
{
    const int64_t times[] = {latency->min, moments_average(latency), latency->max,
                             moments_deviation(latency)};

    buffer_text(text, "min/avg/max/mdev");
    add_time_list(text, times, 4);
}

/* Adds a line with some percentiles of LIST: LIST->list[I] is shown if bit I of SHOWN is
 * set. The line begins with NAME, padded to WIDTH columns. Adds nothing if SHOWN is 0. */
static void
add_percentile_line(struct buffer *text, int width, const char *name,
                    const struct latencies *latencies, const struct percentiles *list,
                    unsigned shown)
{
    int64_t times[PERCENTILES_MAX];
    int count = 0;

    if (!shown)
        return;

    buffer_format(text, "%-*s", width, name);
    for (int i = 0; i < list->count; i++) {
        if (!(shown & 1u << i))
            continue;
        buffer_format(text, "%sp%s", count ? "/" : "", list->list[i].name);
        times[count++] = latencies_percentile(latencies, &list->list[i]);
    }

    if (latencies->is_corrected)
        buffer_text(text, " (corrected)");
    add_time_list(text, times, count);
}

/* Percentiles that the user did not ask for are shown only if there are at least this
 * many latencies (of requests, or of flushes). */
#define MIN_UNASKED 10

/* Adds a line that begins with NAME and has the percentiles of LIST. Adds nothing if the
 * user did not give LIST and fewer than MIN_UNASKED requests count. */
static void
add_wanted_percentiles(struct buffer *text, const char *name,
                       const struct latencies latencies, const struct percentiles *list)
{
    uint64_t count = latencies.moments->count;

    if (list->is_given || count >= MIN_UNASKED)
        add_percentile_line(text, 0, name, &latencies, list,
                            percentiles_shown(list, count));
}

/* Adds a line with the times of the flushes after writes, if there were at least
 * MIN_UNASKED of them. */
static void
add_flush_times(struct buffer *text, const struct stats *stats)
{
    const struct percentile *list = percentiles_common.list;
    const struct latencies flushes = latencies_of(stats, SCOPE_SYNC);
    const int64_t times[] = {latencies_known_percentile(&flushes, &list[0]),
                             latencies_known_percentile(&flushes, &list[1]), flushes.max};

    if (flushes.moments->count < MIN_UNASKED)
        return;

    buffer_text(text, "fdatasync p50/p99/max");
    add_time_list(text, times, 3);
}

#define PART_GAP 3 /* spaces between the longest name of a part and its percentiles */
/* The percentiles of percentiles_default that the line of a part may show, as a set of
 * bits: p50, p90 and p99. With p99.9 the line would be too long. */
#define PART_PERCENTILES 0x7u

/* Returns the percentiles that the line of a part shows, as a set of bits: bit I stands
 * for LIST->list[I]. COUNT is the number of requests for which the time of this part is
 * known. Unless the user gave LIST, the median is always shown, so that every part has a
 * line. */
static unsigned
part_percentiles_shown(const struct percentiles *list, uint64_t count)
{
    unsigned shown = percentiles_shown(list, count);
    if (list->is_given)
        return shown;

    return (shown & PART_PERCENTILES) | 1;
}

/* Adds a line about the slowest request that was split into parts: the part that took the
 * most time, and its share. Adds nothing if no request was split. */
static void
add_slowest_request(struct buffer *text, const struct stats *stats)
{
    const struct breakdown_request *slowest = &stats->breakdown.slowest;
    char time[UNITS_TEXT];
    int percent;

    if (!slowest->index)
        return;

    const char *culprit = breakdown_culprit(&stats->breakdown, &percent);
    units_format(UNITS_TIME, slowest->latency, time);

    if (stats->latency.max > slowest->latency)
        buffer_format(text, "slowest that was split: request=%llu %s, of it %d %% %s\n",
                      (unsigned long long)slowest->index, time, percent, culprit);
    else
        buffer_format(text, "slowest: request=%llu %s, of it %d %% %s\n",
                      (unsigned long long)slowest->index, time, percent, culprit);
}

/* Adds a line for each part of the time of the requests, and a line about the slowest
 * request. If some requests could not be split into parts, also adds a line that says how
 * many could be split. */
static void
add_breakdown_block(struct buffer *text, const struct stats *stats,
                    const struct percentiles *given)
{
    const struct breakdown *breakdown = &stats->breakdown;
    const struct percentiles *list = given->is_given ? given : &percentiles_default;
    bool has_flushes = breakdown->parts[PART_FLUSH].moments.count > 0;
    int width = (int)strlen(has_flushes ? "sync device" : "submit") + PART_GAP;
    uint64_t count = breakdown_count(breakdown);

    for (enum scope scope = SCOPE_SUBMIT; scope < SCOPES; scope++) {
        const struct latencies latencies = latencies_of(stats, scope);
        bool is_flush = scope == SCOPE_SYNC_DEVICE;
        const char *name = is_flush ? "sync device" : scope_name(scope);

        if (latencies.moments->count > 0)
            add_percentile_line(text, width, name, &latencies, list,
                                part_percentiles_shown(list, latencies.moments->count));
    }

    add_slowest_request(text, stats);

    if (count < stats->latency.count)
        buffer_format(text, "split %llu of %llu %s\n", (unsigned long long)count,
                      (unsigned long long)stats->latency.count,
                      units_plural(stats->latency.count, "request", "requests"));
}

/* Adds COUNT and WHAT, such as "3 cached, ". Adds nothing if COUNT is 0. */
static void
add_exception(struct buffer *text, uint64_t count, const char *what)
{
    char number[UNITS_TEXT];
    if (count)
        buffer_format(text, "%s %s, ", units_format(UNITS_COUNT, (int64_t)count, number),
                      what);
}

/*
 * Adds the counts of exceptional requests, such as those that failed. On a terminal, all
 * these counts are added. Elsewhere, only counts that ioping 1.3 prints are added; the
 * other counts are remarks on stderr (outcome_explain). With -corrected, the count of
 * missed requests is added everywhere, because the percentiles include the waits of these
 * requests.
 */
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

/* Adds the histogram of STATS or, if operations are mixed, a histogram of each operation.
 * NAME is the name of a phase and stands above the histograms of the phase; without
 * phases, NAME is "". Does nothing unless -histogram was given. */
static void
add_histograms(struct report *report, const struct stats *stats, const char *name)
{
    if (!report->plan->options->given[OPTION_HISTOGRAM])
        return;

    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        const char *operation = scope_name(scope);
        const char *separator = *name && *operation ? ", " : "";

        if (latencies.moments->count && (*name || *operation))
            buffer_format(&report->text, "\n%s%s%s:\n", name, separator, operation);
        text_histogram_add(&report->text, latencies.histogram, latencies.is_corrected,
                           report->columns, report->has_utf8);
    }
}

/* Adds the summary of a job with phases: a heading that names the background load, the
 * answers to the limits, the table of the phases, and the histograms of the phases. */
static void
add_phases_summary(struct report *report)
{
    const struct job *job = &report->jobs[0];
    struct buffer load = {0};

    buffer_format(&load, "%s: ", phase_label(PHASE_LOADED));
    plan_describe_background(&job->phases->background->plan, &load);
    report->text.failed |= load.failed;
    add_block_heading(report, load.failed ? phase_label(PHASE_LOADED) : load.text);
    buffer_free(&load);

    outcome_add_limits(&job->outcome, NULL, &report->text);
    table_phases(report);

    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        add_histograms(report, &job->phases->list[phase].stats, phase_label(phase));
}

/*
 * Adds the lines of percentiles of a summary: of flushes, and of all requests or, if
 * operations are mixed, of each operation. These lines are added if the output is a
 * terminal or if an option asks for percentiles. Otherwise nothing is added: ioping 1.3
 * has no such lines, and programs that read its output count lines.
 */
static void
add_percentile_block(struct report *report, const struct stats *stats)
{
    const struct percentiles *list = &report->plan->output.percentiles;
    bool is_asked_for = stats->corrected_interval || (list->is_given && list->count > 0);
    char name[32];

    if (!report->is_terminal && !is_asked_for)
        return;

    add_flush_times(&report->text, stats);

    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        snprintf(name, sizeof(name), "%s%s", scope_name(scope), scope ? " " : "");
        add_wanted_percentiles(&report->text, name, latencies_of(stats, scope), list);
    }
}

static void
human_summary(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct operation_mix *mix = &report->plan->workload.mix;
    const char *done = mix->extra_count ? "" : operations[mix->turns[0]].amount_suffix;
    const struct moments *latency = &stats->latency;
    struct buffer *text = &report->text;

    if (report->plan->mode == MODE_PHASES) {
        add_phases_summary(report);
        return;
    }

    add_block_heading(report, "statistics");
    add_volume(report, latency->count, "completed in", latency->sum, stats->bytes, done,
               stats_iops(stats), stats_bps(stats));
    buffer_text(text, "\n");
    add_exceptions(report, stats);

    buffer_text(text, "generated ");
    add_volume(report, stats->requests, "in", record->duration, stats->all_bytes, "",
               stats_rate((double)stats->requests, record->duration),
               stats_rate((double)stats->all_bytes, record->duration));

    const char *option = find_limiting_option(report->plan, stats, record->duration);
    if (report->is_terminal && option)
        buffer_format(text, " (paced by %s)", option);
    buffer_text(text, "\n");

    add_percentile_block(report, stats);
    if (report->plan->statistics.has_breakdown)
        add_breakdown_block(text, stats, &report->plan->output.percentiles);

    outcome_add_limits(&report->job->outcome, NULL, text);
    add_extremes(text, latency);
    add_histograms(report, stats, "");
}

/* Adds the path of the target of JOB and, if another target has the same path, a number,
 * such as " #2". */
static void
add_numbered_path(struct buffer *text, const struct report *report, const struct job *job)
{
    int ordinal = job_path_number(report->jobs, report->job_count, job->index);

    buffer_escaped(text, job->target.description.path);
    if (ordinal)
        buffer_format(text, " #%d", ordinal);
}

/* Adds a line of percentiles for each recorded run, if the user gave a list of
 * percentiles. A run in which no request counts gets no line. */
static void
add_recorded_percentiles(struct report *report)
{
    const struct percentiles *list = &report->plan->output.percentiles;

    if (!list->is_given || !list->count)
        return;

    buffer_text(&report->text, "\n");
    for (int i = 0; i < report->job_count; i++) {
        const struct job *job = &report->jobs[i];
        const struct latencies latencies = latencies_of(&job->outcome.total, SCOPE_ALL);

        if (latencies.moments->count == 0)
            continue;
        add_numbered_path(&report->text, report, job);
        add_wanted_percentiles(&report->text, ": ", latencies, list);
    }
}

/* Adds the histogram of each recorded run, if -histogram was given. */
static void
add_recorded_histograms(struct report *report)
{
    struct buffer *text = &report->text;

    if (!report->plan->options->given[OPTION_HISTOGRAM])
        return;

    for (int i = 0; i < report->job_count; i++) {
        const struct job *job = &report->jobs[i];

        buffer_text(text, "\n");
        add_numbered_path(text, report, job);
        buffer_text(text, ":\n");
        text_histogram_add(text, &job->outcome.total.latencies, false, report->columns,
                           report->has_utf8);
    }
}

/* Adds the answers to the limits of each recorded run. ROWS are the rows of the
 * comparison. If memory ran out, ROWS is NULL, and answers to relative limits are left
 * out. */
static void
add_recorded_limits(struct report *report, const struct comparison_row *rows)
{
    for (int i = 0; i < report->job_count; i++) {
        const struct job *job = &report->jobs[i];

        outcome_add_limits(&job->outcome, job->target.description.path, &report->text);
        /* The rows of recorded runs are not sorted by speed, so rows[i] belongs to
         * jobs[i]. Row 0 is the reference, to which no relative limit applies. */
        if (rows && i > 0)
            comparison_limits(report, &rows[i]);
    }
}

static void
human_compare(struct report *report, const struct run_record *record)
{
    (void)record;

    const struct comparison_row *rows = comparison_rows(report);
    bool is_recorded = report->plan->mode == MODE_COMPARE;

    if (is_recorded)
        add_recorded_limits(report, rows);
    if (rows)
        comparison_format(report, rows);

    /* Recorded runs have no summary. So the percentiles and histograms of a summary are
     * added here. */
    if (is_recorded) {
        add_recorded_percentiles(report);
        add_recorded_histograms(report);
    }
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

/* A run with phases has no line over all phases, which would describe none of them. */
void
human_interim_job(struct buffer *text, const struct job *job)
{
    if (!job->phases) {
        human_interim(text, job_name(job), job->stats);
        return;
    }

    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        if (stats)
            human_interim(text, phase_label(phase), stats);
    }
}

const struct report_format report_human = {
    .begin = human_begin,
    .sample = human_sample,
    /* Indexed by enum record_kind. RECORD_PHASE has no function, because the table of the
     * phases is part of the summary. */
    .records = {raw_line, human_summary, table_row, NULL, table_highest, human_compare,
                diagnosis_print},
    .close = close_labels,
};
