/*
 * POSIX AIO, aio(7). submit stores a request in its slot. reap sends all requests that
 * were submitted since the last reap, oldest first. No system call tells which requests
 * are complete. So reap checks the state of each request in flight with aio_error(3). If
 * no request is complete, it waits with aio_suspend(3) until one is, and checks again.
 */
#include "io/io.h"

#include "base/time.h"
#include "os/os.h"
#include "slots.h"

#include <aio.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Longest wait of aio_suspend(3), in ns. Some systems refuse to wait longer, and on some
 * systems a signal does not interrupt a wait without a limit. */
#define MAX_WAIT (3600 * SECOND)

/* Pause, in ns, before requests are sent again for which the system had no room. */
#define RETRY_PAUSE MS

/*
 * A request in its slot. The member `request` must be the first, because the list of
 * requests in flight has the address of `request`, and posix_aio_take casts it to the
 * address of the entry.
 */
struct entry {
    struct aiocb request;
    const struct io_request *io_request;
};

struct io_queue {
    struct io_config config;
    struct io_slots slots; /* requests: struct entry; events: addresses of the requests in
                            * flight, oldest first */
};

#if defined(OS_SYSTEM_darwin)
/* The sysctls kern.aiothreads (4 by default) and kern.aioprocmax (16) limit how many
 * requests the system serves at a time. */
#define CAVEAT                                                                    \
    "POSIX AIO serves only a few requests at a time here, so that times include " \
    "waiting; use -threads"
#elif defined(OS_SYSTEM_netbsd)
#define CAVEAT                                                                         \
    "POSIX AIO serves one request at a time here, so that times include waiting; use " \
    "-threads"
#else
#define CAVEAT NULL
#endif

/*
 * Sends a flush that is as durable as os_file_flush. Returns 0, or -1 with errno. Fails
 * with ENOTSUP where aio_fsync(3) does less than os_file_flush: on macOS it is only an
 * fsync, on NetBSD it leaves the data in the drive's cache, and on FreeBSD it cannot
 * flush the cache of a disk device.
 */
static int
send_flush(struct aiocb *request)
{
#if defined(OS_SYSTEM_darwin) || defined(OS_SYSTEM_netbsd)
    bool is_durable = false;
#elif defined(OS_SYSTEM_freebsd)
    struct stat status;
    bool is_durable = fstat(request->aio_fildes, &status) == 0 && S_ISREG(status.st_mode);
#else
    bool is_durable = true;
#endif
    return is_durable ? aio_fsync(O_DSYNC, request) : os_fail(ENOTSUP);
}

/* Always returns true, which means that no request is in flight any more. The reason is
 * that reap of this engine never fails, so the worker has reaped all requests. */
static bool
aio_queue_close(struct io_queue *queue)
{
    io_slots_close(&queue->slots);
    return true;
}

/*
 * Tries to read 0 bytes if the target is a file, because some systems and file systems
 * support no request at all. Returns -1 with errno if the read is not supported, else 0.
 */
