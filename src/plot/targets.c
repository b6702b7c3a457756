/*
 * Everything below the panels: the legend, and the table.
 *
 *   o request   --- mean   x failed                              (plot_legend_draw)
 *                                 requests    p50    p99    max   (draw_table)
 *   --- /data (ext4 /dev/sda1)        1000  80 us  ...
 *
 * A run has a row for each series, if there are several: targets, operations or phases.
 * A sweep of several targets has a row for each target. A piece of a line in the colour
 * of a row stands in front of its name.
 */
#include "base/units.h"
#include "draw.h"
#include "stats/comparison.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Gap between columns of the table, in pixels. The gap between entries of the legend is
 * twice as large. */
#define SPACE 14
#define INDENT 14 /* indent of an operation below its target, in pixels */
/* The minimum width of the names in the table, in pixels. */
#define MIN_NAME_WIDTH 120
/* The maximum width of the names if there are more than PLOT_MAX_DETAILED rows, in
 * pixels, so that the plot does not grow too large. */
#define MAX_MANY_NAMES_WIDTH 300

/* How an entry of the legend looks. The sample of an entry is a piece of its line or
 * area. If a class is NULL, that element is not drawn. */
static const struct {
    const char *name;       /* the text of the entry */
    const char *run_role;   /* CSS class of the colour sample, in the plot of a run */
    const char *sweep_role; /* CSS class of the colour sample, in the plot of a sweep */
    const char *sweep_mark; /* CSS class of the mark on the colour sample, in a sweep */
    double mark_radius;     /* radius of the mark, in pixels */
} legend[ENTRIES] = {
    [ENTRY_MARK] = {"request", "k-mark", NULL, NULL, 0},
    [ENTRY_BAND] = {"min to max", "k-band", NULL, NULL, 0},
    [ENTRY_MEAN] = {"mean", "k-mean", NULL, NULL, 0},
    [ENTRY_P50] = {"p50", "k-p50", "k-p50", "k-mark", 3},
    [ENTRY_P99] = {"p99", "k-p99", "k-p99", "k-mark open", 3},
    [ENTRY_MAX] = {"max", "k-max", "k-max", "k-mark small", 2},
    [ENTRY_LOAD] = {"background load", "k-load", NULL, NULL, 0},
    [ENTRY_FAIL] = {"failed", "k-fail", NULL, NULL, 0},
    [ENTRY_MISSED] = {"due but not sent", "k-missed", NULL, NULL, 0},
    [ENTRY_LIMIT] = {"limit", "k-limit", "k-limit", NULL, 0},
    [ENTRY_BROKEN] = {"limit broken", NULL, NULL, "k-ring", PLOT_RING},
    [ENTRY_PAST] = {"limit broken", NULL, NULL, "k-mark k-past", 3},
    [ENTRY_KNEE] = {"highest that meets the limit", NULL, "k-knee", NULL, 0},
};

/* Draws the sample of ENTRY, PLOT_SWATCH pixels wide, with its left end at X. Y is the
 * base line of the text beside the sample. */
static void
draw_swatch(struct buffer *text, enum plot_entry entry, struct plot_class class, double x,
            double y)
{
    double middle = x + PLOT_SWATCH / 2.0;
    double above = y - 4;

    if (entry == ENTRY_MARK)
        svg_circle(text, class.text, middle, above, 2.5);
    else if (entry == ENTRY_BAND || entry == ENTRY_LOAD)
        svg_rect(text, class.text, x, y - 9, PLOT_SWATCH, 10);
    else if (entry == ENTRY_FAIL || entry == ENTRY_MISSED)
        plot_exception(text, class.text, entry == ENTRY_FAIL, middle, y);
    else
        svg_rule(text, class.text, x, above, 'H', x + PLOT_SWATCH);
}

/* Writes NAME into the legend. The base line of the text starts at X, Y. Returns the x of
 * the next entry. */
static double
draw_entry_name(struct buffer *text, double x, double y, const char *name)
{
    svg_text(text, x, y, SVG_START, PLOT_FONT, "key", name);
    return x + svg_width(name, PLOT_FONT) + 2 * SPACE;
}

