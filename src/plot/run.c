/*
 * The plot of a run: two panels with the same axis of latency, and between them the
 * labels of the percentiles.
 *
 *   time panel (time_panel.c)           spread panel (spread_panel.c)
 *   +----------------------+           +-----------------+
 *   |     .   max          |           |==               |
 *   |   __|`|__  mean      |--- p99 ---|=====            |   levels: counts of requests
 *   |  |  min  |___        |--- p50 ---|===========      |
 *   |  x x   failed        |           |===              |
 *   +----------------------+           +-----------------+
 *
 * First, the targets are surveyed: the range of latencies, and the time span. Then the
 * panels are placed and drawn. The labels come last.
 */
#include "run_picture.h"
#include "spread_panel.h"
#include "time_panel.h"

#include <math.h>
#include <stdlib.h>

/* If there are more targets than this, percentiles have no labels between the panels. */
#define MAX_LABELLED 6

/* Lengths in pixels. */
#define TIME_WIDTH 560
#define SPREAD_X 712
#define SPREAD_WIDTH 228
#define LABEL_DISTANCE 13 /* minimum vertical distance of two labels */
/* Height of the strip below all latencies, for signs of failed and missed requests. */
#define STRIP_HEIGHT 24
/* With -breakdown, a log axis of latency begins at the shortest latency divided by this
 * number, so that the stacked columns of the fastest requests are visible. */
#define LOG_ROOM 10

/* Returns the shortest latency of STATS, in ns. With -corrected, this may be a wait that
 * is shorter than any request: then returns the lower bound of its bin. */
static int64_t
find_shortest(const struct stats *stats)
{
    const struct histogram *histogram = stats_percentile_histogram(stats);
    int first = histogram_bin(histogram_value(histogram, 1));
    bool has_waits = histogram->count > stats->latency.count;

    if (has_waits && histogram_below(first) < stats->latency.min)
        return histogram_below(first);

    return stats->latency.min;
}

/* Returns the set of entries that the legend needs for TARGET. */
static unsigned
find_entries(const struct plot *plot, int target)
{
    const struct stats *stats = plot->jobs[target].stats;
    unsigned entries = 0;

    if (stats->failed)
        entries |= BIT(FAIL);
    if (stats->missed)
        entries |= BIT(MISSED);
    if (stats->latency.count == 0)
        return entries;

    entries |= BIT(MEAN);
    if (run_picture_has_marks(plot, target))
        entries |= BIT(MARK);
    if (plot->count <= PLOT_MAX_DETAILED) {
        entries |= BIT(BAND) | BIT(P50);
        if (run_picture_percentile(stats, 1) >= 0)
            entries |= BIT(P99);
    }

    return entries;
}

/* Finds the range of latencies and the time span of all targets, and the entries that the
 * legend needs. */
