/*
 * io_uring(7), by its system calls. A queue has two rings in memory that is shared with
 * the kernel. Requests go to the kernel in the submission ring (sq_), and completions
 * come back in the completion ring (cq_):
 *
 *                      oldest                                newest
 *   submission ring    head, moved by the kernel   ...       tail, moved by this file
 *   completion ring    head, moved by this file    ...       tail, moved by the kernel
 *
 * Heads and tails are counters that only grow and wrap around at 2^32. A counter modulo
 * the size of its ring, by an & with the mask of the ring, is the index of an entry. Each
 * side stores its own counter with release order, and loads the other side's counter with
 * acquire order.
 *
 * submit only fills the next entry of the submission ring. reap publishes all new
 * entries, and sends them and waits for a completion in a single system call. It makes
 * no call at all if nothing is to be sent and a completion is already there.
 *
 * Neither ring can overflow: both have room for one entry per slot, and each request has
 * exactly one completion. So differences of counters are numbers of requests:
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

#define PAGE 4096 /* bytes */

/* Constants of the kernel's ABI that the headers of some systems do not have yet. In
 * newer headers, IORING_ stands before these names. */
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
 * Flags to create a ring with, best first. With SETUP_SINGLE_ISSUER only the thread that
 * enables the ring may use it. So the ring is created disabled, and begin enables it on
 * the thread that will use it. A seccomp filter may allow io_uring_setup(2) but not the
 * call that enables the ring; then the next flags are tried.
 */
static const unsigned setups[] = {
    SETUP_SINGLE_ISSUER | SETUP_DEFER_TASKRUN | IORING_SETUP_R_DISABLED,
    SETUP_SINGLE_ISSUER | SETUP_COOP_TASKRUN | IORING_SETUP_R_DISABLED,
    SETUP_COOP_TASKRUN,
    0,
};

struct io_queue {
    struct io_config config;
    int fd;                   /* descriptor of the ring */
    unsigned setup, features; /* IORING_SETUP_ flags of the ring, and IORING_FEAT_ flags
                               * of the kernel */

    /*
     * The submission ring. Entries from `sq_head` up to `sq_own_tail` wait to be sent;
     * reap stores `sq_own_tail` in `sq_tail` before it sends them.
     */
    unsigned *sq_head, *sq_tail, sq_mask, sq_own_tail;
    struct io_uring_sqe *entries;
    bool fixed_buffers;  /* the buffers are registered with the kernel */
    uint8_t entry_flags; /* IOSQE_ flags of every entry */
    int target;          /* target of every entry: a descriptor, or the index of the
                          * registered file */

    /*
     * The completion ring. Completions from `cq_own_head` up to `cq_tail` are new. The
     * kernel reads `cq_head`, which equals `cq_own_head`.
     */
    unsigned *cq_head, *cq_tail, cq_mask, cq_own_head;
    struct io_uring_cqe *completions;

    void *rings;                     /* memory of both rings, except `entries` */
    size_t rings_size, entries_size; /* bytes */
};

/* Returns a counter of a ring that the kernel may change. */
static unsigned
load_counter(const unsigned *counter)
{
    return __atomic_load_n(counter, __ATOMIC_ACQUIRE);
}

/* Stores a counter of a ring for the kernel. */
static void
store_counter(unsigned *counter, unsigned value)
{
    __atomic_store_n(counter, value, __ATOMIC_RELEASE);
}

/* Calls io_uring_register(2) for the ring of QUEUE. */
static int
ring_register(const struct io_queue *queue, unsigned operation, const void *argument,
              unsigned count)
{
    return (int)syscall(SYS_io_uring_register, (long)queue->fd, (unsigned long)operation,
                        argument, (unsigned long)count);
}

/* Returns the number of requests in flight: the kernel has accepted them, and they are
 * not complete. */
static unsigned
count_in_flight(const struct io_queue *queue)
{
    if (!queue->sq_head) /* the ring was not mapped */
        return 0;
    return load_counter(queue->sq_head) - load_counter(queue->cq_tail);
}

/*
 * The kernel cancels requests in flight only some time after the ring is closed. It
 * cannot cancel some reads of a disk at all: such a read ends when the disk has answered,
 * and only then writes to its buffer. So the buffers must stay if any request is in
 * flight.
 */
static bool
uring_close(struct io_queue *queue)
{
    bool may_free_buffers = count_in_flight(queue) == 0;

    if (queue->entries)
        munmap(queue->entries, queue->entries_size);
    if (queue->rings)
        munmap(queue->rings, queue->rings_size);
    if (queue->fd >= 0)
        close(queue->fd);

    return may_free_buffers;
}

