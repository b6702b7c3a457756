/* Queues of both Linux engines, whose behaviour is the same. */
#include "queue.h"

#include "base/time.h"
#include "os/thread.h"

#include <linux/io_uring.h>
#include <sched.h>

/* A hook that behaves as Linux 5.6: it knows no setup flags, and its waits cannot have a
 * limit. */
static bool
be_old(long number, long *argument, long *result)
{
    if (number != SYS_io_uring_setup)
        return false;
    struct io_uring_params *params = (struct io_uring_params *)argument[1];
    if (params->flags)
        return fail_with(EINVAL, result);
    *result = call(number, argument);
    params->features &= ~(1U << 8); /* IORING_FEAT_EXT_ARG */
    return true;
}

static const struct queue_row all[] = {
    {"by_aio", 'A'}, {"by_uring", 'U'}, {"by_an_old_uring", 'U', be_old}};

TEST_EACH(each_slot_reads_its_own_data, both)
{
    static const int depths[] = {1, 3, 32, 4096};
    for (size_t i = 0; i < LENGTH(depths); i++) {
        start(engine, make_file(), depths[i]);
        read_all_slots();
        memset(queue.config.memory, 'm', (size_t)depths[i] * BLOCK);
        read_all_slots();
        stop();
    }
}

TEST_EACH(writes_land_where_they_were_sent, both)
{
    start(engine, make_file(), 8);
    int fd = queue.config.fd;
    for (int slot = 0; slot < 8; slot++) {
        memset(buffer_of(slot), 'a' + slot, BLOCK);
        submit(slot, OPERATION_WRITE, 512, (int64_t)(7 - slot) * BLOCK);
    }
    reap_slots(8);
    for (int slot = 0; slot < 8; slot++) {
        char block[BLOCK], expected[BLOCK];
        assert_done(slot, 0, 512);
        fill(expected, (int64_t)(7 - slot) * BLOCK);
        memset(expected, 'a' + slot, 512);
        assert_int_equal(pread(fd, block, BLOCK, (off_t)(7 - slot) * BLOCK), BLOCK);
        assert_memory_equal(block, expected, BLOCK);
    }
    stop();
}

TEST_EACH(a_flush_moves_no_bytes, both)
{
    start(engine, make_file(), 2);
    submit(0, OPERATION_WRITE, BLOCK, 0);
    submit(1, OPERATION_FLUSH, BLOCK, BLOCK);
    reap_slots(2);
    assert_done(0, 0, BLOCK);
    assert_done(1, 0, 0);
    stop();
}

TEST_EACH(a_flush_of_what_has_none_is_an_error, both)
{
    start(engine, make_echo(), 1);
    submit(0, OPERATION_FLUSH, 0, 0);
    reap_slots(1);
    assert_done(0, EINVAL, 0);
    stop();
}

TEST_EACH(a_read_at_the_end_is_short, both)
{
    start(engine, make_file(), 2);
    submit(0, OPERATION_READ, BLOCK, BLOCKS * BLOCK - 512);
    submit(1, OPERATION_READ, BLOCK, BLOCKS * BLOCK);
    reap_slots(2);
    assert_done(0, 0, 512);
    assert_done(1, 0, 0);
    stop();
}

static void *
keep_a_processor_busy(void *argument)
{
    atomic_bool *over = argument;
    while (!atomic_load_explicit(over, memory_order_relaxed))
        ;
    return NULL;
}

/* Makes 2 * ROUNDS reads of SIZE bytes, and returns how many were short or failed. */
static int
read_large(int rounds, size_t size)
{
    int broken = 0;
    for (int i = 0; i < rounds; i++) {
        submit(0, OPERATION_READ, size, 0);
        submit(1, OPERATION_READ, size, (int64_t)size);
        reap_slots(2);
        for (int slot = 0; slot < 2; slot++)
            broken +=
                queue.done[slot].error != 0 || queue.done[slot].bytes != (int64_t)size;
    }
    return broken;
}

