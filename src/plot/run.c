/*
 * The plot of a run: two panels that share the axis of latency, with labels of the
 * percentiles between them.
 *
 *        time panel                       spread panel
 *   +----------------------+           +-----------------+
 *   |     .   max          |           |==               |
 *   |   __|`|__  mean      |--- p99 ---|=====            |   levels: count of requests
 *   |  |  min  |___        |--- p50 ---|===========      |
 *   |  x x   failed        |           |===              |
 *   +----------------------+           +-----------------+
 *
 * The time panel cuts the time of the run into bins (fill_bins). With many targets there
 * are few bins, so that the plot stays small and clear. Each bin should have several
 * requests. Band and mean are drawn as steps, one step for each bin, so that no request
 * lies outside the band. Where no request was sent, the lines have a gap.
 *
 * The spread panel is a histogram. Its levels, ranges of latency, have equal heights in
 * pixels. The count of each bin of the statistics is distributed over the levels that the
 * bin overlaps (share_out).
 */
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BINS 280        /* maximum number of bins of time */
#define BIN_MARKS 8     /* requests per bin, if every request is drawn as a mark */
#define BIN_REQUESTS 20 /* requests per bin otherwise */
#define BINS_LEAST 40   /* minimum number of bins otherwise */
#define LEVELS 60       /* maximum number of levels of latency */
/* minimum number of levels */
#define LEVELS_LEAST 12
/* With more targets, percentiles have no labels between the panels. */
#define LABELLED 6

/* Lengths in pixels. */
#define TIME_WIDTH 560
#define SPREAD_X 712
#define SPREAD_WIDTH 228
#define INSET 6 /* between a frame and its contents */
/* With -breakdown, a log axis begins at this fraction of the least latency, so that the
 * stacked columns of the fastest requests are visible. */
#define LOG_ROOM 10
#define STRIP 24     /* height below all latencies, for failed and missed requests */
#define PITCH 13     /* between the labels of two percentiles */
#define LABEL_RISE 5 /* from a frame up to a text above it */
#define RADIUS 2.5   /* of a mark */
#define CELL 5       /* width of a failed or missed request */
/* Number of cells after which the failures of the same target may follow again: failures
 * of different targets stand in different stripes. With more than MANY targets there are
 * more stripes, which means fewer failures, so that the plot stays small. */
#define STRIPES 3
#define STRIPES_MANY 8
#define MANY 6

/* A run that is being drawn. */
struct run_picture {
    struct buffer *text;
    const struct plot *plot;
    struct plot_panel time, spread;
    int64_t span;     /* time that the time axis covers, in ns */
    int64_t min, max; /* latencies, in ns */
    bool has_data;    /* some request counts */
    unsigned entries; /* of the legend, as bits */
    struct track_column bins[BINS];
    int count;       /* of the bins that cover the whole time */
    int level_count; /* number of levels in use */
    double levels[LEVELS];
};

/* Returns when the last request started or was missed, in ns after the start of the
 * track, as exactly as the track knows. */
static int64_t
find_end(const struct track *track)
{
    int64_t end = (int64_t)track->column_count << track->shift;
    int64_t last = 0;

    if (track->request_count > TRACK_MARKS)
        return end;

    for (uint64_t i = 0; i < track->request_count; i++)
        last = track->marks[i].offset > last ? track->marks[i].offset : last;

    return end - last > (int64_t)1 << track->shift ? end : last;
}

/* Returns true if the target has so few requests that each is drawn as a mark. */
static bool
has_marks(const struct plot *plot, int target)
{
    return plot->jobs[target].track->request_count <= TRACK_MARKS / (uint64_t)plot->count;
}

/* Returns percentile INDEX of percentiles_common, in ns; -1 if STATS have too few
 * requests for it. */
static int64_t
percentile_of(const struct stats *stats, int index)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    return latencies_known_percentile(&latencies, &percentiles_common.list[index]);
}

/* Finds the range of latencies, the duration of the run, and the entries of the
 * legend. */
