/*
 * The status line:
 *
 *   [#####---------------]  25%  12.3 k requests  p50 81 us  p99 120 us  ...  30.0 s left
 *
 * On every tick, the supervisor's thread gathers the facts from snapshots of the targets
 * (status_gather), makes a line of them that fits the terminal (status_format), and draws
 * the line if it has changed (tick).
 *
 * Other threads write to the same terminal. Each erases the line before and locks it
 * meanwhile (status_pause, status_resume). Drawing does not wait for that lock: a tick is
 * skipped instead, because the holder may be stuck while writing.
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

#define TENTH (SECOND / 10)

#define STREAM 2 /* stderr */
/* time without a line at the beginning, in ns: in a short run the line would only
 * flash */
#define PATIENCE (SECOND / 5)

/* Returns the statistics of JOB; if it has phases, of the current phase. */
static const struct stats *
present(const struct job *job)
{
    return job->phases && job->stats != &job->outcome.total ? &job->progress.total
                                                            : job->stats;
}

/* Returns the statistics of all targets together; uses MERGED if there are several. */
static const struct stats *
merge(struct stats *merged, const struct job *jobs, int count)
{
    if (count == 1)
        return present(&jobs[0]);

    stats_clear(merged);
    for (int i = 0; i < count; i++)
        stats_merge(merged, jobs[i].stats);

    return merged;
}

/* Stores the figures that come from statistics. A percentile is unknown (-1) if there are
 * too few requests for it. */
static void
gather_stats(const struct stats *all, struct status_facts *facts)
{
    const struct percentile *list = percentiles_common.list;
    enum scope scope = scope_first(all);

    facts->requests = all->requests;
    facts->failed = all->failed;
    facts->max = all->latency.count > 0 ? all->latency.max : -1;
    facts->corrected = all->corrected_interval > 0;

    for (int i = 0; scope < SCOPE_SYNC; scope = scope_next(all, scope), i++) {
        const struct latencies latencies = latencies_of(all, scope);
        facts->extra_count = i;
        facts->scope[i] = scope;
        facts->p50[i] = latencies_known_percentile(&latencies, &list[0]);
        facts->p99[i] = latencies_known_percentile(&latencies, &list[1]);
    }
}

/* Stores how near a condition is that ends the run: SHARE of it is done, and LEFT ns are
 * left. The condition that ends first counts. */
static void
note_end(struct status_facts *facts, double share, int64_t left)
{
    if (share > facts->share)
        facts->share = share;

    if (left >= 0 && (facts->remaining_ns < 0 || left < facts->remaining_ns))
        facts->remaining_ns = left;
}

/*
 * Returns how long it takes, in ns, until a target has sent all its requests; -1 if
 * unknown. With an interval, each thread sends one burst per interval, so the time
 * follows from the plan. The rate so far would be misleading: a single stall would make
 * the run look many times longer.
 */
static int64_t
left_of(const struct plan *plan, const struct stats *stats, int64_t elapsed)
{
    int64_t requests = (int64_t)(plan->end.count - stats->requests);
    int64_t together = units_scale(plan->pace.burst, plan->io.threads, 1);

    if (plan->pace.interval > 0)
        return units_scale(requests, plan->pace.interval, together);
    if (stats->requests > 0)
        return units_scale(requests, elapsed, (int64_t)stats->requests);
    return -1;
}

/* Notes the limit on the count of requests. Targets run at the same time, each up to this
 * count, so the last one ends the run. A target that has ended early, by a failure, is
 * not waited for. */
static void
note_count(const struct status *status, const struct job *jobs, int count,
           struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    double done = 0;
    double all = (double)plan->end.count * status->targets;
    int64_t left = 0;

    if (plan->end.count == UINT64_MAX)
        return;

    for (int i = 0; i < count; i++) {
        const struct job *job = &jobs[i];
        int64_t own = job->has_ended ? 0 : left_of(plan, present(job), facts->elapsed);
        left = left < 0 || own < 0 ? -1 : own > left ? own : left;
        done += (double)(job->has_ended ? plan->end.count : present(job)->requests);
    }

    note_end(facts, done / all, left);
}

/* Notes the progress of a sweep. Targets are swept one after the other. The number of
 * steps is known of the current target only, and assumed for all. */
