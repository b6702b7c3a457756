/* The plot of one log of histograms: where its lines and its gaps are. */
#include "looked.h"

#include "base/time.h"
#include "plot/words.h"
#include "stats/time_map.h"

static struct time_map map; /* too large for a stack */

/* Adds COUNT latencies of LATENCY ns to the interval of 1 s at OFFSET seconds. */
static void
add_some(int64_t offset, int64_t latency, uint64_t count)
{
    time_map_add(&map, offset * SECOND, SECOND, histogram_bin(latency), count);
}

/* Adds COUNT latencies of LATENCY ns, which are the last ones of the interval of 1 s at
 * OFFSET seconds. */
static void
add(int64_t offset, int64_t latency, uint64_t count)
{
    add_some(offset, latency, count);
    time_map_end_interval(&map, offset * SECOND, SECOND);
}

/* Adds an interval of a minute, after MINUTES: COUNT latencies of LATENCY ns. */
static void
add_minute(int64_t minutes, int64_t latency, uint64_t count)
{
    const int64_t length = 60 * SECOND;
    time_map_add(&map, minutes * length, length, histogram_bin(latency), count);
    time_map_end_interval(&map, minutes * length, length);
}

static void
look_at_map(void)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 500, PLOTTED_NARROW});
    plotted->plan.mode = MODE_COMPARE;
    plotted->jobs[0].time_map = &map;
    look(plotted);
    assert_true(svg_check_shows(
        &check, "latencies of a log of histograms, 500 requests counted"));
}

static int
clear_map(void **state)
{
    memset(&map, 0, sizeof(map));
    return look_away(state);
}

FIXTURE(NULL, clear_map)

/* Returns the y of LATENCY on the axis from 1 to 20 ms. */
static double
find_y(double latency)
{
    const struct svg_check_box *panel = &check.panels[0];
    return panel->bottom - (panel->bottom - panel->top) * log(latency / MS) / log(20);
}

TEST(lines_are_at_their_latencies_and_gaps_stay_open)
{
    map.began_at = 1793577600 * SECOND;
    map.is_utc = true;
    for (int64_t second = 0; second < 100; second++) {
        if (second >= 40 && second < 60)
            continue;
        add_some(second, second < 40 ? 2 * MS : 8 * MS, 98);
        add_some(second, 1100000, 1);
        add(second, 18 * MS, 1);
    }
    look_at_map();
    int count;
    struct svg_check_point *points =
        svg_check_points(&check, svg_check_find(&check, "p50", 0), &count);
    const struct svg_check_box *panel = &check.panels[0];
    double width = panel->right - panel->left;
    bool has_low = false, has_high = false;
    for (int i = 0; i < count; i++) {
        double part = (points[i].x - panel->left) / width;
        assert_true(part < 0.42 || part > 0.57);
        double expected = find_y(part < 0.5 ? 2 * MS : 8 * MS);
        assert_true(fabs(points[i].y - expected) < 1);
        has_low |= part < 0.5;
        has_high |= part > 0.5;
    }
    assert_true(has_low && has_high);
    free(points);
    struct svg_check_box max = svg_check_bounds(&check, svg_check_find(&check, "max", 0));
    assert_true(fabs(max.top - find_y(18 * MS)) < 1.5);
    assert_true(svg_check_shows(&check, "UTC, from 2026-11-02 00:00:00"));
    assert_true(svg_check_shows(&check, "00:00:30"));
}

TEST(a_log_without_a_clock_has_the_time_since_its_begin)
{
    for (int64_t second = 0; second < 100; second++)
        add(second, 2 * MS, 5);
    look_at_map();
    assert_true(svg_check_shows(&check, "time since the first request"));
    assert_int_equal(svg_check_count(&check, "p50"), 1);
    /* 5 requests of a second are too few for p99. */
    assert_int_equal(svg_check_count(&check, "p99"), 0);
    assert_true(svg_check_shows(
        &check, "no line of p99: it takes 99 requests in a column of 1.07 s"));
}