/* Each read takes so long that other threads want the processor meanwhile. The kernel's
 * own work for this thread, such as freeing an earlier ring, may also make a read short;
 * so the reads are tried several times. */
TEST_EACH(a_read_of_a_character_device_is_whole, both)
{
    enum { LARGE = 8 << 20, ROUNDS = 8, BUSY = 4 };
    struct os_thread threads[BUSY];
    atomic_bool over = false;
    open_only(engine, (struct io_config){.fd = open("/dev/zero", O_RDONLY),
                                         .kind = OS_CHARACTER,
                                         .depth = 2,
                                         .size = LARGE});
    assert_int_equal(begin(), 0);
    for (int i = 0; i < BUSY; i++)
        assert_int_equal(os_thread_start(&threads[i], keep_a_processor_busy, &over), 0);
    int broken = 1;
    for (int tries = 0; broken && tries < 4; tries++)
        broken = read_large(ROUNDS, LARGE);
    atomic_store(&over, true);
    for (int i = 0; i < BUSY; i++)
        os_thread_join(&threads[i]);
    assert_int_equal(broken, 0);
    assert_int_equal(*buffer_of(0), 0);
    assert_int_equal(buffer_of(1)[LARGE - 1], 0);
    stop();
}

TEST_EACH(an_error_is_of_its_request_alone, both)
{
    static const int wrong[] = {0, 3, 7};
    for (size_t i = 0; i < LENGTH(wrong); i++) {
        start(engine, make_file(), 8);
        for (int slot = 0; slot < 8; slot++)
            submit(slot, OPERATION_READ, BLOCK,
                   slot == wrong[i] ? -2 * BLOCK : offset_of(slot));
        reap_slots(8);
        for (int slot = 0; slot < 8; slot++) {
            if (slot == wrong[i]) {
                assert_done(slot, EINVAL, 0);
                continue;
            }
            assert_done(slot, 0, BLOCK);
            assert_data(buffer_of(slot), offset_of(slot));
        }
        stop();
    }
}

TEST_EACH(all_may_fail, both)
{
    close(make_file());
    char path[1100];
    snprintf(path, sizeof(path), "%s/data", scratch());
    start(engine, open(path, O_RDONLY), 4);
    for (int slot = 0; slot < 4; slot++)
        submit(slot, OPERATION_WRITE, BLOCK, 0);
    reap_slots(4);
    for (int slot = 0; slot < 4; slot++)
        assert_done(slot, EBADF, 0);
    stop();
}

/* The kernel's own work for a thread may end its wait early, at most this many times. */
#define EARLY 5

TEST_EACH(a_wait_ends_in_time, all)
{
    start(engine, make_echo(), 1);
    send_slow(engine);
    for (int i = 0, early = 0; i < 2; i++) {
        int64_t when = os_clock_now() + 20 * MS;
        do
            assert_int_equal(reap(queue.done, when), 0);
        while (os_clock_now() < when && early++ < EARLY);
        assert_true(os_clock_now() >= when);
    }
    assert_int_equal(reap(queue.done, 1), 0); /* until 1 ns after boot: no wait */
    assert_slow_completes();
    stop();
}

TEST_EACH(a_wait_ends_with_the_first, all)
{
    start(engine, make_file(), 1);
    int64_t when = os_clock_now() + 30000 * MS;
    submit(0, OPERATION_READ, BLOCK, 0);
    assert_int_equal(reap(queue.done, when), 1);
    assert_true(os_clock_now() < when);
    assert_int_equal(queue.done[0].bytes, BLOCK);
    submit(0, OPERATION_READ, BLOCK, 0);
    int got = reap(queue.done, 1); /* may take a completion, but does not wait for one */
    assert_true(got == 1 || (got == 0 && reap_some(queue.done) == 1));
    stop();
}

/* A wait for a slow request on a thread of its own, and its results. */
struct wait {
    int64_t until;
    bool is_sent_before; /* an earlier reap sends the request, not the wait itself */
    int begin_status;
    int first_reap; /* result of the wait that a signal ends */
    bool has_let_go;
    int second_reap; /* result of the reap after the request was let go */
    atomic_bool is_signalled, has_waited;
};

