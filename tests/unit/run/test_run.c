/* The supervisor of a run: periods, interim statistics, hangs, the end. */
#include "formats.h"
#include "listening.h"

#include "base/deadlines.h"
#include "os/process.h"
#include "os/thread.h"

/* What an observer of the exported files was told. */
static struct {
    struct stats stats[SAID];
    int64_t time[SAID], every, due;
    int count, of_two; /* of two requests */
    int before_summary;
} looks;

static void
on_look(void *self, const struct job *jobs, int count, int64_t now)
{
    (void)self;
    const struct stats *stats = jobs[0].stats;
    assert_int_equal(count, 1);
    int last = looks.count < SAID ? looks.count : SAID - 1; /* also the last one */
    looks.stats[last] = *stats;
    looks.time[last] = now;
    looks.count++;
    looks.of_two += stats->requests == 2;
    let_go_if_enough(told);
}

static void
on_end(void *self, struct job *jobs, int count, int64_t now)
{
    on_look(self, jobs, count, now);
}

static void
on_tick(void *self, const struct job *jobs, int count, int64_t now)
{
    looks.due = time_next_point(looks.due, looks.every, now);
    on_look(self, jobs, count, now);
}

static int64_t
on_due(void *self, int64_t now)
{
    (void)self;
    if (!looks.due)
        looks.due = now + looks.every;
    return looks.due;
}

static int
on_last(void *self, const struct job *job, const struct run_record *record)
{
    if (record->kind == RECORD_SUMMARY)
        looks.before_summary = looks.count;
    return on_record(self, job, record);
}

static const struct outcome *
run_exporting(void)
{
    struct error error;
    struct run_observer observer = observer_of();
    struct run_task task = setup_task(&setup, &observer);
    memset(&looks, 0, sizeof(looks));
    looks.every = output_of(&setup.plan, FORMAT_PROMETHEUS).tick_interval;
    observer.record = on_last;
    if (looks.every) {
        observer.next_tick = on_due;
        observer.tick = on_tick;
        observer.end = on_end;
    }
    os_signals_install();
    assert_int_equal(run_execute(&task, &error), 0);
    return &setup.job->outcome;
}

TEST(it_ends_with_the_worker_and_its_statistics)
{
    setup_begin(&setup, 7);
    fake_engine.answers[7].error = EIO;
    const struct outcome *outcome = run();
    assert_int_equal(told->samples, 7);
    assert_int_equal(told->summaries, 1);
    assert_int_equal(told->summary.requests, 7);
    assert_int_equal(told->summary.failed, 1);
    assert_int_equal(outcome->total.latency.count, 6);
    assert_int_equal(outcome->failed_sample.index, 7);
    assert_int_equal(outcome->waiting_age, 0);
    assert_int_equal(fake_engine.closed, 1);
}

TEST(a_broken_engine_is_an_error)
{
    struct run_observer observer = {.self = told};
    struct error error;
    setup_begin(&setup, 1);
    fake_engine.broken = true;
    struct run_task task = setup_task(&setup, &observer);
    assert_int_equal(run_execute(&task, &error), -1);
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_int_equal(told->summaries, 0);
}

/* A period with the first request, which may have started late, and two without any. */
static bool
one_and_two_empty(void)
{
    return told->period_sum == 1 && told->empty_periods >= 2;
}

TEST(periods_come_at_their_time_while_nothing_is_due)
{
    told->enough = one_and_two_empty;
    told->end_with_enough = true;
    setup_begin(&setup, 2);
    setup.options.interval = 3600000 * MS;
    setup.options.print_interval = 20 * MS;
    run();
    assert_true(one_and_two_empty());
    int64_t until = 0;
    for (int i = 0; i < told->periods && i < SAID; i++) {
        until += told->period_times[i];
        assert_true(until >= 20 * MS * (i + 1));
    }
}

TEST(periods_come_also_while_a_request_is_under_way)
{
    told->enough = one_and_two_empty;
    setup_begin(&setup, 2);
    setup.options.print_interval = 20 * MS;
    fake_engine.answers[2].held = true;
    run();
    assert_true(atomic_load(&fake_engine.go));
    assert_int_equal(told->summary.requests, 2);
}

static bool
eleven_in_periods(void)
{
    return told->period_sum >= 11;
}

/* The last request takes so long that a period ends with all that was before it. */
TEST(every_request_is_in_one_period)
{
    told->enough = eleven_in_periods;
    setup_begin(&setup, 12);
    setup.options.interval = MS;
    setup.options.print_interval = 5 * MS;
    setup.options.given[OPTION_QUIET] = 1;
    fake_engine.answers[12].held = true;
    run();
    assert_int_equal(told->period_sum, 11);
    assert_int_equal(told->samples, 0);
    assert_int_equal(told->summaries, 0);
}

