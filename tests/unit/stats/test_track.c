/* Tracks, the data of plots: marks, columns and merging. */
#include "support.h"

#include "base/random.h"
#include "stats/track.h"

#define BEGAN 5000000000LL
#define WIDTH (1LL << TRACK_SHIFT)

static struct track track, other, whole; /* too large for the stack */

static int
start_tracks(void **state)
{
    (void)state;
    struct track *const all[] = {&track, &other, &whole};
    for (size_t i = 0; i < LENGTH(all); i++) {
        memset(all[i], 0, sizeof(*all[i]));
        track_start(all[i], BEGAN, 0);
    }
    return 0;
}

static void
record(struct track *into, int64_t offset, int64_t latency, enum verdict verdict,
       uint64_t missed)
{
    struct sample sample = {.start = BEGAN + offset,
                            .latency = latency,
                            .verdict = verdict,
                            .missed = missed};
    track_record(into, &sample);
}

/* All of a column's facts in one line, so that a difference is told at once. */
static void
assert_column(const struct track *of, int index, const char *expected)
{
    const struct track_column *column = &of->columns[index];
    char text[128];
    snprintf(text, sizeof(text), "%d: %d of %lld..%lld, sum %.0f, %d failed, %d missed",
             index, (int)column->count, (long long)column->min, (long long)column->max,
             column->sum, (int)column->failed, (int)column->missed);
    assert_string_equal(text, expected);
}

FIXTURE(start_tracks, NULL)

TEST(a_column_has_all_that_started_in_it)
{
    record(&track, 0, 300, VERDICT_NONE, 0);
    record(&track, WIDTH - 1, 100, VERDICT_FAST, 0);
    record(&track, WIDTH, 900, VERDICT_SLOW, 2);
    record(&track, 3 * WIDTH + 5, 700, VERDICT_NONE, 0);
    assert_int_equal(track.column_count, 4);
    assert_column(&track, 0, "0: 2 of 100..300, sum 400, 0 failed, 0 missed");
    assert_column(&track, 1, "1: 1 of 900..900, sum 900, 0 failed, 2 missed");
    assert_column(&track, 2, "2: 0 of 0..0, sum 0, 0 failed, 0 missed");
    assert_column(&track, 3, "3: 1 of 700..700, sum 700, 0 failed, 0 missed");
}

/* A late request of several at a time has missed points before it was sent, and others
 * while it was under way. */
TEST(points_are_missed_where_they_were)
{
    struct sample sample = {.start = BEGAN + 5 * WIDTH,
                            .latency = 700,
                            .verdict = VERDICT_NONE,
                            .missed = 3,
                            .missed_before = 2};
    track_start(&track, BEGAN, WIDTH);
    track_record(&track, &sample);
    assert_int_equal(track.column_count, 7);
    assert_column(&track, 2, "2: 0 of 0..0, sum 0, 0 failed, 0 missed");
    assert_column(&track, 3, "3: 0 of 0..0, sum 0, 0 failed, 1 missed");
    assert_column(&track, 4, "4: 0 of 0..0, sum 0, 0 failed, 1 missed");
    assert_column(&track, 5, "5: 1 of 700..700, sum 700, 0 failed, 0 missed");
    assert_column(&track, 6, "6: 0 of 0..0, sum 0, 0 failed, 1 missed");
}

