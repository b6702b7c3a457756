#include "engine/engine.h"

#include "os/os.h"

#include <errno.h>

static int
sync_open(struct engine *engine, const struct engine_config *config, struct error *error)
{
    (void)error;
    engine->config = *config;
    return 0;
}

static int64_t
perform(const struct engine_config *config, const struct engine_request *request)
{
    switch (request->operation) {
    case ENGINE_READ:
        return os_file_read(config->fd, request->buffer, request->size, request->offset,
                            config->rw_flags);
    case ENGINE_WRITE:
        return os_file_write(config->fd, request->buffer, request->size, request->offset,
                             config->rw_flags);
    case ENGINE_FLUSH:
        break;
    }
    return os_file_flush(config->fd);
}

static int
sync_submit(struct engine *engine, const struct engine_request *request)
{
    int64_t result = perform(&engine->config, request);
    engine->done.error = result < 0 ? errno : 0;
    engine->done.bytes = result < 0 ? 0 : result;
    return 0;
}

static int
sync_reap(struct engine *engine, struct engine_completion *completion)
{
    *completion = engine->done;
    return 0;
}

static void
sync_close(struct engine *engine)
{
    (void)engine;
}

const struct engine_ops engine_sync = {
    .open = sync_open,
    .submit = sync_submit,
    .reap = sync_reap,
    .close = sync_close,
};
