/*
 * Faults of io_uring requests. A request with a fault is replaced by a no-op or a
 * timeout. Its completion is recognised by its user data, which must be unique among the
 * requests in flight. This library has its own mappings of the rings, so it does not
 * depend on those of the program. The program must not let a kernel thread submit its
 * requests (IORING_SETUP_SQPOLL).
 */
#define _GNU_SOURCE
#include "faults.h"
#include "faults_async.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct code operations[] = {
    {IORING_OP_READ, "read"},     {IORING_OP_READ_FIXED, "read"},
    {IORING_OP_READV, "readv"},   {IORING_OP_WRITE, "write"},
    {IORING_OP_WRITEV, "writev"}, {IORING_OP_WRITE_FIXED, "write"},
    {IORING_OP_FSYNC, "flush"},   {0, NULL},
};

/* The mappings of a ring: submission queue, completion queue, submission queue entries.
 */
enum { SQ, CQ, SQES, MAPS };

struct ring {
    struct io_uring_params params;
    char *maps[MAPS];
    size_t sizes[MAPS];         /* bytes of each mapping */
    struct replaced *under_way; /* replaced requests that have not completed */
    unsigned sent;              /* position after the last request that was examined */
    unsigned seen;              /* position after the last completion that was examined */
    int added;                  /* the ring has flags that the program did not ask for */
    int sleeping;               /* the ring is disabled until the first io_uring_enter */
};

/* The rings, by their file descriptors. */
static struct ring *rings[1024];

/* The file descriptors of registered rings, by their index. The kernel has a separate
 * table of them for each thread. */
static __thread int registered[16];

#define LENGTH(array) ((long)(sizeof(array) / sizeof((array)[0])))

/* Returns the ring with the descriptor FD, or with the registered index FD. Returns NULL
 * if it is unknown. */
static struct ring *
find_ring(long fd, int is_index)
{
    if (is_index)
        fd = fd >= 0 && fd < LENGTH(registered) ? registered[fd] : -1;
    return fd >= 0 && fd < LENGTH(rings) ? rings[fd] : NULL;
}

/* Maps a new ring and adds it to `rings`. */
static struct ring *
add_ring(int fd, const struct io_uring_params *params)
{
    static const off_t offsets[MAPS] = {IORING_OFF_SQ_RING, IORING_OFF_CQ_RING,
                                        IORING_OFF_SQES};
    const size_t sizes[MAPS] = {
        params->sq_off.array + params->sq_entries * sizeof(unsigned),
        params->cq_off.cqes + params->cq_entries * sizeof(struct io_uring_cqe),
        params->sq_entries * sizeof(struct io_uring_sqe)};
    struct ring *ring = calloc(1, sizeof(*ring));
    if (!ring || fd >= LENGTH(rings))
        faults_refuse("no room for a ring", strerror(ENOMEM));
    ring->params = *params;
    for (int i = 0; i < MAPS; i++) {
        ring->sizes[i] = sizes[i];
        ring->maps[i] =
            mmap(NULL, sizes[i], PROT_READ | PROT_WRITE, MAP_SHARED, fd, offsets[i]);
        if (ring->maps[i] == MAP_FAILED)
            faults_refuse("cannot map a ring", strerror(errno));
    }
    rings[fd] = ring;
    return ring;
}

/* Unmaps the ring, because its mappings would keep it alive after the descriptor is
 * closed. */
void
faults_closing(int fd)
{
    struct ring *ring = find_ring(fd, 0);
    if (!ring)
        return;
    rings[fd] = NULL;
    for (int i = 0; i < MAPS; i++)
        munmap(ring->maps[i], ring->sizes[i]);
    while (ring->under_way) {
        struct replaced *replaced = ring->under_way;
        ring->under_way = replaced->next;
        free(replaced);
    }
    free(ring);
}

/*
 * A timeout may expire at any time. The program could then read its completion from the
 * ring, without a system call, before this library has changed the result. Therefore, if
 * a rule delays requests, the ring gets the flag IORING_SETUP_DEFER_TASKRUN, if the
 * kernel knows it. Then the kernel posts completions only in io_uring_enter. This flag
 * requires that one thread makes all calls of io_uring_enter: the thread that enables the
 * ring. So the ring is created disabled, and the thread of the first io_uring_enter
 * enables it.
 */
long
faults_uring_setup(long *argument)
{
    struct io_uring_params *asked = (struct io_uring_params *)argument[1];
    struct io_uring_params params = *asked;
    unsigned wanted = IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_SINGLE_ISSUER;
    unsigned added = 0;
    long fd = -1;
    if (!faults_has(URING, ACTIONS))
        return faults_real(SYS_io_uring_setup, argument);
    if (faults_has(URING, DELAY) && wanted & ~asked->flags) {
        added = (wanted | IORING_SETUP_R_DISABLED) & ~asked->flags;
        params.flags |= added;
        fd = faults_real(SYS_io_uring_setup, (long[6]){argument[0], (long)&params});
    }
    if (fd < 0) {
        added = 0;
        params = *asked;
        fd = faults_real(SYS_io_uring_setup, (long[6]){argument[0], (long)&params});
    }
    if (fd < 0)
        return fd;
    struct ring *ring = add_ring((int)fd, &params);
    ring->added = added != 0;
    ring->sleeping = (added & IORING_SETUP_R_DISABLED) != 0;
    *asked = params;
    asked->flags &= ~added;
    return fd;
}

/* Reads a number that the kernel and the program share, OFFSET bytes into a mapping. */
static unsigned
load_shared(const char *memory, unsigned offset)
{
    return __atomic_load_n((const unsigned *)(memory + offset), __ATOMIC_ACQUIRE);
}

