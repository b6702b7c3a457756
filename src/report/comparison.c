/*
 * The comparison of targets, or of files of recorded runs: a table with a line for each
 * row, with percentiles and their changes against the first row, the reference. All cells
 * are made before the first line is written, because a column is as wide as its widest
 * cell. If operations are mixed, the line of a target is followed by one line for each
 * operation.
 */
#include "stats/comparison.h"

#include "base/buffer.h"
#include "base/units.h"
#include "report/comparison.h"
#include "report/console.h"
#include "report/report.h"
#include "run/job.h"
#include "writers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    REQUESTS,
    P50,
    CHANGE50,
    BOUNDS50,
    P99,
    CHANGE99,
    BOUNDS99,
    MAX,
    AVG,
    IOPS,
    SLO,
    COLUMNS
};

static const struct {
    const char *head;
    int gap, least;       /* spaces before the column, and its minimum width */
    bool is_left_aligned; /* its cells are left-aligned */
} columns[COLUMNS] = {
    [REQUESTS] = {"requests", 3, 8, false}, [P50] = {"p50", 3, 8, false},
    [CHANGE50] = {"change", 3, 7, false},   [BOUNDS50] = {"", 1, 3, true},
    [P99] = {"p99", 3, 8, false},           [CHANGE99] = {"change", 3, 7, false},
    [BOUNDS99] = {"", 1, 3, true},          [MAX] = {"max", 3, 8, false},
    [AVG] = {"avg", 3, 8, false},           [IOPS] = {"iops", 2, 0, false},
    [SLO] = {"slo", 2, 0, false},
};

#define BOUND 24             /* size of the text of a bound, in bytes */
#define CELL COMPARISON_TEXT /* size of the text of a cell, in bytes */

/* A line of the table. */
struct comparison_line {
    struct buffer name;   /* escaped */
    enum slo_verdict slo; /* of the whole line; a broken limit is red */
    char cells[COLUMNS][CELL];
};

struct comparison_table {
    struct comparison_line *lines; /* the first is the head */
    int count;
    bool mixed; /* each row has further lines for its operations */
    /* rows are sorted, and some row is known to be slower than another */
    bool ordered;
    bool same, unknown; /* some cell has the mark (~), or the mark (?) */
    bool alone;         /* each name has a line of its own */
    /* of the names and of each column, in columns of the terminal */
    int name, gaps[COLUMNS], widths[COLUMNS];
    unsigned hidden; /* columns that are left out, as bits 1 << enum column */
};

static void
put(char *cell, const char *text)
{
    snprintf(cell, CELL, "%s", text);
}

/* Returns the number of decimals with which a factor has at least two significant
 * digits. */
static int
find_decimals(double ratio)
{
    if (ratio >= 10)
        return ratio < 99.95;
    return ratio > 0 ? 1 - (int)floor(log10(ratio)) : 0;
}

/* Returns true for a ratio that is easier to read as a factor than in percent. */
static bool
is_extreme(double ratio)
{
    return ratio >= 10 || (ratio > 0 && ratio < 0.01);
}

/*
 * Writes BOUND into TEXT, as a factor or as a change in percent without the percent sign.
 * A bound is rounded outwards: up if it is the UPPER one, otherwise down. An excess of
 * less than 1e-6 of the last digit is taken for an error of the arithmetic and not
 * rounded outwards. TEXT is empty if the interval is open at this end.
 */
static void
show_bound(char *text, double bound, bool factor, bool upper)
{
    double value = factor ? bound : (bound - 1) * 100;
    int decimals = factor ? find_decimals(bound) : fabs(value) < 9.9;
    double scale = pow(10, decimals);
    double steps = value * scale;

    steps = upper ? ceil(steps - 1e-6) : floor(steps + 1e-6);

    if (bound <= 0 || isinf(bound))
        *text = '\0';
    else
        snprintf(text, BOUND, factor ? "%.*fx" : "%+.*f", decimals, steps / scale + 0.0);
}

