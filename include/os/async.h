#ifndef OS_ASYNC_H
#define OS_ASYNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requests that the system works on while whoever sent them goes on. */

enum io_operation { IO_READ, IO_WRITE, IO_FLUSH };

/* What it takes to send requests; descriptor and memory stay the caller's. */
struct io_config {
    int fd;
    int rw_flags; /* OR-ed enum os_rw of every read and write */
    bool poll;    /* look for completions instead of waiting; then no flush is sent */
    int depth;    /* slots: how many requests may be under way at a time, at least 1 */
    char *memory; /* the buffers of all slots, one after the other */
    size_t size;  /* bytes of each */
};

/* One of them; size and offset mean nothing to a flush. */
struct io_request {
    enum io_operation operation;
    int slot; /* whose buffer it uses, and which is taken until it is reaped */
    size_t size;
    int64_t offset;
};

struct io_completion {
    int slot;
    int error;     /* errno, or 0 */
    int64_t bytes; /* moved; 0 after an error */
};

struct io_queue;

/* A time that is over, for whoever does not want to wait. */
#define IO_AT_ONCE 0

/*
 * One way to do this. A queue is used by one thread at a time, and after begin
 * by that thread alone.
 */
struct os_async_ops {
    const char *name; /* in messages */
    bool there;       /* this system has it, unless open says that it is not allowed */
    /* What users of more than one request at a time have to know, with direct I/O and
     * without; NULL or empty: nothing. */
    const char *caveat, *caveat_buffered;
    /* What to do, as the user sees it, about an errno of open. */
    const char *(*advise)(int number);
    /*
     * Makes a queue; any thread. NULL with errno: ENOSYS, ENOTSUP or EPERM if
     * this system does not have it or does not allow it.
     */
    struct io_queue *(*open)(const struct io_config *config);
    /*
     * Called once by the thread that will send requests, before the first: 0; or -1
     * with errno, and then so does reap.
     */
    int (*begin)(struct io_queue *queue);
    /* Takes a request for a free slot over; it is sent by the next reap. */
    void (*submit)(struct io_queue *queue, const struct io_request *request);
    /*
     * Sends what was submitted and waits for a completion, until monotonic time
     * WHEN at the most: how many were stored in DONE, which has room for as many
     * as there are slots; 0 if the time came or something interrupted it, such as
     * a signal; -1 with errno if the queue is of no use any more. A request that
     * cannot be sent is completed with its error. There must be one under way.
     */
    int (*reap)(struct io_queue *queue, struct io_completion *done, int64_t when);
    /*
     * Called once by the same thread, after its last request is complete or reap failed:
     * lets go of the descriptor, which the system may keep for a while after close.
     */
    void (*end)(struct io_queue *queue);
    /*
     * Frees it; any thread. Returns whether the buffers may be freed as well: false if
     * reap has failed and left requests under way, which the system carries out some day.
     */
    bool (*close)(struct io_queue *queue);
};

extern const struct os_async_ops os_aio;   /* the system's asynchronous I/O */
extern const struct os_async_ops os_uring; /* a ring shared with the kernel */

#endif