/*
 * Returns whether uring_begin will be able to enable the ring. A ring that was created
 * enabled needs no call. Otherwise tries the call with a wrong number of arguments: the
 * kernel refuses it with EINVAL, a seccomp filter with another error.
 */
static bool
can_be_enabled(const struct io_queue *queue)
{
    if (!(queue->setup & IORING_SETUP_R_DISABLED))
        return true;

    int status = ring_register(queue, IORING_REGISTER_ENABLE_RINGS, NULL, 1);
    return status < 0 && errno == EINVAL;
}

/*
 * Creates the ring with the best of `setups` that the kernel accepts. Fails with ENOSYS
 * on kernels before Linux 5.6, which lack IORING_OP_READ and IORING_OP_WRITE; they are
 * recognised by IORING_FEAT_RW_CUR_POS, a feature of the same release. Returns 0, or -1
 * with errno.
 */
static int
create_ring(struct io_queue *queue, struct io_uring_params *params)
{
    unsigned poll_flag = queue->config.poll ? IORING_SETUP_IOPOLL : 0;

    for (size_t i = 0; i < sizeof(setups) / sizeof(setups[0]); i++) {
        *params = (struct io_uring_params){.flags = setups[i] | poll_flag};

        queue->fd = (int)syscall(SYS_io_uring_setup, (long)queue->config.depth, params);
        if (queue->fd < 0 && errno != EINVAL)
            return -1;
        if (queue->fd < 0)
            continue;

        queue->setup = params->flags;
        queue->features = params->features;

        if (can_be_enabled(queue))
            return queue->features & IORING_FEAT_RW_CUR_POS ? 0 : os_fail(ENOSYS);

        close(queue->fd);
        queue->fd = -1;
    }
    return -1;
}

/* Maps SIZE bytes of memory that is shared with the kernel. OFFSET, an IORING_OFF_
 * constant, selects the memory: the rings or the submission entries. Returns NULL with
 * errno if that fails. */
static void *
map_ring_memory(const struct io_queue *queue, size_t size, int64_t offset)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                        queue->fd, offset);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Returns the address of the word that lies OFFSET bytes after the start of `rings`. */
static unsigned *
ring_word(const struct io_queue *queue, unsigned offset)
{
    return (unsigned *)(void *)((char *)queue->rings + offset);
}

/* Maps the rings, and stores the addresses of their counters. Returns 0, or -1 with
 * errno. */
static int
map_rings(struct io_queue *queue, const struct io_uring_params *params)
{
    const struct io_sqring_offsets *sq = &params->sq_off;
    const struct io_cqring_offsets *cq = &params->cq_off;
    size_t sq_size = sq->array + params->sq_entries * sizeof(unsigned);
    size_t cq_size = cq->cqes + params->cq_entries * sizeof(struct io_uring_cqe);

    /* One mapping holds both rings (IORING_FEAT_SINGLE_MMAP, Linux 5.4). */
    queue->rings_size = sq_size > cq_size ? sq_size : cq_size;
    queue->entries_size = params->sq_entries * sizeof(struct io_uring_sqe);
    queue->rings = map_ring_memory(queue, queue->rings_size, IORING_OFF_SQ_RING);
    queue->entries = map_ring_memory(queue, queue->entries_size, IORING_OFF_SQES);
    if (!queue->rings || !queue->entries)
        return -1;

    queue->sq_head = ring_word(queue, sq->head);
    queue->sq_tail = ring_word(queue, sq->tail);
    queue->sq_mask = *ring_word(queue, sq->ring_mask);

    queue->cq_head = ring_word(queue, cq->head);
    queue->cq_tail = ring_word(queue, cq->tail);
    queue->cq_mask = *ring_word(queue, cq->ring_mask);
    queue->completions = (void *)ring_word(queue, cq->cqes);

    /* The kernel takes the submission entries whose indices are in the array of the ring.
     * Here the array never changes: each position has the entry of the same index. */
    for (unsigned i = 0; i < params->sq_entries; i++)
        ring_word(queue, sq->array)[i] = i;
    return 0;
}

/*
 * Registers the buffers, so that the kernel does not look up the pages of a buffer for
 * each request. The kernel may refuse that, for example because of the limit of locked
 * memory; then requests use the buffers as plain memory. A queue of io_find_max_depth,
 * which is never used, has no buffers.
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

    queue->fixed_buffers = ring_register(queue, IORING_REGISTER_BUFFERS, buffers,
                                         (unsigned)config->depth) == 0;
    free(buffers);
}

/*
 * Opens the ring and registers the target's descriptor, so that the kernel does not look
 * up the descriptor for each request. If the kernel refuses to register it, each request
 * names the descriptor.
 *
 * The kernel first tries to execute a request without waiting. A request to a character
 * device may then stop after any page, for example because another thread needs the
 * processor. The kernel continues such partial requests for files and block devices, but
 * not for character devices. Therefore requests to character devices that are larger than
 * a page go directly to the kernel's worker threads (IOSQE_ASYNC), which may wait.
 */