/* Returns true if a step above the answer of any target may meet the limits, too. */
static bool
has_lower_bound(const struct plot *plot)
{
    for (int i = 0; i < plot->count; i++)
        if (plot->jobs[i].sweep.is_lower_bound)
            return true;

    return false;
}

/* Draws ENTRY with its left end at X and the base line of its text at Y. COLOUR is the
 * colour of its sample. HAS_MARKS is
 * true if the curves of the sweep have a mark at each step. Returns the x
 * of the next entry. */
static double
draw_entry(struct buffer *text, enum plot_entry entry, const struct plot *plot,
           bool has_marks, int colour, double x, double y)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    bool is_sweep = kind != SWEEP_NONE;
    const char *role = is_sweep ? legend[entry].sweep_role : legend[entry].run_role;

    if (role)
        draw_swatch(text, entry, plot_class(role, colour), x, y);
    if (is_sweep && has_marks && legend[entry].sweep_mark)
        svg_circle(text, plot_class(legend[entry].sweep_mark, colour).text,
                   x + PLOT_SWATCH / 2.0, y - 4, legend[entry].mark_radius);

    const char *name = legend[entry].name;
    if (entry == ENTRY_KNEE && kind == SWEEP_SIZE)
        name = "90 % of the highest bandwidth";
    else if (entry == ENTRY_KNEE && has_lower_bound(plot))
        name = "highest measured that meets the limit";

    return draw_entry_name(text, x + PLOT_SWATCH + 5, y, name);
}

void
plot_legend_draw(struct buffer *text, const struct plot *plot, unsigned entries, double y)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    bool has_small_panels = kind != SWEEP_NONE && plot->count > PLOT_MAX_DETAILED;
    bool has_one_target = plot->count == 1 || has_small_panels || plot->diagnosis;
    bool has_one_series = has_one_target && (kind != SWEEP_NONE ||
                                             plot->plan->workload.mix.extra_count == 0);
    double x = PLOT_MARGIN;

    for (enum plot_entry entry = 0; entry < ENTRY_VALUE; entry++) {
        bool is_exception = entry == ENTRY_FAIL || entry == ENTRY_MISSED;
        int colour = has_one_series && !is_exception ? 0 : PLOT_INK;

        if (entries & 1u << entry)
            x = draw_entry(text, entry, plot, !has_small_panels, colour, x, y);
    }

    /* The entry for the numbers beside points is only a text, without a sample. */
    if (entries & BIT(VALUE)) {
        char name[64];
        snprintf(name, sizeof(name), "numbers: %s",
                 sweep_kinds[plot->plan->sweep.kind].name);
        draw_entry_name(text, x, y, name);
    }
}

#define MAX_COLUMNS 8 /* maximum number of columns of the table, without the names */
#define CELL_SIZE 80  /* bytes for the text of a cell */

/* A row of the table. */
struct target_row {
    struct buffer name;
    const char *short_name; /* used if the name is too wide; NULL: use the name itself */
    bool is_indented;       /* the row belongs to the row above it */
    int colour;             /* for plot_class; -1: no sample stands before the name */
    char cells[MAX_COLUMNS][CELL_SIZE];
};

/* The table. A column that has no text in any row is left out. */
struct target_table {
    const char *headers[MAX_COLUMNS];
    struct target_row *rows;
    int row_count;
};

enum run_column {
    COLUMN_REQUESTS,
    COLUMN_P50,
    COLUMN_CHANGE50,
    COLUMN_P99,
    COLUMN_CHANGE99,
    COLUMN_MAX,
    COLUMN_FAILED,
    COLUMN_MISSED
};

/* Writes VALUE into CELL. A negative value is unknown, and becomes a dash. */
static void
set_table_cell(char *cell, enum units_kind kind, int64_t value)
{
    char text[PLOT_TEXT];

    snprintf(cell, CELL_SIZE, "%s", value < 0 ? "-" : plot_value(kind, value, text));
}

