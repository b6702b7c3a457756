#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/error.h"
#include "os/async.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum engine_kind { ENGINE_SYNC, ENGINE_AIO, ENGINE_URING };

enum engine_operation { ENGINE_READ, ENGINE_WRITE, ENGINE_FLUSH };

/* What an engine is to do; offset and size mean nothing to a flush. */
struct engine_request {
    enum engine_operation operation;
    int slot; /* whose buffer it uses, and which is taken until it is reaped */
    size_t size;
    int64_t offset;
};

/* Descriptor and memory stay the caller's. */
struct engine_config {
    int fd;
    int rw_flags; /* OR-ed enum os_rw of every read and write */
    bool poll;    /* look for completions; io_uring only */
    int depth;    /* slots: requests under way at a time, at least 1 */
    char *memory; /* the buffers of the slots, one after the other */
    size_t size;  /* bytes of each */
};

struct engine;

/*
 * One way to do requests. It knows nothing of time, statistics or formats, so
 * that the worker can put its two stamps right around reap.
 */
struct engine_ops {
    /* Prepares; any thread: 0, or -1 with ERROR. */
    int (*open)(struct engine *engine, const struct engine_config *config,
                struct error *error);
    /* Called once by the worker's thread, which alone uses it from then on. */
    void (*begin)(struct engine *engine);
    /* Takes one request over, which stays as it is; it is sent by the next reap. */
    void (*submit)(struct engine *engine, const struct engine_request *request);
    /*
     * Sends what was submitted and waits for completions, one of which at least
     * must be to come; not beyond monotonic time WHEN if the engine can do
     * otherwise. Returns how many it stored in DONE, which has room for all
     * slots, perhaps 0; -1 with errno if none will ever come.
     */
    int (*reap)(struct engine *engine, struct os_async_done *done, int64_t when);
    /* Called once by that thread after its last request is reaped. */
    void (*end)(struct engine *engine);
    /* Frees what open took. */
    void (*close)(struct engine *engine);
};

struct engine {
    const struct engine_ops *ops;
    struct engine_config config;
    const struct engine_request *next; /* submitted to an engine without a queue */
    const struct os_async_ops *async;
    struct os_async_queue *queue;
};

/*
 * One blocking system call per request, at a depth of one; the system's
 * asynchronous I/O, which is Linux AIO; io_uring.
 */
extern const struct engine_ops engine_sync, engine_aio, engine_uring;

/* The engine of a kind. */
const struct engine_ops *engine_of(enum engine_kind kind);

#endif
