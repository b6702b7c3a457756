/*
 * Scales. Round values are a table: units, each with the multiples of it that are
 * round. A linear scale takes one of them as the distance of its ticks; a log
 * scale takes all of them as ticks, or every second, third ... of each unit,
 * until they are far enough apart.
 */
#include "axis.h"

#include "base/time.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

struct row {
    const char *name;       /* NULL: after the last */
    int64_t factor;         /* of the multiples */
    int64_t unit;           /* the value that is written as 1 NAME */
    const short *multiples; /* ends with 0 */
};

static const short decimal[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 0};
static const short sixtieth[] = {1, 2, 5, 10, 20, 30, 0};
static const short binary[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0};
static const int decades[] = {1, 3, 9, 0};
static const int octaves[] = {1, 2, 3, 4, 6, 10, 0};

#define THOUSAND 1000LL
#define MILLION 1000000LL
#define MILLIARD 1000000000LL
#define KIB 1024LL

static const struct row times[] = {
    {"ns", 1, 1, decimal},
    {"us", US, US, decimal},
    {"ms", MS, MS, decimal},
    {"s", SECOND, SECOND, sixtieth},
    {"min", 60 * SECOND, 60 * SECOND, sixtieth},
    {"hour", 3600 * SECOND, 3600 * SECOND, decimal},
    {"hour", 3600 * THOUSAND *SECOND, 3600 * SECOND, decimal},
    {NULL, 0, 0, NULL},
};

static const struct row counts[] = {
    {"", 1, 1, decimal},
    {"k", THOUSAND, THOUSAND, decimal},
    {"M", MILLION, MILLION, decimal},
    {"G", MILLIARD, MILLIARD, decimal},
    {"T", MILLIARD *THOUSAND, MILLIARD *THOUSAND, decimal},
    {"P", MILLIARD *MILLION, MILLIARD *MILLION, decimal},
    {NULL, 0, 0, NULL},
};

static const struct row rates[] = {
    {"", 1, THOUSAND, decimal},
    {"", THOUSAND, THOUSAND, decimal},
    {"k", MILLION, MILLION, decimal},
    {"M", MILLIARD, MILLIARD, decimal},
    {"G", MILLIARD *THOUSAND, MILLIARD *THOUSAND, decimal},
    {"T", MILLIARD *MILLION, MILLIARD *MILLION, decimal},
    {NULL, 0, 0, NULL},
};

static const struct row shares[] = {
    {"%", 1, THOUSAND, decimal},
    {"%", THOUSAND, THOUSAND, decimal},
    {NULL, 0, 0, NULL},
};

static const struct row speeds[] = {
    {"B/s", 1, 1, decimal},
    {"KiB/s", KIB, KIB, decimal},
    {"MiB/s", KIB *KIB, KIB *KIB, decimal},
    {"GiB/s", KIB *KIB *KIB, KIB *KIB *KIB, decimal},
    {"TiB/s", KIB *KIB *KIB *KIB, KIB *KIB *KIB *KIB, decimal},
    {"PiB/s", KIB *KIB *KIB *KIB *KIB, KIB *KIB *KIB *KIB *KIB, decimal},
    {NULL, 0, 0, NULL},
};

static const struct row sizes[] = {
    {"B", 1, 1, binary},
    {"KiB", KIB, KIB, binary},
    {"MiB", KIB *KIB, KIB *KIB, binary},
    {"GiB", KIB *KIB *KIB, KIB *KIB *KIB, binary},
    {NULL, 0, 0, NULL},
};

/*
 * `plain`: units are mere multiples, so that a title does not name them.
 * `strides`: a log scale has a tick at every first, third ... round value, counted from
 * the first of each unit or, if `through`, from the first of all; ends with 0.
 */
static const struct {
    const struct row *rows;
    const int *strides;
    bool through, plain;
} kinds[] = {
    [PLOT_TIME] = {times, decades, false, false},
    [PLOT_COUNT] = {counts, decades, false, true},
    [PLOT_RATE] = {rates, decades, false, true},
    [PLOT_SHARE] = {shares, decades, false, false},
    [PLOT_SPEED] = {speeds, decades, false, false},
    [PLOT_SIZE] = {sizes, octaves, true, false},
};

bool
plot_axis_spreads(int64_t least, int64_t most, int64_t ratio)
{
    return most / ratio > least || (most / ratio == least && most % ratio > 0);
}

/* Returns the smallest round value of at least SIZE, or the largest in the table. */
static int64_t
round_up(enum plot_kind kind, double size)
{
    int64_t value = 1;
    for (const struct row *row = kinds[kind].rows; row->name; row++)
        for (const short *multiple = row->multiples; *multiple; multiple++) {
            value = *multiple * row->factor;
            if ((double)value >= size)
                return value;
        }
    return value;
}

/* Returns the largest unit in which ticks have two decimals at the most. */
static const struct row *
find_unit(const struct plot_axis *axis)
{
    const struct row *best = kinds[axis->kind].rows;
    for (const struct row *row = best; row->name; row++) {
        int64_t hundredth = row->unit % 100 ? row->unit : row->unit / 100;
        if ((double)row->unit <= axis->most && axis->step % hundredth == 0)
            best = row;
    }
    return best;
}