static void
survey(struct run_picture *run)
{
    for (int i = 0; i < run->plot->count; i++) {
        const struct job *job = &run->plot->jobs[i];
        const struct stats *stats = job->stats;
        const struct histogram *histogram = stats_distribution(stats);
        int64_t end = find_end(job->track);
        int64_t least = stats->latency.min;

        run->span = end > run->span ? end : run->span;
        run->entries |=
            (stats->failed ? BIT(FAIL) : 0) | (stats->missed ? BIT(MISSED) : 0);
        if (stats->latency.count == 0)
            continue;

        int first = histogram_bin(histogram_value(histogram, 1));
        if (histogram->count > stats->latency.count && histogram_below(first) < least)
            /* With -corrected, waits are included, which may be shorter than any
             * request. */
            least = histogram_below(first);
        if (!run->has_data || least < run->min)
            run->min = least;

        int64_t most = latencies_of(stats, SCOPE_ALL).max;
        if (most > run->max)
            run->max = most;

        run->has_data = true;
        run->entries |= BIT(MEAN) | (has_marks(run->plot, i) ? BIT(MARK) : 0);
        if (run->plot->count <= PLOT_CLEAR)
            run->entries |=
                BIT(BAND) | BIT(P50) | (percentile_of(stats, 1) >= 0 ? BIT(P99) : 0);
    }

    if (run->span == 0)
        run->span = run->max > 0 ? run->max : 1;
}

/* Sets the frames and axes of both panels. */
static void
place_panels(struct run_picture *run)
{
    struct plot_panel *time = &run->time;
    struct plot_panel *spread = &run->spread;
    bool exceptions = run->entries & (BIT(FAIL) | BIT(MISSED));
    double bottom = PLOT_BOTTOM - (exceptions ? STRIP : 0);

    *time = (struct plot_panel){.x = PLOT_LEFT,
                                .width = TIME_WIDTH,
                                .across_title = "time since the start",
                                .up_title = "latency"};

    *spread = *time;
    spread->x = SPREAD_X;
    spread->width = SPREAD_WIDTH;
    spread->up_title = NULL;
    spread->across_title = run->plot->count > 1 ? "share of requests" : "requests";

    time->across = (struct plot_axis){.kind = PLOT_TIME,
                                      .from = time->x + INSET,
                                      .to = time->x + time->width - INSET,
                                      .gap = run->entries ? 64 : 0};

    if (run->entries)
        plot_axis_fit(&time->across, 0, run->span, false);
    if (!run->has_data)
        return;

    bool log = plot_axis_spreads(run->min, run->max, PLOT_SPREAD);
    time->up = (struct plot_axis){.kind = PLOT_TIME,
                                  .log = log,
                                  .from = log ? bottom - INSET : bottom,
                                  .to = PLOT_TOP + INSET,
                                  .gap = log ? 20 : 32};

    /* Leave room for the columns of the fastest requests (LOG_ROOM). */
    if (plot_has_parts(run->plot))
        run->min = log ? run->min / LOG_ROOM : 0;

    plot_axis_fit(&time->up, run->min, run->max, true);
    spread->up = time->up;
}

/* Returns the y of a latency in ns. */
static double
y_of(const struct run_picture *run, double latency)
{
    return plot_axis_at(&run->time.up, latency);
}

static const char *const names[] = {"p50", "p99"};

/* Draws p50 and p99 of a target as lines across PANEL. With many targets they would hide
 * one another and are left out. */
static void
draw_percentiles(const struct run_picture *run, const struct plot_panel *panel,
                 int target)
{
    const struct stats *stats = run->plot->jobs[target].stats;

    if (run->plot->count > PLOT_CLEAR)
        return;

    for (int i = 0; i < 2; i++) {
        int64_t value = percentile_of(stats, i);
        if (value >= 0)
            svg_rule(run->text, plot_class(run->plot, names[i], names[i], target).text,
                     panel->x, y_of(run, (double)value), 'H', panel->x + panel->width);
    }
}

/* Returns the middle of a column, in ns after the start of the track. */
static double
middle_of(const struct track *track, int column)
{
    return ((double)column + 0.5) * (double)(1LL << track->shift);
}

/*
 * Fills the bins with the requests of a target. PARTS: only with the requests that have a
 * breakdown, from the columns of the track, because marks have no breakdown; if requests
 * are few, each gets a bin. The number of bins is chosen so that a bin has a constant
 * number of requests while the target sent any; the target may have ended long before
 * others.
 */
