/*
 * The status line:
 *
 *   [#####---------------]  25%  12.3 k requests  p50 81 us  p99 120 us  ...  30.0 s left
 *
 * On every tick, the supervisor's thread gathers the facts from snapshots of the targets
 * (status_gather), makes a line of them that fits the terminal (status_format), and draws
 * the line if it has changed (draw_line).
 *
 * Other threads write to the same terminal. Each of them erases the line before it
 * writes, and locks the line until it has written (status_pause, status_resume).
 * draw_line does not wait for the lock, because the thread that holds it may be stuck in
 * its write. It skips the tick instead.
 */
#include "status.h"

#include "base/time.h"
#include "base/units.h"
#include "os/output.h"
#include "os/thread.h"
#include "plan/plan.h"
#include "report/console.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/job.h"
#include "stats/stats.h"
#include "writers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TENTH (SECOND / 10) /* a tenth of a second, in ns */

#define STANDARD_ERROR 2
#define DEFAULT_COLUMNS 80 /* assumed width of the terminal if it is unknown */
/* Time without a line at the start of a run, in ns. In a short run, the line would only
 * flash. */
#define QUIET_TIME (SECOND / 5)

/* Returns the statistics of JOB that the line shows. While a phase runs, these are the
 * statistics of this phase alone. */
static const struct stats *
shown_stats(const struct job *job)
{
    bool has_current_phase = job->phases && job->stats != &job->outcome.total;

    return has_current_phase ? &job->progress.total : job->stats;
}

/* Returns the statistics of all COUNT targets together. If there are several targets,
 * their statistics are merged into MERGED. */
static const struct stats *
merge_targets(struct stats *merged, const struct job *jobs, int count)
{
    if (count == 1)
        return shown_stats(&jobs[0]);

    stats_clear(merged);
    for (int i = 0; i < count; i++)
        stats_merge(merged, jobs[i].stats);

    return merged;
}

/* Stores the facts that come from STATS. A percentile is unknown (-1) if there are too
 * few requests for it. */
static void
gather_stats(const struct stats *stats, struct status_facts *facts)
{
    const struct percentile *list = percentiles_common.list;
    enum scope scope = scope_first(stats);

    facts->requests = stats->requests;
    facts->failed = stats->failed;
    facts->max_latency = stats->latency.count > 0 ? stats->latency.max : -1;
    facts->is_corrected = stats->corrected_interval > 0;

    for (int i = 0; scope < SCOPE_SYNC; scope = scope_next(stats, scope), i++) {
        const struct latencies latencies = latencies_of(stats, scope);
        facts->extra_count = i;
        facts->scope[i] = scope;
        facts->p50[i] = latencies_known_percentile(&latencies, &list[0]);
        facts->p99[i] = latencies_known_percentile(&latencies, &list[1]);
    }
}

/* Notes a condition that ends the run, such as the work time. SHARE says how far the run
 * is on its way to this condition, from 0 to 1. REMAINING is the time until the condition
 * is met, in ns; -1 if unknown. If several conditions are noted, FACTS keep the largest
 * share and the shortest time, because the first condition that is met ends the run. */
static void
note_ending(struct status_facts *facts, double share, int64_t remaining)
{
    if (share > facts->share)
        facts->share = share;

    if (remaining >= 0 && (facts->remaining_ns < 0 || remaining < facts->remaining_ns))
        facts->remaining_ns = remaining;
}

/*
 * Returns how much longer a target needs to send all its requests, in ns; -1 if unknown.
 * STATS are the statistics of the target. ELAPSED is the time that the target has run so
 * far, in ns.
 *
 * With an interval, each thread sends one burst per interval, so the remaining time
 * follows from the plan. The rate so far would mislead: after a single stall, the run
 * would look many times longer.
 */
static int64_t
estimate_remaining(const struct plan *plan, const struct stats *stats, int64_t elapsed)
{
    int64_t requests = (int64_t)(plan->end.max_requests - stats->requests);
    int64_t per_interval = units_scale(plan->pace.burst, plan->io.threads, 1);

    if (plan->pace.interval > 0)
        return units_scale(requests, plan->pace.interval, per_interval);
    if (stats->requests > 0)
        return units_scale(requests, elapsed, (int64_t)stats->requests);
    return -1;
}

/* Notes the limit on the number of requests. Targets run at the same time, and each
 * target has this limit, so the target that takes longest ends the run. A target that has
 * ended early, because of a failure, counts as done. */
