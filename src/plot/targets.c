/*
 * Below the panels: a legend, one row with the meaning of the lines, and a table, a row
 * with the numbers of each target, beside its colour and dashes. Below the row of a run
 * or a phase with reads and writes in turn stand those of each operation.
 */
#include "base/units.h"
#include "draw.h"

#include <stdio.h>

#define SPACE 10 /* pixels between columns, and between entries */

/* The entries that a legend may have; a set of them has a bit for each. */
enum entry {
    ENTRY_MARK,
    ENTRY_BAND,
    ENTRY_MEAN,
    ENTRY_P50,
    ENTRY_P99,
    ENTRY_MAX,
    ENTRY_FAIL,
    ENTRY_MISSED,
    ENTRY_LIMIT,
    ENTRY_BROKEN,
    ENTRY_KNEE,
    ENTRY_VALUE,
    ENTRIES,
};

static const struct {
    const char *class, *line, *name;
} entries[ENTRIES] = {
    [ENTRY_MARK] = {"k-mark", "", "request"},
    [ENTRY_BAND] = {"k-band", "", "min to max"},
    [ENTRY_MEAN] = {"k-mean", "", "mean"},
    [ENTRY_P50] = {"k-p50", "p50", "p50"},
    [ENTRY_P99] = {"k-p99", "p99", "p99"},
    [ENTRY_MAX] = {"k-max", "max", "max"},
    [ENTRY_FAIL] = {"k-fail", "fail", "failed"},
    [ENTRY_MISSED] = {"k-missed", "missed", "due but not sent"},
    [ENTRY_LIMIT] = {"k-limit", "fail", "limit"},
    [ENTRY_BROKEN] = {"k-ring", "fail", "limit broken"},
    [ENTRY_KNEE] = {"k-knee", "p50", "highest that is kept"},
    [ENTRY_VALUE] = {NULL, "", ""},
};

static unsigned
entries_of_run(const struct plot *plot)
{
    unsigned found = 0;
    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        const struct stats *stats = job->stats;
        if (stats && stats->failed)
            found |= 1u << ENTRY_FAIL;
        if (stats && stats->missed)
            found |= 1u << ENTRY_MISSED;
        if (plot_has_data(job))
            found |= 1u << ENTRY_MEAN | (unsigned)plot_run_has_marks(plot, i)
                                            << ENTRY_MARK;
    }
    if (found & 1u << ENTRY_MEAN && plot_is_clear(plot))
        found |= 1u << ENTRY_BAND | 1u << ENTRY_P50 | 1u << ENTRY_P99;
    return found;
}

static bool
has_broken(const struct job *job)
{
    for (int i = 0; i < job->step_count; i++)
        if (job->steps[i].requests && job->steps[i].verdict == SLO_BROKEN)
            return true;
    return false;
}

static unsigned
entries_of(const struct plot *plot)
{
    enum sweep_kind kind = plot->plan->sweep.kind;
    struct slos limits;
    unsigned found = 0;
    if (kind == SWEEP_NONE)
        return entries_of_run(plot);
    for (int i = 0; i < plot->count; i++) {
        if (has_broken(&plot->jobs[i]))
            found |= 1u << ENTRY_BROKEN;
        if (plot_knee(plot, i))
            found |= 1u << ENTRY_KNEE;
        if (plot_has_data(&plot->jobs[i]) && kind != SWEEP_SIZE)
            found |= 1u << ENTRY_P50;
    }
    if (found & 1u << ENTRY_P50 && plot_is_clear(plot))
        found |= 1u << ENTRY_P99 | 1u << ENTRY_MAX;
    if (found & 1u << ENTRY_P50 && kind != SWEEP_INTERVAL)
        found |= 1u << ENTRY_VALUE;
    if (found & 1u << ENTRY_P50 && plot_limits(plot, &limits))
        found |= 1u << ENTRY_LIMIT;
    return found;
}

/* Draws a sample, PLOT_SWATCH wide, beside a line of text at Y. */
static void
draw_swatch(struct buffer *text, enum entry entry, const char *class, double x, double y)
{
    double middle = x + PLOT_SWATCH / 2.0, above = y - 4;
    switch (entry) {
    case ENTRY_MARK:
        svg_circle(text, class, middle, above, 2.5);
        break;
    case ENTRY_BAND:
        svg_rect(text, class, x, y - 9, PLOT_SWATCH, 10);
        break;
    case ENTRY_FAIL:
        plot_cross(text, class, middle, y);
        break;
    case ENTRY_MISSED:
        plot_triangle(text, class, middle, y);
        break;
    default:
        svg_path(text, class);
        svg_point(text, 'M', x, above);
        svg_line(text, 'H', x + PLOT_SWATCH);
        svg_end(text);
    }
}

