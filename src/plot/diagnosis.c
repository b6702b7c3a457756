/*
 * The plot of -diagnose: a panel for each part, in the order in which the parts ran.
 *
 *   Idle            desktop OK          Load
 *   +----------------+                  +----------------+
 *   |    .  .        |- p99             |      __..--'   |- p99
 *   | ....... .. ..  |- p50             |  ----''        |- p50
 *   +----------------+                  +----------------+
 *      latency over time                |    _  #  #  #  |   reads per second
 *                                       +----------------+
 *                                          1  2  4  8  16
 *
 *   Sequential    streaming OK          Flush               etcd OK
 *   +----------------+                  +----------------+
 *   |  _   _______   |                  |- - - - - - - - |- etcd 10 ms
 *   |_| |_|       |_ |- mean            |===             |- p99
 *   +----------------+                  |=========       |- p50
 *      bandwidth over time              +----------------+
 *
 * The panel of a part that was not measured has the reason instead. The idle reads and
 * the flushes are drawn by the functions for the plot of a run.
 */
#include "diagnosis.h"

#include "base/time.h"
#include "run_picture.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Lengths in pixels. */
#define WIDTH 290          /* width of a panel */
#define HEIGHT 180         /* height of a panel */
#define COLUMN 461         /* from the left edge of a panel to the next panel */
#define ROW 286            /* from the title of a panel to the title below it */
#define OVERHANG 64        /* from the left edge of a panel to its title on the left */
#define LABEL_ROOM 96      /* width of the labels to the right of a panel */
#define TITLE_FONT 13      /* font size of the title of a panel */
#define PANEL_DROP 30      /* from the title of a panel to the panel */
#define VERDICT_RISE 10    /* from the panel up to the verdicts */
#define VERDICT_GAP 4      /* between two verdicts */
#define LEGEND_DROP 28     /* from the title of the x axes to the legend */
#define LATENCY_HEIGHT 96  /* height of the upper half of the panel of depths */
#define RATE_HEIGHT 54     /* height of its lower half */
#define DEPTH_INSET 22     /* from the frame to the first and to the last depth */
#define NUMBER_ROOM 18     /* above the bars of the rates, for their numbers */
#define BAR_WIDTH 26       /* width of a bar */
#define NUMBER_FONT 10     /* font size of the numbers above the bars */
#define KNEE_DROP 14       /* from the frame down to the word for the knee */
#define REASON_LINE 17     /* from one line of a reason to the next */
#define REASON_LINES 4     /* maximum number of these lines */
#define AXIS_TITLE_DROP 36 /* from a panel to the title of its x axis */

/* A limit that is more than this factor above or below all latencies of the idle reads is
 * not drawn: it would squeeze them into a strip. */
#define IDLE_LIMIT_ROOM 4

#define MAX_SPEEDS 60      /* maximum number of spans of the sequential reads */
#define READS_PER_SPEED 8  /* minimum number of reads in such a span, on average */
#define DIAGNOSED_LABELS 6 /* maximum number of labels beside a panel */

/* The limit of a use in a panel, and its label. */
struct part_limit {
    const struct plot_use *use; /* NULL: the panel has no limit */
    struct edge_label label;
};

/* Returns the job of PART. Returns NULL if the diagnosis does without the part. */
static const struct job *
find_part(const struct plot *plot, enum plan_part part)
{
    return (int)part < plot->count ? &plot->jobs[part] : NULL;
}

/* Returns the latencies that the panel of PART shows: of the flushes, not of the writes
 * before them. */
static struct latencies
part_latencies(const struct job *job, enum plan_part part)
{
    return latencies_of(job->stats, part == PART_OF_FLUSHES ? SCOPE_SYNC : SCOPE_ALL);
}

const char *
plot_why_missing(const struct plot *plot, enum plan_part part)
{
    const struct job *job = find_part(plot, part);
    const char *reason = plot->diagnosis->missing[part];
    bool has_figures = false;

    if (job && part == PART_OF_DEPTHS)
        has_figures = plot_has_data(job) && job->sweep.count > 0;
    else if (job)
        has_figures = part_latencies(job, part).moments->count > 0;

    if (has_figures)
        return NULL;
    return reason ? reason : "no request counted";
}

