/*
 * The spread panels of a run: histograms of latencies with horizontal bars. There is one
 * panel for each phase, or one panel for all series. Levels are ranges of latency with
 * equal heights in pixels. If a bin of the statistics overlaps several levels, its
 * requests are distributed over these levels (spread_over_levels).
 */
#include "run_picture.h"

#include <math.h>
#include <string.h>

#define MIN_LEVELS 12 /* minimum number of levels of latency */

/* Distributes COUNT requests over the levels. Their latencies are between MIN and MAX ns.
 * Each level that overlaps this range gets a part of the requests, in proportion to the
 * overlap in pixels. */
static void
spread_over_levels(struct run_picture *run, double count, int64_t min, int64_t max)
{
    const struct plot_axis *axis = &run->time_panel.y_axis;
    double level_height = (axis->from - axis->to) / run->level_count;
    /* MIN and MAX as positions on the axis, in levels above the bottom. */
    double from = (axis->from - run_picture_y(run, (double)min)) / level_height;
    double to = (axis->from - run_picture_y(run, (double)max)) / level_height;
    int first = (int)fmin(from, run->level_count - 1);
    int last = (int)fmin(to, run->level_count - 1);

    if (to - from < 1e-9) {
        run->levels[first] += count;
        return;
    }

    for (int i = first; i <= last; i++) {
        double overlap = fmin(to, i + 1) - fmax(from, i);
        run->levels[i] += count * overlap / (to - from);
    }
}

/* Distributes the requests of the histogram bins of SERIES over the levels. The first and
 * the last bin are narrowed to the range of the latencies, because no request lies
 * outside of it. */
static void
spread_bins_over_levels(struct run_picture *run, const struct run_series *series)
{
    const struct histogram *histogram = series->latencies.histogram;
    const struct moments *latency = series->latencies.moments;
    bool has_waits = histogram->count > latency->count;
    /* With -corrected, waits may be shorter than any request. */
    int64_t min = has_waits ? 0 : latency->min;
    int64_t max = series->latencies.max;

    for (int i = 0; i < HISTOGRAM_BINS; i++) {
        int64_t below = histogram_below(i);
        int64_t upto = histogram_upto(i);

        if (!histogram->bins[i])
            continue;
        if (below < min)
            below = min;
        if (upto > max)
            upto = max;
        spread_over_levels(run, (double)histogram->bins[i], below, upto);
    }
}

/*
 * Fills the levels with the requests of SERIES. If the track has a mark for each request,
 * adds them one by one. Otherwise, takes them from the bins of the histogram. Returns the
 * value of the largest level.
 */
static double
fill_levels(struct run_picture *run, const struct run_series *series)
{
    const struct track *track = run->plot->jobs[series->target].track;
    uint64_t count = series->latencies.histogram->count;
    bool all_have_marks = track_has_all_marks(track) && track->request_count == count &&
                          series->scope == SCOPE_ALL;
    /* With several series, a level is a share in thousandths of a percent. */
    double weight = run->series_count > 1 ? PLOT_WHOLE / (double)count : 1;
    double largest = 0;

    memset(run->levels, 0, sizeof(run->levels));

    if (all_have_marks) {
        for (uint64_t i = 0; i < track->request_count; i++)
            spread_over_levels(run, 1, track->marks[i].latency, track->marks[i].latency);
    } else {
        spread_bins_over_levels(run, series);
    }

    for (int i = 0; i < run->level_count; i++) {
        run->levels[i] *= weight;
        largest = fmax(largest, run->levels[i]);
    }

    return largest;
}

/* Draws the levels FIRST to LAST, each HEIGHT pixels high, as bars. */
static void
draw_bars(const struct run_picture *run, const struct plot_panel *panel, int first,
          int last, double height)
{
    double bottom = panel->y_axis.from;

    for (int i = first; i <= last; i++) {
        double end = plot_axis_position(&panel->x_axis, run->levels[i]);

        if (run->levels[i] <= 0)
            continue;
        /* A bar is at least 1 pixel long, so that a single request is visible. */
        svg_rect(run->text, plot_class("bar", 0).text, panel->x,
                 bottom - (i + 1) * height + 0.5, fmax(end - panel->x, 1), height - 1);
    }
}

/* Draws the levels FIRST to LAST, each HEIGHT pixels high, as an outline of COLOUR, so
 * that several series can be drawn over each other. */
