/*
 * Everything below the panels of a plot: a legend of lines and signs, a legend of the
 * parts of the time of requests, and a table with a row for each target or phase.
 *
 *   --- p50   --- p99   x failed                                  (draw_legend)
 *   [] submit  [] queue  [] device                                (only with -breakdown)
 *                                 requests    p50    p99    max   (draw_table)
 *   --- /data (ext4 /dev/sda1)        1000  80 us  ...
 *         read                         700  ...
 *
 * In the plot of a run with mixed operations, the row of a target is followed by a row
 * for each operation. If there are several targets, a piece of a line with the colour and
 * dashes of the target stands in front of its name.
 */
#include "base/units.h"
#include "draw.h"

#include <math.h>
#include <stdio.h>

/* Pixels between columns of the table. Entries of the legend are twice as far apart. */
#define SPACE 10

/* How an entry of the legend looks. A class that is NULL is not drawn. */
static const struct {
    const char *line_kind;  /* kind of line, such as "p99", for plot_class */
    const char *name;       /* the text of the entry */
    const char *run_role;   /* class of the sample in the plot of a run */
    const char *sweep_role; /* class of the sample in the plot of a sweep */
    const char *sweep_mark; /* class of the mark on this sample, in the plot of a sweep */
    double mark_radius;     /* pixels */
} legend[ENTRIES] = {
    [ENTRY_MARK] = {"", "request", "k-mark", NULL, NULL, 0},
    [ENTRY_BAND] = {"", "min to max", "k-band", NULL, NULL, 0},
    [ENTRY_MEAN] = {"", "mean", "k-mean", NULL, NULL, 0},
    [ENTRY_P50] = {"p50", "p50", "k-p50", "k-p50 curve", "k-mark", 3},
    [ENTRY_P99] = {"p99", "p99", "k-p99", "k-p99", "k-mark open", 3},
    [ENTRY_MAX] = {"max", "max", "k-max", "k-max", "k-mark", 2},
    [ENTRY_FAIL] = {"fail", "failed", "k-fail", NULL, NULL, 0},
    [ENTRY_MISSED] = {"missed", "due but not sent", "k-missed", NULL, NULL, 0},
    [ENTRY_LIMIT] = {"fail", "limit", NULL, "k-limit", NULL, 0},
    [ENTRY_BROKEN] = {"fail", "limit broken", NULL, NULL, "k-ring", PLOT_RING},
    [ENTRY_KNEE] = {"p50", "highest rate", NULL, "k-knee", NULL, 0},
};

/* Draws a sample of ENTRY, PLOT_SWATCH wide, with its left end at X. Y is the base line
 * of the text beside the sample. */
static void
draw_swatch(struct buffer *text, enum plot_entry entry, struct plot_class class, double x,
            double y)
{
    double middle = x + PLOT_SWATCH / 2.0;
    double above = y - 4;

    if (entry == ENTRY_MARK)
        svg_circle(text, class.text, middle, above, 2.5);
    else if (entry == ENTRY_BAND)
        svg_rect(text, class.text, x, y - 9, PLOT_SWATCH, 10);
    else if (entry == ENTRY_FAIL || entry == ENTRY_MISSED)
        plot_exception(text, class.text, entry == ENTRY_FAIL, middle, y);
    else
        svg_rule(text, class.text, x, above, 'H', x + PLOT_SWATCH);
}

/* Writes NAME into the legend, with the start of its base line at X, Y. Returns the x of
 * the next entry. */
static double
draw_entry_name(struct buffer *text, double x, double y, const char *name)
{
    svg_text(text, x, y, SVG_START, PLOT_FONT, "key", name);
    return x + svg_width(name, PLOT_FONT) + 2 * SPACE;
}

/* Draws ENTRY with its left end at X, and the base line of its text at Y. IS_SWEEP: PLOT
 * is the plot of a sweep. Returns the x of the next entry. */
