/*
 * The plot of a sweep. A curve has a point for each step. There are three kinds of plots:
 * - A sweep of sizes has two panels: IOPS and bandwidth against the request size.
 * - A sweep of threads, depths or rates has a panel with latency against IOPS. This shows
 *   at which rate the device is saturated. Points are labelled with the swept values,
 *   where labels fit without overlaps.
 * - A sweep of intervals has a panel with latency against the interval.
 */
#include "base/units.h"
#include "draw.h"

#include <math.h>
#include <stdlib.h>

/* Lengths in pixels. */
#define INSET 10             /* between a frame and its contents */
#define SIZE_PANEL_WIDTH 372 /* width of a panel of a sweep of sizes */
#define SIZE_PANEL_GAP 100   /* between the two panels of a sweep of sizes */
/* If there are more targets than this, only points of the lowest curves have labels. */
#define MAX_LABELLED 2
/* The axis of latency is logarithmic if the longest latency is more than this many times
 * the shortest. */
#define LATENCY_LOG_RATIO 10

/* The figures of a step that can be on an axis. SWEPT is the swept value. */
enum figure { SWEPT, IOPS, BPS, P50, P99, MAX };

/* Returns FIGURE of STEP in the unit of its axis (enum plot_kind). Returns a negative
 * value if FIGURE is a percentile that is unknown. */
