/* A run by two threads: one does the work of the first worker, the other supervises. */
#include "listening.h"

#include "os/os.h"
#include "os/thread.h"

struct trial {
    struct run_observer observer;
    struct os_thread supervisor;
    unsigned signals;
    struct run *run;
    atomic_bool opened;
    void (*after)(struct trial *trial); /* on the thread that supervises */
};

static const struct outcome *outcome; /* of the run that was begun last */

static void *
supervise_it(void *argument)
{
    struct trial *trial = argument;
    os_signals_unblock(trial->signals);
    while (!atomic_load(&trial->opened))
        os_sleep_until(os_clock_now() + MS);
    run_supervise(trial->run);
    if (trial->after)
        trial->after(trial);
    return NULL;
}

static void
begin(struct trial *trial, int64_t count, int threads, int depth)
{
    memset(trial, 0, sizeof(*trial));
    told_begin(NULL);
    setup_begin_workers(&setup, count, threads, depth);
    setup.options.hang = 0;
    trial->observer = observer_of();
}

/* Runs the first worker on this thread, and the supervisor on another. */
static void
run_both(struct trial *trial)
{
    struct error error;
    struct run_task task = setup_task(&setup, &trial->observer);
    outcome = &setup.job->outcome;
    os_signals_install();
    trial->signals = os_signals_block();
    assert_int_equal(os_thread_start(&trial->supervisor, supervise_it, trial), 0);
    trial->run = run_open(&task, &trial->supervisor, &error);
    assert_non_null(trial->run);
    run_begin(trial->run);
    atomic_store(&trial->opened, true);
    run_first_worker(trial->run);
    os_thread_join(&trial->supervisor);
    run_close(trial->run);
    os_signals_unblock(trial->signals);
}

TEST(it_does_what_any_run_does)
{
    static const int cases[][2] = {{1, 1}, {1, 4}, {4, 1}, {3, 4}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct trial trial;
        begin(&trial, 60, cases[i][0], cases[i][1]);
        run_both(&trial);
        assert_int_equal(told->samples, 60);
        for (int k = 1; k <= 60; k++)
            assert_int_equal(told->times[k], 1);
        assert_int_equal(told->summaries, 1);
        assert_int_equal(told->summary.requests, 60);
        assert_int_equal(outcome->total.latency.count, 60);
        assert_int_equal(outcome->waiting_age, 0);
        assert_int_equal(sent_by_all(), 60);
        assert_int_equal(fake_engine.begun, cases[i][0]);
        assert_int_equal(fake_engine.closed, cases[i][0]);
        assert_false(told->together);
    }
}

/* The thread of the first worker is held for ever. */
static void
end_after_giving_up(struct trial *trial)
{
    (void)trial;
    REQUIRE(outcome->waiting_age > 0);
    REQUIRE(outcome->abandoned_requests == 1);
    REQUIRE(told->summaries == 1);
    REQUIRE(told->hang_index[told->hangs - 1] == 3);
    REQUIRE(told->summary.requests == 3);
    REQUIRE(told->summary.latency.count == 2);
    REQUIRE(fake_engine.closed == 0);
    _exit(0);
}

/* Interrupts at the third request. A message about an earlier one may come first. */
static void
interrupt_third(void)
{
    REQUIRE(told->hangs <= SAID);
    if (told->hang_index[told->hangs - 1] == 3 && !os_signals_stop_signal())
        raise(SIGINT);
}

TEST_IN_CHILD(a_first_worker_that_is_stuck_is_given_up)
{
    struct trial trial;
    begin(&trial, 0, 1, 1);
    told->at_hang = interrupt_third;
    trial.after = end_after_giving_up;
    setup.options.hang = 50 * MS;
    fake_engine.queues[0].scripted = true;
    fake_engine.queues[0].answers[3].min_duration = 3600000 * MS;
    run_both(&trial);
    _exit(1);
}

/* Stops the run in the hour of rest between two requests. */
TEST_IN_CHILD(a_signal_ends_the_pause_of_the_first_worker)
{
    struct trial trial;
    begin(&trial, 0, 1, 1);
    setup.options.interval = 3600000 * MS;
    os_signals_install(); /* the signal may come before the run is ready for it */
    pid_t child = fork();
    if (child == 0) {
        os_sleep_until(os_clock_now() + 300 * MS);
        _exit(kill(getppid(), SIGTERM) < 0);
    }
    run_both(&trial);
    waitpid(child, NULL, 0);
    REQUIRE(outcome->total.requests <= 1);
    REQUIRE(outcome->waiting_age == 0);
    REQUIRE(fake_engine.closed == 1);
}

TEST(what_cannot_be_opened_is_an_error)
{
    struct trial trial;
    struct error error;
    begin(&trial, 1, 1, 1);
    fake_engine.broken = true;
    trial.supervisor = os_thread_self();
    struct run_task task = setup_task(&setup, &trial.observer);
    assert_null(run_open(&task, &trial.supervisor, &error));
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_int_equal(sent_by_all(), 0);
}

/* As when the files of earlier runs cannot be replaced. */
TEST(a_run_that_is_cancelled_sends_nothing)
{
    static const int cases[][2] = {{1, 1}, {1, 4}, {4, 1}, {3, 4}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        struct trial trial;
        struct error error;
        begin(&trial, 60, cases[i][0], cases[i][1]);
        trial.supervisor = os_thread_self();
        struct run_task task = setup_task(&setup, &trial.observer);
        struct run *run = run_open(&task, &trial.supervisor, &error);
        assert_non_null(run);
        run_cancel(run);
        assert_int_equal(sent_by_all(), 0);
        assert_int_equal(told->samples, 0);
        assert_int_equal(fake_engine.closed, cases[i][0]);
    }
}
