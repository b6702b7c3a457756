/*
 * The time panel of a run: latency over time. It divides the time of the run into bins
 * (fill_bins). A bin should have several requests. If there are many targets, there are
 * few bins, so that the file stays small and the plot clear. The band from minimum to
 * maximum and the mean are drawn as steps, one step for each bin, so that no request lies
 * outside of the band. Where no request was sent, the lines have a gap.
 */
#include "time_panel.h"

#include "run_picture.h"

#include <math.h>
#include <string.h>

/* average number of requests in a bin, unless every request is drawn as a mark */
#define REQUESTS_PER_BIN 20
/* average number of requests in a bin, if every request is drawn as a mark */
#define MARKS_PER_BIN 8
#define MIN_UNMARKED_BINS 40 /* minimum number of bins if there are no marks */

/* Lengths in pixels. */
#define MARK_RADIUS 2.5
#define LABEL_RISE 5 /* from a frame up to a text above it */
#define CELL_WIDTH 5 /* width of the sign of a failed or missed request */

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

/* Returns the middle of COLUMN of TRACK, in ns after the start of the track. */
static double
column_middle(const struct track *track, int column)
{
    return ((double)column + 0.5) * (double)(1LL << track->shift);
}

/* What the lines and areas show that are drawn from the bins. */
enum bin_kind {
    BIN_LATENCIES, /* the latencies of all requests that count */
    BIN_PARTS,     /* the parts of the time of requests that were split into parts */
};

/*
 * Returns how many bins divide the time span of the plot. While TARGET sends requests, a
 * bin should have a constant number of them on average. As TARGET may have ended long
 * before the other targets, the time span may need more bins than TARGET fills. If there
 * are few requests, each request with parts has a bin for itself.
 */
static int
choose_bin_count(const struct run_picture *run, int target, enum bin_kind kind)
{
    const struct track *track = run->plot->jobs[target].track;
    int requests_per_bin = REQUESTS_PER_BIN;
    double min_count = MIN_UNMARKED_BINS;
    double max_count = (double)PLOT_BINS / run->plot->count;
    double column_count = (double)(run->time_span >> track->shift) + 1;

    if (run_picture_has_marks(run->plot, target)) {
        requests_per_bin = kind == BIN_PARTS ? 1 : MARKS_PER_BIN;
        min_count = 1;
    }

    double target_span = fmax((double)run_picture_end(track), 1);
    double spans = (double)run->time_span / target_span;
    double count = (double)track->request_count / requests_per_bin * spans;

    count = fmin(count, max_count);
    count = fmax(count, min_count);
    /* A column of the track goes into a single bin, so bins that are shorter than a
     * column could stay empty between others. */
    count = fmin(count, column_count);
    return (int)fmax(count, 1);
}

/* Adds the requests of COLUMN, which started at about OFFSET ns, to their bin. */
static void
add_to_bin(struct run_picture *run, double offset, const struct track_column *column)
{
    double position = offset / (double)run->time_span * run->bin_count;
    int bin = (int)fmin(fmax(position, 0), run->bin_count - 1);

    track_column_add(&run->bins[bin], column);
}

/* Adds each mark of TRACK to its bin. */
static void
add_marks_to_bins(struct run_picture *run, const struct track *track)
{
    for (uint64_t i = 0; i < track->request_count; i++) {
        const struct track_mark *mark = &track->marks[i];
        struct track_column column = {.count = 1,
                                      .min = mark->latency,
                                      .max = mark->latency,
                                      .sum = (double)mark->latency};

        add_to_bin(run, (double)mark->offset, &column);
    }
}

/* Adds each column of TRACK to the bin that its middle lies in. For BIN_PARTS, the count
 * of a bin is the number of requests that were split. */
static void
add_columns_to_bins(struct run_picture *run, const struct track *track,
                    enum bin_kind kind)
{
    for (int i = 0; i < track->column_count; i++) {
        struct track_column column = track->columns[i];

        if (kind == BIN_PARTS)
            column.count = column.split_count;
        add_to_bin(run, column_middle(track, i), &column);
    }
}