void
plot_add_part_title(struct buffer *text, const struct plot *plot, enum plan_part part)
{
    const struct job *job = find_part(plot, part);
    const struct plan *plan = job ? &job->plan : plot->plan;
    int64_t size = plan->workload.request_size;

    switch (part) {
    case PART_OF_PAUSES:
        plot_add_value(text, "Idle: one read of ", UNITS_SIZE, size, "");
        plot_add_value(text, " every ", UNITS_TIME, plan->pace.interval, "");
        break;
    case PART_OF_DEPTHS:
        plot_add_value(text, "Load: reads of ", UNITS_SIZE, size,
                       ", more and more at a time");
        break;
    case PART_OF_STREAM:
        plot_add_value(text, "Sequential: reads of ", UNITS_SIZE, size, ", back to back");
        break;
    case PART_OF_FLUSHES:
        plot_add_value(text, "Flush: after each write of ", UNITS_SIZE, size, "");
        break;
    case PLAN_PARTS:
        break;
    }
}

void
plot_add_verdicts(struct buffer *text, const struct plot *plot, enum plan_part part)
{
    const struct plot_diagnosis *diagnosis = plot->diagnosis;
    const char *separator = "";

    if (!diagnosis->answer)
        return;

    for (int i = 0; i < diagnosis->use_count; i++) {
        const struct plot_use *use = &diagnosis->uses[i];
        if (use->part != part)
            continue;

        buffer_format(text, "%s%s %s", separator, use->name,
                      slo_verdict_name(use->verdict));
        separator = ", ";
    }
}

/* Draws the title of PANEL, which shows PART. */
static void
draw_part_title(struct buffer *text, const struct plot *plot, enum plan_part part,
                const struct plot_panel *panel)
{
    struct buffer title = {0};

    plot_add_part_title(&title, plot, part);
    svg_buffer(text, panel->x - OVERHANG, panel->top - PANEL_DROP, SVG_START, TITLE_FONT,
               "panel", &title);
}

/* Draws the verdicts about the figures of PART above PANEL, the last one at the right
 * end. */
static void
draw_verdicts(struct buffer *text, const struct plot *plot, enum plan_part part,
              const struct plot_panel *panel)
{
    const struct plot_diagnosis *diagnosis = plot->diagnosis;
    double end = panel->x + WIDTH + LABEL_ROOM;

    if (!diagnosis->answer)
        return;

    for (int i = diagnosis->use_count - 1; i >= 0; i--) {
        const struct plot_use *use = &diagnosis->uses[i];
        bool is_bad = use->verdict == SLO_BROKEN;
        char verdict[64];
        if (use->part != part)
            continue;

        snprintf(verdict, sizeof(verdict), "%s %s", use->name,
                 slo_verdict_name(use->verdict));
        svg_text(text, end, panel->top - VERDICT_RISE, SVG_END, PLOT_FONT,
                 is_bad ? "verdict bad" : "verdict", verdict);
        end -= svg_width(verdict, PLOT_FONT) + VERDICT_GAP;
    }
}

/* Draws PANEL without data, and writes REASON into it, in several lines if needed. */
static void
draw_reason(struct buffer *text, struct plot_panel *panel, const char *reason)
{
    int columns = (int)((WIDTH - 2 * PLOT_INSET) / (SVG_GLYPH * PLOT_FONT));
    double y = panel->top + HEIGHT / 2.0 - REASON_LINE;
    const char *rest = reason;

    panel->x_title = NULL;
    panel->y_title = NULL;
    plot_panel_draw(text, panel);

    for (int i = 0; i < REASON_LINES && *rest; i++) {
        struct buffer line = {0};
        struct buffer fitting = {0};

        plot_take_line(&rest, columns, &line);
        text->failed |= line.failed;
        if (!line.failed)
            svg_shorten(&fitting, line.text, columns);
        svg_buffer(text, panel->x + WIDTH / 2.0, y + i * REASON_LINE, SVG_MIDDLE,
                   PLOT_FONT, "dim", &fitting);
        buffer_free(&line);
    }
}

/* Finds the use whose limit the panel of PART shows, and makes the label of the limit.
 * Its position is not set yet. */
static struct part_limit
find_part_limit(const struct plot *plot, enum plan_part part)
{
    struct part_limit found = {.label.colour = PLOT_INK};

    for (int i = 0; i < plot->diagnosis->use_count; i++) {
        const struct plot_use *use = &plot->diagnosis->uses[i];
        char value[PLOT_TEXT];
        if (use->part != part || use->limit <= 0)
            continue;

        found.use = use;
        if (part == PART_OF_STREAM)
            snprintf(found.label.text, sizeof(found.label.text), "%s/s",
                     plot_value(UNITS_SIZE, use->limit, value));
        else
            snprintf(found.label.text, sizeof(found.label.text), "%s %s", use->name,
                     plot_value(UNITS_TIME, use->limit, value));
    }

    return found;
}

