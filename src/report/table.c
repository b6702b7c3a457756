/*
 * The table of a sweep, which grows by a row for each step, and that of the phases of a
 * run with a load beside it. Where reads and writes are mixed, the row of both together
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

/* Adds a time, or a dash for one that is not known. */
static void
add_cell(struct buffer *text, int width, bool known, int64_t time)
{
    if (known)
        add_value(text, width, UNITS_TIME, time, "");
    else
        add_text(text, width, "-");
}

/* Adds the percentiles that were asked for, and the maximum. */
static void
add_cells(struct buffer *text, const struct plan *plan, const struct latencies *latencies,
          int max)
{
    const struct percentiles *list = percentiles_of(plan);
    uint64_t count = latencies->moments->count;
    unsigned shown = percentiles_shown(list, count);
    for (int i = 0; i < list->count; i++)
        add_cell(text, width_of(&list->list[i]), shown & 1u << i,
                 latencies_percentile(latencies, &list->list[i]));
    add_cell(text, max, count > 0, latencies->moments->max);
}

/* Adds the average and those. */
static void
add_times(struct buffer *text, const struct plan *plan, const struct latencies *latencies,
          const struct widths *widths)
{
    const struct moments *moments = latencies->moments;
    add_cell(text, widths->average, moments->count > 0, moments_average(moments));
    add_cells(text, plan, latencies, widths->max);
}

/* Adds the percentiles of the device, of those requests that were split. */
static void
add_device_cells(struct buffer *text, const struct stats *stats)
{
    const struct distribution *device = &stats->breakdown.parts[PART_DEVICE];
    const struct percentiles *list = &percentiles_common;
    unsigned shown = percentiles_shown(list, device->moments.count);
    for (int i = 0; i < list->count; i++)
        add_cell(text, WIDTH_DEVICE, shown & 1u << i,
                 distribution_percentile(device, &list->list[i]));
}

/* Adds the names of percentiles and of the maximum. */
static void
add_names(struct buffer *text, const struct plan *plan, int max)
{
    const struct percentiles *list = percentiles_of(plan);
    for (int i = 0; i < list->count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "p%s", list->list[i].name);
        buffer_format(text, "%*s", width_of(&list->list[i]), name);
    }
    add_text(text, max, "max");
}

static void
add_device_names(struct buffer *text, const struct plan *plan)
{
    if (plan->statistics.breakdown)
        buffer_format(text, "%*s%*s", WIDTH_DEVICE, "device p50", WIDTH_DEVICE,
                      "device p99");
    buffer_text(text, "\n");
}

void
table_head(struct buffer *text, const struct plan *plan, int columns)
{
    const struct widths widths = find_widths(plan, columns);
    bool offered = plan->sweep.kind == SWEEP_RATE;
    add_text(text, WIDTH_SWEPT, offered ? "offered" : sweep_name(plan->sweep.kind));
    add_text(text, widths.rate, offered ? "achieved" : "iops");
    add_text(text, widths.speed, offered ? "in use" : "bandwidth");
    add_text(text, widths.average, "avg");
    add_names(text, plan, widths.max);
    add_device_names(text, plan);
}

void
table_row(struct buffer *text, const struct plan *plan, const struct job_step *step,
          const struct stats *stats, int64_t time, bool color, int columns)
{
    const struct widths widths = find_widths(plan, columns);
    const struct latencies all = latencies_of(stats, SCOPE_ALL);
    enum scope scope = SCOPE_ALL;
    double rate = stats_rate((double)stats->requests, time);
    char value[UNITS_TEXT];
    add_text(text, WIDTH_SWEPT, sweep_format(plan->sweep.kind, step->value, value));
    if (plan->sweep.kind == SWEEP_RATE) {
        /* How many requests waited for an answer in the mean: by Little's law ("A proof
         * for the queuing formula L = lambda W", Operations Research 9, 1961) the sum of
         * their times per time. */
        double in_use = (double)stats->latency.sum / (double)(time ? time : 1);
        add_value(text, WIDTH_SWEPT, UNITS_COUNT, (int64_t)(rate + 0.5), "");
        if (widths.speed && in_use < 1000)
            buffer_format(text, "%*.2f", widths.speed, in_use);
        else
            add_value(text, widths.speed, UNITS_COUNT, (int64_t)(in_use + 0.5), "");
    } else {
        add_value(text, widths.rate, UNITS_COUNT, (int64_t)rate, "");
        add_value(text, widths.speed, UNITS_SIZE,
                  (int64_t)stats_rate((double)stats->all_bytes, time), "/s");
    }
    add_times(text, plan, &all, &widths);
    if (plan->statistics.breakdown)
        add_device_cells(text, stats);
    if (step->verdict != SLO_MET)
        buffer_text(text, "  ");
    if (step->verdict == SLO_BROKEN)
        color_add(text, color, TONE_FAILED, "FAIL");
    if (step->verdict == SLO_UNKNOWN)
        buffer_text(text, "?");
    buffer_text(text, "\n");
    while (scope_is_operation(scope = scope_next(stats, scope))) {
        const struct latencies own = latencies_of(stats, scope);
        buffer_format(text, "%*s%*s", WIDTH_SWEPT, scope_name(scope),
                      widths.rate + widths.speed, "");
        add_times(text, plan, &own, &widths);
        buffer_text(text, "\n");
    }
}

