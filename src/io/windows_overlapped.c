/*
 * Overlapped I/O of Windows. A queue has its own handle of the file, and a completion
 * port, in which the system reports completions. submit stores a request in its slot.
 * reap sends all requests that were submitted since the last reap, oldest first, and
 * then takes completions from the port. A request that fails while it is sent is complete
 * at once. A request that succeeds while it is sent is complete at once, too, unless the
 * system also reports it through the port (`skips_port` is false).
 *
 * Windows has no overlapped flush. So a thread of the system's pool makes the flush, and
 * then posts a completion to the port.
 */
#include "io/io.h"

#include "base/time.h"
#include "os/os.h"
#include "os/windows_common.h"
#include "slots.h"

#include <winternl.h>

/* A request in its slot. The member `overlapped` must be the first, because the system
 * returns the address of `overlapped`, which is cast to the address of the request. */
struct request {
    OVERLAPPED overlapped;
    const struct io_request *io_request;
    HANDLE file, port; /* both are used by a flush only */
    DWORD error;       /* result of a flush, a code of GetLastError */
};

struct io_queue {
    struct io_config config;
    HANDLE file, port;
    HANDLE timer;     /* ends a wait by calling end_alarm on the waiting thread */
    int64_t alarm_at; /* when the timer will end the wait, ns, monotonic; 0: not set */
    bool skips_port;  /* a request that succeeds while it is sent does not come through
                       * the port */
    struct io_slots slots; /* a slot has a struct request and an OVERLAPPED_ENTRY */
};

/*
 * Closes the handles; CloseHandle does nothing for a handle that was not opened. If
 * requests are in flight, their OVERLAPPED structs are not freed, because the system
 * still writes to them.
 */
static bool
overlapped_close(struct io_queue *queue)
{
    bool may_free_buffers = queue->slots.in_flight_count == 0;

    CloseHandle(queue->file);
    CloseHandle(queue->port);
    CloseHandle(queue->timer);

    if (!may_free_buffers)
        queue->slots.requests = NULL;
    io_slots_close(&queue->slots);

    return may_free_buffers;
}

static int
overlapped_open(struct io_queue *queue, const struct io_config *config)
{
    const struct windows_file *file = windows_handle_file(config->fd);
    queue->config = *config;

    if (!file || io_slots_open(&queue->slots, config->depth, sizeof(struct request),
                               sizeof(OVERLAPPED_ENTRY)) < 0)
        return -1;

    queue->file = windows_handle_reopen(file, file->flags | FILE_FLAG_OVERLAPPED);
    if (queue->file == INVALID_HANDLE_VALUE)
        return -1;

    queue->port = CreateIoCompletionPort(queue->file, NULL, 0, 1);
    queue->timer = windows_thread_timer();
    if (!queue->port || !queue->timer)
        return windows_error_fail();

    queue->skips_port = SetFileCompletionNotificationModes(
        queue->file,
        FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE);
    return 0;
}

/* Cancels the timer, because it must not call end_alarm on a thread that has ended. */
static void
overlapped_end(struct io_queue *queue)
{
    CancelWaitableTimer(queue->timer);
}

static void
overlapped_submit(struct io_queue *queue, const struct io_request *request)
{
    struct request *entry = (struct request *)queue->slots.requests + request->slot;

    *entry = (struct request){.io_request = request};
    entry->overlapped.Offset = (DWORD)request->offset;
    entry->overlapped.OffsetHigh = (DWORD)(request->offset >> 32);
    io_slots_wait(&queue->slots, entry);
}

/* Returns the completion of REQUEST. ERROR is a code of GetLastError, or 0 for success. A
 * read at the end of the file is no error; it reads 0 bytes. */
static struct io_completion
overlapped_complete(const struct request *request, DWORD error)
{
    struct io_completion done = {.slot = request->io_request->slot};

    if (error == 0 && request->io_request->operation != OPERATION_FLUSH)
        done.bytes = (int64_t)request->overlapped.InternalHigh;
    if (error && error != ERROR_HANDLE_EOF)
        done.error = windows_error_code(error);
    return done;
}

/* Makes a flush, on a thread of the system's pool, so that the worker does not wait for
 * the flush while other requests complete. */
static DWORD WINAPI
flush_on_pool(void *argument)
{
    struct request *request = argument;

    request->error = FlushFileBuffers(request->file) ? 0 : GetLastError();
    PostQueuedCompletionStatus(request->port, 0, 0, &request->overlapped);
    return 0;
}

/*
 * Sends one request. Returns TRUE if it has succeeded at once. Otherwise returns FALSE
 * with a code for GetLastError: ERROR_IO_PENDING if the request is in flight, or the
 * error with which it has failed.
 */
