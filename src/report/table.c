/*
 * Two tables for people: the table of a sweep, which gets a row when a step ends, and the
 * table of the phases of a run with a background load (-load). If operations are mixed,
 * the row of all requests is followed by a row for each operation.
 *
 * First, the layout of a table is made: its columns with their widths, fitted to the
 * terminal (lay_out_sweep, lay_out_phases). Then each line is added (add_table_line). A
 * layout depends only on the plan and the terminal. So the layout of the table of a sweep
 * is not stored, but made again for each row.
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

/* Widths of the columns of a table, in characters, with the gap before each column. */
#define WIDTH_SWEPT 10
#define WIDTH_PHASE 12
#define WIDTH_TIME 11
#define WIDTH_DEVICE 13
#define WIDTH_VERDICT 9

#define CELL_SIZE 48 /* size of the text of a cell, in bytes */

/* The values that a column shows. The first three exist only for all requests together,
 * not for one operation. */
enum column_kind {
    RATE,      /* requests per second */
    BANDWIDTH, /* bytes per second */
    IN_FLIGHT, /* mean number of requests in flight */
    REQUESTS,  /* number of requests that count */
    AVERAGE,   /* mean latency */
    RANK,      /* a percentile of the latencies */
    MAX,       /* the longest latency */
    RATIO,     /* p99 divided by p99 of the idle phase */
    DEVICE     /* a percentile of the time of the device (-breakdown) */
};

struct column {
    enum column_kind kind;
    /* width of the widest value plus the gap before it; 0: the column is left out */
    int width;
    /* first part of the header; the name of the percentile follows, if there is one */
    const char *header;
    /* the percentile of a column RANK or DEVICE, else NULL */
    const struct percentile *percentile;
    /* minimum number of requests for a time to be known; with fewer, the cell is "-" */
    uint64_t min_requests;
};

/* The layout of a table. */
struct table {
    int name_width;   /* width of the names of rows; negative if names are left-aligned */
    bool names_alone; /* each name stands alone on a line, above the line of its cells */
    int column_count;
    /* the row of one operation has only this many columns, counted from the first */
    int operation_column_count;
    struct column columns[PERCENTILES_MAX + 8];
};

/* The data of one row. */
struct table_line {
    const struct stats *stats;
    enum scope scope;         /* SCOPE_ALL, or the operation that the row is about */
    double rate;              /* requests per second */
    double bandwidth;         /* bytes per second; negative if unknown */
    double in_flight;         /* mean number of requests in flight */
    const struct stats *idle; /* statistics of the idle phase, for the column RATIO */
    enum slo_verdict verdict; /* verdict on the step; shown at the end of the row */
    bool has_verdict;         /* the row ends with `verdict` */
    bool has_color;           /* FAIL, the verdict on a broken limit, is red */
};

/* Adds a column that is not about a percentile. */
static void
add_column(struct table *table, enum column_kind kind, int width, const char *header)
{
    table->columns[table->column_count++] = (struct column){kind, width, header, NULL, 1};
}

/* Adds a column of latencies for each percentile that the user gave. If the user gave
 * none, adds p50 and p99. The name of a percentile, such as "p99.99999", may need more
 * columns than a time. */
static void
add_rank_columns(struct table *table, const struct plan *plan)
{
    bool is_given = plan->output.percentiles.is_given;
    const struct percentiles *list =
        is_given ? &plan->output.percentiles : &percentiles_common;

    for (int i = 0; i < list->count; i++) {
        const struct percentile *percentile = &list->list[i];
        /* a gap of two columns and "p" */
        int head_width = (int)strlen(percentile->name) + 3;
        int width = head_width > WIDTH_TIME ? head_width : WIDTH_TIME;
        uint64_t min_requests = is_given ? 1 : percentile_min_samples(percentile);

        table->columns[table->column_count++] =
            (struct column){RANK, width, "p", percentile, min_requests};
    }
}

/* Adds columns of p50 and p99 of the time of the device, only with -breakdown. */
static void
add_device_columns(struct table *table, const struct plan *plan)
{
    const struct percentiles *list = &percentiles_common;

    if (!plan->statistics.has_breakdown)
        return;

    for (int i = 0; i < list->count; i++) {
        const struct percentile *percentile = &list->list[i];

        table->columns[table->column_count++] =
            (struct column){DEVICE, WIDTH_DEVICE, "device p", percentile,
                            percentile_min_samples(percentile)};
    }
}

