/*
 * The plot of a sweep. A curve has a point for each step. There are three kinds of plots:
 * - A sweep of sizes has two panels: latency and bandwidth against the request size.
 * - A sweep of threads or depths has a panel with latency against IOPS. This shows at
 *   which rate the device is saturated. Each step is labelled once with its value, where
 *   labels fit without overlaps.
 * - A sweep of rates or intervals has a panel with latency against the offered rate or
 *   the interval.
 * A line marks the step that is the answer of the sweep (plot_find_answer).
 *
 * Curves of many targets would hide one another. Therefore more than PLOT_MAX_DETAILED
 * targets have a small panel each, in a grid.
 */
#include "base/units.h"
#include "draw.h"
#include "labels.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in pixels. */
#define INSET 10             /* between a frame and its contents */
#define ANSWER_DISTANCE 5    /* from the text of the answer to the line of the answer */
#define ANSWER_DROP 15       /* from the upper edge to the base line of the answer */
#define SIZE_PANEL_WIDTH 372 /* width of a panel of a sweep of sizes */
#define SIZE_PANEL_GAP 100   /* between the two panels of a sweep of sizes */
/* A grid of small panels. */
#define GRID_COLUMNS 4
#define GRID_WIDTH 197         /* width of a panel */
#define GRID_HEIGHT 130        /* height of a panel */
#define GRID_GAP 24            /* between two panels of a row; between rows half of it */
#define GRID_TITLE_DISTANCE 36 /* from the lower edge to the title of the x axis */
#define GRID_DISTANCE 76       /* between the two grids of a sweep of sizes */
#define GRID_NAME_COLUMNS 16   /* maximum width of a name, in characters */
#define STRIP_HEIGHT 22        /* height of the strip with the name of the target */
/* In a sweep of rates, the answer (plot_find_answer) has a label, and so have this many
 * steps on either side of it. */
#define LABELLED_AROUND 1
/* The axis of rates is logarithmic if the highest rate is more than this many times the
 * lowest. */
#define RATE_LOG_RATIO 50
/* A limit that is far from all latencies is not drawn. A limit may widen the axis of
 * latency by this factor at most. */
#define LIMIT_ROOM 4

/* The figures of a step that can be on an axis. SWEPT is the swept value. In a sweep of
 * rates, OFFERED is the same value in the unit of PLOT_RATE. */
enum figure { SWEPT, OFFERED, IOPS, BPS, P50, P99, MAX };

/* Returns FIGURE of STEP in the unit of its axis (enum plot_kind). Returns a negative
 * number if FIGURE is an unknown percentile. */
static double
step_figure(const struct job_step *step, enum figure figure)
{
    const double values[] = {
        [SWEPT] = (double)step->value, [OFFERED] = (double)step->value * 1000,
        [IOPS] = step->iops * 1000,    [BPS] = step->bps,
        [P50] = (double)step->p50,     [P99] = (double)step->p99,
        [MAX] = (double)step->max};

    return values[figure];
}

/* Returns true if FIGURE of STEP is known. A percentile is unknown if too few requests
 * count. */
static bool
has_figure(const struct job_step *step, enum figure figure)
{
    return step->requests > 0 && step_figure(step, figure) >= 0;
}

/* A range of values. It is empty if `min` is above `max`. */
struct value_range {
    int64_t min, max;
};

/* Returns true if RANGE is empty. */
static bool
is_empty(const struct value_range *range)
{
    return range->min > range->max;
}

/* Widens RANGE so that it includes VALUE. Its bounds stay whole numbers. */
static void
widen_range(struct value_range *range, double value)
{
    int64_t below = (int64_t)floor(value);
    int64_t above = (int64_t)ceil(value);

    if (below < range->min)
        range->min = below;
    if (above > range->max)
        range->max = above;
}

