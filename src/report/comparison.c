/*
 * The comparison of targets, or of files of recorded runs, as a table. Each target or
 * file has a line with its percentiles, and with their changes against the reference. The
 * reference is the target or file of the first line. If operations are mixed, the line of
 * a target is followed by a line for each operation.
 *
 * All cells are made before the first line is written, because a column is as wide as its
 * widest cell.
 */
#include "stats/comparison.h"

#include "base/buffer.h"
#include "base/units.h"
#include "plot/plot.h"
#include "report/comparison.h"
#include "report/console.h"
#include "report/report.h"
#include "run/job.h"
#include "writers.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The columns after the name. */
enum column {
    REQUESTS,
    P50,
    CHANGE50, /* change of p50 against the reference */
    /* confidence interval of the change of p50, or a mark: (~) if the change may be
     * noise,
     * (?) if the interval is unknown */
    BOUNDS50,
    P99,
    CHANGE99,
    BOUNDS99,
    MAX,
    AVG,
    IOPS,
    SLO, /* verdict on whether the target or file meets all limits */
    COLUMNS
};

static const struct {
    const char *header;
    int gap;       /* spaces before the column */
    int min_width; /* minimum width without the gap, in columns of the terminal */
    bool is_left_aligned;
} columns[COLUMNS] = {
    [REQUESTS] = {"requests", 3, 8, false}, [P50] = {"p50", 3, 8, false},
    [CHANGE50] = {"change", 3, 7, false},   [BOUNDS50] = {"", 1, 3, true},
    [P99] = {"p99", 3, 8, false},           [CHANGE99] = {"change", 3, 7, false},
    [BOUNDS99] = {"", 1, 3, true},          [MAX] = {"max", 3, 8, false},
    [AVG] = {"avg", 3, 8, false},           [IOPS] = {"iops", 2, 0, false},
    [SLO] = {"slo", 2, 0, false},
};

/* size of the text of one bound of a confidence interval, in bytes */
#define BOUND_SIZE 24
#define CELL_SIZE COMPARISON_TEXT /* size of the text of a cell, in bytes */

/* A line of the table. */
struct comparison_line {
    /* name of the target, file or operation, escaped for the terminal */
    struct buffer name;
    bool is_broken; /* a limit is broken, so the cell SLO is red if there are colours */
    char cells[COLUMNS][CELL_SIZE];
};

struct comparison_table {
    struct comparison_line *lines; /* the first line has the headers of the columns */
    int line_count;
    bool is_mixed;    /* the line of a target is followed by lines of its operations */
    bool is_ordered;  /* some target is known to be slower than another */
    bool has_noise;   /* some cell has the mark (~): the change may be noise */
    bool has_unknown; /* some cell has the mark (?): a confidence interval is unknown */
    /* The figure with the mark (?) whose log of histograms should have the most
     * intervals; NULL if there is none. */
    const struct comparison_figure *shortest;
    bool names_alone; /* each name stands alone on a line, above the line of its cells */
    /* Widths in columns of the terminal. The first column has the names: `name_width`.
     * For each further column, `gaps` has the space before the column, and `widths` the
     * width of its cells. */
    int name_width, gaps[COLUMNS], widths[COLUMNS];
    unsigned hidden; /* set of the columns that are left out: bit 1 << enum column */
};

/* Stores TEXT in CELL, of CELL_SIZE bytes. */
static void
set_cell(char *cell, const char *text)
{
    snprintf(cell, CELL_SIZE, "%s", text);
}

/* Returns the number of decimals with which RATIO is printed as a factor: 1 for "18.8x".
 * The printed factor has two significant digits if RATIO is below 10, otherwise at least
 * three. */
static int
find_decimals(double ratio)
{
    if (ratio >= 99.95)
        return 0;
    if (ratio >= 10)
        return 1;
    if (ratio <= 0)
        return 0;

    return 1 - (int)floor(log10(ratio));
}

/* Returns true for a ratio that is easier to read as a factor than in percent. */
static bool
is_extreme(double ratio)
{
    return ratio >= 10 || (ratio > 0 && ratio < 0.01);
}

/* Returns VALUE, a bound of an interval, rounded to DECIMALS decimals. The upper bound is
 * rounded up and the lower bound is rounded down, so that the interval does not shrink.
 * But if VALUE differs from a rounded number by less than 1e-6 of the last decimal, it
 * becomes this number, because the difference may be an error of the floating-point
 * arithmetic. */
