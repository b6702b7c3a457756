/* A run with several workers: their common state, and the effect of one on the others. */
#include "listening.h"

#define HOUR (3600000 * MS)

static void
begin(int64_t count, int threads, int depth)
{
    setup_begin_workers(&setup, count, threads, depth);
    setup.options.hang = 0;
}

/* Fails unless requests 1 to COUNT were told of, each once. */
static void
assert_told_once(int count)
{
    assert_int_equal(told->samples, count);
    for (int i = 1; i < REQUESTS; i++)
        if (told->times[i] != (i <= count))
            fail_msg("request %d was told of %d times", i, told->times[i]);
}

TEST(the_count_is_that_of_the_whole_run)
{
    static const struct {
        int threads, depth, count;
    } cases[] = {{2, 1, 100}, {4, 1, 101}, {8, 1, 3}, {3, 4, 200}, {4, 8, 5}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        told_begin(NULL);
        begin(cases[i].count, cases[i].threads, cases[i].depth);
        fake_engine.default_duration = MS / 4;
        const struct outcome *outcome = run();
        assert_told_once(cases[i].count);
        assert_int_equal(sent_by_all(), cases[i].count);
        assert_int_equal(told->summary.requests, cases[i].count);
        assert_int_equal(outcome->total.latency.count, cases[i].count);
        assert_int_equal(outcome->total.latencies.count, cases[i].count);
        assert_int_equal(outcome->total.all_bytes, (int64_t)cases[i].count * SIZE);
        assert_int_equal(fake_engine.begun, cases[i].threads);
        assert_int_equal(fake_engine.closed, cases[i].threads);
        assert_false(told->together);
    }
}

TEST(all_take_part_at_their_depth)
{
    begin(300, 3, 4);
    fake_engine.patient = true;
    fake_engine.default_duration = 2 * MS;
    fake_engine.min_senders = 3;
    const struct outcome *outcome = run();
    for (int i = 0; i < 3; i++) {
        assert_true(fake_engine.queues[i].requests > 0);
        assert_in_range(fake_engine.queues[i].most_under_way, 1, 4);
    }
    assert_int_equal(fake_engine.queues[3].requests, 0);
    assert_int_equal(fake_engine.most_under_way, 4);
    assert_in_range(outcome->total.busy_time, 2 * MS, outcome->duration);
}

/* Numbers are taken in batches then; only those that were sent count. */
TEST(nobody_needs_to_hear_of_requests)
{
    for (int depth = 1; depth <= 3; depth += 2) {
        told_begin(NULL);
        begin(0, 3, depth);
        setup.options.given[OPTION_QUIET] = 1;
        setup.options.work_time = 50 * MS;
        fake_engine.default_duration = MS;
        const struct outcome *outcome = run();
        assert_int_equal(told->samples, 0);
        assert_int_equal(told->summaries, 1);
        assert_true(sent_by_all() >= 3);
        assert_int_equal(outcome->total.requests, sent_by_all());
        assert_int_equal(outcome->total.latency.count, sent_by_all());
        assert_true(outcome->duration >= 50 * MS);
    }
}

TEST(a_count_is_exact_though_nobody_hears_of_requests)
{
    begin(1500, 4, 2);
    setup.options.given[OPTION_QUIET] = 1;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->total.requests, 1500);
    assert_int_equal(sent_by_all(), 1500);
}

TEST(the_first_requests_of_the_run_are_its_warmup)
{
    begin(30, 3, 1);
    setup.options.warmup = 5;
    fake_engine.default_duration = MS / 4;
    run();
    assert_int_equal(told->warmups, 0x3e); /* 1 to 5 */
    assert_int_equal(told->summary.latency.count, 25);
    assert_int_equal(told->summary.requests, 30);
}

TEST(periods_of_a_count_add_up)
{
    for (int depth = 1; depth <= 4; depth += 3) {
        told_begin(NULL);
        begin(2000, 4, depth);
        setup.options.print_count = 10;
        run();
        assert_int_equal(told->periods, 200);
        assert_int_equal(told->period_sum, 2000);
        assert_false(told->uneven);
        assert_false(told->together);
    }
}

/* One request is held until three periods have been reported. */
TEST(periods_of_a_time_add_up)
{
    for (int depth = 1; depth <= 3; depth += 2) {
        told_begin(NULL);
        begin(90, 3, depth);
        setup.options.interval = 5 * MS;
        setup.options.print_interval = 20 * MS;
        fake_engine.default_duration = MS;
        fake_engine.queues[0].scripted = true;
        fake_engine.queues[0].answers[1].held = true;
        fake_engine.min_senders = 3;
        told->enough_periods = 3;
        run();
        assert_true(told->periods >= 3);
        assert_int_equal(told->period_sum + told->since_period, 90);
        assert_false(told->uneven);
        assert_false(told->backwards);
        assert_false(told->together);
    }
}

