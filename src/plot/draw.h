#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "plot/plot.h"
#include "run/job.h"
#include "svg.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The layout of a plot, and the functions that draw a plot, in the order of their files.
 *
 *    PLOT_LEFT
 *    |   three lines of text: title, workload, result    (plot.c)
 *    v
 *    +------------------------+   +------------+  PLOT_TOP
 *    | panel                  |   | panel      |         (run.c or sweep.c, panel.c)
 *    +------------------------+   +------------+  PLOT_BOTTOM
 *       ticks and titles of the axes                     (axis.c, panel.c)
 *    legend: the meaning of the lines                    (targets.c)
 *    table: the figures of each target                   (targets.c)
 *
 * All functions that draw add SVG elements to TEXT; if memory runs out, TEXT->failed
 * becomes true. Lengths and positions are in pixels, and y grows downwards. A target is
 * the index of a job, from 0.
 */

#define PLOT_WIDTH 960
#define PLOT_MARGIN 16
#define PLOT_TOP 88     /* upper edge of the panels */
#define PLOT_HEIGHT 360 /* height of the panels */
#define PLOT_BOTTOM (PLOT_TOP + PLOT_HEIGHT)
#define PLOT_LEFT 92 /* left edge of the first panel, with room for ticks and title */

#define PLOT_FONT 12   /* font size of most texts */
#define PLOT_SMALL 11  /* font size of ticks and labels */
#define PLOT_ROW 18    /* height of a row of the legend or of the table */
#define PLOT_SWATCH 24 /* width of the sample of a line in the legend and the table */
#define PLOT_RING 5    /* radius of the ring around a step that broke a limit */

/* axis.c: scales, which turn values into pixels, and the round values for ticks. */

/* What the values of an axis are, and their unit. */
enum plot_kind {
    PLOT_TIME,  /* ns */
    PLOT_COUNT, /* a number of things */
    PLOT_RATE,  /* thousandths of a request per second */
    PLOT_SHARE, /* thousandths of a percent */
    PLOT_SPEED, /* bytes per second; only on a log scale */
    PLOT_SIZE,  /* bytes, powers of two; only on a log scale */
};

struct plot_axis {
    enum plot_kind kind;
    bool log;         /* log scale, not linear */
    double min, max;  /* values at the ends of the axis */
    double from, to;  /* positions of these ends; from > to for an axis that points up */
    double gap;       /* minimum distance of ticks; 0: the axis has no ticks */
    int64_t spacing;  /* linear axis: difference between the values of two ticks */
    const char *unit; /* linear axis: unit for the title, not on the ticks; or "" */
};

#define PLOT_TICKS 64 /* ticks of an axis, at most */

struct plot_tick {
    double position; /* position */
    char text[32];   /* the value, and its unit unless the axis title has the unit */
};

/* The ratio of the largest to the smallest value above which an axis has a log scale. */
#define PLOT_SPREAD 50

/* Returns true if MOST is more than RATIO times LEAST. */
bool plot_axis_spreads(int64_t least, int64_t most, int64_t ratio);

/*
 * Completes AXIS for values from LEAST to MOST, which must not be negative. The fields
 * kind, log, from, to and gap must be set. A linear axis starts at 0; if all values are
 * close together, it starts at a round value below them instead. If ROUNDED, a linear
 * axis also ends at a round value.
 */
void plot_axis_fit(struct plot_axis *axis, int64_t least, int64_t most, bool rounded);

/* Returns the position of VALUE on AXIS; the nearer end if VALUE is not on the axis. */
double plot_axis_at(const struct plot_axis *axis, double value);

/* Stores the ticks of AXIS in TICKS, which has room for PLOT_TICKS, by ascending value.
 * Returns the number of ticks. */
int plot_axis_ticks(const struct plot_axis *axis, struct plot_tick *ticks);

/* panel.c: panels, which are frames with axes; and the colours of targets. */

