/*
 * The time panel of a run: latency over time. If a target has few requests, each of them
 * is a mark. Otherwise, the mean is drawn as steps. If there is one target, the band from
 * minimum to maximum is drawn too, so that every request lies in the band. With phases,
 * the time of the background load is shaded, and each phase has its percentiles.
 */
#include "run_picture.h"
#include "words.h"

#include <math.h>
#include <stdio.h>

/* Lengths in pixels. */
#define MARK_RADIUS 2.5
#define CELL_WIDTH 5        /* width of the sign of a failed or missed request */
#define NAME_DROP 15        /* from the upper edge to the name of a phase */
#define LABEL_RISE 4        /* from a line up to the base line of a text above it */
#define LABEL_DROP 12       /* from a line down to the base line of a text below it */
#define SETTLING "settling" /* text for the time in which the load runs alone */
#define LABEL_MARGIN 6      /* from the start of a phase to a text */

/*
 * The signs of failed and missed requests lie in cells of CELL_WIDTH. Each target has
 * every N-th cell, so that the signs of N targets do not cover each other. N is the
 * number of targets, but at most MAX_STRIDE. If there are more than MAX_DENSE_TARGETS
 * targets, N is at most MAX_SPARSE_STRIDE: then each target has fewer cells, so that the
 * file stays small.
 */
#define MAX_STRIDE 3
#define MAX_SPARSE_STRIDE 8
#define MAX_DENSE_TARGETS 6

/* Draws each request of SERIES as a mark. */
static void
draw_marks(const struct run_picture *run, const struct run_series *series)
{
    const struct track *track = run->plot->jobs[series->target].track;
    const struct plot_class class = plot_class("mark", series->colour);

    for (uint64_t i = 0; i < track->request_count; i++) {
        const struct track_mark *mark = &track->marks[i];

        if (run_series_has(series, mark->operation))
            svg_circle(run->text, class.text,
                       plot_axis_position(&run->time_panel.x_axis, (double)mark->offset),
                       run_picture_y(run, (double)mark->latency), MARK_RADIUS);
    }
}

/* Draws the requests of SERIES. If there are few of them, draws them as marks. Otherwise,
 * draws their mean. If HAS_BAND, first draws the band of all requests of
 * the target, so that the mean lies over it. */
static void
draw_series(struct run_picture *run, const struct run_series *series, bool has_band)
{
    if (run_picture_has_marks(run->plot, series->target)) {
        draw_marks(run, series);
        return;
    }

    if (has_band) {
        struct run_series whole = *series;
        bool is_mixed = run->series_count > 1 && !run->has_phases;
        int band_colour = is_mixed ? PLOT_INK : series->colour;

        whole.scope = SCOPE_ALL;
        run_bins_fill(run, &whole, BIN_LATENCIES);
        run_bins_draw(run, EDGE_MIN, EDGE_MAX, plot_class("band", band_colour).text);
    }

    run_bins_fill(run, series, BIN_LATENCIES);
    run_bins_draw(run, EDGE_MEAN, EDGE_MEAN, plot_class("mean", series->colour).text);
}

/* Returns the cell stride N: the signs of the failed and missed requests of a target are
 * drawn only in every N-th cell (see MAX_STRIDE). */
static int
choose_cell_stride(const struct plot *plot)
{
    int max_stride = plot->count > MAX_DENSE_TARGETS ? MAX_SPARSE_STRIDE : MAX_STRIDE;
    return plot->count < max_stride ? plot->count : max_stride;
}

/*
 * Draws the signs of the failed requests of TARGET or, if FAILED is false, of its missed
 * requests. The signs lie below all latencies. Each sign is moved to the nearest cell of
 * TARGET, so that signs of different targets do not hide one another. Several requests in
 * the same cell share one sign.
 */
static void
draw_exceptions(const struct run_picture *run, int target, bool failed)
{
    const struct track *track = run->plot->jobs[target].track;
    const struct plot_axis *axis = &run->time_panel.x_axis;
    const char *name = failed ? "fail" : "missed";
    int colour = run->plot->count > 1 ? target : PLOT_INK;
    const struct plot_class class = plot_class(name, colour);
    int stride = choose_cell_stride(run->plot);
    double cell_distance = stride * CELL_WIDTH;
    double first_cell = axis->from + (target % stride + 0.5) * CELL_WIDTH;
    double bottom = plot_panel_bottom(&run->time_panel) - (failed ? 10 : 1.5);
    double last_cell = 0; /* x of the cell with the last sign so far */

    for (int i = 0; i < track->column_count; i++) {
        const struct track_column *column = &track->columns[i];
        uint64_t count = failed ? column->failed : column->missed;
        double x = plot_axis_position(axis, run_column_middle(track, i));
        double index = fmax(floor((x - first_cell) / cell_distance + 0.5), 0);
        double cell = first_cell + index * cell_distance;

        if (cell > axis->to)
            cell -= cell_distance;
        if (count == 0 || cell <= last_cell)
            continue;

        plot_exception(run->text, class.text, failed, cell, bottom);
        last_cell = cell;
    }
}

/* Draws p50 and p99 of SERIES, which is a phase, as lines over the time of the phase.
 * If there is room, writes their values beside them: p99 above its line, p50 below. */