/* Draws the sample of an entry: a line of a run, or a curve with its mark. */
static void
draw_key(struct buffer *text, const struct plot *plot, enum entry entry, double x,
         double y)
{
    static const struct {
        const char *role, *mark;
        double radius;
    } curves[ENTRIES] = {[ENTRY_P50] = {"k-p50 curve", "k-mark", 3},
                         [ENTRY_P99] = {"k-p99", "k-mark open", 3},
                         [ENTRY_MAX] = {"k-max", "k-mark", 2},
                         [ENTRY_LIMIT] = {"k-limit", NULL, 0},
                         [ENTRY_BROKEN] = {NULL, "k-ring", PLOT_RING},
                         [ENTRY_KNEE] = {"k-knee", NULL, 0}};
    bool sweep = plot->plan->sweep.kind != SWEEP_NONE;
    const char *role = sweep ? curves[entry].role : entries[entry].class;
    int target = plot->count > 1 ? PLOT_OF_ALL : 0;
    char class[PLOT_CLASS];
    if (role)
        draw_swatch(text, entry,
                    plot_class(class, plot, role, entries[entry].line, target), x, y);
    if (sweep && curves[entry].mark)
        svg_circle(
            text,
            plot_class(class, plot, curves[entry].mark, entries[entry].line, target),
            x + PLOT_SWATCH / 2.0, y - 4, curves[entry].radius);
}

static void
draw_entries(struct buffer *text, const struct plot *plot, unsigned found, double y)
{
    const struct svg_font font = {.size = PLOT_FONT, .class = "key"};
    char value[64];
    double x = PLOT_MARGIN;
    for (enum entry entry = 0; entry < ENTRIES; entry++) {
        const char *name = entries[entry].name;
        if (!(found & 1u << entry))
            continue;
        if (entry == ENTRY_VALUE) {
            snprintf(value, sizeof(value), "numbers: %s",
                     sweep_name(plot->plan->sweep.kind));
            name = value;
        } else {
            draw_key(text, plot, entry, x, y);
            x += PLOT_SWATCH + SPACE / 2.0;
        }
        svg_text(text, x, y, &font, name);
        x += svg_width(name, PLOT_FONT) + 2 * SPACE;
    }
}

/* Draws the colours of the parts of the time, a row of the legend. */
static void
draw_part_keys(struct buffer *text, const struct plot *plot, double y)
{
    const struct svg_font font = {.size = PLOT_FONT, .class = "key"};
    char class[PLOT_CLASS];
    double x = PLOT_MARGIN;
    for (int i = 0; i < plot_parts(plot); i++) {
        const char *name = plot_part_name(i);
        plot_part_class(class, "k-part", i);
        draw_swatch(text, ENTRY_BAND, class, x, y);
        x += PLOT_SWATCH + SPACE / 2.0;
        svg_text(text, x, y, &font, name);
        x += svg_width(name, PLOT_FONT) + 2 * SPACE;
    }
}

/* Returns how many phases have begun. */
static int
count_phases(const struct plot *plot)
{
    const struct job *job = &plot->jobs[0];
    int count = 0;
    for (enum phase phase = PHASE_IDLE; job->phases && phase < PHASES; phase++)
        count += job_phase_stats(job, phase) != NULL;
    return count;
}

/* Returns how many rows the requests of a target, or of a phase, have in the table. */
static int
rows_each(const struct plot *plot)
{
    return plot_has_both(plot) && plot->plan->sweep.kind == SWEEP_NONE ? 3 : 1;
}

double
plot_targets_height(const struct plot *plot)
{
    double rows = (plot->count + count_phases(plot)) * rows_each(plot);
    rows += (entries_of(plot) ? 3.5 : 2) + (plot_parts(plot) ? 1 : 0);
    return rows * PLOT_ROW;
}

/* Draws the colour, dashes and mark of a target. */
static void
draw_target_swatch(struct buffer *text, const struct plot *plot, int target, double y)
{
    char class[PLOT_CLASS];
    plot_class(class, plot, "k-mean", "", target);
    draw_swatch(text, ENTRY_MEAN, class, PLOT_MARGIN, y);
    plot_class(class, plot, "k-mark", "", target);
    draw_swatch(text, ENTRY_MARK, class, PLOT_MARGIN, y);
}

