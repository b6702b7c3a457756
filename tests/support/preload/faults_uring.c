/*
 * Faults of io_uring: a no-op or a timeout replaces a chosen request, and its completion
 * is recognised by its user data, which must be unique among the requests under way. The
 * library maps the rings once more and so depends on no mapping of the program's. The
 * program must not use a thread of the kernel to submit (IORING_SETUP_SQPOLL).
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

enum { SQ, CQ, SQES, MAPS };

struct ring {
    struct io_uring_params params;
    char *maps[MAPS];
    size_t sizes[MAPS];
    struct replaced *under_way;
    unsigned sent; /* position behind the last request examined */
    unsigned seen; /* position behind the last completion examined */
    int added;     /* the ring has flags that the program did not ask for */
    int sleeping;  /* disabled until the first io_uring_enter */
};

/* Rings by descriptor. */
static struct ring *rings[1024];

/* Descriptors by their registered index, which is one of the thread. */
static __thread int registered[16];

#define LENGTH(array) ((long)(sizeof(array) / sizeof((array)[0])))

static struct ring *
find(long fd, int is_index)
{
    if (is_index)
        fd = fd >= 0 && fd < LENGTH(registered) ? registered[fd] : -1;
    return fd >= 0 && fd < LENGTH(rings) ? rings[fd] : NULL;
}

static struct ring *
map(int fd, const struct io_uring_params *params)
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
    return rings[fd] = ring;
}

/* Unmaps the ring, which would outlive its descriptor otherwise. */
void
faults_closing(int fd)
{
    struct ring *ring = find(fd, 0);
    if (!ring)
        return;
    rings[fd] = NULL;
    for (int i = 0; i < MAPS; i++)
        munmap(ring->maps[i], ring->sizes[i]);
    for (struct replaced *replaced; (replaced = ring->under_way); free(replaced))
        ring->under_way = replaced->next;
    free(ring);
}

/*
 * A timeout may end at any time, and the program may read the ring without a call, before
 * the result is changed. So if a rule delays requests, IORING_SETUP_DEFER_TASKRUN lets
 * the kernel, if it knows that, complete them in io_uring_enter only. It also demands
 * that one thread makes all of these calls: the one that enabled the ring, by making the
 * first.
 */
long
faults_uring_setup(long *argument)
{
    struct io_uring_params *asked = (struct io_uring_params *)argument[1],
                           params = *asked;
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
    struct ring *ring = map((int)fd, &params);
    ring->added = added != 0;
    ring->sleeping = (added & IORING_SETUP_R_DISABLED) != 0;
    *asked = params;
    asked->flags &= ~added;
    return fd;
}

static unsigned
load(const char *memory, unsigned offset)
{
    return __atomic_load_n((const unsigned *)(memory + offset), __ATOMIC_ACQUIRE);
}

static void
replace(struct ring *ring, unsigned position)
{
    const struct io_sqring_offsets *offsets = &ring->params.sq_off;
    unsigned index = position & load(ring->maps[SQ], offsets->ring_mask);
    if (offsets->array) /* 0 with IORING_SETUP_NO_SQARRAY */
        index = load(ring->maps[SQ], offsets->array + index * (unsigned)sizeof(index));
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
    faults_put(&ring->under_way, replaced);
}

static void
before_enter(struct ring *ring, int fd, long *argument)
{
    unsigned head = load(ring->maps[SQ], ring->params.sq_off.head);
    unsigned ready = load(ring->maps[SQ], ring->params.sq_off.tail) - head;
    if (ready > (unsigned)argument[1])
        ready = (unsigned)argument[1];
    for (; (int)(head + ready - ring->sent) > 0; ring->sent++)
        replace(ring, ring->sent);
    if (ring->sleeping)
        faults_real(SYS_io_uring_register, (long[6]){fd, IORING_REGISTER_ENABLE_RINGS});
    ring->sleeping = 0;
    /* Without the added flags completions come without IORING_ENTER_GETEVENTS too. */
    if (ring->added && !(argument[3] & IORING_ENTER_GETEVENTS)) {
        argument[2] = 0;
        argument[3] |= IORING_ENTER_GETEVENTS;
    }
}

/* Restores the entries that the kernel has consumed: the program may use them again
 * without filling them in. */
static void
restore(struct ring *ring)
{
    unsigned head = load(ring->maps[SQ], ring->params.sq_off.head);
    struct replaced *replaced = ring->under_way;
    for (; replaced; replaced = replaced->next)
        if (replaced->uring.place && (int)(head - replaced->uring.position) > 0) {
            *replaced->uring.place = replaced->uring.before;
            replaced->uring.place = NULL;
        }
}

static void
complete(struct ring *ring)
{
    const struct io_cqring_offsets *offsets = &ring->params.cq_off;
    struct io_uring_cqe *cqes = (struct io_uring_cqe *)(ring->maps[CQ] + offsets->cqes);
    unsigned mask = load(ring->maps[CQ], offsets->ring_mask);
    unsigned tail = load(ring->maps[CQ], offsets->tail);
    for (; ring->seen != tail; ring->seen++) {
        struct io_uring_cqe *cqe = &cqes[ring->seen & mask];
        struct replaced *replaced = faults_take(&ring->under_way, cqe->user_data);
        /* Any other result: the kernel refused it, or the program cancelled it. */
        if (replaced && cqe->res == (replaced->ms > 0 ? -ETIME : 0))
            cqe->res = (int)replaced->result;
        free(replaced);
    }
}

long
faults_uring_enter(long *argument)
{
    int is_index = (argument[3] & IORING_ENTER_REGISTERED_RING) != 0;
    struct ring *ring = find(argument[0], is_index);
    if (!ring)
        return faults_real(SYS_io_uring_enter, argument);
    complete(ring); /* before there are new requests with the same user data */
    before_enter(ring, is_index ? registered[argument[0]] : (int)argument[0], argument);
    long status = faults_real(SYS_io_uring_enter, argument);
    int error = errno;
    restore(ring);
    complete(ring);
    errno = error;
    return status;
}

/* The fields of struct io_uring_rsrc_update for rings; the kernel sets the index. */
struct ring_fd {
    uint32_t index, reserved;
    uint64_t fd;
};

long
faults_uring_register(long *argument)
{
    const struct ring_fd *told = (const struct ring_fd *)argument[2];
    int fds[LENGTH(registered)];
    long count = argument[1] == IORING_REGISTER_RING_FDS ? argument[3] : 0;
    if (count > LENGTH(registered))
        count = LENGTH(registered);
    for (long i = 0; i < count; i++)
        fds[i] = (int)told[i].fd;
    long status = faults_real(SYS_io_uring_register, argument);
    for (long i = 0; i < count && i < status; i++)
        if (told[i].index < LENGTH(registered))
            registered[told[i].index] = fds[i];
    return status;
}
