/* Axes: positions of values, and the values at the ticks. */
#include "support.h"

#include "base/time.h"
#include "plot/draw.h"

#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define MIB (1LL << 20)

struct axis_case {
    enum plot_kind kind;
    bool log;
    int64_t least, most;
    double length, gap; /* pixels */
    const char *unit;
    const char *ticks; /* each followed by a bar */
};

/* From pixel 0 to LENGTH, its ends rounded if it is linear. */
static struct plot_axis
axis_of(const struct axis_case *test)
{
    struct plot_axis axis = {.kind = test->kind,
                             .is_log = test->log,
                             .to = test->length,
                             .min_tick_gap = test->gap};
    plot_axis_fit(&axis, test->least, test->most, true);
    return axis;
}

static const struct axis_case cases[] = {
    /* Linear ticks are round and share a unit. */
    {PLOT_TIME, false, 0, 100 * SECOND, 100, 20, "s", "0|20|40|60|80|100|"},
    {PLOT_TIME, false, 0, 130 * SECOND, 100, 20, "s", "0|30|60|90|120|150|"},
    {PLOT_TIME, false, 0, 100 * SECOND, 100, 10, "s",
     "0|10|20|30|40|50|60|70|80|90|100|"},
    {PLOT_TIME, false, 0, 50 * MINUTE, 100, 20, "min", "0|10|20|30|40|50|"},
    {PLOT_TIME, false, 0, 9 * HOUR, 100, 20, "hour", "0|2|4|6|8|10|"},
    {PLOT_TIME, false, 0, 100 * MINUTE, 100, 20, "min", "0|20|40|60|80|100|"},
    {PLOT_TIME, false, 0, 130 * MINUTE, 100, 20, "min", "0|30|60|90|120|150|"},
    {PLOT_TIME, false, 0, 14 * HOUR, 100, 20, "hour", "0|3|6|9|12|15|"},
    {PLOT_TIME, false, 0, 50 * HOUR, 100, 20, "hour", "0|12|24|36|48|60|"},
    {PLOT_TIME, false, 0, 168 * HOUR, 100, 20, "day", "0|2|4|6|8|"},
    {PLOT_TIME, false, 0, 20000 * HOUR, 100, 20, "day", "0|200|400|600|800|1000|"},
    {PLOT_TIME, false, 10, 412 * US, 100, 20, "\u00b5s", "0|100|200|300|400|500|"},
    {PLOT_TIME, false, 10, 1200 * US, 100, 20, "ms", "0|0.5|1|1.5|"},
    {PLOT_TIME, false, 1, 3, 100, 20, "ns", "0|1|2|3|"},
    {PLOT_COUNT, false, 0, 7, 100, 30, "", "0|5|10|"},
    {PLOT_COUNT, false, 0, 1300000, 100, 30, "", "0|0.5 M|1 M|1.5 M|"},
    {PLOT_RATE, false, 0, 108400000, 100, 20, "", "0|50 k|100 k|150 k|"},
    {PLOT_RATE, false, 0, 350, 100, 20, "", "0|0.1|0.2|0.3|0.4|"},
    {PLOT_SHARE, false, 0, 33000, 100, 20, "%", "0|10|20|30|40|"},
    {PLOT_SHARE, false, 0, 1900, 100, 20, "%", "0|0.5|1|1.5|2|"},
    /* Values close together do not begin at zero. */
    {PLOT_TIME, false, 200 * US, 399 * US, 100, 20, "\u00b5s", "200|250|300|350|400|"},
    {PLOT_TIME, false, 200 * US, 400 * US, 100, 20, "\u00b5s", "200|250|300|350|400|"},
    {PLOT_TIME, false, 199 * US, 399 * US, 100, 20, "\u00b5s", "0|100|200|300|400|"},
    {PLOT_TIME, false, 100 * US, 100 * US, 100, 20, "\u00b5s",
     "97|98|99|100|101|102|103|"},
    {PLOT_TIME, false, 1, 1, 100, 20, "ns", "0|1|"},
    {PLOT_TIME, false, 1000 * MS, 1000 * MS + 1, 100, 15, "s",
     "0.97|0.98|0.99|1|1.01|1.02|1.03|"},
    {PLOT_COUNT, false, 0, 0, 100, 20, "", "0|1|"},
    /* A log axis has ticks at both ends. Other ticks thin out as the decades grow. */
    {PLOT_TIME, true, 90 * US, 2500 * US, 100, 10, "",
     "50 \u00b5s|100 \u00b5s|200 \u00b5s|500 \u00b5s|1 ms|2 ms|5 ms|"},
    {PLOT_TIME, true, 90 * US, 2500 * US, 100, 25, "", "50 \u00b5s|1 ms|5 ms|"},
    {PLOT_TIME, true, 1, HOUR, 340, 20, "",
     "1 ns|10 ns|100 ns|1 \u00b5s|10 \u00b5s|100 \u00b5s|1 ms|10 ms|100 ms|1 s|10 s|1 "
     "min|10 min|1 "
     "hour|"},
    {PLOT_TIME, true, 1, HOUR, 170, 20, "", "1 ns|1 \u00b5s|1 ms|1 s|1 min|1 hour|"},
    {PLOT_TIME, true, 0, 1000, 100, 30, "", "1 ns|10 ns|100 ns|1 \u00b5s|"},
    {PLOT_TIME, true, 9 * SECOND, 2 * MINUTE, 100, 1, "",
     "5 s|10 s|20 s|30 s|1 min|2 min|"},
    {PLOT_RATE, true, 40, 30000, 100, 25, "", "0.02|1|50|"},
    {PLOT_SPEED, true, 400000, 30 * MIB, 100, 12, "",
     "200 KiB/s|500 KiB/s|1 MiB/s|2 MiB/s|5 MiB/s|10 MiB/s|20 MiB/s|50 MiB/s|"},
    {PLOT_SIZE, true, 512, 4096, 90, 20, "", "512 B|1 KiB|2 KiB|4 KiB|"},
    {PLOT_SIZE, true, 512, 64 * MIB, 340, 50, "",
     "512 B|4 KiB|32 KiB|256 KiB|2 MiB|64 MiB|"},
    {PLOT_SIZE, true, 512, 512, 100, 20, "", "256 B|512 B|1 KiB|"},
};

