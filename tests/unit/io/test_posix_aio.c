/* POSIX AIO on a system that has no room, refuses or is late. The test plays the system,
 * so that the engine is tested on Linux, too. */
#include "support.h"

#include <aio.h>

/* The system's functions for the source that is included below. */
static int play_send(struct aiocb *request);
static int play_flush(struct aiocb *request);
static int play_error(const struct aiocb *request);
static ssize_t play_return(struct aiocb *request);
static int play_suspend(const struct aiocb *const *list, int count,
                        const struct timespec *limit);
#define aio_read play_send
#define aio_write play_send
#define aio_fsync(kind, request) play_flush(request)
#define aio_error play_error
#define aio_return play_return
#define aio_suspend play_suspend
/* Not those that the library has. */
#define io_posix_aio played_aio
#include "io/posix_aio.c"

enum { DEPTH = 4, SIZE = 16 };

/* The system: a request is known by the slot that its offset stands for. */
static struct {
    int room;          /* so many it takes at a time */
    int refusal;       /* errno of the sends that it does not take */
    int flush_refusal; /* errno of flushes */
    int ends[DEPTH];   /* errno of each, EINPROGRESS: not yet */
    bool under_way[DEPTH];
    int order[16], sent;
    int suspends, suspend_error;
    int64_t longest; /* ns that it was to wait */
    int wakes;       /* the slot that ends meanwhile; -1: none */
} sys;

static struct io_queue *queue;
static char memory[DEPTH * SIZE];
static struct io_completion done[DEPTH];

static int
slot_of(const struct aiocb *request)
{
    return (int)(request->aio_offset / SIZE);
}

static int
refuse(int number)
{
    errno = number;
    return -1;
}

static int
play_send(struct aiocb *request)
{
    int busy = 0, slot = slot_of(request);
    for (int i = 0; i < DEPTH; i++)
        busy += sys.under_way[i];
    if (busy >= sys.room)
        return refuse(sys.refusal);
    assert_ptr_equal(request->aio_buf, memory + slot * SIZE);
    sys.under_way[slot] = true;
    sys.order[sys.sent++] = slot;
    return 0;
}

static int
play_flush(struct aiocb *request)
{
    return sys.flush_refusal ? refuse(sys.flush_refusal) : play_send(request);
}

static int
play_error(const struct aiocb *request)
{
    assert_true(sys.under_way[slot_of(request)]);
    return sys.ends[slot_of(request)];
}

static ssize_t
play_return(struct aiocb *request)
{
    int slot = slot_of(request);
    assert_true(sys.under_way[slot]);
    sys.under_way[slot] = false;
    return sys.ends[slot] ? -1 : SIZE;
}

static int
play_suspend(const struct aiocb *const *list, int count, const struct timespec *limit)
{
    assert_true(count > 0 && list[0]);
    sys.suspends++;
    sys.longest = (int64_t)limit->tv_sec * 1000000000 + limit->tv_nsec;
    if (sys.suspend_error)
        return refuse(sys.suspend_error);
    if (sys.wakes < 0)
        return refuse(EAGAIN);
    sys.ends[sys.wakes] = 0;
    return 0;
}

static int
prepare(void **state)
{
    const struct io_config config = {
        .fd = -1, .depth = DEPTH, .memory = memory, .size = SIZE};
    (void)state;
    memset(&sys, 0, sizeof(sys));
    sys.room = DEPTH;
    sys.refusal = EAGAIN;
    sys.wakes = -1;
    for (int i = 0; i < DEPTH; i++)
        sys.ends[i] = EINPROGRESS;
    struct error error;
    queue = io_open(&played_aio, played_aio.name, &config, &error);
    return queue ? 0 : -1;
}

static int
finish(void **state)
{
    (void)state;
    return io_close(&played_aio, queue) ? 0 : -1;
}

static void
submit(int slot, enum operation operation)
{
    static struct io_request requests[DEPTH]; /* they stay until they are reaped */
    requests[slot] = (struct io_request){operation, slot, SIZE, slot * SIZE};
    played_aio.submit(queue, &requests[slot]);
}

static int
reap(int64_t when)
{
    return played_aio.reap(queue, done, when);
}

FIXTURE(prepare, finish)

TEST(what_has_no_room_waits_in_its_order)
{
    sys.room = 1;
    sys.wakes = 2;
    submit(2, OPERATION_READ);
    submit(0, OPERATION_WRITE);
    submit(1, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].slot, 2);
    assert_int_equal(done[0].bytes, SIZE);
    sys.wakes = 0;
    assert_int_equal(reap(INT64_MAX), 1);
    sys.wakes = 1;
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].slot, 1);
    assert_int_equal(sys.sent, 3);
    assert_true(sys.order[0] == 2 && sys.order[1] == 0 && sys.order[2] == 1);
}

TEST(no_room_with_nothing_under_way_is_asked_for_again)
{
    sys.room = 0; /* other queues have it all */
    submit(1, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(sys.suspends, 0);
    sys.room = 1;
    sys.ends[1] = 0;
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].slot, 1);
    assert_int_equal(done[0].error, 0);
}

TEST(a_refusal_is_of_its_request_alone)
{
    sys.room = 1;
    sys.refusal = EINVAL;
    sys.ends[0] = 0;
    submit(0, OPERATION_READ);
    submit(1, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 2);
    assert_true(done[0].slot == 1 && done[0].error == EINVAL && done[0].bytes == 0);
    assert_true(done[1].slot == 0 && done[1].error == 0 && done[1].bytes == SIZE);
}

TEST(all_that_are_complete_come_at_once)
{
    for (int slot = 0; slot < DEPTH; slot++)
        submit(slot, OPERATION_READ);
    sys.ends[1] = 0;
    sys.ends[3] = EIO;
    assert_int_equal(reap(INT64_MAX), 2);
    assert_true(done[0].slot == 1 && done[0].error == 0);
    assert_true(done[1].slot == 3 && done[1].error == EIO && done[1].bytes == 0);
    assert_int_equal(sys.suspends, 0);
    sys.ends[0] = sys.ends[2] = 0;
    assert_int_equal(reap(INT64_MAX), 2);
    assert_true(done[0].slot == 0 && done[1].slot == 2);
}

TEST(a_flush_that_does_less_is_made_by_the_thread)
{
    sys.flush_refusal = ENOTSUP;
    submit(0, OPERATION_FLUSH);
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].error, EBADF); /* of the descriptor, which is none */
}

TEST(whoever_does_not_wait_is_not_kept)
{
    submit(0, OPERATION_READ);
    assert_int_equal(reap(IO_AT_ONCE), 0);
    assert_int_equal(reap(os_clock_now() - 1), 0);
    assert_int_equal(sys.suspends, 0);
    assert_int_equal(sys.sent, 1);
}

TEST(a_wait_has_an_end_that_the_system_takes)
{
    submit(0, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(sys.longest, MAX_WAIT);
    assert_int_equal(reap(os_clock_now() + 1000000000), 0);
    assert_in_range(sys.longest, 1, 1000000000);
}

TEST(a_signal_ends_a_wait)
{
    sys.suspend_error = EINTR;
    submit(0, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(sys.suspends, 1);
}

TEST(what_is_under_way_is_kept_when_waiting_fails)
{
    sys.suspend_error = EINVAL;
    submit(0, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    sys.ends[0] = 0;
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].error, 0);
}