/* Fills the bins with the requests of TARGET. They come from the marks of the track, if
 * all requests have marks. The parts come from the columns, because marks have no
 * parts. */
static void
fill_bins(struct run_picture *run, int target, enum bin_kind kind)
{
    const struct track *track = run->plot->jobs[target].track;

    run->bin_count = choose_bin_count(run, target, kind);
    memset(run->bins, 0, sizeof(run->bins));

    if (run_picture_has_marks(run->plot, target) && kind == BIN_LATENCIES)
        add_marks_to_bins(run, track);
    else
        add_columns_to_bins(run, track, kind);
}

/* An edge of a bin: a y at which a line or area of the bin can end. EDGE_PART + I is the
 * lower edge of part I of the stacked column, and EDGE_PART + PLOT_PARTS is the top of
 * the stacked column. */
enum edge { EDGE_MIN, EDGE_MEAN, EDGE_MAX, EDGE_PART };

/*
 * Returns the y of the lower edge of PART of BIN, or for PART PLOT_PARTS, the y of the
 * top of the stacked column. The column is as high as the mean latency of its requests,
 * and each part gets its share of this height. On a linear axis, the height of a part is
 * also its time. On a log axis, heights do not add up, so only the share has a meaning.
 */
static double
part_y(const struct run_picture *run, const struct track_column *bin, int part)
{
    double bottom = run->time_panel.y_axis.from;
    double below = 0; /* sum of the parts below PART */
    double total = 0; /* sum of all parts */

    for (int i = 0; i < PLOT_PARTS; i++) {
        double sum = i < PARTS ? bin->parts[i] : bin->sync;

        if (i < part)
            below += sum;
        total += sum;
    }

    if (total <= 0)
        return bottom;

    double top = run_picture_y(run, total / (double)bin->count);
    return bottom + (top - bottom) * (below / total);
}

/* Returns the y of EDGE of the bin INDEX, which must not be empty. */
static double
edge_y(const struct run_picture *run, int index, enum edge edge)
{
    const struct track_column *bin = &run->bins[index];

    switch (edge) {
    case EDGE_MIN:
        return run_picture_y(run, (double)bin->min);
    case EDGE_MEAN:
        return run_picture_y(run, bin->sum / (double)bin->count);
    case EDGE_MAX:
        return run_picture_y(run, (double)bin->max);
    default:
        return part_y(run, bin, (int)(edge - EDGE_PART));
    }
}

/* Returns the x at which BIN begins. The end of the last bin is bin_x(bin_count). */
static double
bin_x(const struct run_picture *run, int bin)
{
    const struct plot_axis *axis = &run->time_panel.x_axis;
    return axis->from + (axis->to - axis->from) * bin / run->bin_count;
}

/* Adds EDGE of the bins FIRST to LAST to the current path, as steps from the left to the
 * right. Begins with a move. */
static void
add_steps_rightwards(const struct run_picture *run, int first, int last, enum edge edge)
{
    svg_point(run->text, 'M', bin_x(run, first), edge_y(run, first, edge));
    svg_line(run->text, 'H', bin_x(run, first + 1));

    for (int i = first + 1; i <= last; i++) {
        svg_line(run->text, 'V', edge_y(run, i, edge));
        svg_line(run->text, 'H', bin_x(run, i + 1));
    }
}

/* Adds EDGE of the bins FIRST to LAST to the current path, as steps from the right to the
 * left. Begins with a line from the end of the path. */
static void
add_steps_leftwards(const struct run_picture *run, int first, int last, enum edge edge)
{
    svg_point(run->text, 'L', bin_x(run, last + 1), edge_y(run, last, edge));
    svg_line(run->text, 'H', bin_x(run, last));

    for (int i = last - 1; i >= first; i--) {
        svg_line(run->text, 'V', edge_y(run, i, edge));
        svg_line(run->text, 'H', bin_x(run, i));
    }
}

