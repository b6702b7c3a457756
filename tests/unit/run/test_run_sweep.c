/* A run of several steps. */
/* Marks: 15s */
#include "listening.h"

#include "os/thread.h"

static void
begin(enum sweep_kind kind, int64_t from, int64_t to)
{
    setup_begin(&setup, 0);
    setup.options.sweep = (struct sweep){kind, from, to};
    setup.options.given[OPTION_SWEEP] = 1;
    setup.options.work_time = 20 * MS;
    setup.options.given[OPTION_URING] = 1;
    setup.options.hang = 0;
    setup.target.fs_block_size = 512;
    fake_engine.default_duration = MS;
}

static void
assert_values(const int64_t *values, int count)
{
    assert_int_equal(told->steps, count);
    assert_false(told->out_of_order);
    for (int i = 0; i < count; i++)
        assert_int_equal(told->values[i], values[i]);
}

/* Once more with more time if a late machine left a worker without a request. */
TEST(the_total_is_that_of_all_steps)
{
    const struct outcome *outcome;
    static const int64_t values[] = {1, 2, 4, 5};
    int64_t each = 20 * MS;
    do {
        told_begin(NULL);
        begin(SWEEP_THREADS, 1, 5);
        setup.options.work_time = each;
        outcome = run();
    } while (told->step.requests < 5 && (each *= 5) < 5000 * MS);
    assert_values(values, 4);
    assert_int_equal(told->stepping, 4);
    assert_int_equal(told->count_of_steps, 4);
    int64_t time = 0;
    for (int i = 0; i < 4; i++) {
        assert_true(told->step_times[i] >= each);
        time += told->step_times[i];
    }
    assert_int_equal(outcome->duration, time);
    assert_true(outcome->total.requests > 0);
    assert_int_equal(outcome->total.requests, told->merged.requests);
    assert_int_equal(outcome->total.latency.count, told->merged.latency.count);
    assert_int_equal(outcome->total.latencies.count, told->merged.latencies.count);
    assert_int_equal(outcome->total.latency.max, told->merged.latency.max);
    assert_int_equal(outcome->total.all_bytes, told->merged.all_bytes);
    assert_int_equal(outcome->failed_sample.index, 0);
    assert_int_equal(outcome->early_step, 0);
    assert_int_equal(told->samples, 0);
    assert_int_equal(told->summaries, 0);
    assert_int_equal(fake_engine.opened, 1 + 2 + 4 + 5);
    assert_int_equal(fake_engine.closed, 1 + 2 + 4 + 5);
    assert_in_range(told->step.busy_time, 1, told->step_times[3]);
    assert_int_equal(outcome->total.busy_time, told->merged.busy_time);
    assert_false(told->together);
}

/* Each worker sends its first request long before a step has settled. The run is repeated
 * if a late machine prevents that. */
TEST(what_is_sent_while_it_settles_is_not_in_a_step)
{
    const struct outcome *outcome;
    int tries = 0;
    do {
        told_begin(NULL);
        begin(SWEEP_THREADS, 2, 4);
        setup.options.work_time = 1000 * MS; /* 100 ms to settle */
        fake_engine.default_duration = 20 * MS;
        outcome = run();
    } while (outcome->total.requests + 2 + 4 > (uint64_t)sent_by_all() && ++tries < 5);
    assert_true(outcome->total.requests > 0);
    assert_true(outcome->total.requests + 2 + 4 <= (uint64_t)sent_by_all());
}

static int
check_size(void)
{
    int64_t value = told->values[told->steps - 1];
    assert_int_equal(told->step.all_bytes, (int64_t)told->step.requests * value);
    assert_in_range(told->step_config.size, value, value + SIZE - 1);
    return 0;
}

/* From 0: it begins with what FITS. A step in which a late machine made no request ends
 * the sweep early, and all is tried again with more time. */
static void
assert_sizes(struct sweep sizes, int64_t fits, int64_t work_size, const int64_t *values,
             int count)
{
    told_begin(NULL);
    int64_t early = 1;
    for (int64_t time = 20 * MS; early && time <= 2000 * MS; time *= 10) {
        told_begin(NULL);
        told->at_step = check_size;
        begin(SWEEP_SIZE, sizes.from, sizes.to);
        setup.options.work_time = time;
        setup.options.work_size = fits;
        setup.target.work_size = work_size;
        early = run()->early_step;
    }
    assert_int_equal(early, 0);
    assert_values(values, count);
}