/* Draws the line of LIMIT at Y across PANEL. Inserts its label into the COUNT labels of
 * LIST. Returns the number of labels. */
static int
draw_part_limit(struct buffer *text, const struct plot_panel *panel, double y,
                struct part_limit *limit, struct edge_label *list, int count)
{
    svg_rule(text, "limit", panel->x, y, 'H', panel->x + WIDTH);
    limit->label.line_y = y;
    edge_labels_insert(list, count, &limit->label);
    return count + 1;
}

/* Widens the range of latencies of RUN so that it includes LIMIT, in ns. */
static void
include_part_limit(struct run_picture *run, int64_t limit)
{
    if (limit < run->min_latency)
        run->min_latency = limit;
    if (limit > run->max_latency)
        run->max_latency = limit;
    run->entries |= BIT(LIMIT);
}

/* Draws the labels of RUN beside PANEL, and the line of LIMIT with its label if LIMIT has
 * a use. */
static void
draw_run_labels(struct buffer *text, const struct run_picture *run,
                const struct plot_panel *panel, struct part_limit *limit)
{
    struct edge_label labels[DIAGNOSED_LABELS];
    int count = run_picture_labels(run, labels);

    if (limit->use) {
        double y = run_picture_y(run, (double)limit->use->limit);
        count = draw_part_limit(text, panel, y, limit, labels, count);
    }
    edge_labels_draw(text, labels, count, panel);
}

/* Draws the latency of the idle reads over time. */
static unsigned
draw_idle_part(struct buffer *text, const struct plot *plot, struct plot_panel *panel)
{
    const struct job *job = find_part(plot, PART_OF_PAUSES);
    const struct plot reads = {.plan = &job->plan, .jobs = job, .count = 1};
    struct part_limit limit = find_part_limit(plot, PART_OF_PAUSES);
    struct run_picture *run = run_picture_open(text, &reads);
    if (!run)
        return 0;

    run->time_panel = *panel;
    run->time_panel.x_title = "time since the start";
    run->time_panel.y_title = "latency";

    bool is_near = limit.use && limit.use->limit / IDLE_LIMIT_ROOM <= run->max_latency &&
                   limit.use->limit >= run->min_latency / IDLE_LIMIT_ROOM;
    if (is_near)
        include_part_limit(run, limit.use->limit);

    run_picture_fit_axes(run);
    plot_time_panel_draw(run);
    run_picture_draw_percentiles(run, &run->time_panel);
    if (!is_near)
        limit.use = NULL;
    draw_run_labels(text, run, panel, &limit);

    unsigned entries = run->entries;
    free(run);
    return entries;
}

/* Draws how the latencies of the flushes are distributed. */
static unsigned
draw_flush_part(struct buffer *text, const struct plot *plot, struct plot_panel *panel)
{
    const struct job *job = find_part(plot, PART_OF_FLUSHES);
    const struct plot writes = {.plan = &job->plan, .jobs = job, .count = 1};
    struct part_limit limit = find_part_limit(plot, PART_OF_FLUSHES);
    struct run_picture *run = run_picture_open(text, &writes);
    if (!run)
        return 0;

    struct run_series *series = &run->series[0];
    series->scope = SCOPE_SYNC;
    series->latencies = part_latencies(job, PART_OF_FLUSHES);
    run->min_latency = series->latencies.moments->min;
    run->max_latency = series->latencies.max;
    run->entries = 0;
    if (limit.use)
        include_part_limit(run, limit.use->limit);

    run->time_panel = *panel;
    run_picture_fit_axes(run);
    run->spread_panels[0] = run->time_panel;
    run->spread_panels[0].x_title = "flushes";
    run->spread_panels[0].y_title = "latency";
    plot_spread_panels_draw(run);
    draw_run_labels(text, run, panel, &limit);

    unsigned entries = run->entries;
    free(run);
    return entries;
}

/* The bandwidth of the sequential reads over time. The time is divided into spans of
 * equal length; only the last one may be up to half a span longer or shorter. */
struct stream_speeds {
    int count;
    double end_times[MAX_SPEEDS]; /* when each span ends, ns after the start */
    double speeds[MAX_SPEEDS];    /* bytes per second; 0 if no read began in the span */
    double max;                   /* of `speeds` */
};

