/* The loop with several requests under way. They end in the order that the fake engine's
 * script gives, however late the machine is. */
#include "setup.h"

static void
begin_deep(int64_t count, int depth)
{
    setup_begin_workers(&setup, count, 1, depth);
    setup.options.given[OPTION_LINEAR] = 1;
    setup.options.given[OPTION_SIZE] = 1;
    fake_engine.patient = true;
}

static void
answers_take(const int *ms, int count)
{
    for (int i = 0; i < count; i++)
        fake_engine.answers[i + 1].min_duration = ms[i] * MS;
}

/* Fails unless the requests were told in this order. */
static void
assert_order(const int *indexes, int count)
{
    assert_int_equal(setup.seen_count, count);
    for (int i = 0; i < count; i++)
        assert_int_equal(setup.seen[i].index, indexes[i]);
}

static const struct sample *
find_sample(uint64_t index)
{
    for (int i = 0; i < setup.seen_count; i++)
        if (setup.seen[i].index == index)
            return &setup.seen[i];
    fail_msg("request %d was not told of", (int)index);
    return NULL;
}

static int64_t
end_of(const struct sample *sample)
{
    return sample->start + sample->latency;
}

TEST(as_many_as_the_depth_are_under_way_and_no_more)
{
    static const int depths[] = {1, 2, 3, 8};
    for (size_t i = 0; i < LENGTH(depths); i++) {
        begin_deep(40, depths[i]);
        setup_run(&setup);
        assert_int_equal(fake_engine.config.depth, depths[i]);
        assert_int_equal(fake_engine.most_under_way, depths[i]);
        assert_int_equal(fake_engine.count, 40);
        assert_int_equal(setup.worker.account.total.requests, 40);
        assert_int_equal(setup.worker.account.total.latency.count, 40);
    }
}

TEST(the_count_is_exact_below_and_above_the_depth)
{
    static const struct {
        int count, depth, most;
    } cases[] = {{3, 8, 3}, {1, 4, 1}, {4, 4, 4}, {5, 4, 4}, {10, 4, 4}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        begin_deep(cases[i].count, cases[i].depth);
        setup_run(&setup);
        assert_int_equal(fake_engine.count, cases[i].count);
        assert_int_equal(setup.seen_count, cases[i].count);
        assert_int_equal(fake_engine.most_under_way, cases[i].most);
    }
}

TEST(every_slot_has_a_buffer_of_its_own)
{
    unsigned inflight = 0;
    begin_deep(12, 4);
    setup.options.given[OPTION_WRITE] = 3;
    setup.target.flushes_writes = false;
    setup_run(&setup);
    for (int i = 0; i < 4; i++)
        inflight |= 1u << fake_engine.calls[i].request.slot;
    assert_int_equal(inflight, 0xf);
    for (int i = 0; i < 12; i++)
        for (int k = 0; k < i; k++)
            assert_true(fake_engine.calls[i].first != fake_engine.calls[k].first);
}

/* A few requests are sent together; the first waits until the last is sent. */
TEST(what_is_sent_together_starts_together)
{
    static const int takes[] = {40, 10, 30, 20};
    begin_deep(4, 4);
    answers_take(takes, 4);
    setup_run(&setup);
    int64_t start = find_sample(1)->start;
    assert_true(start >= setup.worker.account.counted_from);
    assert_true(find_sample(2)->start == start);
    assert_true(find_sample(3)->start == start);
    assert_true(find_sample(4)->start > start);
}

TEST(they_are_told_in_the_order_of_their_end)
{
    static const int takes[] = {40, 10, 30, 20}, order[] = {2, 4, 3, 1};
    begin_deep(4, 4);
    answers_take(takes, 4);
    setup_run(&setup);
    assert_order(order, 4);
    int64_t last = 0, least = INT64_MAX, most = 0;
    for (int i = 0; i < 4; i++) {
        const struct sample *sample = &setup.seen[i];
        assert_int_equal(sample->offset, (order[i] - 1) * SIZE);
        assert_true(sample->latency >= takes[order[i] - 1] * MS);
        assert_true(end_of(sample) >= last);
        last = end_of(sample);
        least = time_earlier(least, sample->latency);
        most = time_later(most, sample->latency);
    }
    assert_int_equal(setup.worker.account.total.latency.min, least);
    assert_int_equal(setup.worker.account.total.latency.max, most);
    assert_int_equal(setup.worker.account.total.last_end, last);
}

/* As in a run of several, of which the group's lock is a sign. */
static void
run_with_busy_time(void)
{
    setup_open(&setup);
    setup.job->group.busy_lock = os_lock_make();
    worker_run(&setup.worker);
    os_lock_free(setup.job->group.busy_lock);
    setup_close(&setup);
}

