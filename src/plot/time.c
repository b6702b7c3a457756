/*
 * The panel of latency over time, which is cut into bins: with many targets into few, so
 * that the plot stays small and clear, and into so few that each has several requests.
 * Band and mean are drawn in steps, a step for each bin, so that no request lies beyond
 * the band; where nothing was sent there is a gap.
 */
#include "draw.h"

#include <math.h>

#define BIN_MARKS 8     /* requests per bin, if all are drawn as marks */
#define BIN_REQUESTS 20 /* requests per bin, if not */
#define BINS_LEAST 40   /* if not */
#define RADIUS 2.5      /* of a mark */
#define CELL 5          /* pixels that a failure takes */
#define STRIPES 3       /* of a cell each, for the failures of several targets */
#define STRIPES_MANY 8  /* of more targets than MANY, so that the plot stays small */
#define MANY 6

bool
plot_time_marks(const struct plot *plot, int target)
{
    const struct track *track = plot->jobs[target].track;
    return track && track->seen <= TRACK_MARKS / (uint64_t)plot->count;
}

int64_t
plot_time_end(const struct track *track)
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
add_to_bin(struct plot_bin *bin, uint64_t count, int64_t min, int64_t max, double sum)
{
    if (bin->count == 0 || min < bin->min)
        bin->min = min;
    if (bin->count == 0 || max > bin->max)
        bin->max = max;
    bin->count += count;
    bin->sum += sum;
}

static int
bin_at(const struct plot_run *run, double offset, int bins)
{
    int bin = (int)(offset / (double)run->span * bins);
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
}

/*
 * Returns the number of bins of the whole time, at least LEAST, of which each has about
 * EACH requests while the target sent any: it may have ended long before others.
 */
static int
choose_bins(const struct plot_run *run, const struct track *track, int each, int least)
{
    double own = fmax((double)plot_time_end(track), 1);
    double bins = (double)track->seen / each * ((double)run->span / own);
    double most = (double)PLOT_BINS / run->plot->count;
    double columns = (double)(run->span >> track->shift) + 1;
    bins = fmax(fmin(bins, most), least);
    return (int)fmax(fmin(bins, columns), 1);
}

static int
bin_marks(struct plot_run *run, const struct track *track)
{
    int bins = choose_bins(run, track, BIN_MARKS, 1);
    for (uint64_t i = 0; i < track->seen; i++) {
        const struct track_mark *mark = &track->marks[i];
        add_to_bin(&run->bins[bin_at(run, (double)mark->offset, bins)], 1, mark->latency,
                   mark->latency, (double)mark->latency);
    }
    return bins;
}

/* Returns the middle of a column, ns after the track's start. */
static double
middle_of(const struct track *track, int column)
{
    return ((double)column + 0.5) * (double)(1LL << track->shift);
}

static int
bin_columns(struct plot_run *run, const struct track *track)
{
    int bins = choose_bins(run, track, BIN_REQUESTS, BINS_LEAST);
    for (int i = 0; i < track->used; i++) {
        const struct track_column *column = &track->columns[i];
        if (column->count)
            add_to_bin(&run->bins[bin_at(run, middle_of(track, i), bins)], column->count,
                       column->min, column->max, column->sum);
    }
    return bins;
}

/* Fills the bins with the requests of a target. Returns the number of bins. */
static int
fill_bins(struct plot_run *run, int target)
{
    const struct track *track = run->plot->jobs[target].track;
    for (int i = 0; i < PLOT_BINS; i++)
        run->bins[i] = (struct plot_bin){0};
    return plot_time_marks(run->plot, target) ? bin_marks(run, track)
                                              : bin_columns(run, track);
}

/* Returns the pixel at which a bin begins. */
static double
bin_x(const struct plot_run *run, int bin, int bins)
{
    const struct plot_axis *axis = &run->time.across;
    return axis->from + (axis->to - axis->from) * bin / bins;
}

/*
 * Fills the bins with the parts of requests, whose marks have none. Few requests have a
 * bin each. Returns the number of bins.
 */
static int
fill_parts(struct plot_run *run, const struct track *track)
{
    bool few = plot_time_marks(run->plot, 0);
    int bins = choose_bins(run, track, few ? 1 : BIN_REQUESTS, few ? 1 : BINS_LEAST);
    for (int i = 0; i < PLOT_BINS; i++)
        run->bins[i] = (struct plot_bin){0};
    for (int i = 0; i < track->used; i++) {
        const struct track_column *column = &track->columns[i];
        struct plot_bin *bin = &run->bins[bin_at(run, middle_of(track, i), bins)];
        bin->count += column->split;
        for (int part = 0; part < PARTS; part++)
            bin->parts[part] += column->parts[part];
        bin->parts[PARTS] += column->sync;
    }
    return bins;
}

