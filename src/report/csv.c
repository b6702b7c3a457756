/*
 * Comma-separated values (RFC 4180) for spreadsheets and scripts. The first line names
 * the columns, with their units. Each later line, a row, has the statistics of a period
 * (-p, -P), of a whole run, of a step of a sweep or of a phase (-load).
 *
 * If operations are mixed, a row for all requests is followed by a row for each
 * operation, and then by a row for each part of their time that is known (flushes after
 * writes, and the parts of -breakdown). The column "scope" tells these rows apart.
 *
 * The plan alone decides which columns there are. A value that is not known is an empty
 * field.
 *
 * Escapes in paths. Some programs take a line break in a quoted field for the end of the
 * row, and refuse text that is not UTF-8. So each byte of a control character, of a
 * character that reorders text, and of text that is not UTF-8 becomes a backslash and
 * three octal digits. A backslash before a digit is escaped in the same way, because it
 * could be mistaken for such an escape.
 */
#include "report/report.h"

#include "base/time.h"
#include "base/units.h"
#include "os/os.h"
#include "report/outputs.h"
#include "run/job.h"
#include "stats/stats.h"
#include "target/target.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

/* Targets that end within this time share the time of their last rows, ns. */
#define SHARED_END_WITHIN SECOND

/* A larger change of the offset between the two clocks means that the wall clock was set,
 * or that the machine slept, ns. */
#define CLOCK_STEP (100 * MS)

/* If this process is paused for longer than CLOCK_PAUSE, ns, while the offset is
 * measured, the offset is measured again, up to CLOCK_TRIES times in all. */
#define CLOCK_TRIES 5
#define CLOCK_PAUSE MS

/* By kind of sweep: the name of the column with the swept value. */
static const char *const swept_columns[] = {
    [SWEEP_SIZE] = "size_bytes", [SWEEP_THREADS] = "threads",
    [SWEEP_DEPTH] = "depth",     [SWEEP_INTERVAL] = "interval_ns",
    [SWEEP_RATE] = "rate",
};

/* Returns true if rows of PLAN have a verdict on the limits. */
static bool
has_verdict_column(const struct plan *plan)
{
    return plan->sweep.kind == SWEEP_RATE ||
           (plan->sweep.kind && plan->statistics.slos.count);
}

/* Adds the names of the columns. add_row adds the fields of a row in the same order. */
static void
csv_open(struct report *report)
{
    const struct plan *plan = report->plan;
    const struct percentiles *list = &plan->output.percentiles;
    struct buffer *text = &report->text;

    buffer_text(text, "time,target");
    if (plan->mode == MODE_PHASES)
        buffer_text(text, ",phase");
    if (plan->sweep.kind)
        buffer_format(text, ",%s", swept_columns[plan->sweep.kind]);

    buffer_text(text, ",scope,count,failed,missed,bytes,elapsed_ns,iops,bytes_per_second,"
                      "min_ns,avg_ns");
    for (int i = 0; i < list->count; i++)
        buffer_format(text, ",p%s_ns", list->list[i].name);
    buffer_text(text, ",max_ns,mdev_ns");

    if (has_verdict_column(plan))
        buffer_text(text, ",met");
    buffer_text(text, "\r\n");
}

/* Adds WALL (ns since 1970) in UTC, such as 2026-11-21T07:50:57.055062Z. */
static void
add_wall_time(struct buffer *text, int64_t wall)
{
    char seconds[64];
    struct tm utc;

    os_clock_utc(wall, &utc);
    strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &utc);
    buffer_format(text, "%s.%06" PRId64 "Z", seconds, wall % SECOND / US);
}

/* Adds PATH, escaped as the top of this file describes, and with each quote doubled. */
static void
add_path(struct buffer *text, const char *path)
{
    struct escape_character character;

    while (escape_next(&path, &character)) {
        /* `path` points to the byte after `character` now. */
        bool is_like_escape = character.code == '\\' && is_digit(*path);

        if (character.kind != ESCAPE_PLAIN || is_like_escape) {
            buffer_octal(text, &character);
            continue;
        }

        if (character.code == '"')
            buffer_text(text, "\"");
        buffer_add(text, character.bytes, character.length);
    }
}

