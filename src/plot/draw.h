#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "plot/plot.h"
#include "run/job.h"
#include "svg.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The layout of a plot and the functions that draw it, file by file. Each adds elements
 * to TEXT; if memory runs out, `failed` of TEXT is set. Lengths are pixels, y grows
 * downwards. A target is the index of a job, from 0.
 */

#define PLOT_WIDTH 960
#define PLOT_MARGIN 16
#define PLOT_TOP 88     /* of the panels */
#define PLOT_HEIGHT 360 /* of the panels */
#define PLOT_BOTTOM (PLOT_TOP + PLOT_HEIGHT)
#define PLOT_LEFT 92 /* of the first panel: ticks and title stand before it */

#define PLOT_FONT 12 /* of most texts */
#define PLOT_SMALL 11
#define PLOT_ROW 18    /* of the legend and of the table */
#define PLOT_SWATCH 24 /* length of the sample of a line in them */
#define PLOT_RING 5    /* radius of that around a step that broke a limit */

/* axis.c: scales: values to pixels, and the round values on them. */

enum plot_kind {
    PLOT_TIME,  /* ns */
    PLOT_COUNT, /* a number of things */
    PLOT_RATE,  /* per second, in thousandths */
    PLOT_SHARE, /* thousandths of a percent */
    PLOT_SPEED, /* bytes per second; only on a log scale */
    PLOT_SIZE,  /* bytes, powers of two; only on a log scale */
};

struct plot_axis {
    enum plot_kind kind;
    bool log;
    double least, most; /* the values at its ends */
    double from, to;    /* the pixels of its ends, in either order */
    double gap;         /* pixels from one tick to the next, at least */
    int64_t spacing;    /* of a linear one: the difference between two ticks */
    const char *unit;   /* of a linear one: the unit that its ticks leave out, or "" */
};

/* The most ticks that fit on any axis. */
#define PLOT_TICKS 64

struct plot_tick {
    double at;     /* pixels */
    char text[32]; /* with the unit, unless the axis has that */
};

/* A log scale is needed where the ratio of the largest to the least value exceeds it. */
#define PLOT_SPREAD 50

/* Returns true if MOST is more than RATIO times LEAST. */
bool plot_axis_spreads(int64_t least, int64_t most, int64_t ratio);

/*
 * Completes AXIS, of which kind, log, from, to and gap are set, for values from
 * LEAST to MOST, not negative. A linear one begins at 0 or, if all of them are
 * close together, at a round value below; if ROUNDED it ends at one too.
 */
void plot_axis_fit(struct plot_axis *axis, int64_t least, int64_t most, bool rounded);

/* Returns the pixel of a value; of one beyond the ends, the end. */
double plot_axis_at(const struct plot_axis *axis, double value);

/* Fills TICKS, upwards, with room for PLOT_TICKS. Returns their number. */
int plot_axis_ticks(const struct plot_axis *axis, struct plot_tick *ticks);

/* panel.c: frames with axes, and the looks of targets. */

/* A frame, as high as all are, with axes; one whose gap is 0 has no ticks, one without
 * title no texts. */
struct plot_panel {
    double x, width;
    struct plot_axis across, up;
    const char *across_title, *up_title;
};

/* Draws the frame, its grid, ticks and titles; its contents have to follow. */
void plot_panel_draw(struct buffer *text, const struct plot_panel *panel);

/* Says in the middle of a panel that no request counted. */
void plot_panel_empty(struct buffer *text, const struct plot_panel *panel);

/* Returns true if any request of the job counts, so that there is one to draw. */
bool plot_has_data(const struct job *job);

#define PLOT_CLEAR 8  /* the most targets of which several lines each stay readable */
#define PLOT_OF_ALL 6 /* the target of what is of all: it has the colour of text */

/* The classes of an element, with blanks between. */
struct plot_class {
    char text[48];
};

/* Returns the classes of what is drawn for TARGET in a ROLE such as "mark": in its colour
 * and dashes or, if it is the only one, in the colour of LINE, such as "p99". */
struct plot_class plot_class(const struct plot *plot, const char *role, const char *line,
                             int target);

/* What is drawn as a part of the time of requests, from the bottom: each enum part, and
 * last the flush after a write. */
#define PLOT_SYNC PARTS
#define PLOT_PARTS (PARTS + 1)

/* Returns whether parts of the time of requests are drawn, as stacked columns: those of
 * the only target. All else has the colour of text then. */
bool plot_has_parts(const struct plot *plot);

/* Returns whether PART is drawn: flushes and PART_STACK only where there was any. */
bool plot_has_part(const struct plot *plot, int part);

/* Returns the scope of a part, from 0. */
static inline enum scope
plot_part_scope(int part)
{
    return part < PARTS ? SCOPE_SUBMIT + (enum scope)part : SCOPE_SYNC;
}

/* Returns the classes of a part in a ROLE. */
struct plot_class plot_part_class(const char *role, int part);

/* Adds the name of a phase, not escaped; of that with a load what it is, such as "under
 * load: write 1 MiB depth 8". */
void plot_phase_name(struct buffer *text, const struct plot *plot, enum phase phase);

/* Draws a FAILED request, or one that was missed, 5 pixels wide, 6 high, its lower end at
 * X, Y. */
void plot_exception(struct buffer *text, const char *class, bool failed, double x,
                    double y);

/* The entries that a legend may have; a set of them has a bit for each. */
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

/* run.c, sweep.c: draw the panels of a run, or of a sweep. Return the entries of what
 * they have drawn. */
unsigned plot_run_draw(struct buffer *text, const struct plot *plot);
unsigned plot_sweep_draw(struct buffer *text, const struct plot *plot);

/* targets.c: draws a legend of ENTRIES and the table of the targets, from Y on. Returns
 * where they end. */
double plot_targets_draw(struct buffer *text, const struct plot *plot, unsigned entries,
                         double y);

#endif
