/*
 * The scales of axes. A table has the round values: the units of each kind of value, and
 * for each unit its round multiples, such as 1, 2, 5, 10 ... µs. The two kinds of scale
 * use the round values differently:
 * - A linear scale has ticks at equal distances. The difference between two ticks is a
 *   round value.
 * - A log scale begins and ends at round values, and has a tick at each round value. If
 *   these ticks are too close to each other, it has a tick only at every second, third
 *   ... round value, and at both ends.
 */
#include "draw.h"

#include "base/time.h"

#include <math.h>
#include <stdio.h>

/* The round multiples of a unit, up to the next larger unit. There is a list for units
 * whose next larger unit is 1000 times as large (decimal, such as us), 60 times
 * (sexagesimal, such as s), 24 times (hours) and 1024 times (binary, such as KiB). A 0
 * ends each list. */
static const short decimal[] = {1, 2, 5, 10, 20, 50, 100, 200, 500, 0};
static const short up_to_100[] = {1, 2, 5, 10, 20, 50, 100, 0};
static const short sexagesimal[] = {1, 2, 5, 10, 20, 30, 0};
static const short hours[] = {1, 2, 3, 6, 12, 0};
static const short binary[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 0};

#define THOUSAND 1000LL
#define MILLION 1000000LL
#define BILLION 1000000000LL
#define KIB 1024LL
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