TEST(sizes_go_from_what_fits_to_the_working_set)
{
    static const struct {
        int64_t fits, work_size, values[9]; /* FITS: what is known to */
        int count;
    } cases[] = {
        {512, 65536, {512, 1024, 2048, 4096, 8192, 16384, 32768, 65536}, 8},
        {4096, 40000, {4096, 8192, 16384, 32768}, 4},
        {4096, 4096, {4096}, 1},
    };
    for (size_t i = 0; i < LENGTH(cases); i++)
        assert_sizes((struct sweep){SWEEP_SIZE, 0, 0}, cases[i].fits, cases[i].work_size,
                     cases[i].values, cases[i].count);
}

TEST(sizes_that_are_given_are_those_of_the_steps)
{
    static const int64_t values[] = {4096, 8192, 16384, 20480};
    assert_sizes((struct sweep){SWEEP_SIZE, 4096, 20480}, 0, 16 * SIZE, values, 4);
}

static bool late; /* a step ended before all that it may have under way was */

static int
check_depth(void)
{
    int64_t value = told->values[told->steps - 1];
    assert_int_equal(told->step_config.depth, value);
    assert_in_range(fake_engine.most_under_way, 0, value);
    late = late || told->step.requests == 0 || fake_engine.most_under_way < value;
    if (late)
        return 0;
    assert_in_range(told->step.busy_time, 1, told->step_times[told->steps - 1]);
    return 0;
}

/* Once more with more time if a machine was late. */
TEST(depths_are_those_of_the_steps)
{
    static const int64_t values[] = {1, 2, 4, 6};
    int64_t each = 20 * MS;
    do {
        told_begin(NULL);
        told->at_step = check_depth;
        begin(SWEEP_DEPTH, 1, 6);
        setup.options.threads = 2;
        setup.options.work_time = each;
        late = false;
        run();
    } while (late && (each *= 5) < 5000 * MS);
    assert_false(late);
    assert_values(values, 4);
}

/* From the second step on no request ends before its time does. A late machine may send
 * it when the step has begun; then there is a row with no more than that. */
static int
slow_down(void)
{
    fake_engine.default_duration = 400 * MS;
    assert_true(told->steps < 2 ||
                told->step.requests <= (uint64_t)told->values[told->steps - 1]);
    return 0;
}

static int
slow_down_or_expect_a_request(void)
{
    fake_engine.default_duration = 400 * MS;
    assert_true(told->step.requests >= 1);
    return 0;
}

TEST(sizes_end_early_when_a_worker_gets_no_request)
{
    static const int64_t values[] = {4096, 8192, 16384, 32768, 65536};
    told->at_step = slow_down_or_expect_a_request;
    begin(SWEEP_SIZE, 4096, 65536);
    setup.options.work_time = 300 * MS;
    const struct outcome *outcome = run();
    assert_in_range(told->steps, 0, 4);
    assert_values(values, told->steps);
    assert_int_equal(outcome->early_step, values[told->steps]);
    assert_int_equal(outcome->failed_sample.index, 0);
    assert_int_equal(outcome->waiting_age, 0);
    assert_int_equal(outcome_status(outcome), EXIT_DONE);
}

TEST(only_sizes_end_early)
{
    static const int64_t values[] = {1, 2};
    told->at_step = slow_down;
    begin(SWEEP_THREADS, 1, 2);
    setup.options.work_time = 300 * MS;
    const struct outcome *outcome = run();
    assert_values(values, 2);
    assert_int_equal(outcome->early_step, 0);
}

static int
fail_the_next(void)
{
    struct fake_queue *queue = &fake_engine.queues[0];
    if (told->steps > 1)
        return 0;
    queue->scripted = true;
    queue->requests = 0; /* the script is that of this step */
    queue->answers[3].error = EIO;
    return 0;
}

TEST(a_failure_ends_it_with_the_step_so_far)
{
    static const int64_t values[] = {4096, 8192};
    told->at_step = fail_the_next;
    begin(SWEEP_SIZE, 4096, 32768);
    setup.options.work_time = 1000 * MS;
    const struct outcome *outcome = run();
    assert_values(values, 2);
    assert_int_equal(outcome->failed_sample.error, EIO);
    assert_int_equal(outcome->failed_sample.index, 3);
    assert_int_equal(outcome->early_step, 0);
    assert_int_equal(outcome_status(outcome), EXIT_RUNTIME);
    assert_int_equal(fake_engine.queues[0].requests, 3);
    assert_true(told->step_times[1] >= 0);
    assert_int_equal(outcome->total.requests, told->merged.requests);
}

