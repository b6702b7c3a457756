/*
 * The scales of axes. A table lists the round values: for each kind of value the units,
 * and for each unit the multiples that are round, such as 1, 2, 5, 10 ... us. The two
 * kinds of scale use the round values in different ways:
 * - a linear scale has ticks at equal distances; the distance is a round value;
 * - a log scale has a tick at each round value; or, if these ticks are too close to each
 *   other, at every second, third ... of them.
 */
#include "draw.h"

#include "base/time.h"

#include <math.h>
#include <stdio.h>

/* The round multiples of a unit. */
static const short decimal[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 0};
static const short sixtieth[] = {1, 2, 5, 10, 20, 30, 0};
static const short binary[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0};

#define THOUSAND 1000LL
#define MILLION 1000000LL
#define MILLIARD 1000000000LL
#define KIB 1024LL
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)

/* The units of each kind of value, in ascending order. */
static const struct scale_row {
    enum plot_kind kind;
    const char *name;
    int64_t factor;         /* the round values are the multiples times this */
    int64_t unit;           /* the value of "1 NAME" */
    const short *multiples; /* 0 at the end */
} rows[] = {
    {PLOT_TIME, "ns", 1, 1, decimal},
    {PLOT_TIME, "us", US, US, decimal},
    {PLOT_TIME, "ms", MS, MS, decimal},
    {PLOT_TIME, "s", SECOND, SECOND, sixtieth},
    {PLOT_TIME, "min", MINUTE, MINUTE, sixtieth},
    {PLOT_TIME, "hour", HOUR, HOUR, decimal},
    {PLOT_TIME, "hour", THOUSAND *HOUR, HOUR, decimal},
    {PLOT_COUNT, "", 1, 1, decimal},
    {PLOT_COUNT, "k", THOUSAND, THOUSAND, decimal},
    {PLOT_COUNT, "M", MILLION, MILLION, decimal},
    {PLOT_COUNT, "G", MILLIARD, MILLIARD, decimal},
    {PLOT_COUNT, "T", MILLIARD *THOUSAND, MILLIARD *THOUSAND, decimal},
    {PLOT_COUNT, "P", MILLIARD *MILLION, MILLIARD *MILLION, decimal},
    {PLOT_RATE, "", 1, THOUSAND, decimal},
    {PLOT_RATE, "", THOUSAND, THOUSAND, decimal},
    {PLOT_RATE, "k", MILLION, MILLION, decimal},
    {PLOT_RATE, "M", MILLIARD, MILLIARD, decimal},
    {PLOT_RATE, "G", MILLIARD *THOUSAND, MILLIARD *THOUSAND, decimal},
    {PLOT_RATE, "T", MILLIARD *MILLION, MILLIARD *MILLION, decimal},
    {PLOT_SHARE, "%", 1, THOUSAND, decimal},
    {PLOT_SHARE, "%", THOUSAND, THOUSAND, decimal},
    {PLOT_SPEED, "B/s", 1, 1, decimal},
    {PLOT_SPEED, "KiB/s", KIB, KIB, decimal},
    {PLOT_SPEED, "MiB/s", KIB *KIB, KIB *KIB, decimal},
    {PLOT_SPEED, "GiB/s", KIB *KIB *KIB, KIB *KIB *KIB, decimal},
    {PLOT_SPEED, "TiB/s", KIB *KIB *KIB *KIB, KIB *KIB *KIB *KIB, decimal},
    {PLOT_SPEED, "PiB/s", KIB *KIB *KIB *KIB *KIB, KIB *KIB *KIB *KIB *KIB, decimal},
    {PLOT_SIZE, "B", 1, 1, binary},
    {PLOT_SIZE, "KiB", KIB, KIB, binary},
    {PLOT_SIZE, "MiB", KIB *KIB, KIB *KIB, binary},
    {PLOT_SIZE, "GiB", KIB *KIB *KIB, KIB *KIB *KIB, binary},
};

/* Returns true if the units of KIND are only prefixes such as k and M. These stand beside
 * the ticks, not in the title of the axis. */
static bool
is_plain(enum plot_kind kind)
{
    return kind == PLOT_COUNT || kind == PLOT_RATE;
}

/* Returns the first unit of KIND after ROW (NULL: from the start), or NULL at the end. */
static const struct scale_row *
next_row(enum plot_kind kind, const struct scale_row *row)
{
    const struct scale_row *end = rows + sizeof(rows) / sizeof(rows[0]);
    row = row ? row + 1 : rows;

    while (row < end && row->kind != kind)
        row++;

    return row < end ? row : NULL;
}

bool
plot_axis_spreads(int64_t least, int64_t most, int64_t ratio)
{
    return most / ratio > least || (most / ratio == least && most % ratio > 0);
}

/*
 * Returns the smallest round value that is not below SIZE; if there is none, the largest.
 */
static int64_t
round_up(enum plot_kind kind, double size)
{
    int64_t value = 1;
    for (const struct scale_row *row = NULL; (row = next_row(kind, row));)
        for (const short *multiple = row->multiples; *multiple; multiple++) {
            value = *multiple * row->factor;
            if ((double)value >= size)
                return value;
        }
    return value;
}