static void
survey_targets(struct run_picture *run)
{
    for (int i = 0; i < run->plot->count; i++) {
        const struct job *job = &run->plot->jobs[i];
        int64_t end = run_picture_end(job->track);

        run->entries |= find_entries(run->plot, i);
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

    /* A time axis needs a length, even if the only request started at time 0. */
    if (run->time_span == 0)
        run->time_span = run->max_latency > 0 ? run->max_latency : 1;
}

/* Sets the frames and axes of both panels. An axis without data has no ticks. */
static void
place_panels(struct run_picture *run)
{
    struct plot_panel *time = &run->time_panel;
    struct plot_panel *spread = &run->spread_panel;
    bool has_exceptions = run->entries & (BIT(FAIL) | BIT(MISSED));
    double bottom = PLOT_BOTTOM - (has_exceptions ? STRIP_HEIGHT : 0);

    *time = (struct plot_panel){.x = PLOT_LEFT,
                                .width = TIME_WIDTH,
                                .x_title = "time since the start",
                                .y_title = "latency"};

    *spread = *time;
    spread->x = SPREAD_X;
    spread->width = SPREAD_WIDTH;
    spread->y_title = NULL;
    spread->x_title = run->plot->count > 1 ? "share of requests" : "requests";

    time->x_axis = (struct plot_axis){.kind = PLOT_TIME,
                                      .from = time->x + PLOT_INSET,
                                      .to = time->x + time->width - PLOT_INSET,
                                      .min_tick_gap = run->entries ? 64 : 0};

    if (run->entries)
        plot_axis_fit(&time->x_axis, 0, run->time_span, false);
    if (!run->has_data)
        return;

    time->y_axis = (struct plot_axis){.kind = PLOT_TIME,
                                      .from = bottom,
                                      .to = PLOT_TOP + PLOT_INSET,
                                      .min_tick_gap = 32};

    if (plot_axis_spreads(run->min_latency, run->max_latency, PLOT_LOG_RATIO)) {
        time->y_axis.is_log = true;
        time->y_axis.from = bottom - PLOT_INSET;
        time->y_axis.min_tick_gap = 20;
    }

    /* Stacked columns begin at 0, which a log axis does not have (LOG_ROOM). */
    if (plot_has_parts(run->plot))
        run->min_latency = time->y_axis.is_log ? run->min_latency / LOG_ROOM : 0;

    plot_axis_fit(&time->y_axis, run->min_latency, run->max_latency, true);
    spread->y_axis = time->y_axis;
}

/* The label of a percentile, which stands between the panels. */
struct label {
    double percentile_y, text_y; /* y of the percentile, and of the text of the label */
    const char *name;
    int target;
};

/* Inserts LABEL into the COUNT labels of LIST, which are sorted from the top down. */
static void
insert_label(struct label *list, int count, const struct label *label)
{
    int index = count;

    while (index > 0 && list[index - 1].percentile_y > label->percentile_y) {
        list[index] = list[index - 1];
        index--;
    }
    list[index] = *label;
}

/* Stores the labels of all percentiles that are known in LIST, sorted from the top down.
 * Returns their number. */
static int
make_labels(const struct run_picture *run, struct label *list)
{
    int count = 0;

    for (int target = 0; target < run->plot->count; target++) {
        const struct job *job = &run->plot->jobs[target];

        if (!plot_has_data(job))
            continue;

        for (int i = 0; i < PLOT_PERCENTILES; i++) {
            int64_t value = run_picture_percentile(job->stats, i);
            if (value < 0)
                continue;

            double y = run_picture_y(run, (double)value);
            struct label label = {y, y, plot_percentile_names[i], target};
            insert_label(list, count, &label);
            count++;
        }
    }

    return count;
}

/* Moves the texts of COUNT labels, which are sorted from the top down, so that they do
 * not overlap: first down, and then up again where they lie below the panels. */
static void
separate_labels(struct label *list, int count)
{
    for (int i = 1; i < count; i++)
        list[i].text_y = fmax(list[i].percentile_y, list[i - 1].text_y + LABEL_DISTANCE);

    double max_y = PLOT_BOTTOM - 4;
    for (int i = count - 1; i >= 0; i--) {
        list[i].text_y = fmin(list[i].text_y, max_y);
        max_y = list[i].text_y - LABEL_DISTANCE;
    }
}

/* Draws the labels of percentiles between the panels. A line connects each label with its
 * percentile. */
static void
draw_percentile_labels(const struct run_picture *run)
{
    struct label labels[PLOT_PERCENTILES * MAX_LABELLED];
    double x = run->time_panel.x + run->time_panel.width;
    int count = make_labels(run, labels);

    separate_labels(labels, count);

    for (int i = 0; i < count; i++) {
        const struct label *label = &labels[i];

        svg_path(run->text,
                 plot_class(run->plot, "lead", label->name, label->target).text);
        svg_point(run->text, 'M', x + 2, label->percentile_y);
        svg_point(run->text, 'L', x + 14, label->text_y);
        svg_end(run->text);
        svg_text(run->text, x + 18, label->text_y + 4, SVG_START, PLOT_SMALL, "dim",
                 label->name);
    }
}

unsigned
plot_run_draw(struct buffer *text, const struct plot *plot)
{
    struct run_picture *run = calloc(1, sizeof(*run));
    if (!run) {
        text->failed = true;
        return 0;
    }

    run->text = text;
    run->plot = plot;

    survey_targets(run);
    place_panels(run);
    plot_time_panel_draw(run);
    plot_spread_panel_draw(run);
    if (plot->count <= MAX_LABELLED)
        draw_percentile_labels(run);

    unsigned entries = run->entries;
    free(run);
    return entries;
}
