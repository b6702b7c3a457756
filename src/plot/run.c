/*
 * The plot of a run: panels with the same axis of latency, and between them the values of
 * percentiles.
 *
 *   time panel (time_panel.c)              spread panel (spread_panel.c)
 *   +----------------------+              +-----------------+
 *   |     .   max          |              |==               |
 *   |   __|`|__  mean      |- p99 248 us -|=====            |   levels: numbers of
 *   |  |  min  |___        |- p50 101 us -|===========      |   requests
 *   |  x x   failed        |              |===              |
 *   +----------------------+              +-----------------+
 *   +----------------------+
 *   |  shares of the parts |   table of the parts   (parts_panel.c, only -breakdown)
 *   +----------------------+
 *
 * First, the targets are surveyed: the series, the range of latencies, and the time span.
 * Then the panels are placed and drawn. The labels come last.
 */
#include "run_picture.h"
#include "words.h"
#include <stdio.h>
#include <stdlib.h>

/* Lengths in pixels. */
#define TIME_WIDTH 528
#define SPREAD_X 718
#define SPREAD_WIDTH 226
#define PHASE_GAP 14   /* gap between the spread panels of two phases */
#define PHASE_TITLE 32 /* height of the name of a phase in the time panel */
/* Length of the line of a percentile, if there are several series. */
#define TICK_LENGTH 18
/* Height of the panels of latency above the panel of parts. */
#define UPPER_HEIGHT 204
/* Height of the strip below all latencies, for signs of failed and missed requests. */
#define STRIP_HEIGHT 24
/* A limit that is far from all latencies is not drawn. A limit may widen the axis of
 * latency by this factor at most. */
#define LIMIT_ROOM 4
/* The axis of latency starts at most this factor below the shortest latency of a request.
 * Waits that are even shorter are drawn at the end of the axis. */
#define WAIT_ROOM 10

/* Returns the shortest latency of STATS, in ns. With -corrected, STATS also has waits,
 * and the shortest wait may be shorter than any request. If so, returns the lower bound
 * of the bin of that wait, but no less than the shortest latency of a request divided by
 * WAIT_ROOM. */
static int64_t
find_shortest(const struct stats *stats)
{
    const struct histogram *histogram = stats_percentile_histogram(stats);
    int first = histogram_bin(histogram_value(histogram, 1));
    bool has_waits = histogram->count > stats->latency.count;

    int64_t shortest = stats->latency.min;
    if (has_waits && histogram_below(first) < shortest)
        shortest = histogram_below(first);

    /* Without this bound, a few waits of some ns would leave most of a log axis empty. */
    int64_t bound = stats->latency.min / WAIT_ROOM;
    return shortest > bound ? shortest : bound;
}

/* Adds a series: the requests of STATS that belong to SCOPE. */
static void
add_series(struct run_picture *run, int target, enum scope scope, enum phase phase,
           const struct stats *stats)
{
    struct run_series *series = &run->series[run->series_count];

    *series = (struct run_series){.target = target,
                                  .scope = scope,
                                  .phase = phase,
                                  .stats = stats,
                                  .latencies = latencies_of(stats, scope)};
    /* All phases are of the same target, so they have the colour of this target. */
    series->colour = phase ? 0 : run->series_count;
    run->series_count++;
}

/* Adds all series: one for each phase, operation, or target. */
static void
find_series(struct run_picture *run)
{
    const struct plot *plot = run->plot;
    const struct job *first = &plot->jobs[0];

    if (plot->count == 1 && first->phases && first->phases->current) {
        run->has_phases = true;
        for (enum phase phase = PHASE_IDLE; phase < PHASES; phase++)
            if (job_phase_stats(first, phase))
                add_series(run, 0, SCOPE_ALL, phase, job_phase_stats(first, phase));
        return;
    }

    if (plot->count == 1 && first->stats->mix.extra_count > 0) {
        for (enum scope scope = scope_first(first->stats); scope < SCOPE_SYNC;
             scope = scope_next(first->stats, scope))
            add_series(run, 0, scope, PHASE_NONE, first->stats);
        return;
    }

    for (int i = 0; i < plot->count; i++)
        add_series(run, i, SCOPE_ALL, PHASE_NONE, plot->jobs[i].stats);
}

