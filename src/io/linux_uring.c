/*
 * io_uring(7), by its system calls. A queue has two rings in memory that is shared with
 * the kernel. Requests go to the kernel in the submission ring, and completions come
 * back in the completion ring:
 *
 *                      oldest                                newest
 *   submission ring    head, moved by the kernel   ...       tail, moved by this file
 *   completion ring    head, moved by this file    ...       tail, moved by the kernel
 *
 * Heads and tails are counters that only grow and wrap around at 2^32. A counter & the
 * mask of its ring is an index. Each side stores its own counter with release order, and
 * loads the other side's counter with acquire order.
 *
 * submit only fills the next entry of the submission ring. reap publishes all new
 * entries, and sends them and waits for a completion in a single system call. It makes
 * no call at all if nothing is to be sent and a completion is already there.
 *
 * Neither ring can overflow: both have room for one entry per slot, and each request has
 * exactly one completion. So differences of counters are counts:
 *
 *   tail of submissions - head of submissions    requests that wait to be sent
 *   head of submissions - tail of completions    requests in flight in the kernel
 *   tail of completions - head of completions    completions that wait for reap
 */
#include "io/io.h"

#include "base/time.h"
#include "os/os.h"

#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Constants of the kernel's ABI that the headers of some systems do not have yet. There
 * they begin with IORING_. */
#define SETUP_COOP_TASKRUN (1U << 8)
#define SETUP_SINGLE_ISSUER (1U << 12)
#define SETUP_DEFER_TASKRUN (1U << 13)
#define ENTER_EXT_ARG (1U << 3)
#define FEAT_EXT_ARG (1U << 8)

/* The kernel's struct io_uring_getevents_arg, which some headers do not have either. */
struct wait_argument {
    uint64_t mask;
    uint32_t mask_size, reserved;
    uint64_t limit; /* address of a struct __kernel_timespec */
};

/*
 * Flags of a ring, best first. With SETUP_SINGLE_ISSUER only one thread may use the
 * ring. So the ring starts disabled, and begin enables it on the thread that will use
 * it. A seccomp filter may allow io_uring_setup(2) but not the call that enables the
 * ring; then the next flags are tried.
 */
static const unsigned setups[] = {
    SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED,
    SETUP_SINGLE_ISSUER | SETUP_COOP_TASKRUN | IORING_SETUP_R_DISABLED,
    SETUP_COOP_TASKRUN,
    0,
};

struct io_queue {
    struct io_config config;
    int fd;                   /* descriptor of the rings */
    unsigned setup, features; /* IORING_SETUP_ flags in use, IORING_FEAT_ of the kernel */

    /*
     * The submission ring. Entries from the kernel's head up to `tail` wait to be sent.
     */
    unsigned *sent_head, *sent_tail, sent_mask, tail;
    struct io_uring_sqe *entries;
    bool fixed_buffers;  /* the buffers are registered with the kernel */
    uint8_t entry_flags; /* IOSQE_ flags of every entry */
    int target;          /* the target in every entry: a descriptor, or the index of the
                          * registered file */

    /* The completion ring. Completions from `taken` up to the kernel's tail are new. */
    unsigned *done_head, *done_tail, done_mask, done_head_own;
    struct io_uring_cqe *completions;

    void *rings; /* memory of both rings */
    size_t rings_size, entries_size;
};

static unsigned
load(const unsigned *end)
{
    return __atomic_load_n(end, __ATOMIC_ACQUIRE);
}

static void
store_release(unsigned *end, unsigned value)
{
    __atomic_store_n(end, value, __ATOMIC_RELEASE);
}

static int
do_register(const struct io_queue *queue, unsigned operation, const void *what,
            unsigned count)
{
    return (int)syscall(SYS_io_uring_register, (long)queue->fd, (unsigned long)operation,
                        what, (unsigned long)count);
}

/* Returns the number of requests in flight: taken by the kernel and not completed. */
static unsigned
count_under_way(const struct io_queue *queue)
{
    return queue->sent_head ? load(queue->sent_head) - load(queue->done_tail) : 0;
}

/*
 * The kernel cancels requests in flight only after the ring is closed. It cannot cancel
 * some reads of a disk at all: these end when the disk has answered, and write to their
 * buffers then. So the buffers must stay if any request is in flight.
 */