/* Draws the area between the edges LOWER and UPPER, or a line if both are the same edge.
 * Empty bins make gaps: the bins between two gaps are drawn together. */
static void
draw_bins(const struct run_picture *run, enum edge lower, enum edge upper,
          const char *class)
{
    int first = 0;

    svg_path(run->text, class);

    while (first < run->bin_count) {
        int last = first;

        if (!run->bins[first].count) {
            first++;
            continue;
        }
        while (last + 1 < run->bin_count && run->bins[last + 1].count)
            last++;

        add_steps_rightwards(run, first, last, upper);
        if (lower != upper) {
            add_steps_leftwards(run, first, last, lower);
            svg_close(run->text);
        }
        first = last + 1;
    }

    svg_end(run->text);
}

/* Draws the band of TARGET, from the minimum to the maximum of each bin, unless there are
 * many targets. The more targets there are, the fainter is the band. */
static void
draw_band(const struct run_picture *run, int target)
{
    /* The classes by the number of targets. */
    static const char *const bands[PLOT_MAX_DETAILED + 1] = {
        "band",    "band",    "band b2", "band b4", "band b4",
        "band b8", "band b8", "band b8", "band b8"};
    const struct plot *plot = run->plot;

    if (plot->count <= PLOT_MAX_DETAILED)
        draw_bins(run, EDGE_MIN, EDGE_MAX,
                  plot_class(plot, bands[plot->count], "", target).text);
}

/* Draws the stacked columns of the parts, from the lowest part up. */
static void
draw_parts(const struct run_picture *run)
{
    for (int i = 0; i < PLOT_PARTS; i++)
        if (plot_has_part(run->plot, i))
            draw_bins(run, (enum edge)(EDGE_PART + i), (enum edge)(EDGE_PART + i + 1),
                      plot_part_class("part", i).text);
}

/* Draws each request of TARGET as a mark, if the target has few requests. */
static void
draw_marks(const struct run_picture *run, int target)
{
    const struct track *track = run->plot->jobs[target].track;
    const struct plot_class class = plot_class(run->plot, "mark", "", target);

    if (!run_picture_has_marks(run->plot, target))
        return;

    for (uint64_t i = 0; i < track->request_count; i++) {
        const struct track_mark *mark = &track->marks[i];

        svg_circle(run->text, class.text,
                   plot_axis_position(&run->time_panel.x_axis, (double)mark->offset),
                   run_picture_y(run, (double)mark->latency), MARK_RADIUS);
    }
}

/* The layers of the time panel. Each layer covers the layers before it. */
enum layer {
    LAYER_BAND,        /* area from minimum to maximum */
    LAYER_PARTS,       /* stacked columns (-breakdown) */
    LAYER_MARKS,       /* single requests */
    LAYER_MEAN,        /* line of means */
    LAYER_PERCENTILES, /* lines of p50 and p99 */
    LAYERS
};

/* Draws one layer of TARGET, which has data. */
static void
draw_layer(struct run_picture *run, int target, enum layer layer)
{
    fill_bins(run, target, layer == LAYER_PARTS ? BIN_PARTS : BIN_LATENCIES);

    switch (layer) {
    case LAYER_BAND:
        draw_band(run, target);
        break;
    case LAYER_PARTS:
        draw_parts(run);
        break;
    case LAYER_MARKS:
        draw_marks(run, target);
        break;
    case LAYER_MEAN:
        draw_bins(run, EDGE_MEAN, EDGE_MEAN,
                  plot_class(run->plot, "mean", "", target).text);
        break;
    case LAYER_PERCENTILES:
        run_picture_draw_percentiles(run, &run->time_panel, target);
        break;
    case LAYERS:
        break;
    }
}