/* Returns the range of FIGURE over all targets and all steps in which FIGURE is known. */
static struct value_range
find_range(const struct plot *plot, enum figure figure)
{
    struct value_range range = {INT64_MAX, INT64_MIN};

    for (int i = 0; i < plot->count; i++) {
        const struct job_sweep *sweep = &plot->jobs[i].sweep;

        for (int k = 0; k < sweep->count; k++)
            if (has_figure(&sweep->steps[k], figure))
                widen_range(&range, step_figure(&sweep->steps[k], figure));
    }

    return range;
}

/* A panel while it is drawn. */
struct chart {
    struct buffer *text;
    const struct plot *plot; /* the targets that the panel shows */
    /* The targets that the axes cover. In a grid of panels, these are all targets of the
     * plot, so that all panels have the same axes. */
    const struct plot *covered;
    struct plot_panel panel;
    /* The panel belongs to a grid. It has less detail: no marks, no maxima, and no labels
     * of steps. The name of its target stands in a strip at the upper edge. */
    bool is_small;
    enum figure x_figure;        /* the figure on the horizontal axis */
    int64_t x_values[JOB_STEPS]; /* values of the horizontal ticks, if they are given */
    unsigned entries;            /* set of entries that the legend needs */
};

/* A curve: a line through the points of the steps, and a mark at each point. */
struct curve {
    const char *line_role, *mark_role; /* CSS classes of the line and of the marks */
    double mark_radius;                /* radius of the marks, in pixels */
    enum figure y_figure;              /* the figure on the vertical axis */
};

/* The curves of latency of a target, from the lowest up. */
static const struct curve latency_curves[] = {
    {"p50", "mark", 3, P50},
    {"p99", "mark open", 3, P99},
    {"max", "mark small", 2, MAX},
};

#define CURVES (int)(sizeof(latency_curves) / sizeof(latency_curves[0]))

/* The point of a step on a curve. */
struct point {
    double x, y;
    const struct job_step *step;
};

/* Stores in LIST the points of CURVE for the steps of TARGET. LIST must have JOB_STEPS
 * elements. A step has no point if the figure of the curve is unknown. Returns the number
 * of points. */
static int
find_points(const struct chart *chart, int target, const struct curve *curve,
            struct point *list)
{
    const struct job_sweep *sweep = &chart->plot->jobs[target].sweep;
    const struct plot_panel *panel = &chart->panel;
    int count = 0;

    for (int i = 0; i < sweep->count; i++) {
        const struct job_step *step = &sweep->steps[i];

        if (!has_figure(step, curve->y_figure))
            continue;

        double x_value = step_figure(step, chart->x_figure);
        double y_value = step_figure(step, curve->y_figure);
        list[count++] = (struct point){plot_axis_position(&panel->x_axis, x_value),
                                       plot_axis_position(&panel->y_axis, y_value), step};
    }

    return count;
}

/* Returns the classes for the mark of STEP on CURVE. In a sweep of rates, steps that
 * broke a limit are grey. */
static struct plot_class
mark_class(const struct chart *chart, const struct curve *curve,
           const struct job_step *step, int target)
{
    char role[32];
    bool is_past =
        chart->plot->plan->sweep.kind == SWEEP_RATE && step->verdict == SLO_BROKEN;

    snprintf(role, sizeof(role), is_past ? "%s past" : "%s", curve->mark_role);
    return plot_class(role, target);
}

/* Returns the number of curves of latency that CHART shows: the first ones of
 * latency_curves. The maximum does not help to find a size, and a small panel has no room
 * for it. */
static int
count_curves(const struct chart *chart)
{
    if (chart->is_small || chart->plot->plan->sweep.kind == SWEEP_SIZE)
        return CURVES - 1;

    return CURVES;
}

/* Returns true if a limit of PLOT is about FIGURE. */
static bool
has_limit_on(const struct plot *plot, enum figure figure)
{
    const struct slos *slos = &plot->plan->statistics.slos;
    const struct percentile *list = percentiles_common.list;

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];

        if (!plot_limit_is_drawn(slo))
            continue;
        if (figure == MAX && slo->metric == SLO_MAX)
            return true;
        if (slo->metric != SLO_PERCENTILE)
            continue;
        if (figure == P50 && strcmp(slo->percentile.name, list[0].name) == 0)
            return true;
        if (figure == P99 && strcmp(slo->percentile.name, list[1].name) == 0)
            return true;
    }

    return false;
}