/* Adds the path of the current target, in quotes if the format needs them. If an earlier
 * target has the same path, a number such as "#2" follows, as in raw lines. */
static void
add_target(struct report *report)
{
    struct buffer *text = &report->text;
    const char *path = report->target->path;
    const char *quote = strpbrk(path, ",\"") ? "\"" : "";
    int ordinal = job_path_ordinal(report->jobs, report->job->index);

    buffer_text(text, quote);
    add_path(text, path);
    if (ordinal > 1)
        buffer_format(text, "#%d", ordinal);
    buffer_text(text, quote);
}

/* Adds a comma and VALUE. Adds the comma only if VALUE is not known. */
static void
add_number(struct buffer *text, bool is_known, int64_t value)
{
    buffer_text(text, ",");
    if (is_known)
        buffer_format(text, "%" PRId64, value);
}

/* Adds the numbers of requests of SCOPE that count, failed and were missed, and the bytes
 * that the requests moved. Parts of the time have only the first number. The raw lines of
 * a recorded run do not have the next two. */
static void
add_counts(struct report *report, const struct stats *stats, enum scope scope)
{
    struct buffer *text = &report->text;
    const struct scope_counts counts = scope_counts_of(stats, scope);
    const struct latencies latencies = latencies_of(stats, scope);
    bool has_bytes = !scope_is_part(scope);
    bool has_exceptions = has_bytes && !report->target->is_recorded;

    add_number(text, true, (int64_t)latencies.moments->count);
    add_number(text, has_exceptions, (int64_t)counts.failed);
    add_number(text, has_exceptions, (int64_t)counts.missed);
    add_number(text, has_bytes && !stats->lacks_sizes, counts.bytes);
}

/* Adds the rates. Only the row of all requests has rates: if operations are mixed, their
 * requests share the time that a rate refers to. */
static void
add_rates(struct buffer *text, const struct stats *stats, enum scope scope)
{
    bool is_known = scope == SCOPE_ALL && stats->latency.count;

    buffer_text(text, ",");
    if (is_known)
        buffer_format(text, "%.6f", stats_iops(stats));
    buffer_text(text, ",");
    if (is_known && !stats->lacks_sizes)
        buffer_format(text, "%.0f", stats_bps(stats));
}

/* Adds the times of SCOPE. */
static void
add_times(struct report *report, const struct stats *stats, enum scope scope)
{
    struct buffer *text = &report->text;
    const struct latencies latencies = latencies_of(stats, scope);
    const struct moments *latency = latencies.moments;
    const struct percentiles *list = &report->plan->output.percentiles;
    unsigned shown = percentiles_shown(list, latency->count);
    bool is_known = latency->count > 0;

    add_number(text, is_known, latency->min);
    add_number(text, is_known, moments_average(latency));
    for (int i = 0; i < list->count; i++)
        add_number(text, shown & 1u << i,
                   latencies_percentile(&latencies, &list->list[i]));
    add_number(text, is_known, latency->max);
    add_number(text, is_known, moments_deviation(latency));
}

/* Adds the verdict on STEP in the row of all requests. */
static void
add_verdict(struct buffer *text, const struct job_step *step, enum scope scope)
{
    static const char *const verdicts[] = {
        [SLO_MET] = "true", [SLO_BROKEN] = "false", [SLO_UNKNOWN] = ""};

    buffer_text(text, ",");
    if (scope == SCOPE_ALL)
        buffer_text(text, verdicts[step->verdict]);
}

/* Adds the row of RECORD about SCOPE. WALL is the time of the row. The end of a recorded
 * run is not known. */