static int
refuse_the_second(void)
{
    return told->steps == 2 ? -1 : 0;
}

TEST(a_row_that_cannot_be_written_ends_it)
{
    static const int64_t values[] = {1, 2};
    told->at_step = refuse_the_second;
    begin(SWEEP_THREADS, 1, 8);
    run();
    assert_values(values, 2);
    assert_int_equal(fake_engine.opened, 3);
}

static int
break_the_engine(void)
{
    fake_engine.broken = true;
    fake_engine.openable_queues = fake_engine.opened + 1;
    return 0;
}

TEST(a_step_that_cannot_begin_is_an_error)
{
    struct error error;
    static const int64_t values[] = {1};
    told->at_step = break_the_engine;
    begin(SWEEP_THREADS, 1, 8);
    try_run(-1, &error);
    assert_values(values, 1);
    assert_broken(&error);
    assert_int_equal(fake_engine.opened, 2);
    assert_int_equal(fake_engine.closed, 2);
}

/* So many are sent at once by the first step, and by the others. */
#define KEPT 3

static void
keep_offsets(int64_t seed, int64_t offsets[3][KEPT])
{
    told_begin(NULL);
    begin(SWEEP_DEPTH, KEPT, 8);
    fake_engine.default_duration = 5 * MS;
    setup.options.entropy = seed;
    setup.target.work_size = 1LL << 40;
    run();
    for (int i = 0; i < 3; i++) {
        int first = i ? told->step_requests[i - 1] : 0;
        assert_true(told->step_requests[i] >= first + KEPT);
        assert_true(first + KEPT <= FAKE_CALLS);
        memcpy(offsets[i], fake_engine.queues[0].offsets + first, sizeof(offsets[i]));
    }
}

TEST(a_seed_reproduces_the_offsets_of_each_step)
{
    int64_t first[3][KEPT], again[3][KEPT], other[3][KEPT];
    keep_offsets(5, first);
    keep_offsets(5, again);
    keep_offsets(6, other);
    assert_memory_equal(first, again, sizeof(first));
    for (int i = 0; i < 3; i++) {
        assert_memory_not_equal(first[i], other[i], sizeof(first[i]));
        assert_memory_not_equal(first[i], first[(i + 1) % 3], sizeof(first[i]));
    }
}

static int
interrupt_after_two(void)
{
    if (told->steps == 2)
        raise(SIGINT);
    return 0;
}

TEST_IN_CHILD(an_interrupt_ends_it_with_the_steps_so_far)
{
    told->at_step = interrupt_after_two;
    begin(SWEEP_THREADS, 1, 8);
    const struct outcome *outcome = run();
    REQUIRE(told->steps == 2);
    REQUIRE(outcome->total.requests == told->merged.requests);
    REQUIRE(outcome->failed_sample.index == 0 && outcome->waiting_age == 0);
    REQUIRE(outcome_status(outcome) == EXIT_DONE);
    REQUIRE(setup.job->sweep.was_interrupted);
}

static int
interrupt_after_four(void)
{
    if (told->steps == 4)
        raise(SIGINT);
    return 0;
}

/* The signal comes when nothing is missing any more. */
TEST_IN_CHILD(an_interrupt_after_the_last_step_changes_nothing)
{
    told->at_step = interrupt_after_four;
    begin(SWEEP_THREADS, 1, 8);
    const struct outcome *outcome = run();
    REQUIRE(told->steps == 4);
    REQUIRE(os_signals_stop_signal() == SIGINT);
    REQUIRE(!setup.job->sweep.was_interrupted && !outcome->was_interrupted);
}

/* Faster rates may be sustained, too, even if one of them failed so far. */
TEST_IN_CHILD(the_rate_of_an_interrupted_search_is_a_lower_bound)
{
    told->at_step = interrupt_after_two;
    begin(SWEEP_RATE, 100, 3200);
    setup.options.given[OPTION_INTERVAL] = 0;
    setup.options.depth = 8;
    setup.options.work_time = 100 * MS;
    fake_engine.default_duration = 0;
    run();
    REQUIRE(told->steps == 2);
    REQUIRE(setup.job->sweep.was_interrupted);
    REQUIRE(setup.job->sweep.is_lower_bound == (setup.job->sweep.highest_index >= 0));
}

