/*
 * The status line. The supervisor's thread gathers the facts from snapshots of the
 * targets, makes a line of them that fits the terminal, and draws it if it has changed.
 * Other threads write to the same terminal: each erases the line before, under a lock.
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

#define STREAM 2
#define PATIENCE (SECOND / 5) /* without a line, ns: in a short run it would flash */

/* Returns the statistics of a target, of its present phase if it has any. */
static const struct stats *
present(const struct job *job)
{
    return job->phases && job->stats != &job->outcome.total ? &job->progress.total
                                                            : job->stats;
}

/* Returns the statistics of all targets together. */
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

/* Stores what statistics have; a percentile with too few requests is not known. */
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
        facts->more = i;
        facts->scope[i] = scope;
        facts->p50[i] = latencies_known_percentile(&latencies, &list[0]);
        facts->p99[i] = latencies_known_percentile(&latencies, &list[1]);
    }
}

/* Notes a condition that ends the run: the one that is nearest to its end counts. */
static void
note_end(struct status_facts *facts, double share, int64_t left)
{
    if (share > facts->share)
        facts->share = share;
    if (left >= 0 && (facts->left < 0 || left < facts->left))
        facts->left = left;
}

/*
 * Returns the time, ns, until the count of a target is reached; -1: not known. With an
 * interval, each thread sends a burst of requests once in it. The rate so far would be
 * misleading there: a single stall would make the run look many times longer.
 */
static int64_t
left_of(const struct plan *plan, const struct stats *stats, int64_t elapsed)
{
    int64_t requests = (int64_t)(plan->ends.count - stats->requests);
    int64_t together = units_scale(plan->pace.burst, plan->io.threads, 1);
    if (plan->pace.interval > 0)
        return units_scale(requests, plan->pace.interval, together);
    if (stats->requests > 0)
        return units_scale(requests, elapsed, (int64_t)stats->requests);
    return -1;
}

/* Notes the count of requests. Targets run side by side, each with its own requests: the
 * last one ends the run. One that has ended before, by a failure, is not waited for. */
static void
note_count(const struct status *status, const struct job *jobs, int count,
           struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    double done = 0, all = (double)plan->ends.count * status->targets;
    int64_t left = 0;
    if (plan->ends.count == UINT64_MAX)
        return;
    for (int i = 0; i < count; i++) {
        const struct job *job = &jobs[i];
        int64_t own = job->has_ended ? 0 : left_of(plan, present(job), facts->elapsed);
        left = left < 0 || own < 0 ? -1 : own > left ? own : left;
        done += (double)(job->has_ended ? plan->ends.count : present(job)->requests);
    }
    note_end(facts, done / all, left);
}

/* Notes the steps of a sweep. Targets run one after another; the number of steps is
 * known of the current one only and taken for that of all. */
static void
note_steps(const struct status *status, int64_t now, struct status_facts *facts)
{
    const struct plan *plan = status->plan;
    const struct status_place *place = &status->place;
    int64_t each = 0, before = 0, value = plan->sweep.from;
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

/* Makes what is known of the end of a phase that of all phases, each as long. */
static void
add_phases(struct status_facts *facts)
{
    int all = PHASE_RECOVERED, left = all - (int)facts->place.phase;
    if (facts->share >= 0)
        facts->share = ((double)facts->place.phase - 1 + facts->share) / all;
    if (facts->elapsed < 0) /* it has not settled */
        facts->left = -1;
    if (facts->left >= 0)
        facts->left = time_add(
            facts->left, time_multiply(time_add(facts->elapsed, facts->left), left));
}

/* Returns the age, ns, of the oldest request in flight; 0 if none is. */
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
        .left = -1,
        .swept = plan->sweep.kind,
        .place = status->place,
        .targets = status->targets,
        .waiting = longest_wait(jobs, count, now),
        .elapsed = now - (status->place.phase ? status->place.began : status->began)};
    gather_stats(merge(&status->merged, jobs, count), facts);
    if (plan->sweep.kind != SWEEP_NONE) {
        note_steps(status, now, facts);
        return;
    }
    int64_t whole = time_add(plan->ends.work_time, plan->ends.settle_time);
    int64_t past = time_earlier(facts->elapsed, whole);
    if (whole < INT64_MAX)
        note_end(facts, (double)past / (double)whole, whole - past);
    note_count(status, jobs, count, facts);
    facts->is_endless = facts->share < 0 && !facts->place.phase;
    if (facts->place.phase)
        add_phases(facts);
}

