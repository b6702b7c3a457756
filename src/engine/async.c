/* Engines with a queue: what the system does, under the names that users know. */
#include "engine/engine.h"

#include <errno.h>
#include <string.h>

_Static_assert(ENGINE_READ == (int)OS_ASYNC_READ && ENGINE_WRITE == (int)OS_ASYNC_WRITE &&
                   ENGINE_FLUSH == (int)OS_ASYNC_FLUSH,
               "one stands for the other");

static int
open_queue(struct engine *engine, const struct engine_config *config)
{
    const struct os_async_config own = {.fd = config->fd,
                                        .rw_flags = config->rw_flags,
                                        .poll = config->poll,
                                        .depth = config->depth,
                                        .memory = config->memory,
                                        .size = config->size};
    engine->config = *config;
    engine->queue = engine->async->open(&own);
    return engine->queue ? 0 : -1;
}

static int
aio_open(struct engine *engine, const struct engine_config *config, struct error *error)
{
    engine->async = &os_aio;
    if (open_queue(engine, config) == 0)
        return 0;
    int number = errno;
    error_set(error, EXIT_PREPARE, NULL, "asynchronous I/O is not available here: %s",
              strerror(number));
    return error_advise(error, number == EAGAIN ? "see fs.aio-max-nr, or use -U"
                                                : "use -U or none");
}

static int
uring_open(struct engine *engine, const struct engine_config *config, struct error *error)
{
    engine->async = &os_uring;
    if (open_queue(engine, config) == 0)
        return 0;
    int number = errno;
    error_set(error, EXIT_PREPARE, NULL, "io_uring is not available here: %s",
              strerror(number));
    return error_advise(error, number == EMFILE ? "allow more open files (ulimit -n)"
                                                : "use -A or none");
}

static void
async_begin(struct engine *engine)
{
    engine->async->begin(engine->queue); /* if it fails, so will reap */
}

static void
async_submit(struct engine *engine, const struct engine_request *request)
{
    engine->async->submit(engine->queue, request->slot,
                          (enum os_async_operation)request->operation, request->size,
                          request->offset);
}

static int
async_reap(struct engine *engine, struct os_async_done *done, int64_t when)
{
    return engine->async->reap(engine->queue, done, when);
}

static void
async_end(struct engine *engine)
{
    engine->async->end(engine->queue);
}

static void
async_close(struct engine *engine)
{
    engine->async->close(engine->queue);
}

const struct engine_ops engine_aio = {
    .open = aio_open,
    .begin = async_begin,
    .submit = async_submit,
    .reap = async_reap,
    .end = async_end,
    .close = async_close,
};

const struct engine_ops engine_uring = {
    .open = uring_open,
    .begin = async_begin,
    .submit = async_submit,
    .reap = async_reap,
    .end = async_end,
    .close = async_close,
};
