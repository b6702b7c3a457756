/* Queues of both Linux engines, on systems that lack a system call or refuse it. */
/* Marks: linux */
#include "base/time.h"
#include "queue.h"

#include <linux/io_uring.h>
#include <sys/resource.h>

/* A hook that sends each request by a call of its own, the last one first. */
static bool
send_backwards(long number, long *argument, long *result)
{
    if (number != SYS_io_submit)
        return false;
    for (long i = argument[1]; i > 0; i--) {
        const long one[6] = {argument[0], 1, argument[2] + (i - 1) * (long)sizeof(long)};
        assert_int_equal(call(number, one), 1);
    }
    *result = argument[1];
    return true;
}

TEST(completions_come_in_any_order)
{
    start(AIO, make_file(), 4);
    hook = send_backwards;
    for (int slot = 0; slot < 4; slot++)
        submit(slot, OPERATION_READ, BLOCK, offset_of(slot));
    assert_int_equal(reap_some(queue.done), 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(queue.done[i].slot, 3 - i);
        assert_data(buffer_of(3 - i), offset_of(3 - i));
    }
    stop();
}

/* A hook with which the system accepts one request per call. */
static bool
take_one(long number, long *argument, long *result)
{
    (void)result;
    if ((number == SYS_io_submit || number == SYS_io_uring_enter) && argument[1] > 1) {
        hooked++;
        argument[1] = 1;
    }
    return false;
}

TEST_EACH(what_is_taken_in_parts_is_sent_whole, both)
{
    start(engine, make_file(), 20);
    hook = take_one;
    read_all_slots();
    assert_true(hooked > 0);
    stop();
}

/* A hook that adds up in HOOKED how many requests the system accepted. */
static bool
count_sent(long number, long *argument, long *result)
{
    if (number != SYS_io_submit && number != SYS_io_uring_enter)
        return false;
    *result = call(number, argument);
    hooked += *result > 0 ? (int)*result : 0;
    return true;
}

TEST_EACH(one_reap_sends_all, both)
{
    start(engine, make_file(), 20);
    hook = count_sent;
    for (int slot = 0; slot < 20; slot++)
        submit(slot, OPERATION_READ, BLOCK, 0);
    int got = reap(queue.done, 1);
    assert_int_equal(hooked, 20);
    while (got < 20)
        got += reap_some(queue.done);
    stop();
}

static int refusal; /* errno of the hooks that refuse */

/* A hook that refuses the next HOOKED calls that send requests. */
static bool
refuse_some(long number, long *argument, long *result)
{
    if ((number != SYS_io_submit && number != SYS_io_uring_enter) || argument[1] == 0 ||
        hooked == 0)
        return false;
    hooked--;
    return fail_with(refusal, result);
}

TEST_EACH(no_room_with_nothing_under_way_is_an_error, both)
{
    start(engine, make_file(), 3);
    read_all_slots();
    memset(queue.config.memory, 'm', 3 * BLOCK);
    hook = refuse_some;
    refusal = EAGAIN;
    hooked = engine == AIO ? 3 : 1; /* number of calls that send 3 requests */
    for (int slot = 0; slot < 3; slot++)
        submit(slot, OPERATION_READ, BLOCK, 0);
    reap_slots(3);
    assert_int_equal(hooked, 0);
    for (int slot = 0; slot < 3; slot++)
        assert_done(slot, EAGAIN, 0);
    read_all_slots();
    stop();
}

TEST_EACH(no_room_waits_for_what_is_under_way, both)
{
    static const int refusals[] = {EAGAIN, EBUSY};
    for (size_t i = 0; i < LENGTH(refusals); i++) {
        if (engine == AIO && refusals[i] == EBUSY)
            continue; /* Linux AIO has no such error */
        start(engine, make_echo(), 2);
        send_slow(engine);
        assert_int_equal(reap(queue.done, 1), 0);
        assert_true(let_go());
        submit(1, OPERATION_WRITE, 3, 0);
        hook = refuse_some;
        refusal = refusals[i];
        hooked = 1;
        assert_int_equal(reap_some(queue.done), 1);
        assert_int_equal(queue.done[0].slot, 0);
        assert_done(0, 0, 4);
        assert_int_equal(reap_some(queue.done), 1);
        assert_int_equal(queue.done[0].slot, 1);
        assert_done(0, 0, 3);
        stop();
    }
}

