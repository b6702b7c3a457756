/* Requests without answer end a run: by -timeout, and after the end of its work time. */
/* Marks: 15s */
#include "listening.h"

#define FOR_EVER (3600000 * MS)
#define TIMEOUT (500 * MS)

static void
begin(int64_t count, int threads, int depth)
{
    setup_begin_workers(&setup, count, threads, depth);
    setup.options.given[OPTION_TIMEOUT] = 1;
    setup.options.interval = 20 * MS;
    setup.options.timeout = TIMEOUT;
}

/* Whatever is told, the sums are of what was sent. */
static void
require_sums(void)
{
    REQUIRE(told->summaries == 1);
    REQUIRE(!told->together);
    REQUIRE(told->summary.requests == (uint64_t)sent_by_all());
}

TEST_IN_CHILD(what_is_under_way_after_the_work_time_is_given_up)
{
    begin(0, 2, 1);
    setup.options.timeout = INT64_MAX;
    setup.options.work_time = 200 * MS;
    setup.options.hang = 300 * MS;
    hang(1, 2, FOR_EVER);
    const struct outcome *outcome = run();
    require_sums();
    REQUIRE(fake_engine.queues[1].requests == 2);
    REQUIRE(outcome->waiting_age > 300 * MS && outcome->waiting_age <= outcome->duration);
    REQUIRE(outcome->duration >= 500 * MS);
    REQUIRE(outcome->abandoned_requests == 1 && outcome->is_stuck);
    REQUIRE(outcome->failed_sample.index == 0);
    REQUIRE(outcome_status(outcome) == EXIT_RUNTIME);
    REQUIRE(told->summary.latency.count == told->summary.requests - 1);
    REQUIRE(fake_engine.closed == 1);
}

static void
let_go(void)
{
    if (told->hangs >= 3)
        atomic_store(&fake_engine.go, true);
}

TEST(a_count_waits_for_its_requests)
{
    begin(3, 1, 1);
    setup.options.timeout = INT64_MAX;
    setup.options.hang = 50 * MS;
    told->at_hang = let_go;
    fake_engine.answers[2].held = true;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->waiting_age, 0);
    assert_false(outcome->is_stuck);
    assert_int_equal(told->summary.latency.count, 3);
}

/* As one system call is, at a depth of one. */
TEST_IN_CHILD(a_request_without_an_answer_ends_the_run)
{
    begin(0, 1, 1);
    hang(0, 2, FOR_EVER);
    const struct outcome *outcome = run();
    require_sums();
    REQUIRE(fake_engine.queues[0].requests == 2);
    REQUIRE(told->samples == 2 && told->times[2] == 1);
    REQUIRE(told->slowest.index == 2 && told->slowest.verdict == VERDICT_TIMEOUT);
    REQUIRE(outcome->failed_sample.index == 2 &&
            outcome->failed_sample.verdict == VERDICT_TIMEOUT);
    REQUIRE(outcome->failed_sample.latency >= TIMEOUT);
    REQUIRE(outcome->waiting_age == 0 && outcome->abandoned_requests == 0 &&
            outcome->is_stuck);
    REQUIRE(outcome_status(outcome) == EXIT_RUNTIME);
    REQUIRE(told->summary.failed == 1 && told->summary.latency.count == 1);
    REQUIRE(told->summary.missed + 1 >= (uint64_t)(TIMEOUT / (20 * MS)));
    REQUIRE(fake_engine.closed == 0);
}

TEST_IN_CHILD(a_request_of_a_queue_ends_the_run_too)
{
    begin(0, 1, 4);
    hang(0, 2, FOR_EVER);
    const struct outcome *outcome = run();
    require_sums();
    REQUIRE(fake_engine.queues[0].requests > 2);
    REQUIRE(told->times[2] == 1);
    REQUIRE(outcome->failed_sample.index == 2 &&
            outcome->failed_sample.verdict == VERDICT_TIMEOUT);
    REQUIRE(outcome->waiting_age == 0 && outcome->is_stuck);
    REQUIRE(told->summary.failed >= 1);
    REQUIRE(told->samples == sent_by_all());
    REQUIRE(fake_engine.closed == 0);
}

/* The second does not come back from being sent, so its loop cannot see to it. */
TEST_IN_CHILD(a_loop_that_is_stuck_itself_is_helped)
{
    begin(0, 1, 8);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    hang(0, 2, FOR_EVER);
    fake_engine.queues[0].answers[2].late = true;
    const struct outcome *outcome = run();
    require_sums();
    REQUIRE(told->summary.requests == 2 && told->summary.failed == 1);
    REQUIRE(told->samples == 2);
    REQUIRE(outcome->failed_sample.index == 2 &&
            outcome->failed_sample.latency >= TIMEOUT);
    REQUIRE(outcome->waiting_age == 0 && outcome->is_stuck);
}

