#ifndef IO_IO_H
#define IO_IO_H

/*
 * Requests to a file or device, and the engines that do them. An engine is one file of
 * src/io, which fills one row, and a word in the Makefile's lists of the systems that
 * have it. The rest of the program goes by the properties in that row.
 */

#include "base/error.h"
#include "io/operations.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A descriptor and memory to send requests with; both stay the caller's. */
struct io_config {
    int fd;
    enum os_kind kind; /* of the target */
    int rw_flags;      /* OR-ed enum os_rw of every read and write */
    bool poll;    /* look for completions instead of waiting; then no flush is sent */
    int depth;    /* slots: how many requests may be under way at a time, at least 1 */
    char *memory; /* the buffers of all slots, one after the other */
    size_t size;  /* bytes of each */
};

/* One request; size and offset mean nothing to a flush. */
struct io_request {
    enum operation operation;
    int slot; /* whose buffer it uses, and which is taken until it is reaped */
    size_t size;
    int64_t offset;
};

struct io_completion {
    int slot;
    int error;     /* errno, or 0 */
    int64_t bytes; /* moved; 0 after an error */
};

/* Returns the completion of REQUEST by RESULT: the bytes that it moved, or an errno below
 * 0. */
static inline struct io_completion
io_complete(const struct io_request *request, int64_t result)
{
    return (struct io_completion){.slot = request->slot,
                                  .error = result < 0 ? (int)-result : 0,
                                  .bytes = result < 0 ? 0 : result};
}

/* Does REQUEST by a system call that waits: the way of the default engine, and of others
 * for an operation that they have none for. Returns its completion. */
struct io_completion io_perform(const struct io_config *config,
                                const struct io_request *request);

/* Each engine has its own. A queue is used by one thread at a time, and after begin by
 * that thread alone. */
struct io_queue;

/* A time that is over: reap does not wait. */
#define IO_AT_ONCE 0

/* One way to do requests. It knows nothing of time, statistics or formats, so that the
 * worker can put its two stamps right around reap. */
struct io_engine {
    const char *name; /* in messages; NULL: the system does not have what was asked for */
    char option;      /* the letter of the option that selects it; 0: the default */
    bool queues_requests; /* more than one request at a time per queue */
    bool polls;           /* io_config.poll is heeded */
    bool in_thread; /* the thread that sends a request does it, and is accounted for it */
    /* Note for users of a depth above 1, with direct I/O and without; NULL: none. */
    const char *caveat, *caveat_buffered;
    const char
        *open_error;    /* reason of an open that fails; NULL: the engine is missing */
    int advice_errno;   /* the errno of open that the advice is about; 0: any */
    const char *advice; /* to the user; without any it is another engine */

    size_t queue_size; /* bytes of its struct io_queue */
    /* Prepares the queue, of which all bytes are 0; any thread. Returns 0, or -1 with
     * errno: ENOSYS, ENOTSUP or EPERM if the system lacks it or does not allow it. */
    int (*open)(struct io_queue *queue, const struct io_config *config);
    /* Called once by the thread that will send requests, before the first. Returns 0; or
     * -1 with errno, and then reap fails as well. NULL: nothing to do. */
    int (*begin)(struct io_queue *queue);
    /* Takes a request for a free slot, which the next reap sends; the caller leaves it as
     * it is until it is reaped. */
    void (*submit)(struct io_queue *queue, const struct io_request *request);
    /*
     * Sends what was submitted and waits for a completion, until monotonic time WHEN (ns)
     * at the most; an engine that makes system calls cannot end one then. Returns how
     * many completions were stored in DONE, which has room for as many as there are
     * slots; 0 if the time came or something interrupted it, such as a signal; -1 with
     * errno if the queue is of no use any more. A request that cannot be sent is
     * completed with its error. At least one must be under way.
     */
    int (*reap)(struct io_queue *queue, struct io_completion *done, int64_t when);
    /* Called once by the same thread, after its last request is complete or reap failed:
     * releases the descriptor, which the system may keep for a while after close. NULL:
     * nothing to do. */
    void (*end)(struct io_queue *queue);
    /* Frees what the queue holds, after an open that failed as well; any thread. Returns
     * whether the buffers may be freed: false if reap has failed and left requests under
     * way, which the system carries out some day. NULL: it holds nothing. */
    bool (*close)(struct io_queue *queue);
};

/* The default, which makes system calls that wait: operations.c. */
extern const struct io_engine io_sync;

/* The engine that the option with this LETTER selects, 0 for the default. Where the
 * system does not have it, one without a name, whose open fails with ENOTSUP. */
const struct io_engine *io_engine_of(char letter);

/* Returns how many requests a queue of ENGINE can have under way here, MOST at the most,
 * by opening one without a file; 0: none opens, or ENGINE does one at a time. */
int io_deepest(const struct io_engine *engine, int most);

/* An engine that cannot be opened here. */
struct io_missing {
    const char *name; /* NULL: there is none */
    int code;         /* errno: why */
};

/* Returns the first engine that can have more than one request under way here, and stores
 * in DEPTH how many, MOST at the most; NULL: there is none. MISSING is the first of those
 * that come before it. */
const struct io_engine *io_engine_deep(int most, int *depth, struct io_missing *missing);

/* Opens a queue of ENGINE, which messages call NAME. Returns NULL with errno and ERROR if
 * that fails; else io_close frees it. Any thread. */
struct io_queue *io_open(const struct io_engine *engine, const char *name,
                         const struct io_config *config, struct error *error);

/* Frees QUEUE; returns whether its buffers may be freed, as close of its engine does. */
bool io_close(const struct io_engine *engine, struct io_queue *queue);

#endif
