/*
 * The plot of a run of more than PLOT_MAX_DETAILED targets. Each target has a row,
 * because the curves of all targets in one panel would hide one another. All rows share
 * an axis of latency:
 *
 *   /mnt/a    |   |--o----x--------|     |   1000   101 us   248 us   +9 to +27 %
 *   /mnt/b    |      |-o--x---|          |   1000   ...
 *             +--------------------------+
 *              shortest, p50, p99, longest   requests, p50, p99, max, change
 */
#include "draw.h"
#include "words.h"

#include "stats/comparison.h"

#include <math.h>

/* Lengths in pixels. */
#define PANEL_X 260
#define PANEL_WIDTH 256
#define INSET 8         /* between the frame and its contents */
#define COLUMN_WIDTH 66 /* width of the column of a figure beside the panel */
#define CHANGE_X (PLOT_WIDTH - PLOT_MARGIN) /* right end of the column of changes */
#define MARK_RADIUS 3.5
#define NAME_COLUMNS 31 /* maximum width of a name, in characters */

/* Fits the axis of latency of PANEL to all targets. Returns false, and leaves the axis
 * without ticks, if no request counts. */
static bool
fit_latency_axis(struct plot_panel *panel, const struct plot *plot)
{
    int64_t min = INT64_MAX;
    int64_t max = 0;

    for (int i = 0; i < plot->count; i++) {
        const struct stats *stats = plot->jobs[i].stats;
        if (stats->latency.count == 0)
            continue;

        int64_t longest = latencies_of(stats, SCOPE_ALL).max;
        min = stats->latency.min < min ? stats->latency.min : min;
        max = longest > max ? longest : max;
    }

    if (min == INT64_MAX)
        return false;

    panel->x_axis =
        (struct plot_axis){.kind = PLOT_TIME,
                           .is_log = plot_axis_spreads(min, max, PLOT_LATENCY_LOG_RATIO),
                           .from = panel->x + INSET,
                           .to = panel->x + panel->width - INSET,
                           .min_tick_gap = 56};
    plot_axis_fit(&panel->x_axis, min, max, true);
    return true;
}

/* Draws the range of STATS at Y: a line from the shortest to the longest latency, a mark
 * at p50, and an open mark at p99. */
static void
draw_range(struct buffer *text, const struct plot_panel *panel, const struct stats *stats,
           double y)
{
    const struct plot_axis *axis = &panel->x_axis;
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    int64_t p50 = latencies_known_percentile(&latencies, &percentiles_common.list[0]);
    int64_t p99 = latencies_known_percentile(&latencies, &percentiles_common.list[1]);

    svg_rule(text, plot_class("mean", 0).text,
             plot_axis_position(axis, (double)stats->latency.min), y, 'H',
             plot_axis_position(axis, (double)latencies.max));
    if (p99 >= 0)
        svg_circle(text, plot_class("mark open", 0).text,
                   plot_axis_position(axis, (double)p99), y, MARK_RADIUS);
    if (p50 >= 0)
        svg_circle(text, plot_class("mark", 0).text,
                   plot_axis_position(axis, (double)p50), y, MARK_RADIUS);
}

/* Draws the figures of STATS beside the panel, with the base line at Y. */
static void
draw_figures(struct buffer *text, const struct stats *stats, double y)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    const int64_t values[] = {
        latencies_known_percentile(&latencies, &percentiles_common.list[0]),
        latencies_known_percentile(&latencies, &percentiles_common.list[1]),
        stats->latency.count > 0 ? latencies.max : -1,
    };
    double x = PANEL_X + PANEL_WIDTH + COLUMN_WIDTH;
    char value[PLOT_TEXT];

    svg_text(text, x, y, SVG_END, PLOT_FONT, "cell",
             plot_value(UNITS_COUNT, (int64_t)stats->latency.count, value));
    for (int i = 0; i < 3; i++) {
        x += COLUMN_WIDTH;
        svg_text(text, x, y, SVG_END, PLOT_FONT, "cell",
                 values[i] < 0 ? "-" : plot_value(UNITS_TIME, values[i], value));
    }
}

/* Draws the change of p50 of TARGET against the first row of the comparison, the
 * reference, with the base line at Y. Draws nothing if the targets are not compared. */
static void
draw_change(struct buffer *text, const struct plot *plot, int target, double y)
{
    const struct comparison_row *row = plot_find_row(plot, target);
    struct buffer change = {0};

    if (row && row == plot->rows)
        svg_text(text, CHANGE_X, y, SVG_END, PLOT_FONT, "cell", "reference");
    if (!row || row == plot->rows ||
        !comparison_is_shown(&row->figures[0], &percentiles_common.list[0]))
        return;

    plot_add_change(&change, &row->figures[0]);
    svg_buffer(text, CHANGE_X, y, SVG_END, PLOT_FONT, "cell", &change);
}

/* Draws the headers of the figures above the panel. HAS_CHANGES is true if the targets
 * are compared. */
static void
draw_headers(struct buffer *text, bool has_changes)
{
    static const char *const headers[] = {"requests", "p50", "p99", "max"};

    for (int i = 0; i < 4; i++)
        svg_text(text, PANEL_X + PANEL_WIDTH + (i + 1) * COLUMN_WIDTH, PLOT_TOP - 8,
                 SVG_END, PLOT_FONT, "dim", headers[i]);
    if (has_changes)
        svg_text(text, CHANGE_X, PLOT_TOP - 8, SVG_END, PLOT_FONT, "dim",
                 "change of p50");
}

double
plot_rows_draw(struct buffer *text, const struct plot *plot)
{
    struct plot_panel panel = {.x = PANEL_X,
                               .width = PANEL_WIDTH,
                               .top = PLOT_TOP,
                               .height = PLOT_ROW * plot->count,
                               .x_title = "latency: shortest, p50, p99 (open), longest"};
    bool has_data = fit_latency_axis(&panel, plot);

    draw_headers(text, plot->rows != NULL);
    plot_panel_draw(text, &panel);
    if (!has_data)
        plot_panel_empty(text, &panel);

    for (int i = 0; i < plot->count; i++) {
        const struct job *job = &plot->jobs[i];
        double y = panel.top + (i + 0.5) * PLOT_ROW;
        struct buffer name = {0};

        if (job->stats->latency.count > 0)
            draw_range(text, &panel, job->stats, y);
        if (*job->target.description.path) {
            svg_shorten(&name, job->target.description.path, NAME_COLUMNS);
            svg_buffer(text, PLOT_MARGIN, y + 4, SVG_START, PLOT_SMALL, "name", &name);
        }
        draw_figures(text, job->stats, y + 4);
        draw_change(text, plot, i, y + 4);
    }

    return plot_panel_bottom(&panel) + 56;
}
