/*
 * The plot of a sweep. A curve has a point for each step. There are three kinds of plots:
 * - A sweep of sizes has two panels: latency and bandwidth against the request size.
 * - A sweep of threads or depths has a panel with latency against IOPS. This shows at
 *   which rate the device is saturated. Each step is labelled once with its value, where
 *   labels fit without overlaps.
 * - A sweep of rates or intervals has a panel with latency against the offered rate or
 *   the interval.
 * A line marks the step that is the answer of the sweep (plot_find_answer).
 */
#include "base/units.h"
#include "draw.h"
#include "labels.h"
#include "words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Lengths in pixels. */
#define INSET 10             /* between a frame and its contents */
#define ANSWER_DISTANCE 5    /* from the text of the answer to the line of the answer */
#define ANSWER_DROP 15       /* from the upper edge to the base line of the answer */
#define SIZE_PANEL_WIDTH 372 /* width of a panel of a sweep of sizes */
#define SIZE_PANEL_GAP 100   /* between the two panels of a sweep of sizes */
/* In a sweep of rates, this number of steps on each side of the answer have labels. */
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
    const struct plot *plot;
    struct plot_panel panel;
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
    bool has_marks = chart->plot->count <= PLOT_MAX_DETAILED || count == 1;
    if (!has_marks)
        return;

    for (int i = 0; i < count; i++)
        svg_circle(text, mark_class(chart, curve, points[i].step, target).text,
                   points[i].x, points[i].y, curve->mark_radius);

    for (int i = 0; i < count; i++) {
        if (points[i].step->verdict != SLO_BROKEN)
            continue;
        chart->entries |= is_rate ? BIT(PAST) : BIT(BROKEN);
        if (!is_rate)
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

/* The curves of latency of a target, from the lowest up. If there are many targets, only
 * the first curve is drawn. */
static const struct curve latency_curves[] = {
    {"p50", "mark", 3, P50},
    {"p99", "mark open", 3, P99},
    {"max", "mark small", 2, MAX},
};

#define CURVES (int)(sizeof(latency_curves) / sizeof(latency_curves[0]))

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

/* Draws the labels of the steps of all targets, where they cover neither a point of a
 * curve nor the line of an answer. The panel shows the first CURVE_COUNT curves of
 * latency_curves. */
static void
draw_value_labels(const struct chart *chart, int curve_count)
{
    const struct plot *plot = chart->plot;
    const struct plot_panel *panel = &chart->panel;
    struct labels labels = {
        .frame = {panel->x + 2, panel->top + 20, panel->x + panel->width - 2,
                  plot_panel_bottom(panel) - 2},
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
                labels_add_point(&labels, points[i].x, points[i].y);
        }
    }

    for (int target = 0; target < plot->count; target++) {
        double x = answer_x(chart, target);
        if (x >= 0)
            labels_block(&labels, (struct box){x - 1, panel->top, x + 1,
                                               plot_panel_bottom(panel)});
    }

    for (int target = 0; target < plot->count; target++)
        draw_step_labels(chart, &labels, target);

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
 * one target, writes the value of this step at the upper end of the line. */
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

        svg_rule(chart->text, plot_class("knee", i).text, x, panel->top, 'V',
                 plot_panel_bottom(panel));
        chart->entries |= BIT(KNEE);
        if (plot->count > 1)
            continue;

        const struct job_sweep *sweep = &plot->jobs[i].sweep;
        format_answer_value(kind, &sweep->steps[plot_find_answer(plot, i)], value);
        double width = svg_width(value, PLOT_FONT) + ANSWER_DISTANCE;
        double text_y = panel->top + ANSWER_DROP;
        if (x + width > panel->x + panel->width)
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
    enum sweep_kind kind = chart->plot->plan->sweep.kind;

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
    const struct job_sweep *sweep = &chart->plot->jobs[0].sweep;
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

/* Draws the panel of CHART with the curves of latency of all targets. The frame of the
 * panel must be set. */
static void
draw_latency_panel(struct chart *chart)
{
    const struct plot *plot = chart->plot;
    struct plot_panel *panel = &chart->panel;
    struct value_range x_range = find_range(plot, chart->x_figure);
    int curve_count = plot->count <= PLOT_MAX_DETAILED ? CURVES : 1;
    bool is_labelled_kind =
        plot->plan->sweep.kind != SWEEP_INTERVAL && plot->plan->sweep.kind != SWEEP_SIZE;

    /* A sweep of sizes has no curve of the maximum: it does not help to find a size.
     */
    if (plot->plan->sweep.kind == SWEEP_SIZE && curve_count > 1)
        curve_count = CURVES - 1;

    struct value_range range = find_latency_range(plot, curve_count);
    if (is_empty(&x_range) || is_empty(&range)) {
        plot_panel_draw(chart->text, panel);
        plot_panel_empty(chart->text, panel);
        return;
    }

    fit_x_axis(chart, x_range);
    bool is_log = plot_axis_spreads(range.min, range.max, PLOT_LATENCY_LOG_RATIO);
    panel->y_axis = fit_axis(PLOT_TIME, is_log, is_log ? 20 : 32,
                             plot_panel_bottom(panel), panel->top, range, true);

    static const unsigned curve_entries[CURVES] = {BIT(P50), BIT(P99), BIT(MAX)};
    for (int i = 0; i < curve_count; i++) {
        struct value_range one = find_range(plot, latency_curves[i].y_figure);
        if (!is_empty(&one))
            chart->entries |= curve_entries[i];
    }
    if (is_labelled_kind && plot->plan->sweep.kind != SWEEP_RATE)
        chart->entries |= BIT(VALUE);

    plot_panel_draw(chart->text, panel);
    draw_sweep_limits(chart);
    if (plot->plan->sweep.kind != SWEEP_SIZE)
        draw_answers(chart);

    for (int curve = curve_count - 1; curve >= 0; curve--)
        for (int i = 0; i < plot->count; i++)
            draw_curve(chart, i, &latency_curves[curve]);
    if (is_labelled_kind)
        draw_value_labels(chart, curve_count);
}

/* Draws the panel of bandwidth against the request size. The frame of the panel of CHART
 * must be set. */
static void
draw_bandwidth_panel(struct chart *chart)
{
    const struct curve curve = {"outline", "mark", 3, BPS};
    struct plot_panel *panel = &chart->panel;
    struct value_range sizes = find_range(chart->plot, SWEPT);
    struct value_range rates = find_range(chart->plot, BPS);

    if (is_empty(&sizes)) {
        plot_panel_draw(chart->text, panel);
        plot_panel_empty(chart->text, panel);
        return;
    }

    fit_x_axis(chart, sizes);
    panel->y_axis = fit_axis(PLOT_SPEED, true, 20, plot_panel_bottom(panel), panel->top,
                             rates, false);

    plot_panel_draw(chart->text, panel);
    draw_answers(chart);
    for (int i = 0; i < chart->plot->count; i++)
        draw_curve(chart, i, &curve);
}

unsigned
plot_sweep_draw(struct buffer *text, const struct plot *plot)
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
                          .x_figure = kinds[kind].x_figure,
                          .panel = {.x = PLOT_LEFT,
                                    .width = PLOT_WIDTH - PLOT_LEFT - 2 * PLOT_MARGIN,
                                    .top = PLOT_TOP,
                                    .height = PLOT_HEIGHT,
                                    .x_title = kinds[kind].title,
                                    .y_title = "latency"}};

    if (kind == SWEEP_SIZE)
        chart.panel.width = SIZE_PANEL_WIDTH;
    draw_latency_panel(&chart);
    if (kind != SWEEP_SIZE)
        return chart.entries;

    chart.panel.x += SIZE_PANEL_WIDTH + SIZE_PANEL_GAP;
    chart.panel.x_axis = chart.panel.y_axis = (struct plot_axis){0};
    chart.panel.y_title = "bandwidth";
    draw_bandwidth_panel(&chart);
    return chart.entries;
}
