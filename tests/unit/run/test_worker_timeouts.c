/* The loop with requests that time out, and are answered later or never. */
#include "setup.h"

#define FOR_EVER (3600000 * MS)
#define TIMEOUT (200 * MS)

static void
begin(int64_t count, int depth)
{
    setup_begin_workers(&setup, count, 1, depth);
    setup.options.given[OPTION_TIMEOUT] = 1;
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    setup.options.timeout = TIMEOUT;
    fake_engine.patient = true;
}

static bool
is_timeout(const struct sample *sample)
{
    return sample->verdict == VERDICT_TIMEOUT && sample->latency >= TIMEOUT;
}

/* Both places are lost for a while. */
TEST(a_late_answer_gives_its_place_back_and_is_no_news)
{
    begin(6, 2);
    fake_engine.answers[1].min_duration = fake_engine.answers[2].min_duration =
        3 * TIMEOUT;
    setup_run(&setup);
    const struct worker *worker = &setup.worker;
    assert_string_equal(fake_engine_story(), "RRRRRR");
    assert_int_equal(setup.seen_count, 6);
    assert_int_equal(setup.seen[0].index, 1);
    assert_int_equal(setup.seen[1].index, 2);
    assert_true(is_timeout(&setup.seen[0]) && is_timeout(&setup.seen[1]));
    for (int i = 2; i < 6; i++)
        assert_true(setup.seen[i].start >= setup.seen[0].start + 3 * TIMEOUT);
    assert_int_equal(worker->account.total.requests, 6);
    assert_in_range(worker->account.total.failed, 2, 6);
    assert_int_equal(worker->account.total.latency.count,
                     6 - worker->account.total.failed);
    assert_int_equal(worker->queue.inflight.taken_count, 0);
    assert_int_equal(worker->queue.inflight.lost_count, 0);
    assert_int_equal(worker->account.first_failed.index, 1);
}

/* It is in its buffer still, so no other may have its slot. */
TEST(a_lost_place_is_not_used)
{
    begin(30, 3);
    setup.options.interval = 20 * MS;
    fake_engine.answers[2].min_duration = FOR_EVER;
    setup_run(&setup);
    int slot = fake_engine.calls[1].request.slot;
    assert_int_equal(setup.seen_count, 30);
    for (int i = 2; i < 30; i++)
        assert_int_not_equal(fake_engine.calls[i].request.slot, slot);
    assert_int_equal(setup.worker.queue.inflight.lost_count, 1);
    assert_int_equal(setup.worker.queue.inflight.taken_count, 1);
}

TEST(without_any_place_its_time_ends_it)
{
    begin(0, 2);
    setup.options.work_time = 3 * TIMEOUT;
    fake_engine.default_duration = FOR_EVER;
    setup_run(&setup);
    assert_int_equal(fake_engine.requests, 2);
    assert_int_equal(setup.worker.queue.inflight.lost_count, 2);
    assert_int_equal(setup.worker.account.total.requests, 2);
    assert_int_equal(setup.worker.account.total.failed, 2);
    assert_true(setup.worker.account.counted_until >=
                setup.worker.account.counted_from + 3 * TIMEOUT);
}

/* The queue of depth one waits for its end, as a system call does. */
TEST(an_answer_that_comes_too_late_has_failed)
{
    begin(3, 1);
    fake_engine.answers[2].min_duration = TIMEOUT;
    setup_run(&setup);
    assert_int_equal(setup.seen_count, 3);
    assert_true(is_timeout(&setup.seen[1]));
    assert_int_equal(setup.worker.queue.inflight.lost_count, 0);
    assert_int_equal(setup.worker.account.first_failed.verdict, VERDICT_TIMEOUT);
}

TEST(without_ignore_it_ends_the_job)
{
    begin(0, 2);
    setup.options.given[OPTION_IGNORE_ERROR] = 0;
    setup.options.interval = 10 * MS;
    fake_engine.answers[3].min_duration = FOR_EVER;
    setup_run(&setup);
    assert_true(atomic_load(&setup.job->group.is_stopped));
    assert_true(atomic_load(&setup.run.timed_out));
    assert_int_equal(setup.worker.queue.inflight.lost_count,
                     setup.worker.queue.inflight.taken_count);
    assert_true(is_timeout(&setup.worker.account.first_failed));
}

/* The time is that of both, and no flush follows a write that comes back late. */
TEST(a_flush_belongs_to_its_write)
{
    begin(2, 2);
    setup.options.given[OPTION_WRITE] = 3;
    fake_engine.flushes[1].min_duration = FOR_EVER;
    setup_run(&setup);
    assert_int_equal(fake_engine.requests, 2);
    assert_true(is_timeout(&setup.worker.account.first_failed));
    assert_true(setup.worker.account.first_failed.sync > 0);
    assert_true(setup.worker.account.first_failed.sync <=
                setup.worker.account.first_failed.latency);
    assert_int_equal(setup.worker.account.first_failed.bytes, 0);
}

TEST(a_late_write_is_not_flushed)
{
    begin(1, 2);
    setup.options.given[OPTION_WRITE] = 3;
    setup.options.work_time = 4 * TIMEOUT;
    setup.options.count = 3;
    fake_engine.answers[1].min_duration = fake_engine.answers[2].min_duration =
        2 * TIMEOUT;
    setup_run(&setup);
    assert_int_equal(setup.seen_count, 3);
    assert_int_equal(fake_engine.flushed, 1);
}

/* Each point of the grid is sent or missed, once. What the last two pass by themselves is
 * due to a late machine. */
TEST(points_without_a_place_are_missed)
{
    begin(4, 2);
    setup.options.interval = 50 * MS;
    fake_engine.answers[1].min_duration = fake_engine.answers[2].min_duration =
        5 * TIMEOUT;
    setup_run(&setup);
    assert_int_equal(setup.seen_count, 4);
    const struct sample *third = &setup.seen[2], *fourth = &setup.seen[3];
    int64_t points = (third->start - setup.seen[0].start) / (50 * MS);
    assert_in_range(setup.worker.account.total.missed - third->missed - fourth->missed,
                    5 * TIMEOUT / (50 * MS) - 3, points + 1);
}