void
comparison_describe(double ratio, const struct interval *bounds, char *change, char *text)
{
    bool within = bounds->is_known && !isinf(bounds->high) && is_extreme(bounds->high);
    bool factor =
        is_extreme(ratio) || within || (bounds->is_known && is_extreme(bounds->low));
    char low[BOUND];
    char high[BOUND];

    if (factor)
        snprintf(change, CELL, "%.*fx", find_decimals(ratio), ratio);
    else
        /* Adding 0.0 turns -0 into 0, so that the text is never "-0.0 %". */
        snprintf(change, CELL, "%+.1f %%", round((ratio - 1) * 1000) / 10 + 0.0);

    show_bound(low, bounds->low, factor, false);
    show_bound(high, bounds->high, factor, true);
    snprintf(text, CELL, bounds->is_known && (*low || *high) ? "(%s..%s)" : "(?)", low,
             high);
}

/* Adds the name of ROW for people: "data", or "data #2" if another row is "data" too. */
static void
add_name(struct buffer *text, const struct comparison_row *row)
{
    buffer_escaped(text, row->name);
    if (row->ordinal)
        buffer_format(text, " #%d", row->ordinal);
}

/* Fills the cells that lines of operations have too. */
static void
fill_times(struct comparison_line *line, const struct latencies *latencies)
{
    const struct percentile *list = percentiles_common.list;
    const struct moments *latency = latencies->moments;
    char(*cells)[CELL] = line->cells;

    for (int i = 0; i < COLUMNS; i++)
        put(cells[i], columns[i].is_left_aligned ? "" : "-");
    snprintf(cells[REQUESTS], CELL, "%llu", (unsigned long long)latency->count);

    if (latency->count == 0)
        return;

    units_format(UNITS_TIME, latencies_percentile(latencies, &list[0]), cells[P50]);
    int64_t p99 = latencies_known_percentile(latencies, &list[1]);
    if (p99 >= 0)
        units_format(UNITS_TIME, p99, cells[P99]);
    units_format(UNITS_TIME, latency->max, cells[MAX]);
    units_format(UNITS_TIME, moments_average(latency), cells[AVG]);
}

/* Fills the cells that only the line of a target has: IOPS, and the changes against the
 * first row, unless ROW is the FIRST. */
static void
fill_line(struct comparison_table *table, struct comparison_line *line,
          const struct comparison_row *row, bool first)
{
    static const int changes[] = {CHANGE50, CHANGE99};
    static const struct interval none;
    char(*cells)[CELL] = line->cells;

    if (row->stats->latency.count)
        units_format(UNITS_COUNT, (int64_t)stats_iops(row->stats), cells[IOPS]);

    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        const struct comparison_figure *figure = &row->figures[i];
        const struct interval *bounds = &figure->bounds;
        bool differs = interval_differs(bounds), same = bounds->is_known && !differs;
        char(*change)[CELL] = &cells[changes[i]];
        bool is_shown = comparison_is_shown(figure, &percentiles_common.list[i]);

        if (first || !is_shown || figure->ratio <= 0)
            continue;
        comparison_describe(figure->ratio, differs ? bounds : &none, change[0],
                            change[1]);
        if (same)
            put(change[1], "(~)");
        table->same |= same;
        table->unknown |= !bounds->is_known;
    }
}

/* Makes WIDTH at least as large as the number of columns of TEXT. */
static void
widen(int *width, const char *text)
{
    int count = escape_count(text);
    if (count > *width)
        *width = count;
}

/* Sets the widths of all columns from the cells. */
static void
measure(struct comparison_table *table)
{
    for (int k = 0; k < COLUMNS; k++) {
        table->gaps[k] = columns[k].gap;
        table->widths[k] = columns[k].least;
    }

    for (int i = 0; i < table->count; i++) {
        widen(&table->name, table->lines[i].name.text);
        for (int k = 0; k < COLUMNS; k++)
            widen(&table->widths[k], table->lines[i].cells[k]);
    }
}