/* Returns true if a step that broke a limit has its ring on CURVE: on the figure that a
 * limit is about or, if no limit is about a curve of CHART, on p50. */
static bool
has_rings(const struct chart *chart, const struct curve *curve)
{
    for (int i = 0; i < count_curves(chart); i++)
        if (has_limit_on(chart->plot, latency_curves[i].y_figure))
            return has_limit_on(chart->plot, curve->y_figure);

    return curve->y_figure == P50;
}

/* Draws CURVE of TARGET. The line comes first, so that the marks and the rings lie over
 * it. Steps that broke a limit have rings. */
static void
draw_curve(struct chart *chart, int target, const struct curve *curve)
{
    struct buffer *text = chart->text;
    bool is_rate = chart->plot->plan->sweep.kind == SWEEP_RATE;
    struct point points[JOB_STEPS];
    int count = find_points(chart, target, curve, points);

    if (count == 0)
        return;

    svg_path(text, plot_class(curve->line_role, target).text);
    for (int i = 0; i < count; i++)
        svg_point(text, i == 0 ? 'M' : 'L', points[i].x, points[i].y);
    svg_end(text);

    /* The marks of many targets would make the file large. A single point has no line, so
     * it needs a mark. */
    if (chart->is_small && count > 1)
        return;

    for (int i = 0; i < count; i++)
        svg_circle(text, mark_class(chart, curve, points[i].step, target).text,
                   points[i].x, points[i].y, curve->mark_radius);

    for (int i = 0; i < count; i++) {
        if (points[i].step->verdict != SLO_BROKEN)
            continue;
        chart->entries |= is_rate ? BIT(PAST) : BIT(BROKEN);
        if (!is_rate && has_rings(chart, curve))
            svg_circle(text, "ring", points[i].x, points[i].y, PLOT_RING);
    }
}

/* Returns an axis from FROM to TO, in pixels, fitted to RANGE. INSET pixels stay free at
 * both ends. A linear axis starts at 0, and has no free pixels there. */
static struct plot_axis
fit_axis(enum plot_kind kind, bool is_log, double min_tick_gap, double from, double to,
         struct value_range range, bool rounded)
{
    double inset = from < to ? INSET : -INSET;
    struct plot_axis axis = {.kind = kind,
                             .is_log = is_log,
                             .from = is_log ? from + inset : from,
                             .to = to - inset,
                             .min_tick_gap = min_tick_gap};

    plot_axis_fit(&axis, is_log ? range.min : 0, range.max, rounded);
    return axis;
}

/* Returns true if step INDEX of TARGET has a label. In a sweep of rates, the ticks of the
 * axis already show the rates. So only the steps next to the answer have labels, and only
 * if there is a single target. */
static bool
is_labelled(const struct plot *plot, int target, int index)
{
    int answer = plot_find_answer(plot, target);

    /* draw_answers writes the value of the answer beside its line. */
    if (plot->count == 1 && index == answer)
        return false;
    if (plot->plan->sweep.kind != SWEEP_RATE)
        return true;

    return plot->count == 1 && answer >= 0 && abs(index - answer) <= LABELLED_AROUND;
}

/* Draws the labels of the steps of TARGET. A label is the swept value, and stands beside
 * the point of p50. LABELS must already have the boxes of all points. */
static void
draw_step_labels(const struct chart *chart, struct labels *labels, int target)
{
    const struct plot *plot = chart->plot;
    const struct job_sweep *sweep = &plot->jobs[target].sweep;
    struct point points[JOB_STEPS];
    int count = find_points(chart, target, &latency_curves[0], points);
    char value[PLOT_TEXT];

    for (int i = 0; i < count; i++) {
        const struct job_step *step = points[i].step;

        if (is_labelled(plot, target, (int)(step - sweep->steps)))
            labels_draw(labels, chart->text,
                        plot_swept_value(plot->plan->sweep.kind, step->value, value),
                        points[i].x, points[i].y);
    }
}