/* The run ends at the end of its last period, which the supervisor may see too late: the
 * period is not lost. */
TEST(a_period_that_ends_with_the_run_is_whole)
{
    for (int i = 0; i < 20; i++) {
        told_begin(NULL);
        setup_begin(&setup, 0);
        setup.options.given[OPTION_RAPID] = 1;
        setup.options.work_time = 40 * MS;
        setup.options.given[OPTION_WORK_TIME] = 1;
        setup.options.print_interval = 20 * MS;
        setup.options.given[OPTION_PRINT_INTERVAL] = 1;
        run();
        int64_t covered = 0;
        for (int k = 0; k < told->periods; k++)
            covered += told->period_times[k];
        assert_true(covered >= 40 * MS);
    }
}

/* Whichever thread wakes up first, unless it is late by an interval. */
TEST(a_period_ends_before_a_request_that_is_due_then)
{
    int one = 0;
    for (int tries = 0; tries < 4 && one < 5; tries++) {
        told_begin(NULL);
        setup_begin(&setup, 6);
        setup.options.interval = 250 * MS;
        setup.options.print_interval = 250 * MS;
        run();
        for (one = 0; one < 5 && told->period_requests[one] == 1;)
            one++;
    }
    assert_int_equal(one, 5);
}

static bool
one_in_two(void)
{
    return told->period_sum == 1 && told->periods >= 2;
}

/* Nothing would be due for an hour. */
TEST(a_period_that_cannot_be_written_ends_it)
{
    told->enough = one_in_two;
    told->end_with_enough = true;
    setup_begin(&setup, 0);
    setup.options.interval = 3600000 * MS;
    setup.options.print_interval = 10 * MS;
    const struct outcome *outcome = run();
    assert_int_equal(told->periods >= 2, 1);
    assert_int_equal(outcome->total.requests, 1);
    assert_int_equal(outcome->waiting_age, 0);
}

static bool
one_interim(void)
{
    return told->interims > 0;
}

TEST(a_signal_asks_for_statistics_once)
{
    told->enough = one_interim;
    setup_begin(&setup, 3);
    setup.options.interval = 20 * MS;
    fake_engine.answers[2].held = true;
    os_signals_install();
    raise(SIGUSR1);
    run();
    assert_int_equal(told->interims, 1);
    assert_int_equal(told->samples, 3);
}

/* The request that was told of last, the first time that it was. */
static uint64_t
new_hang(void)
{
    int last = told->hangs - 1;
    if (last >= SAID ||
        (last > 0 && told->hang_index[last] == told->hang_index[last - 1]))
        return 0;
    return told->hang_index[last];
}

/* Interrupts at the third request. A message about an earlier one may come first. */
static void
ask_for_statistics(void)
{
    if (new_hang() == 3)
        raise(SIGUSR1);
}

TEST(statistics_can_be_asked_for_while_a_request_hangs)
{
    told->at_hang = ask_for_statistics;
    told->enough = one_interim;
    setup_begin(&setup, 3);
    setup.options.hang = 20 * MS;
    fake_engine.answers[3].held = true;
    run();
    assert_int_equal(told->interims, 1);
    assert_int_equal(told->interim.requests, 2);
    assert_int_equal(told->interim.latency.count, 2);
    assert_int_equal(told->summary.latency.count, 3);
}

static bool
two_hangs(void)
{
    int count = 0;
    for (int i = 0; i < told->hangs && i < SAID; i++)
        count += told->hang_index[i] == 2;
    return count >= 2 || told->hangs >= SAID;
}

TEST(a_stuck_request_is_told_of_while_it_is_stuck)
{
    told->enough = two_hangs;
    setup_begin(&setup, 3);
    setup.options.hang = 200 * MS;
    fake_engine.answers[2].held = true;
    run();
    assert_in_range(told->hangs, 2, SAID);
    int count = 0;
    for (int i = 0; i < told->hangs; i++) {
        assert_in_range(told->hang_index[i], 1, 3);
        if (told->hang_index[i] == 2) /* others are late */
            assert_true(told->hang_time[i] >= (200 * MS) << count++);
    }
    assert_true(count >= 2);
    assert_int_equal(told->summary.latency.count, 3);
}

/* After the failure of another request it is given up as at the end of the run, though
 * nobody is told of it. */
