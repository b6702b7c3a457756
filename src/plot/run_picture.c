/*
 * What the panels of the plot of a run share: percentiles, positions, and bins. Bins are
 * equal parts of the time of the run. Lines and areas are drawn as steps, one step for
 * each bin. A bin should have several requests. If there are many targets, there are few
 * bins, so that the file stays small and the plot clear. Where no request was sent, the
 * lines have a gap.
 */
#include "run_picture.h"

#include <math.h>
#include <string.h>

const char *const run_quantile_names[PLOT_QUANTILES] = {"p50", "p90", "p99", "max"};

int64_t
run_series_quantile(const struct run_series *series, int index)
{
    if (series->latencies.moments->count == 0)
        return -1;
    if (index == PLOT_QUANTILES - 1)
        return series->latencies.max;

    /* The default percentiles begin with 50, 90 and 99. */
    return latencies_known_percentile(&series->latencies,
                                      &percentiles_default.list[index]);
}

int64_t
run_picture_end(const struct track *track)
{
    int64_t end = (int64_t)track->column_count << track->shift;
    int64_t last = 0;

    if (!track_has_all_marks(track))
        return end;

    for (uint64_t i = 0; i < track->request_count; i++)
        last = track->marks[i].offset > last ? track->marks[i].offset : last;

    /* Failed and missed requests have no marks. So if the last column begins after the
     * last mark, the last request failed or was missed. The exact time of that request is
     * not known. */
    bool is_in_last_column = end - last <= (int64_t)1 << track->shift;
    return is_in_last_column ? last : end;
}

bool
run_picture_has_marks(const struct plot *plot, int target)
{
    const struct track *track = plot->jobs[target].track;
    return track_has_all_marks(track) &&
           track->request_count <= TRACK_MARKS / (uint64_t)plot->count;
}

double
run_picture_y(const struct run_picture *run, double latency)
{
    return plot_axis_position(&run->time_panel.y_axis, latency);
}

/* average number of requests in a bin, unless every request is drawn as a mark */
#define REQUESTS_PER_BIN 20
/* average number of requests in a bin, if every request is drawn as a mark */
#define MARKS_PER_BIN 8
#define MIN_UNMARKED_BINS 40 /* minimum number of bins if there are no marks */

double
run_column_middle(const struct track *track, int column)
{
    return ((double)column + 0.5) * (double)(1LL << track->shift);
}

/*
 * Returns into how many bins the time span of the plot is divided. While TARGET sends
 * requests, each bin should get a certain number of them on average. The bins cover the
 * whole time span, even if TARGET ended long before the other targets. If there are few
 * requests, the number of requests per bin is 1 for BIN_PARTS.
 */
static int
choose_bin_count(const struct run_picture *run, int target, enum bin_kind kind)
{
    const struct track *track = run->plot->jobs[target].track;
    int requests_per_bin = REQUESTS_PER_BIN;
    double min_count = MIN_UNMARKED_BINS;
    double max_count = (double)PLOT_BINS / run->plot->count;
    double column_count = (double)(run->time_span >> track->shift);

    if (run_picture_has_marks(run->plot, target)) {
        requests_per_bin = kind == BIN_PARTS ? 1 : MARKS_PER_BIN;
        min_count = 1;
    }

    double target_span = fmax((double)run_picture_end(track), 1);
    double spans = (double)run->time_span / target_span;
    double count = (double)track->request_count / requests_per_bin * spans;

    count = fmin(count, max_count);
    count = fmax(count, min_count);
    /* A column of the track goes into a single bin. If bins were shorter than columns,
     * some bins would stay empty. */
    count = fmin(count, column_count);
    return (int)fmax(count, 1);
}

/* Adds the requests of COLUMN to the bin of the time OFFSET, in ns after the start of the
 * track. */
static void
add_to_bin(struct run_picture *run, double offset, const struct track_column *column)
{
    double position = offset / (double)run->time_span * run->bin_count;
    int bin = (int)fmin(fmax(position, 0), run->bin_count - 1);

    track_column_add(&run->bins[bin], column);
}