/* Returns the set of entries that the legend needs for TARGET. */
static unsigned
find_entries(const struct run_picture *run, int target)
{
    const struct stats *stats = run->plot->jobs[target].stats;
    unsigned entries = 0;

    if (stats->failed)
        entries |= BIT(FAIL);
    if (stats->missed)
        entries |= BIT(MISSED);
    if (stats->latency.count == 0)
        return entries;

    if (run_picture_has_marks(run->plot, target))
        entries |= BIT(MARK);
    else
        entries |= BIT(MEAN);
    if (!(entries & BIT(MARK)) && run->plot->count == 1)
        entries |= BIT(BAND);
    if (run->has_phases && run->plot->jobs[0].phases->current >= PHASE_LOADED)
        entries |= BIT(LOAD);

    return entries;
}

/* Widens the range of latencies so that it includes the limits that are drawn. */
static void
include_limits(struct run_picture *run)
{
    const struct slos *slos = &run->plot->plan->statistics.slos;
    int64_t min = run->min_latency;
    int64_t max = run->max_latency;

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];

        if (!plot_limit_is_drawn(slo) || slo->limit < min / LIMIT_ROOM ||
            slo->limit / LIMIT_ROOM > max)
            continue;

        run->min_latency = slo->limit < run->min_latency ? slo->limit : run->min_latency;
        run->max_latency = slo->limit > run->max_latency ? slo->limit : run->max_latency;
        run->entries |= BIT(LIMIT);
    }
}

/* Finds three things over all targets: the range of latencies, the time span, and the
 * entries that the legend needs. */
static void
survey_targets(struct run_picture *run)
{
    for (int i = 0; i < run->plot->count; i++) {
        const struct job *job = &run->plot->jobs[i];
        int64_t end = run_picture_end(job->track);

        run->entries |= find_entries(run, i);
        if (end > run->time_span)
            run->time_span = end;
        if (job->stats->latency.count == 0)
            continue;

        int64_t shortest = find_shortest(job->stats);
        int64_t longest = latencies_of(job->stats, SCOPE_ALL).max;
        if (!run->has_data || shortest < run->min_latency)
            run->min_latency = shortest;
        if (longest > run->max_latency)
            run->max_latency = longest;
        run->has_data = true;
    }

    if (run->has_data)
        include_limits(run);

    /* A time axis needs a length, even if the only request started at time 0. */
    if (run->time_span == 0)
        run->time_span = run->max_latency > 0 ? run->max_latency : 1;
}

/* Sets the frames of all spread panels, and their axes of latency. With phases, the
 * panels share the width. */
static void
place_spread_panels(struct run_picture *run)
{
    int count = run->has_phases ? run->series_count : 1;
    double width = (SPREAD_WIDTH - PHASE_GAP * (count - 1)) / (double)count;

    for (int i = 0; i < count; i++) {
        struct plot_panel *panel = &run->spread_panels[i];

        *panel = run->time_panel;
        panel->x = SPREAD_X + i * (width + PHASE_GAP);
        panel->width = width;
        panel->y_title = NULL;
        panel->x_axis = (struct plot_axis){0};
        panel->x_title = run->series_count > 1 ? "share of requests" : "requests";
        if (run->has_phases)
            panel->x_title = phase_label(run->series[i].phase);
    }
}

void
run_picture_fit_axes(struct run_picture *run)
{
    struct plot_panel *time = &run->time_panel;
    bool has_exceptions = run->entries & (BIT(FAIL) | BIT(MISSED));

    time->x_axis = (struct plot_axis){.kind = PLOT_TIME,
                                      .from = time->x + PLOT_INSET,
                                      .to = time->x + time->width - PLOT_INSET,
                                      .min_tick_gap = run->entries ? 64 : 0};
    if (run->entries)
        plot_axis_fit(&time->x_axis, 0, run->time_span, false);
    if (!run->has_data)
        return;

    double bottom = plot_panel_bottom(time) - (has_exceptions ? STRIP_HEIGHT : 0);
    time->y_axis = (struct plot_axis){.kind = PLOT_TIME,
                                      .from = bottom,
                                      .to = time->top + PLOT_INSET +
                                            (run->has_phases ? PHASE_TITLE : 0),
                                      .min_tick_gap = 32};

    if (plot_axis_spreads(run->min_latency, run->max_latency, PLOT_LATENCY_LOG_RATIO)) {
        time->y_axis.is_log = true;
        time->y_axis.from = bottom - PLOT_INSET;
        time->y_axis.min_tick_gap = 20;
    }
    plot_axis_fit(&time->y_axis, run->min_latency, run->max_latency, true);
}

