/* Queues of both Linux engines, whose behaviour is the same. */
#include "queue.h"

#include "base/time.h"
#include "os/thread.h"

#include <linux/io_uring.h>
#include <sched.h>

/* As Linux 5.6: plain rings, and waits that know no limit of time. */
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

/* Counts the reads that were not whole. */
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

/* The read takes so long that other threads want the processor meanwhile. The kernel's
 * own work for this thread, such as the end of an earlier ring, may cut one short. */
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

/* So often the kernel's own work for a thread may end its wait early. */
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
    assert_int_equal(reap(queue.done, 1), 0); /* long ago */
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
    int got = reap(queue.done, 1); /* takes completions, even past its time */
    assert_true(got == 1 || (got == 0 && reap_some(queue.done) == 1));
    stop();
}

/* The results of a thread that waits: of the wait, and of the completion after it. */
struct wait {
    int64_t until;
    bool sent; /* before the wait */
    int begun, first, second;
    bool gone;
    atomic_bool poked, over;
};

static void *
wait_slow(void *argument)
{
    struct wait *wait = argument;
    wait->begun = begin();
    send_slow(queue.engine);
    if (wait->sent)
        reap(queue.done, 1);
    int early = 0;
    do
        wait->first = reap(queue.done, wait->until);
    while (wait->first == 0 && !atomic_load(&wait->poked) && early++ < EARLY);
    atomic_store(&wait->over, true);
    wait->gone = let_go();
    wait->second = reap_some(queue.done);
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
        struct wait wait = {.until = untils[i / 2], .sent = i % 2};
        open_only(engine,
                  (struct io_config){.fd = make_echo(), .depth = 1, .size = BLOCK});
        assert_int_equal(os_thread_start(&thread, wait_slow, &wait), 0);
        os_sleep_until(os_clock_now() + 20 * MS);
        bool early = atomic_load(&wait.over);
        atomic_store(&wait.poked, true);
        while (!atomic_load(&wait.over)) {
            os_thread_wake(&thread);
            os_sleep_until(os_clock_now() + MS);
        }
        os_thread_join(&thread);
        assert_int_equal(wait.begun, 0);
        assert_false(early);
        assert_int_equal(wait.first, 0);
        assert_true(wait.gone);
        assert_int_equal(wait.second, 1);
        assert_done(0, 0, 4);
        stop();
    }
}

/* The first waits for what the second writes. */
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

/* The last ones write what the others wait for. */
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

struct storm {
    int begun, wrong;
    atomic_bool over;
};

/* With its own table of files, as a copy. */
static void *
begin_and_keep_busy(void *argument)
{
    struct storm *storm = argument;
    storm->begun = unshare(CLONE_FILES) < 0 ? -1 : begin();
    storm->wrong = keep_busy(20000);
    atomic_store(&storm->over, true);
    return NULL;
}

TEST_EACH(signals_lose_no_completion_of_another_thread, all)
{
    struct os_thread thread;
    struct storm storm = {0};
    os_signals_install();
    open_only(engine, (struct io_config){.fd = make_file(), .depth = 16, .size = BLOCK});
    assert_int_equal(os_thread_start(&thread, begin_and_keep_busy, &storm), 0);
    while (!atomic_load(&storm.over)) {
        os_thread_wake(&thread);
        os_sleep_until(os_clock_now() + MS / 20);
    }
    os_thread_join(&thread);
    assert_int_equal(storm.begun, 0);
    assert_int_equal(storm.wrong, 0);
    stop();
}

/* A read of a page that is not in the page cache would have to wait. */
TEST_EACH(nowait_is_an_error_of_its_request, both)
{
    char byte;
    int fd = make_file();
    assert_int_equal(os_file_flush(fd), 0);
    os_file_random(fd, 0, 0);
    os_file_drop(fd, 0, BLOCK);
    os_file_drop(fd, 64 * BLOCK, BLOCK);
    /* This read may start to fill the cache. */
    if (os_file_read(fd, &byte, 1, 64 * BLOCK, OS_RW_NOWAIT) >= 0 || errno != EAGAIN)
        skip_because("needs a build folder on a disk whose cache can be dropped");
    open_only(engine, (struct io_config){
                          .fd = fd, .rw_flags = OS_RW_NOWAIT, .depth = 2, .size = BLOCK});
    assert_int_equal(begin(), 0);
    for (int tries = 0; tries < 5; tries++) { /* a fast disk may be in time */
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

/* Which another process would see: here the end of a pipe. */
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
    assert_int_equal(os_file_polls(ends[0]), -1);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(os_file_polls(-1), -1);
}

TEST(loop_devices_are_not_polled)
{
    need_loops();
    need_built_in(RING); /* nothing else is polled */
    struct result result =
        command_status(0, "truncate -s 1M loop.img && attach -f --show loop.img");
    result.out[strcspn(result.out, "\n")] = '\0';
    int fd = open(result.out, O_RDONLY);
    int polls = os_file_polls(fd);
    close(fd);
    command_free(&result);
    assert_int_equal(polls, 0);
}
