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
    int64_t step;       /* of a linear one: the difference between two ticks */
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

/*
 * The arithmetic of drawing without <math.h>: to load libm takes longer than the first
 * request of every run, drawn or not. Numbers are finite and their integral parts below
 * 2^63.
 */

static inline double
number_least(double a, double b)
{
    return a < b ? a : b;
}

static inline double
number_most(double a, double b)
{
    return a > b ? a : b;
}

/* Returns the distance of two numbers. */
static inline double
number_between(double a, double b)
{
    return a > b ? a - b : b - a;
}

static inline double
number_floor(double number)
{
    double whole = (double)(int64_t)number;
    return whole > number ? whole - 1 : whole;
}

static inline double
number_ceil(double number)
{
    return -number_floor(-number);
}

/*
 * The natural logarithm of a NUMBER above 0, to some 10^-12: ln 2 for each halving or
 * doubling until it is between the roots of 1/2 and of 2, and of the rest the series
 * 2 (t + t^3/3 + t^5/5 + ...) of t = (x - 1) / (x + 1), which is below 0.172 (Abramowitz
 * and Stegun, Handbook of Mathematical Functions, 4.1.27).
 */
static inline double
number_log(double number)
{
    double sum = 0, logarithm = 0;
    for (; number > 1.4142135623730951; number /= 2)
        logarithm += 0.69314718055994531;
    for (; number < 0.70710678118654752; number *= 2)
        logarithm -= 0.69314718055994531;
    double t = (number - 1) / (number + 1), power = t;
    for (int i = 1; i < 17; i += 2, power *= t * t)
        sum += power / i;
    return logarithm + 2 * sum;
}

#endif
