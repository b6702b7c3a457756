/*
 * The plot of a sweep: of sizes, IOPS and bandwidth against the size, in two panels; of
 * threads or depths, latency against IOPS as a saturation curve, whose points are
 * labelled with the number of threads or the depth so that no label lies upon another;
 * of intervals, latency against the interval.
 */
#include "base/units.h"
#include "draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define THOUSANDTHS 1000.0
#define INSET 10   /* pixels between the frame and its contents */
#define LABELLED 2 /* with more targets only the lowest curve has labels */
#define STEEP 10   /* latencies need a log scale from this ratio on */

/* The values of a step, in the units of their axes. */
static double
value_iops(const struct job_step *step)
{
    return step->iops * THOUSANDTHS;
}

static double
value_bps(const struct job_step *step)
{
    return step->bps;
}

static double
value_swept(const struct job_step *step)
{
    return (double)step->value;
}

static double
value_p50(const struct job_step *step)
{
    return (double)step->p50;
}

static double
value_p99(const struct job_step *step)
{
    return (double)step->p99;
}

static double
value_max(const struct job_step *step)
{
    return (double)step->max;
}

typedef double value_of(const struct job_step *step);

struct range {
    int64_t least, most;
    bool any;
};

static void
widen_range(struct range *range, double value)
{
    int64_t least = (int64_t)floor(value), most = (int64_t)ceil(value);
    if (!range->any || least < range->least)
        range->least = least;
    if (!range->any || most > range->most)
        range->most = most;
    range->any = true;
}

/* Returns the range of a value over all steps that have requests. */
static struct range
find_range(const struct plot *plot, value_of *value)
{
    struct range range = {0};
    for (int i = 0; i < plot->count; i++)
        for (int k = 0; k < plot->jobs[i].step_count; k++)
            if (plot->jobs[i].steps[k].requests)
                widen_range(&range, value(&plot->jobs[i].steps[k]));
    return range;
}

static double
x_of(const struct plot_panel *panel, value_of *value, const struct job_step *step)
{
    return plot_axis_at(&panel->across, value(step));
}

static double
y_of(const struct plot_panel *panel, value_of *value, const struct job_step *step)
{
    return plot_axis_at(&panel->up, value(step));
}

/* A line and the marks upon it: their classes, and the values that they show. */
struct curve {
    const char *role, *mark, *line;
    double radius;
    value_of *across, *up;
};

static void
draw_curve(struct buffer *text, const struct plot *plot, const struct plot_panel *panel,
           int index, const struct curve *curve)
{
    const struct job *job = &plot->jobs[index];
    char class[PLOT_CLASS];
    char command = 'M';
    if (!plot_has_data(job))
        return;
    svg_path(text, plot_class(class, plot, curve->role, curve->line, index));
    for (int i = 0; i < job->step_count; i++) {
        const struct job_step *step = &job->steps[i];
        if (!step->requests)
            continue;
        svg_point(text, command, x_of(panel, curve->across, step),
                  y_of(panel, curve->up, step));
        command = 'L';
    }
    svg_end(text);
    plot_class(class, plot, curve->mark, curve->line, index);
    for (int i = 0; i < job->step_count; i++) {
        const struct job_step *step = &job->steps[i];
        if (step->requests)
            svg_circle(text, class, x_of(panel, curve->across, step),
                       y_of(panel, curve->up, step), curve->radius);
    }
    plot_class(class, plot, "ring", "fail", index);
    for (int i = 0; i < job->step_count; i++) {
        const struct job_step *step = &job->steps[i];
        if (step->requests && step->verdict == SLO_BROKEN)
            svg_circle(text, class, x_of(panel, curve->across, step),
                       y_of(panel, curve->up, step), PLOT_RING);
    }
}

