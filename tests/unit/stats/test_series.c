/* Latencies over time in constant memory: which requests become entries. */
#include "support.h"

#include "stats/track.h"

#define MOST 64
#define GUARDS 4

/* The memory of a series, and some behind it that nobody may write to. */
struct room {
    struct series_entry entries[MOST + GUARDS];
};

static const struct series_entry guard = {-7, -7};

static void
open_room(struct room *room, struct time_series *series, int most, uint64_t seed)
{
    for (int i = 0; i < MOST + GUARDS; i++)
        room->entries[i] = guard;
    series_start(series, room->entries, most, seed);
}

static void
check_room(const struct room *room, const struct time_series *series)
{
    assert_in_range(series->count, 0, series->capacity - 1);
    for (int i = series->capacity; i < MOST + GUARDS; i++)
        assert_memory_equal(&room->entries[i], &guard, sizeof(guard));
}

/* Records COUNT requests from number FIRST on: each starts at its number. */
static void
record(struct time_series *series, int first, int count)
{
    for (int i = first; i < first + count; i++)
        series_record(series, i, 1000 + i);
}

TEST(nothing_is_recorded_without_room)
{
    struct time_series series = {0}, more;
    struct room room;
    record(&series, 0, 1000);
    assert_int_equal(series.count, 0);
    open_room(&room, &more, MOST, 1);
    record(&more, 0, 10);
    series_merge(&series, &more);
    assert_int_equal(series.count, 0);
}

TEST(all_requests_are_kept_while_there_is_room)
{
    struct time_series series;
    struct room room;
    open_room(&room, &series, MOST, 1);
    assert_int_equal(series.count, 0);
    record(&series, 0, MOST - 1);
    assert_int_equal(series.count, MOST - 1);
    assert_int_equal(series.shift, 0);
    for (int i = 0; i < series.count; i++) {
        assert_int_equal(series.entries[i].start, i);
        assert_int_equal(series.entries[i].latency, 1000 + i);
    }
}

/* One of each group of 2^shift requests, in their order. */
TEST(it_never_takes_more_memory_than_it_has)
{
    static const int sizes[] = {2, 4, 10, MOST};
    for (size_t i = 0; i < LENGTH(sizes); i++) {
        struct time_series series;
        struct room room;
        open_room(&room, &series, sizes[i], 1);
        for (int seen = 1; seen <= 100000; seen++) {
            record(&series, seen - 1, 1);
            assert_int_equal(series.request_count, seen);
            if (seen % 1000)
                continue;
            check_room(&room, &series);
            assert_true(series.count >= sizes[i] / 2 - 1);
            for (int k = 0; k < series.count; k++)
                assert_int_equal(series.entries[k].start >> series.shift, k);
        }
    }
}

#define TRIALS 4000
#define REQUESTS 992 /* 62 groups of 16 */

/*
 * Pearson's statistic of how often each request was chosen. One of each group is, so that
 * 15 of 16 are free: the statistic is 930 in the mean and deviates by 43.
 */
static double
find_deviance(const int *chosen, double expected)
{
    double sum = 0;
    for (int i = 0; i < REQUESTS; i++)
        sum += (chosen[i] - expected) * (chosen[i] - expected) / expected;
    return sum;
}

TEST(each_request_has_the_same_chance)
{
    static int chosen[REQUESTS];
    struct time_series series;
    struct room room;
    memset(chosen, 0, sizeof(chosen));
    for (int trial = 0; trial < TRIALS; trial++) {
        open_room(&room, &series, MOST, (uint64_t)trial);
        record(&series, 0, REQUESTS);
        assert_int_equal(series.shift, 4);
        for (int i = 0; i < series.count; i++)
            chosen[series.entries[i].start]++;
    }
    double deviance = find_deviance(chosen, TRIALS / 16.0);
    assert_true(deviance > 930 - 5 * 43 && deviance < 930 + 5 * 43);
}

