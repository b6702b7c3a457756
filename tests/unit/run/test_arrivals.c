/* The arrivals of an open loop, which the workers of a group share. */
#include "support.h"

#include "os/thread.h"
#include "run/job.h"

#define INTERVAL 1000000
#define ARRIVALS 100000
#define THREADS 4

static void
a_grid_has_equal_gaps(void **state)
{
    (void)state;
    struct arrivals arrivals = {.interval = INTERVAL};
    int64_t at = 0;
    for (int i = 1; i <= 1000; i++) {
        at = arrivals_next(&arrivals, at);
        assert_int_equal(at, (int64_t)i * INTERVAL);
    }
    assert_true(arrivals_next(&arrivals, INT64_MAX) == INT64_MAX);
}

static void
the_same_seed_has_the_same_gaps(void **state)
{
    (void)state;
    struct arrivals arrivals[] = {{.interval = INTERVAL, .poisson = true, .seed = 7},
                                  {.interval = INTERVAL, .poisson = true, .seed = 7},
                                  {.interval = INTERVAL, .poisson = true, .seed = 8}};
    int64_t at[3] = {0};
    int equal = 0;
    for (int i = 0; i < 1000; i++) {
        for (int k = 0; k < 3; k++)
            at[k] = arrivals_next(&arrivals[k], at[k]);
        assert_true(at[0] == at[1]);
        equal += at[0] == at[2];
    }
    assert_int_equal(equal, 0);
}

/* Of an exponential distribution the standard deviation is the mean, and of all values
 * exp(-1) are above it, exp(-2) above twice it. */
static void
random_gaps_are_exponentially_distributed(void **state)
{
    (void)state;
    static const uint64_t seeds[] = {0, 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(seeds) / sizeof(seeds[0]); i++) {
        struct arrivals arrivals = {
            .interval = INTERVAL, .poisson = true, .seed = seeds[i]};
        struct moments moments = {0};
        int64_t at = 0, above = 0, twice = 0;
        for (int k = 0; k < ARRIVALS; k++) {
            int64_t gap = arrivals_next(&arrivals, at) - at;
            at += gap;
            moments_record(&moments, gap);
            above += gap > INTERVAL;
            twice += gap > 2 * INTERVAL;
        }
        assert_in_range(moments_average(&moments), INTERVAL * 0.99, INTERVAL * 1.01);
        assert_in_range(moments_deviation(&moments), INTERVAL * 0.98, INTERVAL * 1.02);
        assert_in_range(above, ARRIVALS * 0.36, ARRIVALS * 0.376);
        assert_in_range(twice, ARRIVALS * 0.13, ARRIVALS * 0.14);
    }
}

/* What follows from an arrival that comes again would come again for ever. */
static void
no_gap_is_nothing(void **state)
{
    (void)state;
    struct arrivals arrivals = {.interval = 1, .poisson = true};
    int64_t at = 0;
    for (int i = 0; i < ARRIVALS; i++) {
        int64_t next = arrivals_next(&arrivals, at);
        assert_true(next > at);
        at = next;
    }
}

struct taker {
    struct worker_group *group;
    int64_t sum;
};

static void *
take(void *argument)
{
    struct taker *taker = argument;
    int64_t due;
    while ((due = worker_group_take_due(taker->group)) < 5000LL * INTERVAL)
        taker->sum += due;
    return NULL;
}

/* Each once: their sum is that of what one worker takes. */
static void
several_workers_take_each_arrival_once(void **state)
{
    (void)state;
    struct worker_group alone = {
        .size = 1, .begin = 100, .arrivals = {.interval = INTERVAL, .poisson = true}};
    struct worker_group group = alone;
    int64_t due, expected = 0, sum = 0;
    assert_int_equal(worker_group_due(&alone), 100);
    while ((due = worker_group_take_due(&alone)) < 5000LL * INTERVAL)
        expected += due;
    assert_true(worker_group_due(&alone) > due);
    struct os_thread threads[THREADS];
    struct taker takers[THREADS];
    group.size = THREADS;
    for (int i = 0; i < THREADS; i++) {
        takers[i] = (struct taker){.group = &group};
        assert_int_equal(os_thread_start(&threads[i], take, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        os_thread_join(&threads[i]);
        sum += takers[i].sum;
    }
    assert_true(sum == expected);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_grid_has_equal_gaps),
        cmocka_unit_test(the_same_seed_has_the_same_gaps),
        cmocka_unit_test(random_gaps_are_exponentially_distributed),
        cmocka_unit_test(no_gap_is_nothing),
        cmocka_unit_test(several_workers_take_each_arrival_once),
    };
    return cmocka_run_group_tests_name("arrivals", tests, NULL, NULL);
}