static double
step_figure(const struct job_step *step, enum figure figure)
{
    const double values[] = {[SWEPT] = (double)step->value,
                             [IOPS] = step->iops * 1000,
                             [BPS] = step->bps,
                             [P50] = (double)step->p50,
                             [P99] = (double)step->p99,
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

/* Widens RANGE to whole numbers, so that it includes VALUE. */
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

/* Returns the range of FIGURE over all steps of all targets in which it is known. */
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
    enum figure x_figure; /* the figure on its horizontal axis */
    unsigned entries;     /* set of entries that the legend needs */
};

/* A curve: a line through the points of the steps, and a mark at each point. */
struct curve {
    const char *line_role, *mark_role; /* CSS classes of the line and of the marks */
    const char *line_kind;             /* kind of line, such as "p99", for plot_class */
    double mark_radius;                /* pixels */
    enum figure y_figure;              /* the figure on the vertical axis */
};

/* The point of a step on a curve. */
struct point {
    double x, y;
    const struct job_step *step;
};

/* Stores in LIST, of JOB_STEPS elements, the points of the steps of TARGET on CURVE.
 * Steps in which the figure of the curve is unknown have no point. Returns the number of
 * points. */
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

/* Draws CURVE of TARGET: first the line, then the marks, then rings around the steps that
 * broke a limit, so that marks and rings lie over the line. */
static void
draw_curve(struct chart *chart, int target, const struct curve *curve)
{
    const struct plot *plot = chart->plot;
    struct buffer *text = chart->text;
    const struct plot_class line =
        plot_class(plot, curve->line_role, curve->line_kind, target);
    const struct plot_class mark =
        plot_class(plot, curve->mark_role, curve->line_kind, target);
    const struct plot_class ring = plot_class(plot, "ring", "fail", target);
    struct point points[JOB_STEPS];
    int count = find_points(chart, target, curve, points);

    if (count == 0)
        return;

    svg_path(text, line.text);
    for (int i = 0; i < count; i++)
        svg_point(text, i == 0 ? 'M' : 'L', points[i].x, points[i].y);
    svg_end(text);

    for (int i = 0; i < count; i++)
        svg_circle(text, mark.text, points[i].x, points[i].y, curve->mark_radius);

    for (int i = 0; i < count; i++) {
        if (points[i].step->verdict != SLO_BROKEN)
            continue;
        svg_circle(text, ring.text, points[i].x, points[i].y, PLOT_RING);
        chart->entries |= BIT(BROKEN);
    }
}

/* Returns an axis between the pixels FROM and TO, fitted to RANGE. INSET pixels stay free
 * at its ends, except at the lower end of a linear axis, which is 0. */
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

/* Draws one panel of a sweep of sizes, with FIGURE against the request size. X is its
 * left edge, TITLE and KIND belong to its vertical axis. Returns the set of entries that
 * the legend needs. */
static unsigned
draw_size_panel(struct buffer *text, const struct plot *plot, double x, const char *title,
                enum plot_kind kind, enum figure figure)
{
    const struct curve curve = {"outline", "mark", "", 3, figure};
    struct value_range sizes = find_range(plot, SWEPT);
    struct value_range rates = find_range(plot, figure);
    struct plot_panel panel = {
        .x = x, .width = SIZE_PANEL_WIDTH, .x_title = "request size", .y_title = title};

    if (!is_empty(&sizes)) {
        panel.x_axis = fit_axis(PLOT_SIZE, true, 54, x, x + panel.width, sizes, false);
        panel.y_axis = fit_axis(kind, true, 20, PLOT_BOTTOM, PLOT_TOP, rates, false);
    }

    struct chart chart = {text, plot, panel, SWEPT, 0};

    plot_panel_draw(text, &panel);
    if (is_empty(&sizes))
        plot_panel_empty(text, &panel);

    for (int i = 0; i < plot->count; i++)
        draw_curve(&chart, i, &curve);

    return chart.entries;
}

/* Lengths for the placement of labels, in pixels. */
#define POINT_RADIUS 3   /* half the size of the box of a point */
#define LABEL_DISTANCE 5 /* from a point to its label */
#define DESCENT 2        /* of letters, below the base line */
/* Tolerance when distances to points are compared, in squared pixels. */
#define TOLERANCE 0.1

/* A rectangle, in pixels. */
struct box {
    double x_min, y_min, x_max, y_max;
};

/* The boxes that a new label must not overlap. */
struct labels {
    struct box frame; /* all labels must lie inside this box */
    /* memory for the boxes of all points and labels; first come the points, then the
     * labels that are drawn already */
    struct box *boxes;
    int point_count, label_count;
};

/* Returns the squared distance between BOX and the point X, Y. Returns 0 if the point
 * lies inside the box. */
static double
squared_distance(const struct box *box, double x, double y)
{
    double x_distance = fmax(fmax(box->x_min - x, x - box->x_max), 0);
    double y_distance = fmax(fmax(box->y_min - y, y - box->y_max), 0);

    return x_distance * x_distance + y_distance * y_distance;
}

/* Returns true if BOX lies inside of FRAME. */
static bool
is_inside(const struct box *box, const struct box *frame)
{
    return box->x_min >= frame->x_min && box->x_max <= frame->x_max &&
           box->y_min >= frame->y_min && box->y_max <= frame->y_max;
}

/* Returns true if the boxes overlap. */
static bool
do_overlap(const struct box *one, const struct box *other)
{
    return one->x_min < other->x_max && other->x_min < one->x_max &&
           one->y_min < other->y_max && other->y_min < one->y_max;
}

/* Returns true if BOX is free for a label of the point X, Y: it lies inside the frame,
 * overlaps no point and no label, and is not nearer to another point. */
static bool
is_free(const struct labels *labels, const struct box *box, double x, double y)
{
    double own_distance = squared_distance(box, x, y);

    if (!is_inside(box, &labels->frame))
        return false;

    for (int i = 0; i < labels->point_count + labels->label_count; i++)
        if (do_overlap(box, &labels->boxes[i]))
            return false;

    for (int i = 0; i < labels->point_count; i++) {
        const struct box *point = &labels->boxes[i];
        double point_distance = squared_distance(box, point->x_min + POINT_RADIUS,
                                                 point->y_min + POINT_RADIUS);
        if (point_distance < own_distance - TOLERANCE)
            return false;
    }

    return true;
}

/* Writes NAME beside the point X, Y, at the first of several spots that is free. Writes
 * nothing if no spot is free. */
static void
draw_label(struct buffer *text, struct labels *labels, const char *name, double x,
           double y)
{
    /* The spots for the middle of the label, relative to its point; the best spots come
     * first. One step to the right is half the width of the label plus LABEL_DISTANCE.
     * One step down is half the height of the label. A label that lies higher or lower
     * than its point is moved away from it by a further LABEL_DISTANCE. */
    static const struct {
        int right, down;
    } spots[] = {{0, -1}, {1, -1}, {1, 0},  {1, 1}, {0, 1}, {-1, -1}, {-1, 0},  {-1, 1},
                 {0, -3}, {1, -3}, {2, -1}, {2, 1}, {0, 3}, {1, 3},   {-1, -3}, {-1, 3}};
    double width = svg_width(name, PLOT_SMALL);
    double height = PLOT_SMALL + 1;

    for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
        int right = spots[i].right;
        int down = spots[i].down;
        double x_middle = x + right * (LABEL_DISTANCE + width / 2);
        double y_middle = y;

        if (down > 0)
            y_middle += LABEL_DISTANCE;
        if (down < 0)
            y_middle -= LABEL_DISTANCE;
        y_middle += down * height / 2;

        struct box box = {x_middle - width / 2, y_middle - height / 2,
                          x_middle + width / 2, y_middle + height / 2};
        if (!is_free(labels, &box, x, y))
            continue;

        labels->boxes[labels->point_count + labels->label_count] = box;
        labels->label_count++;
        svg_text(text, box.x_min, box.y_max - DESCENT, SVG_START, PLOT_SMALL, "dim",
                 name);
        return;
    }
}