TEST_IN_CHILD(a_stuck_request_is_given_up_after_a_failure)
{
    struct error error;
    struct run_observer observer = observer_of();
    setup_begin_workers(&setup, 100, 2, 1);
    setup.options.given[OPTION_URING] = 0;
    setup.options.hang = 0;
    fake_engine.min_senders = 2;
    fake_engine.queues[0].scripted = fake_engine.queues[1].scripted = true;
    fake_engine.queues[0].answers[1].error = EIO;
    fake_engine.queues[1].answers[1].held = true;
    struct run_task task = setup_task(&setup, &observer);
    setup.job->active_plan.end.grace = 50 * MS;
    os_signals_install();
    REQUIRE(run_execute(&task, &error) == 0);
    REQUIRE(setup.job->outcome.failed_sample.error == EIO);
    REQUIRE(setup.job->outcome.abandoned_requests == 1);
    REQUIRE(setup.job->outcome.waiting_age > 0);
}

TEST(nobody_is_told_with_a_limit_of_0)
{
    setup_begin(&setup, 2);
    setup.options.hang = 0;
    fake_engine.answers[2].min_duration = 100 * MS;
    run();
    assert_int_equal(told->hangs, 0);
}

static void
interrupt_third(void)
{
    if (new_hang() == 3)
        raise(SIGINT);
}

static bool
is_interrupted(void)
{
    return os_signals_stop_signal() != 0;
}

/* Nothing is due any more after the interrupt, 350 ms after the third was sent. */
TEST_IN_CHILD(an_interrupt_ends_it_though_a_request_never_returns)
{
    told->at_hang = interrupt_third;
    setup_begin(&setup, 0);
    setup.options.interval = 100 * MS;
    setup.options.hang = 350 * MS;
    fake_engine.answers[3].min_duration = 3600000 * MS;
    const struct outcome *outcome = run();
    REQUIRE(outcome->waiting_age >= 700 * MS &&
            outcome->waiting_age <= told->summary_time);
    REQUIRE(told->summaries == 1);
    REQUIRE(told->summary.latency.count == 2);
    REQUIRE(told->summary.requests == 3);
    /* Points from the begin until the interrupt; three of them were sent. Each of the
     * first two requests, if it was late, may have begun a new grid with one more. */
    int64_t until = outcome->ended_at - DEADLINE_GRACE - setup.job->group.begin_at;
    REQUIRE(told->summary.missed >= 3);
    REQUIRE(told->summary.missed <= (uint64_t)(until / (100 * MS)) + 1 - 3 + 2);
    REQUIRE(outcome->total.requests == 3);
    REQUIRE(fake_engine.closed == 0);
}

/* The request returns after it was given up: nothing of the run may move. */
TEST_IN_CHILD(a_request_that_was_given_up_stays_so)
{
    told->at_hang = interrupt_third;
    setup_begin(&setup, 0);
    setup.options.hang = 10 * MS;
    fake_engine.answers[3].held = true;
    const struct outcome *outcome = run();
    REQUIRE(outcome->waiting_age);
    atomic_store(&fake_engine.go, true);
    while (!atomic_load(&fake_engine.let_go))
        os_sleep_until(os_clock_now() + MS);
    os_sleep_until(os_clock_now() + 200 * MS);
    REQUIRE(told->samples == 2);
    REQUIRE(fake_engine.closed == 0);
}

static int64_t asked; /* for so long */

/* Residency is asked about outside the timed part: here until that is told of. */
static int
ask_slowly(int fd, int64_t offset, int64_t length)
{
    (void)fd, (void)offset, (void)length;
    int64_t began = os_clock_now(), until = began + 100 * MS;
    while (os_clock_now() < until || !atomic_load(&fake_engine.go))
        os_sleep_until(os_clock_now() + MS);
    asked = os_clock_now() - began;
    return 0;
}

static bool
one_hang(void)
{
    return told->hangs > 0;
}

TEST(what_hangs_before_a_request_is_told_of)
{
    setup_begin(&setup, 1);
    setup.options.hang = 20 * MS;
    setup.target.description.mode = IO_MODE_NOCACHE;
    setup.target.find_resident = ask_slowly;
    told->enough = one_hang;
    int64_t before = os_clock_now();
    run();
    assert_true(told->hangs >= 1);
    assert_int_equal(told->hang_index[0], 1);
    assert_true(told->summary.latency.max <= os_clock_now() - before - asked);
}

TEST_IN_CHILD(an_interrupt_waits_a_moment_for_the_request)
{
    told->at_hang = interrupt_third;
    told->enough = is_interrupted;
    setup_begin(&setup, 0);
    setup.options.hang = 10 * MS;
    fake_engine.answers[3].held = true;
    const struct outcome *outcome = run();
    if (outcome->waiting_age)
        _exit(LATE);
    REQUIRE(told->summary.latency.count == 3);
    REQUIRE(told->summary.requests == 3);
    REQUIRE(fake_engine.closed == 1);
}