static double
round_outwards(double value, int decimals, bool is_upper)
{
    double scale = pow(10, decimals);
    double steps = value * scale;

    steps = is_upper ? ceil(steps - 1e-6) : floor(steps + 1e-6);

    return steps / scale + 0.0; /* adding 0.0 turns -0 into 0 */
}

/* Writes BOUND into TEXT, of BOUND_SIZE bytes. BOUND is a bound of the confidence
 * interval of a ratio. If AS_FACTOR, TEXT is a factor such as "12.1x". Otherwise it is a
 * change in percent, without the percent sign, such as "+9.2". TEXT is empty if BOUND is
 * 0 or infinite, because the interval is then open at this end. */
static void
write_bound(char *text, double bound, bool as_factor, bool is_upper)
{
    double percent = (bound - 1) * 100;

    if (bound <= 0 || isinf(bound)) {
        *text = '\0';
    } else if (as_factor) {
        int decimals = find_decimals(bound);
        snprintf(text, BOUND_SIZE, "%.*fx", decimals,
                 round_outwards(bound, decimals, is_upper));
    } else {
        int decimals = fabs(percent) < 9.9 ? 1 : 0;
        snprintf(text, BOUND_SIZE, "%+.*f", decimals,
                 round_outwards(percent, decimals, is_upper));
    }
}

/* Returns true if RATIO and its BOUNDS are shown as factors, not in percent, because at
 * least one of these three numbers is extreme. A bound of 0 or infinity is not extreme:
 * it says that the interval is open at this end. */
static bool
is_shown_as_factor(double ratio, const struct interval *bounds)
{
    if (is_extreme(ratio))
        return true;
    if (!bounds->is_known)
        return false;

    return is_extreme(bounds->low) || (!isinf(bounds->high) && is_extreme(bounds->high));
}

void
comparison_describe(double ratio, const struct interval *bounds, char *change, char *text)
{
    bool as_factor = is_shown_as_factor(ratio, bounds);
    char low[BOUND_SIZE];
    char high[BOUND_SIZE];

    if (as_factor)
        snprintf(change, CELL_SIZE, "%.*fx", find_decimals(ratio), ratio);
    else
        /* Adding 0.0 turns -0 into 0, so that the text is never "-0.0 %". */
        snprintf(change, CELL_SIZE, "%+.1f %%", round((ratio - 1) * 1000) / 10 + 0.0);

    write_bound(low, bounds->low, as_factor, false);
    write_bound(high, bounds->high, as_factor, true);
    if (bounds->is_known && (*low || *high))
        snprintf(text, CELL_SIZE, "(%s..%s)", low, high);
    else
        set_cell(text, "(?)");
}

/* Adds the name of ROW for people, such as "data", or "data #2" if another row has the
 * same name. */
static void
add_row_name(struct buffer *text, const struct comparison_row *row)
{
    buffer_escaped(text, row->name);
    if (row->ordinal)
        buffer_format(text, " #%d", row->ordinal);
}

/* Sets all cells of LINE to "-", or to "" in left-aligned columns. Then fills the cells
 * that show figures of LATENCIES. */
static void
fill_latency_cells(struct comparison_line *line, const struct latencies *latencies)
{
    const struct percentile *list = percentiles_common.list;
    const struct moments *latency = latencies->moments;
    char(*cells)[CELL_SIZE] = line->cells;

    for (int i = 0; i < COLUMNS; i++)
        set_cell(cells[i], columns[i].is_left_aligned ? "" : "-");
    snprintf(cells[REQUESTS], CELL_SIZE, "%llu", (unsigned long long)latency->count);

    if (latency->count == 0)
        return;

    units_format(UNITS_TIME, latencies_percentile(latencies, &list[0]), cells[P50]);
    int64_t p99 = latencies_known_percentile(latencies, &list[1]);
    if (p99 >= 0)
        units_format(UNITS_TIME, p99, cells[P99]);
    units_format(UNITS_TIME, latency->max, cells[MAX]);
    units_format(UNITS_TIME, moments_average(latency), cells[AVG]);
}

/* Fills two cells about FIGURE, a percentile. CHANGE gets its change against the
 * reference. BOUNDS gets the confidence interval of this change if the change is known
 * not to be zero. Otherwise BOUNDS gets a mark: (~) if the interval includes no change,
 * or (?) if the interval is unknown or open on both sides. */
