/*
 * The table of a sweep, which grows by a row for each step, and that of the phases of a
 * run with a background. Where reads and writes are mixed, the row of both together
 * has one of each operation below it, with what is that operation's own.
 */
#include "base/buffer.h"
#include "base/units.h"
#include "plan/plan.h"
#include "report/console.h"
#include "run/job.h"
#include "stats/stats.h"
#include "writers.h"

#include <stdio.h>
#include <string.h>

/* Widths of the columns of a table, for the widest value and a gap before it. */
#define WIDTH_SWEPT 10
#define WIDTH_RATE 9
#define WIDTH_SPEED 14
#define WIDTH_TIME 11
#define WIDTH_DEVICE 13
#define WIDTH_LOAD 20
#define WIDTH_REQUESTS 10
#define WIDTH_RATIO 13
#define WIDTH_BANDWIDTH 16
#define WIDTH_IN_USE 9
#define WIDTH_VERDICT 6

/* Widths of columns of a sweep that a narrow terminal may lack: 0 then. Where rates are
 * swept, RATE is what was achieved, and SPEED how many requests were in use. */
struct widths {
    int rate, speed, average, max;
};

/* Returns the percentiles that were asked for, or the two that matter most. */
static const struct percentiles *
percentiles_of(const struct plan *plan)
{
    const struct percentiles *list = &plan->output.percentiles;
    return list->given ? list : &percentiles_common;
}

/* Adds a cell, unless its column is left out. */
static void
add_text(struct buffer *text, int width, const char *cell)
{
    if (width)
        buffer_format(text, "%*s", width, cell);
}

static void
add_value(struct buffer *text, int width, enum units_kind kind, int64_t value,
          const char *after)
{
    char shown[UNITS_TEXT], cell[UNITS_TEXT + 8];
    snprintf(cell, sizeof(cell), "%s%s", units_format(kind, value, shown), after);
    add_text(text, width, cell);
}

/* Returns the width of a percentile's column: its name may be longer than any time. */
static int
width_of(const struct percentile *percentile)
{
    int name = (int)strlen(percentile->name) + 3;
    return name > WIDTH_TIME ? name : WIDTH_TIME;
}

/* Returns the width of the percentiles of PLAN, and of what there is of the device. */
static int
measure_percentiles(const struct plan *plan)
{
    const struct percentiles *list = percentiles_of(plan);
    int width = plan->statistics.breakdown ? 2 * WIDTH_DEVICE : 0;
    for (int i = 0; i < list->count; i++)
        width += width_of(&list->list[i]);
    return width;
}

/* Returns the widths for a terminal of COLUMNS, 0 for what goes elsewhere. A bandwidth is
 * a rate times the size: a table has room for one of them as long as for any. */
static struct widths
find_widths(const struct plan *plan, int columns)
{
    bool offered = plan->sweep.kind == SWEEP_RATE;
    struct widths widths = {offered ? WIDTH_SWEPT : WIDTH_RATE,
                            offered ? WIDTH_IN_USE : WIDTH_SPEED, WIDTH_TIME, WIDTH_TIME};
    int *const least_useful[] = {
        &widths.average, plan->sweep.kind == SWEEP_SIZE ? &widths.rate : &widths.speed,
        &widths.max};
    int width = WIDTH_SWEPT + widths.rate + widths.speed + widths.average + widths.max +
                measure_percentiles(plan) +
                (plan->statistics.slos.count ? WIDTH_VERDICT : 0);
    for (int i = 0; columns && i < 3 && width > columns; i++) {
        width -= *least_useful[i];
        *least_useful[i] = 0;
    }
    return widths;
}

/* Adds a time, a dash for one that is not known, or in the head its NAME. */
static void
add_time(struct buffer *text, int width, const char *name, bool known, int64_t time)
{
    if (!name && known)
        add_value(text, width, UNITS_TIME, time, "");
    else
        add_text(text, width, name ? name : "-");
}

/* Adds the average, the percentiles that were asked for, and the maximum; without
 * LATENCIES the names of them. */
static void
add_times(struct buffer *text, const struct plan *plan, const struct latencies *latencies,
          int average, int max)
{
    const struct percentiles *list = percentiles_of(plan);
    const struct moments none = {0}, *moments = latencies ? latencies->moments : &none;
    unsigned shown = percentiles_shown(list, moments->count);
    bool head = !latencies, any = moments->count > 0;
    add_time(text, average, head ? "avg" : NULL, any, moments_average(moments));
    for (int i = 0; i < list->count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "p%s", list->list[i].name);
        add_time(text, width_of(&list->list[i]), head ? name : NULL, shown & 1u << i,
                 latencies ? latencies_percentile(latencies, &list->list[i]) : 0);
    }
    add_time(text, max, head ? "max" : NULL, any, moments->max);
}

/* Adds the percentiles of the device, of those requests that were split; without STATS
 * the names of them. */
