/*
 * Panels, which are frames with axes; and the CSS classes of elements. The colours t0 to
 * t7 distinguish the targets that share a panel. The colours part0 to part5 distinguish
 * parts of the time of requests. The style sheet in plot.c defines the classes.
 */
#include "draw.h"

#include <stdio.h>

/* Lengths in pixels: from the frame to the text of a tick; from the lower edge of a panel
 * to the title of its x axis; and from the title of the y axis down to the upper edge.
 * The title of the y axis starts left of the left edge. */
#define TICK_DISTANCE 5
#define TITLE_DISTANCE 36
#define TITLE_RISE 10
#define TITLE_OVERHANG 64

void
plot_axis_title(struct buffer *text, double x, double y, const struct plot_axis *axis,
                const char *title, enum svg_anchor anchor)
{
    char full_title[96];
    bool has_ticks = axis->min_tick_gap > 0;
    const char *note = axis->is_log ? "log scale" : axis->unit;

    if (has_ticks && *note)
        snprintf(full_title, sizeof(full_title), "%s (%s)", title, note);
    else
        snprintf(full_title, sizeof(full_title), "%s", title);

    svg_text(text, x, y, anchor, PLOT_FONT, "axis", full_title);
}

/* Stores the ticks of AXIS in TICKS, as plot_axis_ticks does. Returns the number of
 * ticks, which is 0 if the caller wants no ticks (min_tick_gap). */
static int
find_ticks(const struct plot_axis *axis, struct plot_tick *ticks)
{
    return axis->min_tick_gap > 0 ? plot_axis_ticks(axis, ticks) : 0;
}

void
plot_panel_draw(struct buffer *text, const struct plot_panel *panel)
{
    struct plot_tick x_ticks[PLOT_TICKS];
    struct plot_tick y_ticks[PLOT_TICKS];
    int x_count = find_ticks(&panel->x_axis, x_ticks);
    int y_count = find_ticks(&panel->y_axis, y_ticks);
    double middle = panel->x + panel->width / 2;
    double bottom = plot_panel_bottom(panel);

    svg_rect(text, "plot", panel->x, panel->top, panel->width, panel->height);

    if (x_count + y_count > 0) {
        svg_path(text, "grid");
        for (int i = 0; i < x_count; i++) {
            svg_point(text, 'M', x_ticks[i].position, panel->top);
            svg_line(text, 'V', bottom);
        }
        for (int i = 0; i < y_count; i++) {
            svg_point(text, 'M', panel->x, y_ticks[i].position);
            svg_line(text, 'H', panel->x + panel->width);
        }
        svg_end(text);
    }

    if (panel->x_title) {
        for (int i = 0; i < x_count; i++)
            svg_text(text, x_ticks[i].position, bottom + TICK_DISTANCE + PLOT_SMALL,
                     SVG_MIDDLE, PLOT_SMALL, "dim", x_ticks[i].text);
        if (*panel->x_title)
            plot_axis_title(text, middle, bottom + TITLE_DISTANCE, &panel->x_axis,
                            panel->x_title, SVG_MIDDLE);
    }

    if (!panel->y_title)
        return;

    for (int i = 0; i < y_count; i++)
        svg_text(text, panel->x - TICK_DISTANCE - 2, y_ticks[i].position + 4, SVG_END,
                 PLOT_SMALL, "dim", y_ticks[i].text);
    if (*panel->y_title)
        plot_axis_title(text, panel->x - TITLE_OVERHANG, panel->top - TITLE_RISE,
                        &panel->y_axis, panel->y_title, SVG_START);
}

void
plot_panel_empty(struct buffer *text, const struct plot_panel *panel)
{
    svg_text(text, panel->x + panel->width / 2, panel->top + panel->height / 2,
             SVG_MIDDLE, PLOT_FONT, "dim", "no request counted");
}

bool
plot_has_data(const struct job *job)
{
    for (int i = 0; i < job->sweep.count; i++)
        if (job->sweep.steps[i].requests)
            return true;

    /* Only finished steps are drawn. The stats may be those of the step after them. */
    if (job->sweep.count > 0)
        return false;
    return job->stats && job->stats->latency.count > 0;
}

bool
plot_is_log(const struct plot *plot)
{
    const struct job *job = &plot->jobs[0];

    return plot->count == 1 && job->time_map && plot_has_data(job);
}

bool
plot_has_parts(const struct plot *plot)
{
    return plot->count == 1 && plot->plan->sweep.kind == SWEEP_NONE &&
           plot->plan->statistics.has_breakdown &&
           breakdown_count(&plot->jobs[0].stats->breakdown) > 0;
}

bool
plot_has_part(const struct plot *plot, int part)
{
    return plot_has_parts(plot) &&
           latencies_of(plot->jobs[0].stats, plot_part_scope(part)).moments->count > 0;
}

struct plot_class
plot_part_class(const char *role, int part)
{
    struct plot_class class;

    snprintf(class.text, sizeof(class.text), "%s part%d", role, part);
    return class;
}

struct plot_class
plot_class(const char *role, int colour)
{
    struct plot_class class;

    snprintf(class.text, sizeof(class.text), "%s t%d", role, colour);
    return class;
}

void
plot_phase_name(struct buffer *text, const struct plot *plot, enum phase phase)
{
    buffer_text(text, phase_label(phase));
    if (phase != PHASE_LOADED)
        return;

    buffer_text(text, ": ");
    plan_describe_background(&plot->jobs[0].phases->background->plan, text);
}

/* Draws a cross. X, Y is the middle of its lower edge. */
static void
draw_cross(struct buffer *text, const char *class, double x, double y)
{
    svg_path(text, class);
    svg_point(text, 'M', x - 2.2, y - 6);
    svg_point(text, 'L', x + 2.2, y);
    svg_point(text, 'M', x - 2.2, y);
    svg_point(text, 'L', x + 2.2, y - 6);
    svg_end(text);
}

/* Draws a triangle that points up. X, Y is the middle of its lower edge. */
static void
draw_triangle(struct buffer *text, const char *class, double x, double y)
{
    svg_path(text, class);
    svg_point(text, 'M', x - 2.5, y);
    svg_point(text, 'L', x + 2.5, y);
    svg_point(text, 'L', x, y - 6);
    svg_close(text);
    svg_end(text);
}

void
plot_exception(struct buffer *text, const char *class, bool failed, double x, double y)
{
    if (failed)
        draw_cross(text, class, x, y);
    else
        draw_triangle(text, class, x, y);
}