/* A hook that accepts at most eight requests between two calls of io_getevents(2). */
static bool
have_little_room(long number, long *argument, long *result)
{
    static bool full;
    if (number == SYS_io_getevents)
        full = false;
    if (number != SYS_io_submit)
        return false;
    if (full)
        return fail_with(EAGAIN, result);
    full = true;
    argument[1] = argument[1] < 8 ? argument[1] : 8;
    hooked++;
    return false;
}

TEST(what_has_no_room_is_sent_later)
{
    start(AIO, make_file(), 32);
    hook = have_little_room;
    read_all_slots();
    assert_true(hooked > 1);
    assert_int_equal(keep_busy(2000), 0);
    stop();
}

/* A hook that refuses every wait. */
static bool
break_waits(long number, long *argument, long *result)
{
    bool waits =
        number == SYS_io_getevents || (number == SYS_io_uring_enter && argument[1] == 0);
    return waits && fail_with(EBADF, result);
}

TEST_EACH(a_wait_that_cannot_be_is_an_error, both)
{
    start(engine, make_echo(), 1);
    send_slow(engine);
    assert_int_equal(reap(queue.done, 1), 0);
    hook_function *before = hook;
    hook = break_waits;
    errno = 0;
    assert_int_equal(reap(queue.done, FOREVER), -1);
    assert_int_equal(errno, EBADF);
    hook = before;
    assert_slow_completes();
    stop();
}

/* A hook that refuses to destroy the queue of Linux AIO. */
static bool
refuse_to_destroy(long number, long *argument, long *result)
{
    (void)argument;
    return number == SYS_io_destroy && fail_with(EINVAL, result);
}

/* Buffers that stay, because the kernel may still write to them. They are volatile, so
 * that the compiler keeps these pointers, and a leak checker finds the buffers by them.
 */
static char *volatile kept_buffers[2];

TEST_EACH(what_a_failed_wait_leaves_under_way_keeps_its_buffers, both)
{
    start(engine, make_echo(), 2);
    send_slow(engine);
    assert_int_equal(reap(queue.done, 1), 0);
    hook = break_waits;
    assert_int_equal(reap(queue.done, FOREVER), -1);
    hook = refuse_to_destroy; /* because io_destroy(2) would wait for the request */
    end();
    assert_false(io_close(engine, queue.io_queue));
    kept_buffers[engine == AIO] = queue.config.memory;
    close(queue.config.fd);
}

TEST(aio_ends_what_a_failed_wait_leaves_under_way)
{
    start(AIO, make_echo(), 2);
    send_slow(AIO);
    assert_int_equal(reap(queue.done, 1), 0);
    hook = break_waits;
    assert_int_equal(reap(queue.done, FOREVER), -1);
    hook = NULL;
    stop();
}

TEST_EACH(what_was_not_sent_keeps_no_buffers, both)
{
    start(engine, make_file(), 2);
    read_all_slots();
    submit(0, OPERATION_READ, BLOCK, 0);
    stop();
}

/* A hook that refuses flushes, as a system that does not know IOCB_CMD_FDSYNC. */
static bool
refuse_flush(long number, long *argument, long *result)
{
    if (number != SYS_io_submit)
        return false;
    const struct iocb *first = ((struct iocb **)argument[2])[0];
    if (first->aio_lio_opcode != IOCB_CMD_FDSYNC)
        return take_one(number, argument, result);
    hooked++;
    return fail_with(EINVAL, result);
}

TEST(a_flush_that_aio_lacks_is_made)
{
    start(AIO, make_file(), 3);
    hook = refuse_flush;
    submit(0, OPERATION_READ, BLOCK, 0);
    submit(1, OPERATION_FLUSH, 0, 0);
    submit(2, OPERATION_READ, BLOCK, 0);
    reap_slots(3);
    assert_true(hooked > 0);
    assert_done(0, 0, BLOCK);
    assert_done(1, 0, 0);
    assert_done(2, 0, BLOCK);
    stop();
}

static unsigned unknown_setup;    /* IORING_SETUP_ flags that be_old refuses */
static unsigned missing_features; /* IORING_FEAT_ that be_old lacks */

/* A hook that behaves as an older kernel. */
static bool
be_old(long number, long *argument, long *result)
{
    struct io_uring_params *params;
    if (number != SYS_io_uring_setup)
        return false;
    hooked++;
    params = (struct io_uring_params *)argument[1];
    if (params->flags & unknown_setup)
        return fail_with(EINVAL, result);
    *result = call(number, argument);
    params->features &= ~missing_features;
    return true;
}

