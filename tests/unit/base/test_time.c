/* Sums and products of times, and the times of a grid of intervals. */
#include "support.h"

#include "base/time.h"

#define NEVER INT64_MAX

TEST(sums_saturate)
{
    static const struct {
        int64_t time, more, sum;
    } cases[] = {
        {0, 0, 0},
        {SECOND, MS, 1001 * MS},
        {NEVER, 0, NEVER},
        {0, NEVER, NEVER},
        {NEVER, NEVER, NEVER},
        {NEVER - 1, 1, NEVER},
        {NEVER - 1, 2, NEVER},
        {NEVER - 2, 1, NEVER - 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_true(time_add(cases[i].time, cases[i].more) == cases[i].sum);
}

TEST(products_saturate)
{
    static const struct {
        int64_t time, count, product;
    } cases[] = {
        {0, 0, 0},
        {SECOND, 0, 0},
        {0, NEVER, 0},
        {SECOND, 60, 60 * SECOND},
        {NEVER, 1, NEVER},
        {1, NEVER, NEVER},
        {NEVER, 2, NEVER},
        {NEVER / 2, 2, NEVER - 1},
        {NEVER / 2 + 1, 2, NEVER},
        {3037000500, 3037000500, NEVER},
        {NEVER, NEVER, NEVER},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_true(time_multiply(cases[i].time, cases[i].count) == cases[i].product);
}

TEST(the_earlier_of_two_times)
{
    assert_true(time_earlier(1, 2) == 1);
    assert_true(time_earlier(2, 1) == 1);
    assert_true(time_earlier(NEVER, 0) == 0);
}

TEST(the_next_point_of_a_grid_is_after_now)
{
    static const struct {
        int64_t point, every, now, next;
    } cases[] = {
        {100, 10, 100, 110},           {100, 10, 101, 110},  {100, 10, 109, 110},
        {100, 10, 110, 120},           {100, 10, 175, 180},  {7, 1, 7, 8},
        {7, NEVER, 7, NEVER},          {0, NEVER, 5, NEVER}, {0, SECOND, NEVER, NEVER},
        {5, NEVER - 10, 6, NEVER - 5},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        int64_t next = time_next_point(cases[i].point, cases[i].every, cases[i].now);
        if (next != cases[i].next)
            fail_msg("case %zu: %lld", i, (long long)next);
    }
}