TEST(ticks_are_at_these_values)
{
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct plot_tick ticks[PLOT_TICKS];
        struct plot_axis axis = axis_of(&cases[i]);
        char text[2048] = "";
        int count = plot_axis_ticks(&axis, ticks);
        for (int k = 0; k < count; k++) {
            strcat(text, ticks[k].text);
            strcat(text, "|");
        }
        if (strcmp(text, cases[i].ticks) != 0 || strcmp(axis.unit, cases[i].unit) != 0)
            fail_msg("case %zu: '%s' in '%s'", i, text, axis.unit);
    }
}

static bool
is_near(double a, double b)
{
    return fabs(a - b) < 1e-6;
}

TEST(values_are_between_the_ends_and_never_beyond)
{
    struct plot_axis linear = {
        .kind = PLOT_COUNT, .from = 400, .to = 100, .min_tick_gap = 30};
    struct plot_axis decades = {
        .kind = PLOT_TIME, .is_log = true, .from = 10, .to = 70, .min_tick_gap = 5};
    plot_axis_fit(&linear, 0, 100, true);
    assert_true(is_near(plot_axis_position(&linear, 0), 400));
    assert_true(is_near(plot_axis_position(&linear, 25), 325));
    assert_true(is_near(plot_axis_position(&linear, 100), 100));
    assert_true(is_near(plot_axis_position(&linear, 101), 100));
    assert_true(is_near(plot_axis_position(&linear, -1), 400));
    plot_axis_fit(&decades, 1000, 1000000, false);
    assert_true(is_near(plot_axis_position(&decades, 1000), 10));
    assert_true(is_near(plot_axis_position(&decades, 100000), 50));
    assert_true(is_near(plot_axis_position(&decades, 1000000), 70));
    assert_true(is_near(plot_axis_position(&decades, 2000000), 70));
    assert_true(is_near(plot_axis_position(&decades, 0), 10));
}

TEST(an_axis_that_is_not_rounded_ends_with_its_values)
{
    struct plot_axis axis = {.kind = PLOT_TIME, .from = 0, .to = 99, .min_tick_gap = 20};
    struct plot_tick ticks[PLOT_TICKS];
    plot_axis_fit(&axis, 0, 99 * SECOND, false);
    assert_int_equal(plot_axis_ticks(&axis, ticks), 4);
    assert_string_equal(ticks[3].text, "90");
    assert_true(is_near(ticks[3].position, 90));
}

/* The longest time in an int64_t is about 106 700 days. */
TEST(the_longest_times_have_ticks_that_rise)
{
    struct plot_tick ticks[PLOT_TICKS];
    const struct axis_case test = {PLOT_TIME, true, HOUR, 106000 * 24 * HOUR,
                                   300,       1,    NULL, NULL};
    struct plot_axis axis = axis_of(&test);
    int count = plot_axis_ticks(&axis, ticks);
    assert_in_range(count, 2, PLOT_TICKS);
    for (int i = 1; i < count; i++)
        assert_true(ticks[i].position > ticks[i - 1].position);
}

TEST(ticks_are_never_closer_than_the_gap)
{
    for (int64_t most = 3; most < HOUR; most = most * 13 / 7 + 1)
        for (int kind = PLOT_TIME; kind <= PLOT_SIZE; kind++) {
            const struct axis_case test = {
                (enum plot_kind)kind, true, 1, most, 300, 30, NULL, NULL};
            struct plot_axis axis = axis_of(&test);
            struct plot_tick ticks[PLOT_TICKS];
            int count = plot_axis_ticks(&axis, ticks);
            assert_in_range(count, 2, 11);
            for (int i = 1; i < count; i++)
                assert_true(ticks[i].position - ticks[i - 1].position >= 30);
        }
}

TEST(given_values_are_the_ticks)
{
    static const int64_t values[] = {MS, 4 * MS, 16 * MS};
    struct plot_axis axis = {.kind = PLOT_TIME,
                             .is_log = true,
                             .to = 200,
                             .min_tick_gap = 20,
                             .values = values,
                             .value_count = LENGTH(values)};
    struct plot_tick ticks[PLOT_TICKS];
    plot_axis_fit(&axis, MS, 16 * MS, true);
    assert_int_equal(plot_axis_ticks(&axis, ticks), 3);
    assert_string_equal(ticks[1].text, "4 ms");
    assert_true(is_near(ticks[0].position, 0) && is_near(ticks[1].position, 100) &&
                is_near(ticks[2].position, 200));
}

TEST(a_log_scale_is_needed_beyond_the_ratio)
{
    assert_false(plot_axis_spreads(1, 50, 50));
    assert_true(plot_axis_spreads(1, 51, 50));
    assert_false(plot_axis_spreads(1000, 50000, 50));
    assert_true(plot_axis_spreads(1000, 50001, 50));
    assert_true(plot_axis_spreads(0, 1, 50));
    assert_false(plot_axis_spreads(0, 0, 50));
    assert_true(plot_axis_spreads(1, INT64_MAX, 50));
    assert_false(plot_axis_spreads(INT64_MAX, INT64_MAX, 50));
}