/* The time in which any that counts was under way, or the worker sent the next ones. */
TEST(the_group_has_the_busy_time)
{
    static const int takes[][4] = {{40, 10, 30, 20}, {20, 20, 20, 20}, {20, 40, 40, 20}};
    for (size_t k = 0; k < LENGTH(takes); k++) {
        begin_deep(4, 4);
        answers_take(takes[k], 4);
        run_with_busy_time();
        const struct worker_account *account = &setup.worker.account;
        int64_t whole = account->counted_until - account->counted_from;
        assert_int_equal(busy_time(&setup.job->group.busy), whole);
    }
}

/* Warm-up requests and pauses are no busy time. */
TEST(what_does_not_count_is_not_busy)
{
    begin_deep(4, 1);
    setup.options.interval = 10 * MS;
    setup.options.warmup = 2;
    fake_engine.answers[3].min_duration = 5 * MS;
    run_with_busy_time();
    assert_int_equal(busy_time(&setup.job->group.busy),
                     find_sample(3)->latency + find_sample(4)->latency);
}

TEST(warmup_goes_by_number_not_by_end)
{
    static const int takes[] = {40, 30, 20, 10};
    begin_deep(4, 4);
    setup.options.warmup = 2;
    answers_take(takes, 4);
    setup_run(&setup);
    for (uint64_t i = 1; i <= 4; i++)
        assert_int_equal(find_sample(i)->verdict, i <= 2 ? VERDICT_WARMUP : VERDICT_NONE);
    assert_int_equal(setup.worker.account.total.latency.count, 2);
    assert_int_equal(setup.worker.account.total.requests, 4);
}

/* All four are under way when the second fails. */
TEST(after_a_failure_all_are_waited_for_and_none_is_sent)
{
    static const int takes[] = {60, 20, 40, 80}, order[] = {2, 3, 1, 4};
    begin_deep(20, 4);
    answers_take(takes, 4);
    fake_engine.answers[2].error = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRRR");
    assert_order(order, 4);
    for (uint64_t i = 1; i <= 4; i++) {
        const struct sample *sample = find_sample(i);
        assert_true(sample->latency >= takes[i - 1] * MS);
        assert_int_equal(sample->offset, (int64_t)(i - 1) * SIZE);
        assert_int_equal(sample->error, i == 2 ? EIO : 0);
        assert_int_equal(sample->bytes, i == 2 ? 0 : SIZE);
    }
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_int_equal(setup.worker.account.first_failed.error, EIO);
    assert_int_equal(setup.worker.account.total.requests, 4);
    assert_int_equal(setup.worker.account.total.failed, 1);
    assert_int_equal(setup.worker.account.total.latency.count, 3);
    assert_int_equal(setup.worker.account.total.all_bytes, 3 * SIZE);
    assert_true(setup.worker.account.counted_until >= end_of(find_sample(4)));
    assert_true(atomic_load(&setup.job->group.is_stopped));
}

TEST(the_first_to_fail_is_kept)
{
    static const int takes[] = {40, 10, 20};
    begin_deep(3, 3);
    answers_take(takes, 3);
    fake_engine.answers[1].error = EIO;
    fake_engine.answers[3].error = ENOSPC;
    setup_run(&setup);
    assert_int_equal(setup.worker.account.first_failed.index, 3);
    assert_int_equal(setup.worker.account.first_failed.error, ENOSPC);
    assert_int_equal(setup.worker.account.total.failed, 2);
}

TEST(a_failure_can_be_ignored_in_a_full_queue)
{
    static const int takes[] = {30, 10, 20, 30};
    begin_deep(12, 4);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    answers_take(takes, 4);
    fake_engine.answers[2].error = EIO;
    setup_run(&setup);
    assert_int_equal(fake_engine.count, 12);
    assert_int_equal(setup.worker.account.total.failed, 1);
    assert_int_equal(setup.worker.account.total.latency.count, 11);
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_false(atomic_load(&setup.job->group.is_stopped));
}

TEST(all_that_was_under_way_fails_with_the_engine)
{
    static const int takes[] = {50, 10, 50}, order[] = {1, 2, 3};
    begin_deep(20, 3);
    answers_take(takes, 3);
    fake_engine.answers[2].error = ENODEV;
    fake_engine.answers[2].lost = true;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRR");
    assert_order(order, 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(setup.seen[i].error, ENODEV);
        assert_int_equal(setup.seen[i].bytes, 0);
        assert_true(setup.seen[i].latency >= 10 * MS);
    }
    assert_int_equal(setup.worker.account.first_failed.index, 1);
    assert_int_equal(setup.worker.account.total.failed, 3);
}

TEST(the_listener_ends_it_and_all_are_waited_for)
{
    static const int takes[] = {60, 20, 40}, order[] = {2, 3, 1};
    begin_deep(20, 3);
    setup.stop_after = 1;
    answers_take(takes, 3);
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRR");
    assert_order(order, 3);
    assert_int_equal(setup.worker.account.first_failed.index, 0);
    assert_int_equal(setup.worker.account.total.latency.count, 3);
}

