/* Mean and deviation, by hand and of large sets, also merged. */
#include "support.h"

#include "base/random.h"
#include "stats/distribution.h"

#define BILLION 1000000000LL

static void
assert_close(double value, double expected)
{
    if (fabs(value - expected) > 1e-9 * fabs(expected))
        fail_msg("%.17g is not %.17g", value, expected);
}

static struct moments
record_all(const int64_t *values, int count)
{
    struct moments moments = {0};
    for (int i = 0; i < count; i++)
        moments_record(&moments, values[i]);
    return moments;
}

/* COUNT copies of SET. */
static struct moments
repeat(struct moments set, uint64_t count)
{
    struct moments all = {0};
    for (; count; count >>= 1) {
        struct moments copy = set;
        if (count & 1)
            moments_merge(&all, &set);
        moments_merge(&set, &copy);
    }
    return all;
}

TEST(nothing_is_all_zero)
{
    struct moments moments = {0};
    assert_true(moments_average(&moments) == 0);
    assert_true(moments_deviation(&moments) == 0);
}

TEST(small_sets_give_the_values_computed_by_hand)
{
    static const struct {
        int64_t values[5];
        int count;
        int64_t sum, min, max, average, deviation;
    } cases[] = {
        {{777}, 1, 777, 777, 777, 777, 0},
        {{777, 777, 777, 777, 777}, 5, 3885, 777, 777, 777, 0},
        {{0, 5}, 2, 5, 0, 5, 2, 2},
        {{5, 0}, 2, 5, 0, 5, 2, 2},
        {{0, 0}, 2, 0, 0, 0, 0, 0},
        {{1, 2, 3, 4, 5}, 5, 15, 1, 5, 3, 1},
        {{1000, 2000, 3000, 4000, 5000}, 5, 15000, 1000, 5000, 3000, 1414},
        {{5000, 1000, 4000, 2000, 3000}, 5, 15000, 1000, 5000, 3000, 1414},
        {{0, 0, 0, 1000}, 4, 1000, 0, 1000, 250, 433},
        {{20, 20, 20, 70}, 4, 130, 20, 70, 32, 21},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct moments moments = record_all(cases[i].values, cases[i].count);
        assert_int_equal(moments.count, cases[i].count);
        assert_int_equal(moments.sum, cases[i].sum);
        assert_int_equal(moments.min, cases[i].min);
        assert_int_equal(moments.max, cases[i].max);
        assert_int_equal(moments_average(&moments), cases[i].average);
        assert_int_equal(moments_deviation(&moments), cases[i].deviation);
    }
}

TEST(one_to_five_have_exact_mean_and_squares)
{
    const int64_t values[] = {1, 2, 3, 4, 5};
    struct moments moments = record_all(values, 5);
    assert_true(moments.mean == 3);
    assert_true(moments.squares == 10);
}

TEST(five_seconds_give_or_take_100_ns_deviate_by_100)
{
    static const int counts[] = {2, 10, 1000, 100000};
    for (size_t i = 0; i < LENGTH(counts); i++) {
        struct moments moments = {0};
        for (int k = 0; k < counts[i]; k++)
            moments_record(&moments, 5 * BILLION + (k % 2 ? 100 : -100));
        assert_int_equal(moments_deviation(&moments), 100);
        assert_int_equal(moments_average(&moments), 5 * BILLION);
    }
}

TEST(a_large_offset_does_not_change_the_deviation)
{
    static const int64_t offsets[] = {0, BILLION, 1000 * BILLION, 1000000 * BILLION};
    for (size_t i = 0; i < LENGTH(offsets); i++) {
        struct moments moments = {0};
        for (int64_t k = 1; k <= 5; k++)
            moments_record(&moments, offsets[i] + k * 1000);
        assert_int_equal(moments.sum, 5 * offsets[i] + 15000);
        assert_int_equal(moments_average(&moments), offsets[i] + 3000);
        assert_int_equal(moments_deviation(&moments), 1414);
    }
}

TEST(a_billion_equal_seconds_are_exact)
{
    struct moments one = {0};
    moments_record(&one, BILLION);
    struct moments all = repeat(one, BILLION);
    assert_int_equal(all.count, BILLION);
    assert_int_equal(all.sum, BILLION * BILLION);
    assert_int_equal(all.min, BILLION);
    assert_int_equal(all.max, BILLION);
    assert_true(all.mean == 1e9);
    assert_int_equal(moments_average(&all), BILLION);
    assert_int_equal(moments_deviation(&all), 0);
}

TEST(a_billion_values_around_a_second_keep_their_deviation)
{
    struct moments pair = {0};
    moments_record(&pair, BILLION - 1000);
    moments_record(&pair, BILLION + 1000);
    struct moments all = repeat(pair, BILLION / 2);
    assert_int_equal(all.count, BILLION);
    assert_int_equal(all.sum, BILLION * BILLION);
    assert_int_equal(all.min, BILLION - 1000);
    assert_int_equal(all.max, BILLION + 1000);
    assert_close(sqrt(all.squares / 1e9), 1000);
}

TEST(merging_parts_equals_recording_the_whole)
{
    struct random random;
    random_seed(&random, 7);
    for (int trial = 0; trial < 500; trial++) {
        struct moments whole = {0}, merged = {0};
        uint64_t parts = 1 + random_below(&random, 8);
        for (uint64_t part = 0; part < parts; part++) {
            struct moments piece = {0};
            for (uint64_t n = random_below(&random, 100); n > 0; n--) {
                int64_t value = (int64_t)(50000 + random_below(&random, 1000000));
                moments_record(&piece, value);
                moments_record(&whole, value);
            }
            moments_merge(&merged, &piece);
        }
        assert_true(merged.count == whole.count);
        assert_true(merged.sum == whole.sum);
        assert_true(merged.min == whole.min);
        assert_true(merged.max == whole.max);
        assert_close(merged.mean, whole.mean);
        assert_close(merged.squares, whole.squares);
    }
}

TEST(merging_two_sets_gives_the_values_computed_by_hand)
{
    const int64_t low[] = {1, 2}, high[] = {9, 10, 11};
    struct moments moments = record_all(low, 2), more = record_all(high, 3);
    moments_merge(&moments, &more);
    assert_int_equal(moments.count, 5);
    assert_int_equal(moments.sum, 33);
    assert_int_equal(moments.min, 1);
    assert_int_equal(moments.max, 11);
    assert_close(moments.mean, 6.6);
    /* 5.6^2 + 4.6^2 + 2.4^2 + 3.4^2 + 4.4^2 */
    assert_close(moments.squares, 89.2);
}

TEST(merging_the_empty_set_changes_nothing)
{
    const int64_t values[] = {30, 10, 20};
    struct moments moments = record_all(values, 3), empty = {0}, before = moments;
    moments_merge(&moments, &empty);
    assert_memory_equal(&moments, &before, sizeof(before));
}

TEST(merging_into_the_empty_set_copies)
{
    const int64_t values[] = {30, 10, 20};
    struct moments moments = {0}, more = record_all(values, 3);
    moments_merge(&moments, &more);
    assert_memory_equal(&moments, &more, sizeof(more));
}

TEST(two_empty_sets_stay_empty)
{
    struct moments moments = {0}, more = {0}, empty = {0};
    moments_merge(&moments, &more);
    assert_memory_equal(&moments, &empty, sizeof(empty));
}