static void
fill_change(struct comparison_table *table, const struct comparison_figure *figure,
            char *change, char *bounds)
{
    static const struct interval unknown;

    if (!interval_has_bound(&figure->bounds)) {
        comparison_describe(figure->ratio, &unknown, change, bounds);
        table->has_unknown = true;
        bool is_shorter =
            !table->shortest || figure->min_intervals > table->shortest->min_intervals;
        if (figure->min_intervals > 0 && is_shorter)
            table->shortest = figure;
    } else if (interval_differs(&figure->bounds)) {
        comparison_describe(figure->ratio, &figure->bounds, change, bounds);
    } else {
        comparison_describe(figure->ratio, &unknown, change, bounds);
        set_cell(bounds, "(~)");
        table->has_noise = true;
    }
}

/* Fills the cells that only the lines of targets have, and the lines of operations do
 * not: IOPS, and the changes against the reference. The reference itself has no
 * changes. */
static void
fill_target_cells(struct comparison_table *table, struct comparison_line *line,
                  const struct comparison_row *row, bool is_reference)
{
    static const enum column change_columns[] = {CHANGE50, CHANGE99};
    static const enum column bounds_columns[] = {BOUNDS50, BOUNDS99};
    char(*cells)[CELL_SIZE] = line->cells;

    if (row->stats->latency.count)
        units_format(UNITS_COUNT, (int64_t)stats_iops(row->stats), cells[IOPS]);

    if (is_reference)
        return;

    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        const struct comparison_figure *figure = &row->figures[i];
        bool is_shown = comparison_is_shown(figure, &percentiles_common.list[i]);

        if (is_shown && figure->ratio > 0)
            fill_change(table, figure, cells[change_columns[i]],
                        cells[bounds_columns[i]]);
    }
}

/* Makes WIDTH at least as large as the number of columns of TEXT. */
static void
widen_to(int *width, const char *text)
{
    int count = escape_count(text);
    if (count > *width)
        *width = count;
}

/* Sets the gaps and widths of all columns. A column is as wide as its widest name or
 * cell. */
static void
set_widths(struct comparison_table *table)
{
    for (int k = 0; k < COLUMNS; k++) {
        table->gaps[k] = columns[k].gap;
        table->widths[k] = columns[k].min_width;
    }

    for (int i = 0; i < table->line_count; i++) {
        widen_to(&table->name_width, table->lines[i].name.text);
        for (int k = 0; k < COLUMNS; k++)
            widen_to(&table->widths[k], table->lines[i].cells[k]);
    }
}

/* Returns the number of columns of the terminal that a line takes. */
static int
measure_line(const struct comparison_table *table)
{
    int width = table->names_alone ? 0 : table->name_width;

    for (int i = 0; i < COLUMNS; i++)
        if (!(table->hidden & 1u << i))
            width += table->gaps[i] + table->widths[i];

    return width;
}

/* Fits the table to a terminal of LIMIT columns. As far as needed, first narrows the
 * gaps, then leaves out the least useful columns, and at last gives each name a line of
 * its own. If that is not enough, the lines stay wider than the terminal. */
static void
fit_to_terminal(struct comparison_table *table, int limit)
{
    static const enum column least_useful[] = {IOPS, AVG, MAX, REQUESTS};
    if (measure_line(table) <= limit)
        return;

    for (int i = 0; i < COLUMNS; i++)
        if (table->gaps[i] > 2)
            table->gaps[i]--;
    for (int i = 0; i < 4 && measure_line(table) > limit; i++)
        table->hidden |= 1u << least_useful[i];
    table->names_alone = measure_line(table) > limit;
}

/* Adds one line of the table. If HAS_COLOR, the verdict on a broken limit is red. */
static void
add_comparison_line(struct buffer *text, const struct comparison_table *table,
                    const struct comparison_line *line, bool has_color)
{
    const char *name = line->name.text;

    if (table->names_alone)
        buffer_format(text, "%s\n", name);
    else
        buffer_format(text, "%s%*s", name, table->name_width - escape_count(name), "");

    for (int i = 0; i < COLUMNS; i++) {
        const char *cell = line->cells[i];
        int padding = table->widths[i] - (int)strlen(cell);
        bool is_red = i == SLO && line->is_broken && has_color;

        if (table->hidden & 1u << i)
            continue;

        buffer_format(text, "%*s", table->gaps[i], "");
        if (!columns[i].is_left_aligned)
            buffer_format(text, "%*s", padding, "");
        color_add(text, is_red ? COLOR_FAILED : NULL, cell);
        if (columns[i].is_left_aligned)
            buffer_format(text, "%*s", padding, "");
    }

    buffer_text(text, "\n");
}