static void
note_steps(const struct status *status, int64_t now, struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    const struct status_place *place = &status->place;
    int64_t each = 0;
    int64_t before = 0;
    int64_t value = plan->sweep.from;

    for (int i = 0; i < place->count; i++) {
        if (i == place->index)
            before = each;
        each = time_add(each, plan_step_time(plan, value));
        value = sweep_next(value, plan->sweep.to);
    }

    int64_t past = time_earlier(now - place->began, plan_step_time(plan, place->value));
    int64_t whole = time_multiply(each, status->targets);
    int64_t done = time_add(time_multiply(each, place->target), time_add(before, past));

    if (place->count > 0)
        note_end(facts, (double)done / (double)whole, whole - done);
}

/* Extends the facts about the current phase to the run: all phases take equally long. */
static void
add_phases(struct status_facts *facts)
{
    int all = PHASE_RECOVERED;
    int left = all - (int)facts->place.phase;

    if (facts->share >= 0)
        facts->share = ((double)facts->place.phase - 1 + facts->share) / all;
    /* The background load has not settled yet, so the phase has not really begun. */
    if (facts->elapsed < 0)
        facts->remaining_ns = -1;
    if (facts->remaining_ns >= 0)
        facts->remaining_ns =
            time_add(facts->remaining_ns,
                     time_multiply(time_add(facts->elapsed, facts->remaining_ns), left));
}

/* Returns the age, in ns, of the oldest request in flight; 0 if there is none. */
static int64_t
longest_wait(const struct job *jobs, int count, int64_t now)
{
    int64_t longest = 0;

    for (int i = 0; i < count; i++) {
        int64_t since = jobs[i].in_flight.oldest_sent_at;
        if (since > 0)
            longest = time_later(longest, now - since);
    }

    return longest;
}

void
status_gather(struct status *status, const struct job *jobs, int count, int64_t now,
              struct status_facts *facts)
{
    const struct plan *plan = status->plan;

    *facts = (struct status_facts){
        .share = -1,
        .remaining_ns = -1,
        .swept = plan->sweep.kind,
        .place = status->place,
        .targets = status->targets,
        .oldest_age_ns = longest_wait(jobs, count, now),
        .elapsed = now - (status->place.phase ? status->place.began : status->began)};

    gather_stats(merge(&status->merged, jobs, count), facts);

    if (plan->sweep.kind != SWEEP_NONE) {
        note_steps(status, now, facts);
        return;
    }

    int64_t whole = time_add(plan->end.work_time, plan->end.settle_time);
    int64_t past = time_earlier(facts->elapsed, whole);
    if (whole < INT64_MAX)
        note_end(facts, (double)past / (double)whole, whole - past);

    note_count(status, jobs, count, facts);

    facts->is_endless = facts->share < 0 && !facts->place.phase;
    if (facts->place.phase)
        add_phases(facts);
}

#define GAP 2       /* columns between two fields */
#define BAR_MOST 20 /* columns of the widest bar */
#define BAR_LEAST 5 /* columns of a bar below which fields are left out */
#define BAR_TINY 3  /* columns of the narrowest bar, when no other field is left */
#define BAR_ENDS 3  /* columns of its brackets and a space */

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
    FIELD_LEFT,
    FIELDS
};

/* The order in which fields are left out, the least important first. */
static const enum field dropped[FIELDS - 1] = {FIELD_MAX,  FIELD_P99,      FIELD_P50,
                                               FIELD_LEFT, FIELD_REQUESTS, FIELD_FAILED,
                                               FIELD_STEP, FIELD_WAITING};

#define WAITING_LEAST SECOND /* the age of a request is shown above this */

/* Size of the text of a field, in bytes, all ASCII. An empty text is left out. */
#define FIELD 96

/* Makes the field of the phase, or of the step with its value; leaves it empty if there
 * is neither. */
static void
make_step(const struct status_facts *facts, char *text)
{
    const struct status_place *place = &facts->place;
    char target[32] = "";
    char count[16] = "";
    char value[UNITS_TEXT];

    if (place->phase)
        snprintf(text, FIELD, "%s (%d/%d)", phase_label(place->phase), (int)place->phase,
                 (int)PHASE_RECOVERED);

    if (facts->swept == SWEEP_NONE || place->count == 0)
        return;

    if (facts->targets > 1)
        snprintf(target, sizeof(target), "target %d/%d  ", place->target + 1,
                 facts->targets);

    if (place->count > 0)
        snprintf(count, sizeof(count), "/%d", place->count);

    snprintf(text, FIELD, "%s%s %s (%d%s)", target, sweep_kinds[facts->swept].name,
             sweep_format(facts->swept, place->value, value), place->index + 1, count);
}

