/* The engine for POSIX AIO, on a system that has no room for requests, refuses requests,
 * or is late to complete them. The test plays the system, so that the engine is tested on
 * Linux, too. */
#include "support.h"

#include <aio.h>

/* These functions replace the system's in the source that is included below. */
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
/* Another name than that of the engine in the library. */
#define io_posix_aio played_aio
#include "io/posix_aio.c"

enum { DEPTH = 4, SIZE = 16 };

/* The state of the system that the test plays. The offset of a request tells its slot. */
static struct {
    int room;              /* maximum number of requests in flight */
    int refusal;           /* errno of a send for which there is no room */
    int flush_refusal;     /* errno of the send of a flush; 0: it is sent */
    int states[DEPTH];     /* by slot: the answer of aio_error, EINPROGRESS at first */
    bool in_flight[DEPTH]; /* by slot */
    int order[16];         /* slots in the order in which they were sent */
    int sent_count;        /* number of entries of `order` */
    int suspend_count;     /* number of calls of aio_suspend */
    int suspend_error;     /* errno of aio_suspend; 0: it waits */
    int64_t suspend_limit; /* limit of the last aio_suspend, ns */
    int completed_slot;    /* slot that completes during aio_suspend; -1: none */
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
        busy += sys.in_flight[i];
    if (busy >= sys.room)
        return refuse(sys.refusal);
    assert_ptr_equal(request->aio_buf, memory + slot * SIZE);
    sys.in_flight[slot] = true;
    sys.order[sys.sent_count++] = slot;
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
    assert_true(sys.in_flight[slot_of(request)]);
    return sys.states[slot_of(request)];
}

static ssize_t
play_return(struct aiocb *request)
{
    int slot = slot_of(request);
    assert_true(sys.in_flight[slot]);
    sys.in_flight[slot] = false;
    return sys.states[slot] ? -1 : SIZE;
}

static int
play_suspend(const struct aiocb *const *list, int count, const struct timespec *limit)
{
    assert_true(count > 0 && list[0]);
    sys.suspend_count++;
    sys.suspend_limit = (int64_t)limit->tv_sec * 1000000000 + limit->tv_nsec;
    if (sys.suspend_error)
        return refuse(sys.suspend_error);
    if (sys.completed_slot < 0)
        return refuse(EAGAIN);
    sys.states[sys.completed_slot] = 0;
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
    sys.completed_slot = -1;
    for (int i = 0; i < DEPTH; i++)
        sys.states[i] = EINPROGRESS;
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
    static struct io_request requests[DEPTH]; /* must stay until they are reaped */
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
    sys.completed_slot = 2;
    submit(2, OPERATION_READ);
    submit(0, OPERATION_WRITE);
    submit(1, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].slot, 2);
    assert_int_equal(done[0].bytes, SIZE);
    sys.completed_slot = 0;
    assert_int_equal(reap(INT64_MAX), 1);
    sys.completed_slot = 1;
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].slot, 1);
    assert_int_equal(sys.sent_count, 3);
    assert_true(sys.order[0] == 2 && sys.order[1] == 0 && sys.order[2] == 1);
}

TEST(no_room_with_nothing_under_way_is_asked_for_again)
{
    sys.room = 0; /* other queues use all of it */
    submit(1, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(sys.suspend_count, 0);
    sys.room = 1;
    sys.states[1] = 0;
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].slot, 1);
    assert_int_equal(done[0].error, 0);
}

TEST(a_refusal_is_of_its_request_alone)
{
    sys.room = 1;
    sys.refusal = EINVAL;
    sys.states[0] = 0;
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
    sys.states[1] = 0;
    sys.states[3] = EIO;
    assert_int_equal(reap(INT64_MAX), 2);
    assert_true(done[0].slot == 1 && done[0].error == 0);
    assert_true(done[1].slot == 3 && done[1].error == EIO && done[1].bytes == 0);
    assert_int_equal(sys.suspend_count, 0);
    sys.states[0] = sys.states[2] = 0;
    assert_int_equal(reap(INT64_MAX), 2);
    assert_true(done[0].slot == 0 && done[1].slot == 2);
}

TEST(a_flush_that_does_less_is_made_by_the_thread)
{
    sys.flush_refusal = ENOTSUP;
    submit(0, OPERATION_FLUSH);
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].error, EBADF); /* of fdatasync(2): the descriptor is -1 */
}

TEST(whoever_does_not_wait_is_not_kept)
{
    submit(0, OPERATION_READ);
    assert_int_equal(reap(IO_AT_ONCE), 0);
    assert_int_equal(reap(os_clock_now() - 1), 0);
    assert_int_equal(sys.suspend_count, 0);
    assert_int_equal(sys.sent_count, 1);
}

TEST(a_wait_has_an_end_that_the_system_takes)
{
    submit(0, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(sys.suspend_limit, MAX_WAIT);
    assert_int_equal(reap(os_clock_now() + 1000000000), 0);
    assert_in_range(sys.suspend_limit, 1, 1000000000);
}

TEST(a_signal_ends_a_wait)
{
    sys.suspend_error = EINTR;
    submit(0, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    assert_int_equal(sys.suspend_count, 1);
}

TEST(what_is_under_way_is_kept_when_waiting_fails)
{
    sys.suspend_error = EINVAL;
    submit(0, OPERATION_READ);
    assert_int_equal(reap(INT64_MAX), 0);
    sys.states[0] = 0;
    assert_int_equal(reap(INT64_MAX), 1);
    assert_int_equal(done[0].error, 0);
}