/* Fills FOUND with the bandwidth of the reads of TRACK, of SIZE bytes each. A span has a
 * whole number of columns, because a column that lies in two spans would make one of them
 * look faster. It is not known when in the last column the reads ended, so this column is
 * left out, unless it is the only one. */
static void
find_speeds(struct stream_speeds *found, const struct track *track, int64_t size)
{
    double column_time = (double)(1LL << track->shift);
    int columns = track->column_count > 1 ? track->column_count - 1 : 1;
    double most = fmin((double)track->request_count / READS_PER_SPEED, MAX_SPEEDS);
    int per_span = (int)ceil(columns / fmax(most, 1));

    found->count = (columns + per_span / 2) / per_span;
    if (found->count < 1)
        found->count = 1;
    found->max = 0;

    for (int i = 0; i < found->count; i++) {
        int first = i * per_span;
        int end = i < found->count - 1 ? first + per_span : columns;
        uint64_t reads = 0;

        for (int column = first; column < end; column++)
            reads += track->columns[column].count;

        double seconds = (end - first) * column_time / (double)SECOND;
        found->end_times[i] = end * column_time;
        found->speeds[i] = (double)reads * (double)size / seconds;
        found->max = fmax(found->max, found->speeds[i]);
    }
}

/* Draws SPEEDS as steps into PANEL. */
static void
draw_speeds(struct buffer *text, const struct plot_panel *panel,
            const struct stream_speeds *speeds)
{
    svg_path(text, plot_class("outline", 0).text);
    for (int i = 0; i < speeds->count; i++) {
        double y = plot_axis_position(&panel->y_axis, speeds->speeds[i]);

        if (i == 0)
            svg_point(text, 'M', panel->x_axis.from, y);
        else
            svg_line(text, 'V', y);
        svg_line(text, 'H', plot_axis_position(&panel->x_axis, speeds->end_times[i]));
    }
    svg_end(text);
}

/* Draws the bandwidth of the sequential reads over time. */
static unsigned
draw_stream_part(struct buffer *text, const struct plot *plot, struct plot_panel *panel)
{
    const struct job *job = find_part(plot, PART_OF_STREAM);
    const double mean = stats_bps(job->stats);
    struct part_limit limit = find_part_limit(plot, PART_OF_STREAM);
    struct edge_label labels[DIAGNOSED_LABELS];
    struct edge_label label = {.colour = PLOT_INK};
    struct stream_speeds speeds;
    char value[PLOT_TEXT];
    unsigned entries = 0;

    find_speeds(&speeds, job->track, job->plan.workload.request_size);
    double max = fmax(speeds.max, mean);
    if (limit.use)
        max = fmax(max, (double)limit.use->limit);

    panel->x_title = "time since the start";
    panel->y_title = "bandwidth";
    panel->x_axis = (struct plot_axis){
        .kind = PLOT_TIME, .from = panel->x, .to = panel->x + WIDTH, .min_tick_gap = 64};
    panel->y_axis = (struct plot_axis){.kind = PLOT_SPEED,
                                       .from = plot_panel_bottom(panel),
                                       .to = panel->top + PLOT_INSET,
                                       .min_tick_gap = 32};
    plot_axis_fit(&panel->x_axis, 0, (int64_t)speeds.end_times[speeds.count - 1], false);
    plot_axis_fit(&panel->y_axis, 0, (int64_t)ceil(max), true);
    plot_panel_draw(text, panel);

    draw_speeds(text, panel, &speeds);
    label.line_y = plot_axis_position(&panel->y_axis, mean);
    snprintf(label.text, sizeof(label.text), "%s/s",
             plot_value(UNITS_SIZE, (int64_t)mean, value));
    svg_rule(text, plot_class("mean", PLOT_INK).text, panel->x, label.line_y, 'H',
             panel->x + WIDTH);

    int count = 1;
    labels[0] = label;
    if (limit.use) {
        double y = plot_axis_position(&panel->y_axis, (double)limit.use->limit);
        count = draw_part_limit(text, panel, y, &limit, labels, count);
        entries |= BIT(LIMIT);
    }
    edge_labels_draw(text, labels, count, panel);
    return entries;
}

/* The panel of depths while it is drawn. Its halves have the same horizontal axis. */
struct depth_picture {
    struct buffer *text;
    const struct job_sweep *sweep;
    struct plot_panel latency, rate;
    int64_t values[JOB_STEPS]; /* values of the horizontal ticks: the steps that count */
    int value_count;
    struct edge_label labels[DIAGNOSED_LABELS];
    int label_count;
};

