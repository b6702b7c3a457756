/*
 * POSIX AIO, aio(7): no call tells which of the requests are complete, so those under way
 * are asked one after the other, and waited for all together. Requests are kept by slot;
 * reap sends those submitted since the last one, oldest first.
 */
#include "os/posix_aio.h"
#include "os/async.h"

#include "os/os.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Waits are for so long (ns) at the most: some systems refuse more, and one without an
 * end may not be interrupted by a signal. */
#define LONGEST (3600LL * 1000000000)

#define SOON 1000000LL /* ns until the system is asked for room again */

struct entry {
    struct aiocb request;
    enum io_operation operation;
};

struct io_queue {
    struct io_config config;
    struct entry *entries; /* by slot */
    int *waiting;          /* slots to be sent, oldest first */
    int *under_way;        /* slots, oldest first */
    const struct aiocb **list;
    int waiting_count, under_way_count;
};

/* No reap fails, so nothing is under way. */
static bool
aio_queue_close(struct io_queue *queue)
{
    free(queue->list);
    free(queue->under_way);
    free(queue->waiting);
    free(queue->entries);
    free(queue);
    return true;
}

/* Some systems and file systems refuse any request: one for nothing tells. Returns 0, or
 * -1 with errno. */
static int
try_nothing(const struct io_config *config)
{
    struct os_info info;
    struct aiocb nothing = {.aio_fildes = config->fd, .aio_buf = config->memory};
    const struct aiocb *const list[] = {&nothing};
    nothing.aio_sigevent.sigev_notify = SIGEV_NONE;
    if (os_file_info(config->fd, &info) < 0 || info.kind != OS_FILE)
        return 0;
    if (aio_read(&nothing) < 0)
        return errno == ENOSYS || errno == ENOTSUP || errno == EOPNOTSUPP ? -1 : 0;
    while (aio_error(&nothing) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    aio_return(&nothing);
    return 0;
}

static struct io_queue *
aio_queue_open(const struct io_config *config)
{
    if (try_nothing(config) < 0)
        return NULL;
    size_t depth = (size_t)config->depth;
    struct io_queue *queue = calloc(1, sizeof(*queue));
    if (!queue)
        return NULL;
    queue->config = *config;
    queue->entries = calloc(depth, sizeof(*queue->entries));
    queue->waiting = calloc(depth, sizeof(*queue->waiting));
    queue->under_way = calloc(depth, sizeof(*queue->under_way));
    queue->list = calloc(depth, sizeof(*queue->list));
    if (queue->entries && queue->waiting && queue->under_way && queue->list)
        return queue;
    aio_queue_close(queue);
    errno = ENOMEM;
    return NULL;
}

/* Any thread may use it. */
static int
aio_queue_begin(struct io_queue *queue)
{
    (void)queue;
    return 0;
}

/* What is complete has let go of the descriptor. */
static void
aio_queue_end(struct io_queue *queue)
{
    (void)queue;
}

static void
aio_queue_submit(struct io_queue *queue, const struct io_request *request)
{
    const struct io_config *config = &queue->config;
    struct entry *entry = &queue->entries[request->slot];
    memset(entry, 0, sizeof(*entry));
    entry->operation = request->operation;
    entry->request.aio_fildes = config->fd;
    entry->request.aio_sigevent.sigev_notify = SIGEV_NONE;
    if (request->operation != IO_FLUSH) {
        entry->request.aio_buf = config->memory + (size_t)request->slot * config->size;
        entry->request.aio_nbytes = request->size;
        entry->request.aio_offset = request->offset;
    }
    queue->waiting[queue->waiting_count++] = request->slot;
}

static int
send_one(struct entry *entry)
{
    return entry->operation == IO_READ    ? aio_read(&entry->request)
           : entry->operation == IO_WRITE ? aio_write(&entry->request)
                                          : posix_aio_flush(&entry->request);
}

/* The end of a request that the system did not take. */
static struct io_completion
end_unsent(const struct io_queue *queue, int slot, int error)
{
    bool flush = queue->entries[slot].operation == IO_FLUSH;
    if (flush && (error == ENOTSUP || error == EOPNOTSUPP || error == EINVAL))
        error = os_file_flush(queue->config.fd) < 0 ? errno : 0;
    return (struct io_completion){.slot = slot, .error = error};
}

/*
 * Sends what waits; those that cannot be sent are stored in DONE: how many. Where the
 * system has no room it may have some when others are complete, those of other queues
 * too, so the rest goes on waiting.
 */
static int
send_waiting(struct io_queue *queue, struct io_completion *done)
{
    int sent = 0, failed = 0;
    for (; sent < queue->waiting_count; sent++) {
        int slot = queue->waiting[sent];
        if (send_one(&queue->entries[slot]) == 0) {
            queue->under_way[queue->under_way_count++] = slot;
            continue;
        }
        if (errno == EAGAIN)
            break;
        done[failed++] = end_unsent(queue, slot, errno);
    }
    queue->waiting_count -= sent;
    memmove(queue->waiting, queue->waiting + sent,
            (size_t)queue->waiting_count * sizeof(*queue->waiting));
    return failed;
}

/* Stores what is complete in DONE: how many. The others stay, in their order. */
static int
take(struct io_queue *queue, struct io_completion *done)
{
    int count = 0, kept = 0;
    for (int i = 0; i < queue->under_way_count; i++) {
        int slot = queue->under_way[i];
        struct aiocb *request = &queue->entries[slot].request;
        int error = aio_error(request);
        if (error == EINPROGRESS) {
            queue->under_way[kept++] = slot;
            continue;
        }
        if (error < 0)
            error = errno;
        int64_t bytes = aio_return(request);
        done[count++] = (struct io_completion){
            .slot = slot, .error = error, .bytes = error || bytes < 0 ? 0 : bytes};
    }
    queue->under_way_count = kept;
    return count;
}

/* Until one of those under way is complete, WHEN, or a signal. What is under way uses the
 * queue's own entries, which close frees, so there is no error. */
static void
wait_for_one(struct io_queue *queue, int64_t when)
{
    int64_t now = os_clock_now(), left = when - now;
    if (left > LONGEST)
        left = LONGEST;
    if (left <= 0)
        return;
    struct timespec limit = {.tv_sec = (time_t)(left / 1000000000),
                             .tv_nsec = (long)(left % 1000000000)};
    for (int i = 0; i < queue->under_way_count; i++)
        queue->list[i] = &queue->entries[queue->under_way[i]].request;
    if (queue->under_way_count > 0 &&
        (aio_suspend(queue->list, queue->under_way_count, &limit) == 0 ||
         errno == EINTR || (errno == EAGAIN && os_clock_now() - now >= left)))
        return;
    os_sleep_until(now + (left < SOON ? left : SOON));
}

static int
aio_queue_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    int failed = queue->waiting_count ? send_waiting(queue, done) : 0;
    int count = failed + take(queue, done + failed);
    if (count > 0 || when == IO_AT_ONCE)
        return count;
    wait_for_one(queue, when);
    return take(queue, done);
}

static const char *
aio_queue_advise(int number)
{
    (void)number;
    return os_uring.there ? "use -U or none" : "use -threads instead";
}

const struct os_async_ops os_aio = {.name = "POSIX AIO",
                                    .there = true,
                                    .caveat = posix_aio_caveat,
                                    .caveat_buffered = posix_aio_caveat,
                                    .advise = aio_queue_advise,
                                    .open = aio_queue_open,
                                    .begin = aio_queue_begin,
                                    .submit = aio_queue_submit,
                                    .reap = aio_queue_reap,
                                    .end = aio_queue_end,
                                    .close = aio_queue_close};
