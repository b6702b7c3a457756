/* The loop of a worker that writes a log: the test plays the file that it empties. */
#include "setup.h"

#define EMPTIED 8

/* The file, and what became of it. */
static struct {
    int errors[EMPTIED];  /* errno of the Nth time that it is emptied, from 0 */
    int64_t takes;        /* ns, the second time */
    int count;            /* how often it was */
    int calls[EMPTIED];   /* of the engine before that */
    int64_t began, ended; /* the second time, ns */
} file;

int
__wrap_target_empty(const struct target *target)
{
    (void)target;
    assert_in_range(file.count, 0, EMPTIED - 1);
    file.calls[file.count] = fake_engine.count;
    if (file.count == 1 && file.takes) {
        file.began = os_clock_now();
        os_sleep_until(file.began + file.takes);
        file.ended = os_clock_now();
    }
    return file.errors[file.count++];
}

/* COUNT requests, BLOCKS of which the file has room for, and a rest. */
static void
prepare(int count, int64_t blocks)
{
    memset(&file, 0, sizeof(file));
    setup_begin(&setup, count);
    setup.options.given[OPTION_WRITE] = 1;
    setup.options.given[OPTION_APPEND] = 1;
    setup.target.kind = OS_DIRECTORY;
    setup.target.work_size = blocks * SIZE + SIZE - 1;
}

TEST(the_file_is_emptied_before_the_first_append_and_when_it_is_full)
{
    prepare(7, 3);
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFWFWFWFWFWFWF");
    for (int i = 0; i < 7; i++) {
        assert_int_equal(fake_engine.queues[0].offsets[i], i % 3 * SIZE);
        assert_int_equal(setup.seen[i].error, 0);
    }
    assert_int_equal(file.count, 3);
    for (int i = 0; i < 3; i++)
        assert_int_equal(file.calls[i], i * 6);
}

TEST(a_file_of_one_block_is_emptied_each_time)
{
    prepare(4, 1);
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFWFWFWF");
    assert_int_equal(file.count, 4);
}

/* A flush goes in the place of the write, which is not to overwrite what is there. */
TEST(a_file_that_cannot_be_emptied_fails_the_request)
{
    prepare(6, 2);
    file.errors[1] = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFWFF");
    assert_int_equal(setup.seen_count, 3);
    assert_int_equal(setup.seen[2].error, EIO);
    assert_int_equal(setup.seen[2].bytes, 0);
    assert_int_equal(setup.worker.account.first_failed.index, 3);
}

TEST(the_next_request_tries_to_empty_it_again)
{
    prepare(6, 4);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    file.errors[0] = EIO;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "FWFWFWFWFWF");
    assert_int_equal(setup.seen[0].error, EIO);
    assert_int_equal(setup.worker.account.total.failed, 1);
    assert_int_equal(fake_engine.queues[0].offsets[0], SIZE);
    assert_int_equal(file.count, 3);
    assert_int_equal(file.calls[1], 1);
    assert_int_equal(file.calls[2], 7);
}

/* A failed append takes its block, so that those after it extend the file all the same.
 */
TEST(appends_go_on_behind_one_that_failed)
{
    prepare(3, 8);
    setup.options.given[OPTION_IGNORE_ERROR] = 1;
    fake_engine.answers[2].error = ENOSPC;
    setup_run(&setup);
    assert_string_equal(fake_engine_story(), "WFWWF");
    assert_int_equal(fake_engine.queues[0].offsets[2], 2 * SIZE);
    assert_int_equal(file.count, 1);
}

TEST(its_time_is_in_no_sample_and_its_grid_points_are_not_missed)
{
    prepare(3, 1);
    setup.options.interval = 2 * MS;
    file.takes = SECOND;
    setup_run(&setup);
    assert_int_equal(setup.seen_count, 3);
    assert_true(file.ended - file.began >= SECOND);
    assert_true(setup.seen[0].start + setup.seen[0].latency <= file.began);
    assert_true(setup.seen[1].start >= file.ended);
    /* Its 499 are not missed, but those that passed during requests and before them. */
    int64_t others = setup.worker.account.counted_until -
                     setup.worker.account.counted_from - (file.ended - file.began);
    assert_in_range(setup.worker.account.total.missed, 0, others / (2 * MS) + 3);
}