TEST(older_kernels_have_simpler_rings)
{
    static const struct {
        unsigned unknown;
        int calls;
    } cases[] = {{0, 1}, {1U << 13, 2}, {3U << 12, 3}, {~0U, 4}};
    start(RING, make_file(), 1); /* skips the test without io_uring */
    stop();
    for (size_t i = 0; i < LENGTH(cases); i++) {
        hook = be_old;
        unknown_setup = cases[i].unknown;
        hooked = 0;
        start(RING, make_file(), 8);
        if (cases[i].unknown == 0 && hooked > 1)
            skip_because("needs Linux 6.1 or newer");
        assert_int_equal(hooked, cases[i].calls);
        read_all_slots();
        stop();
    }
}

TEST(rings_without_plain_reads_are_not_enough)
{
    struct io_config config = {.fd = make_file(), .depth = 1, .size = BLOCK};
    hook = be_old;
    missing_features = IORING_FEAT_RW_CUR_POS;
    errno = 0;
    assert_null(try_open(RING, &config));
    missing_features = 0;
    if (errno == EPERM)
        skip_because("needs a container that allows io_uring");
    assert_int_equal(errno, ENOSYS);
    close(config.fd);
}

/* A hook that refuses all system calls. */
static bool
refuse_all(long number, long *argument, long *result)
{
    (void)argument;
    hooked += number == SYS_io_uring_setup || number == SYS_io_setup;
    return fail_with(refusal, result);
}

TEST_EACH(what_is_not_allowed_is_tried_once, both)
{
    static const int refusals[] = {ENOSYS, EPERM};
    struct io_config config = {.fd = make_file(), .depth = 1, .size = BLOCK};
    hook = refuse_all;
    for (size_t i = 0; i < LENGTH(refusals); i++) {
        hooked = 0;
        refusal = refusals[i];
        assert_null(try_open(engine, &config));
        assert_int_equal(errno, refusals[i]);
        assert_int_equal(hooked, 1);
    }
    close(config.fd);
}

static long refused_register; /* kind of registration to refuse; -1: both kinds */

/* A hook that refuses to register files or buffers. */
static bool
refuse_register(long number, long *argument, long *result)
{
    if (number != SYS_io_uring_register ||
        (argument[1] != IORING_REGISTER_FILES &&
         argument[1] != IORING_REGISTER_BUFFERS) ||
        (refused_register >= 0 && argument[1] != refused_register))
        return false;
    hooked++;
    return fail_with(refusal, result);
}

static void
assert_writes_land(void)
{
    char block[512], expected[512];
    memset(expected, 'w', 512);
    memcpy(buffer_of(5), expected, 512);
    submit(5, OPERATION_WRITE, 512, BLOCK);
    assert_int_equal(reap_some(queue.done), 1);
    assert_done(0, 0, 512);
    assert_int_equal(pread(queue.config.fd, block, 512, BLOCK), 512);
    assert_memory_equal(block, expected, 512);
}

TEST(nothing_need_be_registered)
{
    static const long refused[] = {IORING_REGISTER_FILES, IORING_REGISTER_BUFFERS, -1};
    static const int refusals[] = {ENOMEM, EINVAL, EOPNOTSUPP, EPERM};
    for (size_t i = 0; i < LENGTH(refused) * LENGTH(refusals); i++) {
        hook = refuse_register;
        refused_register = refused[i / LENGTH(refusals)];
        refusal = refusals[i % LENGTH(refusals)];
        hooked = 0;
        start(RING, make_file(), 8);
        assert_int_equal(hooked, refused_register < 0 ? 2 : 1);
        read_all_slots();
        assert_writes_land();
        stop();
    }
}

/* A hook that refuses io_uring_register(2) with any arguments, as a seccomp filter does.
 */
static bool
refuse_every_register(long number, long *argument, long *result)
{
    (void)argument;
    return number == SYS_io_uring_register && fail_with(refusal, result);
}

TEST(rings_are_enabled_from_the_start_where_they_cannot_be_later)
{
    static const int refusals[] = {EPERM, ENOSYS, EACCES};
    for (size_t i = 0; i < LENGTH(refusals); i++) {
        hook = refuse_every_register;
        refusal = refusals[i];
        start(RING, make_file(), 8);
        read_all_slots();
        assert_writes_land();
        assert_int_equal(keep_busy(100), 0);
        stop();
    }
}