static void *
wait_slow(void *argument)
{
    struct wait *wait = argument;
    wait->begin_status = begin();
    send_slow(queue.engine);
    if (wait->is_sent_before)
        reap(queue.done, 1);
    int early = 0;
    do
        wait->first_reap = reap(queue.done, wait->until);
    while (wait->first_reap == 0 && !atomic_load(&wait->is_signalled) && early++ < EARLY);
    atomic_store(&wait->has_waited, true);
    wait->has_let_go = let_go();
    wait->second_reap = reap_some(queue.done);
    return NULL;
}

TEST_EACH(a_signal_ends_a_wait, all)
{
    const char *runner = getenv("IOPING_RUNNER");
    if (runner && runner[0] && engine == RING)
        skip_because("valgrind lets no other thread run while a ring is waited for");
    const int64_t untils[] = {FOREVER, os_clock_now() + 30000 * MS};
    os_signals_install();
    for (size_t i = 0; i < 2 * LENGTH(untils); i++) {
        struct os_thread thread;
        struct wait wait = {.until = untils[i / 2], .is_sent_before = i % 2};
        open_only(engine,
                  (struct io_config){.fd = make_echo(), .depth = 1, .size = BLOCK});
        assert_int_equal(os_thread_start(&thread, wait_slow, &wait), 0);
        os_sleep_until(os_clock_now() + 20 * MS);
        bool early = atomic_load(&wait.has_waited);
        atomic_store(&wait.is_signalled, true);
        while (!atomic_load(&wait.has_waited)) {
            os_thread_wake(&thread);
            os_sleep_until(os_clock_now() + MS);
        }
        os_thread_join(&thread);
        assert_int_equal(wait.begin_status, 0);
        assert_false(early);
        assert_int_equal(wait.first_reap, 0);
        assert_true(wait.has_let_go);
        assert_int_equal(wait.second_reap, 1);
        assert_done(0, 0, 4);
        stop();
    }
}

/* The first request is a read that waits for the write of the second request. */
TEST(completions_come_in_any_order)
{
    start(RING, make_echo(), 2);
    memcpy(buffer_of(1), "later", 5);
    submit(0, OPERATION_READ, BLOCK, 0);
    submit(1, OPERATION_WRITE, 5, 0);
    int got = reap_some(queue.done);
    while (got < 2)
        got += reap_some(queue.done + got);
    assert_int_equal(queue.done[0].slot, 1);
    assert_done(0, 0, 5);
    assert_int_equal(queue.done[1].slot, 0);
    assert_done(1, 0, 5);
    assert_memory_equal(buffer_of(0), "later", 5);
    stop();
}

/* The first twelve requests are reads that wait for the writes of the others. */
TEST(all_are_sent_before_any_is_waited_for)
{
    int64_t late = os_clock_now() + 10000 * MS;
    start(RING, make_echo(), 24);
    for (int slot = 0; slot < 24; slot++)
        submit(slot, slot < 12 ? OPERATION_READ : OPERATION_WRITE, 512, 0);
    for (int left = 24; left > 0;) {
        left -= reap(queue.done, late);
        assert_true(os_clock_now() < late);
    }
    stop();
}

TEST_EACH(each_of_many_completes_once, both)
{
    start(engine, make_file(), 64);
    assert_int_equal(keep_busy(100000), 0);
    stop();
}

/* The results of a thread that gets many signals. */
struct storm {
    int begin_status;
    int wrong_count; /* number of wrong completions */
    atomic_bool has_ended;
};

/* The thread has a copy of the table of descriptors, as the first worker has. */
static void *
begin_and_keep_busy(void *argument)
{
    struct storm *storm = argument;
    storm->begin_status = unshare(CLONE_FILES) < 0 ? -1 : begin();
    storm->wrong_count = keep_busy(20000);
    atomic_store(&storm->has_ended, true);
    return NULL;
}

