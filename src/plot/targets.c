/* The table under a picture: a row with the numbers of each target. */
#include "base/units.h"
#include "parts.h"

#include <stdio.h>

#define SPACE 10 /* pixels between columns */

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

/* The most that any step reached. */
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

/* The kind of a cell and its value; -1: there is none. */
static enum units_kind
value_of_cell(const struct job *job, enum column column, int64_t *value)
{
    const struct stats *stats = job->stats; /* those of a run */
    bool any = plot_has_data(job);
    switch (column) {
    case COLUMN_REQUESTS:
        *value = (int64_t)stats->latency.count;
        return UNITS_COUNT;
    case COLUMN_FAILED:
        *value = (int64_t)stats->failed;
        return UNITS_COUNT;
    case COLUMN_MISSED:
        *value = (int64_t)stats->missed;
        return UNITS_COUNT;
    case COLUMN_IOPS:
        *value = (int64_t)find_highest(job, false);
        return UNITS_COUNT;
    case COLUMN_BANDWIDTH:
        *value = (int64_t)find_highest(job, true);
        return UNITS_SIZE;
    case COLUMN_P50:
        *value = any ? stats_p50(stats) : -1;
        return UNITS_TIME;
    case COLUMN_P99:
        *value = any ? stats_p99(stats) : -1;
        return UNITS_TIME;
    default:
        *value = any ? stats->latency.max : -1;
        return UNITS_TIME;
    }
}

#define CELL (UNITS_TEXT + 8)

/* Into CELL bytes. */
static void
write_cell(char *cell, const struct job *job, enum column column)
{
    int64_t value;
    char shown[UNITS_TEXT];
    enum units_kind kind = value_of_cell(job, column, &value);
    snprintf(cell, CELL, "%s%s", value < 0 ? "-" : units_format(kind, value, shown),
             kind == UNITS_SIZE ? "/s" : "");
}

static double
width_of(enum column column)
{
    return SVG_GLYPH * PLOT_FONT * columns[column].width + SPACE;
}

/* A row from the right to the left, which leaves what remains to the name. */
static double
draw_cells(struct buffer *text, const struct job *job, unsigned shown, double y)
{
    const struct svg_font font = {SVG_END, PLOT_FONT, job ? "cell" : "dim", false};
    double x = PLOT_WIDTH - PLOT_MARGIN;
    for (int column = COLUMNS - 1; column >= 0; column--) {
        char cell[CELL];
        if (!(shown & 1u << column))
            continue;
        if (job)
            write_cell(cell, job, (enum column)column);
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

void
plot_targets_draw(struct buffer *text, const struct plot *plot, bool failed, bool missed,
                  double y)
{
    unsigned shown = columns_of(plot, failed, missed);
    double begin = PLOT_MARGIN + (plot->count > 1 ? PLOT_SWATCH + SPACE : 0);
    draw_cells(text, NULL, shown, y);
    for (int i = 0; i < plot->count; i++) {
        y += PLOT_ROW;
        double end = draw_cells(text, &plot->jobs[i], shown, y);
        draw_name(text, &plot->jobs[i], begin, y, end - begin);
    }
}
