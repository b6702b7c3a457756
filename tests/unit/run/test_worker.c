/* The loop of one worker on the fake engine, with one request at a time. */
#include "setup.h"

TEST(stops_after_the_count)
{
    setup_begin(&setup, 7);
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRRRRRR");
    assert_int_equal(setup.seen_count, 7);
    assert_int_equal(setup.worker.account.total.requests, 7);
    assert_int_equal(setup.worker.account.total.all_bytes, 7 * SIZE);
    assert_int_equal(setup.worker.account.first_failed.index, 0);
}

TEST(samples_tell_what_the_engine_was_asked)
{
    setup_begin(&setup, 4);
    setup.options.given[OPTION_READ_WRITE] = 1;
    setup.options.given[OPTION_LINEAR] = 1;
    setup.options.given[OPTION_SIZE] = 1;
    setup.options.work_offset = 512;
    setup.target.flushes_writes = false;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WRWR");
    int64_t end = setup.worker.account.counted_from;
    for (int i = 0; i < 4; i++) {
        const struct io_request *request = &fake_engine.calls[i].request;
        const struct sample *sample = &setup.seen[i];
        assert_int_equal(sample->index, i + 1);
        assert_int_equal(sample->operation, i % 2 ? OPERATION_READ : OPERATION_WRITE);
        assert_int_equal(sample->offset, 512 + i * SIZE);
        assert_int_equal(request->offset, 512 + i * SIZE);
        assert_int_equal(sample->size, SIZE);
        assert_int_equal(request->size, SIZE);
        assert_int_equal(sample->bytes, SIZE);
        assert_true(sample->start >= end);
        end = sample->start + sample->latency;
    }
    assert_true(setup.worker.account.counted_until >= end);
}

TEST(the_latency_covers_the_request)
{
    setup_begin(&setup, 2);
    fake_engine.answers[2].min_duration = 5 * MS;
    setup_run(&setup);
    assert_true(setup.seen[1].latency >= 5 * MS);
    assert_true(setup.worker.account.total.latency.max == setup.seen[1].latency);
}

TEST(the_engine_gets_descriptor_flags_and_aligned_memory)
{
    setup_begin(&setup, 1);
    setup.target.fd = 77;
    setup.target.alignment = 65536;
    setup.target.rw_flags = OS_RW_HIPRI | OS_RW_NOWAIT;
    setup_run(&setup);
    assert_int_equal(fake_engine.config.fd, 77);
    assert_int_equal(fake_engine.config.rw_flags, OS_RW_HIPRI | OS_RW_NOWAIT);
    assert_int_equal((uintptr_t)fake_engine.config.memory % 65536, 0);
    assert_int_equal(fake_engine.config.size, 65536);
    assert_int_equal(fake_engine.begun, 1);
    assert_int_equal(fake_engine.ended, 1);
    assert_int_equal(fake_engine.opened, 1);
    assert_int_equal(fake_engine.closed, 1);
}

TEST(an_engine_that_cannot_open_is_an_error)
{
    struct error error = {0};
    setup_begin(&setup, 1);
    fake_engine.broken = true;
    setup_job(&setup);
    int status = worker_open(&setup.worker, setup.job, &engine_fake, 0, &error);
    assert_int_equal(status, -1);
    assert_broken(&error);
    assert_int_equal(fake_engine.closed, 0);
}

TEST(warmup_stays_out_of_the_statistics)
{
    setup_begin(&setup, 5);
    setup.options.warmup = 2;
    setup_run(&setup);
    assert_int_equal(setup.seen[0].verdict, VERDICT_WARMUP);
    assert_int_equal(setup.seen[1].verdict, VERDICT_WARMUP);
    assert_int_equal(setup.seen[2].verdict, VERDICT_NONE);
    assert_int_equal(setup.worker.account.total.latency.count, 3);
    assert_int_equal(setup.worker.account.total.requests, 5);
}

/* Seven that take next to nothing, unless the machine is late, then one that takes much
 * longer. */
TEST(a_slow_request_is_called_so)
{
    setup_begin(&setup, 8);
    setup.options.warmup = 1;
    for (int i = 2; i <= 7; i++)
        fake_engine.answers[i].min_duration = MS;
    fake_engine.answers[8].min_duration = 200 * MS;
    setup_run(&setup);
    int64_t sum = 0, last = setup.seen[7].latency;
    for (int i = 1; i <= 6; i++)
        sum += setup.seen[i].latency;
    bool late = last <= 2 * ((sum + last) / 6);
    assert_true(late || setup.seen[7].verdict == VERDICT_SLOW);
}

TEST(the_listener_can_end_the_run)
{
    setup_begin(&setup, 10);
    setup.stop_after = 3;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRR");
    assert_int_equal(setup.worker.account.total.requests, 3);
    assert_int_equal(setup.worker.account.first_failed.index, 0);
}

TEST(nobody_needs_to_listen)
{
    setup_begin(&setup, 4);
    setup_open(&setup);
    setup.worker.reports_requests = false;
    worker_run(&setup.worker);
    setup_close(&setup);
    assert_int_equal(setup.worker.account.total.requests, 4);
    assert_int_equal(setup.seen_count, 0);
}

TEST(a_tiny_work_time_ends_it_after_the_first_request)
{
    setup_begin(&setup, 0);
    setup.options.work_time = 1;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "R");
}

/* The worker does not sleep until a point that it will not serve. */
TEST(a_request_due_at_the_end_is_not_sent)
{
    setup_begin(&setup, 0);
    setup.options.interval = 3600000 * MS;
    setup.options.work_time = 3600000 * MS;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "R");
    assert_true(setup.worker.account.counted_until <
                setup.worker.account.counted_from + 3600000 * MS);
}