/* The curves of latency of a target, from the lowest up. They differ in dashes and marks.
 * If there are many targets, only the first curve is drawn. */
static const struct curve latency_curves[] = {
    {"p50 curve", "mark", "p50", 3, P50},
    {"p99", "mark open", "p99", 3, P99},
    {"max", "mark", "max", 2, MAX},
};

#define CURVES (int)(sizeof(latency_curves) / sizeof(latency_curves[0]))

/* Adds the box of each point of TARGET on CURVE to LABELS. */
static void
add_point_boxes(const struct chart *chart, struct labels *labels, int target,
                const struct curve *curve)
{
    struct point points[JOB_STEPS];
    int count = find_points(chart, target, curve, points);

    for (int i = 0; i < count; i++)
        labels->boxes[labels->point_count + i] =
            (struct box){points[i].x - POINT_RADIUS, points[i].y - POINT_RADIUS,
                         points[i].x + POINT_RADIUS, points[i].y + POINT_RADIUS};
    labels->point_count += count;
}

/* Draws the labels of the points of TARGET on CURVE: the swept values. The boxes of all
 * points must be in LABELS. */
static void
draw_curve_labels(const struct chart *chart, struct labels *labels, int target,
                  const struct curve *curve)
{
    enum sweep_kind kind = chart->plot->plan->sweep.kind;
    struct point points[JOB_STEPS];
    int count = find_points(chart, target, curve, points);
    char value[UNITS_TEXT];

    for (int i = 0; i < count; i++)
        draw_label(chart->text, labels, sweep_format(kind, points[i].step->value, value),
                   points[i].x, points[i].y);
}

/* Draws the labels of points. The lowest CURVE_COUNT curves are drawn. Labels of the
 * lowest curves are placed first, so that they get the best spots. */
static void
draw_value_labels(const struct chart *chart, int curve_count)
{
    const struct plot *plot = chart->plot;
    const struct plot_panel *panel = &chart->panel;
    int labelled_count = plot->count > MAX_LABELLED ? 1 : curve_count;
    struct labels labels = {
        .frame = {panel->x + 2, PLOT_TOP + 2, panel->x + panel->width - 2,
                  PLOT_BOTTOM - 2},
        .boxes = calloc((size_t)plot->count * JOB_STEPS * CURVES * 2, sizeof(struct box)),
    };
    if (!labels.boxes) {
        chart->text->failed = true;
        return;
    }

    for (int curve = 0; curve < curve_count; curve++)
        for (int target = 0; target < plot->count; target++)
            add_point_boxes(chart, &labels, target, &latency_curves[curve]);

    for (int curve = 0; curve < labelled_count; curve++)
        for (int target = 0; target < plot->count; target++)
            draw_curve_labels(chart, &labels, target, &latency_curves[curve]);

    free(labels.boxes);
}

/* Returns true if SLO is drawn as a line: it limits the latency of all requests
 * together. */
static bool
is_drawn(const struct slo *slo)
{
    return !slo_is_rate(slo) && slo->scope == SCOPE_ALL && slo->limit > 0;
}

/* Draws a horizontal line for each limit of latency. */
static void
draw_limits(struct chart *chart)
{
    const struct slos *slos = &chart->plot->plan->statistics.slos;
    const struct plot_panel *panel = &chart->panel;
    const struct plot_class class =
        plot_class(chart->plot, "limit", "fail", PLOT_ALL_TARGETS);

    for (int i = 0; i < slos->count; i++) {
        if (!is_drawn(&slos->list[i]))
            continue;

        double y = plot_axis_position(&panel->y_axis, (double)slos->list[i].limit);
        svg_rule(chart->text, class.text, panel->x, y, 'H', panel->x + panel->width);
        chart->entries |= BIT(LIMIT);
    }
}

/* Draws a vertical line for each target, at the highest rate that meets the limits. */
static void
draw_highest_rates(struct chart *chart)
{
    const struct plot *plot = chart->plot;

    for (int i = 0; i < plot->count; i++) {
        const struct job_sweep *sweep = &plot->jobs[i].sweep;
        int highest = sweep->highest_index;

        if (highest < 0 || highest >= sweep->count || !sweep->steps[highest].requests)
            continue;

        double value = step_figure(&sweep->steps[highest], chart->x_figure);
        svg_rule(chart->text, plot_class(plot, "knee", "p50", i).text,
                 plot_axis_position(&chart->panel.x_axis, value), PLOT_TOP, 'V',
                 PLOT_BOTTOM);
        chart->entries |= BIT(KNEE);
    }
}

