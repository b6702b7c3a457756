/* Request numbers, which the workers of a group share. */
#include "support.h"

#include "os/thread.h"
#include "run/job.h"

#define THREADS 4
#define COUNT 100003

/* Returns whether it is known when the last request of all is due. */
static bool
is_done(const struct worker_group *group)
{
    return worker_group_last_due(group, INT64_MAX) == 1;
}

TEST(numbers_follow_each_other_from_1)
{
    struct worker_group group = {.max_requests = 3};
    uint64_t first;
    for (uint64_t i = 1; i <= 3; i++) {
        assert_false(is_done(&group));
        assert_int_equal(worker_group_take_ordinals(&group, 1, 1, &first), 1);
        assert_int_equal(first, i);
    }
    assert_true(is_done(&group));
    assert_int_equal(worker_group_take_ordinals(&group, 1, 1, &first), 0);
    assert_int_equal(worker_group_take_ordinals(&group, 1, 1, &first), 0);
    assert_true(is_done(&group));
}

TEST(the_first_to_start_sets_the_begin_of_all)
{
    struct worker_group group = {.max_requests = 3};
    assert_int_equal(worker_group_start(&group, 1000), 1000);
    assert_int_equal(worker_group_start(&group, 2000), 1000);
    assert_int_equal(worker_group_start(&group, 900), 1000);
}

TEST(a_batch_is_cut_to_what_is_left)
{
    static const struct {
        uint64_t count, wanted, got[3];
    } cases[] = {{10, 4, {4, 4, 2}},
                 {8, 4, {4, 4, 0}},
                 {3, 4, {3, 0, 0}},
                 {10, UINT64_MAX, {10, 0, 0}},
                 {0, 1, {0, 0, 0}}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct worker_group group = {.max_requests = cases[i].count};
        uint64_t first, next = 1;
        for (int k = 0; k < 3; k++) {
            assert_int_equal(
                worker_group_take_ordinals(&group, cases[i].wanted, 1, &first),
                cases[i].got[k]);
            if (cases[i].got[k])
                assert_int_equal(first, next);
            next += cases[i].got[k];
        }
        assert_int_equal(is_done(&group), cases[i].count > 0);
    }
}

TEST(without_a_limit_there_are_always_more)
{
    struct worker_group group = {.max_requests = UINT64_MAX};
    uint64_t first;
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(worker_group_take_ordinals(&group, 1024, 1, &first), 1024);
        assert_int_equal(first, i * 1024 + 1);
    }
    assert_false(is_done(&group));
}

/* Wherever it begins, the sum does not overflow. */
TEST(the_last_numbers_there_are_can_be_taken)
{
    struct worker_group group = {.max_requests = UINT64_MAX,
                                 .ordinals_taken = UINT64_MAX - 5};
    uint64_t first;
    assert_int_equal(worker_group_take_ordinals(&group, 3, 1, &first), 3);
    assert_true(first == UINT64_MAX - 4);
    assert_int_equal(worker_group_take_ordinals(&group, UINT64_MAX, 1, &first), 2);
    assert_true(first == UINT64_MAX - 1);
    assert_int_equal(worker_group_take_ordinals(&group, UINT64_MAX, 1, &first), 0);
    assert_true(is_done(&group));
    struct worker_group fresh = {.max_requests = UINT64_MAX};
    assert_true(worker_group_take_ordinals(&fresh, UINT64_MAX, 1, &first) == UINT64_MAX);
    assert_int_equal(first, 1);
    assert_true(is_done(&fresh));
}

static struct worker_group shared;
static unsigned char times_taken[COUNT + 1];

struct taker {
    struct os_thread thread;
    uint64_t batch, sum;
    bool beyond;
};

/* Each number is one thread's own, so that the threads touch different bytes. */
static void *
take_all(void *argument)
{
    struct taker *taker = argument;
    uint64_t first, got;
    while ((got = worker_group_take_ordinals(&shared, taker->batch, 1, &first))) {
        taker->beyond |= first == 0 || first + got - 1 > COUNT || got > taker->batch;
        for (uint64_t i = first; !taker->beyond && i < first + got; i++)
            times_taken[i]++;
        taker->sum += got;
    }
    return NULL;
}

TEST(several_threads_take_each_number_once)
{
    static const uint64_t batches[][THREADS] = {
        {1, 1, 1, 1}, {1, 7, 64, 1000}, {13, 13, 13, 13}};
    for (size_t i = 0; i < LENGTH(batches); i++) {
        struct taker takers[THREADS] = {0};
        uint64_t sum = 0;
        memset(times_taken, 0, sizeof(times_taken));
        memset(&shared, 0, sizeof(shared));
        shared.max_requests = COUNT;
        for (int k = 0; k < THREADS; k++) {
            takers[k].batch = batches[i][k];
            assert_int_equal(os_thread_start(&takers[k].thread, take_all, &takers[k]), 0);
        }
        for (int k = 0; k < THREADS; k++) {
            os_thread_join(&takers[k].thread);
            assert_false(takers[k].beyond);
            sum += takers[k].sum;
        }
        assert_int_equal(sum, COUNT);
        assert_true(is_done(&shared));
        for (int k = 1; k <= COUNT; k++)
            if (times_taken[k] != 1)
                fail_msg("number %d was taken %d times", k, times_taken[k]);
    }
}
