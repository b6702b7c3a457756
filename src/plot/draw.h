#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "base/units.h"
#include "plot/plot.h"
#include "run/job.h"
#include "svg.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The layout of a plot, and the functions that draw a plot, file by file.
 *
 *    four headings: title, workload, origin, result      (plot.c, words.c)
 *    PLOT_LEFT
 *    |   titles of the vertical axes                      (panel.c)
 *    v
 *    +------------------------+   +------------+  PLOT_TOP
 *    | panel                  |   | panel      |         (run.c or sweep.c, panel.c)
 *    +------------------------+   +------------+  PLOT_BOTTOM
 *       ticks and titles of the horizontal axes          (axis.c, panel.c)
 *    legend: the meaning of the lines                    (targets.c)
 *    table: the figures of each target                   (targets.c)
 *
 * A run of many targets has a row for each target instead of all this (rows.c), and
 * -diagnose has four panels below the headings (diagnosis.c). All
 * functions that draw add SVG elements to TEXT. If memory runs out, TEXT->failed becomes
 * true. Lengths and positions are in pixels, and y grows downwards. A parameter TARGET is
 * the index of a job in the plot, from 0.
 */

#define PLOT_WIDTH 960
#define PLOT_MARGIN 16  /* from the edges of the plot to its contents */
#define PLOT_TOP 128    /* upper edge of the panels */
#define PLOT_HEIGHT 360 /* height of the panels */
#define PLOT_BOTTOM (PLOT_TOP + PLOT_HEIGHT)
/* The left edge of the first panel. The ticks of its y axis are further left. */
#define PLOT_LEFT 84

#define PLOT_FONT 12   /* font size of most texts */
#define PLOT_SMALL 11  /* font size of ticks and labels */
#define PLOT_ROW 18    /* height of a row of the legend or of the table */
#define PLOT_SWATCH 24 /* length of the sample of a line in the legend and the table */
#define PLOT_RING 5    /* radius of the ring around a step that broke a limit */

/* The unit us, as it is written in plots. */
#define PLOT_MICRO "\xc2\xb5s"

/* axis.c: the scales of axes, which turn values into pixels, and the ticks. */

/* The quantity on an axis, and the unit of its values. */
enum plot_kind {
    PLOT_TIME,  /* ns */
    PLOT_COUNT, /* a number of things */
    PLOT_RATE,  /* thousandths of a request per second */
    PLOT_SHARE, /* thousandths of a percent */
    PLOT_SPEED, /* bytes per second */
    PLOT_SIZE,  /* bytes, powers of two; only on a log scale */
};

struct plot_axis {
    enum plot_kind kind;
    bool is_log;         /* the scale is logarithmic, not linear */
    double min, max;     /* values at the ends of the axis */
    double from, to;     /* positions of min and max; from > to if the axis points up */
    double min_tick_gap; /* minimum distance of ticks; 0: the axis has no ticks */
    /* The values at which the axis has ticks, in ascending order. If NULL, the ticks are
     * at round values. */
    const int64_t *values;
    int value_count;
    int64_t tick_step; /* linear axis: difference between the values of two ticks */
    const char *unit;  /* linear axis: unit for the title; "" if each tick has its unit */
};

#define PLOT_TICKS 64 /* maximum number of ticks of an axis */

struct plot_tick {
    double position;
    char text[32]; /* the value; then its unit, unless the title of the axis has it */
};

/* An axis of latency is logarithmic if the longest latency is more than this many times
 * the shortest. On a linear axis, one slow request would squeeze all others into a strip
 * at the bottom. */
#define PLOT_LATENCY_LOG_RATIO 10

/* Returns true if MAX is more than RATIO times MIN. */
bool plot_axis_spreads(int64_t min, int64_t max, int64_t ratio);

/*
 * Completes AXIS so that it covers values from MIN to MAX, which must not be negative.
 * The caller must have set the fields kind, is_log, from, to and min_tick_gap. The caller
 * may also have set the values of ticks. A linear axis starts at 0 or, if all values are
 * close together, at a round value below them. It ends at MAX or, if ROUNDED, at a round
 * value. A log axis starts and ends at round values.
 */
void plot_axis_fit(struct plot_axis *axis, int64_t min, int64_t max, bool rounded);

/* Returns the position of VALUE on AXIS, in pixels. Returns the nearer end of the axis if
 * VALUE lies outside its range. */
double plot_axis_position(const struct plot_axis *axis, double value);

/* Stores the ticks of AXIS in TICKS, in ascending order of their values. TICKS must have
 * PLOT_TICKS elements. Returns the number of ticks. */
int plot_axis_ticks(const struct plot_axis *axis, struct plot_tick *ticks);

/* panel.c: panels, which are frames with axes; and the colours of targets. */

/* A panel: a frame with axes. */
struct plot_panel {
    double x, width;    /* x of the left edge */
    double top, height; /* y of the upper edge */
    struct plot_axis x_axis, y_axis;
    /* The titles of the axes. "": no title. NULL: neither a title nor texts of ticks. */
    const char *x_title, *y_title;
};

/* Returns the y of the lower edge of PANEL. */
static inline double
plot_panel_bottom(const struct plot_panel *panel)
{
    return panel->top + panel->height;
}

/* Draws the frame of PANEL, with grid, ticks and titles. The title of the y axis stands
 * above the frame, at its left edge. The contents must be drawn after the frame, so that
 * they cover the grid. */
void plot_panel_draw(struct buffer *text, const struct plot_panel *panel);