/* Returns the number of columns of the terminal that a line takes. */
static int
measure_line(const struct comparison_table *table)
{
    int width = table->alone ? 0 : table->name;

    for (int i = 0; i < COLUMNS; i++)
        if (!(table->hidden & 1u << i))
            width += table->gaps[i] + table->widths[i];

    return width;
}

/* Narrows the table to a terminal of LIMIT columns: reduces gaps, then leaves out the
 * least useful columns, then gives names lines of their own. A table that is still too
 * wide stays so. */
static void
fit(struct comparison_table *table, int limit)
{
    static const enum column least_useful[] = {IOPS, AVG, MAX, REQUESTS};
    if (measure_line(table) <= limit)
        return;

    for (int i = 0; i < COLUMNS; i++)
        table->gaps[i] -= table->gaps[i] > 2;
    for (int i = 0; i < 4 && measure_line(table) > limit; i++)
        table->hidden |= 1u << least_useful[i];
    table->alone = measure_line(table) > limit;
}

/* Adds one line of the table. */
static void
add_line(struct buffer *text, const struct comparison_table *table,
         const struct comparison_line *line, bool color)
{
    const char *mark = color && line->slo == SLO_BROKEN ? COLOR_FAILED : NULL;
    const char *name = line->name.text;

    if (table->alone)
        buffer_format(text, "%s\n", name);
    else
        buffer_format(text, "%s%*s", name, table->name - escape_count(name), "");

    for (int i = 0; i < COLUMNS; i++) {
        const char *cell = line->cells[i];
        int rest = table->widths[i] - (int)strlen(cell);
        if (table->hidden & 1u << i)
            continue;

        buffer_format(text, "%*s",
                      table->gaps[i] + (columns[i].is_left_aligned ? 0 : rest), "");
        color_add(text, i == SLO ? mark : NULL, cell);
        buffer_format(text, "%*s", columns[i].is_left_aligned ? rest : 0, "");
    }

    buffer_text(text, "\n");
}

/* Returns true if one of SLOS is absolute, so that it judges the first row too. */
static bool
has_absolute(const struct slos *slos)
{
    for (int i = 0; i < slos->count; i++)
        if (!slos->list[i].is_relative)
            return true;
    return false;
}

/* Fills all lines of the table, the head first. Returns false if memory ran out. */
static bool
fill_table(struct comparison_table *table, const struct comparison_row *rows,
           const struct slos *slos)
{
    struct comparison_line *line = table->lines + 1;
    struct comparison_line *end = table->lines + table->count;
    bool failed = table->lines->name.failed;

    for (int i = 0; i < COLUMNS; i++)
        put(table->lines->cells[i], columns[i].head);

    for (const struct comparison_row *row = rows; line < end; row++) {
        table->ordered |= row->rank > 1;
        line->slo = comparison_check_all(slos, row, rows);
        bool judged = row != rows || has_absolute(slos);
        for (enum scope scope = SCOPE_ALL;
             scope < (table->mixed ? SCOPE_SYNC : SCOPE_OPERATION);
             scope = scope_next(row->stats, scope), line++) {
            const struct latencies latencies = latencies_of(row->stats, scope);
            fill_times(line, &latencies);
            if (scope == SCOPE_ALL) {
                fill_line(table, line, row, row == rows);
                if (judged)
                    put(line->cells[SLO], slo_verdict_name(line->slo));
                add_name(&line->name, row);
            } else {
                buffer_format(&line->name, "  %s", scope_name(scope));
            }
            failed |= line->name.failed;
        }
    }

    return !failed;
}