/* Returns the largest unit in which all ticks of AXIS, a linear axis, can be written with
 * at most two decimals. */
static const struct scale_row *
find_unit(const struct plot_axis *axis)
{
    const struct scale_row *best = next_row(axis->kind, NULL);

    for (const struct scale_row *row = NULL; (row = next_row(axis->kind, row));) {
        int64_t hundredth = row->unit % 100 ? row->unit : row->unit / 100;
        if ((double)row->unit <= axis->max && axis->spacing % hundredth == 0)
            best = row;
    }

    return best;
}

/* A linear axis covers at least this fraction of its largest value, so that the noise of
 * nearly equal values does not fill the whole axis. */
#define CLOSE 0.05

void
plot_axis_fit(struct plot_axis *axis, int64_t least, int64_t most, bool rounded)
{
    axis->min = (double)least;
    axis->max = fmax((double)most, 1);
    axis->unit = "";

    if (axis->log) {
        axis->min = fmax(axis->min, 1);
        axis->max = fmax(axis->max, axis->min);
        if (axis->max < axis->min * 4) {
            axis->min /= 2;
            axis->max *= 2;
        }
        return;
    }

    if (axis->min * 2 < axis->max || axis->max <= 1) {
        axis->min = 0;
    } else if (axis->max - axis->min < axis->max * CLOSE) {
        double middle = (axis->min + axis->max) / 2;
        axis->min = middle * (1 - CLOSE / 2);
        axis->max = middle * (1 + CLOSE / 2);
    }

    double steps = floor(fmax(axis->to - axis->from, axis->from - axis->to) / axis->gap);
    axis->spacing = round_up(axis->kind, (axis->max - axis->min) / fmax(steps, 1));
    double spacing = (double)axis->spacing;
    axis->min = floor(axis->min / spacing) * spacing;
    if (rounded)
        axis->max = ceil(axis->max / spacing) * spacing;

    if (!is_plain(axis->kind))
        axis->unit = find_unit(axis)->name;
}

double
plot_axis_at(const struct plot_axis *axis, double value)
{
    double least = axis->min;
    double most = axis->max;
    double share = axis->log ? log(fmax(value, least) / least) / log(most / least)
                             : (value - least) / (most - least);
    return axis->from + fmin(fmax(share, 0), 1) * (axis->to - axis->from);
}

/* Returns the tick of VALUE, written in the unit of ROW with at most three decimals; with
 * the name of the unit if NAMED. */
static struct plot_tick
make_tick(const struct plot_axis *axis, int64_t value, const struct scale_row *row,
          bool named)
{
    struct plot_tick tick = {.position = plot_axis_at(axis, (double)value)};
    int64_t thousandths = value % row->unit * 1000 / row->unit;
    const char *name = named && value ? row->name : "";

    snprintf(tick.text, sizeof(tick.text), "%.10g%s%s",
             (double)(value / row->unit) + (double)thousandths / 1000, *name ? " " : "",
             name);
    return tick;
}

/*
 * Stores in TICKS the ticks of a log scale at every STRIDE-th round value. The count
 * starts again at each unit, except for sizes. Leaves out ticks that are too close to
 * others, and sets CLOSE if there were any. Returns the number of ticks.
 */
static int
log_ticks(const struct plot_axis *axis, int stride, bool *close, struct plot_tick *ticks)
{
    int count = 0;
    int ordinal = 0;
    *close = false;

    for (const struct scale_row *row = NULL; (row = next_row(axis->kind, row));)
        for (int i = 0; row->multiples[i]; i++, ordinal++) {
            int64_t value = row->multiples[i] * row->factor;
            bool taken = (axis->kind == PLOT_SIZE ? ordinal : i) % stride == 0;
            if (!taken || (double)value < axis->min || (double)value > axis->max)
                continue;

            struct plot_tick tick = make_tick(axis, value, row, true);
            if (count == PLOT_TICKS ||
                (count && fabs(tick.position - ticks[count - 1].position) < axis->gap))
                *close = true;
            else
                ticks[count++] = tick;
        }

    return count;
}

int
plot_axis_ticks(const struct plot_axis *axis, struct plot_tick *ticks)
{
    static const int decades[] = {1, 3, 9, 0};
    static const int octaves[] = {1, 2, 3, 4, 6, 10, 0};
    const int *stride = axis->kind == PLOT_SIZE ? octaves : decades;
    int count = 0;
    bool close = true;

    if (axis->log) {
        for (; *stride && close; stride++)
            count = log_ticks(axis, *stride, &close, ticks);
        return count;
    }

    const struct scale_row *row = find_unit(axis);
    int64_t value = (int64_t)ceil(axis->min / (double)axis->spacing) * axis->spacing;
    for (; count < PLOT_TICKS && (double)value <= axis->max; value += axis->spacing)
        ticks[count++] = make_tick(axis, value, row, is_plain(axis->kind));

    return count;
}
