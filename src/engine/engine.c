#include "engine/engine.h"

const struct engine_ops *
engine_of(enum engine_kind kind)
{
    static const struct engine_ops *const engines[] = {[ENGINE_SYNC] = &engine_sync,
                                                       [ENGINE_AIO] = &engine_aio,
                                                       [ENGINE_URING] = &engine_uring};
    return engines[kind];
}