/* Fills the cells of ROW with the figures of SCOPE of STATS. The numbers of failed and of
 * missed requests are filled only if the legend has an entry for them (ENTRIES). */
static void
fill_run_row(struct target_row *row, const struct stats *stats, enum scope scope,
             unsigned entries)
{
    const struct percentile *list = percentiles_common.list;
    const struct latencies latencies = latencies_of(stats, scope);
    const struct scope_counts counts = scope_counts_of(stats, scope);
    int64_t count = (int64_t)latencies.moments->count;

    set_table_cell(row->cells[COLUMN_REQUESTS], UNITS_COUNT, count);
    set_table_cell(row->cells[COLUMN_P50], UNITS_TIME,
                   latencies_known_percentile(&latencies, &list[0]));
    set_table_cell(row->cells[COLUMN_P99], UNITS_TIME,
                   latencies_known_percentile(&latencies, &list[1]));
    set_table_cell(row->cells[COLUMN_MAX], UNITS_TIME,
                   count > 0 ? latencies.moments->max : -1);
    if (entries & BIT(FAIL))
        set_table_cell(row->cells[COLUMN_FAILED], UNITS_COUNT, (int64_t)counts.failed);
    if (entries & BIT(MISSED))
        set_table_cell(row->cells[COLUMN_MISSED], UNITS_COUNT, (int64_t)counts.missed);
}

/* Fills the cells for the changes of TARGET against the first row of the comparison, the
 * reference. The cells stay empty if the targets are not compared. */
static void
fill_changes(struct target_row *row, const struct plot *plot, int target)
{
    static const enum run_column columns[] = {COLUMN_CHANGE50, COLUMN_CHANGE99};
    const struct comparison_row *compared = plot_find_row(plot, target);

    if (!compared)
        return;

    for (int i = 0; i < COMPARISON_FIGURES; i++) {
        const struct comparison_figure *figure = &compared->figures[i];
        struct buffer change = {0};

        if (compared == plot->rows) {
            snprintf(row->cells[columns[i]], CELL_SIZE, "reference");
            continue;
        }

        if (!comparison_is_shown(figure, &percentiles_common.list[i]))
            continue;
        plot_add_change(&change, figure);
        if (!change.failed)
            snprintf(row->cells[columns[i]], CELL_SIZE, "%s", change.text);
        buffer_free(&change);
    }
}

/* Puts "at least" before the value in CELL. */
static void
mark_lower_bound(char *cell)
{
    static const char before[] = "at least ";
    size_t before_length = sizeof(before) - 1;

    memmove(cell + before_length, cell, CELL_SIZE - before_length);
    memcpy(cell, before, before_length);
}

/* Fills the cells of ROW with the result of the sweep of TARGET. */
static void
fill_sweep_row(struct target_row *row, const struct plot *plot, int target)
{
    const struct job_sweep *sweep = &plot->jobs[target].sweep;
    enum sweep_kind kind = plot->plan->sweep.kind;
    int answer = plot_find_answer(plot, target);
    double iops = -1;
    double bps = -1;
    char value[PLOT_TEXT];

    for (int i = 0; i < sweep->count; i++) {
        if (!sweep->steps[i].requests)
            continue;
        iops = fmax(iops, sweep->steps[i].iops);
        bps = fmax(bps, sweep->steps[i].bps);
    }

    if (kind == SWEEP_RATE) {
        int64_t rate = answer < 0 ? -1 : sweep->steps[answer].answered_rate;
        int64_t request_size = plot->plan->workload.request_size;
        set_table_cell(row->cells[0], UNITS_COUNT, rate);
        set_table_cell(row->cells[1], UNITS_SIZE,
                       rate < 0 ? -1 : units_scale(rate, request_size, 1));
    } else if (kind != SWEEP_INTERVAL) {
        set_table_cell(row->cells[0], UNITS_COUNT, (int64_t)iops);
        set_table_cell(row->cells[1], UNITS_SIZE, (int64_t)bps);
    }

    if (row->cells[1][0] && row->cells[1][0] != '-')
        snprintf(row->cells[1] + strlen(row->cells[1]), 4, "/s");
    if (answer >= 0 && kind != SWEEP_RATE)
        snprintf(row->cells[2], CELL_SIZE, "%s",
                 plot_swept_value(kind, sweep->steps[answer].value, value));
    if (sweep->is_lower_bound && answer >= 0 && kind != SWEEP_SIZE)
        mark_lower_bound(row->cells[kind == SWEEP_RATE ? 0 : 2]);
}