TEST(the_others_go_on_while_one_hangs)
{
    static const int order[] = {2, 3, 4, 5, 6, 7, 8, 9, 10, 1};
    begin_deep(10, 3);
    fake_engine.answers[1].min_duration = 1500 * MS;
    setup_run(&setup);
    assert_order(order, 10);
    assert_true(setup.seen[9].latency >= 1500 * MS);
    assert_int_equal(setup.worker.account.total.latency.max, setup.seen[9].latency);
    for (int i = 0; i < 9; i++)
        assert_true(end_of(&setup.seen[i]) < end_of(&setup.seen[9]));
}

/* The second, due at 20 ms, ends after all others were due. */
TEST(a_stall_does_not_silence_the_grid)
{
    static const int order[] = {1, 3, 4, 5, 6, 7, 8, 2};
    begin_deep(8, 8);
    setup.options.interval = 20 * MS;
    fake_engine.answers[2].min_duration = 1500 * MS;
    setup_run(&setup);
    assert_order(order, 8);
    for (uint64_t i = 1; i <= 8; i++) {
        const struct sample *sample = find_sample(i);
        assert_true(sample->start >=
                    setup.worker.account.counted_from + 20 * MS * (int64_t)(i - 1));
        assert_true(sample->start < end_of(&setup.seen[7]));
    }
    /* Being late for a whole interval moves all that follow. */
    bool late = find_sample(8)->start >= setup.worker.account.counted_from + 160 * MS;
    assert_true(late || setup.worker.account.total.missed == 0);
}

/* The second ends at 450 ms, before which the worker is not back to send what was due at
 * 200, 300 and 400 ms: so the third may be the last of the run, or not. */
TEST(points_that_were_slept_through_are_missed)
{
    for (int count = 3; count <= 4; count++) {
        begin_deep(count, 8);
        setup.options.interval = 100 * MS;
        fake_engine.answers[2].min_duration = 350 * MS;
        fake_engine.answers[2].late = true;
        setup_run(&setup);
        int64_t end = end_of(find_sample(2));
        assert_true(find_sample(3)->start >= end);
        assert_true(find_sample(3)->missed >= 3);
        assert_true(count < 4 || find_sample(4)->start >= end + 100 * MS);
        assert_true(setup.worker.account.total.missed >= 3);
    }
}

/* Sent at 0 and 20 ms, so the points from 40 ms on are missed until the first ends. */
TEST(points_that_pass_while_all_slots_are_taken_are_missed)
{
    begin_deep(5, 2);
    setup.options.interval = 20 * MS;
    fake_engine.answers[1].min_duration = 1000 * MS;
    fake_engine.answers[2].min_duration = 1500 * MS;
    setup_run(&setup);
    const struct sample *first = find_sample(1);
    int64_t end = end_of(first),
            late = end - (setup.worker.account.counted_from + 40 * MS);
    assert_true(late >= 960 * MS);
    /* If the machine was late with the second, it is another grid. */
    if (find_sample(2)->missed == 0) {
        assert_int_equal(first->missed, (late - 1) / (20 * MS) + 1);
        assert_true(first->missed >= 48);
    }
    /* The grid is now that of the end of the first. */
    assert_true(find_sample(3)->start >= end);
    assert_true(find_sample(4)->start >= end + 20 * MS);
    assert_true(find_sample(5)->start >= end + 40 * MS);
    uint64_t sum = 0;
    for (int i = 0; i < setup.seen_count; i++)
        sum += setup.seen[i].missed;
    assert_int_equal(setup.worker.account.total.missed, sum);
}

/* On a late machine the second passes points by itself, before it is sent. */
TEST(nothing_is_missed_under_a_limit_or_after_the_last)
{
    for (int limited = 0; limited < 2; limited++) {
        begin_deep(limited ? 4 : 2, 2);
        if (limited) {
            setup.options.given[OPTION_RATE_LIMIT] = 1;
            setup.options.rate_limit = 50;
        } else {
            setup.options.interval = 20 * MS;
        }
        fake_engine.answers[1].min_duration = fake_engine.answers[2].min_duration =
            100 * MS;
        setup_run(&setup);
        const struct sample *second = find_sample(2);
        int64_t passed = limited ? 0 : second->start - setup.worker.account.counted_from;
        assert_int_equal(find_sample(1)->missed, 0);
        assert_in_range(second->missed, 0, passed < 40 * MS ? 0 : passed / (20 * MS));
        assert_int_equal(setup.worker.account.total.missed, second->missed);
    }
}

