#include "io/io.h"

#include <stdio.h>

const char *
engine_name(enum engine_kind kind)
{
    return kind == ENGINE_AIO ? os_aio.name : kind == ENGINE_URING ? os_uring.name : NULL;
}

int
engine_advise(struct error *error)
{
    char advice[sizeof(error->advice)];
    if (!os_aio.there)
        return error_advise(error, "use -threads: no other way is known here");
    if (os_uring.there)
        snprintf(advice, sizeof(advice), "add -U (%s) or -A (%s)", os_uring.name,
                 os_aio.name);
    else
        snprintf(advice, sizeof(advice), "add -A (%s)", os_aio.name);
    return error_advise(error, advice);
}

const struct engine_ops *
engine_of(enum engine_kind kind)
{
    static const struct engine_ops *const engines[] = {[ENGINE_SYNC] = &engine_sync,
                                                       [ENGINE_AIO] = &engine_aio,
                                                       [ENGINE_URING] = &engine_uring};
    return engines[kind];
}
