/* Where the kernel has no ring to share. Nothing but these is called without a queue. */
#include "os/async.h"

#include <errno.h>

static const char *
advise(int number)
{
    (void)number;
    return os_aio.there ? "use -A or none" : "use -threads instead";
}

static struct io_queue *
open_none(const struct io_config *config)
{
    (void)config;
    errno = ENOTSUP;
    return NULL;
}

const struct os_async_ops os_uring = {
    .name = "io_uring", .there = false, .advise = advise, .open = open_none};