/* A panel. All panels have the same height. */
struct plot_panel {
    double x, width;
    struct plot_axis across, up; /* horizontal and vertical axis; no ticks if gap is 0 */
    /*
     * The titles of the axes. If up_title is NULL, the vertical axis has no texts at all.
     */
    const char *across_title, *up_title;
};

/* Draws the frame of PANEL, with grid, ticks and titles. The contents must be drawn
 * later, so that they cover the grid. */
void plot_panel_draw(struct buffer *text, const struct plot_panel *panel);

/* Writes "no request counted" into the middle of PANEL. */
void plot_panel_empty(struct buffer *text, const struct plot_panel *panel);

/* Returns true if any request of JOB counts, so that there is something to draw. */
bool plot_has_data(const struct job *job);

/*
 * With more targets than this, each target has fewer lines, so that a plot is readable.
 */
#define PLOT_CLEAR 8
/* A target that stands for all targets: its elements have the colour of text. */
#define PLOT_OF_ALL 6

/* The CSS classes of an SVG element, with spaces between. */
struct plot_class {
    char text[48];
};

/*
 * Returns the classes for an element with a ROLE, such as "mark", that belongs to TARGET.
 * With several targets, the element has the colour and dashes of the target. With one
 * target, it has the colour of LINE, a kind of line such as "p99".
 */
struct plot_class plot_class(const struct plot *plot, const char *role, const char *line,
                             int target);

/* The parts of the time of requests that a plot shows (-breakdown), from the bottom of a
 * column: each enum part, then the flush after a write. */
#define PLOT_SYNC PARTS
#define PLOT_PARTS (PARTS + 1)

/* Returns true if PLOT shows the parts of the time of requests as stacked columns. This
 * needs a single target. The colours then tell parts apart, and lines have the colour of
 * text. */
bool plot_has_parts(const struct plot *plot);

/* Returns true if PLOT shows PART: it shows only parts that some request had. */
bool plot_has_part(const struct plot *plot, int part);

/* Returns the scope of PART, an enum part or PLOT_SYNC. */
static inline enum scope
plot_part_scope(int part)
{
    return part < PARTS ? SCOPE_SUBMIT + (enum scope)part : SCOPE_SYNC;
}

/* Returns the classes for an element with a ROLE that shows PART. */
struct plot_class plot_part_class(const char *role, int part);

/* Adds the name of PHASE, not escaped for XML. The name of the loaded phase includes the
 * background load: "under load: write 1 MiB depth 8". */
void plot_phase_name(struct buffer *text, const struct plot *plot, enum phase phase);

/* Draws the sign for a failed request (a cross), or, if FAILED is false, for a missed one
 * (a triangle). It is 5 pixels wide and 6 high; X, Y is the middle of its lower edge. */
void plot_exception(struct buffer *text, const char *class, bool failed, double x,
                    double y);

/* The entries of the legend. A set of entries has a bit for each entry. */
enum plot_entry {
    ENTRY_MARK,
    ENTRY_BAND,
    ENTRY_MEAN,
    ENTRY_P50,
    ENTRY_P99,
    ENTRY_MAX,
    ENTRY_FAIL,
    ENTRY_MISSED,
    ENTRY_LIMIT,
    ENTRY_BROKEN,
    ENTRY_KNEE,
    ENTRY_VALUE,
    ENTRIES
};

#define BIT(entry) (1u << ENTRY_##entry)

/* run.c: draws the panels of a run. Returns the set of entries for the legend. */
unsigned plot_run_draw(struct buffer *text, const struct plot *plot);

/* sweep.c: draws the panels of a sweep. Returns the set of entries for the legend. */
unsigned plot_sweep_draw(struct buffer *text, const struct plot *plot);

/* targets.c: draws a legend with ENTRIES and the table of the targets, below Y. Returns
 * the y at which they end. */
double plot_targets_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                         double y);

#endif