/* Adds the name of target INDEX to ROW. */
static void
name_target_row(struct target_row *row, const struct plot *plot, int index)
{
    const struct description *description = &plot->jobs[index].target.description;

    row->colour = plot->count <= PLOT_MAX_DETAILED ? index : -1;
    row->short_name = description->path;
    description_label(description, &row->name);
}

/* Adds an empty row to TABLE, and returns it. */
static struct target_row *
add_target_row(struct target_table *table)
{
    return &table->rows[table->row_count++];
}

/* Adds a row for each mixed operation of STATS. Adds nothing if there is only one
 * operation. The colours begin with FIRST_COLOUR. */
static void
add_operation_rows(struct target_table *table, const struct stats *stats,
                   int first_colour, bool has_colours, unsigned entries)
{
    if (stats->mix.extra_count == 0)
        return;

    for (enum scope scope = scope_first(stats); scope < SCOPE_SYNC;
         scope = scope_next(stats, scope)) {
        struct target_row *row = add_target_row(table);

        buffer_text(&row->name, scope_name(scope));
        row->colour = has_colours ? first_colour++ : -1;
        row->is_indented = !has_colours;
        fill_run_row(row, stats, scope, entries);
    }
}

/* Adds the rows of a run. With phases, there are rows for each phase and its operations.
 * Several targets have rows for each target and its operations. A single target without
 * phases has only rows for its mixed operations: the plot itself shows its figures. */
static void
add_run_rows(struct target_table *table, const struct plot *plot, unsigned entries)
{
    static const char *const headers[MAX_COLUMNS] = {
        "requests", "p50", "change", "p99", "change", "max", "failed", "missed"};
    const struct job *first = &plot->jobs[0];

    for (int i = 0; i < MAX_COLUMNS; i++)
        table->headers[i] = headers[i];

    if (plot->count == 1 && first->phases) {
        for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
            const struct stats *stats = job_phase_stats(first, phase);
            if (!stats)
                continue;
            struct target_row *row = add_target_row(table);
            plot_phase_name(&row->name, plot, phase);
            row->colour = -1;
            fill_run_row(row, stats, SCOPE_ALL, entries);
            add_operation_rows(table, stats, 0, false, entries);
        }
        return;
    }

    if (plot->count == 1) {
        add_operation_rows(table, first->stats, 0, true, entries);
        return;
    }

    for (int i = 0; i < plot->count; i++) {
        struct target_row *row = add_target_row(table);
        name_target_row(row, plot, i);
        fill_run_row(row, plot->jobs[i].stats, SCOPE_ALL, entries);
        fill_changes(row, plot, i);
        add_operation_rows(table, plot->jobs[i].stats, 0, false, entries);
    }
}

/* Adds a row for each target of a sweep. Adds nothing if there is only one target. */
static void
add_sweep_rows(struct target_table *table, const struct plot *plot)
{
    enum sweep_kind kind = plot->plan->sweep.kind;

    table->headers[0] = kind == SWEEP_RATE ? "highest rate" : "highest iops";
    table->headers[1] = kind == SWEEP_RATE ? "its bandwidth" : "highest bandwidth";
    table->headers[2] = kind == SWEEP_SIZE ? "enough for 90 %" : "meets the limits";

    if (plot->count < 2)
        return;

    for (int i = 0; i < plot->count; i++) {
        struct target_row *row = add_target_row(table);
        name_target_row(row, plot, i);
        fill_sweep_row(row, plot, i);
    }
}