static BOOL
overlapped_send(const struct io_queue *queue, struct request *request)
{
    const struct io_request *io_request = request->io_request;
    char *memory = queue->config.memory + (size_t)io_request->slot * queue->config.size;
    DWORD size = (DWORD)io_request->size;

    if (io_request->operation == OPERATION_READ)
        return ReadFile(queue->file, memory, size, NULL, &request->overlapped);
    if (io_request->operation == OPERATION_WRITE)
        return WriteFile(queue->file, memory, size, NULL, &request->overlapped);

    if (io_request->operation != OPERATION_FLUSH) {
        SetLastError(ERROR_NOT_SUPPORTED);
        return FALSE;
    }

    request->file = queue->file;
    request->port = queue->port;
    if (QueueUserWorkItem(flush_on_pool, request, WT_EXECUTELONGFUNCTION))
        SetLastError(ERROR_IO_PENDING);
    return FALSE;
}

/* Sends the waiting requests. Some of them complete immediately: stores their completions
 * in DONE. Returns the number of these completions. */
static int
overlapped_send_waiting(struct io_queue *queue, struct io_completion *done)
{
    struct io_slots *slots = &queue->slots;
    int complete_count = 0;

    for (int i = 0; i < slots->waiting_count; i++) {
        struct request *request = slots->waiting[i];
        DWORD error = overlapped_send(queue, request) ? 0 : GetLastError();

        if (error == ERROR_IO_PENDING || (error == 0 && !queue->skips_port))
            slots->in_flight_count++;
        else
            done[complete_count++] = overlapped_complete(request, error);
    }

    slots->waiting_count = 0;
    return complete_count;
}

/* Called on the waiting thread when the timer of the queue ARGUMENT has ended the wait.
 */
static VOID CALLBACK
end_alarm(void *argument, DWORD low, DWORD high)
{
    struct io_queue *queue = argument;
    (void)low, (void)high;

    queue->alarm_at = 0;
}

/*
 * Returns the time limit, in ms, of a wait that ends at time WHEN (ns, monotonic). Also
 * sets the timer of QUEUE to end the wait at WHEN, because the timer is more exact than a
 * limit in ms. Sets HAS_ALARM to TRUE if the timer could be set.
 */
static DWORD
limit_wait(struct io_queue *queue, int64_t when, BOOL *has_alarm)
{
    if (when == INT64_MAX)
        return INFINITE;

    if (when == IO_AT_ONCE)
        return 0;

    int64_t wait = when - os_clock_now();
    if (wait <= 0)
        return 0;

    if (queue->alarm_at != when) {
        queue->alarm_at = 0;
        if (windows_thread_alarm(queue->timer, wait, end_alarm, queue) == 0)
            queue->alarm_at = when;
    }

    *has_alarm = queue->alarm_at == when;
    if (wait >= INFINITE / 2 * MS)
        return INFINITE / 2;
    return (DWORD)((wait + MS - 1) / MS);
}

/* Waits for a completion until time WHEN (ns, monotonic). Stores in DONE all completions
 * that have arrived. Returns their number, or -1 with errno. */
static int
overlapped_receive(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    OVERLAPPED_ENTRY *entries = queue->slots.events;
    BOOL has_alarm = FALSE;
    ULONG count = 0;
    DWORD limit = limit_wait(queue, when, &has_alarm);

    if (!GetQueuedCompletionStatusEx(queue->port, entries, (ULONG)queue->config.depth,
                                     &count, limit, has_alarm)) {
        DWORD error = GetLastError();
        if (error == WAIT_TIMEOUT || error == WAIT_IO_COMPLETION)
            return 0;
        return windows_error_fail();
    }

    for (ULONG i = 0; i < count; i++) {
        const struct request *request = (const struct request *)entries[i].lpOverlapped;
        NTSTATUS status = (NTSTATUS)request->overlapped.Internal;
        DWORD error = status < 0 ? RtlNtStatusToDosError(status) : 0;

        /* flush_on_pool posts the completion of a flush, and stores its result. */
        if (request->io_request->operation == OPERATION_FLUSH)
            error = request->error;
        done[i] = overlapped_complete(request, error);
    }

    queue->slots.in_flight_count -= (int)count;
    return (int)count;
}

static int
overlapped_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int complete_count = 0;
    if (queue->slots.waiting_count)
        complete_count = overlapped_send_waiting(queue, done);
    if (complete_count && !queue->slots.in_flight_count)
        return complete_count;

    /* If there are completions to return, reap must not wait. */
    int received = overlapped_receive(queue, done + complete_count,
                                      complete_count ? IO_AT_ONCE : when);
    if (complete_count && received < 0)
        return complete_count;
    return complete_count + received;
}

const struct io_engine io_windows_overlapped = {
    .name = "overlapped I/O",
    .option = 'A',
    .queues_requests = true,
    .advice = "leave out -A",
    .queue_size = sizeof(struct io_queue),
    .open = overlapped_open,
    .submit = overlapped_submit,
    .reap = overlapped_reap,
    .end = overlapped_end,
    .close = overlapped_close,
};