static int
uring_open(struct io_queue *queue, const struct io_config *config)
{
    struct io_uring_params params;
    *queue = (struct io_queue){.config = *config, .fd = -1, .target = config->fd};

    if (create_ring(queue, &params) < 0 || map_rings(queue, &params) < 0)
        return -1;

    if (ring_register(queue, IORING_REGISTER_FILES, &config->fd, 1) >= 0) {
        queue->entry_flags = IOSQE_FIXED_FILE;
        queue->target = 0; /* index of the first registered file */
    }

    register_buffers(queue);

    if (config->size > PAGE && config->kind == OS_CHARACTER)
        queue->entry_flags |= IOSQE_ASYNC;
    return 0;
}

static int
uring_begin(struct io_queue *queue)
{
    if (!(queue->setup & IORING_SETUP_R_DISABLED))
        return 0;

    return ring_register(queue, IORING_REGISTER_ENABLE_RINGS, NULL, 0);
}

/*
 * Unregisters the file and the buffers. The kernel frees a ring only some time after it
 * was closed. Until then the ring would keep the file open, the file system in use, and
 * the memory of the buffers occupied. This is not left to close, because only the thread
 * that uses a single-issuer ring may unregister. While requests are in flight nothing is
 * unregistered, because some kernels would wait for these requests.
 */
static void
uring_end(struct io_queue *queue)
{
    if (count_in_flight(queue) > 0)
        return;

    if (queue->entry_flags & IOSQE_FIXED_FILE)
        ring_register(queue, IORING_UNREGISTER_FILES, NULL, 0);
    if (queue->fixed_buffers)
        ring_register(queue, IORING_UNREGISTER_BUFFERS, NULL, 0);
}

/*
 * Opcodes with plain buffers and with registered buffers. An operation that io_uring does
 * not have gets IORING_OP_NOP (0), which does nothing; take_completions then executes the
 * operation.
 */
static const struct {
    uint8_t plain, registered;
} opcodes[OPERATIONS] = {
    [OPERATION_READ] = {IORING_OP_READ, IORING_OP_READ_FIXED},
    [OPERATION_WRITE] = {IORING_OP_WRITE, IORING_OP_WRITE_FIXED},
    [OPERATION_FLUSH] = {IORING_OP_FSYNC, IORING_OP_FSYNC},
};

