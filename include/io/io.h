#ifndef IO_IO_H
#define IO_IO_H

/*
 * Requests to a file or device, and the engines that execute them. An engine is a way to
 * send requests to the system, for example io_uring. Each engine is one file of src/io
 * that fills one struct io_engine; the rest of the program knows an engine only by this
 * struct. The Makefile names the engines of each system in its lists IO_.
 *
 * An engine is used in this order:
 *
 *   io_open -> begin -> submit, submit, ... -> reap -> ... -> end -> io_close
 *
 * Any thread may call io_open and io_close. One thread calls everything in between.
 */

#include "base/error.h"
#include "io/operations.h"
#include "os/os.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where and how a queue sends its requests. The caller owns the descriptor and the
 * memory. */
struct io_config {
    int fd;
    enum os_kind kind; /* kind of the target */
    int rw_flags;      /* flags of every read and write: OR-ed enum os_rw */
    bool poll;    /* poll for completions instead of waiting for them; the caller must not
                   * send a flush then */
    int depth;    /* number of slots: maximum number of requests in flight, at least 1 */
    char *memory; /* the buffers of all slots, one after the other */
    size_t size;  /* size of the buffer of one slot, bytes */
};

/* One request. A flush ignores `size` and `offset`. */
struct io_request {
    enum operation operation;
    int slot;       /* slot whose buffer the request uses. No other request may use the
                     * slot until this one is reaped. */
    size_t size;    /* bytes */
    int64_t offset; /* bytes */
};

/* The result of a request. */
struct io_completion {
    int slot;
    int error;     /* errno, or 0 */
    int64_t bytes; /* bytes that were read or written; 0 after an error or a flush */
};

/* Returns the completion of REQUEST from RESULT, which is the number of bytes that were
 * read or written, or a negative errno. */
static inline struct io_completion
io_complete(const struct io_request *request, int64_t result)
{
    struct io_completion completion = {.slot = request->slot};

    if (result < 0)
        completion.error = (int)-result;
    else
        completion.bytes = result;
    return completion;
}

/*
 * Executes REQUEST by a system call that waits. The default engine does this for all
 * requests, other engines for operations that they cannot queue. Returns the completion.
 */
struct io_completion io_perform(const struct io_config *config,
                                const struct io_request *request);

/* A queue of requests. Each engine defines this struct for itself. Only one thread at a
 * time may use a queue. Between the calls of the functions `begin` and `end` of the
 * engine, that is the thread that called `begin`. */
struct io_queue;

/* A value for the parameter WHEN of reap. It is in the past, so reap does not wait. */
#define IO_AT_ONCE 0

/*
 * An engine: the table of its functions and properties. An engine knows nothing about
 * time stamps, statistics or formats. The worker takes the two time stamps of a request
 * directly before and after reap.
 */
struct io_engine {
    const char *name; /* for messages; NULL if this system does not have the engine */
    char option;      /* letter of the option that selects the engine; 0 for the default
                       * engine */
    bool queues_requests; /* a queue can have more than one request in flight */
    bool can_poll;        /* the engine supports io_config.poll */
    bool charges_sender;  /* the system accounts the I/O of a request to the thread that
                           * sends it */
    /* Notes to the user for a queue depth above 1, with direct and with buffered I/O;
     * NULL if there is nothing to note. */
    const char *caveat, *caveat_buffered;
    /* Beginning of the message if open fails; NULL: the message says that the engine is
     * not available. */
    const char *open_error;
    int advice_errno;   /* errno of open for which `advice` helps; 0 if it helps for every
                         * errno */
    const char *advice; /* advice to the user if open fails; if NULL, the user is advised
                         * to use another engine */

    size_t queue_size; /* size of its struct io_queue, bytes */
    /*
     * Prepares QUEUE, whose bytes are all 0. May be called by any thread. Returns 0, or
     * -1 with errno: ENOSYS, ENOTSUP or EPERM if the system lacks the engine or does not
     * allow it.
     */
    int (*open)(struct io_queue *queue, const struct io_config *config);
    /*
     * Called once by the thread that will send requests, before the first request.
     * Returns 0, or -1 with errno. After begin has failed, reap fails too. NULL: nothing
     * to do.
     */
    int (*begin)(struct io_queue *queue);
    /*
     * Adds REQUEST, whose slot must be free, to the requests that the next reap sends.
     * REQUEST must not be changed until it is reaped.
     */
    void (*submit)(struct io_queue *queue, const struct io_request *request);
    /*
     * Sends the submitted requests, and waits for at least one completion until time
     * WHEN (ns, monotonic). The default engine ignores WHEN, because it cannot interrupt
     * its system call. At least one request must be submitted or in flight. Returns the
     * number of completions that are stored in DONE, which must have room for one per
     * slot. Returns 0 if WHEN has come or a signal interrupted the wait, or -1 with
     * errno if the queue cannot be used any more. A request that cannot be sent is
     * completed with its error.
     */
    int (*reap)(struct io_queue *queue, struct io_completion *done, int64_t when);
    /*
     * Called once by the thread that called begin, after its last request is complete or
     * after reap failed. Makes the system release the target's descriptor at once;
     * otherwise the system might keep the descriptor in use for a while after `close`.
     * NULL: nothing to do.
     */
    void (*end)(struct io_queue *queue);
    /*
     * Frees everything that QUEUE holds, also after `open` failed. May be called by any
     * thread. Returns whether the caller may free the buffers: false if requests are
     * still in flight, because the system may access their buffers later. NULL: nothing
     * to free.
     */
    bool (*close)(struct io_queue *queue);
};

/* The default engine, which makes system calls that wait. Defined in operations.c. */
extern const struct io_engine io_sync;

/*
 * Returns the engine that the option LETTER selects; LETTER 0 is the default engine. If
 * this system does not have the engine, returns an engine without a name, which io_open
 * refuses with ENOTSUP.
 */
const struct io_engine *io_find_engine(char letter);

/*
 * Returns how many requests a queue of ENGINE can have in flight on this machine, at most
 * MOST. Finds out by opening queues without a file. Returns 0 with errno if no queue can
 * be opened. Also returns 0 if ENGINE sends only one request at a time.
 */
int io_find_max_depth(const struct io_engine *engine, int most);

/* An engine that could queue requests but cannot be opened on this machine. */
struct io_missing {
    const char *name; /* NULL if no engine is missing */
    int open_errno;   /* errno of the failed open */
};

/*
 * Tries the engines in order, and returns the first one that can have more than one
 * request in flight on this machine, or NULL if no engine can. Stores in DEPTH how many
 * requests the returned engine can have in flight, at most MOST. Stores in MISSING the
 * first of the tried engines that can queue requests in general, but could not be opened.
 */
const struct io_engine *io_find_queueing_engine(int most, int *depth,
                                                struct io_missing *missing);

/*
 * Opens a queue of ENGINE. NAME is the engine's name for messages. May be called by any
 * thread. Returns NULL with errno and ERROR if that fails. The caller frees the queue
 * with io_close.
 */
struct io_queue *io_open(const struct io_engine *engine, const char *name,
                         const struct io_config *config, struct error *error);

/* Frees QUEUE. Returns whether the caller may free its buffers, as `close` of ENGINE
 * does.
 */
bool io_close(const struct io_engine *engine, struct io_queue *queue);

#endif
