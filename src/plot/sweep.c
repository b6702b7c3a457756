/*
 * The plot of a sweep. There are three kinds:
 * - A sweep of sizes has two panels: IOPS and bandwidth against the request size.
 * - A sweep of threads, depths or rates is a saturation curve, latency against IOPS. Each
 *   point is labelled with its swept value, as far as labels fit without overlaps.
 * - A sweep of intervals has latency against the interval.
 */
#include "base/units.h"
#include "draw.h"

#include <math.h>
#include <stdlib.h>

#define INSET 10   /* between a frame and its contents, in pixels */
#define LABELLED 2 /* if there are more targets, only the lowest curve has labels */
#define STEEP 10   /* from this ratio of latencies on, their scale is logarithmic */

/* What a step of a sweep has. */
enum figure { SWEPT, IOPS, BPS, P50, P99, MAX };

/* Returns FIGURE of STEP in the unit of its axis (enum plot_kind). A percentile is
 * negative if it is unknown. */
static double
value_of(const struct job_step *step, enum figure figure)
{
    const double values[] = {[SWEPT] = (double)step->value,
                             [IOPS] = step->iops * 1000,
                             [BPS] = step->bps,
                             [P50] = (double)step->p50,
                             [P99] = (double)step->p99,
                             [MAX] = (double)step->max};

    return values[figure];
}

/* Returns true if FIGURE of STEP is known: a percentile needs enough requests. */
static bool
has_figure(const struct job_step *step, enum figure figure)
{
    return step->requests > 0 && value_of(step, figure) >= 0;
}

/* A range of values; empty if `least` is above `most`. */
struct value_range {
    int64_t min, max;
};

static void
widen_range(struct value_range *range, double value)
{
    int64_t least = (int64_t)floor(value);
    int64_t most = (int64_t)ceil(value);

    range->min = least < range->min ? least : range->min;
    range->max = most > range->max ? most : range->max;
}

/* Returns the range of FIGURE over all steps that have it. */
static struct value_range
find_range(const struct plot *plot, enum figure figure)
{
    struct value_range range = {INT64_MAX, INT64_MIN};

    for (int i = 0; i < plot->count; i++)
        for (int k = 0; k < plot->jobs[i].sweep.count; k++)
            if (has_figure(&plot->jobs[i].sweep.steps[k], figure))
                widen_range(&range, value_of(&plot->jobs[i].sweep.steps[k], figure));

    return range;
}

/* A panel that is being drawn. */
struct chart {
    struct buffer *text;
    const struct plot *plot;
    struct plot_panel panel;
    enum figure across; /* the figure on its horizontal axis */
    unsigned entries;   /* of the legend, as bits */
};

static double
x_of(const struct chart *chart, const struct job_step *step)
{
    return plot_axis_at(&chart->panel.across, value_of(step, chart->across));
}

static double
y_of(const struct chart *chart, const struct job_step *step, enum figure up)
{
    return plot_axis_at(&chart->panel.up, value_of(step, up));
}

/* A line with marks on it: their classes, and the figure on the vertical axis. */
struct curve {
    const char *role, *mark, *line;
    double radius;
    enum figure up;
};

/* Returns true if any step of JOB has FIGURE. */
static bool
has_any(const struct job *job, enum figure figure)
{
    for (int i = 0; i < job->sweep.count; i++)
        if (has_figure(&job->sweep.steps[i], figure))
            return true;
    return false;
}

/* Draws the line of CURVE, then its marks, then rings around the steps that broke a
 * limit. Each pass is drawn over the ones before. */
