/* Statistics of a worker that others read while requests are under way, and requests that
 * settle before its time begins. */
#include "setup.h"

#include "run/missed.h"

#define START 1000000000LL

/* A worker of DEPTH whose first requests, 20, 21 and so on, were sent every 10 ms. */
static void
open_with(int depth, int sent)
{
    setup_begin_workers(&setup, 0, 1, depth);
    setup.options.interval = 10 * MS;
    setup_open(&setup);
    struct worker *worker = &setup.worker;
    worker->account.counted_from = START;
    schedule_start(&worker->schedule, worker->plan, 0, &worker->group->next_arrival,
                   START, START);
    for (int i = 0; i < sent; i++) {
        struct sample *sample = &inflight_take(&worker->queue.inflight)->sample;
        sample->index = 20 + (uint64_t)i;
        sample->start = START + 10 * MS * i;
        schedule_sent(&worker->schedule, sample->start, &sample->missed);
    }
}

TEST(the_oldest_is_the_one_sent_first_of_those_under_way)
{
    open_with(3, 3);
    static const uint64_t oldest[] = {20, 22, 0};
    static const int released[] = {1, 0, 2};
    for (int i = 0; i < 3; i++) {
        struct inflight *inflight = &setup.worker.queue.inflight;
        inflight_release(inflight, &inflight->list[released[i]]);
        assert_int_equal(setup.worker.queue.inflight.ring.younger->sample.index,
                         oldest[i]);
    }
    setup_close(&setup);
}

/* Returns how many WORKER has missed if it is abandoned at NOW; it goes on. */
static uint64_t
missed_at(struct worker *worker, int64_t now)
{
    struct schedule before = worker->schedule;
    uint64_t missed = worker->account.total.missed;
    worker_end_abandoned(worker, now);
    worker->schedule = before;
    return worker->account.total.missed - missed;
}

TEST(points_are_missed_until_now_or_the_end)
{
    open_with(2, 2);
    struct worker *worker = &setup.worker;
    assert_int_equal(missed_at(worker, START + 20 * MS), 0);
    assert_int_equal(missed_at(worker, START + 55 * MS), 4);
    worker->schedule.end_at = START + 35 * MS;
    assert_int_equal(missed_at(worker, START + 55 * MS), 2);
    worker->schedule.end_at = INT64_MAX;
    worker->schedule.from_limit = true;
    assert_int_equal(missed_at(worker, START + 55 * MS), 0);
    worker->schedule.from_limit = false;
    worker->group->last_due_at = START + 25 * MS; /* the last number was taken */
    assert_int_equal(missed_at(worker, START + 55 * MS), 1);
    setup_close(&setup);
}

/* A worker that would have sent more is stuck, with all slots taken or before that. */
TEST(what_is_given_up_was_sent)
{
    static const struct {
        bool sending;
        int depth, sent;
        uint64_t missed;
    } cases[] = {{true, 1, 1, 5}, {true, 2, 2, 4},  {true, 3, 2, 4},
                 {true, 4, 4, 2}, {false, 3, 2, 0}, {false, 2, 0, 0}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        open_with(cases[i].depth, cases[i].sent);
        setup.worker.schedule.is_sending = cases[i].sending;
        setup.worker.account.total.requests = 100;
        setup.worker.account.total.missed = 7;
        worker_end_abandoned(&setup.worker, START + 55 * MS);
        assert_int_equal(setup.worker.account.total.requests, 100 + cases[i].sent);
        assert_int_equal(setup.worker.account.total.latency.count, 0);
        assert_int_equal(setup.worker.account.total.missed, 7 + cases[i].missed);
        assert_int_equal(setup.worker.account.counted_until, START + 55 * MS);
        setup_close(&setup);
    }
}

/* One every 10 ms for 100 ms: at 20 ms it has taken the third, which others may not;
 * after the deadline nobody will send the rest. */
TEST(what_was_due_at_a_rate_is_given_up_with_a_worker)
{
    static const struct {
        int64_t at;
        uint64_t missed;
    } cases[] = {{20 * MS, 0}, {55 * MS, 1}, {199 * MS, 1}, {200 * MS, 8}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        open_with(1, 0);
        struct schedule *schedule = &setup.worker.schedule;
        uint64_t missed;
        setup.job->active_plan.pace.is_open_loop = true;
        setup.job->active_plan.end.work_time = 100 * MS;
        schedule_start(schedule, setup.worker.plan, 0, &setup.job->group.next_arrival,
                       START, START);
        for (int k = 0; k < 2; k++)
            schedule_sent(schedule, schedule_due(schedule, START), &missed);
        assert_int_equal(schedule_due(schedule, START), START + 20 * MS);
        worker_end_abandoned(&setup.worker, START + cases[i].at);
        assert_int_equal(setup.worker.account.total.missed, cases[i].missed);
        setup_close(&setup);
    }
}

