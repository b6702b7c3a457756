/*
 * Linux AIO, by its system calls io_submit(2) and io_getevents(2), which the C library
 * does not wrap. submit stores a request in its slot. reap sends all requests that were
 * submitted since the last reap, oldest first, and then waits for a completion.
 */
#include "io/io.h"

#include "base/time.h"
#include "os/os.h"
#include "slots.h"

#include <linux/aio_abi.h>
#include <linux/time_types.h>
#include <sys/syscall.h>
#include <unistd.h>

struct io_queue {
    struct io_config config;
    aio_context_t context; /* the kernel's handle of the queue */
    bool is_set_up;        /* `context` is valid */
    struct io_slots slots; /* requests: struct iocb; events: struct io_event */
};

/*
 * io_destroy(2) waits for the requests in flight, so afterwards their buffers are free.
 */
static bool
aio_close(struct io_queue *queue)
{
    bool over = !queue->is_set_up || syscall(SYS_io_destroy, queue->context) == 0 ||
                queue->slots.in_flight_count == 0;

    io_slots_close(&queue->slots);
    return over;
}

static int
aio_open(struct io_queue *queue, const struct io_config *config)
{
    queue->config = *config;

    if (io_slots_open(&queue->slots, config->depth, sizeof(struct iocb),
                      sizeof(struct io_event)) < 0 ||
        syscall(SYS_io_setup, (unsigned long)config->depth, &queue->context) < 0)
        return -1;

    queue->is_set_up = true;
    return 0;
}

/* Returns the kernel's code of OPERATION, or IOCB_CMD_NOOP, which the kernel refuses, if
 * it has none. */
static uint16_t
opcode_of(enum operation operation)
{
    return operation == OPERATION_READ    ? IOCB_CMD_PREAD
           : operation == OPERATION_WRITE ? IOCB_CMD_PWRITE
           : operation == OPERATION_FLUSH ? IOCB_CMD_FDSYNC
                                          : IOCB_CMD_NOOP;
}

static void
aio_submit(struct io_queue *queue, const struct io_request *request)
{
    const struct io_config *config = &queue->config;
    struct iocb *entry = (struct iocb *)queue->slots.requests + request->slot;

    *entry = (struct iocb){.aio_data = (uintptr_t)request,
                           .aio_lio_opcode = opcode_of(request->operation),
                           .aio_fildes = (uint32_t)config->fd};

    if (operations[request->operation].flags & OPERATION_MOVES) {
        entry->aio_buf =
            (uintptr_t)(config->memory + (size_t)request->slot * config->size);
        entry->aio_nbytes = request->size;
        entry->aio_offset = request->offset;
        entry->aio_rw_flags = (config->rw_flags & OS_RW_HIPRI ? RWF_HIPRI : 0) |
                              (config->rw_flags & OS_RW_NOWAIT ? RWF_NOWAIT : 0);
    }

    io_slots_wait(&queue->slots, entry);
}

/*
 * Completes the request of ENTRY, which io_submit(2) refused with errno ERROR. Linux AIO
 * cannot queue every operation, and some kernels and files have no IOCB_CMD_FDSYNC. Such
 * an operation is executed here by a system call that waits.
 */
static struct io_completion
end_unsent(const struct io_queue *queue, const struct iocb *entry, int error)
{
    const struct io_request *request = (const void *)(uintptr_t)entry->aio_data;

    if (error == EINVAL && !(operations[request->operation].flags & OPERATION_MOVES))
        return io_perform(&queue->config, request);
    return io_complete(request, -error);
}

/*
 * Sends the waiting requests. Stores completions of the requests that cannot be sent in
 * DONE, and returns their number. io_submit(2) stops before the first request that it
 * refuses. If the queue is full while requests are in flight, the other requests go on
 * waiting, because there is room again when one of those in flight completes.
 */
static int
send_waiting(struct io_queue *queue, struct io_completion *done)
{
    struct io_slots *slots = &queue->slots;
    int sent = 0;
    int failed = 0;

    while (sent < slots->waiting_count) {
        long left = slots->waiting_count - sent;
        long took = syscall(SYS_io_submit, queue->context, left, slots->waiting + sent);

        if (took > 0) {
            sent += (int)took;
            slots->in_flight_count += (int)took;
            continue;
        }

        int error = took < 0 ? errno : EAGAIN;
        if (error == EINTR)
            continue;
        if (error == EAGAIN && slots->in_flight_count > 0)
            break;
        done[failed++] = end_unsent(queue, slots->waiting[sent++], error);
    }

    io_slots_sent(slots, sent);
    return failed;
}

/* Waits for a completion until time WHEN (ns, monotonic), and stores all that are there
 * in DONE. Returns their number, or -1 with errno. */
static int
receive(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int64_t left = when == INT64_MAX || when == IO_AT_ONCE ? 0 : when - os_clock_now();
    if (left < 0)
        left = 0;

    /* The kernel's type, because the C library's may be larger where long has 32 bits. */
    struct __kernel_old_timespec limit = {.tv_sec = (long)(left / SECOND),
                                          .tv_nsec = (long)(left % SECOND)};

    struct io_event *events = queue->slots.events;
    int got =
        (int)syscall(SYS_io_getevents, queue->context, 1L, (long)queue->config.depth,
                     events, when == INT64_MAX ? NULL : &limit);

    for (int i = 0; i < got; i++)
        done[i] = io_complete((const void *)(uintptr_t)events[i].data, events[i].res);
    if (got > 0)
        queue->slots.in_flight_count -= got;

    return got < 0 && errno == EINTR ? 0 : got;
}

static int
aio_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int failed = queue->slots.waiting_count ? send_waiting(queue, done) : 0;
    int got = receive(queue, done + failed, failed ? IO_AT_ONCE : when);

    return failed && got < 0 ? failed : failed + got;
}

const struct io_engine io_linux_aio = {
    .name = "Linux AIO",
    .option = 'A',
    .queues_requests = true,
    .charges_sender = true,
    .caveat_buffered =
        "Linux AIO sends one request at a time unless I/O is direct; use -U",
    .advice_errno = EAGAIN,
    .advice = "raise fs.aio-max-nr, or use -U",
    .queue_size = sizeof(struct io_queue),
    .open = aio_open,
    .submit = aio_submit,
    .reap = aio_reap,
    .close = aio_close,
};
