#ifndef PLOT_AXIS_H
#define PLOT_AXIS_H

#include <stdbool.h>
#include <stdint.h>

/* The scales of a plot: values to pixels, and the round values on them. */

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

#endif