/* No row for a step that is not complete. */
TEST_IN_CHILD(an_interrupt_ends_a_step_without_its_row)
{
    told->at_hang = interrupt;
    begin(SWEEP_THREADS, 1, 8);
    setup.options.hang = 50 * MS;
    setup.options.work_time = 3600000 * MS;
    fake_engine.answers[3].held = true;
    const struct outcome *outcome = run();
    REQUIRE(told->hangs > 0);
    REQUIRE(told->steps == 0);
    REQUIRE(outcome->failed_sample.index == 0 && outcome->waiting_age == 0);
    REQUIRE(outcome_status(outcome) == EXIT_DONE);
    REQUIRE(fake_engine.opened == 1);
}

/* The worker that hangs, and its request; set by the test. */
static int stuck_worker, stuck_request;

/* A late machine does not cause two messages about the same request. */
static void
interrupt_when_sure(void)
{
    const uint64_t *last = &told->hang_index[told->hangs - 1];
    if (told->hangs > 1 && (told->hangs > SAID || last[0] == last[-1]) &&
        fake_engine.queues[stuck_worker].requests >= stuck_request &&
        !os_signals_stop_signal())
        raise(SIGINT);
}

/* The run is given up while the step settles, for an hour. */
TEST_IN_CHILD(a_step_that_is_stuck_while_it_settles_took_no_time)
{
    told->at_hang = interrupt_when_sure;
    begin(SWEEP_THREADS, 1, 8);
    setup.options.hang = 50 * MS;
    setup.options.work_time = 36000000 * MS;
    fake_engine.answers[3].min_duration = 3600000 * MS;
    stuck_request = 3;
    const struct outcome *outcome = run();
    REQUIRE(outcome->waiting_age >= 700 * MS);
    REQUIRE(outcome->abandoned_requests == 1);
    REQUIRE(outcome_status(outcome) == EXIT_RUNTIME);
    REQUIRE(fake_engine.opened == 1 && fake_engine.closed == 0);
    REQUIRE(told->steps == 1);
    REQUIRE(told->step_times[0] >= 0);
    REQUIRE(outcome->duration >= 0);
}

TEST_IN_CHILD(a_step_that_is_given_up_has_a_row)
{
    told->at_hang = interrupt_when_sure;
    begin(SWEEP_THREADS, 2, 8);
    setup.options.hang = 100 * MS;
    setup.options.work_time = 2000 * MS;    /* 200 ms to settle */
    fake_engine.default_duration = 30 * MS; /* so that the tenth comes later */
    fake_engine.queues[1].scripted = true;
    fake_engine.queues[1].answers[10].min_duration = 3600000 * MS;
    stuck_worker = 1;
    stuck_request = 10;
    const struct outcome *outcome = run();
    REQUIRE(outcome->waiting_age >= 700 * MS);
    REQUIRE(outcome->abandoned_requests == 1);
    REQUIRE(fake_engine.opened == 2 && fake_engine.closed == 1);
    REQUIRE(told->steps == 1 && told->values[0] == 2);
    REQUIRE(told->step_times[0] >= outcome->waiting_age);
    REQUIRE(told->step.requests == told->step.latency.count + 1);
    REQUIRE(outcome->total.requests == told->step.requests);
}

static struct {
    int ticks;
    int64_t due, every;
} ticking;

static int64_t
tick_due(void *self, int64_t now)
{
    (void)self;
    if (!ticking.due)
        ticking.due = now + ticking.every;
    return ticking.due;
}

static void
count_tick(void *self, const struct job *jobs, int count, int64_t now)
{
    (void)self, (void)jobs;
    assert_int_equal(count, 1);
    ticking.due = now + ticking.every;
    ticking.ticks++;
}

/* The next tick stays due from step to step. The run is repeated with longer steps if a
 * late supervisor did not wake up before the end. */