/* Returns the x of the step with VALUE. */
static double
depth_x(const struct depth_picture *depth, int64_t value)
{
    return plot_axis_position(&depth->latency.x_axis, (double)value);
}

/* Sets the frames and axes of both halves of PANEL. */
static void
place_depth_panels(struct depth_picture *depth, const struct plot_panel *panel)
{
    int64_t min = INT64_MAX;
    int64_t max = -1;
    double max_rate = 0;

    for (int i = 0; i < depth->sweep->count; i++) {
        const struct job_step *step = &depth->sweep->steps[i];
        if (step->requests == 0)
            continue;

        depth->values[depth->value_count++] = step->value;
        max_rate = fmax(max_rate, step->iops);
        if (step->p50 >= 0 && step->p50 < min)
            min = step->p50;
        if (step->p50 > max)
            max = step->p50;
        if (step->p99 > max)
            max = step->p99;
    }

    struct plot_axis x_axis = {.kind = PLOT_COUNT,
                               .is_log = true,
                               .from = panel->x + DEPTH_INSET,
                               .to = panel->x + WIDTH - DEPTH_INSET,
                               .min_tick_gap = 20,
                               .values = depth->values,
                               .value_count = depth->value_count};
    plot_axis_fit(&x_axis, depth->values[0], depth->values[depth->value_count - 1],
                  false);

    depth->latency = *panel;
    depth->latency.height = LATENCY_HEIGHT;
    depth->latency.y_title = "latency";
    depth->latency.x_axis = x_axis;
    if (max >= 0) {
        bool is_log = plot_axis_spreads(min, max, PLOT_LATENCY_LOG_RATIO);
        depth->latency.y_axis = (struct plot_axis){
            .kind = PLOT_TIME,
            .is_log = is_log,
            .from = plot_panel_bottom(&depth->latency) - (is_log ? PLOT_INSET : 0),
            .to = depth->latency.top + PLOT_INSET,
            .min_tick_gap = is_log ? 20 : 32};
        plot_axis_fit(&depth->latency.y_axis, is_log ? min : 0, max, true);
    }

    depth->rate = *panel;
    depth->rate.top = panel->top + HEIGHT - RATE_HEIGHT;
    depth->rate.height = RATE_HEIGHT;
    depth->rate.y_title = "reads per second";
    depth->rate.x_axis = x_axis;
    depth->rate.y_axis = (struct plot_axis){.kind = PLOT_RATE,
                                            .from = plot_panel_bottom(&depth->rate),
                                            .to = depth->rate.top + NUMBER_ROOM};
    depth->rate.y_axis.max = fmax(max_rate, 1);
}

/* Returns the latency of STEP that a curve shows: p99 if IS_TAIL, else p50; -1: unknown.
 */
static int64_t
depth_latency(const struct job_step *step, bool is_tail)
{
    if (step->requests == 0)
        return -1;
    return is_tail ? step->p99 : step->p50;
}

/* Draws the curve of p99 if IS_TAIL, else of p50. Its label has the value of the last
 * step. */
static void
draw_depth_curve(struct depth_picture *depth, bool is_tail)
{
    const struct plot_axis *axis = &depth->latency.y_axis;
    const char *name = is_tail ? "p99" : "p50";
    const char *role = is_tail ? "mark open" : "mark";
    int64_t newest = -1;
    char value[PLOT_TEXT];

    for (int pass = 0; pass < 2; pass++) {
        char command = 'M';

        for (int i = 0; i < depth->sweep->count; i++) {
            const struct job_step *step = &depth->sweep->steps[i];
            int64_t latency = depth_latency(step, is_tail);
            if (latency < 0)
                continue;

            double x = depth_x(depth, step->value);
            double y = plot_axis_position(axis, (double)latency);
            newest = latency;
            if (pass == 0 && command == 'M')
                svg_path(depth->text, plot_class(name, 0).text);
            if (pass == 0)
                svg_point(depth->text, command, x, y);
            else
                svg_circle(depth->text, plot_class(role, 0).text, x, y, 3);
            command = 'L';
        }
        if (pass == 0 && command == 'L')
            svg_end(depth->text);
    }
    if (newest < 0)
        return;

    struct edge_label label = {.line_y = plot_axis_position(axis, (double)newest)};
    snprintf(label.text, sizeof(label.text), "%s %s", name,
             plot_value(UNITS_TIME, newest, value));
    edge_labels_insert(depth->labels, depth->label_count++, &label);
}