static void
draw_curve(struct chart *chart, int target, const struct curve *curve)
{
    const struct plot *plot = chart->plot;
    const struct job *job = &plot->jobs[target];
    struct buffer *text = chart->text;
    const struct plot_class line = plot_class(plot, curve->role, curve->line, target);
    const struct plot_class mark = plot_class(plot, curve->mark, curve->line, target);
    const struct plot_class ring = plot_class(plot, "ring", "fail", target);
    char command = 'M';

    if (!has_any(job, curve->up))
        return;

    svg_path(text, line.text);
    for (int pass = 0; pass < 3; pass++) {
        for (int i = 0; i < job->sweep.count; i++) {
            const struct job_step *step = &job->sweep.steps[i];
            if (!has_figure(step, curve->up))
                continue;
            double x = x_of(chart, step);
            double y = y_of(chart, step, curve->up);
            if (pass == 0)
                svg_point(text, command, x, y);
            else if (pass == 1)
                svg_circle(text, mark.text, x, y, curve->radius);
            else if (step->verdict == SLO_BROKEN) {
                svg_circle(text, ring.text, x, y, PLOT_RING);
                chart->entries |= BIT(BROKEN);
            }
            command = 'L';
        }
        if (pass == 0)
            svg_end(text);
    }
}

/* Returns the axis between the pixels FROM and TO, with an inset. It is fitted to RANGE;
 * a linear axis begins at 0. */
static struct plot_axis
fit_axis(enum plot_kind kind, bool log, double gap, double from, double to,
         struct value_range range, bool rounded)
{
    double inset = from < to ? INSET : -INSET;
    struct plot_axis axis = {.kind = kind,
                             .log = log,
                             .from = log ? from + inset : from,
                             .to = to - inset,
                             .gap = gap};

    plot_axis_fit(&axis, log ? range.min : 0, range.max, rounded);
    return axis;
}

/* Draws one panel of a sweep of sizes, with FIGURE against the size. Returns the entries
 * of the legend. */
static unsigned
draw_rates(struct buffer *text, const struct plot *plot, double x, const char *title,
           enum plot_kind kind, enum figure figure)
{
    const struct curve curve = {"outline", "mark", "", 3, figure};
    struct value_range sizes = find_range(plot, SWEPT);
    struct value_range rates = find_range(plot, figure);
    struct plot_panel panel = {
        .x = x, .width = 372, .across_title = "request size", .up_title = title};

    bool any = sizes.min <= sizes.max;
    if (any) {
        panel.across = fit_axis(PLOT_SIZE, true, 54, x, x + panel.width, sizes, false);
        panel.up = fit_axis(kind, true, 20, PLOT_BOTTOM, PLOT_TOP, rates, false);
    }

    struct chart chart = {text, plot, panel, SWEPT, 0};

    plot_panel_draw(text, &panel);
    if (!any)
        plot_panel_empty(text, &panel);

    for (int i = 0; i < plot->count; i++)
        draw_curve(&chart, i, &curve);

    return chart.entries;
}

/* Distances of labels, in pixels. */
#define RADIUS 3  /* of a point */
#define AWAY 5    /* from a point to its label */
#define DESCENT 2 /* of letters, below the base line */
/* Tolerance when distances to points are compared, in squared pixels. */
#define NEARLY 0.1

/* A rectangle. */
struct box {
    double x_min, y_min, x_max, y_max; /* pixels */
};

/* The rectangles that a new label must not overlap: first the points, then the labels
 * drawn so far. */
struct labels {
    struct box frame;  /* the labels must lie inside */
    struct box *boxes; /* memory for all points and labels */
    /* counts; the points come first, all of them before any label */
    int points, labels;
};

/* Returns the squared distance from BOX to the point X, Y; 0 inside the box. */
static double
distance(const struct box *box, double x, double y)
{
    double across = fmax(fmax(box->x_min - x, x - box->x_max), 0);

    double down = fmax(fmax(box->y_min - y, y - box->y_max), 0);
    return across * across + down * down;
}

/* Returns true if BOX lies inside the frame, overlaps nothing, and is not nearer to
 * another point than to its own, X, Y. */
