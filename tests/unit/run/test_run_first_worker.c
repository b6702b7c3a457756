/* A run by two threads: one does the work of the first worker, the other supervises. */
#include "listening.h"

#include "os/os.h"
#include "os/thread.h"

struct led {
    struct setup setup;
    struct told *told;
    struct run_observer observer;
    struct os_thread supervisor;
    unsigned signals;
    struct run *run;
    atomic_bool opened;
    void (*after)(struct led *led); /* on the thread that supervises */
};

static const struct outcome *outcome; /* of the run that was begun last */

static void *
supervise_it(void *argument)
{
    struct led *led = argument;
    os_signals_unblock(led->signals);
    while (!atomic_load(&led->opened))
        os_sleep_until(os_clock_now() + MS);
    run_supervise(led->run);
    if (led->after)
        led->after(led);
    return NULL;
}

static void
begin(struct led *led, int64_t count, int threads, int depth)
{
    memset(led, 0, sizeof(*led));
    led->told = told_begin();
    setup_begin(&led->setup, count);
    led->setup.options.threads = threads;
    led->setup.options.depth = depth;
    led->setup.options.given[OPTION_URING] = 1;
    led->setup.options.hang = 0;
    led->observer = observer_of(led->told);
}

/* This thread leads. */
static void
lead(struct led *led)
{
    struct setup *setup = &led->setup;
    struct error error;
    struct run_task task = setup_task(setup, &led->observer);
    outcome = &setup->job->outcome;
    os_signals_install();
    led->signals = os_signals_block();
    assert_int_equal(os_thread_start(&led->supervisor, supervise_it, led), 0);
    led->run = run_open(&task, &led->supervisor, &error);
    assert_non_null(led->run);
    atomic_store(&led->opened, true);
    run_first_worker(led->run);
    os_thread_join(&led->supervisor);
    run_close(led->run);
    os_signals_unblock(led->signals);
}

static void
it_does_what_any_run_does(void **state)
{
    static const int cases[][2] = {{1, 1}, {1, 4}, {4, 1}, {3, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct led led;
        begin(&led, 60, cases[i][0], cases[i][1]);
        lead(&led);
        assert_int_equal(led.told->samples, 60);
        for (int k = 1; k <= 60; k++)
            assert_int_equal(led.told->times[k], 1);
        assert_int_equal(led.told->summaries, 1);
        assert_int_equal(led.told->summary.requests, 60);
        assert_int_equal(outcome->total.latency.count, 60);
        assert_int_equal(outcome->waiting, 0);
        assert_int_equal(sent_by_all(), 60);
        assert_int_equal(fake_engine.begun, cases[i][0]);
        assert_int_equal(fake_engine.closed, cases[i][0]);
        assert_false(led.told->together);
    }
}

/* The thread that leads is held for ever. */
static void
end_after_giving_up(struct led *led)
{
    REQUIRE(outcome->waiting > 0);
    REQUIRE(outcome->left == 1);
    REQUIRE(led->told->summaries == 1);
    REQUIRE(led->told->hang_index[0] == 3);
    REQUIRE(led->told->summary.requests == 3);
    REQUIRE(led->told->summary.latency.count == 2);
    REQUIRE(fake_engine.closed == 0);
    _exit(0);
}

static void
get_stuck(void)
{
    struct led led;
    begin(&led, 0, 1, 1);
    led.told->at_hang = interrupt;
    led.after = end_after_giving_up;
    led.setup.options.hang = 50 * MS;
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[3].takes = 3600000 * MS;
    lead(&led);
    _exit(1);
}

static void
a_leader_that_is_stuck_is_given_up(void **state)
{
    (void)state;
    in_child(get_stuck);
}

/* In the middle of its hour of rest between two requests. */
static void
stop_while_resting(void)
{
    struct led led;
    begin(&led, 0, 1, 1);
    led.setup.options.interval = 3600000 * MS;
    pid_t child = fork();
    if (child == 0) {
        os_sleep_until(os_clock_now() + 300 * MS);
        _exit(kill(getppid(), SIGTERM) < 0);
    }
    lead(&led);
    waitpid(child, NULL, 0);
    REQUIRE(outcome->total.requests <= 1);
    REQUIRE(outcome->waiting == 0);
    REQUIRE(fake_engine.closed == 1);
}

static void
a_signal_ends_the_rest_of_the_leader(void **state)
{
    (void)state;
    in_child(stop_while_resting);
}

static void
what_cannot_be_opened_is_an_error(void **state)
{
    (void)state;
    struct led led;
    struct error error;
    begin(&led, 1, 1, 1);
    fake_engine.broken = true;
    struct setup *setup = &led.setup;
    led.supervisor = os_thread_self();
    struct run_task task = setup_task(setup, &led.observer);
    assert_null(run_open(&task, &led.supervisor, &error));
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_int_equal(sent_by_all(), 0);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_does_what_any_run_does),
        cmocka_unit_test(a_leader_that_is_stuck_is_given_up),
        cmocka_unit_test(a_signal_ends_the_rest_of_the_leader),
        cmocka_unit_test(what_cannot_be_opened_is_an_error),
    };
    return cmocka_run_group_tests_name("run first worker", tests, NULL, NULL);
}