static bool
uring_close(struct io_queue *queue)
{
    bool over = count_under_way(queue) == 0;

    if (queue->entries)
        munmap(queue->entries, queue->entries_size);
    if (queue->rings)
        munmap(queue->rings, queue->rings_size);
    if (queue->fd >= 0)
        close(queue->fd);

    return over;
}

/*
 * Creates the ring with the best of `setups` that the kernel accepts. Requires a feature
 * of Linux 5.6, because that kernel is the first with plain reads and writes. Also tests
 * whether begin will be able to enable the ring, by a call with a wrong number of
 * arguments: the kernel refuses it with EINVAL, a seccomp filter with another error.
 * Returns 0, or -1 with errno.
 */
static int
create_ring(struct io_queue *queue, struct io_uring_params *params)
{
    for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
        *params = (struct io_uring_params){
            .flags = setups[i] | (queue->config.poll ? IORING_SETUP_IOPOLL : 0)};

        queue->fd = (int)syscall(SYS_io_uring_setup, (long)queue->config.depth, params);
        if (queue->fd < 0 && errno != EINVAL)
            return -1;
        if (queue->fd < 0)
            continue;

        queue->setup = params->flags;
        queue->features = params->features;

        if (!(queue->setup & IORING_SETUP_R_DISABLED) ||
            (do_register(queue, IORING_REGISTER_ENABLE_RINGS, NULL, 1) < 0 &&
             errno == EINVAL))
            return queue->features & IORING_FEAT_RW_CUR_POS ? 0 : os_fail(ENOSYS);

        close(queue->fd);
        queue->fd = -1;
    }
    return -1;
}

/* Maps SIZE bytes of the rings, beginning at offset WHAT. Returns NULL with errno if that
 * fails. */
static void *
map(const struct io_queue *queue, size_t size, int64_t what)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        queue->fd, what);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Returns the address of the word at OFFSET, bytes, in the memory of the rings. */
static unsigned *
word(const struct io_queue *queue, unsigned offset)
{
    return (unsigned *)(void *)((char *)queue->rings + offset);
}

/* Maps the rings, and stores the addresses of their counters. Returns 0, or -1 with
 * errno. */
static int
map_rings(struct io_queue *queue, const struct io_uring_params *params)
{
    const struct io_sqring_offsets *sent = &params->sq_off;
    const struct io_cqring_offsets *done = &params->cq_off;
    size_t ends[] = {sent->array + params->sq_entries * sizeof(unsigned),
                     done->cqes + params->cq_entries * sizeof(struct io_uring_cqe)};

    queue->rings_size = ends[0] > ends[1] ? ends[0] : ends[1];
    queue->entries_size = params->sq_entries * sizeof(struct io_uring_sqe);
    queue->rings = map(queue, queue->rings_size, IORING_OFF_SQ_RING);
    queue->entries = map(queue, queue->entries_size, IORING_OFF_SQES);
    if (!queue->rings || !queue->entries)
        return -1;

    queue->sent_head = word(queue, sent->head);
    queue->sent_tail = word(queue, sent->tail);
    queue->sent_mask = *word(queue, sent->ring_mask);

    queue->done_head = word(queue, done->head);
    queue->done_tail = word(queue, done->tail);
    queue->done_mask = *word(queue, done->ring_mask);
    queue->completions = (void *)word(queue, done->cqes);

    /* The kernel allows entries in any order. Here their order is always the same. */
    for (unsigned i = 0; i < params->sq_entries; i++)
        word(queue, sent->array)[i] = i;
    return 0;
}

/*
 * Registers the buffers, so that the kernel does not look up the pages of a buffer for
 * each request. The kernel may refuse, for example because of the limit of locked
 * memory; then requests use the buffers as plain memory. There are no buffers in a queue
 * that was only opened to find out how many requests it can have in flight.
 */
static void
register_buffers(struct io_queue *queue)
{
    const struct io_config *config = &queue->config;
    if (!config->memory)
        return;

    struct iovec *buffers = calloc((size_t)config->depth, sizeof(*buffers));
    if (!buffers)
        return;

    for (int i = 0; i < config->depth; i++)
        buffers[i] = (struct iovec){.iov_base = config->memory + (size_t)i * config->size,
                                    .iov_len = config->size};

    queue->fixed_buffers = do_register(queue, IORING_REGISTER_BUFFERS, buffers,
                                       (unsigned)config->depth) == 0;
    free(buffers);
}