static bool
is_free(const struct labels *labels, const struct box *box, double x, double y)
{
    const struct box *frame = &labels->frame;
    bool inside = box->x_min >= frame->x_min && box->x_max <= frame->x_max &&
                  box->y_min >= frame->y_min && box->y_max <= frame->y_max;
    double least = distance(box, x, y) - NEARLY;

    for (int i = 0; inside && i < labels->points + labels->labels; i++) {
        const struct box *other = &labels->boxes[i];
        bool overlaps = box->x_min < other->x_max && other->x_min < box->x_max &&
                        box->y_min < other->y_max && other->y_min < box->y_max;
        if (overlaps || (i < labels->points && distance(box, other->x_min + RADIUS,
                                                        other->y_min + RADIUS) < least))
            return false;
    }

    return inside;
}

/* Writes NAME beside the point X, Y at the first spot that is free. Writes nothing if no
 * spot is free. */
static void
draw_label(struct buffer *text, struct labels *labels, const char *name, double x,
           double y)
{
    /* Offsets of the middle of the label from its point, in halves of the size of the
     * label beyond AWAY. The best spots come first. */
    static const struct {
        int right, down;
    } spots[] = {{0, -1}, {1, -1}, {1, 0},  {1, 1}, {0, 1}, {-1, -1}, {-1, 0},  {-1, 1},
                 {0, -3}, {1, -3}, {2, -1}, {2, 1}, {0, 3}, {1, 3},   {-1, -3}, {-1, 3}};
    double width = svg_width(name, PLOT_SMALL);
    double height = PLOT_SMALL + 1;

    for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
        int right = spots[i].right;
        int down = spots[i].down;
        double middle = x + right * (AWAY + width / 2);
        double centre = y + (down > 0 ? AWAY : down < 0 ? -AWAY : 0) + down * height / 2;
        struct box box = {middle - width / 2, centre - height / 2, middle + width / 2,
                          centre + height / 2};

        if (!is_free(labels, &box, x, y))
            continue;

        labels->boxes[labels->points + labels->labels++] = box;
        svg_text(text, box.x_min, box.y_max - DESCENT, SVG_START, PLOT_SMALL, "dim",
                 name);
        return;
    }
}

/* The curves of a target, from the lowest up. They differ in dashes and marks. With many
 * targets, only the first curve is drawn. */
static const struct curve curves[] = {
    {"p50 curve", "mark", "p50", 3, P50},
    {"p99", "mark open", "p99", 3, P99},
    {"max", "mark", "max", 2, MAX},
};

#define CURVES (int)(sizeof(curves) / sizeof(curves[0]))

/* Goes over the points of a curve. NAMES false: adds the rectangle of each point to
 * LABELS. NAMES true: draws the swept value of each point as its label. */
static void
add_labels(const struct chart *chart, struct labels *labels, int target, enum figure up,
           bool names)
{
    const struct job *job = &chart->plot->jobs[target];

    for (int i = 0; i < job->sweep.count; i++) {
        const struct job_step *step = &job->sweep.steps[i];
        char name[UNITS_TEXT];
        if (!has_figure(step, up))
            continue;

        double x = x_of(chart, step);
        double y = y_of(chart, step, up);
        if (names)
            draw_label(chart->text, labels,
                       sweep_format(chart->plot->plan->sweep.kind, step->value, name), x,
                       y);
        else
            labels->boxes[labels->points++] =
                (struct box){x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS};
    }
}

/* Draws the swept values beside the points of the lowest SHOWN curves. Labels of the
 * lowest curve are placed first, so they get the best spots. */
static void
draw_labels(const struct chart *chart, int shown)
{
    const struct plot *plot = chart->plot;
    const struct plot_panel *panel = &chart->panel;
    struct labels labels = {
        .frame = {panel->x + 2, PLOT_TOP + 2, panel->x + panel->width - 2,
                  PLOT_BOTTOM - 2},
        .boxes = calloc((size_t)plot->count * JOB_STEPS * CURVES * 2, sizeof(struct box)),
    };
    if (!labels.boxes) {
        chart->text->failed = true;
        return;
    }

    int named = plot->count > LABELLED ? 1 : shown;
    for (int i = 0; i < shown * plot->count; i++)
        add_labels(chart, &labels, i % plot->count, curves[i / plot->count].up, false);
    for (int i = 0; i < named * plot->count; i++)
        add_labels(chart, &labels, i % plot->count, curves[i / plot->count].up, true);

    free(labels.boxes);
}

