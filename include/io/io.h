#ifndef IO_IO_H
#define IO_IO_H

#include "base/error.h"
#include "os/async.h"

#include <stdint.h>

enum engine_kind { ENGINE_SYNC, ENGINE_AIO, ENGINE_URING };

struct engine;

/*
 * One way to do requests. It knows nothing of time, statistics or formats, so
 * that the worker can put its two stamps right around reap. All is as
 * os/async.h says it of a queue, except for what is said here.
 */
struct engine_ops {
    /* 0, or -1 with ERROR. */
    int (*open)(struct engine *engine, const struct io_config *config,
                struct error *error);
    /* If it fails, only reap tells. */
    void (*begin)(struct engine *engine);
    /* The request stays as it is until it is reaped. */
    void (*submit)(struct engine *engine, const struct io_request *request);
    /* An engine that makes system calls cannot end one at WHEN. */
    int (*reap)(struct engine *engine, struct io_completion *done, int64_t when);
    void (*end)(struct engine *engine);
    bool (*close)(struct engine *engine);
};

struct engine {
    const struct engine_ops *ops;
    struct io_config config;
    bool is_reopened;              /* the descriptor is its own */
    const struct io_request *next; /* submitted to an engine without a queue */
    const struct os_async_ops *async;
    struct io_queue *queue;
};

/*
 * One blocking system call per request, at a depth of one; a queue of the
 * system's asynchronous I/O (os_aio); one in a ring (os_uring).
 */
extern const struct engine_ops engine_sync, engine_aio, engine_uring;

/* What the system calls an engine of this kind; NULL: it waits for its system calls. */
const char *engine_name(enum engine_kind kind);

/*
 * Adds to ERROR what this system has for more than one request at a time per worker.
 * Returns -1 like error_advise.
 */
int engine_advise(struct error *error);

/* The engine of a kind. */
const struct engine_ops *engine_of(enum engine_kind kind);

#endif