/*
 * Opens the ring and registers the target's descriptor, so that the kernel does not look
 * up the descriptor for each request. The kernel may refuse to register it.
 *
 * The kernel first tries to execute a request without waiting. A character device may
 * then stop after any page, for example because another thread needs the processor. The
 * kernel completes such partial requests for files and block devices, but not for
 * character devices. Therefore larger requests to character devices go directly to the
 * kernel's worker threads (IOSQE_ASYNC), which may wait.
 */
static int
uring_open(struct io_queue *queue, const struct io_config *config)
{
    struct io_uring_params params;
    *queue = (struct io_queue){.config = *config, .fd = -1, .target = config->fd};

    if (create_ring(queue, &params) < 0 || map_rings(queue, &params) < 0)
        return -1;

    if (do_register(queue, IORING_REGISTER_FILES, &config->fd, 1) >= 0) {
        queue->entry_flags = IOSQE_FIXED_FILE;
        queue->target = 0; /* index of the first registered file */
    }

    register_buffers(queue);

    if (config->size > 4096 && config->kind == OS_CHARACTER)
        queue->entry_flags |= IOSQE_ASYNC;
    return 0;
}

static int
uring_begin(struct io_queue *queue)
{
    if (!(queue->setup & IORING_SETUP_R_DISABLED))
        return 0;

    return do_register(queue, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

/*
 * Unregisters the file and the buffers. The kernel frees a ring some time after it was
 * closed. Until then the ring would keep the file open, the file system in use, and the
 * memory of the buffers occupied. Only the thread that uses a single-issuer ring may
 * unregister. While requests are in flight nothing is unregistered, because some kernels
 * would wait for these requests.
 */
static void
uring_end(struct io_queue *queue)
{
    if (count_under_way(queue) > 0)
        return;

    if (queue->entry_flags & IOSQE_FIXED_FILE)
        do_register(queue, IORING_UNREGISTER_FILES, NULL, 0);
    if (queue->fixed_buffers)
        do_register(queue, IORING_UNREGISTER_BUFFERS, NULL, 0);
}

/*
 * Opcodes with plain buffers and with registered buffers. An operation that io_uring
 * does not have gets IORING_OP_NOP (0), which does nothing; `take` then executes the
 * operation.
 */
static const uint8_t opcodes[OPERATIONS][2] = {
    [OPERATION_READ] = {IORING_OP_READ, IORING_OP_READ_FIXED},
    [OPERATION_WRITE] = {IORING_OP_WRITE, IORING_OP_WRITE_FIXED},
    [OPERATION_FLUSH] = {IORING_OP_FSYNC, IORING_OP_FSYNC}};

static void
uring_submit(struct io_queue *queue, const struct io_request *request)
{
    unsigned slot = (unsigned)request->slot;
    struct io_uring_sqe *entry = &queue->entries[queue->tail++ & queue->sent_mask];

    *entry =
        (struct io_uring_sqe){.opcode = opcodes[request->operation][queue->fixed_buffers],
                              .flags = queue->entry_flags,
                              .fd = queue->target,
                              .user_data = (uintptr_t)request};
    if (request->operation == OPERATION_FLUSH)
        entry->fsync_flags = IORING_FSYNC_DATASYNC;

    if (!(operations[request->operation].flags & OPERATION_MOVES))
        return;

    entry->off = (uint64_t)request->offset;
    entry->addr = (uintptr_t)(queue->config.memory + slot * queue->config.size);
    entry->len = (uint32_t)request->size;
    entry->rw_flags = queue->config.rw_flags & OS_RW_NOWAIT ? RWF_NOWAIT : 0;
    entry->buf_index = queue->fixed_buffers ? (uint16_t)slot : 0;
}

/* Returns the number of requests that were submitted and not taken by the kernel. */
static unsigned
count_waiting(const struct io_queue *queue)
{
    return queue->tail - load(queue->sent_head);
}

/* Returns the number of new completions. */
static unsigned
count_completed(const struct io_queue *queue)
{
    return load(queue->done_tail) - queue->done_head_own;
}

/*
 * Sends COUNT requests and waits for a completion for at most LEFT ns; INT64_MAX is no
 * limit. Kernels without FEAT_EXT_ARG cannot limit a wait. With those, this function
 * waits with ppoll(2) on the descriptor of the rings. Returns how many requests the
 * kernel took, also if no completion came in time, or -1 with errno.
 */
static int
enter(const struct io_queue *queue, unsigned count, int64_t left)
{
    bool limited = left > 0 && left < INT64_MAX;
    bool known = limited && queue->features & FEAT_EXT_ARG;
    unsigned wanted = left > 0 && limited == known;
    struct __kernel_timespec limit;
    struct wait_argument argument = {.limit = (uintptr_t)&limit};

    if (known)
        limit = (struct __kernel_timespec){left / SECOND, left % SECOND};

    int took = (int)syscall(SYS_io_uring_enter, (long)queue->fd, (unsigned long)count,
                            (unsigned long)wanted,
                            IORING_ENTER_GETEVENTS | (known ? ENTER_EXT_ARG : 0UL),
                            known ? &argument : NULL, known ? sizeof(argument) : 0);

    if (limited == known || took < (int)count || count_completed(queue))
        return took;

    struct timespec rest = time_spec(left);
    struct pollfd ring = {.fd = queue->fd, .events = POLLIN};
    return ppoll(&ring, 1, &rest, NULL) < 0 ? -1 : took;
}

/* Takes back all requests that the kernel has not taken, and completes them with errno
 * ERROR. Returns their number. */
static int
take_back(struct io_queue *queue, struct io_completion *done, int error)
{
    int count = 0;

    for (unsigned left = count_waiting(queue); left > 0; left--) {
        uint64_t data = queue->entries[--queue->tail & queue->sent_mask].user_data;
        done[count++] = io_complete((const void *)(uintptr_t)data, -error);
    }

    return count;
}

/* Stores all new completions in DONE. Returns their number. */
static int
take(struct io_queue *queue, struct io_completion *done)
{
    int count = 0;
    unsigned at = queue->done_head_own;
    unsigned tail = load(queue->done_tail);

    for (; at != tail; at++) {
        const struct io_uring_cqe *completion =
            &queue->completions[at & queue->done_mask];
        const struct io_request *request = (const void *)(uintptr_t)completion->user_data;

        done[count++] = opcodes[request->operation][0] == IORING_OP_NOP
                            ? io_perform(&queue->config, request)
                            : io_complete(request, completion->res);
    }

    queue->done_head_own = at;
    store_release(queue->done_head, at);
    return count;
}

/*
 * Returns how long one call of enter may wait for a completion, in ns. In a polled ring
 * the calling thread itself polls the device, without a time limit. So, unless WHEN is
 * INT64_MAX, each call polls such a ring only once.
 */
static int64_t
time_left(const struct io_queue *queue, int64_t when)
{
    if (when == INT64_MAX || when == IO_AT_ONCE)
        return when;
    if (queue->setup & IORING_SETUP_IOPOLL)
        return 0;

    int64_t left = when - os_clock_now();
    return left > 0 ? left : 0;
}

/*
 * Continues after enter has failed with errno CODE. EAGAIN and EBUSY mean that the
 * kernel has no room for more requests. It has room again when a request in flight
 * completes, so this function waits for one. If no request is in flight, there will
 * never be room, and the waiting requests are completed with CODE. Returns the number of
 * completions in DONE, or -1 with errno.
 */
static int
recover(struct io_queue *queue, struct io_completion *done, int64_t when, int code)
{
    if ((code == EAGAIN || code == EBUSY) && !count_completed(queue)) {
        if (load(queue->sent_head) == queue->done_head_own)
            return take_back(queue, done, code);
        code = enter(queue, 0, time_left(queue, when)) < 0 ? errno : 0;
    }

    if (count_completed(queue) || code == 0 || code == EINTR || code == ETIME)
        return take(queue, done);
    return os_fail(code);
}

static int
uring_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    store_release(queue->sent_tail, queue->tail);

    for (;;) {
        unsigned waiting = count_waiting(queue);
        unsigned completed = count_completed(queue);
        if (completed && !waiting)
            return take(queue, done);

        int took = enter(queue, waiting, completed ? 0 : time_left(queue, when));
        if (took < 0 || (took == 0 && waiting))
            return recover(queue, done, when, took < 0 ? errno : EAGAIN);

        if ((unsigned)took == waiting)
            return take(queue, done);
        /* The kernel stops after an invalid request: send the requests behind it. */
    }
}

const struct io_engine io_linux_uring = {
    .name = "io_uring",
    .option = 'U',
    .queues_requests = true,
    .can_poll = true,
    .advice_errno = EMFILE,
    .advice = "allow more open files (ulimit -n)",
    .queue_size = sizeof(struct io_queue),
    .open = uring_open,
    .begin = uring_begin,
    .submit = uring_submit,
    .reap = uring_reap,
    .end = uring_end,
    .close = uring_close,
};