static void
add_device(struct buffer *text, const struct plan *plan, const struct stats *stats)
{
    const struct percentiles *list = &percentiles_common;
    for (int i = 0; plan->statistics.breakdown && i < list->count; i++) {
        const struct distribution *device =
            stats ? &stats->breakdown.parts[PART_DEVICE] : NULL;
        bool known = device && percentiles_shown(list, device->moments.count) & 1u << i;
        char name[24];
        snprintf(name, sizeof(name), "device p%s", list->list[i].name);
        add_time(text, WIDTH_DEVICE, device ? NULL : name, known,
                 device ? distribution_percentile(device, &list->list[i]) : 0);
    }
}

void
table_head(struct buffer *text, const struct plan *plan, int columns)
{
    const struct widths widths = find_widths(plan, columns);
    bool offered = plan->sweep.kind == SWEEP_RATE;
    add_text(text, WIDTH_SWEPT, offered ? "offered" : sweep_name(plan->sweep.kind));
    add_text(text, widths.rate, offered ? "achieved" : "iops");
    add_text(text, widths.speed, offered ? "in use" : "bandwidth");
    add_times(text, plan, NULL, widths.average, widths.max);
    add_device(text, plan, NULL);
    buffer_text(text, "\n");
}

/* Adds the step and its rates over TIME ns. */
static void
add_rates(struct buffer *text, const struct plan *plan, const struct job_step *step,
          const struct stats *stats, int64_t time, const struct widths *widths)
{
    double rate = stats_rate((double)stats->requests, time);
    double speed = stats_rate((double)stats->all_bytes, time);
    /* How many requests waited for an answer in the mean: by Little's law ("A proof for
     * the queuing formula L = lambda W", Operations Research 9, 1961) the sum of their
     * times per time. */
    double in_use = (double)stats->latency.sum / (double)(time ? time : 1);
    bool offered = plan->sweep.kind == SWEEP_RATE;
    char value[UNITS_TEXT];
    add_text(text, WIDTH_SWEPT, sweep_format(plan->sweep.kind, step->value, value));
    add_value(text, widths->rate, UNITS_COUNT, (int64_t)(rate + (offered ? 0.5 : 0)), "");
    if (!offered)
        add_value(text, widths->speed, UNITS_SIZE, (int64_t)speed, "/s");
    else if (widths->speed && in_use < 1000)
        buffer_format(text, "%*.2f", widths->speed, in_use);
    else
        add_value(text, widths->speed, UNITS_COUNT, (int64_t)(in_use + 0.5), "");
}

void
table_row(struct buffer *text, const struct plan *plan, const struct job_step *step,
          const struct stats *stats, int64_t time, bool color, int columns)
{
    const struct widths widths = find_widths(plan, columns);
    for (enum scope scope = SCOPE_ALL; scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        if (scope == SCOPE_ALL)
            add_rates(text, plan, step, stats, time, &widths);
        else
            buffer_format(text, "%*s%*s", WIDTH_SWEPT, scope_name(scope),
                          widths.rate + widths.speed, "");
        add_times(text, plan, &latencies, widths.average, widths.max);
        if (scope == SCOPE_ALL) {
            add_device(text, plan, stats);
            buffer_text(text, step->verdict == SLO_UNKNOWN ? "  ?" : "");
            buffer_text(text, step->verdict == SLO_BROKEN ? "  " : "");
            if (step->verdict == SLO_BROKEN)
                color_add(text, color, TONE_FAILED, "FAIL");
        }
        buffer_text(text, "\n");
    }
}

void
table_highest(struct buffer *text, const struct job *job)
{
    enum sweep_kind kind = job->plan.sweep.kind;
    const struct slos *slos = &job->plan.statistics.slos;
    bool found = job->sweep.highest >= 0;
    const struct job_step *step = found ? &job->sweep.steps[job->sweep.highest] : NULL;
    char value[UNITS_TEXT];
    if (kind == SWEEP_RATE)
        buffer_format(text, "%s%s", found ? "highest rate that " : "no rate ",
                      slos->count ? "keeps " : "was achieved");
    else if (found)
        buffer_format(text, "%s that keeps ", sweep_highest(kind));
    else
        buffer_format(text, "no %s %s ", sweep_noun(kind),
                      job->outcome.verdict == SLO_UNKNOWN ? "is known to keep" : "keeps");
    slos_text(slos, text);
    if (found && kind == SWEEP_RATE) { /* of which requests have the plan's size */
        buffer_text(text, ": ");
        units_add(text, UNITS_COUNT, step->rate);
        buffer_text(text, " iops (");
        units_add(text, UNITS_SIZE,
                  units_scale(step->rate, job->plan.workload.request_size, 1));
        buffer_text(text, "/s)");
    } else if (found) {
        buffer_format(text, ": %s", sweep_format(kind, step->value, value));
    }
    if (found && kind != SWEEP_RATE && kind != SWEEP_INTERVAL) { /* which is a rate */
        buffer_text(text, " (");
        units_add(text, UNITS_COUNT, (int64_t)step->iops);
        buffer_text(text, " iops, ");
        units_add(text, UNITS_SIZE, (int64_t)step->bps);
        buffer_text(text, "/s)");
    }
    buffer_text(text, "\n");
}