/* Columns of the table. */
enum column {
    COLUMN_REQUESTS,
    COLUMN_P50,
    COLUMN_P99,
    COLUMN_MAX,
    COLUMN_FAILED,
    COLUMN_MISSED,
    COLUMN_IOPS,
    COLUMN_BANDWIDTH,
    COLUMNS,
};

static const struct {
    const char *name;
    int width; /* glyphs */
} columns[COLUMNS] = {
    [COLUMN_REQUESTS] = {"requests", 8},  [COLUMN_P50] = {"p50", 10},
    [COLUMN_P99] = {"p99", 10},           [COLUMN_MAX] = {"max", 10},
    [COLUMN_FAILED] = {"failed", 7},      [COLUMN_MISSED] = {"missed", 7},
    [COLUMN_IOPS] = {"highest iops", 12}, [COLUMN_BANDWIDTH] = {"highest bandwidth", 17},
};

static unsigned
columns_of(const struct plot *plot, bool failed, bool missed)
{
    if (plot->plan->sweep.kind != SWEEP_NONE)
        return 1u << COLUMN_IOPS | 1u << COLUMN_BANDWIDTH;
    unsigned shown =
        1u << COLUMN_REQUESTS | 1u << COLUMN_P50 | 1u << COLUMN_P99 | 1u << COLUMN_MAX;
    if (failed)
        shown |= 1u << COLUMN_FAILED;
    if (missed)
        shown |= 1u << COLUMN_MISSED;
    return shown;
}

/* Returns the highest value of all steps. */
static double
find_highest(const struct job *job, bool bandwidth)
{
    double most = 0;
    for (int i = 0; i < job->step_count; i++) {
        const struct job_step *step = &job->steps[i];
        double value = bandwidth ? step->bps : step->iops;
        if (step->requests && value > most)
            most = value;
    }
    return most;
}

/* Returns the kind of a cell of a sweep and stores its VALUE. */
static enum units_kind
value_of_sweep(const struct job *job, enum column column, int64_t *value)
{
    bool bandwidth = column == COLUMN_BANDWIDTH;
    *value = (int64_t)find_highest(job, bandwidth);
    return bandwidth ? UNITS_SIZE : UNITS_COUNT;
}

/* Returns the kind of a cell and stores its VALUE; -1: there is none. FIGURES are those
 * of a run, or of a phase, or one of its operations. */
static enum units_kind
value_of_cell(const struct plot_figures *figures, enum column column, int64_t *value)
{
    switch (column) {
    case COLUMN_REQUESTS:
        *value = (int64_t)figures->count;
        return UNITS_COUNT;
    case COLUMN_FAILED:
        *value = (int64_t)figures->failed;
        return UNITS_COUNT;
    case COLUMN_MISSED:
        *value = (int64_t)figures->missed;
        return UNITS_COUNT;
    case COLUMN_P50:
        *value = figures->count ? figures->p50 : -1;
        return UNITS_TIME;
    case COLUMN_P99:
        *value = figures->count ? figures->p99 : -1;
        return UNITS_TIME;
    default:
        *value = figures->count ? figures->max : -1;
        return UNITS_TIME;
    }
}

#define CELL (UNITS_TEXT + 8)

/* Writes a cell into CELL bytes; without FIGURES it is that of a sweep. */
static void
write_cell(char *cell, const struct job *job, const struct plot_figures *figures,
           enum column column)
{
    int64_t value;
    char shown[UNITS_TEXT];
    enum units_kind kind = figures ? value_of_cell(figures, column, &value)
                                   : value_of_sweep(job, column, &value);
    snprintf(cell, CELL, "%s%s", value < 0 ? "-" : units_format(kind, value, shown),
             kind == UNITS_SIZE ? "/s" : "");
}

static double
width_of(enum column column)
{
    return SVG_GLYPH * PLOT_FONT * columns[column].width + SPACE;
}

/* Draws a row with FIGURES from the right to the left, NULL: of a sweep; or the head of
 * the table if JOB is NULL. Returns the pixel at which it begins: the name has the rest.
 */