/* Makes a field of TIME, ns, between the texts BEFORE and AFTER. TIME is rounded down, so
 * that a person can follow the changes: to tenths of a second below LIMIT, otherwise to
 * seconds. */
static void
make_time(char *text, const char *before, int64_t time, int64_t limit, const char *after)
{
    char shown[UNITS_TEXT];

    time -= time % (time < limit ? TENTH : SECOND);
    snprintf(text, FIELD, "%s%s%s", before,
             time ? units_format(UNITS_TIME, time, shown) : "0 s", after);
}

/* Returns SHARE of COUNT, rounded down. 1e-9 is added because a share such as 0.29 may be
 * stored as slightly less. */
static int
done_of(double share, int count)
{
    return (int)(share * count + 1e-9);
}

static void
make_count(char *text, uint64_t count, const char *what)
{
    char shown[UNITS_TEXT];

    snprintf(text, FIELD, "%s %s", units_format(UNITS_COUNT, (int64_t)count, shown),
             what);
}

/* Adds NAME and TIME, ns, to TEXT; "-" if TIME is unknown. */
static void
add_latency(char *text, const char *name, int64_t time)
{
    char shown[UNITS_TEXT];
    size_t length = strlen(text);

    snprintf(text + length, FIELD - length, "%s%s %s", length ? " " : "", name,
             time >= 0 ? units_format(UNITS_TIME, time, shown) : "-");
}

/* Makes the field of a percentile. If operations are mixed, each has its own value. */
static void
make_percentile(const struct status_facts *facts, char *text, const char *name,
                const int64_t *times)
{
    char first[48];

    snprintf(first, sizeof(first), "%s%s%s%s", facts->corrected ? "corrected " : "", name,
             facts->extra_count ? " " : "", scope_name(facts->scope[0]));
    add_latency(text, first, times[0]);

    for (int i = 1; i <= facts->extra_count; i++)
        add_latency(text, scope_name(facts->scope[i]), times[i]);
}

/* Makes all fields, which must be empty. The share shows 100 % only when everything is
 * done. If the share is unknown, the elapsed time is shown as progress. */
static void
make_fields(const struct status_facts *facts, char (*text)[FIELD])
{
    make_step(facts, text[FIELD_STEP]);

    if (facts->share >= 0)
        snprintf(text[FIELD_PROGRESS], FIELD, "%3d%%", done_of(facts->share, 100));
    else
        make_time(text[FIELD_PROGRESS], "", facts->elapsed, SECOND, "");

    make_count(text[FIELD_REQUESTS], facts->requests,
               facts->requests == 1 ? "request" : "requests");
    make_percentile(facts, text[FIELD_P50], "p50", facts->p50);
    make_percentile(facts, text[FIELD_P99], "p99", facts->p99);
    add_latency(text[FIELD_MAX], "max", facts->max);

    if (facts->failed)
        make_count(text[FIELD_FAILED], facts->failed, "failed");
    if (facts->oldest_age_ns > WAITING_LEAST)
        make_time(text[FIELD_WAITING], "waiting ", facts->oldest_age_ns, 60 * SECOND, "");

    if (facts->remaining_ns >= 0)
        make_time(text[FIELD_LEFT], "", facts->remaining_ns, 60 * SECOND, " left");
    else if (facts->is_endless)
        snprintf(text[FIELD_LEFT], FIELD, "Ctrl-C to stop");
}

/* Returns the width of all fields that are not empty, with the gaps between them. */
static int
width_of(char (*fields)[FIELD])
{
    int width = -GAP;

    for (int i = 0; i < FIELDS; i++)
        if (fields[i][0])
            width += GAP + (int)strlen(fields[i]);
    return width;
}