static void
note_count_limit(const struct status *status, const struct job *jobs, int count,
                 struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    double done = 0; /* number of requests that all targets have done so far */
    /* remaining time of the slowest target, in ns; -1 if the time of any target is
     * unknown */
    int64_t longest_remaining = 0;

    if (plan->end.max_requests == UINT64_MAX)
        return;

    for (int i = 0; i < count; i++) {
        const struct stats *stats = shown_stats(&jobs[i]);

        if (jobs[i].has_ended) {
            done += (double)plan->end.max_requests;
            continue;
        }

        int64_t remaining = estimate_remaining(plan, stats, facts->elapsed_ns);
        done += (double)stats->requests;
        if (remaining < 0 || longest_remaining < 0)
            longest_remaining = -1;
        else
            longest_remaining = time_later(longest_remaining, remaining);
    }

    double all = (double)plan->end.max_requests * status->target_count;
    note_ending(facts, done / all, longest_remaining);
}

/* Notes the progress of a sweep at NOW (ns, monotonic), unless the number of steps is
 * unknown. Targets are swept one after the other. Each target is assumed to have as many
 * steps as the current one, and each step to take its planned time. */
static void
note_sweep(const struct status *status, int64_t now, struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    const struct status_place *place = &status->place;
    int64_t target_time = 0;   /* planned time of all steps of one target, ns */
    int64_t earlier_steps = 0; /* planned time of the steps before the current one, ns */
    int64_t value = plan->sweep.from;

    if (place->count <= 0)
        return;

    for (int i = 0; i < place->count; i++) {
        if (i == place->index)
            earlier_steps = target_time;
        target_time = time_add(target_time, plan_step_time(plan, value));
        value = sweep_next(value, plan->sweep.to);
    }

    int64_t in_step =
        time_earlier(now - place->began_at, plan_step_time(plan, place->value));
    int64_t earlier_targets = time_multiply(target_time, place->target);
    int64_t done = time_add(earlier_targets, time_add(earlier_steps, in_step));
    int64_t sweep_time = time_multiply(target_time, status->target_count);

    note_ending(facts, (double)done / (double)sweep_time, sweep_time - done);
}

/* Converts the share and the remaining time in FACTS from the current phase to the whole
 * run. Each phase is assumed to take as long as the current one. */
static void
extend_to_phases(struct status_facts *facts)
{
    int phase_count = PHASE_RECOVERED;
    int later_phases = phase_count - (int)facts->place.phase;
    int earlier_phases = (int)facts->place.phase - 1;

    if (facts->share >= 0)
        facts->share = ((double)earlier_phases + facts->share) / phase_count;

    /* The background load has not settled yet, so the phase has not really begun. */
    if (facts->elapsed_ns < 0)
        facts->remaining_ns = -1;
    if (facts->remaining_ns < 0)
        return;

    int64_t phase_time = time_add(facts->elapsed_ns, facts->remaining_ns);
    facts->remaining_ns =
        time_add(facts->remaining_ns, time_multiply(phase_time, later_phases));
}

/* Returns the age, in ns, of the oldest request in flight; 0 if none is in flight. */
static int64_t
oldest_age(const struct job *jobs, int count, int64_t now)
{
    int64_t oldest = 0;

    for (int i = 0; i < count; i++) {
        int64_t sent_at = jobs[i].in_flight.oldest_sent_at;
        if (sent_at > 0)
            oldest = time_later(oldest, now - sent_at);
    }

    return oldest;
}

void
status_gather(struct status *status, const struct job *jobs, int count, int64_t now,
              struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    bool has_phase = status->place.phase != PHASE_NONE;
    int64_t began_at = has_phase ? status->place.began_at : status->began_at;

    *facts = (struct status_facts){
        .sweep_kind = plan->sweep.kind,
        .place = status->place,
        .target_count = status->target_count,
        .share = -1,
        .elapsed_ns = now - began_at,
        .remaining_ns = -1,
        .oldest_age_ns = oldest_age(jobs, count, now),
    };

    gather_stats(merge_targets(&status->merged, jobs, count), facts);

    if (plan->sweep.kind != SWEEP_NONE) {
        note_sweep(status, now, facts);
        return;
    }

    int64_t planned = time_add(plan->end.work_time, plan->end.settle_time);
    int64_t done = time_earlier(facts->elapsed_ns, planned);
    if (planned < INT64_MAX)
        note_ending(facts, (double)done / (double)planned, planned - done);

    note_count_limit(status, jobs, count, facts);

    facts->is_endless = facts->share < 0 && !has_phase;
    if (has_phase)
        extend_to_phases(facts);
}

