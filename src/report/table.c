/*
 * The table of a sweep, which grows by a row for each step, and that of the phases of a
 * run with a background. Where reads and writes are mixed, the row of both together
 * has one of each operation below it, with what is that operation's own.
 */
#include "base/buffer.h"
#include "base/units.h"
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

#define WIDTH_SWEPT 10
#define WIDTH_PHASE 12
#define WIDTH_TIME 11
#define WIDTH_DEVICE 13
#define WIDTH_VERDICT 9

#define CELL 48 /* bytes */

/* What a column has. The first three are of all requests alone. */
enum column_kind { RATE, SPEED, IN_USE, REQUESTS, AVERAGE, RANK, MAX, RATIO, DEVICE };

struct column {
    enum column_kind kind;
    int width; /* of its widest value and a gap before it; 0: it is left out */
    const char *head;
    const struct percentile *rank; /* its name ends the head; NULL: there is none */
    uint64_t needs;                /* requests that make a time known */
};

struct table {
    int name;       /* width of the names, below 0 if they begin at the left; */
    bool alone;     /* they have lines of their own */
    int count, own; /* columns, and those that an operation may have */
    struct column columns[PERCENTILES_MOST + 8];
};

/* What a line is of. */
struct line {
    const struct stats *stats;
    enum scope scope;
    double rate, speed;       /* requests and bytes per second; below 0: not known */
    double in_use;            /* requests that waited for an answer in the mean */
    const struct stats *idle; /* what a ratio is to */
    enum slo_verdict verdict; /* of a step, printed at its end */
    bool limited;             /* there are limits, so that there is a verdict */
    bool color;               /* FAIL is red */
};

static void
add_column(struct table *table, enum column_kind kind, int width, const char *head)
{
    table->columns[table->count++] = (struct column){kind, width, head, NULL, 1};
}

/* Adds columns of KIND: the percentiles that were asked for, whose names may be longer
 * than any time, or the two that matter most, and these of the device. */
static void
add_ranks(struct table *table, const struct plan *plan, enum column_kind kind)
{
    const struct percentiles *list = &plan->output.percentiles;
    bool device = kind == DEVICE, wanted = !device || plan->statistics.breakdown;
    if (device || !list->is_given)
        list = &percentiles_common;
    for (int i = 0; wanted && i < list->count; i++) {
        const struct percentile *rank = &list->list[i];
        int name = (int)strlen(rank->name) + 3;
        int width = device ? WIDTH_DEVICE : name > WIDTH_TIME ? name : WIDTH_TIME;
        table->columns[table->count++] =
            (struct column){kind, width, device ? "device p" : "p", rank,
                            list->is_given ? 1 : percentile_needs(rank)};
    }
}

/* Returns whether a terminal, if REPORT goes to one, has room for the table and MORE. */
static bool
fits(const struct table *table, const struct report *report, int more)
{
    int width = abs(table->name) + more;
    for (int i = 0; i < table->count; i++)
        width += table->columns[i].width;
    return !report->terminal || width <= report->columns;
}

/* Returns whether each step of the sweep of PLAN has a verdict: on limits, or on whether
 * the rate was met. */
static bool
has_verdicts(const struct plan *plan)
{
    return plan->statistics.slos.count > 0 || plan->sweep.kind == SWEEP_RATE;
}

/* Makes the table of a sweep for the terminal of REPORT, if it goes to one. A bandwidth
 * is a rate times the size: a table has room for one of them as long as for any. Of swept
 * rates there is what was achieved, and how many requests were in use. */
static void
make_sweep(struct table *table, const struct report *report)
{
    const struct plan *plan = report->plan;
    bool offered = plan->sweep.kind == SWEEP_RATE;
    enum column_kind speed = offered ? IN_USE : SPEED;
    const enum column_kind least_useful[] = {
        AVERAGE, plan->sweep.kind == SWEEP_SIZE ? RATE : speed, MAX};
    int verdict = has_verdicts(plan) ? WIDTH_VERDICT : 0;
    *table = (struct table){.name = WIDTH_SWEPT};
    add_column(table, RATE, offered ? 10 : 9, offered ? "achieved" : "iops");
    add_column(table, speed, offered ? 9 : 14, offered ? "in use" : "bandwidth");
    add_column(table, AVERAGE, WIDTH_TIME, "avg");
    add_ranks(table, plan, RANK);
    add_column(table, MAX, WIDTH_TIME, "max");
    table->own = table->count;
    add_ranks(table, plan, DEVICE);
    for (int i = 0; i < 3 && !fits(table, report, verdict); i++)
        for (int k = 0; k < table->count; k++)
            if (table->columns[k].kind == least_useful[i])
                table->columns[k].width = 0;
}