TEST(ticks_may_come_less_often_than_there_are_steps)
{
    struct error error;
    int64_t each = 20 * MS;
    do {
        struct run_observer observer = observer_of();
        told_begin(NULL);
        memset(&ticking, 0, sizeof(ticking));
        ticking.every = each * 3 / 2;
        observer.next_tick = tick_due;
        observer.tick = count_tick;
        begin(SWEEP_THREADS, 1, 8);
        setup.options.work_time = each;
        struct run_task task = setup_task(&setup, &observer);
        assert_int_equal(run_execute(&task, &error), 0);
        assert_int_equal(told->steps, 4);
    } while (ticking.ticks == 0 && (each *= 5) < 5000 * MS);
    assert_true(ticking.ticks >= 1);
}

/* Requests of the first step take a millisecond, those of later ones LATER. */
static int64_t later;

static int
take_longer(void)
{
    fake_engine.default_duration = later;
    return 0;
}

/* The fastest request tells, since a busy machine may hold up any. */
static const struct outcome *
run_limited(void)
{
    told->at_step = take_longer;
    begin(SWEEP_THREADS, 1, 4);
    assert_null(slos_add(&setup.options.slos, "min=100ms"));
    setup.options.work_time = 500 * MS;
    return run();
}

TEST(the_highest_that_keeps_the_limits_is_told)
{
    later = 120 * MS;
    const struct outcome *outcome = run_limited();
    assert_int_equal(told->steps, 3);
    assert_int_equal(told->judged, 1);
    assert_int_equal(told->highest, 0);
    assert_false(setup.job->sweep.is_lower_bound);
    assert_int_equal(outcome->verdict, SLO_MET);
    assert_int_equal(outcome_status(outcome), EXIT_DONE);
    told_begin(NULL);
    later = MS;
    outcome = run_limited();
    assert_int_equal(told->highest, 2);
    assert_true(setup.job->sweep.is_lower_bound);
    assert_int_equal(outcome_status(outcome), EXIT_DONE);
}

TEST(a_step_with_a_failure_keeps_no_limit)
{
    told->at_step = fail_the_next;
    begin(SWEEP_THREADS, 1, 8);
    assert_null(slos_add(&setup.options.slos, "min=1h"));
    setup.options.work_time = 1000 * MS;
    const struct outcome *outcome = run();
    assert_int_equal(told->steps, 2);
    assert_int_equal(told->judged, 1);
    assert_int_equal(told->highest, 0);
    assert_int_equal(setup.job->sweep.steps[0].verdict, SLO_MET);
    assert_int_equal(setup.job->sweep.steps[1].verdict, SLO_BROKEN);
    assert_int_equal(outcome_status(outcome), EXIT_RUNTIME);
}

/* With -N a request that would have to wait has had its answer; one that fails otherwise
 * has not, whatever else is ignored. */
TEST(with_nowait_nothing_but_eagain_is_excused)
{
    static const struct {
        int error;
        enum slo_verdict verdict;
    } cases[] = {{EAGAIN, SLO_MET}, {EIO, SLO_BROKEN}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        told_begin(NULL);
        begin(SWEEP_THREADS, 1, 1);
        assert_null(slos_add(&setup.options.slos, "min=1h"));
        setup.options.given[OPTION_NOWAIT] = 1;
        setup.options.given[OPTION_IGNORE_ERROR] = 1;
        setup.options.work_time = 1000 * MS;
        fake_engine.default_duration = 100 * MS; /* the third begins after the settling */
        for (int k = 3; k < FAKE_ANSWERS; k++)
            fake_engine.answers[k].error = cases[i].error;
        run();
        assert_int_equal(told->steps, 1);
        assert_true(told->step.failed > 0);
        assert_int_equal(setup.job->sweep.steps[0].verdict, cases[i].verdict);
    }
}

TEST_IN_CHILD(limits_of_no_step_are_not_known)
{
    told->at_hang = interrupt;
    begin(SWEEP_THREADS, 1, 8);
    assert_null(slos_add(&setup.options.slos, "min=1h"));
    setup.options.hang = 50 * MS;
    setup.options.work_time = 3600000 * MS;
    fake_engine.answers[3].held = true;
    const struct outcome *outcome = run();
    REQUIRE(told->steps == 0 && told->judged == 0);
    REQUIRE(outcome->verdict == SLO_UNKNOWN);
    REQUIRE(outcome_status(outcome) == EXIT_LIMIT);
}