TEST_EACH(signals_lose_no_completion_of_another_thread, all)
{
    struct os_thread thread;
    struct storm storm = {0};
    os_signals_install();
    open_only(engine, (struct io_config){.fd = make_file(), .depth = 16, .size = BLOCK});
    assert_int_equal(os_thread_start(&thread, begin_and_keep_busy, &storm), 0);
    while (!atomic_load(&storm.has_ended)) {
        os_thread_wake(&thread);
        os_sleep_until(os_clock_now() + MS / 20);
    }
    os_thread_join(&thread);
    assert_int_equal(storm.begin_status, 0);
    assert_int_equal(storm.wrong_count, 0);
    stop();
}

/* With RWF_NOWAIT, the read of a page that is not in the page cache fails with EAGAIN. */
TEST_EACH(nowait_is_an_error_of_its_request, both)
{
    char byte;
    int fd = make_file();
    assert_int_equal(os_file_flush(fd), 0);
    os_file_random(fd, 0, 0);
    os_file_drop(fd, 0, BLOCK);
    os_file_drop(fd, 64 * BLOCK, BLOCK);
    /* This read may start to read ahead into the cache. */
    if (os_file_read(fd, &byte, 1, 64 * BLOCK, OS_RW_NOWAIT) >= 0 || errno != EAGAIN)
        skip_because("needs a build folder on a disk whose cache can be dropped");
    open_only(engine, (struct io_config){
                          .fd = fd, .rw_flags = OS_RW_NOWAIT, .depth = 2, .size = BLOCK});
    assert_int_equal(begin(), 0);
    for (int tries = 0; tries < 5; tries++) { /* a fast disk may have the page in time */
        os_file_drop(fd, 0, BLOCK);
        submit(0, OPERATION_READ, BLOCK, 0);
        submit(1, OPERATION_READ, BLOCK, 128 * BLOCK);
        reap_slots(2);
        if (queue.done[0].error)
            break;
    }
    assert_done(0, EAGAIN, 0);
    assert_done(1, 0, BLOCK);
    assert_data(buffer_of(1), 128 * BLOCK);
    stop();
}

TEST_EACH(hipri_without_polling_reads_as_ever, both)
{
    open_only(engine,
              (struct io_config){
                  .fd = make_file(), .rw_flags = OS_RW_HIPRI, .depth = 2, .size = BLOCK});
    assert_int_equal(begin(), 0);
    read_all_slots();
    stop();
}

/* If the queue kept the file open, the reader of this pipe would not see its end. */
TEST_EACH(closing_lets_go_of_the_file, both)
{
    int ends[2];
    char byte = 'b';
    assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
    start(engine, ends[1], 1);
    submit(0, OPERATION_WRITE, 1, 0);
    assert_int_equal(reap_some(queue.done), 1);
    stop();
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_int_equal(byte, 'm');
    assert_int_equal(read(ends[0], &byte, 1), 0);
    close(ends[0]);
}

TEST_EACH(too_many_slots_are_refused, both)
{
    struct io_config config = {
        .fd = make_file(), .depth = 1 << 20, .memory = (char *)&queue, .size = 0};
    need_built_in(engine);
    if (engine == AIO && !is_linux_aio())
        skip_because("needs a queue that has a limit of its own");
    errno = 0;
    assert_null(try_open(engine, &config));
    assert_true(errno != 0);
    close(config.fd);
}

TEST(what_is_no_disk_is_not_polled)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(os_file_supports_polling(ends[0]), -1);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(os_file_supports_polling(-1), -1);
}

TEST(loop_devices_are_not_polled)
{
    need_loops();
    need_built_in(RING); /* the only engine that polls */
    struct result result =
        command_status(0, "truncate -s 1M loop.img && attach -f --show loop.img");
    result.out[strcspn(result.out, "\n")] = '\0';
    int fd = open(result.out, O_RDONLY);
    int polls = os_file_supports_polling(fd);
    close(fd);
    command_free(&result);
    assert_int_equal(polls, 0);
}