/* Replaces the request at POSITION of the submission queue if it has a fault. */
static void
replace_if_faulty(struct ring *ring, unsigned position)
{
    const struct io_sqring_offsets *offsets = &ring->params.sq_off;
    unsigned index = position & load_shared(ring->maps[SQ], offsets->ring_mask);
    if (offsets->array) /* absent with IORING_SETUP_NO_SQARRAY */
        index =
            load_shared(ring->maps[SQ], offsets->array + index * (unsigned)sizeof(index));
    if (index >= ring->params.sq_entries)
        return;
    struct io_uring_sqe *sqe = (struct io_uring_sqe *)ring->maps[SQES] + index;
    struct replaced *replaced =
        faults_replace(URING, operations, sqe->opcode, sqe->addr, sqe->len);
    if (!replaced)
        return;
    if (replaced->ms > 0 && ring->params.flags & IORING_SETUP_IOPOLL)
        faults_refuse("cannot delay a request", "its ring is polled");
    replaced->key = sqe->user_data;
    replaced->uring.place = sqe;
    replaced->uring.before = *sqe;
    replaced->uring.position = position;
    *sqe = (struct io_uring_sqe){
        .opcode = IORING_OP_NOP, .fd = -1, .user_data = replaced->key};
    if (replaced->ms > 0) {
        replaced->uring.time.tv_sec = replaced->ms / 1000;
        replaced->uring.time.tv_nsec = replaced->ms % 1000 * 1000000;
        sqe->opcode = IORING_OP_TIMEOUT;
        sqe->addr = (uintptr_t)&replaced->uring.time;
        sqe->len = 1;
    }
    faults_add(&ring->under_way, replaced);
}

/* Replaces requests that are about to be sent, enables the ring, and adapts the arguments
 * of io_uring_enter to the added flags. */
static void
prepare_enter(struct ring *ring, int fd, long *argument)
{
    unsigned head = load_shared(ring->maps[SQ], ring->params.sq_off.head);
    unsigned ready = load_shared(ring->maps[SQ], ring->params.sq_off.tail) - head;
    if (ready > (unsigned)argument[1])
        ready = (unsigned)argument[1];
    for (; (int)(head + ready - ring->sent) > 0; ring->sent++)
        replace_if_faulty(ring, ring->sent);

    if (ring->sleeping)
        faults_real(SYS_io_uring_register, (long[6]){fd, IORING_REGISTER_ENABLE_RINGS});
    ring->sleeping = 0;

    /* The program does not expect the added flags. Without them the kernel would post
     * completions even in calls without IORING_ENTER_GETEVENTS. */
    if (ring->added && !(argument[3] & IORING_ENTER_GETEVENTS)) {
        argument[2] = 0;
        argument[3] |= IORING_ENTER_GETEVENTS;
    }
}

/* Restores the entries that the kernel has consumed. The program may use an entry again
 * without filling in all of its fields. */
static void
restore_entries(struct ring *ring)
{
    unsigned head = load_shared(ring->maps[SQ], ring->params.sq_off.head);
    struct replaced *replaced = ring->under_way;
    for (; replaced; replaced = replaced->next) {
        if (replaced->uring.place && (int)(head - replaced->uring.position) > 0) {
            *replaced->uring.place = replaced->uring.before;
            replaced->uring.place = NULL;
        }
    }
}

/* Puts the results that the rules demand into the new completions. */
static void
change_results(struct ring *ring)
{
    const struct io_cqring_offsets *offsets = &ring->params.cq_off;
    struct io_uring_cqe *cqes = (struct io_uring_cqe *)(ring->maps[CQ] + offsets->cqes);
    unsigned mask = load_shared(ring->maps[CQ], offsets->ring_mask);
    unsigned tail = load_shared(ring->maps[CQ], offsets->tail);
    for (; ring->seen != tail; ring->seen++) {
        struct io_uring_cqe *cqe = &cqes[ring->seen & mask];
        struct replaced *replaced = faults_take(&ring->under_way, cqe->user_data);
        if (replaced) {
            /* With another result the kernel refused the request that was sent instead,
             * or the program cancelled it. That result stays. */
            int expected = replaced->ms > 0 ? -ETIME : 0;
            if (cqe->res == expected)
                cqe->res = (int)replaced->result;
        }
        free(replaced);
    }
}

long
faults_uring_enter(long *argument)
{
    int is_index = (argument[3] & IORING_ENTER_REGISTERED_RING) != 0;
    struct ring *ring = find_ring(argument[0], is_index);
    if (!ring)
        return faults_real(SYS_io_uring_enter, argument);

    /* Old completions first, because new requests may have the same user data. */
    change_results(ring);
    prepare_enter(ring, is_index ? registered[argument[0]] : (int)argument[0], argument);
    long status = faults_real(SYS_io_uring_enter, argument);
    int error = errno;
    restore_entries(ring);
    change_results(ring);
    errno = error;
    return status;
}

/* struct io_uring_rsrc_update, as it is used to register rings. The kernel sets the
 * index. */
struct ring_fd {
    uint32_t index, reserved;
    uint64_t fd;
};

long
faults_uring_register(long *argument)
{
    const struct ring_fd *updates = (const struct ring_fd *)argument[2];
    int fds[LENGTH(registered)];
    long count = argument[1] == IORING_REGISTER_RING_FDS ? argument[3] : 0;
    if (count > LENGTH(registered))
        count = LENGTH(registered);
    for (long i = 0; i < count; i++)
        fds[i] = (int)updates[i].fd;

    long status = faults_real(SYS_io_uring_register, argument);
    for (long i = 0; i < count && i < status; i++)
        if (updates[i].index < LENGTH(registered))
            registered[updates[i].index] = fds[i];
    return status;
}