/* Returns N if each target has every N-th cell for the signs of its failed and missed
 * requests (see MAX_STRIDE). */
static int
choose_cell_stride(const struct plot *plot)
{
    int max_stride = plot->count > MAX_DENSE_TARGETS ? MAX_SPARSE_STRIDE : MAX_STRIDE;
    return plot->count < max_stride ? plot->count : max_stride;
}

/*
 * Draws the signs of the failed requests of TARGET, or if FAILED is false, of its missed
 * requests, below all latencies. Each sign is moved to the nearest cell of TARGET, so
 * that signs of different targets do not hide one another. If several requests have the
 * same cell, they have one sign.
 */
static void
draw_exceptions(const struct run_picture *run, int target, bool failed)
{
    const struct track *track = run->plot->jobs[target].track;
    const struct plot_axis *axis = &run->time_panel.x_axis;
    const char *name = failed ? "fail" : "missed";
    const struct plot_class class = plot_class(run->plot, name, name, target);
    int stride = choose_cell_stride(run->plot);
    double cell_distance = stride * CELL_WIDTH;
    double first_cell = axis->from + (target % stride + 0.5) * CELL_WIDTH;
    double bottom = PLOT_BOTTOM - (failed ? 10 : 1.5);
    double last_cell = 0; /* x of the cell with the last sign so far */

    for (int i = 0; i < track->column_count; i++) {
        const struct track_column *column = &track->columns[i];
        uint64_t count = failed ? column->failed : column->missed;
        double x = plot_axis_position(axis, column_middle(track, i));
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

/* Returns true if the time of a background load can be shown: the load has begun, and
 * there is a time axis. */
static bool
has_background(const struct run_picture *run)
{
    const struct job *job = &run->plot->jobs[0];

    return job->phases && job->phases->current >= PHASE_LOADED &&
           job->track->column_count > 0 && run->time_panel.x_axis.min_tick_gap > 0;
}

/* Shades the time of the background load, and writes the name of the load above it. */
static void
draw_background(const struct run_picture *run)
{
    const struct plot_panel *panel = &run->time_panel;
    const struct job *job = &run->plot->jobs[0];
    struct buffer name = {0};

    if (!has_background(run))
        return;

    const struct job *background = job->phases->background;
    int64_t began = background->group.begin_at - job->track->began_at;
    int64_t ended = run->time_span;
    if (background->has_ended)
        ended = background->outcome.ended_at - job->track->began_at;

    double panel_end = panel->x + panel->width;
    double left = fmax(plot_axis_position(&panel->x_axis, (double)began), panel->x);
    double right = fmin(plot_axis_position(&panel->x_axis, (double)ended), panel_end);
    if (left >= right)
        return;

    svg_rect(run->text, "load", left, PLOT_TOP, right - left, PLOT_HEIGHT);

    /* The name is centred, but must not reach beyond the panel. */
    plot_phase_name(&name, run->plot, PHASE_LOADED);
    double half_width = svg_width(name.failed ? "" : name.text, PLOT_SMALL) / 2;
    double middle = fmin((left + right) / 2, panel_end - half_width);
    middle = fmax(middle, panel->x + half_width);
    svg_buffer(run->text, middle, PLOT_TOP - LABEL_RISE, SVG_MIDDLE, PLOT_SMALL, "dim",
               &name);
}

void
plot_time_panel_draw(struct run_picture *run)
{
    const struct plot *plot = run->plot;

    plot_panel_draw(run->text, &run->time_panel);
    draw_background(run);

    if (!run->has_data)
        plot_panel_empty(run->text, &run->time_panel);

    for (enum layer layer = 0; layer < LAYERS; layer++)
        for (int i = 0; i < plot->count; i++)
            if (plot_has_data(&plot->jobs[i]))
                draw_layer(run, i, layer);

    for (int i = 0; i < plot->count; i++) {
        draw_exceptions(run, i, true);
        draw_exceptions(run, i, false);
    }
}
