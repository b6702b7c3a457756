/*
 * Overlapped I/O of Windows. A queue has its own handle of the file, and a completion
 * port, in which the system reports completions. submit stores a request in its slot.
 * reap sends all requests that were submitted since the last reap, oldest first, and
 * then takes completions from the port. If a request fails while it is sent, it is
 * complete at once. So is a request that succeeds while it is sent, unless the system
 * reports it through the port as well (`quick` is false).
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
 * returns its address and that must be the address of the request, too. */
struct request {
    OVERLAPPED overlapped;
    const struct io_request *io_request;
    HANDLE file, port; /* used by a flush only */
    DWORD error;       /* result of a flush, a code of GetLastError */
};

struct io_queue {
    struct io_config config;
    HANDLE file, port;
    HANDLE timer;          /* ends a wait by calling `ring` on the waiting thread */
    int64_t alarm;         /* when the timer will do that, ns, monotonic; 0: not set */
    bool quick;            /* a request that succeeds while it is sent does not come
                            * through the port */
    struct io_slots slots; /* requests: struct request; events: OVERLAPPED_ENTRY */
};

/*
 * Closes the handles; CloseHandle does nothing for a handle that was not opened. If
 * requests are in flight, their OVERLAPPED structs are not freed, because the system
 * still writes to them.
 */
static bool
overlapped_close(struct io_queue *queue)
{
    bool over = queue->slots.in_flight_count == 0;

    CloseHandle(queue->file);
    CloseHandle(queue->port);
    CloseHandle(queue->timer);

    if (!over)
        queue->slots.requests = NULL;
    io_slots_close(&queue->slots);

    return over;
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

    queue->quick = SetFileCompletionNotificationModes(
        queue->file,
        FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE);
    return 0;
}

/* Cancels the timer, which must not call a thread that has ended. */
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
 * read at the end of the file is no error; it moves 0 bytes. */
static struct io_completion
end_of(const struct request *request, DWORD error)
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
flush(void *argument)
{
    struct request *request = argument;

    request->error = FlushFileBuffers(request->file) ? 0 : GetLastError();
    PostQueuedCompletionStatus(request->port, 0, 0, &request->overlapped);
    return 0;
}

/*
 * Sends one request. Returns TRUE if it is complete or its completion will come through
 * the port, else FALSE with a code for GetLastError: ERROR_IO_PENDING if it is in
 * flight.
 */
static BOOL
send_one(const struct io_queue *queue, struct request *request)
{
    const struct io_request *own = request->io_request;
    char *memory = queue->config.memory + (size_t)own->slot * queue->config.size;
    DWORD size = (DWORD)own->size;

    if (own->operation == OPERATION_READ)
        return ReadFile(queue->file, memory, size, NULL, &request->overlapped);
    if (own->operation == OPERATION_WRITE)
        return WriteFile(queue->file, memory, size, NULL, &request->overlapped);

    if (own->operation != OPERATION_FLUSH) {
        SetLastError(ERROR_NOT_SUPPORTED);
        return FALSE;
    }

    request->file = queue->file;
    request->port = queue->port;
    if (QueueUserWorkItem(flush, request, WT_EXECUTELONGFUNCTION))
        SetLastError(ERROR_IO_PENDING);
    return FALSE;
}

/* Sends the waiting requests. Stores the completions of those that ended at once in DONE,
 * and returns their number. */
static int
send_waiting(struct io_queue *queue, struct io_completion *done)
{
    struct io_slots *slots = &queue->slots;
    int ended = 0;

    for (int i = 0; i < slots->waiting_count; i++) {
        struct request *request = slots->waiting[i];
        DWORD error = send_one(queue, request) ? 0 : GetLastError();

        if (error == ERROR_IO_PENDING || (error == 0 && !queue->quick))
            slots->in_flight_count++;
        else
            done[ended++] = end_of(request, error);
    }

    slots->waiting_count = 0;
    return ended;
}

/* The timer of a queue has ended the wait. */
static VOID CALLBACK
ring(void *argument, DWORD low, DWORD high)
{
    struct io_queue *queue = argument;
    (void)low, (void)high;

    queue->alarm = 0;
}

/*
 * Returns how long to wait until time WHEN (ns, monotonic), in ms, as a limit for the
 * system. Sets CALLED to TRUE if the timer will end the wait at WHEN, because the timer
 * is more exact.
 */
static DWORD
limit_wait(struct io_queue *queue, int64_t when, BOOL *called)
{
    if (when == INT64_MAX)
        return INFINITE;

    int64_t left = when == IO_AT_ONCE ? 0 : when - os_clock_now();
    if (left <= 0)
        return 0;

    if (queue->alarm != when)
        queue->alarm =
            windows_thread_alarm(queue->timer, left, ring, queue) == 0 ? when : 0;

    *called = queue->alarm == when;
    return left < INFINITE / 2 * MS ? (DWORD)((left + MS - 1) / MS) : INFINITE / 2;
}

/* Waits for a completion until time WHEN (ns, monotonic), and stores all that are there
 * in DONE. Returns their number, or -1 with errno. */
static int
receive(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    OVERLAPPED_ENTRY *entries = queue->slots.events;
    BOOL called = FALSE;
    ULONG got = 0;
    DWORD time = limit_wait(queue, when, &called);

    if (!GetQueuedCompletionStatusEx(queue->port, entries, (ULONG)queue->config.depth,
                                     &got, time, called)) {
        DWORD error = GetLastError();
        return error == WAIT_TIMEOUT || error == WAIT_IO_COMPLETION
                   ? 0
                   : windows_error_fail();
    }

    for (ULONG i = 0; i < got; i++) {
        const struct request *request = (const struct request *)entries[i].lpOverlapped;
        NTSTATUS status = (NTSTATUS)request->overlapped.Internal;
        DWORD error = status < 0 ? RtlNtStatusToDosError(status) : 0;
        bool flushed = request->io_request->operation == OPERATION_FLUSH;

        done[i] = end_of(request, flushed ? request->error : error);
    }

    queue->slots.in_flight_count -= (int)got;
    return (int)got;
}

static int
overlapped_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int ended = queue->slots.waiting_count ? send_waiting(queue, done) : 0;
    if (ended && !queue->slots.in_flight_count)
        return ended;

    int got = receive(queue, done + ended, ended ? IO_AT_ONCE : when);
    return ended && got < 0 ? ended : ended + got;
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