/* Widths, in columns. */
#define FIELD_GAP 2    /* between two fields */
#define BAR_BRACKETS 3 /* the brackets of the bar, and the space after it */
/* The bar itself, without its brackets. Other fields are left out to keep the bar at
 * least BAR_ROOM wide. When no more fields can be left out, the bar becomes narrower,
 * down to BAR_NARROWEST. A bar that would be even narrower is left out. */
#define BAR_WIDEST 20
#define BAR_ROOM 5
#define BAR_NARROWEST 3

/* The fields in their order on the line. */
enum field {
    FIELD_STEP,
    FIELD_PROGRESS,
    FIELD_REQUESTS,
    FIELD_P50,
    FIELD_P99,
    FIELD_MAX,
    FIELD_FAILED,
    FIELD_WAITING,
    FIELD_REMAINING,
    FIELDS
};

/* The order in which fields are left out if the terminal is narrow: the least important
 * field first. The progress is never left out. */
static const enum field dropped[FIELDS - 1] = {
    FIELD_MAX,      FIELD_P99,    FIELD_P50,  FIELD_REMAINING,
    FIELD_REQUESTS, FIELD_FAILED, FIELD_STEP, FIELD_WAITING,
};

/* The age of the oldest request in flight is shown if it is above this, in ns. */
#define SHOWN_AGE SECOND

/* Size of the text of a field, in bytes. The text is ASCII. A field with an empty text is
 * not shown. */
#define FIELD_SIZE 96

/* Makes the field of the current phase or step, such as "under load (2/3)". Leaves the
 * field empty if there is neither a phase nor a step. */
static void
make_step(const struct status_facts *facts, char *text)
{
    const struct status_place *place = &facts->place;
    char target[32] = "";
    char count[16] = "";
    char value[UNITS_TEXT];

    if (place->phase)
        snprintf(text, FIELD_SIZE, "%s (%d/%d)", phase_label(place->phase),
                 (int)place->phase, (int)PHASE_RECOVERED);

    if (facts->sweep_kind == SWEEP_NONE || place->count == 0)
        return;

    if (facts->target_count > 1)
        snprintf(target, sizeof(target), "target %d/%d  ", place->target + 1,
                 facts->target_count);
    if (place->count > 0)
        snprintf(count, sizeof(count), "/%d", place->count);

    sweep_format(facts->sweep_kind, place->value, value);
    snprintf(text, FIELD_SIZE, "%s%s %s (%d%s)", target,
             sweep_kinds[facts->sweep_kind].name, value, place->index + 1, count);
}

/* Writes TIME, in ns, into TEXT, a buffer of UNITS_TEXT bytes. Returns TEXT. The time is
 * rounded down to tenths of a second if it is below TENTHS_BELOW ns, otherwise to
 * seconds, because a person could not follow faster changes. */
static const char *
format_time(int64_t time, int64_t tenths_below, char *text)
{
    int64_t unit = time < tenths_below ? TENTH : SECOND;
    int64_t rounded = time - time % unit;

    return rounded ? units_format(UNITS_TIME, rounded, text) : "0 s";
}

/* Returns SHARE of COUNT, rounded down. 1e-9 is added because a share such as 0.29 may be
 * stored as slightly less. */
static int
round_down(double share, int count)
{
    return (int)(share * count + 1e-9);
}

/* Makes a field of COUNT and a word, such as "1.26 k requests". */
static void
make_count(char *text, uint64_t count, const char *word)
{
    char shown[UNITS_TEXT];

    snprintf(text, FIELD_SIZE, "%s %s", units_format(UNITS_COUNT, (int64_t)count, shown),
             word);
}

/* Adds NAME and TIME, in ns, to TEXT. A negative TIME is unknown and is shown as "-". */
static void
add_latency(char *text, const char *name, int64_t time)
{
    char shown[UNITS_TEXT] = "-";
    size_t length = strlen(text);
    const char *gap = length > 0 ? " " : "";

    if (time >= 0)
        units_format(UNITS_TIME, time, shown);
    snprintf(text + length, FIELD_SIZE - length, "%s%s %s", gap, name, shown);
}

/* Makes the field of the percentile NAME. If operations are mixed, the field has a value
 * for each operation, after the name of the operation. */
static void
make_percentile(const struct status_facts *facts, char *text, const char *name,
                const int64_t *times)
{
    const char *prefix = facts->is_corrected ? "corrected " : "";
    char label[48];

    if (facts->extra_count > 0)
        snprintf(label, sizeof(label), "%s%s %s", prefix, name,
                 scope_name(facts->scope[0]));
    else
        snprintf(label, sizeof(label), "%s%s%s", prefix, name,
                 scope_name(facts->scope[0]));
    add_latency(text, label, times[0]);

    for (int i = 1; i <= facts->extra_count; i++)
        add_latency(text, scope_name(facts->scope[i]), times[i]);
}