/* Adds each request of SERIES to its bin. The requests come from the marks of the track.
 */
static void
add_marks_to_bins(struct run_picture *run, const struct run_series *series)
{
    const struct track *track = run->plot->jobs[series->target].track;

    for (uint64_t i = 0; i < track->request_count; i++) {
        const struct track_mark *mark = &track->marks[i];
        struct track_column column = {.count = 1,
                                      .min = mark->latency,
                                      .max = mark->latency,
                                      .sum = (double)mark->latency};

        if (run_series_has(series, mark->operation))
            add_to_bin(run, (double)mark->offset, &column);
    }
}

/* Adds each column of the track of SERIES to the bin in which the middle of the column
 * lies. For BIN_PARTS, the count of a bin is the number of requests that were split into
 * parts. If SERIES is an operation, only the count and the sum of a bin are of this
 * operation; the other fields are of all requests. */
static void
add_columns_to_bins(struct run_picture *run, const struct run_series *series,
                    enum bin_kind kind)
{
    const struct track *track = run->plot->jobs[series->target].track;

    for (int i = 0; i < track->column_count; i++) {
        struct track_column column = track->columns[i];

        if (kind == BIN_PARTS)
            column.count = column.split_count;
        if (scope_is_operation(series->scope)) {
            enum operation operation = scope_operation(series->scope);
            column.count = column.operation_counts[operation];
            column.sum = column.operation_sums[operation];
        }
        add_to_bin(run, run_column_middle(track, i), &column);
    }
}

/* Continues the parts of the longest request of a bin in the empty bins after it, up to
 * the end of this request. Otherwise, requests that wait for long would leave gaps. */
static void
continue_parts(struct run_picture *run)
{
    double bin_time = (double)run->time_span / run->bin_count;
    int source = -1; /* the last bin in which a request started */

    for (int i = 0; i < run->bin_count; i++) {
        if (run->bins[i].count) {
            source = i;
            continue;
        }
        if (source < 0)
            continue;

        double end = source * bin_time + (double)run->bins[source].max;
        if (i * bin_time < end)
            run->bins[i] = run->bins[source];
    }
}

void
run_bins_fill(struct run_picture *run, const struct run_series *series,
              enum bin_kind kind)
{
    run->bin_count = choose_bin_count(run, series->target, kind);
    memset(run->bins, 0, sizeof(run->bins));

    if (run_picture_has_marks(run->plot, series->target) && kind == BIN_LATENCIES)
        add_marks_to_bins(run, series);
    else
        add_columns_to_bins(run, series, kind);
    if (kind == BIN_PARTS)
        continue_parts(run);
}

/* Returns the y of the lower edge of PART in the panel of parts, for the requests of BIN.
 * If PART is PLOT_PARTS, returns the y of the top of the stack. */
static double
part_y(const struct run_picture *run, const struct track_column *bin, int part)
{
    double below = 0; /* sum of the parts below PART */
    double total = 0; /* sum of all parts */

    for (int i = 0; i < PLOT_PARTS; i++) {
        double sum = i < PARTS ? bin->parts[i] : bin->sync;

        if (i < part)
            below += sum;
        total += sum;
    }

    double share = total > 0 ? below / total : 0;
    return plot_axis_position(&run->parts_panel.y_axis, share * PLOT_WHOLE);
}

/* Returns the y at which EDGE lies in the bin INDEX. The bin must not be empty. */
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

/* Returns the x at which BIN begins. If BIN is bin_count, returns the x at which the last
 * bin ends. */
static double
bin_x(const struct run_picture *run, int bin)
{
    const struct plot_axis *axis = &run->time_panel.x_axis;
    return axis->from + (axis->to - axis->from) * bin / run->bin_count;
}

/* Adds EDGE of the bins FIRST to LAST to the current path, as steps from left to right.
 * Moves to the start of the steps without drawing. */
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

/* Adds EDGE of the bins FIRST to LAST to the current path, as steps from right to left.
 * Draws a line from the end of the path to the start of the steps. */
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

void
run_bins_draw(const struct run_picture *run, enum edge lower, enum edge upper,
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
