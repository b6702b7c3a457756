/*
 * Two tables for people: the table of a sweep, which grows by a row for each step, and
 * the table of the phases of a run with a background load. If operations are mixed, the
 * row of all requests is followed by one row for each operation.
 *
 * A table is described first (make_sweep, make_phases): its columns with their widths,
 * fitted to the terminal. Then each line is added by add_line. The description depends
 * only on the plan and the terminal, so it is made anew for each line of a growing table.
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

/* Widths of columns, including the gap. */
#define WIDTH_SWEPT 10
#define WIDTH_PHASE 12
#define WIDTH_TIME 11
#define WIDTH_DEVICE 13
#define WIDTH_VERDICT 9

#define CELL 48 /* size of the text of a cell, in bytes */

/* What the cells of a column show. RATE, SPEED and IN_USE exist only for all requests
 * together, not for one operation. */
enum column_kind { RATE, SPEED, IN_USE, REQUESTS, AVERAGE, RANK, MAX, RATIO, DEVICE };

struct column {
    enum column_kind kind;
    /* of its widest value and the gap before it; 0 if the column is left out */
    int width;
    const char *head;
    /* the percentile, whose name ends the head; NULL if the column has none */
    const struct percentile *rank;
    uint64_t needs; /* minimum number of requests to show a time */
};

struct table {
    int name;         /* width of the names of rows; negative if they are left-aligned */
    bool names_alone; /* each name has a line of its own */
    /* all columns, and the first ones, which rows of operations have too */
    int count, operation_column_count;
    struct column columns[PERCENTILES_MOST + 8];
};

/* The data of one row. */
struct table_line {
    const struct stats *stats;
    enum scope scope;         /* whose latencies */
    double rate, speed;       /* requests and bytes per second; negative if unknown */
    double in_use;            /* mean number of requests in flight */
    const struct stats *idle; /* of the phase that a ratio refers to */
    enum slo_verdict verdict; /* of the step, at the end of the row */
    bool has_verdict;         /* rows have a verdict */
    bool color;               /* the verdict FAIL is red */
};

static void
add_column(struct table *table, enum column_kind kind, int width, const char *head)
{
    table->columns[table->count++] = (struct column){kind, width, head, NULL, 1};
}

/* Adds one column for each percentile. KIND is RANK for latencies: the percentiles of the
 * user, or else p50 and p99. The name of a percentile may be wider than any time. KIND is
 * DEVICE for the time of the device: p50 and p99, only with -breakdown. */
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

/* Returns true if a line of the terminal has room for the table and MORE columns of text.
 * Always true off a terminal. */
static bool
fits(const struct table *table, const struct report *report, int more)
{
    int width = abs(table->name) + more;

    for (int i = 0; i < table->count; i++)
        width += table->columns[i].width;

    return !report->is_terminal || width <= report->columns;
}

/* Returns true if each step of the sweep of PLAN has a verdict: on the limits, or in a
 * sweep of rates on whether the rate was achieved. */
static bool
has_verdicts(const struct plan *plan)
{
    return plan->statistics.slos.count > 0 || plan->sweep.kind == SWEEP_RATE;
}

/*
 * Makes the table of a sweep. If the terminal is too narrow, leaves out the least useful
 * columns. As bandwidth is IOPS times size, one of them is enough: bandwidth if sizes are
 * swept, otherwise IOPS. A sweep of rates shows the achieved rate, and the requests in
 * flight instead of the bandwidth.
 */
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
    table->operation_column_count = table->count;
    add_ranks(table, plan, DEVICE);

    for (int i = 0; i < 3 && !fits(table, report, verdict); i++)
        for (int k = 0; k < table->count; k++)
            if (table->columns[k].kind == least_useful[i])
                table->columns[k].width = 0;
}

/* Stores the ratio of two p99 in CELL: of LATENCIES and of the phase IDLE. Leaves CELL as
 * it is if one of them has too few requests. */
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