static void
fill_bins(struct run_picture *run, int target, bool parts)
{
    const struct track *track = run->plot->jobs[target].track;
    bool few = has_marks(run->plot, target), marks = few && !parts;
    int each = !few ? BIN_REQUESTS : parts ? 1 : BIN_MARKS;

    double own = fmax((double)find_end(track), 1);
    double span = (double)run->span;
    double wanted = fmin((double)track->request_count / each * (span / own),
                         (double)BINS / run->plot->count);
    double columns = (double)(run->span >> track->shift) + 1;

    run->count = (int)fmax(fmin(fmax(wanted, few ? 1 : BINS_LEAST), columns), 1);

    memset(run->bins, 0, sizeof(run->bins));

    for (int i = 0; i < (marks ? (int)track->request_count : track->column_count); i++) {
        const struct track_mark *mark = &track->marks[marks ? i : 0];
        struct track_column column = {.count = 1,
                                      .min = mark->latency,
                                      .max = mark->latency,
                                      .sum = (double)mark->latency};
        double offset = (double)mark->offset;
        if (!marks) {
            column = track->columns[i];
            column.count = parts ? column.split : column.count;
            offset = middle_of(track, i);
        }
        int bin = (int)fmin(fmax(offset / span * run->count, 0), run->count - 1);
        track_column_add(&run->bins[bin], &column);
    }
}

/* What is drawn of a bin: its minimum, mean or maximum, or the lower edge of a part.
 * EDGE_PART + i is the lower edge of part i; EDGE_PART + PLOT_PARTS is the top of the
 * stacked column. */
enum edge { EDGE_MIN, EDGE_MEAN, EDGE_MAX, EDGE_PART };

/*
 * Returns the y of an edge of a bin. A stacked column is as high as the mean latency of
 * its requests, and each part gets its share of that height. On a linear axis that is
 * also the height of the part alone. On a log axis heights do not add up, so only the
 * share has a meaning.
 */
static double
bin_y(const struct run_picture *run, int index, enum edge edge)
{
    const struct track_column *bin = &run->bins[index];
    double below = 0;
    double all = 0;
    double from = run->time.up.from;

    if (edge < EDGE_PART)
        return y_of(run, edge == EDGE_MIN   ? (double)bin->min
                         : edge == EDGE_MAX ? (double)bin->max
                                            : bin->sum / (double)bin->count);

    for (int i = 0; i < PLOT_PARTS; i++) {
        double part = i < PARTS ? bin->parts[i] : bin->sync;
        below += i < (int)(edge - EDGE_PART) ? part : 0;
        all += part;
    }

    double top = y_of(run, all / (double)bin->count);
    return all > 0 ? from + (top - from) * (below / all) : from;
}

/* Returns the x at which a bin begins. */
static double
bin_x(const struct run_picture *run, int bin)
{
    const struct plot_axis *axis = &run->time.across;
    return axis->from + (axis->to - axis->from) * bin / run->count;
}

/* Adds steps through the bins FIRST to LAST to the current path: from the left to the
 * right, beginning with a move, or BACK from the right to the left, continuing the
 * path. */
static void
trace(const struct run_picture *run, int first, int last, enum edge edge, bool back)
{
    int way = back ? -1 : 1;
    int end = back ? first : last;
    int i = back ? last : first;

    svg_point(run->text, back ? 'L' : 'M', bin_x(run, i + back), bin_y(run, i, edge));

    for (;; i += way) {
        svg_line(run->text, 'H', bin_x(run, i + !back));
        if (i == end)
            return;
        svg_line(run->text, 'V', bin_y(run, i + way, edge));
    }
}

/* Draws the area between two edges, or a line if both are the same edge. Each stretch of
 * bins that are not empty is drawn on its own, so there are gaps between them. */
static void
draw_bins(const struct run_picture *run, enum edge lower, enum edge upper,
          const char *class)
{
    svg_path(run->text, class);

    for (int first = 0, last; first < run->count; first = last + 1) {
        last = first;
        if (!run->bins[first].count)
            continue;
        while (last + 1 < run->count && run->bins[last + 1].count)
            last++;

        trace(run, first, last, upper, false);
        if (lower == upper)
            continue;
        trace(run, first, last, lower, true);
        svg_close(run->text);
    }

    svg_end(run->text);
}