static double
draw_entry(struct buffer *text, const struct plot *plot, enum plot_entry entry,
           bool is_sweep, double x, double y)
{
    const char *kind = legend[entry].line_kind;
    const char *role = is_sweep ? legend[entry].sweep_role : legend[entry].run_role;

    if (role)
        draw_swatch(text, entry, plot_class(plot, role, kind, PLOT_ALL_TARGETS), x, y);
    if (is_sweep && legend[entry].sweep_mark)
        svg_circle(
            text, plot_class(plot, legend[entry].sweep_mark, kind, PLOT_ALL_TARGETS).text,
            x + PLOT_SWATCH / 2.0, y - 4, legend[entry].mark_radius);

    return draw_entry_name(text, x + PLOT_SWATCH + SPACE / 2.0, y, legend[entry].name);
}

/* Draws the set ENTRIES of entries in one row, with the base line of their texts at Y. */
static void
draw_legend(struct buffer *text, const struct plot *plot, unsigned entries, double y)
{
    bool is_sweep = plot->plan->sweep.kind != SWEEP_NONE;
    double x = PLOT_MARGIN;

    for (enum plot_entry entry = 0; entry < ENTRY_VALUE; entry++)
        if (entries & 1u << entry)
            x = draw_entry(text, plot, entry, is_sweep, x, y);

    /* The entry about the numbers beside points has a text only. */
    if (entries & BIT(VALUE)) {
        char name[64];
        snprintf(name, sizeof(name), "numbers: %s",
                 sweep_kinds[plot->plan->sweep.kind].name);
        draw_entry_name(text, x, y, name);
    }
}

/* Draws a legend of the parts of the time of requests in one row, with the base line of
 * the texts at Y. Draws nothing if PLOT shows no parts. */
static void
draw_parts_legend(struct buffer *text, const struct plot *plot, double y)
{
    double x = PLOT_MARGIN;

    for (int i = 0; i < PLOT_PARTS; i++) {
        if (!plot_has_part(plot, i))
            continue;
        draw_swatch(text, ENTRY_BAND, plot_part_class("k-part", i), x, y);
        x = draw_entry_name(text, x + PLOT_SWATCH + SPACE / 2.0, y,
                            scope_name(plot_part_scope(i)));
    }
}

/* Returns true if each target or phase has further rows in the table for its
 * operations. */
static bool
has_operation_rows(const struct plot *plot)
{
    return plot->plan->workload.mix.extra_count > 0 &&
           plot->plan->sweep.kind == SWEEP_NONE;
}

/* Returns the number of rows that a target, or a phase, has in the table. */
static int
count_rows_each(const struct plot *plot)
{
    return has_operation_rows(plot) ? plot->plan->workload.mix.extra_count + 2 : 1;
}

#define MAX_COLUMNS 6 /* maximum number of columns of the table, without the names */

/* A row of the table. */
struct target_row {
    struct cell {
        const char *header; /* header of the column */
        int width;          /* in characters; 0 if the column is left out */
        enum units_kind kind;
        int64_t value; /* -1 if unknown */
    } cells[MAX_COLUMNS];
};

/* Makes the row of a sweep of rates: the highest rate that meets the limits, and its
 * bandwidth. The output for people has the same figures (table_highest). */
static struct target_row
make_rate_row(const struct plot *plot, const struct job *job)
{
    const struct job_sweep *sweep = &job->sweep;
    int64_t rate = -1;
    int64_t bandwidth = -1;

    if (sweep->highest_index >= 0) {
        rate = sweep->steps[sweep->highest_index].answered_rate;
        bandwidth = units_scale(rate, plot->plan->workload.request_size, 1);
    }

    return (struct target_row){{{"highest rate", 12, UNITS_COUNT, rate},
                                {"its bandwidth", 17, UNITS_SIZE, bandwidth}}};
}

/* Makes the row of any other sweep: the highest IOPS and bandwidth of all steps. */
static struct target_row
make_sweep_row(const struct job *job)
{
    double iops = 0;
    double bps = 0;

    for (int i = 0; i < job->sweep.count; i++) {
        const struct job_step *step = &job->sweep.steps[i];
        if (step->requests == 0)
            continue;
        iops = fmax(iops, step->iops);
        bps = fmax(bps, step->bps);
    }

    return (struct target_row){{{"highest iops", 12, UNITS_COUNT, (int64_t)iops},
                                {"highest bandwidth", 17, UNITS_SIZE, (int64_t)bps}}};
}

