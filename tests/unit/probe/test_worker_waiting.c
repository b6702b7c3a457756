/* What a worker does between requests: it wakes its listener and evicts pages. */
#include "setup.h"

#include "os/process.h"

#include <signal.h>

struct waking {
    int64_t every, due, first;
    int early;    /* woken before the time it asked for */
    int woken[4]; /* after so many requests */
    int interims;
};

static struct waking waking;

static int64_t
on_wake(void *self, int64_t now)
{
    (void)self;
    waking.early += now < waking.due;
    waking.woken[fake_engine.requests < 3 ? fake_engine.requests : 3]++;
    waking.first = waking.first ? waking.first : now;
    waking.due = waking.every ? waking.due + waking.every : INT64_MAX;
    return waking.due;
}

static void
on_interim(void *self)
{
    (void)self;
    waking.interims++;
}

static void
run_waking(struct setup *setup, int64_t after, int64_t every)
{
    setup_open(setup);
    waking = (struct waking){.every = every, .due = os_clock_now() + after};
    setup->worker.listener.wake = on_wake;
    setup->worker.listener.interim = on_interim;
    setup->worker.wake_at = waking.due;
    worker_run(&setup->worker);
    worker_close(&setup->worker);
}

static void
the_listener_is_woken_while_the_worker_waits(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 3);
    setup.options.interval = 50 * MS;
    run_waking(&setup, 10 * MS, 10 * MS);
    assert_int_equal(waking.early, 0);
    assert_int_equal(setup.seen_count, 3);
    assert_true(waking.woken[1] >= 1);
    assert_true(waking.woken[2] >= 1);
    assert_true(setup.seen[2].start >= setup.worker.began + 100 * MS);
}

static void
it_is_woken_long_before_the_next_request(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 2);
    setup.options.interval = 400 * MS;
    run_waking(&setup, 10 * MS, 0);
    assert_int_equal(waking.woken[1], 1);
    assert_true(setup.seen[1].start >= setup.worker.began + 400 * MS);
}

static void
it_is_woken_without_any_interval_too(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 5);
    fake_engine.answers[2].takes = 20 * MS;
    run_waking(&setup, 10 * MS, 0);
    assert_int_equal(waking.early, 0);
    assert_int_equal(
        waking.woken[0] + waking.woken[1] + waking.woken[2] + waking.woken[3], 1);
}

static void
it_is_left_alone_until_then(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 3);
    run_waking(&setup, INT64_MAX / 2, 0);
    assert_int_equal(waking.first, 0);
}

static void
a_signal_asks_for_statistics_once(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 3);
    os_signals_install();
    raise(SIGUSR1);
    run_waking(&setup, INT64_MAX / 2, 0);
    assert_int_equal(waking.interims, 1);
    assert_int_equal(setup.seen_count, 3);
}

static int resident_answers, resident_asked;

/* Says "resident" so many times, then "not". */
static int
fake_resident(int fd, int64_t offset, int64_t length)
{
    assert_int_equal(fd, -1);
    assert_int_equal(offset % SIZE, 0);
    assert_int_equal(length, SIZE);
    resident_asked++;
    return resident_answers-- > 0;
}

static void
run_nocache(struct setup *setup, int resident, enum mode mode, enum option_id load)
{
    resident_asked = 0;
    resident_answers = resident;
    setup_begin(setup, 1);
    setup->options.given[load] = 3;
    setup->target.description.mode = mode;
    setup->target.resident = fake_resident;
    setup_run(setup);
}

static void
a_read_whose_pages_stay_in_the_cache_does_not_count(void **state)
{
    (void)state;
    struct setup setup;
    run_nocache(&setup, 100, MODE_NOCACHE, OPTION_QUIET);
    assert_int_equal(setup.seen[0].verdict, VERDICT_CACHED);
    assert_int_equal(setup.worker.total.cached, 1);
    assert_int_equal(setup.worker.total.latency.count, 0);
    assert_int_equal(setup.worker.failed.index, 0);
}

static void
a_read_whose_pages_could_be_dropped_counts(void **state)
{
    (void)state;
    struct setup setup;
    for (int resident = 0; resident < 3; resident++) {
        run_nocache(&setup, resident, MODE_NOCACHE, OPTION_QUIET);
        assert_int_equal(resident_asked, resident + 1);
        assert_int_equal(setup.seen[0].verdict, VERDICT_NONE);
        assert_int_equal(setup.worker.total.latency.count, 1);
    }
}

static void
writes_and_other_modes_do_not_look_at_the_cache(void **state)
{
    (void)state;
    struct setup setup;
    static const struct {
        enum mode mode;
        enum option_id load;
    } cases[] = {{MODE_NOCACHE, OPTION_WRITE},
                 {MODE_DIRECT, OPTION_QUIET},
                 {MODE_CACHED, OPTION_QUIET}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_nocache(&setup, 100, cases[i].mode, cases[i].load);
        assert_int_equal(resident_asked, 0);
        assert_int_equal(setup.seen[0].verdict, VERDICT_NONE);
    }
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_listener_is_woken_while_the_worker_waits),
        cmocka_unit_test(it_is_woken_long_before_the_next_request),
        cmocka_unit_test(it_is_woken_without_any_interval_too),
        cmocka_unit_test(it_is_left_alone_until_then),
        cmocka_unit_test(a_signal_asks_for_statistics_once),
        cmocka_unit_test(a_read_whose_pages_stay_in_the_cache_does_not_count),
        cmocka_unit_test(a_read_whose_pages_could_be_dropped_counts),
        cmocka_unit_test(writes_and_other_modes_do_not_look_at_the_cache),
    };
    return cmocka_run_group_tests_name("worker waiting", tests, NULL, NULL);
}
