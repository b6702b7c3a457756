/*
 * The panel of parts (-breakdown), below the time panel. It shows which share of the time
 * of requests each part took. The shares are stacked on a linear axis from 0 to 100 %.
 * The table beside the panel has a row for each part, in the order of the stack.
 */
#include "run_picture.h"
#include "words.h"

#include <stdio.h>

/* Lengths in pixels. */
#define PANEL_GAP 44 /* from the time panel to the panel of parts */
#define TABLE_X 718
#define TABLE_ROW 16
#define SWATCH 12
#define SHARE_X (TABLE_X + 140) /* right end of the column of shares */
#define MEAN_X (PLOT_WIDTH - PLOT_MARGIN)

/* Sets the frame and the axes of the panel. The time axis is the same as in the time
 * panel. */
static void
place_panel(struct run_picture *run)
{
    struct plot_panel *panel = &run->parts_panel;

    *panel = run->time_panel;
    panel->top = plot_panel_bottom(&run->time_panel) + PANEL_GAP;
    panel->height = PLOT_BOTTOM - panel->top;
    panel->x_title = "time since the start";
    panel->y_title = "share of the time";
    panel->y_axis = (struct plot_axis){.kind = PLOT_SHARE,
                                       .from = plot_panel_bottom(panel),
                                       .to = panel->top,
                                       .min_tick_gap = 24};
    plot_axis_fit(&panel->y_axis, 0, (int64_t)PLOT_WHOLE, true);
}

/* Draws the row of PART in the table, with its base line at Y. TOTAL is the time of all
 * parts together, in ns. */
static void
draw_part_row(const struct run_picture *run, int part, double total, double y)
{
    const struct stats *stats = run->plot->jobs[0].stats;
    const struct latencies latencies = latencies_of(stats, plot_part_scope(part));
    char share[16];
    char mean[PLOT_TEXT];

    snprintf(share, sizeof(share), "%.1f %%", plot_part_sum(stats, part) / total * 100);
    plot_value(UNITS_TIME, moments_average(latencies.moments), mean);

    svg_rect(run->text, plot_part_class("k-part", part).text, TABLE_X, y - 9, SWATCH,
             SWATCH - 2);
    svg_text(run->text, TABLE_X + SWATCH + 6, y, SVG_START, PLOT_SMALL, "name",
             scope_name(plot_part_scope(part)));
    svg_text(run->text, SHARE_X, y, SVG_END, PLOT_SMALL, "cell", share);
    svg_text(run->text, MEAN_X, y, SVG_END, PLOT_SMALL, "cell", mean);
}

/* Draws the table of the parts. The part at the top of the stack comes first. */
static void
draw_parts_table(const struct run_picture *run)
{
    double y = run->parts_panel.top + 10;
    double total = 0;

    for (int i = 0; i < PLOT_PARTS; i++)
        if (plot_has_part(run->plot, i))
            total += plot_part_sum(run->plot->jobs[0].stats, i);
    total = total > 0 ? total : 1;

    svg_text(run->text, SHARE_X, y, SVG_END, PLOT_SMALL, "dim", "share");
    svg_text(run->text, MEAN_X, y, SVG_END, PLOT_SMALL, "dim", "average");

    for (int i = PLOT_PARTS - 1; i >= 0; i--) {
        if (!plot_has_part(run->plot, i))
            continue;
        y += TABLE_ROW;
        draw_part_row(run, i, total, y);
    }
}

void
plot_parts_panel_draw(struct run_picture *run)
{
    place_panel(run);
    plot_panel_draw(run->text, &run->parts_panel);
    run_bins_fill(run, &run->series[0], BIN_PARTS);

    for (int i = 0; i < PLOT_PARTS; i++)
        if (plot_has_part(run->plot, i))
            run_bins_draw(run, (enum edge)(EDGE_PART + i), (enum edge)(EDGE_PART + i + 1),
                          plot_part_class("part", i).text);

    draw_parts_table(run);
}