/* Makes the row of SCOPE of STATS in the plot of a run. The columns of failed and missed
 * requests exist only if the set ENTRIES of the legend has these entries. */
static struct target_row
make_run_row(const struct stats *stats, enum scope scope, unsigned entries)
{
    const struct percentile *list = percentiles_common.list;
    const struct latencies latencies = latencies_of(stats, scope);
    const struct scope_counts counts = scope_counts_of(stats, scope);
    int64_t count = (int64_t)latencies.moments->count;
    int64_t p50 = latencies_known_percentile(&latencies, &list[0]);
    int64_t p99 = latencies_known_percentile(&latencies, &list[1]);
    int64_t max = count > 0 ? latencies.moments->max : -1;
    int failed_width = entries & BIT(FAIL) ? 7 : 0;
    int missed_width = entries & BIT(MISSED) ? 7 : 0;

    return (struct target_row){
        {{"requests", 8, UNITS_COUNT, count},
         {"p50", 10, UNITS_TIME, p50},
         {"p99", 10, UNITS_TIME, p99},
         {"max", 10, UNITS_TIME, max},
         {"failed", failed_width, UNITS_COUNT, (int64_t)counts.failed},
         {"missed", missed_width, UNITS_COUNT, (int64_t)counts.missed}}};
}

/* Makes the row of SCOPE of STATS, the statistics of JOB or of one of its phases. In the
 * plot of a sweep, makes the row of JOB, and STATS and SCOPE do not matter. */
static struct target_row
make_row(const struct plot *plot, const struct job *job, const struct stats *stats,
         enum scope scope, unsigned entries)
{
    if (plot->plan->sweep.kind == SWEEP_RATE)
        return make_rate_row(plot, job);
    if (plot->plan->sweep.kind != SWEEP_NONE)
        return make_sweep_row(job);

    return make_run_row(stats, scope, entries);
}

/* Writes the value of CELL into TEXT, of SIZE bytes. */
static void
format_cell(const struct cell *cell, char *text, size_t size)
{
    char value[UNITS_TEXT];

    if (cell->value < 0) {
        snprintf(text, size, "-");
        return;
    }

    units_format(cell->kind, cell->value, value);
    /* All sizes in the table are bandwidths. */
    if (cell->kind == UNITS_SIZE)
        snprintf(text, size, "%s/s", value);
    else
        snprintf(text, size, "%s", value);
}

/* Draws the values of ROW or, if IS_HEADER, the headers of its columns, from the right to
 * the left. Returns the x at which they begin. The name of the row must end there. */
static double
draw_row(struct buffer *text, const struct target_row *row, bool is_header, double y)
{
    double x = PLOT_WIDTH - PLOT_MARGIN;

    for (int i = MAX_COLUMNS - 1; i >= 0; i--) {
        const struct cell *cell = &row->cells[i];
        char value[UNITS_TEXT + 8];

        if (!cell->width)
            continue;

        if (is_header) {
            svg_text(text, x, y, SVG_END, PLOT_FONT, "dim", cell->header);
        } else {
            format_cell(cell, value, sizeof(value));
            svg_text(text, x, y, SVG_END, PLOT_FONT, "cell", value);
        }
        x -= SVG_GLYPH * PLOT_FONT * cell->width + SPACE;
    }

    return x;
}

/* Draws the row of STATS at Y, and the rows of its operations below. Returns the x at
 * which the values of the first row begin. */