static double
draw_cells(struct buffer *text, const struct job *job, const struct plot_figures *figures,
           unsigned shown, double y)
{
    const struct svg_font font = {SVG_END, PLOT_FONT, job ? "cell" : "dim", false};
    double x = PLOT_WIDTH - PLOT_MARGIN;
    for (int column = COLUMNS - 1; column >= 0; column--) {
        char cell[CELL];
        if (!(shown & 1u << column))
            continue;
        if (job)
            write_cell(cell, job, figures, (enum column)column);
        svg_text(text, x, y, &font, job ? cell : columns[column].name);
        x -= width_of((enum column)column);
    }
    return x;
}

static void
draw_name(struct buffer *text, const struct job *job, double x, double y, double width)
{
    const struct svg_font font = {.size = PLOT_FONT, .class = "name"};
    struct buffer label = {0}, name = {0};
    int room = (int)(width / (SVG_GLYPH * PLOT_FONT));
    description_label(&job->target.description, &label);
    if (!label.failed && svg_width(label.text, PLOT_FONT) > width)
        svg_shorten(&name, job->target.description.path, room);
    else if (!label.failed)
        buffer_text(&name, label.text);
    if (label.failed || name.failed)
        text->failed = true;
    else
        svg_text(text, x, y, &font, name.text);
    buffer_free(&label);
    buffer_free(&name);
}

/* Draws the row of STATS at Y, and those of operations, if there are any, below it.
 * Returns the pixel at which the first begins. */
static double
draw_rows(struct buffer *text, const struct plot *plot, const struct job *job,
          const struct stats *stats, unsigned shown, double y)
{
    const struct svg_font font = {.size = PLOT_FONT, .class = "dim"};
    if (plot->plan->sweep.kind != SWEEP_NONE)
        return draw_cells(text, job, NULL, shown, y);
    struct plot_figures figures = plot_figures_of(stats, SCOPE_ALL);
    double begin = draw_cells(text, job, &figures, shown, y);
    for (int i = 1; i < rows_each(plot); i++) {
        enum scope scope = i == 1 ? SCOPE_READ : SCOPE_WRITE;
        figures = plot_figures_of(stats, scope);
        y += PLOT_ROW;
        draw_cells(text, job, &figures, shown, y);
        svg_text(text, PLOT_MARGIN + 2 * PLOT_SWATCH, y, &font, scope_name(scope));
    }
    return begin;
}

/* Draws the rows of each phase, from Y on. */
static void
draw_phases(struct buffer *text, const struct plot *plot, unsigned shown, double y)
{
    const struct svg_font font = {.size = PLOT_FONT, .class = "name"};
    const struct job *job = &plot->jobs[0];
    for (enum phase phase = PHASE_IDLE; job->phases && phase < PHASES; phase++) {
        const struct stats *stats = job_phase_stats(job, phase);
        struct buffer name = {0};
        if (!stats)
            continue;
        draw_rows(text, plot, job, stats, shown, y);
        plot_words_phase(&name, plot, phase);
        text->failed |= name.failed;
        if (!name.failed)
            svg_text(text, PLOT_MARGIN + PLOT_SWATCH, y, &font, name.text);
        buffer_free(&name);
        y += rows_each(plot) * PLOT_ROW;
    }
}

static void
draw_table(struct buffer *text, const struct plot *plot, unsigned found, double y)
{
    unsigned shown =
        columns_of(plot, found & 1u << ENTRY_FAIL, found & 1u << ENTRY_MISSED);
    double begin = PLOT_MARGIN + (plot->count > 1 ? PLOT_SWATCH + SPACE : 0);
    draw_cells(text, NULL, NULL, shown, y);
    y += PLOT_ROW;
    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        double end = draw_rows(text, plot, job, job->stats, shown, y);
        draw_name(text, job, begin, y, end - begin);
        y += rows_each(plot) * PLOT_ROW;
    }
    draw_phases(text, plot, shown, y);
}

void
plot_targets_draw(struct buffer *text, const struct plot *plot, double y)
{
    unsigned found = entries_of(plot);
    y += PLOT_ROW;
    if (found) {
        draw_entries(text, plot, found, y);
        y += 1.5 * PLOT_ROW;
    }
    if (plot_parts(plot)) {
        draw_part_keys(text, plot, y - PLOT_ROW / 2.0);
        y += PLOT_ROW;
    }
    draw_table(text, plot, found, y);
    for (int i = 0; plot->count > 1 && i < plot->count; i++)
        draw_target_swatch(text, plot, i, y + (1 + i * rows_each(plot)) * PLOT_ROW);
}
