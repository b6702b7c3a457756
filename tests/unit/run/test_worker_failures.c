/* The loop of a worker whose requests, flushes or engine fail. */
#include "setup.h"

TEST(the_first_failure_stops_the_run)
{
    setup_begin(&setup, 6);
    fake_engine.answers[3].error = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRR");
    assert_int_equal(setup.seen_count, 3);
    assert_int_equal(setup.seen[2].verdict, VERDICT_ERROR);
    assert_int_equal(setup.worker.account.first_failed.index, 3);
    assert_int_equal(setup.worker.account.first_failed.error, EIO);
    assert_int_equal(setup.worker.account.total.failed, 1);
    assert_int_equal(setup.worker.account.total.latency.count, 2);
}

TEST(a_failure_during_warmup_stops_it_too)
{
    setup_begin(&setup, 6);
    setup.options.warmup = 3;
    fake_engine.answers[1].error = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "R");
    assert_int_equal(setup.worker.account.first_failed.index, 1);
}

TEST(errors_can_be_ignored_and_the_first_is_kept)
{
    setup_begin(&setup, 6);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    fake_engine.answers[2].error = EIO;
    fake_engine.answers[4].error = ENOSPC;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRRRRR");
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_int_equal(setup.worker.account.first_failed.error, EIO);
    assert_int_equal(setup.worker.account.total.failed, 2);
    assert_int_equal(setup.worker.account.total.latency.count, 4);
    assert_int_equal(setup.seen[3].error, ENOSPC);
    assert_int_equal(setup.seen[4].error, 0);
}

TEST(a_request_that_cannot_be_reaped_failed)
{
    setup_begin(&setup, 3);
    fake_engine.answers[2] = (struct fake_answer){.error = ENOMEM, .lost = true};
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RR");
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_int_equal(setup.worker.account.first_failed.error, ENOMEM);
    assert_int_equal(setup.worker.account.first_failed.bytes, 0);
}

TEST(would_wait_is_no_failure_under_nowait)
{
    setup_begin(&setup, 5);
    setup.options.given[OPTION_NOWAIT] = 1;
    fake_engine.answers[2].error = EAGAIN;
    fake_engine.answers[4].error = EAGAIN;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RRRRR");
    assert_int_equal(setup.worker.account.first_failed.index, 0);
    assert_int_equal(setup.worker.account.total.failed, 2);
    assert_int_equal(setup.worker.account.total.latency.count, 3);
    assert_int_equal(setup.seen[1].verdict, VERDICT_ERROR);
}

TEST(would_wait_is_a_failure_otherwise)
{
    setup_begin(&setup, 5);
    fake_engine.answers[2].error = EAGAIN;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RR");
    assert_int_equal(setup.worker.account.first_failed.index, 2);
}

TEST(other_errors_stop_it_under_nowait)
{
    setup_begin(&setup, 5);
    setup.options.given[OPTION_NOWAIT] = 1;
    fake_engine.answers[2].error = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RR");
    assert_int_equal(setup.worker.account.first_failed.index, 2);
}

TEST(a_short_completion_is_a_failure)
{
    setup_begin(&setup, 5);
    fake_engine.answers[2].missing = 512;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "RR");
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_int_equal(setup.worker.account.first_failed.verdict, VERDICT_SHORT);
    assert_int_equal(setup.worker.account.first_failed.bytes, SIZE - 512);
    assert_int_equal(setup.worker.account.first_failed.error, 0);
    assert_int_equal(setup.worker.account.total.failed, 1);
    assert_int_equal(setup.worker.account.total.all_bytes, 2 * SIZE - 512);
}

TEST(each_write_is_flushed_but_no_read)
{
    static const struct {
        enum option_id load;
        bool flush;
        const char *story;
    } cases[] = {
        {OPTION_WRITE, true, "WFWFWFWF"},
        {OPTION_READ_WRITE, true, "WFRWFR"},
        {OPTION_WRITE, false, "WWWW"},
        {OPTION_READ_WRITE, false, "WRWR"},
    };
    for (size_t i = 0; i < LENGTH(cases); i++) {
        setup_begin(&setup, 4);
        setup.options.given[cases[i].load] = 3;
        setup.target.flushes_writes = cases[i].flush;
        setup_run(&setup);
        assert_string_equal(fake_engine_story(), cases[i].story);
        assert_int_equal(setup.worker.account.total.requests, 4);
        assert_int_equal(setup.worker.account.total.bytes, 4 * SIZE);
    }
}

TEST(the_latency_of_a_write_covers_its_flush)
{
    setup_begin(&setup, 2);
    setup.options.given[OPTION_WRITE] = 3;
    fake_engine.answers[2].min_duration = 3 * MS;
    fake_engine.flushes[2].min_duration = 5 * MS;
    setup_run(&setup);
    assert_true(setup.seen[1].latency >= 8 * MS);
    assert_int_equal(setup.seen[1].bytes, SIZE);
}

TEST(a_failed_or_short_write_is_not_flushed)
{
    static const struct fake_answer answers[] = {{.error = ENOSPC}, {.missing = 1}};
    for (size_t i = 0; i < 2; i++) {
        setup_begin(&setup, 3);
        setup.options.given[OPTION_WRITE] = 3;
        setup.options.given[OPTION_IGNORE_ERROR] = 1;
        fake_engine.answers[2] = answers[i];
        setup_run(&setup);
        assert_string_equal(fake_engine_story(), "WFWWF");
        assert_int_equal(setup.worker.account.first_failed.index, 2);
        assert_int_equal(setup.worker.account.first_failed.error, answers[i].error);
    }
}

TEST(a_failed_flush_is_a_failed_write)
{
    setup_begin(&setup, 3);
    setup.options.given[OPTION_WRITE] = 3;
    fake_engine.flushes[2].error = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFWF");
    assert_int_equal(setup.worker.account.first_failed.index, 2);
    assert_int_equal(setup.worker.account.first_failed.error, EIO);
    assert_int_equal(setup.worker.account.first_failed.verdict, VERDICT_ERROR);
    assert_int_equal(setup.worker.account.total.all_bytes, SIZE);
}

void __real_os_memory_free(void *memory);
void __wrap_os_memory_free(void *memory);

static const void *awaited; /* the memory to be freed */
static int freed;           /* how often it was */

void
__wrap_os_memory_free(void *memory)
{
    freed += memory == awaited;
    __real_os_memory_free(memory);
}

/* The system may still write to the buffer of a request under way. */
TEST(buffers_are_freed_unless_something_is_under_way)
{
    static char *left; /* without it they would be lost */
    for (int busy = 0; busy < 2; busy++) {
        setup_begin(&setup, 3);
        setup_open(&setup);
        left = setup.worker.queue.memory;
        awaited = left;
        freed = 0;
        fake_engine.answers[2] = (struct fake_answer){.error = EBADF, .lost = true};
        fake_engine.busy = busy;
        worker_run(&setup.worker);
        assert_int_equal(freed, 0);
        setup_close(&setup);
        assert_int_equal(freed, !busy);
    }
}