/* The lower edge of each part is a level; after the last comes the end of the column. */
enum level { LEVEL_MIN, LEVEL_MEAN, LEVEL_MAX, LEVEL_PART };

/*
 * Returns the pixel of the lower edge of a part. A column is as high as the mean time of
 * its requests, and each part has its share of that height: on an axis from 0 its own
 * height, and on a logarithmic one, where heights do not add up, still its share.
 */
static double
part_y(const struct plot_run *run, const struct plot_bin *bin, int part)
{
    const struct plot_axis *up = &run->time.up;
    double below = 0, all = 0;
    for (int i = 0; i < PLOT_PARTS; i++) {
        below += i < part ? bin->parts[i] : 0;
        all += bin->parts[i];
    }
    double top = plot_axis_at(up, all / (double)bin->count);
    return all > 0 ? up->from + (top - up->from) * (below / all) : up->from;
}

static double
bin_y(const struct plot_run *run, int bin, enum level level)
{
    const struct plot_bin *b = &run->bins[bin];
    if (level >= LEVEL_PART)
        return part_y(run, b, (int)(level - LEVEL_PART));
    double value = level == LEVEL_MIN   ? (double)b->min
                   : level == LEVEL_MAX ? (double)b->max
                                        : b->sum / (double)b->count;
    return plot_axis_at(&run->time.up, value);
}

/* Adds steps through the bins FIRST to LAST to a path: to the right, begun with a move,
 * or BACK. */
static void
trace(struct buffer *text, const struct plot_run *run, int first, int last, int bins,
      enum level level, bool back)
{
    int way = back ? -1 : 1, end = back ? first : last;
    int i = back ? last : first;
    svg_point(text, back ? 'L' : 'M', bin_x(run, i + back, bins), bin_y(run, i, level));
    for (;; i += way) {
        svg_line(text, 'H', bin_x(run, i + !back, bins));
        if (i == end)
            return;
        svg_line(text, 'V', bin_y(run, i + way, level));
    }
}

/* Finds the next bins that are not empty, *FIRST to *LAST, from *FIRST on. Returns false
 * if none is left. */
static bool
find_stretch(const struct plot_run *run, int bins, int *first, int *last)
{
    while (*first < bins && !run->bins[*first].count)
        ++*first;
    *last = *first;
    while (*last + 1 < bins && run->bins[*last + 1].count)
        ++*last;
    return *first < bins;
}

/* Draws the area between two levels. */
static void
draw_area(struct buffer *text, const struct plot_run *run, int bins, enum level lower,
          enum level upper, const char *class)
{
    svg_path(text, class);
    for (int first = 0, last; find_stretch(run, bins, &first, &last); first = last + 1) {
        trace(text, run, first, last, bins, upper, false);
        trace(text, run, first, last, bins, lower, true);
        svg_close(text);
    }
    svg_end(text);
}

/* Bands of several targets overlap, so each is fainter. */
static void
draw_band(struct buffer *text, struct plot_run *run, int target)
{
    static const char *const roles[] = {"band",    "band",    "band b2", "band b4",
                                        "band b4", "band b8", "band b8", "band b8",
                                        "band b8"}; /* by the number of targets */
    char class[PLOT_CLASS];
    if (!plot_is_clear(run->plot))
        return;
    draw_area(text, run, fill_bins(run, target), LEVEL_MIN, LEVEL_MAX,
              plot_class(class, run->plot, roles[run->plot->count], "", target));
}

/* Draws the parts of the time as stacked columns. */
static void
draw_parts(struct buffer *text, struct plot_run *run, int target)
{
    int parts = plot_parts(run->plot);
    int bins = parts ? fill_parts(run, run->plot->jobs[target].track) : 0;
    char class[PLOT_CLASS];
    for (int i = 0; i < parts; i++)
        draw_area(text, run, bins, (enum level)(LEVEL_PART + i),
                  (enum level)(LEVEL_PART + i + 1), plot_part_class(class, "part", i));
}

static void
draw_mean(struct buffer *text, struct plot_run *run, int target)
{
    char class[PLOT_CLASS];
    int bins = fill_bins(run, target);
    svg_path(text, plot_class(class, run->plot, "mean", "", target));
    for (int first = 0, last; find_stretch(run, bins, &first, &last); first = last + 1)
        trace(text, run, first, last, bins, LEVEL_MEAN, false);
    svg_end(text);
}