/* A hook that refuses to enable a ring that was created disabled. */
static bool
refuse_to_enable(long number, long *argument, long *result)
{
    bool enables = number == SYS_io_uring_register &&
                   argument[1] == IORING_REGISTER_ENABLE_RINGS && argument[3] == 0;
    return enables && fail_with(ENOMEM, result);
}

TEST(what_could_not_begin_fails_as_a_whole)
{
    open_only(RING, (struct io_config){.fd = make_file(), .depth = 2, .size = BLOCK});
    hook = refuse_to_enable;
    if (begin() == 0)
        skip_because("needs Linux 6.0 or newer");
    assert_int_equal(errno, ENOMEM);
    submit(0, OPERATION_READ, BLOCK, 0);
    submit(1, OPERATION_READ, BLOCK, 0);
    errno = 0;
    assert_int_equal(reap(queue.done, FOREVER), -1);
    assert_int_equal(errno, EBADFD);
    stop();
}

/* A hook that counts in HOOKED how often the system itself refuses to register buffers.
 */
static bool
watch_register(long number, long *argument, long *result)
{
    if (number != SYS_io_uring_register || argument[1] != IORING_REGISTER_BUFFERS)
        return false;
    *result = call(number, argument);
    hooked += *result < 0 && errno == ENOMEM;
    return true;
}

/* Reads while the limit of locked memory is too small for the buffers. The limit is above
 * 0, because some systems count the rings as locked memory, too, even rings of the same
 * user that were closed a moment ago. Returns 0, or the exit status of the child. */
static int
read_with_little_locked(int fd)
{
    struct rlimit little = {1 << 20, 1 << 20};
    if (setrlimit(RLIMIT_MEMLOCK, &little) < 0)
        return 2;
    (void)!setresuid(65534, 65534, 65534); /* the limit does not hold for root */
    hook = watch_register;
    struct io_config config = {.fd = fd, .depth = 8, .size = 256 << 10};
    queue.config = config;
    queue.config.memory = calloc(8, config.size);
    int64_t late = os_clock_now() + 5000 * MS;
    do
        queue.io_queue = try_open(RING, &queue.config);
    while (!queue.io_queue && errno == ENOMEM && os_clock_now() < late);
    if (!queue.io_queue || begin() < 0)
        return 3;
    if (hooked == 0)
        return 4;
    return keep_busy(100) != 0;
}

TEST(memory_need_not_be_locked)
{
    int status;
    start(RING, make_file(), 1); /* skips the test without io_uring */
    static struct io_queue *own; /* the child replaces queue.io_queue */
    own = queue.io_queue;
    pid_t child = fork();
    if (child == 0)
        _exit(read_with_little_locked(queue.config.fd));
    queue.io_queue = own;
    assert_int_equal(waitpid(child, &status, 0), child);
    stop();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* A hook with which a ring seems to be polled. Every third call of io_uring_enter(2) does
 * not wait, as if a poll of the device had found nothing. */
static bool
be_polled(long number, long *argument, long *result)
{
    if (number == SYS_io_uring_setup) {
        struct io_uring_params *params = (struct io_uring_params *)argument[1];
        params->flags &= ~IORING_SETUP_IOPOLL;
        *result = call(number, argument);
        params->flags |= IORING_SETUP_IOPOLL;
        return true;
    }
    if (number == SYS_io_uring_enter && ++hooked % 3 == 0)
        argument[2] = 0;
    return false;
}

TEST(polling_loses_no_completion)
{
    hook = be_polled;
    start(RING, make_file(), 32);
    read_all_slots();
    submit(7, OPERATION_READ, BLOCK, 0);
    int got;
    do
        got = reap(queue.done, os_clock_now() + 30000 * MS);
    while (got == 0);
    assert_int_equal(got, 1);
    assert_int_equal(queue.done[0].slot, 7);
    assert_int_equal(keep_busy(2000), 0);
    stop();
}

TEST(polling_waits_for_all)
{
    int fd = make_file();
    close(fd);
    need_direct("data");
    fd = make_file();
    assert_int_equal(os_file_flush(fd), 0);
    assert_int_equal(os_file_direct(fd, true), 0);
    open_only(RING,
              (struct io_config){.fd = fd, .poll = true, .depth = 32, .size = BLOCK});
    assert_int_equal(begin(), 0);
    submit(0, OPERATION_READ, BLOCK, 0);
    while (reap(queue.done, os_clock_now() + MS) == 0)
        ;
    if (queue.done[0].error == EOPNOTSUPP)
        skip_because("needs a disk that can be polled");
    read_all_slots();
    assert_int_equal(keep_busy(2000), 0);
    stop();
}