/* Stores the value that LINE has in COLUMN as text in CELL; a dash if it is unknown. */
static void
fill_cell(char *cell, const struct column *column, const struct table_line *line)
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

/* Adds a line with NAME and the cells of LINE, or if LINE is NULL, with the heads of the
 * columns. */
static void
add_line(struct buffer *text, const struct table *table, const char *name,
         const struct table_line *line)
{
    bool all = !line || line->scope == SCOPE_ALL;
    enum slo_verdict verdict = line && all ? line->verdict : SLO_MET;

    buffer_format(text, "%*s%s", table->name, name, table->names_alone ? "\n" : "");

    for (int i = 0; i < (all ? table->count : table->operation_column_count); i++) {
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

    if (line && all && line->has_verdict) {
        bool red = line->color && verdict == SLO_BROKEN;
        buffer_text(text, "  ");
        color_add(text, red ? COLOR_FAILED : NULL, slo_verdict_name(verdict));
    }

    buffer_text(text, "\n");
}

/* Adds the row NAME of all requests and, if operations are mixed, a row for each. */
static void
add_rows(struct buffer *text, const struct table *table, const char *name,
         struct table_line line)
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

/* The mean number of requests in flight is the sum of their latencies divided by the
 * time, by Little's law (J. D. C. Little, "A proof for the queuing formula L = lambda W",
 * Operations Research 9, 1961). */
void
table_row(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct job_step *step = record->step;
    int64_t time = record->duration;
    enum sweep_kind kind = report->plan->sweep.kind;
    struct table_line line = {
        .stats = stats,
        .rate = kind == SWEEP_RATE ? (double)step->answered_rate
                                   : stats_rate((double)stats->requests, time),
        .speed = stats_rate((double)stats->all_bytes, time),
        .in_use = (double)stats->latency.sum / (double)(time ? time : 1),
        .verdict = step->verdict,
        .has_verdict = has_verdicts(report->plan),
        .color = report->has_color};
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
    char value[UNITS_TEXT];
    char iops[UNITS_TEXT];
    char bps[UNITS_TEXT];

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

    /* In a sweep of rates, every request has the size of the plan. */
    if (found && kind == SWEEP_RATE) {
        buffer_format(
            text, ": %s iops (%s/s)",
            units_format(UNITS_COUNT, step->answered_rate, iops),
            units_format(UNITS_SIZE, units_scale(step->answered_rate, size, 1), bps));
    } else if (found) {
        buffer_format(text, ": %s", sweep_format(kind, step->value, value));
        /* The value of a step of intervals is already the rate. */
        if (kind != SWEEP_INTERVAL)
            buffer_format(text, " (%s iops, %s/s)",
                          units_format(UNITS_COUNT, (int64_t)step->iops, iops),
                          units_format(UNITS_SIZE, (int64_t)step->bps, bps));
    }

    buffer_text(text, "\n");
}

/* Makes the table of the phases. Tries shapes from the widest to the narrowest, and uses
 * the first that fits, or the last one. */
static void
make_phases(struct table *table, const struct report *report)
{
    const int name = (int)strlen(phase_label(PHASE_LOADED)); /* of the longest name */
    /* In the order in which they are tried. A width of 0 leaves a column out. */
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
        *table = (struct table){.name = -shapes[i].name, .names_alone = shapes[i].alone};
        add_column(table, REQUESTS, shapes[i].requests, "requests");
        add_ranks(table, plan, RANK);
        add_column(table, MAX, WIDTH_TIME, "max");
        add_column(table, RATIO, shapes[i].ratio, "p99 vs idle");
        table->operation_column_count = table->count;
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
        struct table_line line = {.stats = &phases->list[phase].stats,
                                  .speed = phase == PHASE_LOADED ? speed : -1,
                                  .idle = &phases->list[PHASE_IDLE].stats};
        if (phases->list[phase].has_ended)
            add_rows(&report->text, &table, phase_label(phase), line);
    }
}
