/* The generator of random numbers: its published sequence, ranges and derived seeds. */
#include "support.h"

#include "base/random.h"

TEST(follows_the_published_sequence)
{
    struct random random;
    random_seed(&random, 1234567);
    /* The test vector that other implementations of SplitMix64 use. */
    assert_true(random_next(&random) == 6457827717110365317u);
    assert_true(random_next(&random) == 3203168211198807973u);
    assert_true(random_next(&random) == 9817491932198370423u);
}

TEST(stays_below_the_limit_and_reaches_all)
{
    struct random random;
    int hits[7] = {0};
    random_seed(&random, 42);
    for (int i = 0; i < 70000; i++) {
        uint64_t value = random_below(&random, 7);
        assert_true(value < 7);
        hits[value]++;
    }
    for (int i = 0; i < 7; i++)
        assert_in_range(hits[i], 9500, 10500);
}

TEST(number_0_of_a_seed_is_the_seed_itself)
{
    static const uint64_t seeds[] = {0, 1, 42, UINT64_MAX, 0x9e3779b97f4a7c15};
    for (size_t i = 0; i < LENGTH(seeds); i++)
        assert_true(random_derive(seeds[i], 0) == seeds[i]);
}

TEST(the_same_seed_and_number_give_the_same)
{
    for (uint64_t number = 0; number < 5; number++)
        assert_true(random_derive(7, number) == random_derive(7, number));
    assert_true(random_derive(7, 1) != random_derive(8, 1));
}

static int
compare(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

/* No value appears twice in the beginnings of all, so none is a shifted part of another:
 * chance would do that once in 10^10. */
TEST(what_is_derived_shares_no_stretch_with_another)
{
    enum { NUMBERS = 64, EACH = 1000, SEEDS = 3 };
    static const uint64_t seeds[SEEDS] = {0, 1, UINT64_MAX};
    static uint64_t values[NUMBERS * EACH];
    for (int s = 0; s < SEEDS; s++) {
        for (int n = 0; n < NUMBERS; n++) {
            struct random random;
            random_seed(&random, random_derive(seeds[s], (uint64_t)n));
            for (int i = 0; i < EACH; i++)
                values[n * EACH + i] = random_next(&random);
        }
        qsort(values, NUMBERS * EACH, sizeof(values[0]), compare);
        for (int i = 1; i < NUMBERS * EACH; i++)
            if (values[i] == values[i - 1])
                fail_msg("seed %d: a value came twice", s);
    }
}

/* As seeds that are used one after the other may be. */
TEST(derived_seeds_of_neighbours_differ)
{
    enum { SEEDS = 64, NUMBERS = 64 };
    static uint64_t seeds[SEEDS * NUMBERS];
    for (uint64_t s = 0; s < SEEDS; s++)
        for (uint64_t n = 0; n < NUMBERS; n++)
            seeds[s * NUMBERS + n] = random_derive(s, n);
    qsort(seeds, SEEDS * NUMBERS, sizeof(seeds[0]), compare);
    for (int i = 1; i < SEEDS * NUMBERS; i++)
        assert_true(seeds[i] != seeds[i - 1]);
}