TEST(requests_wait_for_their_point)
{
    setup_begin(&setup, 4);
    setup.options.interval = 20 * MS;
    setup_run(&setup);
    for (int i = 0; i < 4; i++)
        assert_true(setup.seen[i].start >=
                    setup.worker.account.counted_from + 20 * MS * i);
}

static uint64_t
hash_of(const struct fake_call *call)
{
    return call->first * 31 + call->last;
}

TEST(no_two_writes_store_the_same_data)
{
    setup_begin(&setup, 10);
    setup.options.given[OPTION_WRITE] = 3;
    setup.target.flushes_writes = false;
    setup_run(&setup);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < i; k++)
            assert_true(fake_engine.calls[i].first != fake_engine.calls[k].first);
}

TEST(the_same_seed_writes_the_same_data)
{
    uint64_t data[3][2];
    static const int64_t seeds[] = {5, 5, 6};
    for (int i = 0; i < 3; i++) {
        setup_begin(&setup, 2);
        setup.options.entropy = seeds[i];
        setup.options.given[OPTION_WRITE] = 3;
        setup.target.flushes_writes = false;
        setup_run(&setup);
        data[i][0] = hash_of(&fake_engine.calls[0]);
        data[i][1] = hash_of(&fake_engine.calls[1]);
    }
    assert_memory_equal(data[0], data[1], sizeof(data[0]));
    assert_memory_not_equal(data[0], data[2], sizeof(data[0]));
}

/* The second write takes longer than its flush, the third the other way round. */
TEST(the_flush_is_a_part_of_the_latency)
{
    setup_begin(&setup, 3);
    setup.options.given[OPTION_WRITE] = 3;
    fake_engine.answers[2].min_duration = 50 * MS;
    fake_engine.flushes[3].min_duration = 50 * MS;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFWFWF");
    const struct sample *slow_write = &setup.seen[1], *slow_flush = &setup.seen[2];
    assert_true(setup.seen[0].sync > 0);
    assert_true(slow_write->sync > 0);
    assert_true(slow_write->latency - slow_write->sync >= 50 * MS);
    assert_true(slow_flush->sync >= 50 * MS);
    assert_true(slow_flush->latency > slow_flush->sync);
    assert_int_equal(setup.worker.account.total.sync.moments.count, 3);
    assert_int_equal(setup.worker.account.total.sync.histogram.count, 3);
    assert_int_equal(setup.worker.account.total.sync.moments.max,
                     slow_flush->sync > slow_write->sync ? slow_flush->sync
                                                         : slow_write->sync);
}

/* Reads beside them, writes that are not flushed, and those that moved too little. */
TEST(only_flushed_writes_have_a_part_of_their_own)
{
    setup_begin(&setup, 4);
    setup.options.given[OPTION_READ_WRITE] = 3;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFRWFR");
    assert_true(setup.seen[0].sync > 0 && setup.seen[2].sync > 0);
    assert_int_equal(setup.seen[1].sync, 0);
    assert_int_equal(setup.seen[3].sync, 0);
    assert_int_equal(setup.worker.account.total.sync.moments.count, 2);
    setup_begin(&setup, 2);
    setup.options.given[OPTION_WRITE] = 3;
    setup.target.flushes_writes = false;
    setup_run(&setup);
    assert_int_equal(setup.seen[0].sync, 0);
    assert_int_equal(setup.worker.account.total.sync.moments.count, 0);
    setup_begin(&setup, 2);
    setup.options.given[OPTION_WRITE] = 3;
    fake_engine.answers[1].missing = 1;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "W");
    assert_int_equal(setup.seen[0].sync, 0);
}

TEST(the_last_request_is_remembered_by_its_end)
{
    setup_begin(&setup, 3);
    fake_engine.answers[3].min_duration = 5 * MS;
    setup_run(&setup);
    assert_true(setup.worker.account.total.last_end ==
                setup.seen[2].start + setup.seen[2].latency);
    assert_true(setup.worker.account.total.last_end <=
                setup.worker.account.counted_until);
}

/* Every 20 ms, one of 110 ms: waits of 90, 70, 50, 30 and 10 ms at least. */
TEST(waits_are_recorded_only_when_asked_for)
{
    for (int corrected = 0; corrected < 2; corrected++) {
        setup_begin(&setup, 3);
        setup.options.interval = 20 * MS;
        setup.options.given[OPTION_CORRECTED] = (uint16_t)corrected;
        fake_engine.answers[2].min_duration = 110 * MS;
        setup_run(&setup);
        assert_int_equal(setup.worker.account.total.latencies.count, 3);
        if (corrected)
            assert_in_range(setup.worker.account.total.corrected.count, 8, 1000);
        else
            assert_int_equal(setup.worker.account.total.corrected.count, 0);
    }
}

/* A first request that outlasts its interval, on a late machine, has waits of its own. */
TEST(nothing_waits_after_the_last_request_or_the_end)
{
    setup_begin(&setup, 2);
    setup.options.interval = 250 * MS;
    setup.options.given[OPTION_CORRECTED] = 1;
    fake_engine.answers[2].min_duration = 600 * MS;
    setup_run(&setup);
    int64_t waits = (setup.seen[0].latency - 1) / (250 * MS);
    assert_int_equal(setup.worker.account.total.corrected.count, 2 + waits);
    setup_begin(&setup, 0);
    setup.options.interval = 50 * MS;
    setup.options.work_time = 20 * MS;
    setup.options.given[OPTION_CORRECTED] = 1;
    fake_engine.answers[1].min_duration = 220 * MS;
    setup_run(&setup);
    assert_int_equal(setup.worker.account.total.corrected.count, 1);
}