/* Some time after the first request. */
static void *
terminate(void *argument)
{
    while (!atomic_load(&fake_engine.let_go))
        os_sleep_until(os_clock_now() + MS);
    os_sleep_until(os_clock_now() + 50 * MS);
    kill(getpid(), SIGTERM);
    return argument;
}

TEST_IN_CHILD(a_signal_ends_the_pause_before_the_next_request)
{
    struct os_thread thread;
    setup_begin(&setup, 0);
    setup.options.interval = 3600000 * MS;
    fake_engine.answers[1].held = true;
    atomic_store(&fake_engine.go, true);
    REQUIRE(os_thread_start(&thread, terminate, NULL) == 0);
    const struct outcome *outcome = run();
    os_thread_join(&thread);
    REQUIRE(outcome->waiting_age == 0);
    REQUIRE(told->summary.requests == 1);
    REQUIRE(fake_engine.closed == 1);
}

TEST_IN_CHILD(a_signal_before_the_run_leaves_nothing_to_do)
{
    setup_begin(&setup, 5);
    setup.options.threads = 3;
    os_signals_install();
    raise(SIGINT);
    const struct outcome *outcome = run_exporting();
    REQUIRE(outcome->waiting_age == 0);
    REQUIRE(told->summaries == 1);
    REQUIRE(told->summary.requests == 0);
    REQUIRE(told->summary_time >= 0);
    REQUIRE(fake_engine.opened > 0 && fake_engine.closed == fake_engine.opened);
}

static void
setup_export(int64_t interval)
{
    setup.options.prometheus = "nowhere.prom";
    setup.options.export_interval = interval;
}

static const struct stats *
last_exported(int64_t *at)
{
    int last = (looks.count < SAID ? looks.count : SAID) - 1;
    assert_true(last >= 0);
    *at = looks.time[last];
    return &looks.stats[last];
}

static bool
three_exports(void)
{
    return looks.of_two >= 3;
}

TEST(metrics_are_exported_at_their_time_and_at_the_end)
{
    setup_begin(&setup, 4);
    setup.options.interval = 400 * MS;
    setup_export(20 * MS);
    int64_t end, before = os_clock_now();
    run_exporting();
    assert_int_equal(last_exported(&end)->requests, 4);
    assert_true(looks.count >= 3);
    assert_true(looks.count <= (end - before) / (20 * MS) + 1);
    assert_int_equal(looks.before_summary, looks.count);
    assert_int_equal(told->periods, 0);
    for (int i = 0; i + 1 < looks.count && i + 1 < SAID; i++) {
        assert_in_range(looks.stats[i].requests, 0, 4);
        assert_true(looks.time[i] - before >= 20 * MS * (i + 1));
    }
}

/* Each version of the file counts all requests since the start. */
TEST(metrics_are_of_the_whole_run)
{
    setup_begin(&setup, 100);
    setup.options.interval = MS;
    setup_export(10 * MS);
    fake_engine.answers[5].error = EIO;
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    run_exporting();
    int64_t end;
    const struct stats *last = last_exported(&end);
    for (int i = 1; i < looks.count && i < SAID; i++)
        assert_true(looks.stats[i].requests >= looks.stats[i - 1].requests);
    assert_memory_equal(last, &told->summary, sizeof(*last));
    assert_int_equal(last->requests, 100);
    assert_int_equal(last->failed, 1);
    assert_true(end >= last->last_end && end - last->last_end < 60000 * MS);
}

TEST(metrics_are_exported_while_a_request_hangs)
{
    told->enough = three_exports;
    setup_begin(&setup, 3);
    setup_export(20 * MS);
    fake_engine.answers[3].held = true;
    run_exporting();
    assert_true(atomic_load(&fake_engine.go));
    assert_int_equal(told->summary.requests, 3);
    int64_t end;
    assert_int_equal(last_exported(&end)->requests, 3);
}

TEST_IN_CHILD(metrics_are_exported_when_a_request_is_given_up)
{
    told->at_hang = interrupt_third;
    setup_begin(&setup, 0);
    setup.options.hang = 10 * MS;
    setup_export(3600000 * MS);
    fake_engine.answers[3].min_duration = 3600000 * MS;
    const struct outcome *outcome = run_exporting();
    REQUIRE(outcome->waiting_age >= 700 * MS);
    REQUIRE(looks.count == 1);
    REQUIRE(looks.stats[0].requests == 3 && looks.stats[0].latency.count == 2);
    REQUIRE(looks.time[0] - looks.stats[0].last_end >= outcome->waiting_age);
    REQUIRE(told->summaries == 1);
}

TEST(nothing_is_exported_without_a_file)
{
    setup_begin(&setup, 3);
    setup.options.interval = 20 * MS;
    setup.options.print_interval = 10 * MS;
    run_exporting();
    assert_int_equal(looks.count, 0);
    assert_true(told->periods > 0);
}