static void
uring_submit(struct io_queue *queue, const struct io_request *request)
{
    unsigned slot = (unsigned)request->slot;
    struct io_uring_sqe *entry = &queue->entries[queue->sq_own_tail & queue->sq_mask];
    queue->sq_own_tail++;

    uint8_t opcode = opcodes[request->operation].plain;
    if (queue->fixed_buffers)
        opcode = opcodes[request->operation].registered;

    *entry = (struct io_uring_sqe){.opcode = opcode,
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

/* Returns the number of submitted requests that the kernel has not accepted yet. */
static unsigned
count_waiting(const struct io_queue *queue)
{
    return queue->sq_own_tail - load_counter(queue->sq_head);
}

/* Returns the number of new completions. */
static unsigned
count_completed(const struct io_queue *queue)
{
    return load_counter(queue->cq_tail) - queue->cq_own_head;
}

/*
 * Sends COUNT requests, and waits at most WAIT ns for a completion. INT64_MAX means that
 * there is no limit. Kernels without FEAT_EXT_ARG cannot limit a wait in
 * io_uring_enter(2); with them this function waits with ppoll(2) on the descriptor of the
 * ring instead. Returns how many requests the kernel accepted, also if no completion came
 * in time, or -1 with errno.
 */
static int
enter_kernel(const struct io_queue *queue, unsigned count, int64_t wait)
{
    bool has_limit = wait > 0 && wait < INT64_MAX;
    bool kernel_limits = has_limit && queue->features & FEAT_EXT_ARG;
    bool needs_ppoll = has_limit && !kernel_limits;
    unsigned long wanted_completions = wait > 0 && !needs_ppoll ? 1 : 0;

    struct __kernel_timespec limit;
    struct wait_argument wait_argument = {.limit = (uintptr_t)&limit};
    unsigned long flags = IORING_ENTER_GETEVENTS;
    const void *argument = NULL;
    size_t argument_size = 0;

    if (kernel_limits) {
        limit = (struct __kernel_timespec){wait / SECOND, wait % SECOND};
        flags |= ENTER_EXT_ARG;
        argument = &wait_argument;
        argument_size = sizeof(wait_argument);
    }

    int accepted = (int)syscall(SYS_io_uring_enter, (long)queue->fd, (unsigned long)count,
                                wanted_completions, flags, argument, argument_size);

    if (!needs_ppoll || accepted < (int)count || count_completed(queue) > 0)
        return accepted;

    struct timespec rest = time_spec(wait);
    struct pollfd ring = {.fd = queue->fd, .events = POLLIN};
    return ppoll(&ring, 1, &rest, NULL) < 0 ? -1 : accepted;
}

/* Takes back all requests that the kernel has not accepted, and stores their completions,
 * with errno ERROR, in DONE. Returns their number. */
static int
take_back_requests(struct io_queue *queue, struct io_completion *done, int error)
{
    int count = 0;

    for (unsigned waiting = count_waiting(queue); waiting > 0; waiting--) {
        queue->sq_own_tail--;
        uint64_t data = queue->entries[queue->sq_own_tail & queue->sq_mask].user_data;
        done[count++] = io_complete((const void *)(uintptr_t)data, -error);
    }

    return count;
}

/* Stores all new completions in DONE. Returns their number. */
static int
take_completions(struct io_queue *queue, struct io_completion *done)
{
    int count = 0;
    unsigned head = queue->cq_own_head;
    unsigned tail = load_counter(queue->cq_tail);

    for (; head != tail; head++) {
        const struct io_uring_cqe *completion =
            &queue->completions[head & queue->cq_mask];
        const struct io_request *request = (const void *)(uintptr_t)completion->user_data;

        if (opcodes[request->operation].plain == IORING_OP_NOP)
            done[count] = io_perform(&queue->config, request);
        else
            done[count] = io_complete(request, completion->res);
        count++;
    }

    queue->cq_own_head = head;
    store_counter(queue->cq_head, head);
    return count;
}

/*
 * Returns how long one call of enter_kernel may wait for a completion, in ns. WHEN is the
 * time until which reap may wait. A polled ring (IOPOLL) is special: the kernel polls the
 * device on the calling thread, and no time limit ends that. So for a polled ring the
 * function returns 0, which makes the kernel poll only once. If WHEN is INT64_MAX, reap
 * has no limit, and the function returns INT64_MAX for every ring.
 */
static int64_t
limit_kernel_wait(const struct io_queue *queue, int64_t when)
{
    if (when == INT64_MAX || when == IO_AT_ONCE)
        return when;
    if (queue->setup & IORING_SETUP_IOPOLL)
        return 0;

    int64_t wait = when - os_clock_now();
    return wait > 0 ? wait : 0;
}

/*
 * Continues after enter_kernel has failed with errno CODE. EAGAIN and EBUSY mean that the
 * kernel has no room for more requests. It has room again when a request in flight
 * completes, so this function waits for a completion until WHEN. If no request is in
 * flight, there will never be room, so the waiting requests are completed with CODE.
 * Returns the number of completions in DONE, or -1 with errno.
 */
static int
recover_from_failure(struct io_queue *queue, struct io_completion *done, int64_t when,
                     int code)
{
    if ((code == EAGAIN || code == EBUSY) && !count_completed(queue)) {
        if (load_counter(queue->sq_head) == queue->cq_own_head)
            return take_back_requests(queue, done, code);
        code = enter_kernel(queue, 0, limit_kernel_wait(queue, when)) < 0 ? errno : 0;
    }

    if (count_completed(queue) || code == 0 || code == EINTR || code == ETIME)
        return take_completions(queue, done);
    return os_fail(code);
}

static int
uring_reap(struct io_queue *queue, struct io_completion *done, int64_t when)
{
    store_counter(queue->sq_tail, queue->sq_own_tail);

    for (;;) {
        unsigned waiting = count_waiting(queue);
        unsigned completed = count_completed(queue);
        if (completed && !waiting)
            return take_completions(queue, done);

        int64_t wait = completed ? 0 : limit_kernel_wait(queue, when);
        int accepted = enter_kernel(queue, waiting, wait);
        if (accepted < 0)
            return recover_from_failure(queue, done, when, errno);
        if (accepted == 0 && waiting)
            return recover_from_failure(queue, done, when, EAGAIN);

        if ((unsigned)accepted == waiting)
            return take_completions(queue, done);
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