/* The layers of a target, from the lowest up. LAYER_PARTS has the stacked columns of
 * parts. */
enum layer { LAYER_BAND, LAYER_PARTS, LAYER_MARKS, LAYER_MEAN, LAYER_LINES, LAYERS };

/* Draws one layer of a target. The more targets, the fainter the bands. */
static void
draw_layer(struct run_picture *run, int target, enum layer layer)
{
    static const char *const bands[] = {"band",    "band",    "band b2",
                                        "band b4", "band b4", "band b8",
                                        "band b8", "band b8", "band b8"};
    const struct plot *plot = run->plot;
    const struct track *track = plot->jobs[target].track;

    fill_bins(run, target, layer == LAYER_PARTS);

    if (layer == LAYER_BAND && plot->count <= PLOT_CLEAR)
        draw_bins(run, EDGE_MIN, EDGE_MAX,
                  plot_class(plot, bands[plot->count], "", target).text);

    for (int i = 0; layer == LAYER_PARTS && i < PLOT_PARTS; i++)
        if (plot_has_part(plot, i))
            draw_bins(run, (enum edge)(EDGE_PART + i), (enum edge)(EDGE_PART + i + 1),
                      plot_part_class("part", i).text);

    bool marks = layer == LAYER_MARKS && has_marks(plot, target);
    for (uint64_t i = 0; marks && i < track->request_count; i++)
        svg_circle(run->text, plot_class(plot, "mark", "", target).text,
                   plot_axis_at(&run->time.across, (double)track->marks[i].offset),
                   y_of(run, (double)track->marks[i].latency), RADIUS);

    if (layer == LAYER_LINES)
        draw_percentiles(run, &run->time, target);
    if (layer == LAYER_MEAN)
        draw_bins(run, EDGE_MEAN, EDGE_MEAN, plot_class(plot, "mean", "", target).text);
}

/*
 * Draws the failed requests of a target (FAILURES), or its missed ones, below all
 * latencies. Each is moved to the nearest cell of the stripes that belong to TARGET, so
 * that failures of different targets do not hide one another. Failures that fall into the
 * same cell are drawn once.
 */
static void
draw_exceptions(const struct run_picture *run, int target, bool failures)
{
    const struct track *track = run->plot->jobs[target].track;
    const struct plot_axis *axis = &run->time.across;
    const char *name = failures ? "fail" : "missed";
    int count = run->plot->count;
    int stripes = count > MANY ? STRIPES_MANY : STRIPES;

    stripes = count < stripes ? count : stripes;
    double last = 0;
    double pitch = stripes * CELL;
    double first = axis->from + (target % stripes + 0.5) * CELL;
    const struct plot_class class = plot_class(run->plot, name, name, target);

    for (int i = 0; i < track->column_count; i++) {
        const struct track_column *column = &track->columns[i];
        double x = plot_axis_at(axis, middle_of(track, i));
        double place = first + fmax(floor((x - first) / pitch + 0.5), 0) * pitch;
        place = place > axis->to ? place - pitch : place;

        if (!(failures ? column->failed : column->missed) || place <= last)
            continue;

        plot_exception(run->text, class.text, failures, place,
                       PLOT_BOTTOM - (failures ? 10 : 1.5));
        last = place;
    }
}

/* Shades the time of the background load, and writes its name above. */
static void
draw_background(const struct run_picture *run)
{
    const struct plot_panel *panel = &run->time;
    const struct job *job = &run->plot->jobs[0];
    const struct job *background;
    struct buffer name = {0};

    if (!job->phases || job->phases->current < PHASE_LOADED ||
        !job->track->column_count || panel->across.gap <= 0)
        return;

    background = job->phases->background;
    int64_t began = background->group.begin_at - job->track->began_at;
    int64_t ended = background->has_ended
                        ? background->outcome.ended_at - job->track->began_at
                        : run->span;

    double end = panel->x + panel->width;
    double left = fmax(plot_axis_at(&panel->across, (double)began), panel->x);
    double right = fmin(plot_axis_at(&panel->across, (double)ended), end);

    if (left >= right)
        return;

    svg_rect(run->text, "load", left, PLOT_TOP, right - left, PLOT_HEIGHT);
    plot_phase_name(&name, run->plot, PHASE_LOADED);
    double half = svg_width(name.failed ? "" : name.text, PLOT_SMALL) / 2;
    svg_buffer(run->text, fmax(fmin((left + right) / 2, end - half), panel->x + half),
               PLOT_TOP - LABEL_RISE, SVG_MIDDLE, PLOT_SMALL, "dim", &name);
}