TEST(some_columns_may_have_too_few_requests_for_p99)
{
    for (int64_t second = 0; second < 100; second++)
        add(second, 2 * MS, second < 50 ? 5 : 500);
    look_at_map();
    assert_int_equal(svg_check_count(&check, "p99"), 1);
    assert_true(
        svg_check_shows(&check, "p99 only where a column of 1.07 s has 99 requests"));
}

/* Fails unless the answer of the plot of the map ends with FOUND. */
static void
assert_answer(const char *found)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 500, PLOTTED_NARROW});
    struct buffer text = {0};
    plotted->plan.mode = MODE_COMPARE;
    plotted->jobs[0].time_map = &map;
    plot_log_add_answer(&text, &plotted->plot);
    size_t length = strlen(found);
    if (text.length < length || strcmp(text.text + text.length - length, found) != 0)
        fail_msg("\"%s\" does not end with \"%s\"", text.text, found);
    buffer_free(&text);
    plotted_free(plotted);
}

/* The longest latency is elsewhere than the highest p99. */
TEST(the_answer_says_when_it_was_worst)
{
    for (int64_t second = 0; second < 100; second++) {
        if (second == 70)
            add_some(second, 900 * MS, 1);
        add_some(second, 2 * MS, 98);
        add(second, (second == 42 ? 8 : 3) * MS, 2);
    }
    assert_answer("; worst after 42 s: p99 8.01 ms");
    map.began_at = 1793577600 * SECOND;
    map.is_utc = true;
    assert_answer("; worst at 00:00:42 UTC: p99 8.01 ms");
}

/* A column has 76 intervals, so it would hide the one that is slow, and the gaps. */
TEST(the_worst_of_a_week_is_a_minute_of_it)
{
    map.began_at = 1793577600 * SECOND;
    map.is_utc = true;
    for (int64_t minute = 0; minute < 7 * 1440; minute++) {
        if (minute == 5000 || minute / 5 == 1200)
            continue;
        if (minute == 6000)
            add_minute(minute, 900 * MS, 98);
        else
            add_minute(minute, (minute == 3 * 1440 + 256 ? 24 : 2) * MS, 99);
    }
    assert_true(time_map_width(&map) > 60 * 60 * SECOND);
    assert_answer(
        "; worst from Nov 05 04:16 to 04:17 UTC: p99 24.1 ms; no requests for 6 "
        "min in 2 gaps");
}

TEST(an_interval_over_midnight_has_two_dates)
{
    map.began_at = 1793577600 * SECOND;
    map.is_utc = true;
    for (int64_t minute = 0; minute < 2 * 1440; minute++)
        add_minute(minute, (minute == 1439 ? 8 : 2) * MS, 99);
    assert_answer("; worst from Nov 02 23:59 to Nov 03 00:00 UTC: p99 8.01 ms");
}

/* The job has a longest latency of its own, which the bin of the map rounds. */
TEST(without_p99_the_longest_latency_is_the_worst)
{
    for (int64_t second = 0; second < 100; second++)
        add(second, (second == 7 ? 9 : 2) * MS, 98);
    assert_answer("; worst after 7 s: max 110.0 µs");
    memset(&map, 0, sizeof(map));
    add(7, 2 * MS, 500);
    assert_answer("p99 109.8 µs");
}

/* Adds intervals of 1 s with 3 latencies from second FROM to second TO. */
static void
add_from(int64_t from, int64_t to)
{
    for (int64_t second = from; second < to; second++)
        add(second, 2 * MS, 3);
}