/* Returns true if one of SLOS is absolute. Such a limit applies to the reference, too. */
static bool
has_absolute_limit(const struct slos *slos)
{
    for (int i = 0; i < slos->count; i++)
        if (!slos->list[i].is_relative)
            return true;
    return false;
}

/* Fills LINE, the line of the target or file of ROW. REFERENCE is the first row. */
static void
fill_target_line(struct comparison_table *table, struct comparison_line *line,
                 const struct comparison_row *row, const struct comparison_row *reference,
                 const struct slos *slos)
{
    const struct latencies latencies = latencies_of(row->stats, SCOPE_ALL);
    enum slo_verdict verdict = comparison_check_all(slos, row, reference);
    bool is_reference = row == reference;

    add_row_name(&line->name, row);
    fill_latency_cells(line, &latencies);
    fill_target_cells(table, line, row, is_reference);

    line->is_broken = verdict == SLO_BROKEN;
    if (!is_reference || has_absolute_limit(slos))
        set_cell(line->cells[SLO], slo_verdict_name(verdict));
}

/* Fills LINE, the line of one of several operations of the target of ROW. SCOPE is the
 * scope of the operation. */
static void
fill_operation_line(struct comparison_line *line, const struct comparison_row *row,
                    enum scope scope)
{
    const struct latencies latencies = latencies_of(row->stats, scope);

    buffer_format(&line->name, "  %s", scope_name(scope));
    fill_latency_cells(line, &latencies);
}

/* Fills the lines of ROW_COUNT rows. They follow the first line of the table, which has
 * the headers. Returns false if memory ran out. */
static bool
fill_lines(struct comparison_table *table, const struct comparison_row *rows,
           int row_count, const struct slos *slos)
{
    struct comparison_line *line = table->lines + 1;

    for (int i = 0; i < row_count; i++) {
        const struct comparison_row *row = &rows[i];

        if (row->rank > 1)
            table->is_ordered = true;
        fill_target_line(table, line, row, rows, slos);
        line++;

        if (!table->is_mixed)
            continue;
        for (enum scope scope = scope_next(row->stats, SCOPE_ALL); scope < SCOPE_SYNC;
             scope = scope_next(row->stats, scope)) {
            fill_operation_line(line, row, scope);
            line++;
        }
    }

    for (int i = 0; i < table->line_count; i++)
        if (table->lines[i].name.failed)
            return false;
    return true;
}

/* Adds a line that names the operations which the changes are about, such as "changes are
 * of reads and writes together": a change is computed from all requests. */
static void
add_operations_note(struct buffer *text, const struct stats *stats)
{
    enum scope first = scope_first(stats);

    buffer_text(text, "changes are of");
    for (enum scope scope = first; scope_is_operation(scope);
         scope = scope_next(stats, scope))
        buffer_format(text, "%s %s", scope == first ? "" : " and",
                      operations[scope_operation(scope)].noun);
    buffer_text(text, " together\n");
}

/* Adds lines that say which requests the changes are about, and what the marks mean. */
static void
add_legend(struct buffer *text, const struct comparison_table *table,
           const struct stats *stats)
{
    if (table->is_mixed)
        add_operations_note(text, stats);

    if (table->has_noise)
        buffer_text(
            text, "~ may be noise: too few requests to be sure of a difference (95 %)\n");
    if (!table->has_unknown)
        return;
    buffer_text(text, "? unsure: ");
    comparison_add_reason(text, table->shortest, stats);
    buffer_text(text, "\n");
}

/* Adds the heading of TABLE, such as "--- comparison, fastest first ---". */
static void
add_comparison_heading(struct report *report, const struct comparison_table *table,
                       const struct comparison_row *reference)
{
    struct buffer *text = &report->text;

    if (report->plan->mode == MODE_COMPARE) {
        buffer_text(text, "--- comparison with ");
        buffer_escaped(text, reference->name);
        buffer_text(text, " ---\n");
    } else if (table->is_ordered) {
        buffer_text(text, "\n--- comparison, fastest first ---\n");
    } else {
        buffer_text(text, "\n--- comparison ---\n");
    }
}

/* Frees the lines of the table, which may be NULL. */
static void
free_lines(struct comparison_table *table)
{
    if (!table->lines)
        return;

    for (int i = 0; i < table->line_count; i++)
        buffer_free(&table->lines[i].name);
    free(table->lines);
}