static void
draw_marks(struct buffer *text, struct plot_run *run, int target)
{
    const struct track *track = run->plot->jobs[target].track;
    char class[PLOT_CLASS];
    if (!plot_time_marks(run->plot, target))
        return;
    plot_class(class, run->plot, "mark", "", target);
    for (uint64_t i = 0; i < track->seen; i++)
        svg_circle(text, class,
                   plot_axis_at(&run->time.across, (double)track->marks[i].offset),
                   plot_axis_at(&run->time.up, (double)track->marks[i].latency), RADIUS);
}

/*
 * Returns the pixel nearest to X in a stripe of TARGET: stripes of the targets take
 * turns, so that failures of one do not hide those of another.
 */
static double
find_cell(const struct plot_run *run, double x, int target)
{
    const struct plot_axis *axis = &run->time.across;
    int count = run->plot->count, stripes = count > MANY ? STRIPES_MANY : STRIPES;
    stripes = count < stripes ? count : stripes;
    double first = axis->from + (target % stripes + 0.5) * CELL;
    double place =
        first + fmax(floor((x - first) / (stripes * CELL) + 0.5), 0) * stripes * CELL;
    return place > axis->to ? place - stripes * CELL : place;
}

static void
draw_exceptions(struct buffer *text, const struct plot_run *run, int target,
                bool failures)
{
    const struct track *track = run->plot->jobs[target].track;
    const char *name = failures ? "fail" : "missed";
    double bottom = PLOT_TOP + PLOT_HEIGHT, last = 0;
    char class[PLOT_CLASS];
    plot_class(class, run->plot, name, name, target);
    for (int i = 0; i < track->used; i++) {
        const struct track_column *column = &track->columns[i];
        double x = plot_axis_at(&run->time.across, middle_of(track, i));
        double place = find_cell(run, x, target);
        if (!(failures ? column->failed : column->missed) || place <= last)
            continue;
        if (failures)
            plot_cross(text, class, place, bottom - 10);
        else
            plot_triangle(text, class, place, bottom - 1.5);
        last = place;
    }
}

#define LABEL_RISE 5 /* pixels from a frame up to a text above it */

/* Shades the time in which a load was there, and names it above. */
static void
draw_background(struct buffer *text, const struct plot_run *run)
{
    const struct svg_font font = {SVG_MIDDLE, PLOT_SMALL, "dim", false};
    const struct plot_panel *panel = &run->time;
    const struct job *job = &run->plot->jobs[0], *background;
    struct buffer name = {0};
    double ends[2], width;
    if (!job->phases || job->phases->current < PHASE_LOADED || !job->track->used ||
        panel->across.gap <= 0)
        return;
    background = job->phases->background;
    int64_t began = background->group.begin - job->track->began;
    int64_t ended =
        background->done ? background->outcome.ended - job->track->began : run->span;
    ends[0] = fmax(plot_axis_at(&panel->across, (double)began), panel->x);
    ends[1] = fmin(plot_axis_at(&panel->across, (double)ended), panel->x + panel->width);
    if (ends[0] >= ends[1])
        return;
    svg_rect(text, "load", ends[0], panel->y, ends[1] - ends[0], panel->height);
    plot_words_background(&name, run->plot);
    width = svg_width(name.failed ? "" : name.text, PLOT_SMALL);
    text->failed |= name.failed;
    double middle = fmin((ends[0] + ends[1]) / 2, panel->x + panel->width - width / 2);
    if (!name.failed)
        svg_text(text, fmax(middle, panel->x + width / 2), panel->y - LABEL_RISE, &font,
                 name.text);
    buffer_free(&name);
}

/* A layer of all targets is drawn before the next, so that small marks stay visible. */
void
plot_time_draw(struct buffer *text, struct plot_run *run)
{
    static void (*const layers[])(struct buffer * text, struct plot_run * run,
                                  int target) = {draw_band, draw_parts, draw_marks,
                                                 draw_mean};
    const struct plot *plot = run->plot;
    plot_panel_draw(text, &run->time);
    draw_background(text, run);
    if (!run->data)
        plot_panel_empty(text, &run->time);
    for (size_t layer = 0; layer < sizeof(layers) / sizeof(layers[0]); layer++)
        for (int i = 0; i < plot->count; i++)
            if (plot_has_data(&plot->jobs[i]))
                layers[layer](text, run, i);
    for (int i = 0; i < plot->count; i++)
        if (plot_has_data(&plot->jobs[i]))
            plot_panel_percentiles(text, plot, &run->time, i);
    for (int i = 0; i < plot->count; i++) {
        draw_exceptions(text, run, i, true);
        draw_exceptions(text, run, i, false);
    }
}