static void
draw_rates(struct buffer *text, const struct plot *plot, double x, const char *title,
           enum plot_kind kind, value_of *value)
{
    const struct curve curve = {"outline", "mark", "", 3, value_swept, value};
    struct range sizes = find_range(plot, value_swept), rates = find_range(plot, value);
    struct plot_panel panel = {.x = x,
                               .y = PLOT_TOP,
                               .width = 372,
                               .height = PLOT_HEIGHT,
                               .across_title = "request size",
                               .up_title = title};
    if (sizes.any) {
        panel.across = (struct plot_axis){.kind = PLOT_SIZE,
                                          .log = true,
                                          .from = x + INSET,
                                          .to = x + panel.width - INSET,
                                          .gap = 54};
        panel.up = (struct plot_axis){.kind = kind,
                                      .log = true,
                                      .from = panel.y + panel.height - INSET,
                                      .to = panel.y + INSET,
                                      .gap = 20};
        plot_axis_fit(&panel.across, sizes.least, sizes.most, false);
        plot_axis_fit(&panel.up, rates.least, rates.most, false);
    }
    plot_panel_draw(text, &panel);
    if (!sizes.any)
        plot_panel_empty(text, &panel);
    for (int i = 0; i < plot->count; i++)
        draw_curve(text, plot, &panel, i, &curve);
}

/* Pixels. */
#define RADIUS 3  /* of a point */
#define AWAY 5    /* from a point to its label */
#define DESCENT 2 /* of letters, below the base line */
#define NEARLY 0.1

struct box {
    double left, top, right, bottom; /* pixels */
};

/* The boxes that labels must keep off: of the points, and then of other labels. */
struct labels {
    struct box frame;   /* around all of them */
    struct box *boxes;  /* room for all points and labels */
    int points, labels; /* points first, all of them before any label */
};

/* Adds a point that labels should keep off. */
static void
add_point(struct labels *labels, double x, double y)
{
    labels->boxes[labels->points++] =
        (struct box){x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS};
}

static bool
overlaps(const struct box *a, const struct box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom &&
           b->top < a->bottom;
}

/* Returns the distance from a box to a point, pixels squared. */
static double
distance(const struct box *box, double x, double y)
{
    double across = fmax(fmax(box->left - x, x - box->right), 0);
    double down = fmax(fmax(box->top - y, y - box->bottom), 0);
    return across * across + down * down;
}

/* Returns true if BOX overlaps nothing and is nearer to X, Y than to any other point. */
static bool
is_free(const struct labels *labels, const struct box *box, double x, double y)
{
    const struct box *frame = &labels->frame;
    double own = distance(box, x, y);
    if (box->left < frame->left || box->right > frame->right || box->top < frame->top ||
        box->bottom > frame->bottom)
        return false;
    for (int i = 0; i < labels->points + labels->labels; i++)
        if (overlaps(box, &labels->boxes[i]))
            return false;
    for (int i = 0; i < labels->points; i++) {
        const struct box *point = &labels->boxes[i];
        if (distance(box, point->left + RADIUS, point->top + RADIUS) < own - NEARLY)
            return false;
    }
    return true;
}

/*
 * Finds a place beside the point X, Y for a label of WIDTH and HEIGHT and takes it: off
 * all points and other labels, and nearer to its point than to any other. X and Y become
 * the beginning of its base line. Returns false if there is none.
 */
static bool
place_label(struct labels *labels, double width, double height, double *x, double *y)
{
    /* Offsets of its middle, in halves of its own size beyond AWAY, the best first. */
    static const struct {
        int right, down;
    } places[] = {{0, -1}, {1, -1}, {1, 0},  {1, 1}, {0, 1}, {-1, -1}, {-1, 0},  {-1, 1},
                  {0, -3}, {1, -3}, {2, -1}, {2, 1}, {0, 3}, {1, 3},   {-1, -3}, {-1, 3}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        int right = places[i].right, down = places[i].down;
        double middle = *x + right * (AWAY + width / 2);
        double centre = *y + (down > 0 ? AWAY : down < 0 ? -AWAY : 0) + down * height / 2;
        struct box box = {middle - width / 2, centre - height / 2, middle + width / 2,
                          centre + height / 2};
        if (!is_free(labels, &box, *x, *y))
            continue;
        labels->boxes[labels->points + labels->labels++] = box;
        *x = box.left;
        *y = box.bottom - DESCENT;
        return true;
    }
    return false;
}