TEST(gaps_are_as_long_as_they_were)
{
    static const struct {
        int64_t from, to; /* seconds without requests */
        uint64_t count;
    } cases[] = {{300, 300, 0},    {0, 300, 0},       {300, 301, 1},    {5000, 5007, 1},
                 {3001, 10801, 1}, {19999, 20000, 0}, {10000, 20000, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        memset(&map, 0, sizeof(map));
        add_from(0, cases[i].from);
        add_from(cases[i].to, 20000);
        assert_int_equal(map.gap_count, cases[i].count);
        assert_int_equal(map.gap_total, (cases[i].to - cases[i].from) * SECOND *
                                            (int64_t)cases[i].count);
    }

    memset(&map, 0, sizeof(map));
    add_from(0, 4000);
    add_from(5000, 8000);
    add_from(10500, 20000);
    assert_int_equal(map.gap_count, 2);
    assert_int_equal(map.gap_total, 3500 * SECOND);
    assert_answer("; no requests for 58 min 20 s in 2 gaps");
}

/* Clocks differ a little, and an interval without latencies is one that is missing. */
TEST(small_differences_are_no_gaps)
{
    static const struct {
        int64_t begin, length; /* of the second interval, which follows 0 s to 1 s */
        uint64_t count;
    } cases[] = {{1499 * MS, 1000 * MS, 0}, {1500 * MS, 1000 * MS, 1},
                 {1500 * MS, 1002 * MS, 0}, {900 * MS, 1000 * MS, 0},
                 {1500 * MS, 10 * MS, 1},   {0, 1000 * MS, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        memset(&map, 0, sizeof(map));
        add(0, 2 * MS, 1);
        time_map_end_interval(&map, SECOND, cases[i].length);
        time_map_add(&map, cases[i].begin, cases[i].length, histogram_bin(2 * MS), 1);
        time_map_end_interval(&map, cases[i].begin, cases[i].length);
        assert_int_equal(map.gap_count, cases[i].count);
        assert_int_equal(map.interval_count, 2);
    }
}

/* Two moments have no length by which a gap could be told. */
TEST(intervals_without_length_have_no_gaps)
{
    for (int64_t second = 0; second < 10; second++) {
        time_map_add(&map, second * SECOND, 0, 1, 1);
        time_map_end_interval(&map, second * SECOND, 0);
    }
    assert_int_equal(map.gap_count, 0);
}

/* A tick of a log of less than a second has milliseconds. */
TEST(ticks_of_a_short_log_differ)
{
    map.began_at = 1793577600 * SECOND;
    map.is_utc = true;
    for (int64_t i = 0; i < 50; i++)
        time_map_add(&map, i * 10 * MS, 10 * MS, histogram_bin(2 * MS), 5);
    look_at_map();
    assert_true(svg_check_shows(&check, "00:00:00.100"));
    assert_true(svg_check_shows(&check, "00:00:00.400"));
}

/* Bins have 32 bits. The latencies that do not fit are not counted anywhere. */
TEST(a_full_bin_stays_full)
{
    for (int64_t second = 0; second < 1000; second++)
        add(second, 2 * MS, 1000000000);
    add(0, 1 * MS, 1000);
    for (int column = 0; column < map.column_count; column++) {
        uint64_t sum = 0;
        for (int bin = 0; bin < HISTOGRAM_BINS; bin++)
            sum += map.bins[column][bin];
        assert_int_equal(map.counts[column], sum);
        assert_int_equal(time_map_bin(&map, column, map.counts[column]),
                         histogram_bin(2 * MS));
    }
    assert_int_equal(map.counts[0], 1000 + (uint64_t)UINT32_MAX);
}

TEST(joined_columns_have_all_latencies)
{
    static const int64_t lengths[] = {1, 2, 159, 160, 161, 1000, 604800};
    for (size_t i = 0; i < LENGTH(lengths); i++) {
        uint64_t counts = 0, bins = 0;
        memset(&map, 0, sizeof(map));
        for (int64_t second = 0; second < lengths[i]; second++)
            add(second, 2 * MS, 3);
        for (int column = 0; column < map.column_count; column++) {
            counts += map.counts[column];
            bins += map.bins[column][histogram_bin(2 * MS)];
            assert_true(map.counts[column] > 0);
        }
        assert_int_equal(counts, 3 * lengths[i]);
        assert_int_equal(bins, 3 * lengths[i]);
        assert_true(time_map_width(&map) >= SECOND);
        assert_true(map.column_count * time_map_width(&map) >= (lengths[i] - 1) * SECOND);
    }
}