/* Returns the range of the axis of latency: of the lowest CURVE_COUNT curves and of the
 * limits that are drawn. */
static struct value_range
find_latency_range(const struct plot *plot, int curve_count)
{
    const struct slos *slos = &plot->plan->statistics.slos;
    struct value_range range = find_range(plot, P50);

    range.max = find_range(plot, latency_curves[curve_count - 1].y_figure).max;
    for (int i = 0; i < slos->count; i++)
        if (is_drawn(&slos->list[i]))
            widen_range(&range, (double)slos->list[i].limit);

    return range;
}

/* Sets the axes of the latency panel. X_RANGE is the range of the figure on the
 * horizontal axis, and the lowest CURVE_COUNT curves are drawn. */
static void
fit_latency_axes(struct plot_panel *panel, const struct plot *plot,
                 struct value_range x_range, int curve_count)
{
    double x_end = panel->x + panel->width;
    struct value_range range = find_latency_range(plot, curve_count);

    if (plot->plan->sweep.kind == SWEEP_INTERVAL) {
        panel->x_axis = fit_axis(PLOT_TIME, true, 64, panel->x, x_end, x_range, true);
    } else {
        bool is_log = plot_axis_spreads(x_range.min, x_range.max, PLOT_LOG_RATIO);
        panel->x_axis = fit_axis(PLOT_RATE, is_log, 64, panel->x, x_end, x_range, true);
    }

    if (plot_axis_spreads(range.min, range.max, LATENCY_LOG_RATIO))
        panel->y_axis = fit_axis(PLOT_TIME, true, 20, PLOT_BOTTOM, PLOT_TOP, range, true);
    else
        panel->y_axis =
            fit_axis(PLOT_TIME, false, 32, PLOT_BOTTOM, PLOT_TOP, range, true);
}

/* Draws the panel of latency against IOPS or the interval. Returns the set of entries
 * that the legend needs. */
static unsigned
draw_latency_panel(struct buffer *text, const struct plot *plot)
{
    bool has_intervals = plot->plan->sweep.kind == SWEEP_INTERVAL;
    enum figure x_figure = has_intervals ? SWEPT : IOPS;
    struct plot_panel panel = {.x = PLOT_LEFT,
                               .width = PLOT_WIDTH - PLOT_LEFT - 2 * PLOT_MARGIN,
                               .x_title =
                                   has_intervals ? "interval" : "requests per second",
                               .y_title = "latency"};
    struct value_range x_range = find_range(plot, x_figure);
    struct value_range p99_range = find_range(plot, P99);
    int curve_count = plot->count <= PLOT_MAX_DETAILED ? CURVES : 1;

    if (is_empty(&x_range)) {
        plot_panel_draw(text, &panel);
        plot_panel_empty(text, &panel);
        return 0;
    }

    fit_latency_axes(&panel, plot, x_range, curve_count);
    struct chart chart = {text, plot, panel, x_figure, BIT(P50)};
    if (curve_count > 1)
        chart.entries |= BIT(MAX);
    if (curve_count > 1 && !is_empty(&p99_range))
        chart.entries |= BIT(P99);
    if (!has_intervals)
        chart.entries |= BIT(VALUE);

    plot_panel_draw(text, &panel);
    draw_limits(&chart);
    if (plot->plan->sweep.kind == SWEEP_RATE)
        draw_highest_rates(&chart);

    for (int i = 0; i < plot->count; i++)
        for (int curve = 0; curve < curve_count; curve++)
            draw_curve(&chart, i, &latency_curves[curve]);
    if (!has_intervals)
        draw_value_labels(&chart, curve_count);

    return chart.entries;
}

unsigned
plot_sweep_draw(struct buffer *text, const struct plot *plot)
{
    double second_x = PLOT_LEFT + SIZE_PANEL_WIDTH + SIZE_PANEL_GAP;

    if (plot->plan->sweep.kind != SWEEP_SIZE)
        return draw_latency_panel(text, plot);

    /* Both panels need the same entries. */
    draw_size_panel(text, plot, PLOT_LEFT, "requests per second", PLOT_RATE, IOPS);
    return draw_size_panel(text, plot, second_x, "bandwidth", PLOT_SPEED, BPS);
}