/* Returns true if a row of the table, followed by EXTRA columns of text, fits into a line
 * of the terminal. Also returns true if the output is not a terminal. */
static bool
fits(const struct table *table, const struct report *report, int extra)
{
    int width = abs(table->name_width) + extra;

    for (int i = 0; i < table->column_count; i++)
        width += table->columns[i].width;

    return !report->is_terminal || width <= report->columns;
}

/* Leaves out all columns of KIND. */
static void
hide_columns(struct table *table, enum column_kind kind)
{
    for (int i = 0; i < table->column_count; i++)
        if (table->columns[i].kind == kind)
            table->columns[i].width = 0;
}

/* Returns true if each step of the sweep of PLAN has a verdict: on the limits and, in a
 * sweep of rates, on whether the rate was achieved. */
static bool
has_verdicts(const struct plan *plan)
{
    return plan->statistics.slos.count > 0 || plan->sweep.kind == SWEEP_RATE;
}

/*
 * Makes the layout of the table of a sweep. A sweep of rates has the columns of the
 * achieved rate and of the number of requests in flight. Other sweeps have IOPS and
 * bandwidth instead. If the terminal is too narrow, the least useful columns are left
 * out, one after the other. One of IOPS and bandwidth is enough, because bandwidth is
 * IOPS times request size: a sweep of sizes keeps the bandwidth, another sweep keeps
 * IOPS.
 */
static void
lay_out_sweep(struct table *table, const struct report *report)
{
    const struct plan *plan = report->plan;
    enum column_kind least_useful[] = {AVERAGE, BANDWIDTH, MAX};
    int verdict_width = has_verdicts(plan) ? WIDTH_VERDICT : 0;

    if (plan->sweep.kind == SWEEP_SIZE)
        least_useful[1] = RATE;
    if (plan->sweep.kind == SWEEP_RATE)
        least_useful[1] = IN_FLIGHT;

    *table = (struct table){.name_width = WIDTH_SWEPT};
    if (plan->sweep.kind == SWEEP_RATE) {
        add_column(table, RATE, 10, "achieved");
        add_column(table, IN_FLIGHT, 9, "in use");
    } else {
        add_column(table, RATE, 9, "iops");
        add_column(table, BANDWIDTH, 14, "bandwidth");
    }
    add_column(table, AVERAGE, WIDTH_TIME, "avg");
    add_rank_columns(table, plan);
    add_column(table, MAX, WIDTH_TIME, "max");
    table->operation_column_count = table->column_count;
    add_device_columns(table, plan);

    for (int i = 0; i < 3 && !fits(table, report, verdict_width); i++)
        hide_columns(table, least_useful[i]);
}

/* Stores in CELL the p99 of LATENCIES divided by the p99 of IDLE, the latencies of the
 * idle phase. Leaves CELL unchanged if LATENCIES or IDLE are too few for a p99. */
static void
fill_ratio(char *cell, const struct latencies *latencies, const struct latencies idle)
{
    const struct percentile *p99 = &percentiles_common.list[1];
    uint64_t needs = percentile_min_samples(p99);
    double idle_p99 = (double)latencies_percentile(&idle, p99);

    if (latencies->moments->count < needs || idle.moments->count < needs || idle_p99 <= 0)
        return;

    snprintf(cell, CELL_SIZE, "%.2fx",
             (double)latencies_percentile(latencies, p99) / idle_p99);
}

/* Stores in CELL the time of LATENCIES that COLUMN shows: a percentile, the maximum or
 * the mean. Leaves CELL unchanged if there are too few requests. */
static void
fill_time(char *cell, const struct column *column, const struct latencies *latencies)
{
    int64_t time;

    if (latencies->moments->count < column->min_requests)
        return;

    if (column->percentile)
        time = latencies_percentile(latencies, column->percentile);
    else if (column->kind == MAX)
        time = latencies->moments->max;
    else
        time = moments_average(latencies->moments);

    units_format(UNITS_TIME, time, cell);
}

/* Stores in CELL the text of COLUMN in the row of LINE, or "-" if the value is
 * unknown. */