/* Draws a bar for the rate of each step, with its number above it. */
static void
draw_rate_bars(const struct depth_picture *depth)
{
    double bottom = plot_panel_bottom(&depth->rate);
    char value[PLOT_TEXT];

    for (int i = 0; i < depth->sweep->count; i++) {
        const struct job_step *step = &depth->sweep->steps[i];
        if (step->requests == 0)
            continue;

        double x = depth_x(depth, step->value);
        double y = plot_axis_position(&depth->rate.y_axis, step->iops);
        svg_rect(depth->text, plot_class("bar", 0).text, x - BAR_WIDTH / 2.0, y,
                 BAR_WIDTH, bottom - y);
        svg_text(depth->text, x, y - 4, SVG_MIDDLE, NUMBER_FONT, "number halo",
                 plot_value(UNITS_COUNT, (int64_t)step->iops, value));
    }
}

/* Draws a vertical line at the step with the value KNEE. */
static void
draw_knee_line(const struct depth_picture *depth, int64_t knee)
{
    const struct plot_panel *panel = &depth->latency;
    double x = depth_x(depth, knee);
    bool is_left = x > panel->x + WIDTH / 2.0;
    char word[PLOT_TEXT];

    snprintf(word, sizeof(word), "knee: %" PRId64, knee);
    svg_rule(depth->text, plot_class("knee", PLOT_INK).text, x, panel->top, 'V',
             plot_panel_bottom(panel));
    if (is_left)
        svg_text(depth->text, x - PLOT_INSET, panel->top + KNEE_DROP, SVG_END, PLOT_FONT,
                 "answer halo", word);
    else
        svg_text(depth->text, x + PLOT_INSET, panel->top + KNEE_DROP, SVG_START,
                 PLOT_FONT, "answer halo", word);
}

/* Draws latency and rate over the number of reads in flight. */
static unsigned
draw_depth_part(struct buffer *text, const struct plot *plot, struct plot_panel *panel)
{
    const struct job *job = find_part(plot, PART_OF_DEPTHS);
    struct depth_picture depth = {.text = text, .sweep = &job->sweep};

    place_depth_panels(&depth, panel);

    plot_panel_draw(text, &depth.latency);
    if (depth.latency.y_axis.max > 0) {
        draw_depth_curve(&depth, true);
        draw_depth_curve(&depth, false);
    }
    if (plot->diagnosis->knee > 0)
        draw_knee_line(&depth, plot->diagnosis->knee);
    edge_labels_draw(text, depth.labels, depth.label_count, &depth.latency);

    bool uses_threads = job->plan.sweep.kind == SWEEP_THREADS;
    depth.rate.x_title = uses_threads ? "threads, each with one read" : "reads in flight";
    plot_panel_draw(text, &depth.rate);
    draw_rate_bars(&depth);
    return 0;
}

double
plot_diagnosis_draw(struct buffer *text, const struct plot *plot, double y)
{
    static unsigned (*const draw[PLAN_PARTS])(
        struct buffer * text, const struct plot *plot, struct plot_panel *panel) = {
        [PART_OF_PAUSES] = draw_idle_part,
        [PART_OF_DEPTHS] = draw_depth_part,
        [PART_OF_STREAM] = draw_stream_part,
        [PART_OF_FLUSHES] = draw_flush_part,
    };
    unsigned entries = 0;
    double bottom = y;

    for (enum plan_part part = 0; part < PLAN_PARTS; part++) {
        const char *reason = plot_why_missing(plot, part);
        int row = (int)part / 2;
        int column = (int)part % 2;
        struct plot_panel panel = {.x = PLOT_LEFT + column * COLUMN,
                                   .width = WIDTH,
                                   .top = y + row * ROW + PANEL_DROP,
                                   .height = HEIGHT};

        draw_part_title(text, plot, part, &panel);
        draw_verdicts(text, plot, part, &panel);
        if (reason)
            draw_reason(text, &panel, reason);
        else
            entries |= draw[part](text, plot, &panel);
        bottom = plot_panel_bottom(&panel) + AXIS_TITLE_DROP;
    }

    if (entries == 0)
        return bottom + PLOT_MARGIN;
    plot_legend_draw(text, plot, entries, bottom + LEGEND_DROP);
    return bottom + LEGEND_DROP + PLOT_MARGIN;
}