#define GAP 2 /* columns between two fields */
#define BAR_MOST 20
#define BAR_LEAST 5
#define BAR_TINY 3 /* beside its percentage alone */
#define BAR_ENDS 3 /* columns: its brackets and a space */

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

#define WAITING_LEAST SECOND /* a request that is older is shown */

#define FIELD 96 /* bytes of a text, in ASCII: its columns; "": it is left out */

static void
make_step(const struct status_facts *facts, char *text)
{
    const struct status_place *place = &facts->place;
    char target[32] = "", count[16] = "", value[UNITS_TEXT];
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

/* Rounds TIME down, so that a person can follow it: to a tenth of a second below LIMIT,
 * to a second from there on. */
static void
make_time(char *text, const char *before, int64_t time, int64_t limit, const char *after)
{
    char shown[UNITS_TEXT];
    time -= time % (time < limit ? TENTH : SECOND);
    snprintf(text, FIELD, "%s%s%s", before,
             time ? units_format(UNITS_TIME, time, shown) : "0 s", after);
}

/* Returns SHARE of COUNT, rounded down; 0.29, say, may be stored as a little less. */
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

/* Adds a time to TEXT, behind its NAME. */
static void
add_latency(char *text, const char *name, int64_t time)
{
    char shown[UNITS_TEXT];
    size_t length = strlen(text);
    snprintf(text + length, FIELD - length, "%s%s %s", length ? " " : "", name,
             time >= 0 ? units_format(UNITS_TIME, time, shown) : "-");
}

/* Makes the field of a percentile, which operations have apart where they are mixed. */
static void
make_percentile(const struct status_facts *facts, char *text, const char *name,
                const int64_t *times)
{
    char first[48];
    snprintf(first, sizeof(first), "%s%s%s%s", facts->corrected ? "corrected " : "", name,
             facts->more ? " " : "", scope_name(facts->scope[0]));
    add_latency(text, first, times[0]);
    for (int i = 1; i <= facts->more; i++)
        add_latency(text, scope_name(facts->scope[i]), times[i]);
}

/* Makes all fields, of which none is there, but for the bar. The share that is done is
 * 100 % only at the end; where it is not known, the time so far is progress too. */
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
    if (facts->waiting > WAITING_LEAST)
        make_time(text[FIELD_WAITING], "waiting ", facts->waiting, 60 * SECOND, "");
    if (facts->left >= 0)
        make_time(text[FIELD_LEFT], "", facts->left, 60 * SECOND, " left");
    else if (facts->is_endless)
        snprintf(text[FIELD_LEFT], FIELD, "Ctrl-C to stop");
}

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
    int width = columns - 1, units = text_histogram_units(utf8);
    int least = facts->share >= 0 ? BAR_LEAST + BAR_ENDS : 0;
    make_fields(facts, fields);
    if (width_of(fields) + least > width)
        make_count(fields[FIELD_REQUESTS], facts->requests, "req");
    for (int i = 0; i < FIELDS - 1 && width_of(fields) + least > width; i++)
        fields[dropped[i]][0] = '\0';
    int bar = width - width_of(fields) - BAR_ENDS;
    if (width_of(fields) > width)
        return; /* a number that is cut would be another one */
    bar = bar < BAR_MOST ? bar : BAR_MOST;
    const char *gap = "";
    for (int i = 0; i < FIELDS; i++) {
        if (!fields[i][0])
            continue;
        buffer_text(text, gap);
        if (i == FIELD_PROGRESS && least && bar >= BAR_TINY) { /* full when all is done */
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
    const struct output *screen = &plan->output.list[plan->output.stream_count - 1];
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

/* CR, and EL to the end of the line: ECMA-48 8.3.15, 8.3.41. */
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
    /* In the background the line is the shell's by now. */
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
 * Draws the line, unless the run has only just begun: a short one ends without. The
 * cursor is left at the start of the line: a key that the terminal echoes appears
 * there then, and is erased or drawn over with it, even if the line fills the whole
 * width.
 */
static void
tick(struct report *report, const struct job *jobs, int count, int64_t now, bool last)
{
    struct status *status = report->status;
    struct buffer *line = &status->line, drawn = status->last;
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
    if (!os_lock_try(status->lock)) /* its holder may be stuck writing: not waited for */
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