/* Returns the x of the line that marks the answer of TARGET. Returns a negative number if
 * TARGET has no answer. */
static double
answer_x(const struct chart *chart, int target)
{
    int answer = plot_find_answer(chart->plot, target);
    if (answer < 0)
        return -1;

    const struct job_step *step = &chart->plot->jobs[target].sweep.steps[answer];
    return plot_axis_position(&chart->panel.x_axis, step_figure(step, chart->x_figure));
}

/* Draws the labels of the steps of all targets, where they cover neither a curve nor
 * the line of an answer. Adds an entry for the legend if there are labels. The
 * panel shows the first CURVE_COUNT curves of latency_curves. */
static void
draw_value_labels(struct chart *chart, int curve_count)
{
    const struct plot *plot = chart->plot;
    const struct plot_panel *panel = &chart->panel;
    struct labels labels = {
        .frame = {panel->x + 2, panel->top + 20, panel->x + panel->width - 2,
                  plot_panel_bottom(panel) - 2, false},
        .boxes = calloc((size_t)plot->count * (JOB_STEPS * (CURVES + 1) + 1),
                        sizeof(struct box)),
    };
    if (!labels.boxes) {
        chart->text->failed = true;
        return;
    }

    for (int curve = 0; curve < curve_count; curve++) {
        for (int target = 0; target < plot->count; target++) {
            struct point points[JOB_STEPS];
            int count = find_points(chart, target, &latency_curves[curve], points);

            for (int i = 0; i < count; i++)
                labels_add_point(&labels, points[i].x, points[i].y, i > 0);
        }
    }

    for (int target = 0; target < plot->count; target++) {
        double x = answer_x(chart, target);
        if (x >= 0)
            labels_block(&labels, (struct box){x - 1, panel->top, x + 1,
                                               plot_panel_bottom(panel), false});
    }

    int blocked_count = labels.other_count;
    for (int target = 0; target < plot->count; target++)
        draw_step_labels(chart, &labels, target);

    if (labels.other_count > blocked_count)
        chart->entries |= BIT(VALUE);
    free(labels.boxes);
}

/* Draws a horizontal line for each limit of latency. */
static void
draw_sweep_limits(struct chart *chart)
{
    const struct slos *slos = &chart->plot->plan->statistics.slos;
    const struct plot_panel *panel = &chart->panel;

    for (int i = 0; i < slos->count; i++) {
        double limit = (double)slos->list[i].limit;

        if (!plot_limit_is_drawn(&slos->list[i]) || limit > panel->y_axis.max ||
            limit < panel->y_axis.min)
            continue;

        svg_rule(chart->text, "limit", panel->x,
                 plot_axis_position(&panel->y_axis, limit), 'H', panel->x + panel->width);
        chart->entries |= BIT(LIMIT);
    }
}

/* Writes into TEXT, which has PLOT_TEXT bytes, the value of STEP beside the line of the
 * answer. In a sweep of rates, the value is the rate that was achieved, as in the answer
 * of the plot (plot_add_answer). Returns TEXT. */
static const char *
format_answer_value(enum sweep_kind kind, const struct job_step *step, char *text)
{
    if (kind == SWEEP_RATE)
        return plot_value(UNITS_COUNT, step->answered_rate, text);

    return plot_swept_value(kind, step->value, text);
}

/* Draws a vertical line for each target, at the step that is its answer. If there is only
 * one target, writes the value of this step at the upper end of the line or, in a small
 * panel, at the right end of the strip. */
