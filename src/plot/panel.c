/*
 * Panels, which are frames with axes; and the classes that give elements their colours
 * and dashes, so that a reader can tell targets apart. The classes t0 to t7 are colours
 * and d1 to d7 are dashes; plot.c has their definitions.
 */
#include "draw.h"

#include <stdio.h>
#include <string.h>

#define TICK 5 /* distance of the text of a tick from the frame, in pixels */

/* Adds the title of AXIS, such as "latency (us)" or "latency (log scale)". */
static void
add_axis_title(struct buffer *text, double x, double y, const struct plot_axis *axis,
               const char *title, enum svg_anchor anchor)
{
    char whole[96];
    const char *more = axis->gap == 0 ? "" : axis->log ? "log scale" : axis->unit;
    snprintf(whole, sizeof(whole), *more ? "%s (%s)" : "%s", title, more);
    svg_text(text, x, y, anchor, PLOT_FONT, "axis", whole);
}

void
plot_panel_draw(struct buffer *text, const struct plot_panel *panel)
{
    struct plot_tick across[PLOT_TICKS];
    struct plot_tick up[PLOT_TICKS];
    int columns = panel->across.gap > 0 ? plot_axis_ticks(&panel->across, across) : 0;
    int rows = panel->up.gap > 0 ? plot_axis_ticks(&panel->up, up) : 0;

    svg_rect(text, "plot", panel->x, PLOT_TOP, panel->width, PLOT_HEIGHT);
    if (columns + rows > 0)
        svg_path(text, "grid");

    for (int i = 0; i < columns; i++) {
        svg_point(text, 'M', across[i].position, PLOT_TOP);
        svg_line(text, 'V', PLOT_BOTTOM);
    }
    for (int i = 0; i < rows; i++) {
        svg_point(text, 'M', panel->x, up[i].position);
        svg_line(text, 'H', panel->x + panel->width);
    }

    if (columns + rows > 0)
        svg_end(text);
    for (int i = 0; i < columns; i++)
        svg_text(text, across[i].position, PLOT_BOTTOM + TICK + PLOT_SMALL, SVG_MIDDLE,
                 PLOT_SMALL, "dim", across[i].text);
    add_axis_title(text, panel->x + panel->width / 2, PLOT_BOTTOM + 38, &panel->across,
                   panel->across_title, SVG_MIDDLE);

    if (!panel->up_title)
        return;
    for (int i = 0; i < rows; i++)
        svg_text(text, panel->x - TICK - 2, up[i].position + 4, SVG_END, PLOT_SMALL,
                 "dim", up[i].text);
    add_axis_title(text, panel->x - 74, PLOT_TOP + PLOT_HEIGHT / 2, &panel->up,
                   panel->up_title, SVG_UPWARDS);
}

void
plot_panel_empty(struct buffer *text, const struct plot_panel *panel)
{
    svg_text(text, panel->x + panel->width / 2, PLOT_TOP + PLOT_HEIGHT / 2, SVG_MIDDLE,
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
           plot->plan->statistics.breakdown &&
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

/* Each target has one of 8 colours. When all colours are in use, the next 8 targets have
 * the same colours again with the first dashes, and so on. */
struct plot_class
plot_class(const struct plot *plot, const char *role, const char *line, int target)
{
    static const struct {
        const char *line;
        int colour;     /* colour of the line, as a number of a class t0 to t7 */
        int over_parts; /* its colour over columns of parts (-breakdown) */
    } alone[] = {{"", 0, 6},    {"p50", 2, 6},  {"p99", 3, 6},
                 {"max", 6, 6}, {"fail", 1, 1}, {"missed", 4, 4}};
    int colour = target % COLOURS;
    int round = target / COLOURS % 8;
    struct plot_class class;

    for (size_t i = 0; plot->count == 1 && i < sizeof(alone) / sizeof(alone[0]); i++)
        if (strcmp(alone[i].line, line) == 0)
            colour = plot_has_parts(plot) ? alone[i].over_parts : alone[i].colour;

    snprintf(class.text, sizeof(class.text), round ? "%s t%d d%d" : "%s t%d", role,
             colour, round);
    return class;
}

void
plot_phase_name(struct buffer *text, const struct plot *plot, enum phase phase)
{
    buffer_text(text, phase_label(phase));
    if (phase != PHASE_LOADED)
        return;

    buffer_text(text, ": ");
    plan_background_name(&plot->jobs[0].phases->background->plan, text);
}

void
plot_exception(struct buffer *text, const char *class, bool failed, double x, double y)
{
    double half = failed ? 2.2 : 2.5;

    svg_path(text, class);
    svg_point(text, 'M', x - half, failed ? y - 6 : y);
    svg_point(text, 'L', x + half, y);
    if (failed)
        svg_point(text, 'M', x - half, y);
    svg_point(text, 'L', failed ? x + half : x, y - 6);

    if (!failed)
        svg_close(text);
    svg_end(text);
}