static void
fill_cell(char *cell, const struct column *column, const struct table_line *line)
{
    enum scope scope = column->kind == DEVICE ? SCOPE_DEVICE : line->scope;
    const struct latencies latencies = latencies_of(line->stats, scope);
    char size[UNITS_TEXT];

    snprintf(cell, CELL_SIZE, "-");

    switch (column->kind) {
    case RATE:
        units_format(UNITS_COUNT, (int64_t)line->rate, cell);
        break;
    case BANDWIDTH:
        if (line->bandwidth >= 0)
            snprintf(cell, CELL_SIZE, "%s/s",
                     units_format(UNITS_SIZE, (int64_t)line->bandwidth, size));
        break;
    case IN_FLIGHT:
        if (line->in_flight < 1000)
            snprintf(cell, CELL_SIZE, "%.2f", line->in_flight);
        else
            units_format(UNITS_COUNT, (int64_t)(line->in_flight + 0.5), cell);
        break;
    case REQUESTS:
        snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)latencies.moments->count);
        break;
    case RATIO:
        fill_ratio(cell, &latencies, latencies_of(line->idle, scope));
        break;
    case AVERAGE:
    case RANK:
    case MAX:
    case DEVICE:
        fill_time(cell, column, &latencies);
        break;
    }
}

/* Begins a row: adds NAME, padded to the width of the names. If `names_alone` is set, a
 * newline follows NAME. */
static void
begin_row(struct buffer *text, const struct table *table, const char *name)
{
    buffer_format(text, "%*s", table->name_width, name);
    if (table->names_alone)
        buffer_text(text, "\n");
}

/* Adds the line of column headers. NAME is the header of the column of names. */
static void
add_header_line(struct buffer *text, const struct table *table, const char *name)
{
    begin_row(text, table, name);

    for (int i = 0; i < table->column_count; i++) {
        const struct column *column = &table->columns[i];
        const char *percentile = column->percentile ? column->percentile->name : "";
        char cell[CELL_SIZE];

        snprintf(cell, CELL_SIZE, "%s%s", column->header, percentile);
        if (column->width)
            buffer_format(text, "%*s", column->width, cell);
    }

    buffer_text(text, "\n");
}

/* Adds the row NAME with the cells of LINE, and the verdict if LINE has one. */
static void
add_table_line(struct buffer *text, const struct table *table, const char *name,
               const struct table_line *line)
{
    bool is_total = line->scope == SCOPE_ALL;
    int count = is_total ? table->column_count : table->operation_column_count;

    begin_row(text, table, name);

    for (int i = 0; i < count; i++) {
        const struct column *column = &table->columns[i];
        char cell[CELL_SIZE] = "";

        if (is_total || column->kind > IN_FLIGHT)
            fill_cell(cell, column, line);
        if (column->width)
            buffer_format(text, "%*s", column->width, cell);
    }

    if (is_total && line->has_verdict) {
        bool is_red = line->has_color && line->verdict == SLO_BROKEN;
        buffer_text(text, "  ");
        color_add(text, is_red ? COLOR_FAILED : NULL, slo_verdict_name(line->verdict));
    }

    buffer_text(text, "\n");
}

/* Adds the row NAME with the data of LINE, which is about all requests. If operations are
 * mixed, also adds a row for each operation. */
static void
add_rows(struct buffer *text, const struct table *table, const char *name,
         struct table_line line)
{
    char operation[16];

    add_table_line(text, table, name, &line);

    for (line.scope = scope_next(line.stats, SCOPE_ALL); line.scope < SCOPE_SYNC;
         line.scope = scope_next(line.stats, line.scope)) {
        snprintf(operation, sizeof(operation), "  %s", scope_name(line.scope));
        add_table_line(text, table, operation, &line);
    }
}

void
table_head(struct report *report)
{
    enum sweep_kind kind = report->plan->sweep.kind;
    const char *name = kind == SWEEP_RATE ? "offered" : sweep_kinds[kind].name;
    struct table table;

    lay_out_sweep(&table, report);
    add_header_line(&report->text, &table, name);
}