/* The curves of a target, which differ in more than their dashes; with many targets,
 * only the first is drawn. */
static const struct curve curves[] = {
    {"p50 curve", "mark", "p50", 3, value_iops, value_p50},
    {"p99", "mark open", "p99", 3, value_iops, value_p99},
    {"max", "mark", "max", 2, value_iops, value_max},
};

static const struct curve intervals[] = {
    {"p50 curve", "mark", "p50", 3, value_swept, value_p50},
    {"p99", "mark open", "p99", 3, value_swept, value_p99},
    {"max", "mark", "max", 2, value_swept, value_max},
};

#define CURVES (int)(sizeof(curves) / sizeof(curves[0]))

static int
count_steps(const struct plot *plot)
{
    int count = 0;
    for (int i = 0; i < plot->count; i++)
        count += plot->jobs[i].step_count;
    return count;
}

static void
add_points(struct labels *labels, const struct plot_panel *panel, const struct job *job,
           value_of *value)
{
    for (int i = 0; i < job->step_count; i++)
        if (job->steps[i].requests)
            add_point(labels, x_of(panel, value_iops, &job->steps[i]),
                      y_of(panel, value, &job->steps[i]));
}

static void
draw_labels_of(struct buffer *text, const struct plot *plot,
               const struct plot_panel *panel, struct labels *labels, int index,
               value_of *value)
{
    const struct job *job = &plot->jobs[index];
    const struct svg_font font = {.size = PLOT_SMALL, .class = "dim"};
    for (int i = 0; i < job->step_count; i++) {
        const struct job_step *step = &job->steps[i];
        char shown[UNITS_TEXT];
        if (!step->requests)
            continue;
        double x = x_of(panel, value_iops, step), y = y_of(panel, value, step);
        sweep_format(plot->plan->sweep.kind, step->value, shown);
        if (place_label(labels, svg_width(shown, PLOT_SMALL), PLOT_SMALL + 1, &x, &y))
            svg_text(text, x, y, &font, shown);
    }
}

/* Draws the swept values beside the points, those of the lowest curves first. */
static void
draw_labels(struct buffer *text, const struct plot *plot, const struct plot_panel *panel,
            int shown)
{
    int most = 2 * CURVES * count_steps(plot) + 1; /* nothing need not be there */
    struct labels labels = {
        .frame = {panel->x + 2, panel->y + 2, panel->x + panel->width - 2,
                  panel->y + panel->height - 2},
        .boxes = calloc((size_t)most, sizeof(struct box)),
    };
    if (!labels.boxes) {
        text->failed = true;
        return;
    }
    for (int i = 0; i < plot->count; i++)
        for (int curve = 0; curve < shown; curve++)
            add_points(&labels, panel, &plot->jobs[i], curves[curve].up);
    for (int curve = 0; curve < (plot->count > LABELLED ? 1 : shown); curve++)
        for (int i = 0; i < plot->count; i++)
            draw_labels_of(text, plot, panel, &labels, i, curves[curve].up);
    free(labels.boxes);
}

static void
fit_saturation(struct plot_panel *panel, enum plot_kind kind, struct range across,
               struct range times)
{
    bool log_across =
        kind == PLOT_TIME || plot_axis_spreads(across.least, across.most, PLOT_SPREAD);
    bool log_up = plot_axis_spreads(times.least, times.most, STEEP);
    panel->across = (struct plot_axis){.kind = kind,
                                       .log = log_across,
                                       .from = panel->x + (log_across ? INSET : 0),
                                       .to = panel->x + panel->width - INSET,
                                       .gap = 64};
    panel->up =
        (struct plot_axis){.kind = PLOT_TIME,
                           .log = log_up,
                           .from = panel->y + panel->height - (log_up ? INSET : 0),
                           .to = panel->y + INSET,
                           .gap = log_up ? 20 : 32};
    plot_axis_fit(&panel->across, log_across ? across.least : 0, across.most, true);
    plot_axis_fit(&panel->up, log_up ? times.least : 0, times.most, true);
}

