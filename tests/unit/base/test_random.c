#include "support.h"

#include "base/random.h"

static void
follows_the_published_sequence(void **state)
{
    (void)state;
    struct random random;
    random_seed(&random, 1234567);
    /* The test vector that other implementations of SplitMix64 use. */
    assert_true(random_next(&random) == 6457827717110365317u);
    assert_true(random_next(&random) == 3203168211198807973u);
    assert_true(random_next(&random) == 9817491932198370423u);
}

static void
stays_below_the_limit_and_reaches_all(void **state)
{
    (void)state;
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

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_the_published_sequence),
        cmocka_unit_test(stays_below_the_limit_and_reaches_all),
    };
    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