/* Draws the time panel. Each layer is drawn for all targets before the next layer, so
 * that the bands of one target do not cover the marks of another. */
static void
draw_time(struct run_picture *run)
{
    const struct plot *plot = run->plot;

    plot_panel_draw(run->text, &run->time);
    draw_background(run);

    if (!run->has_data)
        plot_panel_empty(run->text, &run->time);

    for (enum layer layer = 0; layer < LAYERS; layer++)
        for (int i = 0; i < plot->count; i++)
            if (plot_has_data(&plot->jobs[i]))
                draw_layer(run, i, layer);

    for (int i = 0; i < plot->count; i++) {
        draw_exceptions(run, i, true);
        draw_exceptions(run, i, false);
    }
}

/* Distributes COUNT requests over the levels from latency LEAST to MOST, in proportion to
 * the overlap in pixels. */
static void
share_out(struct run_picture *run, double count, int64_t least, int64_t most)
{
    const struct plot_axis *up = &run->spread.up;
    double height = (up->from - up->to) / run->level_count;
    double from = (up->from - y_of(run, (double)least)) / height;
    double to = (up->from - y_of(run, (double)most)) / height;
    int first = (int)fmin(from, run->level_count - 1);
    int last = (int)fmin(to, run->level_count - 1);

    if (to - from < 1e-9) {
        run->levels[first] += count;
        return;
    }

    for (int i = first; i <= last; i++)
        run->levels[i] += count * (fmin(to, i + 1) - fmax(from, i)) / (to - from);
}

/*
 * Fills the levels with the requests of JOB: one by one if the track has all of them as
 * marks, otherwise from the bins of the statistics. A level is a count of requests or, if
 * there are several targets, a share in thousandths of a percent. Returns the highest
 * level.
 */
static double
fill_levels(struct run_picture *run, const struct job *job)
{
    const struct track *track = job->track;
    const struct histogram *histogram = stats_distribution(job->stats);
    const struct moments *latency = &job->stats->latency;
    int64_t most = latencies_of(job->stats, SCOPE_ALL).max;
    bool waited = histogram->count > latency->count;
    bool marks =
        track->request_count <= TRACK_MARKS && track->request_count == histogram->count;
    double weight = run->plot->count > 1 ? 1e5 / (double)histogram->count : 1;
    double highest = 0;

    memset(run->levels, 0, sizeof(run->levels));
    for (uint64_t i = 0; marks && i < track->request_count; i++)
        share_out(run, 1, track->marks[i].latency, track->marks[i].latency);

    for (int i = 0; !marks && i < HISTOGRAM_BINS; i++) {
        int64_t below = histogram_below(i);
        int64_t upto = histogram_upto(i);
        int64_t least = waited ? 0 : latency->min;
        if (histogram->bins[i])
            share_out(run, (double)histogram->bins[i], below > least ? below : least,
                      upto < most ? upto : most);
    }

    for (int i = 0; i < run->level_count; i++)
        highest = fmax(highest, run->levels[i] *= weight);

    return highest;
}

/* Draws the levels of a single target as bars. If there are several targets, draws those
 * of TARGET as an outline. */
static void
draw_levels(const struct run_picture *run, int target)
{
    const struct plot_panel *panel = &run->spread;
    double bottom = panel->up.from;
    double height = (bottom - panel->up.to) / run->level_count;
    int first = 0;
    int last = run->level_count - 1;

    while (first < last && run->levels[first] <= 0)
        first++;
    while (last > first && run->levels[last] <= 0)
        last--;

    if (run->plot->count == 1) {
        for (int i = first; i <= last; i++) {
            double end = plot_axis_at(&panel->across, run->levels[i]);
            /* A bar is at least 1 pixel long, so that a single request is visible. */
            if (run->levels[i] > 0)
                svg_rect(run->text, plot_class(run->plot, "bar", "", 0).text, panel->x,
                         bottom - (i + 1) * height + 0.5, fmax(end - panel->x, 1),
                         height - 1);
        }
        return;
    }

    svg_path(run->text, plot_class(run->plot, "outline", "", target).text);
    svg_point(run->text, 'M', panel->x, bottom - first * height);
    for (int i = first; i <= last; i++) {
        svg_line(run->text, 'H', plot_axis_at(&panel->across, run->levels[i]));
        svg_line(run->text, 'V', bottom - (i + 1) * height);
    }

    svg_line(run->text, 'H', panel->x);
    svg_end(run->text);
}