/* Sets the frames and axes of all panels. */
static void
place_panels(struct run_picture *run)
{
    struct plot_panel *time = &run->time_panel;

    *time = (struct plot_panel){.x = PLOT_LEFT,
                                .width = TIME_WIDTH,
                                .top = PLOT_TOP,
                                .height = PLOT_HEIGHT,
                                .x_title = "time since the start",
                                .y_title = "latency"};
    /* The panel of parts is below the time panel, and has the same time axis. */
    if (plot_has_parts(run->plot)) {
        time->height = UPPER_HEIGHT;
        time->x_title = NULL;
    }

    run_picture_fit_axes(run);
    place_spread_panels(run);
}

/* Returns true if percentile INDEX is drawn. If there is one series, all its percentiles
 * are drawn. If there are several, only p50 and p99 are drawn. */
static bool
has_quantile(const struct run_picture *run, int index)
{
    return run->series_count == 1 || index == 0 || index == 2;
}

int
run_picture_labels(const struct run_picture *run, struct edge_label *list)
{
    int count = 0;

    for (int i = 0; i < run->series_count; i++) {
        for (int k = 0; k < PLOT_QUANTILES; k++) {
            int64_t value = run_series_quantile(&run->series[i], k);
            char number[PLOT_TEXT];
            if (value < 0 || !has_quantile(run, k))
                continue;

            struct edge_label label = {.line_y = run_picture_y(run, (double)value),
                                       .colour = run->series[i].colour};
            snprintf(label.text, sizeof(label.text), "%s %s", run_quantile_names[k],
                     plot_value(UNITS_TIME, value, number));
            edge_labels_insert(list, count, &label);
            count++;
        }
    }

    return count;
}

/* Draws the labels of percentiles between the panels, with their values. */
static void
draw_percentile_labels(const struct run_picture *run)
{
    struct edge_label labels[PLOT_QUANTILES * PLOT_MAX_DETAILED];
    int count = run_picture_labels(run, labels);

    edge_labels_draw(run->text, labels, count, &run->time_panel);
}

void
run_picture_draw_percentiles(const struct run_picture *run,
                             const struct plot_panel *panel)
{
    double right = panel->x + panel->width;
    double left = run->series_count == 1 ? panel->x : right - TICK_LENGTH;

    for (int i = 0; i < run->series_count; i++) {
        const struct run_series *series = &run->series[i];

        for (int k = 0; k < PLOT_QUANTILES; k++) {
            int64_t value = run_series_quantile(series, k);
            if (value < 0 || !has_quantile(run, k))
                continue;
            svg_rule(run->text, plot_class(run_quantile_names[k], series->colour).text,
                     left, run_picture_y(run, (double)value), 'H', right);
        }
    }
}

struct run_picture *
run_picture_open(struct buffer *text, const struct plot *plot)
{
    struct run_picture *run = calloc(1, sizeof(*run));
    if (!run) {
        text->failed = true;
        return NULL;
    }

    run->text = text;
    run->plot = plot;
    find_series(run);
    survey_targets(run);
    return run;
}

unsigned
plot_run_draw(struct buffer *text, const struct plot *plot)
{
    struct run_picture *run = run_picture_open(text, plot);
    if (!run)
        return 0;

    place_panels(run);
    plot_time_panel_draw(run);
    if (!run->has_phases) {
        run_picture_draw_percentiles(run, &run->time_panel);
        draw_percentile_labels(run);
    }

    plot_spread_panels_draw(run);
    if (plot_has_parts(plot))
        plot_parts_panel_draw(run);

    unsigned entries = run->entries;
    free(run);
    return entries;
}