/* Makes all fields. The texts of FIELDS must be empty. The progress is the share in
 * percent, rounded down, so that 100 % means that everything is done. If the share is
 * unknown, the progress is the elapsed time. */
static void
make_fields(const struct status_facts *facts, char (*fields)[FIELD_SIZE])
{
    char time[UNITS_TEXT];

    make_step(facts, fields[FIELD_STEP]);

    if (facts->share >= 0)
        snprintf(fields[FIELD_PROGRESS], FIELD_SIZE, "%3d%%",
                 round_down(facts->share, 100));
    else
        snprintf(fields[FIELD_PROGRESS], FIELD_SIZE, "%s",
                 format_time(facts->elapsed_ns, SECOND, time));

    make_count(fields[FIELD_REQUESTS], facts->requests,
               facts->requests == 1 ? "request" : "requests");
    make_percentile(facts, fields[FIELD_P50], "p50", facts->p50);
    make_percentile(facts, fields[FIELD_P99], "p99", facts->p99);
    add_latency(fields[FIELD_MAX], "max", facts->max_latency);

    if (facts->failed)
        make_count(fields[FIELD_FAILED], facts->failed, "failed");
    if (facts->oldest_age_ns > SHOWN_AGE)
        snprintf(fields[FIELD_WAITING], FIELD_SIZE, "waiting %s",
                 format_time(facts->oldest_age_ns, 60 * SECOND, time));

    if (facts->remaining_ns >= 0)
        snprintf(fields[FIELD_REMAINING], FIELD_SIZE, "%s left",
                 format_time(facts->remaining_ns, 60 * SECOND, time));
    else if (facts->is_endless)
        snprintf(fields[FIELD_REMAINING], FIELD_SIZE, "Ctrl-C to stop");
}

/* Returns the width of all fields that are not empty, with the gaps between them. */
static int
fields_width(char (*fields)[FIELD_SIZE])
{
    int width = -FIELD_GAP;

    for (int i = 0; i < FIELDS; i++)
        if (fields[i][0])
            width += FIELD_GAP + (int)strlen(fields[i]);

    return width;
}

/* Makes all FIELDS together at most WIDTH columns wide: first shortens the word
 * "requests", then empties fields in the order of `dropped`. The progress is never
 * emptied, so FIELDS may stay wider than WIDTH. */
static void
narrow_fields(const struct status_facts *facts, char (*fields)[FIELD_SIZE], int width)
{
    if (fields_width(fields) > width)
        make_count(fields[FIELD_REQUESTS], facts->requests, "req");

    for (int i = 0; i < FIELDS - 1; i++) {
        if (fields_width(fields) <= width)
            return;
        fields[dropped[i]][0] = '\0';
    }
}

/* Adds a bar of WIDTH columns for SHARE. The bar is full only when everything is done. */
static void
add_bar(struct buffer *text, double share, int width, bool utf8)
{
    int length = round_down(share, width * text_histogram_units(utf8));

    buffer_text(text, "[");
    text_histogram_bar(text, length, width, utf8 ? " " : "-", utf8);
    buffer_text(text, "] ");
}

void
status_format(struct buffer *text, const struct status_facts *facts, int columns,
              bool utf8, bool color)
{
    char fields[FIELDS][FIELD_SIZE] = {""};
    int width = columns - 1;
    bool has_bar = facts->share >= 0;

    make_fields(facts, fields);
    narrow_fields(facts, fields, has_bar ? width - BAR_ROOM - BAR_BRACKETS : width);

    /* Nothing is drawn if the last field does not fit: a number without its last digits
     * would be read as another number. */
    if (fields_width(fields) > width)
        return;

    int bar_width = width - fields_width(fields) - BAR_BRACKETS;
    if (bar_width > BAR_WIDEST)
        bar_width = BAR_WIDEST;
    if (bar_width < BAR_NARROWEST)
        has_bar = false;

    const char *gap = "";
    for (int i = 0; i < FIELDS; i++) {
        bool is_red = color && i == FIELD_FAILED;

        if (!fields[i][0])
            continue;

        buffer_text(text, gap);
        if (i == FIELD_PROGRESS && has_bar)
            add_bar(text, facts->share, bar_width, utf8);
        color_add(text, is_red ? COLOR_FAILED : NULL, fields[i]);
        gap = "  ";
    }
}

