/* The union of spans, beside one that is done nanosecond by nanosecond. */
#include "support.h"

#include "base/random.h"
#include "stats/busy.h"

#define TIME 4000

static struct busy *
empty(void)
{
    static struct busy busy;
    memset(&busy, 0, sizeof(busy));
    return &busy;
}

static void
assert_time(const struct busy *busy, int64_t time)
{
    assert_int_equal(busy_time(busy), time);
}

TEST(overlaps_count_once)
{
    static const struct {
        int64_t spans[3][2];
        int64_t time;
    } cases[] = {
        {{{10, 20}, {30, 40}, {50, 60}}, 30}, {{{10, 20}, {20, 40}, {40, 60}}, 50},
        {{{10, 60}, {20, 30}, {40, 50}}, 50}, {{{20, 30}, {40, 50}, {10, 60}}, 50},
        {{{10, 30}, {20, 40}, {30, 50}}, 40}, {{{50, 60}, {30, 40}, {10, 20}}, 30},
        {{{10, 20}, {40, 50}, {15, 45}}, 40}, {{{10, 20}, {10, 20}, {10, 20}}, 10},
        {{{10, 10}, {20, 15}, {0, 0}}, 0},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct busy *busy = empty();
        for (int k = 0; k < 3; k++)
            busy_add(busy, cases[i].spans[k][0], cases[i].spans[k][1], true);
        assert_time(busy, cases[i].time);
    }
}

/* Adds the stretches without a pause that have a request that counts. */
static int64_t
time_of(const char *map)
{
    int64_t time = 0;
    for (int at = 0; at < TIME; at++) {
        int begin = at, seen = 0;
        for (; at < TIME && map[at]; at++)
            seen |= map[at];
        time += seen & 2 ? at - begin : 0;
    }
    return time;
}

/* Spans come in any order. */
TEST(random_spans_are_those_of_a_map)
{
    struct random random;
    random_seed(&random, 7);
    for (int run = 0; run < 300; run++) {
        struct busy *busy = empty();
        char map[TIME] = {0}; /* 1: under way; 2: and counts */
        int count = (int)random_below(&random, 200);
        int64_t longest = 1 + (int64_t)random_below(&random, 60);
        for (int i = 0; i < count; i++) {
            int64_t start = (int64_t)random_below(&random, TIME - 60);
            int64_t end = start + (int64_t)random_below(&random, (uint64_t)longest + 1);
            bool counts = random_below(&random, 3) > 0;
            busy_add(busy, start, end, counts);
            for (int64_t at = start; at < end; at++)
                map[at] |= counts ? 2 : 1;
        }
        assert_time(busy, time_of(map));
    }
}

/* A thousand times as many as there is room for, each a little late. */
TEST(memory_is_constant_and_the_time_exact)
{
    struct busy *busy = empty();
    for (int64_t i = 0; i < 1000 * BUSY_SPANS; i += 2) {
        busy_add(busy, 100 * (i + 1), 100 * (i + 1) + 30, true);
        busy_add(busy, 100 * i, 100 * i + 40, true);
    }
    assert_in_range(busy->count, 1, BUSY_SPANS);
    assert_time(busy, (int64_t)500 * BUSY_SPANS * 70);
}

/* Too short would be a rate that is too high. */
TEST(what_comes_too_late_counts_in_full_up_to_the_clock)
{
    struct busy *busy = empty();
    for (int64_t i = 1; i <= 4 * BUSY_SPANS; i++)
        busy_add(busy, 100 * i, 100 * i + 10, true);
    busy_add(busy, 100, 5100, true); /* a hundredth of it was busy before */
    assert_in_range(busy_time(busy), (int64_t)40 * BUSY_SPANS + 4500,
                    (int64_t)40 * BUSY_SPANS + 5000);
    busy_add(busy, 50, (int64_t)400 * BUSY_SPANS + 10, true);
    assert_time(busy, (int64_t)400 * BUSY_SPANS - 40);
}

TEST(clearing_leaves_nothing)
{
    struct busy *busy = empty();
    for (int64_t i = 1; i <= 2 * BUSY_SPANS; i++)
        busy_add(busy, 100 * i, 100 * i + 10, true);
    busy_clear(busy);
    assert_time(busy, 0);
    busy_add(busy, 7, 9, true);
    assert_time(busy, 2);
}

TEST(a_stretch_counts_if_any_of_it_does)
{
    struct busy *busy = empty();
    struct busy_log log = {0};
    busy_add(busy, 100, 200, false);
    assert_time(busy, 0);
    busy_add(busy, 150, 300, false);
    busy_add(busy, 500, 600, false);
    busy_add(busy, 250, 260, true);
    assert_time(busy, 200);
    busy_log_add(&log, 1000, 2000, false);
    busy_log_add(&log, 2100, 3000, true);
    busy_log_add(&log, 3100, 4000, false);
    busy_log_add(&log, 9000, 9500, false);
    busy_log_move(&log, busy);
    assert_time(busy, 3200);
}

/* Spans end in order here. One joins all before it that it touches. */
TEST(a_log_joins_what_is_a_moment_apart)
{
    struct busy_log log = {0};
    struct busy *busy = empty();
    busy_log_add(&log, 10000, 20000, true);
    busy_log_add(&log, 20000 + BUSY_MAX_PAUSE, 30000, true);
    assert_int_equal(log.count, 1);
    busy_log_add(&log, 30001 + BUSY_MAX_PAUSE, 40000, true);
    assert_int_equal(log.count, 2);
    busy_log_add(&log, 50000, 60000, true);
    busy_log_add(&log, 35000, 70000, true);
    assert_int_equal(log.count, 2);
    busy_log_move(&log, busy);
    assert_time(busy, 20000 + 70000 - 30001 - BUSY_MAX_PAUSE);
    assert_int_equal(log.count, 1);
}

/* As when somebody looks in the middle. */
TEST(a_log_that_was_moved_goes_on)
{
    struct busy_log log = {0};
    struct busy *busy = empty();
    busy_log_add(&log, 100, 200, true);
    busy_log_move(&log, busy);
    busy_log_move(&log, busy);
    busy_log_add(&log, 250, 300, true);
    busy_log_add(&log, 150, 400, true);
    busy_log_move(&log, busy);
    assert_time(busy, 300);
}
