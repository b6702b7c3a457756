#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum engine_operation { ENGINE_READ, ENGINE_WRITE, ENGINE_FLUSH };

/* What an engine is to do; offset and size mean nothing to a flush. */
struct engine_request {
    enum engine_operation operation;
    void *buffer; /* the worker's, until the request is reaped */
    size_t size;
    int64_t offset;
};

/* What became of it. */
struct engine_completion {
    int64_t bytes; /* moved; 0 after an error */
    int error;     /* errno, or 0 */
};

struct engine_config {
    int fd;       /* stays the caller's */
    int rw_flags; /* OR-ed enum os_rw of every read and write */
};

struct engine;

/*
 * One way to do requests. Opened for one worker and used by that thread alone.
 * It knows nothing of time, statistics or formats, so that the worker can put
 * its two stamps right around submit and reap.
 */
struct engine_ops {
    /* Prepares: 0, or -1 with ERROR. */
    int (*open)(struct engine *engine, const struct engine_config *config,
                struct error *error);
    /* Hands one request over: 0, or -1 with errno when it could not be sent. */
    int (*submit)(struct engine *engine, const struct engine_request *request);
    /* Waits for one completion: 0, or -1 with errno. */
    int (*reap)(struct engine *engine, struct engine_completion *completion);
    /* Frees what open took. */
    void (*close)(struct engine *engine);
};

struct engine {
    const struct engine_ops *ops;
    struct engine_config config;
    struct engine_completion done; /* between submit and reap at depth one */
};

/* One blocking system call per request; depth is always one. */
extern const struct engine_ops engine_sync;

#endif