bool
status_is_default(const struct plan *plan)
{
    const struct output *screen = plan_screen(plan);

    if (plan->mode & (MODE_CHECK | MODE_COMPARE) || plan->options->given[OPTION_LIVE])
        return false;

    return !screen->has_requests && !(screen->has_periods && plan->output.print_count);
}

bool
status_possible(void)
{
    return os_stream_is_terminal(STANDARD_ERROR) && !os_terminal_is_dumb();
}

struct status *
status_open(const struct plan *plan, int target_count, int64_t now)
{
    struct status *status = calloc(1, sizeof(*status));

    if (!status)
        return NULL;

    status->lock = os_lock_make();
    if (!status->lock) {
        free(status);
        return NULL;
    }

    status->plan = plan;
    status->target_count = target_count;
    status->began_at = now;
    status->has_utf8 = os_locale_is_utf8();

    return status;
}

/* The control functions of ECMA-48 that erase a line: carriage return (8.3.15), then EL,
 * erase in line, to its end (8.3.41). */
static const char erasure[] = "\r\033[K";

void
status_erase(struct status *status)
{
    status_pause(status);
    status_resume(status);
}

void
status_pause(struct status *status)
{
    if (!status)
        return;

    os_lock_acquire(status->lock);

    /* If the program is in the background, the last line belongs to the shell. */
    if (status->is_shown && os_terminal_is_foreground(STANDARD_ERROR))
        os_stream_write(STANDARD_ERROR, erasure, strlen(erasure));
    status->is_shown = false;
}

void
status_resume(struct status *status)
{
    if (status)
        os_lock_release(status->lock);
}

void
status_notes(struct status *status, struct notes *notes)
{
    if (notes->count == 0)
        return;

    status_pause(status);
    console_notes(notes);
    status_resume(status);
}

void
status_close(struct status *status)
{
    if (!status)
        return;

    status_erase(status);
    buffer_free(&status->line);
    buffer_free(&status->drawn_line);
    os_lock_free(status->lock);
    free(status);
}

/* Makes the line of COUNT jobs at NOW (ns, monotonic) in status->line. The line ends with
 * a carriage return, which puts the cursor at the start of the line even if the line
 * fills the whole width. If a user presses a key, the terminal shows the key at the
 * cursor, and the next line that is drawn or erased removes it. */
static void
make_line(struct status *status, const struct job *jobs, int count, int64_t now)
{
    struct buffer *line = &status->line;
    int columns = os_stream_columns(STANDARD_ERROR);
    struct status_facts facts;

    if (columns == 0)
        columns = DEFAULT_COLUMNS;
    status_gather(status, jobs, count, now, &facts);

    buffer_clear(line);
    buffer_text(line, "\r");
    status_format(line, &facts, columns, status->has_utf8, status->has_color);
    buffer_text(line, "\033[K\r");
}

/* The tick function: draws the line of COUNT jobs at NOW if it has changed. */
static void
draw_line(struct report *report, const struct job *jobs, int count, int64_t now,
          bool last)
{
    struct status *status = report->status;
    struct buffer *line = &status->line;
    struct buffer drawn = status->drawn_line;

    (void)last;

    if (now - status->began_at < QUIET_TIME || !os_terminal_is_foreground(STANDARD_ERROR))
        return;

    make_line(status, jobs, count, now);

    /* The thread that holds the lock may be stuck in its write, so do not wait. */
    if (!os_lock_try(status->lock))
        return;

    bool is_same = status->is_shown && line->length == drawn.length &&
                   memcmp(line->text, drawn.text, drawn.length) == 0;
    if (!line->failed && !is_same) {
        os_stream_write(STANDARD_ERROR, line->text, line->length);
        status->is_shown = true;
        status->drawn_line = *line;
        *line = drawn;
    }

    os_lock_release(status->lock);
}

/* Stores which step or phase begins, and when. The loaded phase begins later than now:
 * when the background load has settled. */
static void
store_place(struct report *report, const struct job *job, const struct run_part *part)
{
    if (!report->status)
        return;

    int64_t began_at = report->monotonic_now();
    if (part->phase == PHASE_LOADED)
        began_at += PLAN_LOAD_SETTLE_TIME;

    report->status->place = (struct status_place){
        .target = job->index,
        .index = part->index,
        .count = part->count,
        .value = part->value,
        .began_at = began_at,
        .phase = part->phase,
    };
}

const struct report_format report_status = {.part = store_place, .tick = draw_line};