static void
draw_outline(const struct run_picture *run, const struct plot_panel *panel, int colour,
             int first, int last, double height)
{
    double bottom = panel->y_axis.from;

    svg_path(run->text, plot_class("outline", colour).text);
    svg_point(run->text, 'M', panel->x, bottom - first * height);
    for (int i = first; i <= last; i++) {
        svg_line(run->text, 'H', plot_axis_position(&panel->x_axis, run->levels[i]));
        svg_line(run->text, 'V', bottom - (i + 1) * height);
    }

    svg_line(run->text, 'H', panel->x);
    svg_end(run->text);
}

/* Draws the levels of a series of COLOUR into PANEL, without the empty levels at both
 * ends. */
static void
draw_levels(const struct run_picture *run, const struct plot_panel *panel, int colour)
{
    const struct plot_axis *axis = &panel->y_axis;
    double height = (axis->from - axis->to) / run->level_count;
    int first = 0;
    int last = run->level_count - 1;

    while (first < last && run->levels[first] <= 0)
        first++;
    while (last > first && run->levels[last] <= 0)
        last--;

    if (run->series_count == 1 || run->has_phases)
        draw_bars(run, panel, first, last, height);
    else
        draw_outline(run, panel, colour, first, last, height);
}

/* Returns the number of levels: twice the square root of the number of requests, within
 * bounds. If there were many levels with few requests in each, their counts would be
 * random noise. */
static int
choose_level_count(const struct run_picture *run)
{
    uint64_t max_count = 0; /* number of requests of the largest series */
    uint64_t levels = MIN_LEVELS;

    for (int i = 0; i < run->series_count; i++) {
        uint64_t count = run->series[i].latencies.histogram->count;
        max_count = count > max_count ? count : max_count;
    }

    while (levels < PLOT_LEVELS && levels * levels < 4 * max_count)
        levels++;

    return (int)levels;
}

/* Draws the percentiles of SERIES across PANEL. A single series has all its percentiles,
 * and a phase has p50 and p99. Other series have none, because the lines would hide the
 * outlines. */
static void
draw_panel_percentiles(const struct run_picture *run, const struct plot_panel *panel,
                       const struct run_series *series)
{
    if (run->series_count > 1 && !run->has_phases)
        return;

    for (int i = 0; i < PLOT_QUANTILES; i++) {
        int64_t value = run_series_quantile(series, i);
        bool is_drawn = !run->has_phases || i == 0 || i == 2;

        if (value >= 0 && is_drawn)
            svg_rule(run->text, plot_class(run_quantile_names[i], series->colour).text,
                     panel->x, run_picture_y(run, (double)value), 'H',
                     panel->x + panel->width);
    }
}

/* Draws spread panel INDEX, with the series FIRST to LAST. LARGEST is the value of the
 * largest level in all panels. */
static void
draw_spread_panel(struct run_picture *run, int index, int first, int last, double largest)
{
    struct plot_panel *panel = &run->spread_panels[index];
    enum plot_kind kind = run->series_count > 1 ? PLOT_SHARE : PLOT_COUNT;

    panel->x_axis = (struct plot_axis){
        .kind = kind, .from = panel->x, .to = panel->x + panel->width - PLOT_INSET};
    if (run->has_data) {
        panel->x_axis.min_tick_gap = 50;
        plot_axis_fit(&panel->x_axis, 0, (int64_t)ceil(largest), false);
    }
    /* The narrow panels of phases have no room for numbers. */
    if (run->has_phases)
        panel->x_axis.min_tick_gap = 0;

    plot_panel_draw(run->text, panel);

    for (int i = first; i <= last; i++) {
        const struct run_series *series = &run->series[i];

        if (series->latencies.moments->count == 0)
            continue;
        fill_levels(run, series);
        draw_levels(run, panel, series->colour);
        draw_panel_percentiles(run, panel, series);
    }
}

void
plot_spread_panels_draw(struct run_picture *run)
{
    double largest = 0;

    run->level_count = choose_level_count(run);

    /* First, find the largest level, because it sets the range of the x axis. The levels
     * are filled a second time when they are drawn. */
    for (int i = 0; i < run->series_count; i++)
        if (run->series[i].latencies.moments->count)
            largest = fmax(largest, fill_levels(run, &run->series[i]));

    if (!run->has_phases) {
        draw_spread_panel(run, 0, 0, run->series_count - 1, largest);
        return;
    }

    for (int i = 0; i < run->series_count; i++)
        draw_spread_panel(run, i, i, i, largest);
}