/* Draws the spread panel. The number of levels grows with the square root of the
 * number of requests, because the counts of many levels with few requests would be
 * random noise. */
static void
draw_spread(struct run_picture *run)
{
    const struct plot *plot = run->plot;
    struct plot_panel *panel = &run->spread;
    uint64_t most = 0;
    double highest = 0;

    for (int i = 0; i < plot->count; i++) {
        uint64_t count = stats_distribution(plot->jobs[i].stats)->count;
        most = count > most ? count : most;
    }

    /* Twice the square root of `most`, within bounds. */
    run->level_count = LEVELS_LEAST;
    while (run->level_count < LEVELS &&
           (uint64_t)run->level_count * (uint64_t)run->level_count < 4 * most)
        run->level_count++;

    for (int i = 0; i < plot->count; i++)
        if (plot->jobs[i].stats->latency.count)
            highest = fmax(highest, fill_levels(run, &plot->jobs[i]));

    panel->across = (struct plot_axis){.kind = plot->count > 1 ? PLOT_SHARE : PLOT_COUNT,
                                       .from = panel->x,
                                       .to = panel->x + panel->width - INSET,
                                       .gap = run->has_data ? 50 : 0};

    if (run->has_data)
        plot_axis_fit(&panel->across, 0, (int64_t)ceil(highest), false);

    plot_panel_draw(run->text, panel);

    for (int i = 0; i < plot->count; i++) {
        if (plot->jobs[i].stats->latency.count == 0)
            continue;
        fill_levels(run, &plot->jobs[i]);
        draw_levels(run, i);
        draw_percentiles(run, panel, i);
    }
}

/* The label of a percentile. */
struct label {
    double position, y; /* y of the percentile and of the text, in pixels */
    const char *name;
    int target;
};

/* Draws the labels of percentiles between the panels, each connected with its percentile
 * by a line. Labels that overlap are moved down. Then labels that stand below the lower
 * edge are moved up. */
static void
draw_labels(const struct run_picture *run)
{
    struct label labels[2 * LABELLED];
    double x = run->time.x + run->time.width;
    double most = PLOT_BOTTOM - 4 + PITCH;
    int count = 0;

    /* Sorted from the top down by insertion. */
    for (int i = 0; i < 2 * run->plot->count; i++) {
        const struct job *job = &run->plot->jobs[i / 2];
        int place = count;
        int64_t value = plot_has_data(job) ? percentile_of(job->stats, i % 2) : -1;

        if (value < 0)
            continue;

        double at = y_of(run, (double)value);
        for (; place > 0 && labels[place - 1].position > at; place--)
            labels[place] = labels[place - 1];
        labels[place] = (struct label){at, at, names[i % 2], i / 2};
        count++;
    }

    for (int i = 1; i < count; i++)
        labels[i].y = fmax(labels[i].position, labels[i - 1].y + PITCH);
    for (int i = count - 1; i >= 0; i--)
        most = labels[i].y = fmin(labels[i].y, most - PITCH);

    for (int i = 0; i < count; i++) {
        const struct label *label = &labels[i];
        svg_path(run->text,
                 plot_class(run->plot, "lead", label->name, label->target).text);
        svg_point(run->text, 'M', x + 2, label->position);
        svg_point(run->text, 'L', x + 14, label->y);
        svg_end(run->text);
        svg_text(run->text, x + 18, label->y + 4, SVG_START, PLOT_SMALL, "dim",
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

    survey(run);
    place_panels(run);
    draw_time(run);
    draw_spread(run);

    if (plot->count <= LABELLED)
        draw_labels(run);

    unsigned entries = run->entries;
    free(run);
    return entries;
}
