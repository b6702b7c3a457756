#include "setup.h"

static void
stops_after_the_count(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 7);
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRRRRRR");
    assert_int_equal(setup.seen_count, 7);
    assert_int_equal(setup.worker.total.requests, 7);
    assert_int_equal(setup.worker.total.all_bytes, 7 * SIZE);
    assert_int_equal(setup.worker.failed.index, 0);
}

static void
samples_tell_what_the_engine_was_asked(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 4);
    setup.options.given[OPTION_READ_WRITE] = 1;
    setup.options.given[OPTION_LINEAR] = 1;
    setup.options.given[OPTION_SIZE] = 1;
    setup.options.work_offset = 512;
    setup.target.flush = false;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WRWR");
    int64_t end = setup.worker.began;
    for (int i = 0; i < 4; i++) {
        const struct engine_request *request = &fake_engine.calls[i].request;
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
    assert_true(setup.worker.ended >= end);
}

static void
the_latency_covers_the_request(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 2);
    fake_engine.answers[2].takes = 5 * MS;
    setup_run(&setup);
    assert_true(setup.seen[1].latency >= 5 * MS);
    assert_true(setup.worker.total.latency.max == setup.seen[1].latency);
}

static void
the_engine_gets_descriptor_flags_and_aligned_memory(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 1);
    setup.target.fd = 77;
    setup.target.alignment = 65536;
    setup.target.rw_flags = OS_RW_HIPRI | OS_RW_NOWAIT;
    setup_run(&setup);
    assert_int_equal(fake_engine.config.fd, 77);
    assert_int_equal(fake_engine.config.rw_flags, OS_RW_HIPRI | OS_RW_NOWAIT);
    assert_int_equal((uintptr_t)fake_engine.calls[0].request.buffer % 65536, 0);
    assert_int_equal(fake_engine.opened, 1);
    assert_int_equal(fake_engine.closed, 1);
}

static void
an_engine_that_cannot_open_is_an_error(void **state)
{
    (void)state;
    struct setup setup;
    struct error error = {0};
    setup_begin(&setup, 1);
    fake_engine.broken = true;
    plan_make(&setup.options, 1, &setup.plan);
    int status =
        worker_open(&setup.worker, &setup.plan, &setup.target, &engine_fake, &error);
    assert_int_equal(status, -1);
    assert_string_equal(error.why, "broken");
    assert_int_equal(fake_engine.closed, 0);
}

static void
warmup_stays_out_of_the_statistics(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 5);
    setup.options.warmup = 2;
    setup_run(&setup);
    assert_int_equal(setup.seen[0].verdict, VERDICT_WARMUP);
    assert_int_equal(setup.seen[1].verdict, VERDICT_WARMUP);
    assert_int_equal(setup.seen[2].verdict, VERDICT_NONE);
    assert_int_equal(setup.worker.total.latency.count, 3);
    assert_int_equal(setup.worker.total.requests, 5);
}

/* Seven that take next to nothing, then one that takes much longer. */
static void
a_slow_request_is_called_so(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 8);
    setup.options.warmup = 1;
    for (int i = 2; i <= 7; i++)
        fake_engine.answers[i].takes = MS;
    fake_engine.answers[8].takes = 200 * MS;
    setup_run(&setup);
    assert_int_equal(setup.seen[7].verdict, VERDICT_SLOW);
}

static void
the_listener_can_end_the_run(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 10);
    setup.stop_after = 3;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRR");
    assert_int_equal(setup.worker.total.requests, 3);
    assert_int_equal(setup.worker.failed.index, 0);
}

static void
nobody_needs_to_listen(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 4);
    setup_open(&setup);
    setup.worker.listener.sample = NULL;
    worker_run(&setup.worker);
    worker_close(&setup.worker);
    assert_int_equal(setup.worker.total.requests, 4);
    assert_int_equal(setup.seen_count, 0);
}

static void
a_tiny_work_time_ends_it_after_the_first_request(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 0);
    setup.options.work_time = 1;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "R");
}

/* Nor is there any sleep until the point that will not be served. */
static void
a_request_due_at_the_end_is_not_sent(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 0);
    setup.options.interval = 3600000 * MS;
    setup.options.work_time = 3600000 * MS;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "R");
    assert_true(setup.worker.ended < setup.worker.began + 3600000 * MS);
}

static void
requests_wait_for_their_point(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 4);
    setup.options.interval = 20 * MS;
    setup_run(&setup);
    for (int i = 0; i < 4; i++)
        assert_true(setup.seen[i].start >= setup.worker.began + 20 * MS * i);
}

static uint64_t
hash_of(const struct fake_call *call)
{
    return call->first * 31 + call->last;
}

static void
no_two_writes_store_the_same_data(void **state)
{
    (void)state;
    struct setup setup;
    setup_begin(&setup, 10);
    setup.options.given[OPTION_WRITE] = 3;
    setup.target.flush = false;
    setup_run(&setup);
    for (int i = 0; i < 10; i++)
        for (int k = 0; k < i; k++)
            assert_true(fake_engine.calls[i].first != fake_engine.calls[k].first);
}

static void
the_same_seed_writes_the_same_data(void **state)
{
    (void)state;
    struct setup setup;
    uint64_t data[3][2];
    static const int64_t seeds[] = {5, 5, 6};
    for (int i = 0; i < 3; i++) {
        setup_begin(&setup, 2);
        setup.options.entropy = seeds[i];
        setup.options.given[OPTION_WRITE] = 3;
        setup.target.flush = false;
        setup_run(&setup);
        data[i][0] = hash_of(&fake_engine.calls[0]);
        data[i][1] = hash_of(&fake_engine.calls[1]);
    }
    assert_memory_equal(data[0], data[1], sizeof(data[0]));
    assert_memory_not_equal(data[0], data[2], sizeof(data[0]));
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_after_the_count),
        cmocka_unit_test(samples_tell_what_the_engine_was_asked),
        cmocka_unit_test(the_latency_covers_the_request),
        cmocka_unit_test(the_engine_gets_descriptor_flags_and_aligned_memory),
        cmocka_unit_test(an_engine_that_cannot_open_is_an_error),
        cmocka_unit_test(warmup_stays_out_of_the_statistics),
        cmocka_unit_test(a_slow_request_is_called_so),
        cmocka_unit_test(the_listener_can_end_the_run),
        cmocka_unit_test(nobody_needs_to_listen),
        cmocka_unit_test(a_tiny_work_time_ends_it_after_the_first_request),
        cmocka_unit_test(a_request_due_at_the_end_is_not_sent),
        cmocka_unit_test(requests_wait_for_their_point),
        cmocka_unit_test(no_two_writes_store_the_same_data),
        cmocka_unit_test(the_same_seed_writes_the_same_data),
    };
    return cmocka_run_group_tests_name("worker", tests, NULL, NULL);
}