/* Adds the title of AXIS at X, Y. If the axis has ticks, the unit or the scale follows
 * TITLE, such as "latency (µs)" or "latency (log scale)". */
void plot_axis_title(struct buffer *text, double x, double y,
                     const struct plot_axis *axis, const char *title,
                     enum svg_anchor anchor);

/* Writes "no request counted" into the middle of PANEL. */
void plot_panel_empty(struct buffer *text, const struct plot_panel *panel);

/* Returns true if any request of JOB counts, so that there is something to draw. */
bool plot_has_data(const struct job *job);

/* Returns true if PLOT shows a single log of histograms, as a heat map (log.c). */
bool plot_is_log(const struct plot *plot);

/* The maximum number of targets that share a panel. If a run has more targets, its plot
 * has only a row for each of them (rows.c). If a sweep has more targets, its plot has a
 * small panel for each of them (sweep.c). */
#define PLOT_MAX_DETAILED 8
/* The colour of texts, for elements that belong to no target. It can be given to
 * plot_class as COLOUR. */
#define PLOT_INK 6

/* The CSS classes of an SVG element, separated by spaces. */
struct plot_class {
    char text[48];
};

/* Returns the classes for an element of the colour COLOUR, which is the index of a target
 * that shares a panel with others, from 0 to PLOT_MAX_DETAILED - 1, or PLOT_INK. ROLE has
 * classes for the shape of the element, such as "mark". */
struct plot_class plot_class(const char *role, int colour);

/* The parts into which a plot with -breakdown divides the time of requests. From the
 * bottom of the stack to its top: each enum part, then PLOT_SYNC, the flush after a
 * write. */
#define PLOT_SYNC PARTS
#define PLOT_PARTS (PARTS + 1)

/* Returns true if PLOT shows the parts of the time of requests as a stack. This needs a
 * single target. In such a plot, colours stand for parts, and lines have the colour of
 * texts. */
bool plot_has_parts(const struct plot *plot);

/* Returns true if PLOT shows PART. A part is only shown if some request had it. */
bool plot_has_part(const struct plot *plot, int part);

/* Returns the scope of PART, which is an enum part or PLOT_SYNC. */
static inline enum scope
plot_part_scope(int part)
{
    return part < PARTS ? SCOPE_SUBMIT + (enum scope)part : SCOPE_SYNC;
}

/* Returns the classes for an element that shows PART. ROLE is a class for the shape of
 * the element. */
struct plot_class plot_part_class(const char *role, int part);

/* Adds the name of PHASE, not escaped for XML. The name of the loaded phase includes the
 * background load: "under load: write 1 MiB depth 8". */
void plot_phase_name(struct buffer *text, const struct plot *plot, enum phase phase);

/* Draws the sign of a failed request, a cross, if FAILED is true. Otherwise, draws the
 * sign of a missed request, a triangle. The sign is 5 pixels wide and 6 pixels high. X, Y
 * is the middle of its lower edge. */
void plot_exception(struct buffer *text, const char *class, bool failed, double x,
                    double y);

/* The entries of the legend. A set of entries is an unsigned number with a bit for each
 * entry. */
enum plot_entry {
    ENTRY_MARK,   /* a single request */
    ENTRY_BAND,   /* area from the minimum to the maximum */
    ENTRY_MEAN,   /* line of means */
    ENTRY_P50,    /* line of medians */
    ENTRY_P99,    /* line of p99 */
    ENTRY_MAX,    /* line of maxima */
    ENTRY_LOAD,   /* time of the background load */
    ENTRY_FAIL,   /* sign of a failed request */
    ENTRY_MISSED, /* sign of a missed request */
    ENTRY_LIMIT,  /* line of a limit of -slo */
    ENTRY_BROKEN, /* ring around a step that broke a limit */
    ENTRY_PAST,   /* grey mark of a rate that broke a limit */
    ENTRY_KNEE,   /* line at the step that is the answer */
    ENTRY_VALUE,  /* numbers beside points: the swept values */
    ENTRIES
};

/* The bit of an entry: BIT(FAIL) is the bit of ENTRY_FAIL. */
#define BIT(entry) (1u << ENTRY_##entry)

/* Returns true if a limit of -slo can be drawn as a line. It must be a limit of time, for
 * the latency of all requests together. */
static inline bool
plot_limit_is_drawn(const struct slo *slo)
{
    return !slo_is_rate(slo) && !slo->is_relative && slo->scope == SCOPE_ALL &&
           slo->limit > 0;
}

/* run.c: draws the panels of a run. Returns the set of entries that the legend needs. */
unsigned plot_run_draw(struct buffer *text, const struct plot *plot);

/* log.c: draws the panel of a single log of histograms, whose job has a time map. Returns
 * the set of entries that the legend needs. */
unsigned plot_log_draw(struct buffer *text, const struct plot *plot);

/* rows.c: draws a row for each target of a run, from PLOT_TOP downwards. Returns the y at
 * which the rows and their axis end. */
double plot_rows_draw(struct buffer *text, const struct plot *plot);

/* sweep.c: draws the panels of a sweep. Returns the set of entries that the legend needs.
 * Stores in BOTTOM the y at which the lowest panel ends. */
unsigned plot_sweep_draw(struct buffer *text, const struct plot *plot, double *bottom);

/* targets.c: draws the legend in one row. ENTRIES is the set of its entries. Y is the
 * base line of their texts. */
void plot_legend_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                      double y);

/* targets.c: draws the legend and the table of the targets, from Y downwards. ENTRIES is
 * the set of entries of the legend. Returns the y at which the table ends. */
double plot_targets_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                         double y);

#endif
