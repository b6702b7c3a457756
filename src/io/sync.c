#include "io/io.h"

#include "os/os.h"

#include <errno.h>
#include <string.h>

static int
sync_open(struct engine *engine, const struct io_config *config, struct error *error)
{
    engine->config = *config;
    engine->config.fd = os_file_reopen(config->fd);
    engine->is_reopened = engine->config.fd != config->fd;
    if (!engine->is_reopened || engine->config.fd >= 0)
        return 0;
    return error_set(error, EXIT_PREPARE, NULL, "no descriptor for a worker: %s",
                     strerror(errno));
}

static bool
sync_close(struct engine *engine)
{
    if (engine->is_reopened)
        os_file_close(engine->config.fd);
    return true;
}

/* There is nothing to prepare, or to let go of. */
static void
do_nothing(struct engine *engine)
{
    (void)engine;
}

static void
sync_submit(struct engine *engine, const struct io_request *request)
{
    engine->next = request;
}

static int64_t
perform(const struct io_config *config, const struct io_request *request)
{
    switch (request->operation) {
    case IO_READ:
        return os_file_read(config->fd, config->memory, request->size, request->offset,
                            config->rw_flags);
    case IO_WRITE:
        return os_file_write(config->fd, config->memory, request->size, request->offset,
                             config->rw_flags);
    case IO_FLUSH:
        break;
    }
    return os_file_flush(config->fd);
}

static int
sync_reap(struct engine *engine, struct io_completion *done, int64_t when)
{
    (void)when; /* nothing ends a system call early */
    int64_t result = perform(&engine->config, engine->next);
    if (result < 0)
        *done = (struct io_completion){.error = errno};
    else
        *done = (struct io_completion){.bytes = result};
    return 1;
}

const struct engine_ops engine_sync = {
    .open = sync_open,
    .begin = do_nothing,
    .submit = sync_submit,
    .reap = sync_reap,
    .end = do_nothing,
    .close = sync_close,
};