/* Adds a line that says when the latencies of a single log of histograms were worst. */
static void
add_log_times(struct report *report)
{
    const struct job *job = &report->jobs[0];

    if (report->job_count != 1 || !job->time_map || job->outcome.total.latency.count == 0)
        return;
    size_t length = report->text.length;
    plot_log_add_times(&report->text, job);
    if (report->text.length > length)
        buffer_text(&report->text, "\n");
}

void
comparison_format(struct report *report, const struct comparison_row *rows)
{
    struct buffer *text = &report->text;
    const struct slos *slos = &report->plan->statistics.slos;
    bool is_recorded = report->plan->mode == MODE_COMPARE;
    int extra_count = report->job_count > 0 ? rows->stats->mix.extra_count : 0;
    /* Each target has a line. If operations are mixed, each operation has a further
     * line. */
    int lines_per_row = extra_count > 0 ? extra_count + 2 : 1;
    struct comparison_table table = {.line_count = report->job_count * lines_per_row + 1,
                                     .is_mixed = extra_count > 0};

    if (is_recorded)
        table.hidden |= 1u << AVG | 1u << IOPS;
    /* A recorded run alone has no other run from which it could differ. */
    if (is_recorded && report->job_count == 1)
        table.hidden |= 1u << CHANGE50 | 1u << BOUNDS50 | 1u << CHANGE99 | 1u << BOUNDS99;
    if (slos->count == 0)
        table.hidden |= 1u << SLO;

    table.lines = calloc((size_t)table.line_count, sizeof(*table.lines));
    if (!table.lines) {
        text->failed = true;
        return;
    }

    buffer_text(&table.lines->name, is_recorded ? "file" : "target");
    for (int i = 0; i < COLUMNS; i++)
        set_cell(table.lines->cells[i], columns[i].header);

    if (fill_lines(&table, rows, report->job_count, slos)) {
        set_widths(&table);
        if (report->is_terminal)
            fit_to_terminal(&table, report->columns);
        add_comparison_heading(report, &table, rows);
        for (int i = 0; i < table.line_count; i++)
            add_comparison_line(text, &table, &table.lines[i], report->has_color);
        add_legend(text, &table, rows->stats);
        add_log_times(report);
    } else {
        text->failed = true;
    }

    free_lines(&table);
}

void
comparison_limits(struct report *report, const struct comparison_row *row)
{
    const struct slos *slos = &report->plan->statistics.slos;
    struct buffer *text = &report->text;
    char name[SLO_NAME_SIZE];
    char limit[UNITS_TEXT];
    char change[CELL_SIZE];
    char bounds[CELL_SIZE];

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        const struct comparison_figure *figure = &row->figures[COMPARISON_FIGURES + i];
        if (!slo->is_relative)
            continue;

        comparison_describe(figure->ratio, &figure->bounds, change, bounds);
        bool is_shown =
            figure->ratio > 0 && comparison_is_shown(figure, &slo->percentile);

        add_row_name(text, row);
        buffer_format(text, ": %s < %s: %s", slo_name(slo, name), slo_limit(slo, limit),
                      slo_verdict_name(figure->verdict));
        if (is_shown)
            buffer_format(text, ", %s %s", change, bounds);
        else if (figure->verdict == SLO_BROKEN)
            buffer_format(text, " %s", bounds);
        buffer_text(text, "\n");
    }
}

struct comparison_row *
comparison_make(const struct job *jobs, int count, const struct slos *slos, bool ranked)
{
    struct comparison_row *rows = calloc((size_t)count, sizeof(*rows));

    if (!rows)
        return NULL;

    for (int i = 0; i < count; i++)
        rows[i] = (struct comparison_row){
            .name = jobs[i].target.description.path,
            .ordinal = job_path_number(jobs, count, i),
            .stats = &jobs[i].outcome.total,
            .series = jobs[i].outcome.series,
        };

    if (comparison_fill(rows, count, slos, ranked) < 0) {
        free(rows);
        return NULL;
    }
    return rows;
}

const struct comparison_row *
comparison_rows(struct report *report)
{
    /* Rows that this report has allocated are lost when report_recorded has none. */
    if (!report->rows)
        report->rows = report->owned_rows;
    if (report->rows)
        return report->rows;

    report->owned_rows =
        comparison_make(report->jobs, report->job_count, &report->plan->statistics.slos,
                        report->plan->mode != MODE_COMPARE);
    report->rows = report->owned_rows;
    if (!report->rows)
        report->text.failed = true;
    return report->rows;
}
