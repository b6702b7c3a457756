#include "run.h"

#include <stdlib.h>

#define TIME_WIDTH 560
#define LABELLED 6 /* the percentiles of more targets are left to the legend */
#define APART 13   /* pixels between the labels of percentiles */
#define SPREAD_X 712
#define SPREAD_WIDTH 228
#define STRIP 24 /* pixels below all latencies, for failures and missed probes */

bool
plot_run_marks(const struct plot *plot, int target)
{
    const struct track *track = plot->jobs[target].track;
    return track && track->seen <= TRACK_MARKS / (uint64_t)plot->count;
}

int64_t
plot_run_end(const struct track *track)
{
    int64_t end = (int64_t)track->used << track->shift;
    if (track->seen > TRACK_MARKS)
        return end;
    int64_t last = 0;
    for (uint64_t i = 0; i < track->seen; i++)
        last = track->marks[i].offset > last ? track->marks[i].offset : last;
    return end - last > (int64_t)1 << track->shift ? end : last;
}

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
    int64_t end = job->track ? plot_run_end(job->track) : 0;
    run->span = end > run->span ? end : run->span;
    run->exceptions |= stats->failed > 0 || stats->missed > 0;
    if (stats->latency.count == 0)
        return;
    cover(run, stats->latency.min, stats->latency.max);
    if (histogram->count == stats->latency.count)
        return;
    int first = 0; /* waits of requests that were not sent may be shorter than any */
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
    plot_axis_fit(&time->up, run->least, run->most, true);
    spread->up = time->up;
}

/* Both through a whole panel. */
void
plot_run_percentiles(struct buffer *text, const struct plot_run *run,
                     const struct plot_panel *panel, int target)
{
    static const char *const names[] = {"p50", "p99"};
    const struct stats *stats = run->plot->jobs[target].stats;
    char class[PLOT_CLASS];
    if (!plot_is_clear(run->plot))
        return;
    for (int i = 0; i < 2; i++) {
        int64_t value = i ? stats_p99(stats) : stats_p50(stats);
        svg_path(text, plot_class(class, run->plot, names[i], names[i], target));
        svg_point(text, 'M', panel->x, plot_axis_at(&panel->up, (double)value));
        svg_line(text, 'H', panel->x + panel->width);
        svg_end(text);
    }
}

struct label {
    double at, y; /* where it belongs, and where it is put; pixels */
    const char *name;
    int target;
};

/* Adds one, in the order of their places from the top down. */
static void
insert_label(struct label *labels, int count, struct label label)
{
    int place = count;
    for (; place > 0 && labels[place - 1].at > label.at; place--)
        labels[place] = labels[place - 1];
    labels[place] = label;
}

/* Down until they are apart, then up again until all stand within the panel. */
static void
spread_labels(struct label *labels, int count, double lowest)
{
    for (int i = 0; i < count; i++) {
        double least = i ? labels[i - 1].y + APART : labels[i].at;
        labels[i].y = labels[i].at > least ? labels[i].at : least;
    }
    for (int i = count - 1; i >= 0; i--) {
        double most = i < count - 1 ? labels[i + 1].y - APART : lowest;
        if (labels[i].y > most)
            labels[i].y = most;
    }
}

/* Between the panels, each with a line to where it belongs. */
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