/* Stores how many times the p99 of LATENCIES is that of IDLE. */
static void
fill_ratio(char *cell, const struct latencies *latencies, const struct latencies idle)
{
    const struct percentile *p99 = &percentiles_common.list[1];
    uint64_t needs = percentile_needs(p99);
    double least = (double)latencies_percentile(&idle, p99);
    if (latencies->moments->count >= needs && idle.moments->count >= needs && least > 0)
        snprintf(cell, CELL, "%.2fx",
                 (double)latencies_percentile(latencies, p99) / least);
}

/* Stores what LINE has in COLUMN, a dash if that is not known. */
static void
fill_cell(char *cell, const struct column *column, const struct line *line)
{
    enum scope scope = column->kind == DEVICE ? SCOPE_DEVICE : line->scope;
    const struct latencies latencies = latencies_of(line->stats, scope);
    const struct moments *latency = latencies.moments;
    int64_t time = column->rank          ? latencies_percentile(&latencies, column->rank)
                   : column->kind == MAX ? latency->max
                                         : moments_average(latency);
    char shown[UNITS_TEXT];
    snprintf(cell, CELL, "-");
    if (column->kind == REQUESTS)
        snprintf(cell, CELL, "%llu", (unsigned long long)latency->count);
    else if (column->kind == RATE)
        units_format(UNITS_COUNT, (int64_t)line->rate, cell);
    else if (column->kind == SPEED && line->speed >= 0)
        snprintf(cell, CELL, "%s/s",
                 units_format(UNITS_SIZE, (int64_t)line->speed, shown));
    else if (column->kind == IN_USE && line->in_use < 1000)
        snprintf(cell, CELL, "%.2f", line->in_use);
    else if (column->kind == IN_USE)
        units_format(UNITS_COUNT, (int64_t)(line->in_use + 0.5), cell);
    else if (column->kind == RATIO)
        fill_ratio(cell, &latencies, latencies_of(line->idle, scope));
    else if (column->kind != SPEED && latency->count >= column->needs)
        units_format(UNITS_TIME, time, cell);
}

/* Adds NAME and the cells of LINE; NULL: the heads of the columns. */
static void
add_line(struct buffer *text, const struct table *table, const char *name,
         const struct line *line)
{
    bool all = !line || line->scope == SCOPE_ALL;
    enum slo_verdict verdict = line && all ? line->verdict : SLO_MET;
    buffer_format(text, "%*s%s", table->name, name, table->alone ? "\n" : "");
    for (int i = 0; i < (all ? table->count : table->own); i++) {
        const struct column *column = &table->columns[i];
        char cell[CELL] = "";
        if (!line)
            snprintf(cell, CELL, "%s%s", column->head,
                     column->rank ? column->rank->name : "");
        else if (all || column->kind > IN_USE)
            fill_cell(cell, column, line);
        if (column->width)
            buffer_format(text, "%*s", column->width, cell);
    }
    if (line && all && line->limited) {
        bool red = line->color && verdict == SLO_BROKEN;
        buffer_text(text, "  ");
        color_add(text, red ? COLOR_FAILED : NULL, slo_verdict_name(verdict));
    }
    buffer_text(text, "\n");
}

/* Adds the row NAME, and those of its operations. */
static void
add_rows(struct buffer *text, const struct table *table, const char *name,
         struct line line)
{
    char own[16];
    for (; line.scope < SCOPE_SYNC; line.scope = scope_next(line.stats, line.scope)) {
        snprintf(own, sizeof(own), "  %s", scope_name(line.scope));
        add_line(text, table, line.scope ? own : name, &line);
    }
}

void
table_head(struct report *report)
{
    enum sweep_kind kind = report->plan->sweep.kind;
    struct table table;
    make_sweep(&table, report);
    add_line(&report->text, &table,
             kind == SWEEP_RATE ? "offered" : sweep_kinds[kind].name, NULL);
}

/* How many requests waited for an answer in the mean is by Little's law ("A proof for the
 * queuing formula L = lambda W", Operations Research 9, 1961) the sum of their times per
 * time. */