static double
draw_rows(struct buffer *text, const struct plot *plot, const struct job *job,
          const struct stats *stats, unsigned entries, double y)
{
    const struct operation_mix *mix = &plot->plan->workload.mix;
    struct target_row row = make_row(plot, job, stats, SCOPE_ALL, entries);
    double values_x = draw_row(text, &row, false, y);

    if (!has_operation_rows(plot))
        return values_x;

    for (enum scope scope = SCOPE_OPERATION; scope < SCOPE_SYNC; scope++) {
        if (operation_mix_turn(mix, scope_operation(scope)) < 0)
            continue;
        y += PLOT_ROW;
        row = make_row(plot, job, stats, scope, entries);
        draw_row(text, &row, false, y);
        svg_text(text, PLOT_MARGIN + 2 * PLOT_SWATCH, y, SVG_START, PLOT_FONT, "dim",
                 scope_name(scope));
    }

    return values_x;
}

/* Draws the label of the target of JOB at X, Y, at most WIDTH pixels wide. A label that
 * is too wide is replaced by the path, which is shortened if necessary. */
static void
draw_target_name(struct buffer *text, const struct job *job, double x, double y,
                 double width)
{
    struct buffer name = {0};

    description_label(&job->target.description, &name);
    if (!name.failed && svg_width(name.text, PLOT_FONT) > width) {
        buffer_clear(&name);
        svg_shorten(&name, job->target.description.path,
                    (int)(width / (SVG_GLYPH * PLOT_FONT)));
    }

    svg_buffer(text, x, y, SVG_START, PLOT_FONT, "name", &name);
}

/* Draws the rows of the phases of JOB that have begun, from Y downwards. Returns the y at
 * which they end. */
static double
draw_phase_rows(struct buffer *text, const struct plot *plot, const struct job *job,
                unsigned entries, double y)
{
    for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        struct buffer name = {0};

        if (!stats)
            continue;

        draw_rows(text, plot, job, stats, entries, y);
        plot_phase_name(&name, plot, phase);
        svg_buffer(text, PLOT_MARGIN + PLOT_SWATCH, y, SVG_START, PLOT_FONT, "name",
                   &name);
        y += count_rows_each(plot) * PLOT_ROW;
    }

    return y;
}

/* Draws the table from Y downwards: the headers, the targets, and then the phases of the
 * first target, if it has phases. Returns the y at which the table ends. */
static double
draw_table(struct buffer *text, const struct plot *plot, unsigned entries, double y)
{
    const struct job *first = &plot->jobs[0];
    double name_x = PLOT_MARGIN;
    const struct target_row header =
        make_row(plot, first, first->stats, SCOPE_ALL, entries);

    /* In front of each of several names stands a piece of a line (draw_target_lines). */
    if (plot->count > 1)
        name_x += PLOT_SWATCH + SPACE;

    draw_row(text, &header, true, y);
    y += PLOT_ROW;

    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        double values_x = draw_rows(text, plot, job, job->stats, entries, y);

        draw_target_name(text, job, name_x, y, values_x - name_x);
        y += count_rows_each(plot) * PLOT_ROW;
    }

    if (first->phases)
        y = draw_phase_rows(text, plot, first, entries, y);

    return y;
}

/* Draws a piece of a line with a mark in front of the name of each target, if there are
 * several. Y is the y of the table. */
static void
draw_target_lines(struct buffer *text, const struct plot *plot, double y)
{
    if (plot->count < 2)
        return;

    for (int i = 0; i < plot->count; i++) {
        double row_y = y + (1 + i * count_rows_each(plot)) * PLOT_ROW;

        draw_swatch(text, ENTRY_MEAN, plot_class(plot, "k-mean", "", i), PLOT_MARGIN,
                    row_y);
        draw_swatch(text, ENTRY_MARK, plot_class(plot, "k-mark", "", i), PLOT_MARGIN,
                    row_y);
    }
}

double
plot_targets_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                  double y)
{
    y += PLOT_ROW;

    if (entries) {
        draw_legend(text, plot, entries, y);
        y += 1.5 * PLOT_ROW;
    }

    draw_parts_legend(text, plot, y - PLOT_ROW / 2.0);
    if (plot_has_parts(plot))
        y += PLOT_ROW;

    double end = draw_table(text, plot, entries, y);
    draw_target_lines(text, plot, y);

    return end;
}