static int
try_empty_read(const struct io_config *config)
{
    struct os_info info;
    struct aiocb request = {.aio_fildes = config->fd, .aio_buf = config->memory};
    const struct aiocb *const list[] = {&request};
    request.aio_sigevent.sigev_notify = SIGEV_NONE;

    if (os_file_info(config->fd, &info) < 0 || info.kind != OS_FILE)
        return 0;

    if (aio_read(&request) < 0) {
        bool is_refused = errno == ENOSYS || errno == ENOTSUP || errno == EOPNOTSUPP;
        return is_refused ? -1 : 0;
    }

    while (aio_error(&request) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    aio_return(&request);
    return 0;
}

static int
aio_queue_open(struct io_queue *queue, const struct io_config *config)
{
    queue->config = *config;

    if (try_empty_read(config) < 0)
        return -1;

    return io_slots_open(&queue->slots, config->depth, sizeof(struct entry),
                         sizeof(const struct aiocb *));
}

static void
aio_queue_submit(struct io_queue *queue, const struct io_request *request)
{
    const struct io_config *config = &queue->config;
    struct entry *entry = (struct entry *)queue->slots.requests + request->slot;
    memset(entry, 0, sizeof(*entry));
    entry->io_request = request;
    entry->request.aio_fildes = config->fd;
    entry->request.aio_sigevent.sigev_notify = SIGEV_NONE;

    if (operations[request->operation].flags & OPERATION_MOVES) {
        entry->request.aio_buf = config->memory + (size_t)request->slot * config->size;
        entry->request.aio_nbytes = request->size;
        entry->request.aio_offset = request->offset;
    }
    io_slots_wait(&queue->slots, entry);
}

/* The functions that send operations; NULL for an operation that POSIX AIO does not
 * have. */
static int (*const senders[OPERATIONS])(struct aiocb *) = {
    [OPERATION_READ] = aio_read,
    [OPERATION_WRITE] = aio_write,
    [OPERATION_FLUSH] = send_flush,
};

/*
 * Completes the request of ENTRY, which could not be sent because of errno ERROR. POSIX
 * AIO does not support every flush, and lacks some operations. If ERROR says so, executes
 * the request by a system call that waits. Otherwise the request fails with ERROR.
 */
static struct io_completion
posix_aio_complete_unsent(const struct io_queue *queue, const struct entry *entry,
                          int error)
{
    bool moves = operations[entry->io_request->operation].flags & OPERATION_MOVES;

    if (!moves && (error == ENOTSUP || error == EOPNOTSUPP || error == EINVAL))
        return io_perform(&queue->config, entry->io_request);
    return io_complete(entry->io_request, -error);
}

/* Sends the request of ENTRY. Returns 0, or -1 with errno. */
static int
send_request(struct entry *entry)
{
    int (*send)(struct aiocb *) = senders[entry->io_request->operation];

    return send ? send(&entry->request) : os_fail(ENOTSUP);
}

/*
 * Sends the waiting requests. If a request cannot be sent, stores its completion in DONE.
 * Returns the number of these completions. If the system has no room (EAGAIN), the
 * requests that are not sent yet go on waiting. There may be room again when any request
 * completes, even a request of another queue.
 */
static int
posix_aio_send_waiting(struct io_queue *queue, struct io_completion *done)
{
    struct io_slots *slots = &queue->slots;
    const struct aiocb **in_flight = slots->events;
    int sent = 0;
    int failed = 0;

    for (; sent < slots->waiting_count; sent++) {
        struct entry *entry = slots->waiting[sent];

        if (send_request(entry) == 0) {
            in_flight[slots->in_flight_count++] = &entry->request;
            continue;
        }
        if (errno == EAGAIN)
            break;
        done[failed++] = posix_aio_complete_unsent(queue, entry, errno);
    }

    io_slots_sent(slots, sent);
    return failed;
}

/* Stores in DONE the completions of all requests that are complete. Returns their number.
 * The other requests stay in flight, in the same order. */
static int
posix_aio_take(struct io_queue *queue, struct io_completion *done)
{
    const struct aiocb **in_flight = queue->slots.events;
    int complete_count = 0;
    int pending_count = 0;

    for (int i = 0; i < queue->slots.in_flight_count; i++) {
        struct entry *entry = (struct entry *)in_flight[i];
        int error = aio_error(&entry->request);
        if (error == EINPROGRESS) {
            in_flight[pending_count++] = in_flight[i];
            continue;
        }

        if (error < 0)
            error = errno;
        int64_t bytes = aio_return(&entry->request);
        done[complete_count++] = io_complete(entry->io_request, error ? -error : bytes);
    }

    queue->slots.in_flight_count = pending_count;
    return complete_count;
}

/*
 * Waits until a request is complete, until time WHEN (ns, monotonic), or until a signal
 * comes, but at most MAX_WAIT. Pauses for at most RETRY_PAUSE instead if no request is in
 * flight, or if aio_suspend(3) fails for another reason than a signal or the end of the
 * wait. Errors are not returned: reap must not fail while requests are in flight, because
 * they use memory of the queue.
 */
static void
wait_for_completion(const struct io_queue *queue, int64_t when)
{
    int64_t now = os_clock_now();
    int64_t wait = when - now;
    if (wait > MAX_WAIT)
        wait = MAX_WAIT;
    if (wait <= 0)
        return;

    if (queue->slots.in_flight_count > 0) {
        struct timespec limit = time_spec(wait);
        if (aio_suspend(queue->slots.events, queue->slots.in_flight_count, &limit) == 0 ||
            errno == EINTR)
            return;

        bool is_over = errno == EAGAIN && os_clock_now() - now >= wait;
        if (is_over)
            return;
    }

    os_sleep_until(now + (wait < RETRY_PAUSE ? wait : RETRY_PAUSE));
}

static int
aio_queue_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int count = 0;
    if (queue->slots.waiting_count)
        count = posix_aio_send_waiting(queue, done);

    count += posix_aio_take(queue, done + count);
    if (count > 0 || when == IO_AT_ONCE)
        return count;

    wait_for_completion(queue, when);
    return posix_aio_take(queue, done);
}

const struct io_engine io_posix_aio = {
    .name = "POSIX AIO",
    .option = 'A',
    .queues_requests = true,
    .caveat = CAVEAT,
    .caveat_buffered = CAVEAT,
    .queue_size = sizeof(struct io_queue),
    .open = aio_queue_open,
    .submit = aio_queue_submit,
    .reap = aio_queue_reap,
    .close = aio_queue_close,
};