/* Steps that were left out may keep a limit that all so far broke. */
TEST_IN_CHILD(limits_of_steps_left_out_are_not_known)
{
    told->at_step = interrupt_after_two;
    begin(SWEEP_THREADS, 1, 8);
    setup.options.work_time = 200 * MS;
    assert_null(slos_add(&setup.options.slos, "iops=1P"));
    const struct outcome *outcome = run();
    if (told->step.requests == 0)
        _exit(LATE);
    REQUIRE(told->steps == 2 && told->judged == 1 && told->highest == -1);
    REQUIRE(setup.job->sweep.steps[1].verdict == SLO_BROKEN);
    REQUIRE(outcome->verdict == SLO_UNKNOWN);
    REQUIRE(outcome_status(outcome) == EXIT_LIMIT);
}

/* A step without a request has no verdict. The run is repeated with longer steps if there
 * is one. */
TEST(limits_that_all_steps_broke_are_known)
{
    const struct outcome *outcome;
    bool empty;
    int64_t each = 20 * MS;
    do {
        told_begin(NULL);
        begin(SWEEP_THREADS, 1, 8);
        setup.options.work_time = each;
        assert_null(slos_add(&setup.options.slos, "iops=1P"));
        outcome = run();
        empty = false;
        for (int i = 0; i < told->steps; i++)
            empty |= setup.job->sweep.steps[i].requests == 0;
    } while (empty && (each *= 5) < 5000 * MS);
    assert_false(empty);
    assert_int_equal(told->steps, 4);
    assert_int_equal(outcome->verdict, SLO_BROKEN);
}

TEST(without_limits_nothing_is_judged)
{
    begin(SWEEP_THREADS, 1, 2);
    const struct outcome *outcome = run();
    assert_int_equal(told->judged, 0);
    assert_int_equal(outcome_status(outcome), EXIT_DONE);
}

static void
begin_intervals(int64_t from, int64_t to)
{
    begin(SWEEP_INTERVAL, from, to);
    setup.options.given[OPTION_INTERVAL] = 0;
}

/* Again if a late machine sent it when the step had begun. */
TEST(the_first_request_of_an_interval_is_not_in_its_step)
{
    static const int64_t values[] = {10 * MS, 20 * MS};
    const struct outcome *outcome;
    int tries = 0;
    do {
        told_begin(NULL);
        begin_intervals(10 * MS, 20 * MS);
        outcome = run();
        assert_int_equal(setup.job->active_plan.pace.interval, 20 * MS);
    } while (outcome->total.requests + 2 > (uint64_t)sent_by_all() && ++tries < 5);
    assert_values(values, 2);
    assert_int_equal(outcome->total.requests + 2, sent_by_all());
    assert_true(told->step.requests >= 30 && told->step.requests <= 31);
    assert_true(told->step_times[1] >= 29 * 20 * MS);
    assert_true(told->step_times[0] >= 29 * 10 * MS);
}

/* They outlast their interval, so in its time there is room for 12 of them. */
TEST(a_step_of_slow_requests_has_as_many)
{
    begin_intervals(10 * MS, 10 * MS);
    setup.options.work_time = MS;
    fake_engine.default_duration = 25 * MS;
    run();
    assert_int_equal(told->steps, 1);
    assert_int_equal(told->step.latency.count, 30);
    assert_true(told->step_times[0] >= 30 * 25 * MS);
}

/* At random there are fewer due than the rate says in some of the steps. */
TEST(no_rate_is_more_than_what_was_due)
{
    int fewer = 0;
    for (int seed = 1; seed <= 6; seed++) {
        begin(SWEEP_RATE, 1000, 1000);
        setup.options.given[OPTION_INTERVAL] = 0;
        setup.options.given[OPTION_POISSON] = 1;
        setup.options.depth = 8;
        setup.options.entropy = seed;
        fake_engine.default_duration = 0;
        told_begin(NULL);
        run();
        for (int i = 0; i < setup.job->sweep.count; i++) {
            const struct job_step *step = &setup.job->sweep.steps[i];
            fewer += step->iops < 950;
            /* All but one in the 20 ms is all of them. */
            assert_true((double)step->answered_rate <= step->iops + 50 + 1);
        }
    }
    assert_true(fewer > 0);
}

/* The opening of a first step by a thread that does not supervise it. */
struct opening {
    struct run_task task;
    struct os_thread supervisor;
    int status;
    struct error error;
};

static void *
open_first(void *argument)
{
    struct opening *opening = argument;
    opening->status =
        run_open_first(&opening->task, &opening->supervisor, &opening->error);
    return NULL;
}

