/* The bounds of the histogram for Prometheus: the default ones, and their syntax. */
#include "support.h"

#include "stats/distribution.h"
#include "stats/percentile.h"

#define SECOND 1000000000LL
static const struct buckets *const buckets = &buckets_default;

/* Counts up to them are exact then, as the steps below have all that is at most that. */
TEST(each_default_bound_is_the_end_of_a_step)
{
    for (int i = 0; i < buckets->count; i++) {
        int64_t bound = buckets->list[i];
        int bin = histogram_bin(bound);
        assert_int_equal(histogram_upto(bin), bound);
        assert_int_equal(histogram_bin(bound + 1), bin + 1);
    }
}

/* Dashboards know them: 1 us * 2^k. */
TEST(the_default_bounds_have_each_power_of_two)
{
    int at = 0;
    for (int k = 0; k < 26; k++) {
        while (at < buckets->count && buckets->list[at] < 1000LL << k)
            at++;
        assert_true(at < buckets->count);
        assert_int_equal(buckets->list[at], 1000LL << k);
    }
    assert_int_equal(at, buckets->count - 1);
}

/* From one to the next it is never more than the square root of two and 0.15 %. */
TEST(an_octave_that_reaches_50_us_to_1_s_has_two_steps)
{
    for (int i = 1; i < buckets->count; i++) {
        int64_t from = buckets->list[i - 1], to = buckets->list[i];
        if (to > 50000 && from < SECOND)
            assert_true(to * 1000 <= from * 1416);
        else
            assert_true(to * 1000 == from * 2000 || to * 1000 <= from * 1416);
    }
}

TEST(bounds_are_times_that_rise)
{
    struct buckets own;
    assert_null(buckets_parse("500us,0.005,1/100,1,1h", &own));
    static const int64_t expected[] = {500000, 5000000, 10000000, SECOND, 3600 * SECOND};
    assert_int_equal(own.count, 5);
    for (int i = 0; i < own.count; i++)
        assert_int_equal(own.list[i], expected[i]);
    assert_null(buckets_parse("1ns", &own));
    assert_int_equal(own.count, 1);
    assert_int_equal(own.list[0], 1);
}

/* Writes COUNT bounds into TEXT: 1us,2us,3us ... */
static void
write_bounds(char *text, int count)
{
    for (int i = 1; i <= count; i++)
        text += sprintf(text, "%s%dus", i > 1 ? "," : "", i);
}

TEST(they_are_64_at_most)
{
    struct buckets own;
    char text[1024];
    write_bounds(text, 64);
    assert_null(buckets_parse(text, &own));
    assert_int_equal(own.count, 64);
    assert_int_equal(own.list[63], 64000);
    write_bounds(text, 65);
    assert_string_equal(buckets_parse(text, &own), "there can be at most 64 bounds");
}

TEST(others_are_refused)
{
    static const char *const cases[][2] = {
        {"0", "must be more than 0"},
        {"1ms,0", "must be more than 0"},
        {"2ms,1ms", "each bound must be above the one before"},
        {"1ms,1ms", "each bound must be above the one before"},
        {"0.001,1ms", "each bound must be above the one before"},
        {"3600.000000001", "must be at most an hour"},
        {"2h", "must be at most an hour"},
        {"", "not a time such as 10ms, 0.5s or 2min"},
        {"1ms,", "not a time such as 10ms, 0.5s or 2min"},
        {",1ms", "not a time such as 10ms, 0.5s or 2min"},
        {"1ms 2ms", "not a time such as 10ms, 0.5s or 2min"},
        {"0.0000000000000000000000000000000000000000000001", "not a time"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct buckets own;
        const char *why = buckets_parse(cases[i][0], &own);
        assert_non_null(why);
        assert_string_equal(why, cases[i][1]);
    }
}