/* The round values of each kind of value, in ascending order. */
static const struct scale_row {
    enum plot_kind kind;
    const char *name; /* name of the unit */
    int64_t factor;   /* multiplies `multiples`; the products are the round values */
    int64_t unit;     /* the value of one unit, such as 1000 for 1 us */
    const short *multiples; /* a list that ends with 0 */
} rows[] = {
    {PLOT_TIME, "ns", 1, 1, decimal},
    {PLOT_TIME, PLOT_MICRO, US, US, decimal},
    {PLOT_TIME, "ms", MS, MS, decimal},
    {PLOT_TIME, "s", SECOND, SECOND, sexagesimal},
    {PLOT_TIME, "min", MINUTE, MINUTE, sexagesimal},
    {PLOT_TIME, "hour", HOUR, HOUR, hours},
    {PLOT_TIME, "day", DAY, DAY, decimal},
    {PLOT_TIME, "day", THOUSAND *DAY, DAY, up_to_100}, /* more would overflow */
    {PLOT_COUNT, "", 1, 1, decimal},
    {PLOT_COUNT, "k", THOUSAND, THOUSAND, decimal},
    {PLOT_COUNT, "M", MILLION, MILLION, decimal},
    {PLOT_COUNT, "G", BILLION, BILLION, decimal},
    {PLOT_COUNT, "T", BILLION *THOUSAND, BILLION *THOUSAND, decimal},
    {PLOT_COUNT, "P", BILLION *MILLION, BILLION *MILLION, decimal},
    {PLOT_RATE, "", 1, THOUSAND, decimal},
    {PLOT_RATE, "", THOUSAND, THOUSAND, decimal},
    {PLOT_RATE, "k", MILLION, MILLION, decimal},
    {PLOT_RATE, "M", BILLION, BILLION, decimal},
    {PLOT_RATE, "G", BILLION *THOUSAND, BILLION *THOUSAND, decimal},
    {PLOT_RATE, "T", BILLION *MILLION, BILLION *MILLION, decimal},
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

/* Returns true if the units of KIND are only prefixes, such as k and M. A prefix is
 * written beside each tick. Other units are written into the title of the axis. */
static bool
has_only_prefixes(enum plot_kind kind)
{
    return kind == PLOT_COUNT || kind == PLOT_RATE;
}

/* Returns the first row of KIND from ROW on, or NULL if there is none. */
static const struct scale_row *
find_scale_row(enum plot_kind kind, const struct scale_row *row)
{
    const struct scale_row *end = rows + sizeof(rows) / sizeof(rows[0]);

    while (row < end && row->kind != kind)
        row++;

    return row < end ? row : NULL;
}

/* Returns the first row of KIND. Every kind has at least one row. */
static const struct scale_row *
first_row(enum plot_kind kind)
{
    return find_scale_row(kind, rows);
}

/* Returns the row of the same kind that follows ROW, or NULL if ROW is the last one. */
static const struct scale_row *
next_row(const struct scale_row *row)
{
    return find_scale_row(row->kind, row + 1);
}

bool
plot_axis_spreads(int64_t min, int64_t max, int64_t ratio)
{
    /* Not written as max > ratio * min, because this product could overflow. */
    return max / ratio > min || (max / ratio == min && max % ratio > 0);
}

/* Returns the smallest round value of KIND that is at least SIZE. Returns the largest
 * round value if all are smaller. */
static int64_t
round_up(enum plot_kind kind, double size)
{
    int64_t value = 1;

    for (const struct scale_row *row = first_row(kind); row; row = next_row(row)) {
        for (int i = 0; row->multiples[i]; i++) {
            value = row->multiples[i] * row->factor;
            if ((double)value >= size)
                return value;
        }
    }

    return value;
}

/* Returns the smallest value that is written in the unit of ROW. People read 30 s and 90
 * s more easily than 0.5 min and 1.5 min, so minutes, hours and days have no decimals.
 * The smallest unit of a kind, such as 1 ns, has no decimals either. Other units have two
 * decimals. */
static int64_t
find_unit_grain(const struct scale_row *row)
{
    bool is_long_time = row->kind == PLOT_TIME && row->unit >= MINUTE;
    bool has_decimals = !is_long_time && row->unit % 100 == 0;

    return has_decimals ? row->unit / 100 : row->unit;
}

/* Returns the row of the unit for the ticks of AXIS, a linear axis. This is the largest
 * unit in which all ticks can be written (find_unit_grain). */
static const struct scale_row *
find_unit(const struct plot_axis *axis)
{
    const struct scale_row *best = first_row(axis->kind);

    for (const struct scale_row *row = best; row; row = next_row(row))
        if ((double)row->unit <= axis->max && axis->tick_step % find_unit_grain(row) == 0)
            best = row;

    return best;
}

/* Returns the largest round value of KIND that is at most SIZE. Returns the smallest
 * round value if all are larger. */
static int64_t
find_round_below(enum plot_kind kind, double size)
{
    const struct scale_row *first = first_row(kind);
    int64_t value = first->multiples[0] * first->factor;

    for (const struct scale_row *row = first; row; row = next_row(row)) {
        for (int i = 0; row->multiples[i]; i++) {
            if ((double)(row->multiples[i] * row->factor) > size)
                return value;
            value = row->multiples[i] * row->factor;
        }
    }

    return value;
}

/* Widens AXIS, a log axis, so that its maximum is at least four times its minimum. Both
 * ends become round values, so that they get ticks. */
static void
widen_log_axis(struct plot_axis *axis)
{
    axis->min = fmax(axis->min, 1);
    axis->max = fmax(axis->max, axis->min);

    if (axis->max < axis->min * 4) {
        axis->min /= 2;
        axis->max *= 2;
    }

    /* An axis whose ticks are given begins and ends at the given values. */
    if (axis->value_count > 1)
        return;

    double round_max = (double)round_up(axis->kind, axis->max);
    axis->min = fmin(axis->min, (double)find_round_below(axis->kind, axis->min));
    axis->max = fmax(axis->max, round_max);
}

/* The range of a linear axis is at least this fraction of its largest value. Otherwise,
 * the noise of nearly equal values would fill the whole axis. */
#define MIN_COVERED 0.05

/* Returns how many gaps between ticks fit on AXIS, at least 1. Each gap has the minimum
 * size. */
static double
count_tick_gaps(const struct plot_axis *axis)
{
    double length = fabs(axis->to - axis->from);
    return fmax(floor(length / axis->min_tick_gap), 1);
}

void
plot_axis_fit(struct plot_axis *axis, int64_t min, int64_t max, bool rounded)
{
    axis->min = (double)min;
    axis->max = fmax((double)max, 1);
    axis->unit = "";

    if (axis->is_log) {
        widen_log_axis(axis);
        return;
    }

    if (axis->min * 2 < axis->max || axis->max <= 1) {
        axis->min = 0;
    } else if (axis->max - axis->min < axis->max * MIN_COVERED) {
        double middle = (axis->min + axis->max) / 2;
        axis->min = middle * (1 - MIN_COVERED / 2);
        axis->max = middle * (1 + MIN_COVERED / 2);
    }

    double min_step = (axis->max - axis->min) / count_tick_gaps(axis);
    axis->tick_step = round_up(axis->kind, min_step);
    double step = (double)axis->tick_step;
    axis->min = floor(axis->min / step) * step;
    if (rounded)
        axis->max = ceil(axis->max / step) * step;

    if (!has_only_prefixes(axis->kind))
        axis->unit = find_unit(axis)->name;
}

double
plot_axis_position(const struct plot_axis *axis, double value)
{
    double min = axis->min;
    double max = axis->max;
    double fraction;

    if (axis->is_log)
        fraction = log(fmax(value, min) / min) / log(max / min);
    else
        fraction = (value - min) / (max - min);

    return axis->from + fmin(fmax(fraction, 0), 1) * (axis->to - axis->from);
}

/* Returns the tick of VALUE, written in the unit of ROW with at most three decimals. If
 * HAS_UNIT, the name of the unit follows, except after 0. */
static struct plot_tick
make_tick(const struct plot_axis *axis, int64_t value, const struct scale_row *row,
          bool has_unit)
{
    struct plot_tick tick = {.position = plot_axis_position(axis, (double)value)};
    int64_t whole = value / row->unit;
    int64_t thousandths = value % row->unit * 1000 / row->unit;
    double number = (double)whole + (double)thousandths / 1000;

    if (has_unit && value && *row->name)
        snprintf(tick.text, sizeof(tick.text), "%.10g %s", number, row->name);
    else
        snprintf(tick.text, sizeof(tick.text), "%.10g", number);
    return tick;
}

/* Adds TICK to TICKS, which has COUNT ticks so far. Leaves TICK out and returns false if
 * it is too close to the tick before it, or if TICKS is full. */
static bool
add_tick(const struct plot_axis *axis, struct plot_tick *ticks, int *count,
         const struct plot_tick *tick)
{
    if (*count == PLOT_TICKS)
        return false;
    if (*count > 0 &&
        fabs(tick->position - ticks[*count - 1].position) < axis->min_tick_gap)
        return false;

    ticks[(*count)++] = *tick;
    return true;
}

/*
 * Stores in TICKS the ticks of a log scale at every STRIDE-th round value. The count of
 * round values starts again at each row of the table, so that its first value, such as
 * 1 us or 1 ms, is always among them. For sizes the count goes on from row to row: all
 * round sizes are powers of two, so the ticks are at equal distances. Leaves out ticks
 * that are too close to others, and sets LEFT_OUT if there were any. Returns the number
 * of ticks.
 */
static int
make_log_ticks(const struct plot_axis *axis, int stride, bool *left_out,
               struct plot_tick *ticks)
{
    int count = 0;
    int size_index = 0; /* index of the round value among the round values of all units */
    *left_out = false;

    for (const struct scale_row *row = first_row(axis->kind); row; row = next_row(row)) {
        for (int i = 0; row->multiples[i]; i++, size_index++) {
            int64_t value = row->multiples[i] * row->factor;
            int index = axis->kind == PLOT_SIZE ? size_index : i;

            if (index % stride != 0)
                continue;
            if ((double)value < axis->min || (double)value > axis->max)
                continue;

            struct plot_tick tick = make_tick(axis, value, row, true);
            if (!add_tick(axis, ticks, &count, &tick))
                *left_out = true;
        }
    }

    return count;
}

/* Returns the row in whose unit VALUE is written: the largest unit that is not larger
 * than VALUE. */
static const struct scale_row *
find_row_of(enum plot_kind kind, int64_t value)
{
    const struct scale_row *best = first_row(kind);

    for (const struct scale_row *row = best; row; row = next_row(row))
        if (row->unit <= value)
            best = row;

    return best;
}

/* Returns the tick at VALUE of a log axis, with its unit. */
static struct plot_tick
make_end_tick(const struct plot_axis *axis, double value)
{
    int64_t whole = (int64_t)(value + 0.5);

    return make_tick(axis, whole, find_row_of(axis->kind, whole), true);
}

/* Makes sure that AXIS, a log axis, has a tick at both ends. TICKS has COUNT ticks so
 * far. Ticks that are too close to an end are replaced by the tick of the end. Returns
 * the new number of ticks. */
static int
add_end_ticks(const struct plot_axis *axis, struct plot_tick *ticks, int count)
{
    const struct plot_tick first = make_end_tick(axis, axis->min);
    const struct plot_tick last = make_end_tick(axis, axis->max);
    struct plot_tick between[PLOT_TICKS];
    int between_count = 0;

    for (int i = 0; i < count; i++) {
        double from_first = fabs(ticks[i].position - first.position);
        double from_last = fabs(ticks[i].position - last.position);
        bool is_too_close =
            from_first < axis->min_tick_gap || from_last < axis->min_tick_gap;

        if (!is_too_close && between_count < PLOT_TICKS - 2)
            between[between_count++] = ticks[i];
    }

    ticks[0] = first;
    for (int i = 0; i < between_count; i++)
        ticks[i + 1] = between[i];
    ticks[between_count + 1] = last;
    return between_count + 2;
}

/* Stores in TICKS the ticks at the given values of AXIS. Leaves out ticks that are too
 * close to the tick before them. Returns the number of ticks. */
static int
make_given_ticks(const struct plot_axis *axis, struct plot_tick *ticks)
{
    int count = 0;

    for (int i = 0; i < axis->value_count; i++) {
        int64_t value = axis->values[i];
        struct plot_tick tick =
            make_tick(axis, value, find_row_of(axis->kind, value), true);
        add_tick(axis, ticks, &count, &tick);
    }

    return count;
}

int
plot_axis_ticks(const struct plot_axis *axis, struct plot_tick *ticks)
{
    /* On a log scale, every N-th round value gets a tick. These numbers N are tried in
     * turn, until there is room for all ticks. 3 and 9 are multiples of 3, because every
     * 3rd decimal round value is a power of 10: 1, 10, 100. */
    static const int decimal_strides[] = {1, 3, 9, 0};
    static const int size_strides[] = {1, 2, 3, 4, 6, 10, 0};
    const int *strides = axis->kind == PLOT_SIZE ? size_strides : decimal_strides;
    int count = 0;

    if (axis->value_count > 0)
        return make_given_ticks(axis, ticks);

    if (axis->is_log) {
        bool left_out = true;
        for (int i = 0; strides[i] && left_out; i++)
            count = make_log_ticks(axis, strides[i], &left_out, ticks);
        return add_end_ticks(axis, ticks, count);
    }

    const struct scale_row *row = find_unit(axis);
    bool has_unit = has_only_prefixes(axis->kind);
    int64_t value = (int64_t)ceil(axis->min / (double)axis->tick_step) * axis->tick_step;
    for (; count < PLOT_TICKS && (double)value <= axis->max; value += axis->tick_step)
        ticks[count++] = make_tick(axis, value, row, has_unit);

    return count;
}