/* Six at a point, of which four fit at a time. */
TEST(a_burst_larger_than_the_depth_is_sent_as_slots_become_free)
{
    begin_deep(12, 4);
    setup.options.interval = 1000 * MS;
    setup.options.given[OPTION_BURST] = 1;
    setup.options.burst = 6;
    setup_run(&setup);
    assert_int_equal(fake_engine.most_under_way, 4);
    assert_int_equal(setup.seen_count, 12);
    for (int i = 0; i < 12; i++) {
        int64_t since = setup.seen[i].start - setup.worker.account.counted_from;
        assert_true(since >= (i < 6 ? 0 : 1000 * MS));
        assert_true(i >= 6 || since < 1000 * MS);
    }
    bool late = setup.seen[11].start - setup.worker.account.counted_from >= 2000 * MS;
    assert_true(late || setup.worker.account.total.missed == 0);
}

/* Times of the writes and of the flushes, by request. The flushes are sent in the order
 * in which the writes end: 2, 4, 3 and 1. */
TEST(each_write_is_flushed_in_its_own_slot)
{
    static const int takes[] = {80, 20, 60, 40}, order[] = {2, 4, 3, 1};
    static const int flush_takes[] = {40, 120, 100, 10};
    begin_deep(4, 4);
    setup.options.given[OPTION_WRITE] = 3;
    answers_take(takes, 4);
    for (int i = 0; i < 4; i++)
        fake_engine.flushes[i + 1].min_duration = flush_takes[order[i] - 1] * MS;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WWWWFFFF");
    for (int i = 0; i < 4; i++)
        assert_int_equal(fake_engine.calls[4 + i].request.slot,
                         fake_engine.calls[order[i] - 1].request.slot);
    int64_t longest = 0;
    for (uint64_t i = 1; i <= 4; i++) {
        const struct sample *sample = find_sample(i);
        assert_true(sample->sync >= flush_takes[i - 1] * MS);
        assert_true(sample->latency - sample->sync >= takes[i - 1] * MS);
        assert_int_equal(sample->bytes, SIZE);
        if (sample->sync > longest)
            longest = sample->sync;
    }
    assert_int_equal(fake_engine.most_under_way, 4);
    assert_int_equal(setup.worker.account.total.sync.moments.count, 4);
    assert_int_equal(setup.worker.account.total.sync.moments.max, longest);
}

TEST(a_failed_flush_fails_its_own_write)
{
    static const int takes[] = {80, 20, 60, 40};
    begin_deep(20, 4);
    setup.options.given[OPTION_WRITE] = 3;
    answers_take(takes, 4);
    fake_engine.flushes[1].min_duration = 1500 * MS; /* of request 2 */
    fake_engine.flushes[2].error = EIO;              /* of request 4 */
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WWWWFFFF");
    assert_int_equal(setup.seen_count, 4);
    assert_int_equal(setup.worker.account.first_failed.index, 4);
    assert_int_equal(setup.worker.account.total.failed, 1);
    assert_int_equal(setup.worker.account.total.latency.count, 3);
    assert_int_equal(setup.seen[3].index, 2);
    assert_true(setup.seen[3].sync >= 1500 * MS);
    assert_int_equal(find_sample(4)->bytes, 0);
}

/* At 0, 200 and 400 ms, or fewer if the machine is that late; that of 600 ms would be at
 * the end. */
TEST(the_time_ends_it_and_all_are_waited_for)
{
    begin_deep(0, 4);
    setup.options.interval = 200 * MS;
    setup.options.work_time = 600 * MS;
    fake_engine.answers[2].min_duration = 700 * MS;
    setup_run(&setup);
    assert_in_range(fake_engine.count, 2, 3);
    assert_true(fake_engine.count == 3 || setup.worker.account.total.missed > 0);
    assert_int_equal(setup.worker.account.total.latency.count, fake_engine.count);
    assert_true(find_sample(2)->latency >= 700 * MS);
    assert_true(setup.worker.account.counted_until >=
                setup.worker.account.counted_from + 900 * MS);
}

TEST(a_tiny_time_ends_it_after_what_is_sent_together)
{
    begin_deep(0, 4);
    setup.options.work_time = 1;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRR");
    assert_int_equal(setup.worker.account.total.requests, 3);
}

/* All complete before the next are sent, so that the queue is never full. */
TEST(the_time_ends_it_though_the_queue_is_never_full)
{
    begin_deep(0, 8);
    fake_engine.patient = false;
    setup.options.work_time = 5 * MS;
    setup.options.given[OPTION_QUIET] = 1;
    setup_open(&setup);
    setup.worker.reports_requests = false;
    worker_run(&setup.worker);
    setup_close(&setup);
    assert_in_range(fake_engine.most_under_way, 1, 3);
    assert_true(setup.worker.account.counted_until >=
                setup.worker.account.counted_from + 5 * MS);
}
