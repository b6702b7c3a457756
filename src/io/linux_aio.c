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

/* io_destroy(2) waits for the requests in flight. If it succeeds, the system does not
 * access their buffers any more. */
static bool
aio_close(struct io_queue *queue)
{
    bool is_destroyed = !queue->is_set_up || syscall(SYS_io_destroy, queue->context) == 0;
    bool may_free_buffers = is_destroyed || queue->slots.in_flight_count == 0;

    io_slots_close(&queue->slots);
    return may_free_buffers;
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

/* Returns the kernel's code for OPERATION. For an operation without a code, returns
 * IOCB_CMD_NOOP, which the kernel refuses. */
static uint16_t
find_opcode(enum operation operation)
{
    if (operation == OPERATION_READ)
        return IOCB_CMD_PREAD;
    if (operation == OPERATION_WRITE)
        return IOCB_CMD_PWRITE;
    if (operation == OPERATION_FLUSH)
        return IOCB_CMD_FDSYNC;
    return IOCB_CMD_NOOP;
}

static void
aio_submit(struct io_queue *queue, const struct io_request *request)
{
    const struct io_config *config = &queue->config;
    struct iocb *entry = (struct iocb *)queue->slots.requests + request->slot;

    *entry = (struct iocb){.aio_data = (uintptr_t)request,
                           .aio_lio_opcode = find_opcode(request->operation),
                           .aio_fildes = (uint32_t)config->fd};

    if (operations[request->operation].flags & OPERATION_MOVES) {
        entry->aio_buf =
            (uintptr_t)(config->memory + (size_t)request->slot * config->size);
        entry->aio_nbytes = request->size;
        entry->aio_offset = request->offset;
        if (config->rw_flags & OS_RW_HIPRI)
            entry->aio_rw_flags |= RWF_HIPRI;
        if (config->rw_flags & OS_RW_NOWAIT)
            entry->aio_rw_flags |= RWF_NOWAIT;
    }

    io_slots_wait(&queue->slots, entry);
}

/*
 * Completes the request of ENTRY, which io_submit(2) refused with errno ERROR. Linux AIO
 * cannot queue every operation, and some kernels and files have no IOCB_CMD_FDSYNC. Such
 * an operation is executed here by a system call that waits.
 */
static struct io_completion
aio_complete_unsent(const struct io_queue *queue, const struct iocb *entry, int error)
{
    const struct io_request *request = (const void *)(uintptr_t)entry->aio_data;

    if (error == EINVAL && !(operations[request->operation].flags & OPERATION_MOVES))
        return io_perform(&queue->config, request);
    return io_complete(request, -error);
}

/*
 * Sends the waiting requests. If a request cannot be sent, stores its completion in DONE.
 * Returns the number of these completions. io_submit(2) stops before the first request
 * that it refuses. If the kernel has no room (EAGAIN) while requests are in flight, the
 * requests that are not sent yet go on waiting. There is room again when a request in
 * flight completes.
 */
static int
aio_send_waiting(struct io_queue *queue, struct io_completion *done)
{
    struct io_slots *slots = &queue->slots;
    int sent = 0;
    int failed = 0;

    while (sent < slots->waiting_count) {
        long unsent_count = slots->waiting_count - sent;
        long accepted_count =
            syscall(SYS_io_submit, queue->context, unsent_count, slots->waiting + sent);

        if (accepted_count > 0) {
            sent += (int)accepted_count;
            slots->in_flight_count += (int)accepted_count;
            continue;
        }

        int error = accepted_count < 0 ? errno : EAGAIN;
        if (error == EINTR)
            continue;
        if (error == EAGAIN && slots->in_flight_count > 0)
            break;
        done[failed++] = aio_complete_unsent(queue, slots->waiting[sent++], error);
    }

    io_slots_sent(slots, sent);
    return failed;
}

/* Waits for a completion until time WHEN (ns, monotonic). Stores in DONE all completions
 * that have arrived. Returns their number, or -1 with errno. */
static int
aio_receive(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int64_t wait = 0;
    if (when != INT64_MAX && when != IO_AT_ONCE)
        wait = when - os_clock_now();
    if (wait < 0)
        wait = 0;

    /* This is the kernel's type. The type of the C library may be larger where long has
     * 32 bits. */
    struct __kernel_old_timespec limit = {.tv_sec = (long)(wait / SECOND),
                                          .tv_nsec = (long)(wait % SECOND)};

    struct io_event *events = queue->slots.events;
    int count =
        (int)syscall(SYS_io_getevents, queue->context, 1L, (long)queue->config.depth,
                     events, when == INT64_MAX ? NULL : &limit);
    if (count < 0)
        return errno == EINTR ? 0 : -1;

    for (int i = 0; i < count; i++)
        done[i] = io_complete((const void *)(uintptr_t)events[i].data, events[i].res);
    queue->slots.in_flight_count -= count;
    return count;
}

static int
aio_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int failed = 0;
    if (queue->slots.waiting_count)
        failed = aio_send_waiting(queue, done);

    /* If there are completions of failed requests to return, reap must not wait. */
    int received = aio_receive(queue, done + failed, failed ? IO_AT_ONCE : when);
    if (failed && received < 0)
        return failed;
    return failed + received;
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
