/*
 * The plot of a run: surveys the values of all targets, places and fits the two panels
 * that share the latency axis, has them drawn, and labels percentiles between them.
 */
#include "draw.h"

#include <stdlib.h>

#define TIME_WIDTH 560
#define LABELLED 6 /* the percentiles of more targets are left to the legend */
#define PITCH 13   /* pixels from the label of one percentile to the next */
#define SPREAD_X 712
#define SPREAD_WIDTH 228
#define LOG_ROOM 10 /* for columns, below all latencies on a log axis */
#define STRIP 24    /* pixels below all latencies, for failed and missed requests */

/* Widens the range of latencies. */
static void
cover(struct plot_run *run, int64_t least, int64_t most)
{
    if (!run->data || least < run->least)
        run->least = least;
    if (!run->data || most > run->most)
        run->most = most;
    run->data = true;
}

static void
survey_target(struct plot_run *run, const struct job *job)
{
    const struct stats *stats = job->stats;
    const struct histogram *histogram = stats_distribution(stats);
    int64_t end = job->track ? plot_time_end(job->track) : 0;
    run->span = end > run->span ? end : run->span;
    run->exceptions |= stats->failed > 0 || stats->missed > 0;
    if (stats->latency.count == 0)
        return;
    cover(run, stats->latency.min, stats->latency.max);
    if (histogram->count == stats->latency.count)
        return;
    int first = 0; /* corrected: an added wait may be shorter than any latency */
    while (first < HISTOGRAM_STEPS - 1 && !histogram->steps[first])
        first++;
    cover(run, histogram_below(first), stats->latency.max);
}

static void
survey(struct plot_run *run)
{
    for (int i = 0; i < run->plot->count; i++)
        survey_target(run, &run->plot->jobs[i]);
    if (run->span == 0)
        run->span = run->most > 0 ? run->most : 1;
}

/* Returns the value at which the axis of latency begins, ns: with parts low enough for
 * columns of the shortest requests to be seen. */
static int64_t
begin_axis(const struct plot_run *run, bool log)
{
    if (!plot_parts(run->plot))
        return run->least;
    return log ? run->least / LOG_ROOM : 0;
}

static void
place_panels(struct plot_run *run)
{
    struct plot_panel *time = &run->time, *spread = &run->spread;
    double bottom = PLOT_TOP + PLOT_HEIGHT - (run->exceptions ? STRIP : 0);
    *time = (struct plot_panel){.x = PLOT_LEFT,
                                .y = PLOT_TOP,
                                .width = TIME_WIDTH,
                                .height = PLOT_HEIGHT,
                                .across_title = "time since the start",
                                .up_title = "latency"};
    time->across = (struct plot_axis){.kind = PLOT_TIME,
                                      .from = time->x + PLOT_INSET,
                                      .to = time->x + time->width - PLOT_INSET,
                                      .gap = run->data || run->exceptions ? 64 : 0};
    if (time->across.gap > 0)
        plot_axis_fit(&time->across, 0, run->span, false);
    *spread = *time;
    spread->x = SPREAD_X;
    spread->width = SPREAD_WIDTH;
    spread->up_title = NULL;
    spread->across_title = run->plot->count > 1 ? "share of requests" : "requests";
    spread->across.gap = 0;
    if (!run->data)
        return;
    bool log = plot_axis_spreads(run->least, run->most, PLOT_SPREAD);
    time->up = (struct plot_axis){.kind = PLOT_TIME,
                                  .log = log,
                                  .from = log ? bottom - PLOT_INSET : bottom,
                                  .to = PLOT_TOP + PLOT_INSET,
                                  .gap = log ? 20 : 32};
    plot_axis_fit(&time->up, begin_axis(run, log), run->most, true);
    spread->up = time->up;
}

struct label {
    double at, y; /* pixels of its line, and of its text */
    const char *name;
    int target;
};

/* Inserts LABEL among COUNT others, sorted from the top down. */
static void
insert_label(struct label *labels, int count, struct label label)
{
    int place = count;
    for (; place > 0 && labels[place - 1].at > label.at; place--)
        labels[place] = labels[place - 1];
    labels[place] = label;
}

/* Moves labels down until none overlap, then up until all stand above LOWEST. */
static void
spread_labels(struct label *labels, int count, double lowest)
{
    for (int i = 0; i < count; i++) {
        double least = i ? labels[i - 1].y + PITCH : labels[i].at;
        labels[i].y = labels[i].at > least ? labels[i].at : least;
    }
    for (int i = count - 1; i >= 0; i--) {
        double most = i < count - 1 ? labels[i + 1].y - PITCH : lowest;
        if (labels[i].y > most)
            labels[i].y = most;
    }
}

/* Labels stand between the panels, each with a line to its percentile. */
static void
draw_labels(struct buffer *text, const struct plot_run *run)
{
    const struct svg_font font = {.size = PLOT_SMALL, .class = "dim"};
    struct label labels[2 * LABELLED];
    double x = run->time.x + run->time.width;
    char class[PLOT_CLASS];
    int count = 0;
    for (int i = 0; i < run->plot->count; i++) {
        const struct stats *stats = run->plot->jobs[i].stats;
        if (!plot_has_data(&run->plot->jobs[i]))
            continue;
        double half = plot_axis_at(&run->time.up, (double)stats_p50(stats));
        double most = plot_axis_at(&run->time.up, (double)stats_p99(stats));
        insert_label(labels, count++, (struct label){half, half, "p50", i});
        insert_label(labels, count++, (struct label){most, most, "p99", i});
    }
    spread_labels(labels, count, run->time.y + run->time.height - 4);
    for (int i = 0; i < count; i++) {
        const struct label *label = &labels[i];
        svg_path(text, plot_class(class, run->plot, "lead", label->name, label->target));
        svg_point(text, 'M', x + 2, label->at);
        svg_point(text, 'L', x + 14, label->y);
        svg_end(text);
        svg_text(text, x + 18, label->y + 4, &font, label->name);
    }
}

void
plot_run_draw(struct buffer *text, const struct plot *plot)
{
    struct plot_run *run = calloc(1, sizeof(*run));
    if (!run) {
        text->failed = true;
        return;
    }
    run->plot = plot;
    survey(run);
    place_panels(run);
    plot_time_draw(text, run);
    plot_spread_draw(text, run);
    if (plot->count <= LABELLED)
        draw_labels(text, run);
    free(run);
}