/* Opens the first step of setup on another thread. */
static void
open_elsewhere(struct opening *opening, const struct run_observer *observer)
{
    struct os_thread opener;
    os_signals_install();
    *opening = (struct opening){.task = setup_task(&setup, observer),
                                .supervisor = os_thread_self()};
    assert_int_equal(os_thread_start(&opener, open_first, opening), 0);
    os_thread_join(&opener);
}

/* Sweeps whose first step has THREADS workers. */
static const struct {
    enum sweep_kind kind;
    int64_t from, to;
    int threads;
} firsts[] = {
    {SWEEP_THREADS, 1, 2, 1},
    {SWEEP_THREADS, 3, 4, 3},
    {SWEEP_SIZE, 4096, 8192, 1},
    {SWEEP_RATE, 100, 100, 1},
};

/* An interval would be another rate. */
static void
take_no_interval(void)
{
    setup.options.given[OPTION_INTERVAL] = 0;
    setup.options.depth = 4;
}

static void
begin_first(size_t i)
{
    told_begin(NULL);
    begin(firsts[i].kind, firsts[i].from, firsts[i].to);
    if (firsts[i].kind == SWEEP_RATE)
        take_no_interval();
}

TEST(a_first_step_that_was_opened_before_is_like_any)
{
    for (size_t i = 0; i < LENGTH(firsts); i++) {
        struct run_observer observer = observer_of();
        struct opening opening;
        struct error error;
        begin_first(i);
        open_elsewhere(&opening, &observer);
        assert_int_equal(opening.status, 0);
        assert_int_equal(fake_engine.opened, firsts[i].threads);
        assert_int_equal(sent_by_all(), 0);
        assert_int_equal(told->stepping, 0);

        assert_int_equal(run_execute(&opening.task, &error), 0);
        assert_true(told->steps > 0);
        assert_int_equal(told->values[0], firsts[i].from);
        assert_true(setup.job->outcome.total.requests > 0);
        assert_int_equal(fake_engine.closed, fake_engine.opened);
        assert_null(setup.job->held_run);
    }
}

TEST(a_first_step_that_is_cancelled_sends_nothing)
{
    for (size_t i = 0; i < LENGTH(firsts); i++) {
        struct run_observer observer = observer_of();
        struct opening opening;
        begin_first(i);
        open_elsewhere(&opening, &observer);
        assert_int_equal(opening.status, 0);
        run_cancel_first(setup.job);
        run_cancel_first(setup.job);
        assert_int_equal(sent_by_all(), 0);
        assert_int_equal(fake_engine.closed, firsts[i].threads);
    }
}

static int
fail_part(void *self, const struct job *job, const struct run_part *part)
{
    (void)self, (void)job, (void)part;
    return -1;
}

TEST(a_first_step_whose_output_fails_sends_nothing)
{
    struct run_observer observer = observer_of();
    struct opening opening;
    struct error error;
    observer.part = fail_part;
    begin(SWEEP_THREADS, 3, 4);
    open_elsewhere(&opening, &observer);
    assert_int_equal(run_execute(&opening.task, &error), 0);
    assert_int_equal(sent_by_all(), 0);
    assert_int_equal(fake_engine.closed, 3);
}

TEST(a_first_step_that_cannot_be_opened_is_an_error)
{
    struct run_observer observer = observer_of();
    struct opening opening;
    begin(SWEEP_THREADS, 3, 4);
    fake_engine.broken = true;
    open_elsewhere(&opening, &observer);
    assert_int_equal(opening.status, -1);
    assert_broken(&opening.error);
    assert_null(setup.job->held_run);
    assert_int_equal(sent_by_all(), 0);
}

/* The output fails at the first rate. */
TEST(one_request_after_another_is_the_first_step_of_a_search)
{
    struct run_observer observer = observer_of();
    struct opening opening;
    struct error error;
    observer.part = fail_part;
    begin(SWEEP_RATE, 0, 0);
    take_no_interval();
    open_elsewhere(&opening, &observer);
    assert_int_equal(opening.status, 0);
    assert_int_equal(fake_engine.opened, 1);

    assert_int_equal(run_execute(&opening.task, &error), 0);
    assert_true(setup.job->outcome.total.requests > 0);
    assert_int_equal(fake_engine.opened, 1);
    assert_int_equal(fake_engine.closed, 1);
}