#define CLOSE 0.05 /* the least share of its values that an axis covers */

static void
fit_linear(struct plot_axis *axis, bool rounded)
{
    if (axis->most <= 0)
        axis->most = 1;
    if (axis->least * 2 < axis->most || axis->most <= 1) {
        axis->least = 0;
    } else if (axis->most - axis->least < axis->most * CLOSE) {
        double middle = (axis->least + axis->most) / 2;
        axis->least = middle * (1 - CLOSE / 2);
        axis->most = middle * (1 + CLOSE / 2);
    }
    double steps = floor(fmax(axis->to - axis->from, axis->from - axis->to) / axis->gap);
    axis->step = round_up(axis->kind, (axis->most - axis->least) / fmax(steps, 1));
    double step = (double)axis->step;
    axis->least = floor(axis->least / step) * step;
    if (rounded)
        axis->most = ceil(axis->most / step) * step;
    axis->unit = kinds[axis->kind].plain ? "" : find_unit(axis)->name;
}

static void
fit_log(struct plot_axis *axis)
{
    axis->least = fmax(axis->least, 1);
    axis->most = fmax(axis->most, axis->least);
    if (axis->most < axis->least * 4) {
        axis->least /= 2;
        axis->most *= 2;
    }
    axis->unit = "";
}

void
plot_axis_fit(struct plot_axis *axis, int64_t least, int64_t most, bool rounded)
{
    axis->least = (double)least;
    axis->most = (double)most;
    if (axis->log)
        fit_log(axis);
    else
        fit_linear(axis, rounded);
}

double
plot_axis_at(const struct plot_axis *axis, double value)
{
    double share;
    if (axis->log)
        share =
            log(fmax(value, axis->least) / axis->least) / log(axis->most / axis->least);
    else
        share = (value - axis->least) / (axis->most - axis->least);
    return axis->from + fmin(fmax(share, 0), 1) * (axis->to - axis->from);
}

/* Writes REST / UNIT, below 1, with as many decimals as it takes, three at the most. */
static void
write_decimals(char *text, uint64_t rest, uint64_t unit)
{
    *text = '\0';
    if (rest)
        *text++ = '.';
    for (int i = 0; i < 3 && rest; i++, rest %= unit) {
        rest *= 10;
        *text++ = (char)('0' + rest / unit);
        *text = '\0';
    }
}

static void
write_value(char *text, size_t size, int64_t value, const struct row *row, bool named)
{
    char decimals[8];
    const char *name = named && value ? row->name : "";
    write_decimals(decimals, (uint64_t)(value % row->unit), (uint64_t)row->unit);
    snprintf(text, size, "%lld%s%s%s", (long long)(value / row->unit), decimals,
             *name ? " " : "", name);
}

static int
linear_ticks(const struct plot_axis *axis, struct plot_tick *ticks)
{
    const struct row *row = find_unit(axis);
    int64_t value = (int64_t)ceil(axis->least / (double)axis->step) * axis->step;
    int count = 0;
    for (; count < PLOT_TICKS && (double)value <= axis->most; value += axis->step) {
        ticks[count].at = plot_axis_at(axis, (double)value);
        write_value(ticks[count].text, sizeof(ticks[count].text), value, row,
                    kinds[axis->kind].plain);
        count++;
    }
    return count;
}

/* Adds a tick. Returns false if it is too close to the one before. */
static bool
add_log_tick(const struct plot_axis *axis, const struct row *row, int64_t value,
             struct plot_tick *ticks, int count)
{
    double at = plot_axis_at(axis, (double)value);
    if (count == PLOT_TICKS || (count && fabs(at - ticks[count - 1].at) < axis->gap))
        return false;
    ticks[count].at = at;
    write_value(ticks[count].text, sizeof(ticks[count].text), value, row, true);
    return true;
}

/* Finds the ticks at every STRIDEth round value; CLOSE becomes true if some of them were
 * too close to others. */
static int
log_ticks(const struct plot_axis *axis, int stride, bool *close, struct plot_tick *ticks)
{
    int count = 0, ordinal = 0;
    *close = false;
    for (const struct row *row = kinds[axis->kind].rows; row->name; row++)
        for (int i = 0; row->multiples[i]; i++, ordinal++) {
            int64_t value = row->multiples[i] * row->factor;
            bool taken = (kinds[axis->kind].through ? ordinal : i) % stride == 0;
            if (!taken || (double)value < axis->least || (double)value > axis->most)
                continue;
            if (add_log_tick(axis, row, value, ticks, count))
                count++;
            else
                *close = true;
        }
    return count;
}

int
plot_axis_ticks(const struct plot_axis *axis, struct plot_tick *ticks)
{
    if (!axis->log)
        return linear_ticks(axis, ticks);
    int count = 0;
    bool close = true;
    for (const int *stride = kinds[axis->kind].strides; *stride && close; stride++)
        count = log_ticks(axis, *stride, &close, ticks);
    return count;
}