/* Returns the width of COLUMN in pixels, or 0 if no row has a text in it. */
static double
measure_column(const struct target_table *table, int column)
{
    double width = 0;

    for (int i = 0; i < table->row_count; i++)
        width = fmax(width, svg_width(table->rows[i].cells[column], PLOT_FONT));

    return width > 0 ? fmax(width, svg_width(table->headers[column], PLOT_FONT)) : 0;
}

/* Draws the name of ROW at X, Y. The name is at most WIDTH pixels wide. Returns the width
 * of the name. */
static double
draw_row_name(struct buffer *text, const struct target_row *row, double x, double y,
              double width)
{
    struct buffer name = {0};
    const char *whole = row->name.text;

    if (row->short_name && svg_width(whole, PLOT_FONT) > width)
        whole = row->short_name;
    svg_shorten(&name, whole, (int)(width / (SVG_GLYPH * PLOT_FONT)));

    double drawn_width = name.failed ? 0 : svg_width(name.text, PLOT_FONT);
    svg_buffer(text, x, y, SVG_START, PLOT_FONT, "name", &name);
    return drawn_width;
}

/* Draws TABLE from Y downwards. The columns stand next to the names. Returns the y at
 * which the table ends. */
static double
draw_table(struct buffer *text, const struct target_table *table, double y)
{
    double name_x = PLOT_MARGIN + PLOT_SWATCH + 8;
    double max_name_width = PLOT_WIDTH - PLOT_MARGIN - name_x;
    double name_width = 0;

    if (table->row_count == 0)
        return y;

    for (int column = 0; column < MAX_COLUMNS; column++)
        if (measure_column(table, column) > 0)
            max_name_width -= measure_column(table, column) + SPACE;
    if (table->row_count > PLOT_MAX_DETAILED)
        max_name_width = fmin(max_name_width, MAX_MANY_NAMES_WIDTH);
    max_name_width = fmax(max_name_width, MIN_NAME_WIDTH);

    for (int i = 0; i < table->row_count; i++) {
        const struct target_row *row = &table->rows[i];
        double row_y = y + (i + 1) * PLOT_ROW;

        text->failed |= row->name.failed;
        if (row->name.failed)
            continue;
        name_width =
            fmax(name_width,
                 draw_row_name(text, row, row->is_indented ? name_x + INDENT : name_x,
                               row_y, max_name_width - INDENT));
        if (row->colour < 0)
            continue;
        draw_swatch(text, ENTRY_MEAN, plot_class("k-mean", row->colour), PLOT_MARGIN,
                    row_y);
        draw_swatch(text, ENTRY_MARK, plot_class("k-mark", row->colour), PLOT_MARGIN,
                    row_y);
    }

    double x = name_x + name_width + INDENT;
    for (int column = 0; column < MAX_COLUMNS; column++) {
        double width = measure_column(table, column);
        if (width <= 0)
            continue;

        x += width + SPACE;
        svg_text(text, x, y, SVG_END, PLOT_FONT, "dim", table->headers[column]);
        for (int i = 0; i < table->row_count; i++)
            if (table->rows[i].cells[column][0])
                svg_text(text, x, y + (i + 1) * PLOT_ROW, SVG_END, PLOT_FONT, "cell",
                         table->rows[i].cells[column]);
    }

    return y + (table->row_count + 1) * PLOT_ROW;
}

double
plot_targets_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                  double y)
{
    /* Each target or phase has one row for itself, and one row for each of its
     * operations. */
    int max_rows = (plot->count + PHASES) * (1 + OPERATION_TURNS);
    struct target_table table = {.rows = calloc((size_t)max_rows, sizeof(*table.rows))};

    if (!table.rows) {
        text->failed = true;
        return y;
    }

    y += PLOT_ROW;
    if (entries) {
        plot_legend_draw(text, plot, entries, y);
        y += 1.5 * PLOT_ROW;
    }

    if (plot->plan->sweep.kind == SWEEP_NONE)
        add_run_rows(&table, plot, entries);
    else
        add_sweep_rows(&table, plot);
    y = draw_table(text, &table, y);

    for (int i = 0; i < table.row_count; i++)
        buffer_free(&table.rows[i].name);
    free(table.rows);
    return y;
}