static void
draw_answers(struct chart *chart)
{
    const struct plot *plot = chart->plot;
    const struct plot_panel *panel = &chart->panel;
    enum sweep_kind kind = plot->plan->sweep.kind;
    char value[PLOT_TEXT];

    for (int i = 0; i < plot->count; i++) {
        double x = answer_x(chart, i);
        if (x < 0)
            continue;

        double line_top = panel->top + (chart->is_small ? STRIP_HEIGHT : 0);
        svg_rule(chart->text, plot_class("knee", i).text, x, line_top, 'V',
                 plot_panel_bottom(panel));
        chart->entries |= BIT(KNEE);
        if (plot->count > 1)
            continue;

        const struct job_sweep *sweep = &plot->jobs[i].sweep;
        format_answer_value(kind, &sweep->steps[plot_find_answer(plot, i)], value);
        double width = svg_width(value, PLOT_FONT) + ANSWER_DISTANCE;
        double text_y = panel->top + ANSWER_DROP;
        if (chart->is_small)
            svg_text(chart->text, panel->x + panel->width - ANSWER_DISTANCE, text_y,
                     SVG_END, PLOT_FONT, "answer", value);
        else if (x + width > panel->x + panel->width)
            svg_text(chart->text, x - ANSWER_DISTANCE, text_y, SVG_END, PLOT_FONT,
                     "answer halo", value);
        else
            svg_text(chart->text, x + ANSWER_DISTANCE, text_y, SVG_START, PLOT_FONT,
                     "answer halo", value);
    }
}

/* Returns the range of the axis of latency. It includes the lowest CURVE_COUNT curves,
 * and the limits that are near these curves. */
static struct value_range
find_latency_range(const struct plot *plot, int curve_count)
{
    const struct slos *slos = &plot->plan->statistics.slos;
    struct value_range range = {INT64_MAX, INT64_MIN};

    for (int i = 0; i < curve_count; i++) {
        struct value_range one = find_range(plot, latency_curves[i].y_figure);
        if (is_empty(&one))
            continue;
        widen_range(&range, (double)one.min);
        widen_range(&range, (double)one.max);
    }
    if (is_empty(&range))
        return range;

    const struct value_range data = range;
    for (int i = 0; i < slos->count; i++) {
        int64_t limit = slos->list[i].limit;
        if (plot_limit_is_drawn(&slos->list[i]) && limit / LIMIT_ROOM <= data.max &&
            limit >= data.min / LIMIT_ROOM)
            widen_range(&range, (double)limit);
    }

    return range;
}

/* Sets the horizontal axis of CHART. RANGE is the range of the figure on this axis. */
static void
fit_x_axis(struct chart *chart, struct value_range range)
{
    struct plot_panel *panel = &chart->panel;
    double end = panel->x + panel->width;
    enum sweep_kind kind = chart->covered->plan->sweep.kind;

    if (kind == SWEEP_SIZE) {
        panel->x_axis = fit_axis(PLOT_SIZE, true, 54, panel->x, end, range, false);
        return;
    }

    if (kind != SWEEP_INTERVAL) {
        bool is_log = plot_axis_spreads(range.min, range.max, RATE_LOG_RATIO);
        panel->x_axis = fit_axis(PLOT_RATE, is_log, 64, panel->x, end, range, true);
        return;
    }

    /* The ticks are at the intervals of the steps. */
    const struct job_sweep *sweep = &chart->covered->jobs[0].sweep;
    panel->x_axis = (struct plot_axis){.kind = PLOT_TIME,
                                       .is_log = true,
                                       .from = panel->x + INSET,
                                       .to = end - INSET,
                                       .min_tick_gap = 64,
                                       .values = chart->x_values};
    for (int i = 0; i < sweep->count; i++)
        if (sweep->steps[i].requests)
            chart->x_values[panel->x_axis.value_count++] = sweep->steps[i].value;
    plot_axis_fit(&panel->x_axis, range.min, range.max, true);
}

/* Returns the upper end of the vertical axis of CHART, in pixels. */
static double
axis_top(const struct chart *chart)
{
    return chart->panel.top + (chart->is_small ? STRIP_HEIGHT - INSET : 0);
}

/* Draws the frame of the panel of CHART. Returns true if there is something to draw in
 * the panel. Otherwise, writes into the panel that no request counted. */
static bool
draw_frame(const struct chart *chart)
{
    const struct plot *plot = chart->plot;

    plot_panel_draw(chart->text, &chart->panel);
    for (int i = 0; i < plot->count; i++)
        if (plot_has_data(&plot->jobs[i]))
            return true;

    plot_panel_empty(chart->text, &chart->panel);
    return false;
}