TEST_IN_CHILD(the_other_workers_may_go_on)
{
    begin(0, 3, 1);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    setup.options.work_time = 2000 * MS;
    hang(1, 2, FOR_EVER);
    const struct outcome *outcome = run();
    const struct fake_queue *queues = fake_engine.queues;
    require_sums();
    REQUIRE(outcome->duration >= 1900 * MS);
    REQUIRE(queues[1].requests == 2);
    REQUIRE(queues[0].requests > 2 && queues[2].requests > 2);
    REQUIRE(told->samples == sent_by_all());
    REQUIRE(told->summary.failed >= 1);
    REQUIRE(outcome->failed_sample.verdict == VERDICT_TIMEOUT);
    REQUIRE(outcome->waiting_age == 0 && outcome->is_stuck);
    REQUIRE(fake_engine.closed == 2);
}

/* Runs two workers by system calls, the second of one of which takes so long. */
static void
lose_a_call(int64_t takes)
{
    static struct io_engine calls;
    const struct run_observer observer = observer_of();
    struct error error;
    begin(0, 2, 1);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    setup.options.work_time = 2500 * MS;
    hang(1, 2, takes);
    os_signals_install();
    struct run_task task = setup_task(&setup, &observer);
    calls = engine_fake;
    calls.queues_requests = false;
    setup.job->active_plan.io.engine = &calls;
    REQUIRE(run_execute(&task, &error) == 0);
    REQUIRE(fake_engine.queues[1].requests == 2);
    REQUIRE(told->summary.failed >= 1);
}

static void
answer_what_was_lost(void)
{
    told_begin(NULL);
    lose_a_call(2 * TIMEOUT);
    REQUIRE(told->left.count == 0 && told->left.oldest_sent_at == 0);
}

static void
leave_what_was_lost(void)
{
    told_begin(NULL);
    lose_a_call(FOR_EVER);
    REQUIRE(told->left.count == 1 && told->left.oldest_sent_at > 0);
}

TEST(what_was_lost_in_a_call_is_under_way_until_it_is_answered)
{
    in_child(answer_what_was_lost);
    in_child(leave_what_was_lost);
}

TEST_IN_CHILD(the_other_places_of_a_queue_may_go_on)
{
    begin(60, 1, 3);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    hang(0, 2, FOR_EVER);
    const struct outcome *outcome = run();
    require_sums();
    REQUIRE(told->summary.requests == 60);
    REQUIRE(told->samples == 60 && told->times[2] == 1);
    REQUIRE(told->summary.failed >= 1);
    REQUIRE(outcome->waiting_age == 0 && outcome->is_stuck);
    REQUIRE(fake_engine.closed == 0);
}

/* One worker in a call, one with both places of its queue. */
TEST_IN_CHILD(the_run_ends_when_nothing_can_go_on)
{
    begin(0, 2, 2);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    for (int i = 1; i <= 2; i++) {
        hang(0, i, FOR_EVER);
        hang(1, i, FOR_EVER);
    }
    fake_engine.queues[1].answers[1].late = true;
    const struct outcome *outcome = run();
    require_sums();
    REQUIRE(fake_engine.queues[0].requests == 2);
    REQUIRE(told->summary.failed >= 3 && told->summary.latency.count == 0);
    REQUIRE(outcome->is_stuck);
    REQUIRE(fake_engine.closed == 0);
}

TEST_IN_CHILD(a_sweep_ends_with_the_step_that_lost_something)
{
    begin(0, 1, 1);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    setup.options.sweep = (struct sweep){SWEEP_DEPTH, 1, 8};
    setup.options.given[OPTION_SWEEP] = 1;
    setup.options.work_time = SECOND;
    setup.options.interval = 0;
    setup.options.threads = setup.options.depth = 0;
    fake_engine.default_duration = MS;
    fake_engine.answers[3].min_duration = FOR_EVER;
    const struct outcome *outcome = run();
    if (told->step_requests[0] < 3)
        _exit(LATE); /* the third is lost in another step */
    REQUIRE(told->steps == 1 && told->step.failed <= 1);
    REQUIRE(outcome->failed_sample.index == 3 &&
            outcome->failed_sample.verdict == VERDICT_TIMEOUT);
    REQUIRE(outcome->is_stuck);
    REQUIRE(outcome_status(outcome) == EXIT_RUNTIME);
}