void
table_row(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct job_step *step = record->step;
    int64_t time = record->duration;
    enum sweep_kind kind = report->plan->sweep.kind;
    struct line line = {.stats = stats,
                        .rate = kind == SWEEP_RATE
                                    ? (double)step->answered_rate
                                    : stats_rate((double)stats->requests, time),
                        .speed = stats_rate((double)stats->all_bytes, time),
                        .in_use = (double)stats->latency.sum / (double)(time ? time : 1),
                        .verdict = step->verdict,
                        .limited = has_verdicts(report->plan),
                        .color = report->color};
    struct table table;
    char value[UNITS_TEXT];
    make_sweep(&table, report);
    add_rows(&report->text, &table, sweep_format(kind, step->value, value), line);
}

void
table_highest(struct report *report, const struct run_record *record)
{
    (void)record;
    const struct job *job = report->job;
    struct buffer *text = &report->text;
    enum sweep_kind kind = job->plan.sweep.kind;
    const struct slos *slos = &job->plan.statistics.slos;
    bool found = job->sweep.highest_index >= 0;
    const struct job_step *step =
        found ? &job->sweep.steps[job->sweep.highest_index] : NULL;
    int64_t size = job->plan.workload.request_size;
    char value[UNITS_TEXT], iops[UNITS_TEXT], bps[UNITS_TEXT];
    buffer_text(text, sweep_kinds[kind].highest);
    if (slos->count) {
        buffer_text(text, " with ");
        slos_print(slos, text);
    } else {
        buffer_text(text, " that was achieved");
    }
    if (!found) {
        bool unknown = job->outcome.verdict == SLO_UNKNOWN;
        buffer_text(text, unknown ? ": UNKNOWN" : ": none");
    }
    if (found && kind == SWEEP_RATE) { /* of which requests have the plan's size */
        buffer_format(
            text, ": %s iops (%s/s)",
            units_format(UNITS_COUNT, step->answered_rate, iops),
            units_format(UNITS_SIZE, units_scale(step->answered_rate, size, 1), bps));
    } else if (found) {
        buffer_format(text, ": %s", sweep_format(kind, step->value, value));
        if (kind != SWEEP_INTERVAL) /* which is a rate */
            buffer_format(text, " (%s iops, %s/s)",
                          units_format(UNITS_COUNT, (int64_t)step->iops, iops),
                          units_format(UNITS_SIZE, (int64_t)step->bps, bps));
    }
    buffer_text(text, "\n");
}

/* Makes the table of phases in the first shape that fits, or else the last. */
static void
make_phases(struct table *table, const struct report *report)
{
    const int name = (int)strlen(phase_label(PHASE_LOADED)); /* the longest */
    const struct {
        int name;
        bool alone;
        int requests, ratio, bandwidth;
    } shapes[] = {
        {WIDTH_PHASE, false, 10, 13, 16},
        {name, false, 10, 12, 15},
        {name, false, 0, 12, 15},
        {0, true, 0, 12, 15},
        {0, true, 0, 12, 0},
    };
    const struct plan *plan = report->plan;
    *table = (struct table){0};
    for (int i = 0; i < 5 && (i == 0 || !fits(table, report, 0)); i++) {
        *table = (struct table){.name = -shapes[i].name, .alone = shapes[i].alone};
        add_column(table, REQUESTS, shapes[i].requests, "requests");
        add_ranks(table, plan, RANK);
        add_column(table, MAX, WIDTH_TIME, "max");
        add_column(table, RATIO, shapes[i].ratio, "p99 vs idle");
        table->own = table->count;
        add_column(table, SPEED, shapes[i].bandwidth, "load bandwidth");
        add_ranks(table, plan, DEVICE);
    }
}

void
table_phases(struct report *report)
{
    const struct job_phases *phases = report->jobs[0].phases;
    const struct outcome *load = &phases->background->outcome;
    struct table table;
    make_phases(&table, report);
    add_line(&report->text, &table, "phase", NULL);
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        double speed = stats_rate((double)load->total.all_bytes, load->duration);
        struct line line = {.stats = &phases->list[phase].stats,
                            .speed = phase == PHASE_LOADED ? speed : -1,
                            .idle = &phases->list[PHASE_IDLE].stats};
        if (phases->list[phase].has_ended)
            add_rows(&report->text, &table, phase_label(phase), line);
    }
}