/* Draws the panel of CHART with the curves of latency of its targets. The frame of the
 * panel must be set. */
static void
draw_latency_panel(struct chart *chart)
{
    const struct plot *plot = chart->plot;
    struct plot_panel *panel = &chart->panel;
    enum sweep_kind kind = plot->plan->sweep.kind;
    int curve_count = count_curves(chart);
    struct value_range x_range = find_range(chart->covered, chart->x_figure);
    struct value_range range = find_latency_range(chart->covered, curve_count);
    bool is_labelled_kind =
        kind != SWEEP_INTERVAL && kind != SWEEP_SIZE && !chart->is_small;

    if (!is_empty(&x_range) && !is_empty(&range)) {
        bool is_log = plot_axis_spreads(range.min, range.max, PLOT_LATENCY_LOG_RATIO);

        fit_x_axis(chart, x_range);
        panel->y_axis = fit_axis(PLOT_TIME, is_log, is_log ? 20 : 32,
                                 plot_panel_bottom(panel), axis_top(chart), range, true);
    }
    if (!draw_frame(chart))
        return;

    static const unsigned curve_entries[CURVES] = {BIT(P50), BIT(P99), BIT(MAX)};
    for (int i = 0; i < curve_count; i++) {
        struct value_range one = find_range(plot, latency_curves[i].y_figure);
        if (!is_empty(&one))
            chart->entries |= curve_entries[i];
    }

    draw_sweep_limits(chart);
    if (kind != SWEEP_SIZE)
        draw_answers(chart);

    for (int curve = curve_count - 1; curve >= 0; curve--)
        for (int i = 0; i < plot->count; i++)
            draw_curve(chart, i, &latency_curves[curve]);
    if (is_labelled_kind)
        draw_value_labels(chart, curve_count);
}

/* Draws the panel of CHART with the bandwidth of its targets against the request size.
 * The frame of the panel must be set. */
static void
draw_bandwidth_panel(struct chart *chart)
{
    const struct curve curve = {"outline", "mark", 3, BPS};
    struct plot_panel *panel = &chart->panel;
    struct value_range sizes = find_range(chart->covered, SWEPT);
    struct value_range rates = find_range(chart->covered, BPS);

    if (!is_empty(&sizes)) {
        fit_x_axis(chart, sizes);
        panel->y_axis = fit_axis(PLOT_SPEED, true, 20, plot_panel_bottom(panel),
                                 axis_top(chart), rates, false);
    }
    if (!draw_frame(chart))
        return;

    draw_answers(chart);
    for (int i = 0; i < chart->plot->count; i++)
        draw_curve(chart, i, &curve);
}

/*
 * Draws a grid of small panels, one for each target of PLOT. All panels have the same
 * axes. FIRST is the chart of the panel at the upper left; DRAW draws a panel. Adds to
 * the entries of FIRST the entries that the legend needs. Returns the y of the lower edge
 * of the grid, without its horizontal axis.
 *
 *   latency
 *   |  /mnt/a   16 |  /mnt/b   32 |  /mnt/c    8 |  /mnt/d   16 |
 *   |   __/        |   ___/       |  __/         |   __/        |
 *   +--------------+--------------+--------------+--------------+
 *   |  /mnt/e   32 |     requests per second
 *   |   ___/       |
 *   +--------------+
 */