static void
add_row(struct report *report, const struct run_record *record, enum scope scope,
        int64_t wall)
{
    const struct plan *plan = report->plan;
    struct buffer *text = &report->text;
    const char *scope_field = scope == SCOPE_ALL ? "all" : scope_name(scope);

    if (!report->target->is_recorded)
        add_wall_time(text, wall);
    buffer_text(text, ",");
    add_target(report);
    if (plan->mode == MODE_PHASES)
        buffer_format(text, ",%s", phase_name(report->phase));
    if (record->step)
        add_number(text, true, record->step->value);
    buffer_format(text, ",%s", scope_field);

    add_counts(report, record->stats, scope);
    add_number(text, true, record->duration);
    add_rates(text, record->stats, scope);
    add_times(report, record->stats, scope);

    if (record->step && has_verdict_column(plan))
        add_verdict(text, record->step, scope);
    buffer_text(text, "\r\n");
}

/*
 * Returns the time of the rows of RECORD, ns, monotonic. Rows of several targets can be
 * joined by it, because targets share the time of a period:
 *
 * - A period that ended when it was due has the time at which it was due. The end itself
 *   differs by some microseconds between targets.
 * - Targets whose last periods are the same period, and which end within
 * SHARED_END_WITHIN, have the time of the first of them. So have targets whose rows are
 * about the whole run.
 */
static int64_t
choose_row_time(struct report *report, const struct run_record *record)
{
    bool is_period = record->kind == RECORD_PERIOD;
    bool is_shared = record->kind == RECORD_SUMMARY || record->due_at > 0;
    int64_t time = is_period ? record->ended_at : report->monotonic_now();

    if (is_period && record->due_at > 0 && time >= record->due_at)
        return record->due_at;
    if (!is_shared)
        return time;

    if (report->shared_time == 0 || report->shared_due_at != record->due_at ||
        time - report->shared_time > SHARED_END_WITHIN) {
        report->shared_time = time;
        report->shared_due_at = record->due_at;
    }
    return report->shared_time;
}

/* Returns the wall clock minus the monotonic clock, ns. Stores in MAX_ERROR by how much
 * the result may be wrong, ns: this process may have been paused between two reads. */
static int64_t
measure_wall_offset(const struct report *report, int64_t *max_error)
{
    int64_t best_offset = 0;
    int64_t best_width = INT64_MAX;

    for (int i = 0; i < CLOCK_TRIES && best_width > CLOCK_PAUSE; i++) {
        int64_t before = report->monotonic_now();
        int64_t wall = report->wall_now();
        int64_t width = report->monotonic_now() - before;
        if (width >= best_width)
            continue;
        best_width = width;
        best_offset = wall - before - width / 2;
    }

    *max_error = best_width / 2;
    return best_offset;
}

/* Returns TIME, ns, monotonic, as the time of the wall clock. The offset between the two
 * clocks would differ by some microseconds each time, so the first offset is saved. It is
 * replaced only if the wall clock was set or the machine slept. */
static int64_t
convert_to_wall_time(struct report *report, int64_t time)
{
    int64_t max_error;
    int64_t offset = measure_wall_offset(report, &max_error);
    int64_t change = offset - report->wall_offset;

    if (change > CLOCK_STEP + max_error || change < -CLOCK_STEP - max_error)
        report->wall_offset = offset;
    return time + report->wall_offset;
}

/* Adds the rows of a period, run, step or phase. All rows have the same time. */
static void
csv_record(struct report *report, const struct run_record *record)
{
    int64_t wall = convert_to_wall_time(report, choose_row_time(report, record));

    for (enum scope scope = SCOPE_ALL; scope < SCOPES;
         scope = scope_next(record->stats, scope))
        add_row(report, record, scope, wall);
}

/* A sweep has no row with the highest step that meets the limits, because this row would
 * have other columns. The column "met" tells which steps meet them. */
const struct report_format report_csv = {
    .open = csv_open,
    .records = {[RECORD_PERIOD] = csv_record,
                [RECORD_SUMMARY] = csv_record,
                [RECORD_STEP] = csv_record,
                [RECORD_PHASE] = csv_record},
};