/* The shape of the table of phases: widths of columns, 0 for one that is left out. */
struct shape {
    bool alone; /* a name has a line of its own */
    int name, requests, ratio, bandwidth;
};

/* Returns the shape for names of NAME columns on a terminal of COLUMNS, 0 for what goes
 * elsewhere: the first that fits, or else the last. */
static struct shape
find_shape(const struct plan *plan, int name, int columns)
{
    const struct shape shapes[] = {
        {false, name > WIDTH_LOAD ? name : WIDTH_LOAD, WIDTH_REQUESTS, WIDTH_RATIO,
         WIDTH_BANDWIDTH},
        {false, name, 0, WIDTH_RATIO - 1, WIDTH_BANDWIDTH - 1},
        {true, 0, WIDTH_REQUESTS, WIDTH_RATIO - 1, WIDTH_BANDWIDTH - 1},
        {true, 0, 0, WIDTH_RATIO - 1, WIDTH_BANDWIDTH - 1},
        {true, 0, 0, WIDTH_RATIO - 1, 0},
    };
    int i = 0, percentiles = measure_percentiles(plan);
    while (columns && i < 4 &&
           shapes[i].name + shapes[i].requests + WIDTH_TIME + shapes[i].ratio +
                   shapes[i].bandwidth + percentiles >
               columns)
        i++;
    return shapes[i];
}

/* Adds the first cells of a line. */
static void
add_first(struct buffer *text, const struct shape *shape, const char *name,
          const char *requests)
{
    buffer_format(text, "%-*s%s%*s", shape->name, name, shape->alone ? "\n" : "",
                  shape->requests, shape->requests ? requests : "");
}

/* Adds the rows of PHASE; LOAD is what it is called. Each has how many times its p99 is
 * that of the idle phase, a dash where one is not known. */
static void
add_phase(struct buffer *text, const struct plan *plan, const struct job_phases *phases,
          enum phase phase, const char *load, const struct shape *shape)
{
    const struct stats *stats = &phases->list[phase].stats;
    const struct outcome *background = &phases->background->outcome;
    const struct percentile *p99 = &percentiles_common.list[1];
    for (enum scope scope = SCOPE_ALL; scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        const struct latencies latencies = latencies_of(stats, scope);
        const struct latencies idle =
            latencies_of(&phases->list[PHASE_IDLE].stats, scope);
        uint64_t needs = percentile_needs(p99), count = latencies.moments->count;
        double least = (double)latencies_percentile(&idle, p99);
        char requests[24], operation[16], ratio[32] = "-";
        snprintf(requests, sizeof(requests), "%llu", (unsigned long long)count);
        snprintf(operation, sizeof(operation), "  %s", scope_name(scope));
        add_first(text, shape,
                  scope != SCOPE_ALL      ? operation
                  : phase == PHASE_IDLE   ? "none"
                  : phase == PHASE_LOADED ? load
                                          : "none, after",
                  requests);
        add_times(text, plan, &latencies, 0, WIDTH_TIME);
        if (count >= needs && idle.moments->count >= needs && least > 0)
            snprintf(ratio, sizeof(ratio), "%.2fx",
                     (double)latencies_percentile(&latencies, p99) / least);
        add_text(text, shape->ratio, ratio);
        if (scope == SCOPE_ALL && phase == PHASE_LOADED)
            add_value(text, shape->bandwidth, UNITS_SIZE,
                      (int64_t)stats_rate((double)background->total.all_bytes,
                                          background->time),
                      "/s");
        else if (scope == SCOPE_ALL)
            add_text(text, shape->bandwidth, "-");
        if (scope == SCOPE_ALL)
            add_device(text, plan, stats);
        buffer_text(text, "\n");
    }
}

void
phases_table(struct buffer *text, const struct plan *plan,
             const struct job_phases *phases, int columns)
{
    struct buffer load = {0};
    plan_background_name(&phases->background->plan, &load);
    text->failed |= load.failed;
    int least = (int)strlen("none, after");
    struct shape shape =
        find_shape(plan, (int)load.length > least ? (int)load.length : least, columns);
    add_first(text, &shape, "load", "requests");
    add_times(text, plan, NULL, 0, WIDTH_TIME);
    add_text(text, shape.ratio, "p99 vs idle");
    add_text(text, shape.bandwidth, "load bandwidth");
    add_device(text, plan, NULL);
    buffer_text(text, "\n");
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        if (phases->list[phase].ended && !load.failed)
            add_phase(text, plan, phases, phase, load.text, &shape);
    buffer_free(&load);
}