/* Adds lines that say which requests the changes are about, and what the marks mean. */
static void
add_legend(struct buffer *text, const struct comparison_table *table,
           const struct stats *stats)
{
    enum scope scope = SCOPE_ALL;

    if (table->mixed)
        buffer_text(text, "changes are of");
    while (table->mixed && scope_is_operation(scope = scope_next(stats, scope)))
        buffer_format(text, "%s %s", scope == scope_first(stats) ? "" : " and",
                      operations[scope_operation(scope)].noun);
    if (table->mixed)
        buffer_text(text, " together\n");

    if (table->same)
        buffer_text(text, "~ no difference that this many requests can show (95 %)\n");
    if (table->unknown && stats->corrected_interval)
        buffer_text(text, "? unsure: percentiles are corrected (leave out -corrected)\n");
    else if (table->unknown)
        buffer_text(text, "? unsure: too few independent requests (run longer)\n");
}

void
comparison_format(struct report *report, const struct comparison_row *rows)
{
    struct buffer *text = &report->text;
    const struct slos *slos = &report->plan->statistics.slos;
    bool files = report->plan->mode == MODE_COMPARE;
    int more = report->job_count > 0 ? rows->stats->mix.extra_count : 0;
    struct comparison_table table = {
        .count = report->job_count * (more ? more + 2 : 1) + 1,
        .mixed = more > 0,
        .hidden = (files ? 1u << AVG | 1u << IOPS : 0) | (slos->count ? 0 : 1u << SLO)};

    table.lines = calloc((size_t)table.count, sizeof(*table.lines));
    if (table.lines)
        buffer_text(&table.lines->name, files ? "file" : "target");
    bool filled = table.lines && fill_table(&table, rows, slos);

    text->failed |= !filled;
    if (filled) {
        measure(&table);
        if (report->is_terminal)
            fit(&table, report->columns);
        buffer_text(text, files ? "--- comparison with " : "\n--- comparison");
        buffer_escaped(text, files ? rows->name : table.ordered ? ", fastest first" : "");
        buffer_text(text, " ---\n");
        for (int i = 0; i < table.count; i++)
            add_line(text, &table, &table.lines[i], report->has_color);
        add_legend(text, &table, rows->stats);
    }

    for (int i = 0; table.lines && i < table.count; i++)
        buffer_free(&table.lines[i].name);
    free(table.lines);
}

void
comparison_limits(struct report *report, const struct comparison_row *row)
{
    const struct slos *slos = &report->plan->statistics.slos;
    struct buffer *text = &report->text;
    char name[SLO_NAME];
    char limit[UNITS_TEXT];
    char change[CELL];
    char bounds[CELL];

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        const struct comparison_figure *is = &row->figures[COMPARISON_FIGURES + i];
        if (!slo->is_relative)
            continue;

        add_name(text, row);
        buffer_format(text, ": %s < %s: ", slo_name(slo, name), slo_limit(slo, limit));
        comparison_describe(is->ratio, &is->bounds, change, bounds);
        buffer_text(text, slo_verdict_name(is->verdict));
        bool is_shown = comparison_is_shown(is, &slo->percentile);
        if (is->ratio > 0 && is_shown)
            buffer_format(text, ", %s %s", change, bounds);
        else if (is->verdict == SLO_BROKEN)
            buffer_format(text, " %s", bounds);
        buffer_text(text, "\n");
    }
}

struct comparison_row *
comparison_make(const struct job *jobs, int count, const struct slos *slos, bool ranked)
{
    struct comparison_row *rows = calloc((size_t)count, sizeof(*rows));

    for (int i = 0; rows && i < count; i++)
        rows[i] = (struct comparison_row){
            .name = jobs[i].target.description.path,
            .ordinal = job_number(jobs, count, i),
            .stats = &jobs[i].outcome.total,
            .series = jobs[i].outcome.series,
        };

    if (rows && comparison_fill(rows, count, slos, ranked) == 0)
        return rows;
    free(rows);
    return NULL;
}

const struct comparison_row *
comparison_rows(struct report *report)
{
    if (report->rows)
        return report->rows;

    report->owned_rows =
        comparison_make(report->jobs, report->job_count, &report->plan->statistics.slos,
                        report->plan->mode != MODE_COMPARE);
    report->text.failed |= !report->owned_rows;
    return report->rows = report->owned_rows;
}
