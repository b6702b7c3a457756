/*
 * Faults of Linux AIO requests. A request with a fault is replaced by a poll of a
 * descriptor that this library makes. The event of the poll is recognised by the address
 * of its iocb. The program must call io_getevents, and must not read events from the ring
 * in memory.
 */
#define _GNU_SOURCE
#include "faults.h"
#include "faults_async.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

static const struct code operations[] = {
    {IOCB_CMD_PREAD, "read"},
    {IOCB_CMD_PREADV, "readv"},
    {IOCB_CMD_PWRITE, "write"},
    {IOCB_CMD_PWRITEV, "writev"},
    {IOCB_CMD_FSYNC, "flush"},
    {IOCB_CMD_FDSYNC, "flush"},
    {0, NULL},
};

/* The replaced requests of all contexts that have not completed. Guarded by `lock`. */
static struct replaced *under_way;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Removes the replaced request with this key from the list and returns it, or NULL. */
static struct replaced *
take_replaced(uint64_t key)
{
    pthread_mutex_lock(&lock);
    struct replaced *found = faults_take(&under_way, key);
    pthread_mutex_unlock(&lock);
    return found;
}

/* Makes a descriptor that becomes readable after MS milliseconds. */
static int
make_readable_after(long ms)
{
    struct itimerspec time = {
        .it_value = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}};
    int fd =
        ms > 0 ? timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC) : eventfd(1, EFD_CLOEXEC);
    if (fd < 0 || (ms > 0 && timerfd_settime(fd, 0, &time, NULL) < 0))
        faults_refuse("cannot make a descriptor", strerror(errno));
    return fd;
}

/* Builds the poll that replaces the request ORIGINAL, and adds it to the list. Returns
 * the polled descriptor. */
static int
build_poll(struct replaced *replaced, struct iocb *original)
{
    int fd = make_readable_after(replaced->ms);
    replaced->aio.original = original;
    replaced->aio.request = (struct iocb){
        .aio_data = original->aio_data,
        .aio_lio_opcode = IOCB_CMD_POLL,
        .aio_fildes = (uint32_t)fd,
        .aio_buf = POLLIN,
        .aio_flags = original->aio_flags & IOCB_FLAG_RESFD,
        .aio_resfd = original->aio_resfd,
    };
    replaced->key = (uintptr_t)&replaced->aio.request;
    pthread_mutex_lock(&lock);
    faults_add(&under_way, replaced);
    pthread_mutex_unlock(&lock);
    return fd;
}

/* Submits one request, or the poll that replaces it. Returns as io_submit(2). */
static long
submit_one(long context, struct iocb *request)
{
    struct iocb *sent = request;
    int fd = -1;
    uint64_t key = 0;
    struct replaced *replaced = faults_replace(AIO, operations, request->aio_lio_opcode,
                                               request->aio_buf, request->aio_nbytes);
    if (replaced) {
        fd = build_poll(replaced, request);
        sent = &replaced->aio.request;
        key = replaced->key;
    }
    long status = faults_real(SYS_io_submit, (long[6]){context, 1, (long)&sent});
    int error = errno;
    if (fd >= 0) {
        close(fd); /* the kernel keeps a reference while it polls */
        if (status != 1)
            free(take_replaced(key));
    }
    errno = error;
    return status;
}

/* Submits the requests one by one, so that no rule counts a request that the kernel did
 * not accept. */
long
faults_aio_submit(long *argument)
{
    struct iocb **requests = (struct iocb **)argument[2];
    long sent = 0;
    if (!faults_has(AIO, ACTIONS) || argument[1] <= 0)
        return faults_real(SYS_io_submit, argument);
    while (sent < argument[1] && submit_one(argument[0], requests[sent]) == 1)
        sent++;
    return sent > 0 ? sent : -1;
}

long
faults_aio_getevents(long *argument)
{
    struct io_event *events = (struct io_event *)argument[3];
    long count = faults_real(SYS_io_getevents, argument);
    for (long i = 0; i < count; i++) {
        struct replaced *replaced = take_replaced(events[i].obj);
        if (!replaced)
            continue;
        events[i].obj = (uintptr_t)replaced->aio.original;
        events[i].res = replaced->result;
        free(replaced);
    }
    return count;
}