static void
draw_phase_percentiles(const struct run_picture *run, const struct run_series *series)
{
    static const struct {
        int quantile;
        double drop; /* from the line to the base line of the text */
    } lines[] = {{0, LABEL_DROP}, {2, -LABEL_RISE}};

    for (int i = 0; i < 2; i++) {
        const char *name = run_quantile_names[lines[i].quantile];
        int64_t value = run_series_quantile(series, lines[i].quantile);
        char number[PLOT_TEXT];
        char label[PLOT_TEXT + 8];

        if (value < 0)
            continue;

        double y = run_picture_y(run, (double)value);
        svg_rule(run->text, plot_class(name, series->colour).text, series->x_from, y, 'H',
                 series->x_to);

        snprintf(label, sizeof(label), "%s %s", name,
                 plot_value(UNITS_TIME, value, number));
        double end = series->x_from + LABEL_MARGIN + svg_width(label, PLOT_SMALL);
        bool has_room = end < series->x_to &&
                        y + LABEL_DROP < plot_panel_bottom(&run->time_panel) - 2;
        if (has_room)
            svg_text(run->text, series->x_from + LABEL_MARGIN, y + lines[i].drop,
                     SVG_START, PLOT_SMALL, "halo", label);
    }
}

/* Sets where each phase begins and ends on the time axis. The idle phase ends when the
 * load begins. The load first runs alone for a while, to settle; then the loaded phase
 * begins. The last phase begins when the load has ended. Returns the x at which the load
 * begins. */
static double
find_phase_times(struct run_picture *run)
{
    const struct job *job = &run->plot->jobs[0];
    const struct job *load = job->phases->background;
    const struct plot_axis *axis = &run->time_panel.x_axis;
    const double axis_end = axis->to;
    double load_began = axis_end;
    double load_settled = load_began;
    double load_ended = load_settled;

    if (job->phases->current >= PHASE_LOADED) {
        double began_at = (double)(load->group.begin_at - job->track->began_at);
        load_began = plot_axis_position(axis, began_at);
        load_settled = plot_axis_position(axis, began_at + PLAN_LOAD_SETTLE_TIME);
    }
    if (job->phases->current >= PHASE_LOADED && load->has_ended)
        load_ended = plot_axis_position(
            axis, (double)(load->outcome.ended_at - job->track->began_at));

    for (int i = 0; i < run->series_count; i++) {
        struct run_series *series = &run->series[i];

        series->x_from = axis->from;
        series->x_to = load_began;
        if (series->phase == PHASE_LOADED) {
            series->x_from = fmin(load_settled, load_ended);
            series->x_to = load_ended;
        } else if (series->phase == PHASE_RECOVERED) {
            series->x_from = load_ended;
            series->x_to = axis_end;
        }
    }

    return load_began;
}

/* Shades the time of the load in the time panel. Writes the names of the phases where
 * they fit. */
static void
draw_phases(struct run_picture *run)
{
    const struct plot_panel *panel = &run->time_panel;

    double load_x = find_phase_times(run);

    for (int i = 0; i < run->series_count; i++) {
        const struct run_series *series = &run->series[i];
        double width = series->x_to - series->x_from;

        if (series->phase == PHASE_LOADED && series->x_to > load_x) {
            double settling = series->x_from - load_x;
            svg_rect(run->text, "load", load_x, panel->top, series->x_to - load_x,
                     panel->height);
            if (svg_width(SETTLING, PLOT_SMALL) < settling)
                svg_text(run->text, load_x + settling / 2, panel->top + NAME_DROP,
                         SVG_MIDDLE, PLOT_SMALL, "dim", SETTLING);
        }
        if (svg_width(phase_label(series->phase), PLOT_FONT) < width)
            svg_text(run->text, series->x_from + width / 2, panel->top + NAME_DROP,
                     SVG_MIDDLE, PLOT_FONT, "phase", phase_label(series->phase));
    }
}

/* Draws a line for each limit of latency. A limit of a phase has a line over the time of
 * that phase; other limits have a line across the panel. Limits that lie outside of the
 * axis are left out. */
static void
draw_time_limits(const struct run_picture *run)
{
    const struct slos *slos = &run->plot->plan->statistics.slos;
    const struct plot_panel *panel = &run->time_panel;

    for (int i = 0; i < slos->count; i++) {
        const struct slo *slo = &slos->list[i];
        double from = panel->x;
        double to = panel->x + panel->width;
        double limit = (double)slo->limit;

        if (!plot_limit_is_drawn(slo) || limit < panel->y_axis.min ||
            limit > panel->y_axis.max)
            continue;

        for (int k = 0; k < run->series_count; k++) {
            if (!slo->phase || run->series[k].phase != slo->phase)
                continue;
            from = run->series[k].x_from;
            to = run->series[k].x_to;
        }
        svg_rule(run->text, "limit", from, run_picture_y(run, limit), 'H', to);
    }
}

void
plot_time_panel_draw(struct run_picture *run)
{
    const struct plot *plot = run->plot;
    bool has_axis = run->time_panel.x_axis.min_tick_gap > 0;

    plot_panel_draw(run->text, &run->time_panel);
    if (run->has_phases && has_axis)
        draw_phases(run);

    if (!run->has_data)
        plot_panel_empty(run->text, &run->time_panel);

    /* With phases, there is a series for each phase, but drawing the first series draws
     * the requests of all phases. */
    int drawn_count = run->has_phases ? 1 : run->series_count;
    for (int i = 0; i < drawn_count; i++)
        if (plot_has_data(&plot->jobs[run->series[i].target]))
            draw_series(run, &run->series[i], plot->count == 1 && i == 0);

    if (run->has_data)
        draw_time_limits(run);
    if (run->has_phases && has_axis)
        for (int i = 0; i < run->series_count; i++)
            draw_phase_percentiles(run, &run->series[i]);

    for (int i = 0; i < plot->count; i++) {
        draw_exceptions(run, i, true);
        draw_exceptions(run, i, false);
    }
}
