/*
 * The part of a plot below the panels: a legend in one row, a legend of the parts of the
 * time of requests, and a table with one row for each target or phase.
 *
 *   --- p50   --- p99   x failed                                  (draw_entries)
 *   [] submit  [] queue  [] device                                (only with -breakdown)
 *                                 requests    p50    p99    max   (draw_table)
 *   --- /data (ext4 /dev/sda1)        1000  80 us  ...
 *         read                         700  ...
 *
 * In the plot of a run with mixed operations, each row of the table is followed by a row
 * for each operation. With several targets, the colour and the dashes of a target are
 * shown beside its name.
 */
#include "base/units.h"
#include "draw.h"

#include <math.h>
#include <stdio.h>

#define SPACE 10 /* pixels between columns, and between entries */

/* How an entry of the legend looks: `role` in the plot of a run; `curve` and `mark` in
 * the plot of a sweep, whose curves have marks. A class that is NULL is not drawn. */
static const struct {
    const char *line, *name;
    const char *role, *curve, *mark;
    double radius; /* of the mark, in pixels */
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

/* Draws a sample of ENTRY from X on, PLOT_SWATCH wide, beside a line of text whose base
 * line is Y. */
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

/* Writes NAME into the legend at X, Y. Returns the x of the next entry. */
static double
draw_entry_name(struct buffer *text, double x, double y, const char *name)
{
    svg_text(text, x, y, SVG_START, PLOT_FONT, "key", name);
    return x + svg_width(name, PLOT_FONT) + 2 * SPACE;
}

/* Draws the entries FOUND, a set of bits, in one row at Y. */
static void
draw_entries(struct buffer *text, const struct plot *plot, unsigned found, double y)
{
    bool sweep = plot->plan->sweep.kind != SWEEP_NONE;
    char value[64];
    double x = PLOT_MARGIN;

    snprintf(value, sizeof(value), "numbers: %s",
             sweep_kinds[plot->plan->sweep.kind].name);

    for (enum plot_entry entry = 0; entry < ENTRY_VALUE; entry++) {
        const char *role = sweep ? legend[entry].curve : legend[entry].role;
        const char *mark = sweep ? legend[entry].mark : NULL;
        const char *line = legend[entry].line;
        if (!(found & 1u << entry))
            continue;

        if (role)
            draw_swatch(text, entry, plot_class(plot, role, line, PLOT_OF_ALL), x, y);
        if (mark)
            svg_circle(text, plot_class(plot, mark, line, PLOT_OF_ALL).text,
                       x + PLOT_SWATCH / 2.0, y - 4, legend[entry].radius);
        x = draw_entry_name(text, x + PLOT_SWATCH + SPACE / 2.0, y, legend[entry].name);
    }

    if (found & BIT(VALUE))
        draw_entry_name(text, x, y, value);
}

/* Returns the number of rows that a target, or a phase, has in the table. */
static int
rows_each(const struct plot *plot)
{
    int more = plot->plan->workload.mix.extra_count;

    return more && plot->plan->sweep.kind == SWEEP_NONE ? more + 2 : 1;
}

#define COLUMNS 6 /* of the table, at most */

/* A row of the table. */
struct target_row {
    struct cell {
        const char *name;
        int width; /* in glyphs; 0 if the cell is left out */
        enum units_kind kind;
        int64_t value; /* -1 if unknown */
    } cells[COLUMNS];
};

/* Makes the row of a sweep of rates: the highest rate that meets the limits, as the
 * terminal shows it. */
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

/* Makes the row of SCOPE of STATS or, in the plot of a sweep, the row of JOB. The columns
 * of failed and missed requests exist only if ENTRIES, the legend, has them. */
static struct target_row
make_row(const struct plot *plot, const struct job *job, const struct stats *stats,
         enum scope scope, unsigned entries)
{
    const struct percentile *list = percentiles_common.list;

    if (plot->plan->sweep.kind == SWEEP_RATE)
        return make_rate_row(plot, job);
    if (plot->plan->sweep.kind != SWEEP_NONE)
        return make_sweep_row(job);

    const struct latencies latencies = latencies_of(stats, scope);
    const struct scope_counts counts = scope_counts_of(stats, scope);
    int64_t count = (int64_t)latencies.moments->count;
    int64_t p50 = latencies_known_percentile(&latencies, &list[0]);
    int64_t p99 = latencies_known_percentile(&latencies, &list[1]);
    int failed = entries & BIT(FAIL) ? 7 : 0;
    int missed = entries & BIT(MISSED) ? 7 : 0;

    return (struct target_row){
        {{"requests", 8, UNITS_COUNT, count},
         {"p50", 10, UNITS_TIME, p50},
         {"p99", 10, UNITS_TIME, p99},
         {"max", 10, UNITS_TIME, count ? latencies.moments->max : -1},
         {"failed", failed, UNITS_COUNT, (int64_t)counts.failed},
         {"missed", missed, UNITS_COUNT, (int64_t)counts.missed}}};
}

/* Draws the cells of a row from the right to the left, or the HEAD of the table.
 * Returns the x at which the cells begin, so that the caller knows the width left for
 * the name. */
static double
draw_row(struct buffer *text, const struct target_row *row, bool head, double y)
{
    double x = PLOT_WIDTH - PLOT_MARGIN;

    for (int i = COLUMNS - 1; i >= 0; i--) {
        const struct cell *cell = &row->cells[i];
        char value[UNITS_TEXT] = "-";
        char whole[UNITS_TEXT + 8];
        if (!cell->width)
            continue;

        bool is_known = cell->value >= 0;
        if (is_known)
            units_format(cell->kind, cell->value, value);
        snprintf(whole, sizeof(whole), "%s%s", value,
                 is_known && cell->kind == UNITS_SIZE ? "/s" : "");
        svg_text(text, x, y, SVG_END, PLOT_FONT, head ? "dim" : "cell",
                 head ? cell->name : whole);
        x -= SVG_GLYPH * PLOT_FONT * cell->width + SPACE;
    }

    return x;
}

/* Draws the row of STATS at Y, and the rows of its operations below. Returns the x at
 * which the cells of the first row begin. */
static double
draw_rows(struct buffer *text, const struct plot *plot, const struct job *job,
          const struct stats *stats, unsigned entries, double y)
{
    const struct operation_mix *mix = &plot->plan->workload.mix;
    struct target_row row = make_row(plot, job, stats, SCOPE_ALL, entries);
    double begin = draw_row(text, &row, false, y);

    for (enum scope scope = SCOPE_OPERATION; rows_each(plot) > 1 && scope < SCOPE_SYNC;
         scope++) {
        if (operation_mix_turn(mix, scope_operation(scope)) < 0)
            continue;
        y += PLOT_ROW;
        row = make_row(plot, job, stats, scope, entries);
        draw_row(text, &row, false, y);
        svg_text(text, PLOT_MARGIN + 2 * PLOT_SWATCH, y, SVG_START, PLOT_FONT, "dim",
                 scope_name(scope));
    }

    return begin;
}

/* Draws the table from Y on: the targets, then the phases of the first target. Returns
 * the y of its end. A label that is too wide is replaced by its path, shortened if
 * necessary. */
static double
draw_table(struct buffer *text, const struct plot *plot, unsigned entries, double y)
{
    const struct job *first = &plot->jobs[0];
    double begin = PLOT_MARGIN + (plot->count > 1 ? PLOT_SWATCH + SPACE : 0);
    const struct target_row head =
        make_row(plot, first, first->stats, SCOPE_ALL, entries);

    draw_row(text, &head, true, y);
    y += PLOT_ROW;

    for (int i = 0; i < plot->count; i++, y += rows_each(plot) * PLOT_ROW) {
        const struct job *job = &plot->jobs[i];
        double width = draw_rows(text, plot, job, job->stats, entries, y) - begin;
        struct buffer name = {0};

        description_label(&job->target.description, &name);
        if (!name.failed && svg_width(name.text, PLOT_FONT) > width) {
            buffer_clear(&name);
            svg_shorten(&name, job->target.description.path,
                        (int)(width / (SVG_GLYPH * PLOT_FONT)));
        }
        svg_buffer(text, begin, y, SVG_START, PLOT_FONT, "name", &name);
    }

    for (enum phase phase = PHASE_IDLE; first->phases && phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(first, phase);
        struct buffer name = {0};
        if (!stats)
            continue;

        draw_rows(text, plot, first, stats, entries, y);
        plot_phase_name(&name, plot, phase);
        svg_buffer(text, PLOT_MARGIN + PLOT_SWATCH, y, SVG_START, PLOT_FONT, "name",
                   &name);
        y += rows_each(plot) * PLOT_ROW;
    }

    return y;
}

double
plot_targets_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                  double y)
{
    double x = PLOT_MARGIN;

    y += PLOT_ROW;

    if (entries) {
        draw_entries(text, plot, entries, y);
        y += 1.5 * PLOT_ROW;
    }

    for (int i = 0; i < PLOT_PARTS; i++) {
        if (!plot_has_part(plot, i))
            continue;
        draw_swatch(text, ENTRY_BAND, plot_part_class("k-part", i), x,
                    y - PLOT_ROW / 2.0);
        x = draw_entry_name(text, x + PLOT_SWATCH + SPACE / 2.0, y - PLOT_ROW / 2.0,
                            scope_name(plot_part_scope(i)));
    }

    y += plot_has_parts(plot) ? PLOT_ROW : 0;

    double end = draw_table(text, plot, entries, y);

    for (int i = 0; plot->count > 1 && i < plot->count; i++) {
        double row = y + (1 + i * rows_each(plot)) * PLOT_ROW;
        draw_swatch(text, ENTRY_MEAN, plot_class(plot, "k-mean", "", i), PLOT_MARGIN,
                    row);
        draw_swatch(text, ENTRY_MARK, plot_class(plot, "k-mark", "", i), PLOT_MARGIN,
                    row);
    }

    return end;
}