void
table_highest(struct buffer *text, const struct job *job)
{
    enum sweep_kind kind = job->plan.sweep.kind;
    const struct slos *slos = &job->plan.statistics.slos;
    bool found = job->highest >= 0;
    const struct job_step *step = found ? &job->steps[job->highest] : NULL;
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

/* Adds what a phase has of SCOPE, with NAME before it, and how many times its p99 is that
 * of the idle one, a dash where one is not known. */
static void
add_requests(struct buffer *text, const struct plan *plan,
             const struct job_phases *phases, enum phase phase, enum scope scope,
             const char *name, const struct shape *shape)
{
    const struct latencies latencies = latencies_of(&phases->list[phase].stats, scope),
                           idle = latencies_of(&phases->list[PHASE_IDLE].stats, scope);
    const struct percentile *p99 = &percentiles_common.list[1];
    uint64_t needs = percentile_needs(p99), count = latencies.moments->count;
    double least = (double)latencies_percentile(&idle, p99);
    char requests[24], ratio[32] = "-";
    snprintf(requests, sizeof(requests), "%llu", (unsigned long long)count);
    add_first(text, shape, name, requests);
    add_cells(text, plan, &latencies, WIDTH_TIME);
    if (count >= needs && idle.moments->count >= needs && least > 0)
        snprintf(ratio, sizeof(ratio), "%.2fx",
                 (double)latencies_percentile(&latencies, p99) / least);
    buffer_format(text, "%*s", shape->ratio, ratio);
}

/* Adds the rows of PHASE; LOAD is what it is called. */
static void
add_phase(struct buffer *text, const struct plan *plan, const struct job_phases *phases,
          enum phase phase, const char *load, const struct shape *shape)
{
    const struct stats *stats = &phases->list[phase].stats;
    const struct outcome *background = &phases->background->outcome;
    enum scope scope = SCOPE_ALL;
    const char *name = phase == PHASE_IDLE     ? "none"
                       : phase == PHASE_LOADED ? load
                                               : "none, after";
    add_requests(text, plan, phases, phase, scope, name, shape);
    if (shape->bandwidth && phase == PHASE_LOADED)
        add_value(
            text, shape->bandwidth, UNITS_SIZE,
            (int64_t)stats_rate((double)background->total.all_bytes, background->time),
            "/s");
    else if (shape->bandwidth)
        buffer_format(text, "%*s", shape->bandwidth, "-");
    if (plan->statistics.breakdown)
        add_device_cells(text, stats);
    buffer_text(text, "\n");
    while (scope_is_operation(scope = scope_next(stats, scope))) {
        char own[16];
        snprintf(own, sizeof(own), "  %s", scope_name(scope));
        add_requests(text, plan, phases, phase, scope, own, shape);
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
    add_names(text, plan, WIDTH_TIME);
    buffer_format(text, "%*s%*s", shape.ratio, "p99 vs idle", shape.bandwidth,
                  shape.bandwidth ? "load bandwidth" : "");
    add_device_names(text, plan);
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
        if (phases->list[phase].ended && !load.failed)
            add_phase(text, plan, phases, phase, load.text, &shape);
    buffer_free(&load);
}
