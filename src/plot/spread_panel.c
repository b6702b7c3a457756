/*
 * The spread panel of a run: a histogram of latencies with horizontal bars. Its levels
 * are ranges of latency with equal heights in pixels. A bin of the statistics may overlap
 * several levels; its requests are distributed over these levels (spread_over_levels).
 */
#include "spread_panel.h"

#include "run_picture.h"

#include <math.h>
#include <string.h>

#define MIN_LEVELS 12 /* minimum number of levels of latency */

/* Distributes COUNT requests, with latencies from MIN to MAX ns, over the levels that
 * this range overlaps, in proportion to the overlap in pixels. */
static void
spread_over_levels(struct run_picture *run, double count, int64_t min, int64_t max)
{
    const struct plot_axis *axis = &run->spread_panel.y_axis;
    double level_height = (axis->from - axis->to) / run->level_count;
    /* The range from MIN to MAX, as a number of levels above the bottom of the axis. */
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

/* Distributes the requests of the bins of JOB's histogram over the levels. The bounds of
 * the first and last bin are narrowed to the range of latencies. */
static void
spread_bins_over_levels(struct run_picture *run, const struct job *job)
{
    const struct histogram *histogram = stats_percentile_histogram(job->stats);
    const struct moments *latency = &job->stats->latency;
    bool has_waits = histogram->count > latency->count;
    /* With -corrected, waits may be shorter than any request. */
    int64_t min = has_waits ? 0 : latency->min;
    int64_t max = latencies_of(job->stats, SCOPE_ALL).max;

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
 * Fills the levels with the requests of JOB: one by one, if the track has a mark for each
 * of them, otherwise from the bins of the histogram. Returns the value of the largest
 * level.
 */
static double
fill_levels(struct run_picture *run, const struct job *job)
{
    const struct track *track = job->track;
    uint64_t count = stats_percentile_histogram(job->stats)->count;
    bool all_have_marks =
        track->request_count <= TRACK_MARKS && track->request_count == count;
    /* With several targets, a level is a share in thousandths of a percent. */
    double weight = run->plot->count > 1 ? 1e5 / (double)count : 1;
    double largest = 0;

    memset(run->levels, 0, sizeof(run->levels));

    if (all_have_marks) {
        for (uint64_t i = 0; i < track->request_count; i++)
            spread_over_levels(run, 1, track->marks[i].latency, track->marks[i].latency);
    } else {
        spread_bins_over_levels(run, job);
    }

    for (int i = 0; i < run->level_count; i++) {
        run->levels[i] *= weight;
        largest = fmax(largest, run->levels[i]);
    }

    return largest;
}

/* Draws the levels FIRST to LAST, each HEIGHT pixels high, as bars. */
static void
draw_bars(const struct run_picture *run, int first, int last, double height)
{
    const struct plot_panel *panel = &run->spread_panel;
    double bottom = panel->y_axis.from;

    for (int i = first; i <= last; i++) {
        double end = plot_axis_position(&panel->x_axis, run->levels[i]);

        if (run->levels[i] <= 0)
            continue;
        /* A bar is at least 1 pixel long, so that a single request is visible. */
        svg_rect(run->text, plot_class(run->plot, "bar", "", 0).text, panel->x,
                 bottom - (i + 1) * height + 0.5, fmax(end - panel->x, 1), height - 1);
    }
}

/* Draws the levels FIRST to LAST of TARGET, each HEIGHT pixels high, as an outline, so
 * that several targets can be drawn over each other. */
static void
draw_outline(const struct run_picture *run, int target, int first, int last,
             double height)
{
    const struct plot_panel *panel = &run->spread_panel;
    double bottom = panel->y_axis.from;

    svg_path(run->text, plot_class(run->plot, "outline", "", target).text);
    svg_point(run->text, 'M', panel->x, bottom - first * height);
    for (int i = first; i <= last; i++) {
        svg_line(run->text, 'H', plot_axis_position(&panel->x_axis, run->levels[i]));
        svg_line(run->text, 'V', bottom - (i + 1) * height);
    }

    svg_line(run->text, 'H', panel->x);
    svg_end(run->text);
}

/* Draws the levels of TARGET, without the empty levels at both ends. */
static void
draw_levels(const struct run_picture *run, int target)
{
    const struct plot_axis *axis = &run->spread_panel.y_axis;
    double height = (axis->from - axis->to) / run->level_count;
    int first = 0;
    int last = run->level_count - 1;

    while (first < last && run->levels[first] <= 0)
        first++;
    while (last > first && run->levels[last] <= 0)
        last--;

    if (run->plot->count == 1)
        draw_bars(run, first, last, height);
    else
        draw_outline(run, target, first, last, height);
}

/* Returns the number of levels: twice the square root of the number of requests, within
 * bounds. If there were many levels with few requests in each, their counts would be
 * random noise. */
static int
choose_level_count(const struct plot *plot)
{
    uint64_t max_count = 0; /* requests of the target with the most requests */
    uint64_t levels = MIN_LEVELS;

    for (int i = 0; i < plot->count; i++) {
        uint64_t count = stats_percentile_histogram(plot->jobs[i].stats)->count;
        max_count = count > max_count ? count : max_count;
    }

    while (levels < PLOT_LEVELS && levels * levels < 4 * max_count)
        levels++;

    return (int)levels;
}

void
plot_spread_panel_draw(struct run_picture *run)
{
    const struct plot *plot = run->plot;
    struct plot_panel *panel = &run->spread_panel;
    double largest = 0;

    run->level_count = choose_level_count(plot);

    /* First, find the range of the x axis; the levels are filled again when they are
     * drawn. */
    for (int i = 0; i < plot->count; i++)
        if (plot->jobs[i].stats->latency.count)
            largest = fmax(largest, fill_levels(run, &plot->jobs[i]));

    panel->x_axis = (struct plot_axis){.kind = plot->count > 1 ? PLOT_SHARE : PLOT_COUNT,
                                       .from = panel->x,
                                       .to = panel->x + panel->width - PLOT_INSET};
    if (run->has_data) {
        panel->x_axis.min_tick_gap = 50;
        plot_axis_fit(&panel->x_axis, 0, (int64_t)ceil(largest), false);
    }

    plot_panel_draw(run->text, panel);

    for (int i = 0; i < plot->count; i++) {
        if (plot->jobs[i].stats->latency.count == 0)
            continue;
        fill_levels(run, &plot->jobs[i]);
        draw_levels(run, i);
        run_picture_draw_percentiles(run, panel, i);
    }
}