void
status_format(struct buffer *text, const struct status_facts *facts, int columns,
              bool utf8, bool color)
{
    char fields[FIELDS][FIELD] = {""};
    int width = columns - 1;
    int units = text_histogram_units(utf8);
    int least = facts->share >= 0 ? BAR_LEAST + BAR_ENDS : 0;

    make_fields(facts, fields);

    if (width_of(fields) + least > width)
        make_count(fields[FIELD_REQUESTS], facts->requests, "req");
    for (int i = 0; i < FIELDS - 1 && width_of(fields) + least > width; i++)
        fields[dropped[i]][0] = '\0';

    int bar = width - width_of(fields) - BAR_ENDS;

    /* Nothing is drawn if the last field does not fit: a cut number would read as another
     * one. */
    if (width_of(fields) > width)
        return;

    bar = bar < BAR_MOST ? bar : BAR_MOST;

    const char *gap = "";
    for (int i = 0; i < FIELDS; i++) {
        if (!fields[i][0])
            continue;
        buffer_text(text, gap);
        /* The bar is full only when everything is done. */
        if (i == FIELD_PROGRESS && least && bar >= BAR_TINY) {
            buffer_text(text, "[");
            text_histogram_bar(text, done_of(facts->share, bar * units), bar,
                               utf8 ? " " : "-", utf8);
            buffer_text(text, "] ");
        }
        color_add(text, color && i == FIELD_FAILED ? COLOR_FAILED : NULL, fields[i]);
        gap = "  ";
    }
}

bool
status_chosen(const struct plan *plan)
{
    const struct output *screen = plan_screen(plan);

    return !screen->has_requests && !(screen->has_periods && plan->output.print_count) &&
           !(plan->mode & (MODE_CHECK | MODE_COMPARE));
}

bool
status_possible(void)
{
    return os_stream_terminal(STREAM) && !os_terminal_dumb();
}

struct status *
status_open(const struct plan *plan, int targets, int64_t now)
{
    struct status *status = calloc(1, sizeof(*status));

    if (status)
        status->lock = os_lock_make();
    if (!status || !status->lock) {
        free(status);
        return NULL;
    }

    status->plan = plan;
    status->targets = targets;
    status->began = now;
    status->utf8 = os_locale_utf8();

    return status;
}

/* Erases a line: carriage return, and EL (erase in line) to its end: ECMA-48 8.3.15,
 * 8.3.41. */
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
    if (status->shown && os_terminal_foreground(STREAM))
        os_stream_write(STREAM, erasure, strlen(erasure));
    status->shown = false;
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
    buffer_free(&status->last);
    os_lock_free(status->lock);
    free(status);
}

/*
 * Draws the line. A run that has only just begun has no line yet, and a short run never
 * has one. The cursor is left at the start of the line, even if the line fills the whole
 * width. A key that the terminal echoes then appears there, and is erased or drawn over
 * with the line.
 */
static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    struct status *status = report->status;
    struct buffer *line = &status->line;
    struct buffer drawn = status->last;
    struct status_facts facts;

    (void)last;

    if (now - status->began < PATIENCE || !os_terminal_foreground(STREAM))
        return;

    int columns = os_stream_columns(STREAM);
    status_gather(status, jobs, count, now, &facts);

    buffer_clear(line);
    buffer_text(line, "\r");
    status_format(line, &facts, columns ? columns : 80, status->utf8, status->color);
    buffer_text(line, "\033[K\r");

    /* The holder of the lock may be stuck while writing, so do not wait. */
    if (!os_lock_try(status->lock))
        return;

    bool same = status->shown && line->length == drawn.length &&
                memcmp(line->text, drawn.text, drawn.length) == 0;
    if (!line->failed && !same) {
        os_stream_write(STREAM, line->text, line->length);
        status->shown = true;
        status->last = *line;
        *line = drawn;
    }

    os_lock_release(status->lock);
}

/* Stores the place of the run. The loaded phase begins when the background has
 * settled. */
static void
begin_part(struct report *report, const struct job *job, const struct run_part *part)
{
    int64_t settle = part->phase == PHASE_LOADED ? PLAN_SETTLE : 0;

    if (report->status)
        report->status->place = (struct status_place){job->index,
                                                      part->index,
                                                      part->count,
                                                      part->value,
                                                      report->monotonic_now() + settle,
                                                      part->phase};
}

const struct report_format report_status = {.part = begin_part, .tick = tick};