/* Every second request is slow, every third, and so on: as many are among the entries. */
TEST(no_rhythm_of_requests_is_that_of_the_choice)
{
    static struct series_entry entries[4096];
    static const int rhythms[] = {2, 3, 4, 8, 16, 100};
    for (size_t i = 0; i < LENGTH(rhythms); i++) {
        struct time_series series;
        int slow = 0;
        series_start(&series, entries, 4096, 1);
        for (int k = 0; k < 3000000; k++)
            series_record(&series, k, k % rhythms[i] ? 1 : 1000);
        for (int k = 0; k < series.count; k++)
            slow += entries[k].latency == 1000;
        double share = (double)slow / series.count, expected = 1.0 / rhythms[i];
        /* Five deviations of a share of 2048. */
        double variance = expected * (1 - expected) / 2048;
        assert_true((share - expected) * (share - expected) < 25 * variance);
    }
}

TEST(equal_seeds_make_the_same_choices)
{
    struct time_series one, same, other;
    struct room rooms[3];
    open_room(&rooms[0], &one, MOST, 5);
    open_room(&rooms[1], &same, MOST, 5);
    open_room(&rooms[2], &other, MOST, 6);
    record(&one, 0, 5000);
    record(&same, 0, 5000);
    record(&other, 0, 5000);
    assert_int_equal(one.count, same.count);
    assert_memory_equal(&rooms[0], &rooms[1], sizeof(rooms[0]));
    assert_int_equal(one.count, other.count);
    assert_memory_not_equal(&rooms[0], &rooms[2], sizeof(rooms[0]));
}

TEST(what_begins_anew_has_nothing_of_before)
{
    struct time_series series;
    struct room room;
    open_room(&room, &series, MOST, 5);
    record(&series, 0, 5000);
    series_start(&series, room.entries, MOST, 5);
    assert_int_equal(series.count, 0);
    assert_int_equal(series.request_count, 0);
    record(&series, 0, 3);
    assert_int_equal(series.count, 3);
}

TEST(few_requests_of_several_are_all_kept)
{
    struct time_series into, more;
    struct room rooms[2];
    bool kept[40] = {false};
    open_room(&rooms[0], &into, MOST, 1);
    for (int i = 0; i < 4; i++) {
        open_room(&rooms[1], &more, MOST, 1);
        record(&more, i * 10, 10);
        series_merge(&into, &more);
    }
    assert_int_equal(into.count, 40);
    assert_int_equal(into.request_count, 40);
    for (int i = 0; i < into.count; i++)
        kept[into.entries[i].start] = true;
    for (int i = 0; i < 40; i++)
        assert_true(kept[i]);
}

TEST(nothing_more_changes_nothing)
{
    struct time_series into, more, none = {0};
    struct room rooms[2];
    open_room(&rooms[0], &into, MOST, 1);
    open_room(&rooms[1], &more, MOST, 1);
    record(&into, 0, 10);
    series_merge(&into, &more);
    series_merge(&into, &none);
    assert_int_equal(into.count, 10);
    assert_int_equal(into.request_count, 10);
}

/* Of these 992 requests, by workers whose series have been halved differently often. */
TEST(each_request_of_several_has_the_same_chance)
{
    static const int counts[][4] = {
        {992, 0, 0, 0}, {16, 32, 48, 896}, {896, 48, 32, 16}, {248, 248, 248, 248}};
    for (size_t order = 0; order < LENGTH(counts); order++) {
        static int chosen[REQUESTS];
        struct time_series into, more;
        struct room rooms[2];
        memset(chosen, 0, sizeof(chosen));
        for (int trial = 0; trial < TRIALS; trial++) {
            int first = 0;
            open_room(&rooms[0], &into, MOST, (uint64_t)trial);
            for (int i = 0; i < 4; i++) {
                open_room(&rooms[1], &more, MOST, 900000 + (uint64_t)(trial * 4 + i));
                record(&more, first, counts[order][i]);
                first += counts[order][i];
                series_merge(&into, &more);
                check_room(&rooms[0], &into);
            }
            assert_int_equal(into.request_count, REQUESTS);
            assert_int_equal(into.shift, 4);
            for (int i = 0; i < into.count; i++)
                chosen[into.entries[i].start]++;
        }
        double deviance = find_deviance(chosen, TRIALS / 16.0);
        assert_true(deviance > 930 - 5 * 43 && deviance < 930 + 5 * 43);
    }
}