static double
draw_grid(struct chart *first, const struct plot *plot, void (*draw)(struct chart *chart))
{
    const char *x_title = first->panel.x_title;
    const char *y_title = first->panel.y_title;
    int last_row = (plot->count - 1) / GRID_COLUMNS;
    double row_distance = GRID_HEIGHT + GRID_GAP / 2.0;
    double bottom = first->panel.top + last_row * row_distance + GRID_HEIGHT;

    for (int i = 0; i < plot->count; i++) {
        int row = i / GRID_COLUMNS;
        int column = i % GRID_COLUMNS;
        bool is_lowest = i + GRID_COLUMNS >= plot->count;
        const struct plot one = {.plan = plot->plan, .jobs = &plot->jobs[i], .count = 1};
        struct chart chart = *first;
        struct buffer name = {0};

        chart.plot = &one;
        chart.panel.x += column * (GRID_WIDTH + GRID_GAP);
        chart.panel.top += row * row_distance;
        chart.panel.width = GRID_WIDTH;
        chart.panel.height = GRID_HEIGHT;
        chart.panel.x_title = is_lowest ? "" : NULL;
        chart.panel.y_title = column == 0 ? "" : NULL;
        draw(&chart);
        first->entries |= chart.entries;

        const char *path = plot->jobs[i].target.description.path;
        if (*path) {
            svg_shorten(&name, path, GRID_NAME_COLUMNS);
            svg_buffer(first->text, chart.panel.x + 6, chart.panel.top + ANSWER_DROP,
                       SVG_START, PLOT_FONT, "name", &name);
        }

        if (i > 0)
            continue;
        plot_axis_title(first->text, first->panel.x - PLOT_LEFT + PLOT_MARGIN + 4,
                        first->panel.top - 10, &chart.panel.y_axis, y_title, SVG_START);
        plot_axis_title(first->text, PLOT_LEFT + (PLOT_WIDTH - PLOT_LEFT) / 2.0,
                        bottom + GRID_TITLE_DISTANCE, &chart.panel.x_axis, x_title,
                        SVG_MIDDLE);
    }

    return bottom;
}

/* Draws the panels of up to PLOT_MAX_DETAILED targets: one panel, or two panels in a
 * sweep of sizes. */
static void
draw_shared_panels(struct chart *chart)
{
    bool has_bandwidth = chart->plot->plan->sweep.kind == SWEEP_SIZE;
    struct plot_panel *panel = &chart->panel;

    if (has_bandwidth)
        panel->width = SIZE_PANEL_WIDTH;
    draw_latency_panel(chart);
    if (!has_bandwidth)
        return;

    panel->x += SIZE_PANEL_WIDTH + SIZE_PANEL_GAP;
    panel->x_axis = (struct plot_axis){0};
    panel->y_axis = (struct plot_axis){0};
    panel->y_title = "bandwidth";
    draw_bandwidth_panel(chart);
}

/* Draws the grids of many targets: one grid, or two grids in a sweep of sizes. Returns
 * the y of the lower edge. */
static double
draw_grids(struct chart *chart)
{
    double bottom = draw_grid(chart, chart->plot, draw_latency_panel);

    if (chart->plot->plan->sweep.kind != SWEEP_SIZE)
        return bottom;

    chart->panel.top = bottom + GRID_DISTANCE;
    chart->panel.y_title = "bandwidth";
    return draw_grid(chart, chart->plot, draw_bandwidth_panel);
}

unsigned
plot_sweep_draw(struct buffer *text, const struct plot *plot, double *bottom)
{
    static const struct {
        enum figure x_figure;
        const char *title;
    } kinds[] = {
        [SWEEP_SIZE] = {SWEPT, "request size"},
        [SWEEP_THREADS] = {IOPS, "requests per second"},
        [SWEEP_DEPTH] = {IOPS, "requests per second"},
        [SWEEP_INTERVAL] = {SWEPT, "interval"},
        [SWEEP_RATE] = {OFFERED, "offered requests per second"},
    };
    enum sweep_kind kind = plot->plan->sweep.kind;
    struct chart chart = {.text = text,
                          .plot = plot,
                          .covered = plot,
                          .is_small = plot->count > PLOT_MAX_DETAILED,
                          .x_figure = kinds[kind].x_figure,
                          .panel = {.x = PLOT_LEFT,
                                    .width = PLOT_WIDTH - PLOT_LEFT - 2 * PLOT_MARGIN,
                                    .top = PLOT_TOP,
                                    .height = PLOT_HEIGHT,
                                    .x_title = kinds[kind].title,
                                    .y_title = "latency"}};

    *bottom = PLOT_BOTTOM;
    if (chart.is_small)
        *bottom = draw_grids(&chart);
    else
        draw_shared_panels(&chart);

    return chart.entries;
}
