#include "support.h"

#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"
#include "run/handoff.h"

#define ROUNDS 20000

static void
it_can_be_borrowed_only_where_it_lies(void **state)
{
    (void)state;
    struct baton baton = {0};
    int64_t since = 7;
    assert_false(baton_borrow(&baton, &since));
    assert_int_equal(since, 7);
    baton_lay(&baton, 42);
    assert_int_equal(baton_look(&baton), 42);
    assert_true(baton_borrow(&baton, &since));
    assert_int_equal(since, 42);
    assert_int_equal(baton_look(&baton), BATON_BORROWED);
    baton_return(&baton, since);
    assert_int_equal(baton_look(&baton), 42);
    baton_take(&baton, 42);
    assert_false(baton_borrow(&baton, &since));
}

struct shared {
    struct baton baton;
    int64_t numbers[2]; /* always the same, for whoever has the baton */
    atomic_bool done;
};

static void *
count_up(void *argument)
{
    struct shared *shared = argument;
    for (int64_t i = 1; i <= ROUNDS; i++) {
        baton_lay(&shared->baton, i);
        baton_take(&shared->baton, i);
        shared->numbers[0]++;
        shared->numbers[1]++;
    }
    baton_lay(&shared->baton, BATON_RESTING);
    atomic_store(&shared->done, true);
    return NULL;
}

static void
whoever_borrows_it_sees_whole_statistics(void **state)
{
    (void)state;
    struct shared shared = {0};
    struct os_thread thread;
    int64_t since, last = 0;
    int borrowed = 0;
    assert_int_equal(os_thread_start(&thread, count_up, &shared), 0);
    for (bool done = false; !done;) {
        done = atomic_load(&shared.done);
        if (!baton_borrow(&shared.baton, &since))
            continue;
        assert_int_equal(shared.numbers[0], shared.numbers[1]);
        assert_true(shared.numbers[0] >= last);
        if (since > 0)
            assert_int_equal(shared.numbers[0], since - 1);
        last = shared.numbers[0];
        shared.numbers[0] += 1000; /* seen and taken back before it is returned */
        shared.numbers[0] -= 1000;
        baton_return(&shared.baton, since);
        borrowed++;
    }
    os_thread_join(&thread);
    assert_true(borrowed > 0);
    assert_int_equal(shared.numbers[0], ROUNDS);
    assert_int_equal(shared.numbers[1], ROUNDS);
}

static atomic_bool taken;

static void *
take(void *argument)
{
    baton_take(argument, 5);
    atomic_store(&taken, true);
    return NULL;
}

static void
the_worker_waits_while_it_is_borrowed(void **state)
{
    (void)state;
    struct baton baton = {0};
    struct os_thread thread;
    int64_t since;
    baton_lay(&baton, 5);
    assert_true(baton_borrow(&baton, &since));
    assert_int_equal(os_thread_start(&thread, take, &baton), 0);
    os_sleep_until(os_clock_now() + 20000000);
    assert_false(atomic_load(&taken));
    baton_return(&baton, since);
    os_thread_join(&thread);
    assert_true(atomic_load(&taken));
    assert_int_equal(baton_look(&baton), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_can_be_borrowed_only_where_it_lies),
        cmocka_unit_test(whoever_borrows_it_sees_whole_statistics),
        cmocka_unit_test(the_worker_waits_while_it_is_borrowed),
    };
    return cmocka_run_group_tests_name("baton", tests, NULL, NULL);
}
