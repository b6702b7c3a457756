/*
 * Panels, which are frames with axes; and the CSS classes of elements. Colours (t0 to t7)
 * and dashes (d1 to d7) distinguish targets. The style sheet in plot.c defines the
 * classes.
 */
#include "draw.h"

#include <stdio.h>
#include <string.h>

#define TICK_DISTANCE 5 /* from the frame to the text of a tick, in pixels */

/* Adds the title of AXIS at X, Y: TITLE, followed by the unit or scale if the axis has
 * ticks, such as "latency (us)" or "latency (log scale)". */
static void
add_axis_title(struct buffer *text, double x, double y, const struct plot_axis *axis,
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

/* Stores the ticks of AXIS in TICKS, as plot_axis_ticks does. Returns their number, which
 * is 0 if the axis is to have no ticks. */
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

    svg_rect(text, "plot", panel->x, PLOT_TOP, panel->width, PLOT_HEIGHT);

    if (x_count + y_count > 0) {
        svg_path(text, "grid");
        for (int i = 0; i < x_count; i++) {
            svg_point(text, 'M', x_ticks[i].position, PLOT_TOP);
            svg_line(text, 'V', PLOT_BOTTOM);
        }
        for (int i = 0; i < y_count; i++) {
            svg_point(text, 'M', panel->x, y_ticks[i].position);
            svg_line(text, 'H', panel->x + panel->width);
        }
        svg_end(text);
    }

    for (int i = 0; i < x_count; i++)
        svg_text(text, x_ticks[i].position, PLOT_BOTTOM + TICK_DISTANCE + PLOT_SMALL,
                 SVG_MIDDLE, PLOT_SMALL, "dim", x_ticks[i].text);
    add_axis_title(text, middle, PLOT_BOTTOM + 38, &panel->x_axis, panel->x_title,
                   SVG_MIDDLE);

    if (!panel->y_title)
        return;

    for (int i = 0; i < y_count; i++)
        svg_text(text, panel->x - TICK_DISTANCE - 2, y_ticks[i].position + 4, SVG_END,
                 PLOT_SMALL, "dim", y_ticks[i].text);
    add_axis_title(text, panel->x - 74, PLOT_TOP + PLOT_HEIGHT / 2.0, &panel->y_axis,
                   panel->y_title, SVG_UPWARDS);
}

void
plot_panel_empty(struct buffer *text, const struct plot_panel *panel)
{
    svg_text(text, panel->x + panel->width / 2, PLOT_TOP + PLOT_HEIGHT / 2.0, SVG_MIDDLE,
             PLOT_FONT, "dim", "no request counted");
}

bool
plot_has_data(const struct job *job)
{
    for (int i = 0; i < job->sweep.count; i++)
        if (job->sweep.steps[i].requests)
            return true;

    return job->stats && job->stats->latency.count > 0;
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
    static const int colours[PLOT_PARTS] = {
        [PART_SUBMIT] = 5, [PART_STACK] = 7,  [PART_QUEUE] = 4,
        [PART_DEVICE] = 0, [PART_RETURN] = 2, [PLOT_SYNC] = 3,
    };

    struct plot_class class;

    snprintf(class.text, sizeof(class.text), "%s t%d", role, colours[part]);
    return class;
}

#define COLOURS 8

/* Returns the colour of LINE in a plot with a single target, as a number of the classes
 * t0 to t7. If the plot shows parts of the time of requests, which have colours of their
 * own (plot_has_parts), most lines have the colour of texts. */
static int
find_line_colour(const char *line, bool has_parts)
{
    static const struct {
        const char *line;
        int colour;
        int colour_with_parts;
    } lines[] = {{"", 0, 6},    {"p50", 2, 6},  {"p99", 3, 6},
                 {"max", 6, 6}, {"fail", 1, 1}, {"missed", 4, 4}};

    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
        if (strcmp(lines[i].line, line) == 0)
            return has_parts ? lines[i].colour_with_parts : lines[i].colour;

    return 0;
}

struct plot_class
plot_class(const struct plot *plot, const char *role, const char *line, int target)
{
    /* The first 8 targets differ only in colour. The next 8 targets have the same colours
     * and the dashes d1, and so on. */
    int colour = target % COLOURS;
    int dashes = target / COLOURS % 8;
    struct plot_class class;

    if (plot->count == 1)
        colour = find_line_colour(line, plot_has_parts(plot));

    if (dashes)
        snprintf(class.text, sizeof(class.text), "%s t%d d%d", role, colour, dashes);
    else
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
