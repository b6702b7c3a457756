/*
 * The panel of the histogram: its bins, levels of latency, are equally high in pixels.
 * The count of a step of the statistics' histogram is shared out among the levels that
 * it overlaps.
 */
#include "draw.h"

#include <math.h>

#define LEVELS_LEAST 12

/* Adds COUNT to the levels from pixel A up to B, to each in proportion to its overlap. */
static void
share_out(struct plot_run *run, double count, double a, double b)
{
    const struct plot_axis *up = &run->spread.up;
    double height = (up->from - up->to) / run->rows;
    double from = (up->from - a) / height, to = (up->from - b) / height;
    int first = (int)fmin(from, run->rows - 1), last = (int)fmin(to, run->rows - 1);
    if (to - from < 1e-9) {
        run->levels[first] += count;
        return;
    }
    for (int i = first; i <= last; i++)
        run->levels[i] += count * (fmin(to, i + 1) - fmax(from, i)) / (to - from);
}

static void
share_out_marks(struct plot_run *run, const struct track *track)
{
    for (uint64_t i = 0; i < track->seen; i++) {
        double y = plot_axis_at(&run->spread.up, (double)track->marks[i].latency);
        share_out(run, 1, y, y);
    }
}

static void
share_out_steps(struct plot_run *run, const struct stats *stats)
{
    const struct histogram *histogram = stats_distribution(stats);
    bool waited = histogram->count > stats->latency.count;
    int64_t least = waited ? 0 : stats->latency.min, most = stats->latency.max;
    for (int i = 0; i < HISTOGRAM_STEPS; i++) {
        if (!histogram->steps[i])
            continue;
        int64_t below = histogram_below(i), upto = histogram_upto(i);
        below = below > least ? below : least;
        upto = upto < most ? upto : most;
        share_out(run, (double)histogram->steps[i],
                  plot_axis_at(&run->spread.up, (double)below),
                  plot_axis_at(&run->spread.up, (double)upto));
    }
}

/* Fills the levels with the requests of a target: one by one if the track has all of
 * them, else by steps. Returns the highest level. */
static double
fill_levels(struct plot_run *run, const struct job *job)
{
    const struct track *track = job->track;
    double highest = 0;
    for (int i = 0; i < run->rows; i++)
        run->levels[i] = 0;
    if (track->seen <= TRACK_MARKS &&
        track->seen == stats_distribution(job->stats)->count)
        share_out_marks(run, track);
    else
        share_out_steps(run, job->stats);
    for (int i = 0; i < run->rows; i++)
        highest = fmax(highest, run->levels[i]);
    return highest;
}

/* Returns the factor from a count to the scale: 1 for requests, or with several targets
 * thousandths of a percent of them. */
static double
weight_of(const struct plot_run *run, const struct stats *stats)
{
    return run->plot->count > 1 ? 1e5 / (double)stats_distribution(stats)->count : 1;
}

/* Few requests have few levels: in many they would show nothing but chance. */
static int
choose_rows(const struct plot *plot)
{
    uint64_t most = 0;
    for (int i = 0; i < plot->count; i++) {
        uint64_t count = stats_distribution(plot->jobs[i].stats)->count;
        most = count > most ? count : most;
    }
    int levels = LEVELS_LEAST; /* twice the root of MOST, within bounds */
    while (levels < PLOT_LEVELS && (uint64_t)levels * (uint64_t)levels < 4 * most)
        levels++;
    return levels;
}

static void
fit(struct plot_run *run)
{
    struct plot_panel *panel = &run->spread;
    double most = 0;
    run->rows = choose_rows(run->plot);
    for (int i = 0; i < run->plot->count; i++) {
        const struct stats *stats = run->plot->jobs[i].stats;
        if (stats->latency.count)
            most =
                fmax(most, fill_levels(run, &run->plot->jobs[i]) * weight_of(run, stats));
    }
    panel->across = (struct plot_axis){
        .kind = run->plot->count > 1 ? PLOT_SHARE : PLOT_COUNT,
        .from = panel->x,
        .to = panel->x + panel->width - PLOT_INSET,
        .gap = 50,
    };
    plot_axis_fit(&panel->across, 0, (int64_t)ceil(most), false);
}

static void
draw_bars(struct buffer *text, const struct plot_run *run)
{
    const struct plot_panel *panel = &run->spread;
    double height = (panel->up.from - panel->up.to) / run->rows;
    char class[PLOT_CLASS];
    plot_class(class, run->plot, "bar", "", 0);
    for (int i = 0; i < run->rows; i++) {
        double end = plot_axis_at(&panel->across, run->levels[i]);
        if (run->levels[i] > 0) /* a single request stays visible */
            svg_rect(text, class, panel->x, panel->up.from - (i + 1) * height + 0.5,
                     fmax(end - panel->x, 1), height - 1);
    }
}

static void
draw_outline(struct buffer *text, const struct plot_run *run, int target, double weight)
{
    const struct plot_panel *panel = &run->spread;
    double height = (panel->up.from - panel->up.to) / run->rows;
    int first = 0, last = run->rows - 1;
    char class[PLOT_CLASS];
    while (first < last && run->levels[first] <= 0)
        first++;
    while (last > first && run->levels[last] <= 0)
        last--;
    svg_path(text, plot_class(class, run->plot, "outline", "", target));
    svg_point(text, 'M', panel->x, panel->up.from - first * height);
    for (int i = first; i <= last; i++) {
        svg_line(text, 'H', plot_axis_at(&panel->across, run->levels[i] * weight));
        svg_line(text, 'V', panel->up.from - (i + 1) * height);
    }
    svg_line(text, 'H', panel->x);
    svg_end(text);
}

void
plot_spread_draw(struct buffer *text, struct plot_run *run)
{
    const struct plot *plot = run->plot;
    if (run->data)
        fit(run);
    plot_panel_draw(text, &run->spread);
    for (int i = 0; i < plot->count; i++) {
        const struct stats *stats = plot->jobs[i].stats;
        if (stats->latency.count == 0)
            continue;
        fill_levels(run, &plot->jobs[i]);
        if (plot->count == 1)
            draw_bars(text, run);
        else
            draw_outline(text, run, i, weight_of(run, stats));
        plot_panel_percentiles(text, plot, &run->spread, i);
    }
}