/* Points of requests sent before the worker's time began are not counted. */
TEST(points_missed_before_what_is_given_up_are_kept)
{
    open_with(4, 3);
    struct worker *worker = &setup.worker;
    for (int i = 0; i < 3; i++)
        worker->queue.inflight.list[i].sample.missed = 1ULL << i;
    worker->account.counted_from = START + 5 * MS;
    worker->schedule.is_sending = false; /* nothing is due any more */
    worker_end_abandoned(worker, START + 55 * MS);
    assert_int_equal(worker->account.total.requests, 2);
    assert_int_equal(worker->account.total.missed, 2 + 4);
    setup_close(&setup);
}

/* As one that ends by itself then; else it would have taken less than no time. */
TEST(what_is_given_up_before_its_time_began_took_none)
{
    open_with(2, 2);
    setup.worker.account.counted_from = START + 1000 * MS;
    worker_end_abandoned(&setup.worker, START + 55 * MS);
    assert_true(setup.worker.account.counted_until >= setup.worker.account.counted_from);
    setup_close(&setup);
}

/* Requests at 0, 40, 80, 120 and 160 ms, of which those from 100 ms on count; the end is
 * 200 ms after the beginning, or after the first that counts if a machine is late. Once
 * more if it is so late that the first is sent when all has settled. */
TEST(what_is_sent_while_it_settles_is_not_recorded)
{
    for (int depth = 1; depth <= 2; depth++) {
        int tries = 0;
        do {
            setup_begin(&setup, 0);
            setup.options.depth = depth;
            setup.options.given[OPTION_URING] = 1;
            setup.options.interval = 40 * MS;
            setup.options.work_time = 100 * MS;
            setup_open(&setup);
            setup.job->active_plan.end.settle_time = 100 * MS;
            setup.job->active_plan.end.min_requests = 1;
            int64_t before = os_clock_now();
            worker_run(&setup.worker);
            setup_close(&setup);
            assert_true(setup.worker.account.counted_from >= before + 100 * MS);
        } while (setup.seen[0].start >= setup.worker.account.counted_from && ++tries < 5);
        assert_in_range(setup.seen_count, 2, 5); /* 2 if the machine is late */
        assert_true(setup.seen[0].start < setup.worker.account.counted_from);
        uint64_t recorded = 0;
        for (int i = 0; i < setup.seen_count; i++)
            recorded += setup.seen[i].start >= setup.worker.account.counted_from;
        assert_true(recorded > 0 && recorded < (uint64_t)setup.seen_count);
        assert_int_equal(setup.worker.account.total.requests, recorded);
        assert_int_equal(setup.worker.account.total.latency.count, recorded);
        assert_int_equal(setup.worker.account.total.all_bytes, recorded * SIZE);
    }
}

TEST(a_failure_while_it_settles_is_kept)
{
    setup_begin(&setup, 0);
    setup.options.work_time = 3600000 * MS;
    fake_engine.answers[2].error = EIO;
    setup_open(&setup);
    setup.job->active_plan.end.settle_time = 3600000 * MS;
    worker_run(&setup.worker);
    setup_close(&setup);
    assert_string_equal(fake_engine_story(), "RR");
    assert_int_equal(setup.worker.account.total.requests, 0);
    assert_int_equal(setup.worker.account.total.failed, 0);
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_int_equal(setup.worker.account.first_failed.error, EIO);
    assert_true(setup.worker.account.counted_from == setup.worker.account.counted_until);
}

/* A request takes a number that no other worker gets. */
TEST(numbers_are_those_of_the_group)
{
    setup_begin(&setup, 10);
    setup_open(&setup);
    setup.job->group.size = 2;
    atomic_store(&setup.job->group.ordinals_taken, 6);
    worker_run(&setup.worker);
    setup_close(&setup);
    assert_int_equal(setup.seen_count, 4);
    for (int i = 0; i < 4; i++)
        assert_int_equal(setup.seen[i].index, 7 + i);
    assert_true(worker_group_last_due(&setup.job->group, INT64_MAX) < INT64_MAX);
}

TEST(it_begins_when_the_group_does)
{
    setup_begin(&setup, 1);
    setup_open(&setup);
    setup.job->group.begin_at = os_clock_now() + 300 * MS;
    worker_run(&setup.worker);
    setup_close(&setup);
    assert_true(setup.worker.account.counted_from == setup.job->group.begin_at);
    assert_true(setup.seen[0].start >= setup.job->group.begin_at);
}