/* Returns true if the limit is drawn as a line: it is on the latency of all requests
 * together. */
static bool
is_drawn(const struct slo *slo)
{
    return !slo_is_rate(slo) && slo->scope == SCOPE_ALL && slo->limit > 0;
}

/* Draws the panel of latencies against rates or intervals. Returns the entries of the
 * legend. */
static unsigned
draw_saturation(struct buffer *text, const struct plot *plot)
{
    bool paced = plot->plan->sweep.kind == SWEEP_INTERVAL;
    struct plot_panel panel = {.x = PLOT_LEFT,
                               .width = PLOT_WIDTH - PLOT_LEFT - 2 * PLOT_MARGIN,
                               .across_title = paced ? "interval" : "requests per second",
                               .up_title = "latency"};
    struct value_range across = find_range(plot, paced ? SWEPT : IOPS);
    struct value_range times = find_range(plot, P50);
    int shown = plot->count <= PLOT_CLEAR ? CURVES : 1;
    const struct slos *slos = &plot->plan->statistics.slos;

    if (across.min > across.max) {
        plot_panel_draw(text, &panel);
        plot_panel_empty(text, &panel);
        return 0;
    }

    times.max = find_range(plot, curves[shown - 1].up).max;
    for (int i = 0; i < slos->count; i++)
        if (is_drawn(&slos->list[i]))
            widen_range(&times, (double)slos->list[i].limit);

    bool log = plot_axis_spreads(times.min, times.max, STEEP);

    panel.across =
        fit_axis(paced ? PLOT_TIME : PLOT_RATE,
                 paced || plot_axis_spreads(across.min, across.max, PLOT_SPREAD), 64,
                 panel.x, panel.x + panel.width, across, true);
    panel.up =
        fit_axis(PLOT_TIME, log, log ? 20 : 32, PLOT_BOTTOM, PLOT_TOP, times, true);

    struct chart chart = {text, plot, panel, paced ? SWEPT : IOPS, BIT(P50)};
    if (shown > 1) {
        struct value_range p99 = find_range(plot, P99);
        chart.entries |= BIT(MAX) | (p99.min <= p99.max ? BIT(P99) : 0);
    }
    chart.entries |= paced ? 0 : BIT(VALUE);

    plot_panel_draw(text, &panel);

    for (int i = 0; i < slos->count; i++) {
        if (!is_drawn(&slos->list[i]))
            continue;
        svg_rule(text, plot_class(plot, "limit", "fail", PLOT_OF_ALL).text, panel.x,
                 plot_axis_at(&panel.up, (double)slos->list[i].limit), 'H',
                 panel.x + panel.width);
        chart.entries |= BIT(LIMIT);
    }

    for (int i = 0; i < plot->count; i++) {
        const struct job_sweep *sweep = &plot->jobs[i].sweep;
        int highest = plot->plan->sweep.kind == SWEEP_RATE ? sweep->highest_index : -1;
        if (highest < 0 || highest >= sweep->count || !sweep->steps[highest].requests)
            continue;
        svg_rule(text, plot_class(plot, "knee", "p50", i).text,
                 x_of(&chart, &sweep->steps[highest]), PLOT_TOP, 'V', PLOT_BOTTOM);
        chart.entries |= BIT(KNEE);
    }

    for (int i = 0; i < plot->count; i++)
        for (int curve = 0; curve < shown; curve++)
            draw_curve(&chart, i, &curves[curve]);

    if (!paced)
        draw_labels(&chart, shown);

    return chart.entries;
}

unsigned
plot_sweep_draw(struct buffer *text, const struct plot *plot)
{
    if (plot->plan->sweep.kind != SWEEP_SIZE)
        return draw_saturation(text, plot);

    draw_rates(text, plot, PLOT_LEFT, "requests per second", PLOT_RATE, IOPS);
    return draw_rates(text, plot, PLOT_LEFT + 372 + 100, "bandwidth", PLOT_SPEED, BPS);
}
