/* The plot of one log of histograms: where its lines and its gaps are. */
#include "looked.h"

#include "base/time.h"
#include "stats/time_map.h"

static struct time_map map; /* too large for a stack */

/* Adds an interval of 1 s at OFFSET seconds: COUNT latencies of LATENCY ns. */
static void
add(int64_t offset, int64_t latency, uint64_t count)
{
    time_map_add(&map, offset * SECOND, SECOND, histogram_bin(latency), count);
}

static void
look_at_map(void)
{
    struct plotted *plotted =
        plotted_make(&(struct plotted_case){SWEEP_NONE, 1, 500, PLOTTED_NARROW});
    plotted->plan.mode = MODE_COMPARE;
    plotted->jobs[0].time_map = &map;
    look(plotted);
    assert_true(svg_check_shows(&check, "latencies of a log of histograms"));
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
        add(second, second < 40 ? 2 * MS : 8 * MS, 98);
        add(second, 1100000, 1);
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