void
table_row(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct job_step *step = record->step;
    int64_t time = record->duration;
    enum sweep_kind kind = report->plan->sweep.kind;
    struct table_line line = {
        .stats = stats,
        .rate = stats_rate((double)stats->requests, time),
        .bandwidth = stats_rate((double)stats->all_bytes, time),
        /* The mean number of requests in flight is the sum of their latencies divided by
         * the time: Little's law (J. D. C. Little, "A proof for the queuing formula
         * L = lambda W", Operations Research 9, 1961). */
        .in_flight = (double)stats->latency.sum / (double)(time ? time : 1),
        .verdict = step->verdict,
        .has_verdict = has_verdicts(report->plan),
        .has_color = report->has_color};
    struct table table;
    char value[UNITS_TEXT];

    if (kind == SWEEP_RATE)
        line.rate = (double)step->answered_rate;

    lay_out_sweep(&table, report);
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

    buffer_text(text, job->sweep.is_lower_bound ? ": at least " : ": ");
    if (job->sweep.highest_index < 0) {
        bool is_unknown = job->outcome.verdict == SLO_UNKNOWN;
        buffer_text(text, is_unknown ? "UNKNOWN" : "none");
        buffer_text(text, job->sweep.was_interrupted ? "; interrupted\n" : "\n");
        return;
    }

    const struct job_step *step = &job->sweep.steps[job->sweep.highest_index];
    if (kind == SWEEP_RATE) {
        /* In a sweep of rates, every request has the request size of the plan. */
        buffer_format(
            text, "%s iops (%s/s)", units_format(UNITS_COUNT, step->answered_rate, iops),
            units_format(UNITS_SIZE, units_scale(step->answered_rate, size, 1), bps));
    } else {
        buffer_text(text, sweep_format(kind, step->value, value));
        /* In a sweep of intervals, the interval itself says how many requests there are
         * per second. */
        if (kind != SWEEP_INTERVAL)
            buffer_format(text, " (%s iops, %s/s)",
                          units_format(UNITS_COUNT, (int64_t)step->iops, iops),
                          units_format(UNITS_SIZE, (int64_t)step->bps, bps));
    }

    if (job->sweep.was_interrupted)
        buffer_text(text, "; interrupted");
    else if (job_is_highest_measured(&job->sweep))
        buffer_text(text, ", the highest that was measured");
    buffer_text(text, "\n");
}

/* Makes the layout of the table of the phases. There are several sets of widths, from
 * wide to narrow. The first set that fits the terminal is used. If no set fits, the last
 * set is used. */
static void
lay_out_phases(struct table *table, const struct report *report)
{
    /* The name of the loaded phase is the longest. */
    const int longest_name = (int)strlen(phase_label(PHASE_LOADED));
    /* The widths of columns. A width of 0 leaves the column out. */
    const struct {
        int name;
        bool names_alone;
        int requests, ratio, bandwidth;
    } widths[] = {
        {WIDTH_PHASE, false, 10, 13, 16},
        {longest_name, false, 10, 12, 15},
        {longest_name, false, 0, 12, 15},
        {0, true, 0, 12, 15},
        {0, true, 0, 12, 0},
    };
    const struct plan *plan = report->plan;

    for (int i = 0; i < 5; i++) {
        *table = (struct table){.name_width = -widths[i].name,
                                .names_alone = widths[i].names_alone};
        add_column(table, REQUESTS, widths[i].requests, "requests");
        add_rank_columns(table, plan);
        add_column(table, MAX, WIDTH_TIME, "max");
        add_column(table, RATIO, widths[i].ratio, "p99 vs idle");
        table->operation_column_count = table->column_count;
        add_column(table, BANDWIDTH, widths[i].bandwidth, "load bandwidth");
        add_device_columns(table, plan);

        if (fits(table, report, 0))
            return;
    }
}

void
table_phases(struct report *report)
{
    const struct job_phases *phases = report->jobs[0].phases;
    const struct outcome *load = &phases->background->outcome;
    struct table table;

    lay_out_phases(&table, report);
    add_header_line(&report->text, &table, "phase");

    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        /* Only the loaded phase has the bandwidth of the load. */
        struct table_line line = {.stats = &phases->list[phase].stats,
                                  .bandwidth = -1,
                                  .idle = &phases->list[PHASE_IDLE].stats};

        if (!phases->list[phase].has_ended)
            continue;

        if (phase == PHASE_LOADED)
            line.bandwidth = stats_rate((double)load->total.all_bytes, load->duration);
        add_rows(&report->text, &table, phase_label(phase), line);
    }
}