int
plot_limits(const struct plot *plot, struct slos *limits)
{
    const struct slos *all = &plot->plan->statistics.slos;
    limits->count = 0;
    for (int i = 0; i < all->count && plot->plan->sweep.kind != SWEEP_SIZE; i++) {
        const struct slo *slo = &all->list[i];
        if (!slo_is_rate(slo) && slo->scope == SCOPE_ALL && slo->limit > 0)
            limits->list[limits->count++] = *slo;
    }
    return limits->count;
}

static void
draw_limits(struct buffer *text, const struct plot *plot, const struct plot_panel *panel,
            const struct slos *limits)
{
    char class[PLOT_CLASS];
    plot_class(class, plot, "limit", "fail", plot->count > 1 ? PLOT_OF_ALL : 0);
    for (int i = 0; i < limits->count; i++) {
        svg_path(text, class);
        svg_point(text, 'M', panel->x,
                  plot_axis_at(&panel->up, (double)limits->list[i].limit));
        svg_line(text, 'H', panel->x + panel->width);
        svg_end(text);
    }
}

const struct job_step *
plot_knee(const struct plot *plot, int index)
{
    const struct job *job = &plot->jobs[index];
    bool found = plot->plan->sweep.kind == SWEEP_RATE && job->highest >= 0 &&
                 job->highest < job->step_count;
    const struct job_step *step = found ? &job->steps[job->highest] : NULL;
    return step && step->requests ? step : NULL;
}

static void
draw_knees(struct buffer *text, const struct plot *plot, const struct plot_panel *panel)
{
    char class[PLOT_CLASS];
    for (int i = 0; i < plot->count; i++) {
        const struct job_step *step = plot_knee(plot, i);
        if (!step)
            continue;
        svg_path(text, plot_class(class, plot, "knee", "p50", i));
        svg_point(text, 'M', x_of(panel, value_iops, step), panel->y);
        svg_line(text, 'V', panel->y + panel->height);
        svg_end(text);
    }
}

static void
draw_saturation(struct buffer *text, const struct plot *plot)
{
    bool paced = plot->plan->sweep.kind == SWEEP_INTERVAL;
    struct plot_panel panel = {.x = PLOT_LEFT,
                               .y = PLOT_TOP,
                               .width = PLOT_WIDTH - PLOT_LEFT - 2 * PLOT_MARGIN,
                               .height = PLOT_HEIGHT,
                               .across_title = paced ? "interval" : "requests per second",
                               .up_title = "latency"};
    struct range across = find_range(plot, paced ? value_swept : value_iops);
    int shown = plot_is_clear(plot) ? CURVES : 1;
    struct slos limits;
    plot_limits(plot, &limits);
    if (across.any) {
        struct range times = find_range(plot, value_p50);
        times.most = find_range(plot, curves[shown - 1].up).most;
        for (int i = 0; i < limits.count; i++)
            widen_range(&times, (double)limits.list[i].limit);
        fit_saturation(&panel, paced ? PLOT_TIME : PLOT_RATE, across, times);
    }
    plot_panel_draw(text, &panel);
    if (!across.any) {
        plot_panel_empty(text, &panel);
        return;
    }
    draw_limits(text, plot, &panel, &limits);
    draw_knees(text, plot, &panel);
    for (int i = 0; i < plot->count; i++)
        for (int curve = 0; curve < shown; curve++)
            draw_curve(text, plot, &panel, i, &(paced ? intervals : curves)[curve]);
    if (!paced)
        draw_labels(text, plot, &panel, shown);
}

void
plot_sweep_draw(struct buffer *text, const struct plot *plot)
{
    if (plot->plan->sweep.kind != SWEEP_SIZE) {
        draw_saturation(text, plot);
        return;
    }
    draw_rates(text, plot, PLOT_LEFT, "requests per second", PLOT_RATE, value_iops);
    draw_rates(text, plot, PLOT_LEFT + 372 + 100, "bandwidth", PLOT_SPEED, value_bps);
}