/* The others would sleep for an hour. */
TEST(the_failure_of_one_ends_all)
{
    begin(0, 3, 1);
    setup.options.interval = HOUR;
    fake_engine.queues[1].scripted = true;
    fake_engine.queues[1].answers[1] =
        (struct fake_answer){.error = EIO, .min_duration = 30 * MS};
    fake_engine.min_senders = 3;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->failed_sample.error, EIO);
    assert_true(outcome->failed_sample.latency >= 30 * MS);
    assert_int_equal(outcome->total.requests, 3);
    assert_int_equal(outcome->total.failed, 1);
    assert_int_equal(outcome->total.latency.count, 2);
    assert_int_equal(outcome->waiting_age, 0);
    assert_int_equal(fake_engine.closed, 3);
}

/* The run waits for the requests of the others and counts them. If the machine is in time
 * the second worker is the first to fail. */
TEST(the_earliest_failure_is_told)
{
    begin(0, 3, 2);
    setup.options.interval = HOUR;
    static const struct fake_answer answers[] = {
        {.error = EIO, .min_duration = 200 * MS},
        {.error = ENOSPC, .min_duration = 50 * MS},
        {.error = EIO, .min_duration = 150 * MS}};
    for (int i = 0; i < 3; i++) {
        fake_engine.queues[i].scripted = true;
        fake_engine.queues[i].answers[1] = answers[i];
    }
    fake_engine.min_senders = 3;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->failed_sample.index, told->first_failed.index);
    assert_int_equal(outcome->failed_sample.error, told->first_failed.error);
    assert_int_equal(outcome->total.failed + outcome->total.latency.count,
                     outcome->total.requests);
    assert_int_equal(outcome->total.requests, sent_by_all());
}

TEST(an_ignored_failure_ends_nobody)
{
    begin(60, 3, 1);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    fake_engine.default_duration = MS;
    fake_engine.queues[1].scripted = true;
    fake_engine.queues[1].answers[1].error = EIO;
    fake_engine.min_senders = 3;
    const struct outcome *outcome = run();
    assert_int_equal(outcome->total.requests, 60);
    assert_int_equal(outcome->total.failed, 1);
    assert_int_equal(outcome->failed_sample.error, EIO);
}

TEST(an_engine_that_does_not_open_closes_those_that_did)
{
    struct error error;
    begin(60, 4, 1);
    fake_engine.broken = true;
    fake_engine.openable_queues = 2;
    try_run(-1, &error);
    assert_int_equal(error.status, EXIT_PREPARE);
    assert_broken(&error);
    assert_int_equal(fake_engine.opened, 2);
    assert_int_equal(fake_engine.closed, 2);
    assert_int_equal(fake_engine.begun, 0);
    assert_int_equal(told->summaries, 0);
}

TEST(linear_workers_start_at_different_offsets)
{
    begin(100, 4, 1);
    setup.options.given[OPTION_LINEAR] = setup.options.given[OPTION_SIZE] = 1;
    fake_engine.default_duration = MS;
    run();
    for (int i = 0; i < 4; i++) {
        const struct fake_queue *queue = &fake_engine.queues[i];
        for (int k = 0; k < queue->requests; k++)
            assert_int_equal(queue->offsets[k], (4 * i + k) % 16 * SIZE);
    }
}

/* So many of each worker's offsets. */
#define KEPT 8

/* Returns whether all of them came to that in so much time. */
static bool
try_offsets(int threads, int depth, int64_t seed, int64_t time)
{
    begin(0, threads, depth);
    setup.target.work_size = 1LL << 40;
    setup.options.entropy = seed;
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    setup.options.work_time = time;
    setup.options.given[OPTION_QUIET] = 1;
    fake_engine.default_duration = MS;
    run();
    for (int i = 0; i < threads; i++)
        if (fake_engine.queues[i].requests < KEPT)
            return false;
    return true;
}

static void
keep_offsets(int threads, int depth, int64_t seed, int64_t offsets[][KEPT])
{
    int64_t time = 100 * MS;
    while (!try_offsets(threads, depth, seed, time) && time < 10000 * MS)
        time *= 5;
    assert_true(time < 10000 * MS);
    for (int i = 0; i < threads; i++)
        memcpy(offsets[i], fake_engine.queues[i].offsets, sizeof(offsets[i]));
}

TEST(a_seed_reproduces_the_offsets_of_each_worker)
{
    int64_t first[3][KEPT], again[3][KEPT], deep[3][KEPT], other[3][KEPT], alone[1][KEPT];
    keep_offsets(3, 1, 5, first);
    keep_offsets(3, 1, 5, again);
    keep_offsets(3, 4, 5, deep);
    keep_offsets(3, 1, 6, other);
    keep_offsets(1, 1, 5, alone);
    assert_memory_equal(first, again, sizeof(first));
    assert_memory_equal(first, deep, sizeof(first));
    assert_memory_equal(first[0], alone[0], sizeof(alone[0]));
    for (int i = 0; i < 3; i++) {
        assert_memory_not_equal(first[i], other[i], sizeof(first[i]));
        assert_memory_not_equal(first[i], first[(i + 1) % 3], sizeof(first[i]));
    }
}