TEST(only_requests_that_count_have_a_latency)
{
    static const struct {
        enum verdict verdict;
        uint64_t missed;
        const char *column;
        int used;
        uint64_t seen;
    } cases[] = {
        {VERDICT_WARMUP, 0, "0: 0 of 0..0, sum 0, 0 failed, 0 missed", 0, 0},
        {VERDICT_TOO_FAST, 0, "0: 0 of 0..0, sum 0, 0 failed, 0 missed", 0, 0},
        {VERDICT_TOO_SLOW, 4, "0: 0 of 0..0, sum 0, 0 failed, 4 missed", 1, 0},
        {VERDICT_CACHED, 0, "0: 0 of 0..0, sum 0, 0 failed, 0 missed", 0, 0},
        {VERDICT_SHORT, 0, "0: 0 of 0..0, sum 0, 1 failed, 0 missed", 1, 0},
        {VERDICT_ERROR, 7, "0: 0 of 0..0, sum 0, 1 failed, 7 missed", 1, 0},
        {VERDICT_TIMEOUT, 0, "0: 0 of 0..0, sum 0, 1 failed, 0 missed", 1, 0},
        {VERDICT_NONE, 0, "0: 1 of 50..50, sum 50, 0 failed, 0 missed", 1, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        start_tracks(state);
        record(&track, 10, 50, cases[i].verdict, cases[i].missed);
        assert_column(&track, 0, cases[i].column);
        assert_int_equal(track.column_count, cases[i].used);
        assert_int_equal(track.request_count, cases[i].seen);
    }
}

TEST(a_start_before_the_begin_goes_to_the_begin)
{
    record(&track, -1, 40, VERDICT_NONE, 0);
    record(&track, -BEGAN, 60, VERDICT_NONE, 0);
    assert_column(&track, 0, "0: 2 of 40..60, sum 100, 0 failed, 0 missed");
    assert_int_equal(track.marks[1].offset, 0);
    assert_int_equal(track.marks[1].latency, 60);
}

TEST(marks_are_kept_as_they_came_while_there_is_room)
{
    for (int i = 0; i < TRACK_MARKS; i++)
        record(&track, 1000 - i, i, VERDICT_NONE, 0);
    assert_int_equal(track.marks[0].offset, 1000);
    assert_int_equal(track.marks[TRACK_MARKS - 1].offset, 1001 - TRACK_MARKS);
    assert_int_equal(track.marks[TRACK_MARKS - 1].latency, TRACK_MARKS - 1);
    assert_int_equal(track.request_count, TRACK_MARKS);
    record(&track, 7, 7, VERDICT_NONE, 0);
    assert_int_equal(track.request_count, TRACK_MARKS + 1);
    assert_int_equal(track.marks[TRACK_MARKS - 1].latency, TRACK_MARKS - 1);
    assert_column(&track, 0, "0: 401 of 0..399, sum 79807, 0 failed, 0 missed");
}

TEST(a_run_that_outgrows_them_has_columns_of_twice_the_width)
{
    for (int i = 0; i < TRACK_COLUMNS; i++)
        record(&track, i * WIDTH, i, i % 2 ? VERDICT_ERROR : VERDICT_NONE, 1);
    assert_int_equal(track.shift, TRACK_SHIFT);
    record(&track, TRACK_COLUMNS * WIDTH, 5, VERDICT_NONE, 0);
    assert_int_equal(track.shift, TRACK_SHIFT + 1);
    assert_int_equal(track.column_count, TRACK_COLUMNS / 2 + 1);
    assert_column(&track, 0, "0: 1 of 0..0, sum 0, 1 failed, 2 missed");
    assert_column(&track, 1023, "1023: 1 of 2046..2046, sum 2046, 1 failed, 2 missed");
    assert_column(&track, 1024, "1024: 1 of 5..5, sum 5, 0 failed, 0 missed");
    assert_column(&track, 1025, "1025: 0 of 0..0, sum 0, 0 failed, 0 missed");
}

TEST(an_odd_column_at_the_end_is_not_lost)
{
    record(&track, 0, 10, VERDICT_NONE, 0);
    record(&track, WIDTH, 30, VERDICT_NONE, 0);
    record(&track, 2 * WIDTH, 20, VERDICT_NONE, 0);
    record(&track, 2 * TRACK_COLUMNS * WIDTH - 1, 99, VERDICT_NONE, 0);
    assert_column(&track, 0, "0: 2 of 10..30, sum 40, 0 failed, 0 missed");
    assert_column(&track, 1, "1: 1 of 20..20, sum 20, 0 failed, 0 missed");
    assert_column(&track, 2, "2: 0 of 0..0, sum 0, 0 failed, 0 missed");
    assert_column(&track, 2047, "2047: 1 of 99..99, sum 99, 0 failed, 0 missed");
}

/* 2^62 ns are 146 years: 2^11 columns of 2^52. */
TEST(no_run_is_too_long)
{
    record(&track, 0, 1, VERDICT_NONE, 0);
    record(&track, 1LL << 62, 2, VERDICT_NONE, 0);
    assert_int_equal(track.shift, 52);
    assert_column(&track, 0, "0: 1 of 1..1, sum 1, 0 failed, 0 missed");
    assert_column(&track, 1024, "1024: 1 of 2..2, sum 2, 0 failed, 0 missed");
}

static void
assert_same_columns(const struct track *a, const struct track *b)
{
    assert_int_equal(a->shift, b->shift);
    assert_int_equal(a->column_count, b->column_count);
    assert_int_equal(a->request_count, b->request_count);
    assert_memory_equal(a->columns, b->columns, sizeof(a->columns));
}

TEST(merged_tracks_are_as_if_one_had_recorded_all)
{
    static const int64_t ends[][2] = {{WIDTH, WIDTH},
                                      {WIDTH, 90000 * WIDTH},
                                      {90000 * WIDTH, 3 * WIDTH},
                                      {5000 * WIDTH, 700000 * WIDTH}};
    for (size_t i = 0; i < LENGTH(ends); i++) {
        struct random random;
        start_tracks(state);
        random_seed(&random, 11 + i);
        for (int k = 0; k < 3000; k++) {
            int side = k % 2;
            int64_t offset = (int64_t)random_below(&random, (uint64_t)ends[i][side]);
            int64_t latency = (int64_t)random_below(&random, 1000000);
            enum verdict verdict = k % 7 ? VERDICT_NONE : VERDICT_ERROR;
            record(side ? &other : &track, offset, latency, verdict, k % 5 == 0);
            record(&whole, offset, latency, verdict, k % 5 == 0);
        }
        track_merge(&track, &other);
        assert_same_columns(&track, &whole);
    }
}

TEST(marks_of_both_are_kept_if_there_is_room)
{
    record(&track, 5, 50, VERDICT_NONE, 0);
    record(&other, 3, 30, VERDICT_NONE, 0);
    record(&other, 4, 40, VERDICT_NONE, 0);
    track_merge(&track, &other);
    assert_int_equal(track.request_count, 3);
    assert_int_equal(track.marks[0].latency, 50);
    assert_int_equal(track.marks[2].latency, 40);
    for (int i = 0; i < TRACK_MARKS; i++)
        record(&whole, 0, 1, VERDICT_NONE, 0);
    track_merge(&track, &whole);
    assert_int_equal(track.request_count, TRACK_MARKS + 3);
    assert_int_equal(track.marks[TRACK_MARKS - 1].latency, 1);
    assert_int_equal(track.shift, TRACK_SHIFT); /* not overwritten by a mark too many */
}

TEST(nothing_and_a_track_are_that_track)
{
    record(&other, 100 * WIDTH, 30, VERDICT_NONE, 1);
    memset(&track, 0, sizeof(track));
    track_merge(&track, &other);
    assert_memory_equal(&track, &other, sizeof(track));
    memset(&whole, 0, sizeof(whole));
    track_merge(&track, &whole);
    assert_memory_equal(&track, &other, sizeof(track));
}

TEST(a_track_that_is_begun_anew_is_empty)
{
    record(&track, 5000 * WIDTH, 30, VERDICT_ERROR, 1);
    track_start(&track, BEGAN + 1, 0);
    record(&track, 1, 20, VERDICT_NONE, 0);
    assert_int_equal(track.shift, TRACK_SHIFT);
    assert_int_equal(track.column_count, 1);
    assert_int_equal(track.marks[0].offset, 0);
    for (int i = 1; i < TRACK_COLUMNS; i++)
        assert_memory_equal(&track.columns[i], &other.columns[i],
                            sizeof(track.columns[i]));
}

/* On a grid of 10 ms, and of 1 us, of which many lie in a column. */
TEST(missed_points_are_where_they_were_due)
{
    static const int due[] = {9, 19, 28, 38}; /* 10, 20, 30 and 40 ms by 2^20 ns */
    track_start(&track, BEGAN, 10000000);
    record(&track, 0, 45000000, VERDICT_NONE, 4);
    assert_int_equal(track.column_count, 39);
    for (size_t i = 0; i < LENGTH(due); i++)
        assert_int_equal(track.columns[due[i]].missed, 1);
    assert_int_equal(track.columns[0].missed, 0);
    track_start(&track, BEGAN, 1000);
    track_miss(&track, BEGAN + 500, 10000000);
    uint64_t sum = 0;
    for (int i = 0; i < track.column_count; i++)
        sum += track.columns[i].missed;
    assert_int_equal(sum, 10000000);
    assert_int_equal(track.shift, 23); /* 10 s */
    assert_int_equal(track.column_count, 1193);
    assert_in_range(track.columns[0].missed, 8388, 8389); /* 2^23 ns */
    assert_in_range(track.columns[600].missed, 8388, 8389);
}

/* A request of 1, 2, 3, 4 and 5 ns and a flush of 6 is split that started at OFFSET. */
static void
split(struct track *into, int64_t offset, enum split_result result)
{
    struct sample sample = {.start = BEGAN + offset,
                            .latency = 21,
                            .sync = 6,
                            .verdict = VERDICT_NONE,
                            .split = {.result = result, .part = {1, 2, 3, 4, 5}}};
    track_split(into, &sample);
}

/* A column has the parts of COUNT such requests. */
static void
assert_parts(const struct track *of, int index, int count)
{
    const struct track_column *column = &of->columns[index];
    assert_int_equal(column->split_count, count);
    for (int i = 0; i < PARTS; i++)
        assert_true(column->parts[i] == count * (i + 1));
    assert_true(column->sync == count * 6);
}

/* Those that were not split have none. */
TEST(parts_are_in_the_column_in_which_the_request_started)
{
    record(&track, 5 * WIDTH, 15, VERDICT_NONE, 0);
    split(&track, 5 * WIDTH, SPLIT_DONE);
    split(&track, 6 * WIDTH - 1, SPLIT_DONE);
    split(&track, 6 * WIDTH, SPLIT_LOST);
    split(&track, 7 * WIDTH, SPLIT_NO_DEVICE_IO);
    assert_int_equal(track.column_count, 6);
    assert_parts(&track, 4, 0);
    assert_parts(&track, 5, 2);
    assert_column(&track, 5, "5: 1 of 15..15, sum 15, 0 failed, 0 missed");
    track_start(&track, BEGAN, 0);
    assert_parts(&track, 5, 0);
}

/* The columns are twice as wide when the request is split. */
TEST(parts_of_a_request_long_ago_are_where_it_is)
{
    record(&track, 10 * WIDTH, 15, VERDICT_NONE, 0);
    split(&track, 11 * WIDTH, SPLIT_DONE);
    record(&track, TRACK_COLUMNS * WIDTH, 15, VERDICT_NONE, 0);
    split(&track, 10 * WIDTH, SPLIT_DONE);
    assert_parts(&track, 5, 2);
    assert_parts(&track, 10, 0);
}

TEST(parts_of_other_tracks_are_merged)
{
    split(&track, 8 * WIDTH, SPLIT_DONE);
    split(&other, 9 * WIDTH, SPLIT_DONE);
    split(&other, TRACK_COLUMNS * WIDTH, SPLIT_DONE);
    track_merge(&track, &other);
    assert_parts(&track, 4, 2);
    assert_parts(&track, TRACK_COLUMNS / 2, 1);
}
