/* Engines with a queue: what the system does, for a worker. */
#include "io/io.h"

#include <errno.h>
#include <string.h>

static int
open_queue(struct engine *engine, const struct os_async_ops *async,
           const struct io_config *config, struct error *error)
{
    engine->config = *config;
    engine->async = async;
    engine->queue = async->open(config);
    if (engine->queue)
        return 0;
    int number = errno;
    error_set(error, EXIT_PREPARE, NULL, "%s is not available here: %s", async->name,
              strerror(number));
    return error_advise(error, async->advise(number));
}

static int
aio_open(struct engine *engine, const struct io_config *config, struct error *error)
{
    return open_queue(engine, &os_aio, config, error);
}

static int
uring_open(struct engine *engine, const struct io_config *config, struct error *error)
{
    return open_queue(engine, &os_uring, config, error);
}

static void
async_begin(struct engine *engine)
{
    engine->async->begin(engine->queue);
}

static void
async_submit(struct engine *engine, const struct io_request *request)
{
    engine->async->submit(engine->queue, request);
}

static int
async_reap(struct engine *engine, struct io_completion *done, int64_t when)
{
    return engine->async->reap(engine->queue, done, when);
}

static void
async_end(struct engine *engine)
{
    engine->async->end(engine->queue);
}

static bool
async_close(struct engine *engine)
{
    return engine->async->close(engine->queue);
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
