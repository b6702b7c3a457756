/* Where the system does one request of a thread at a time. Nothing but these is called
 * without a queue. */
#include "os/async.h"

#include <errno.h>

static const char *
advise(int number)
{
    (void)number;
    return "use -threads instead";
}

static struct io_queue *
open_none(const struct io_config *config)
{
    (void)config;
    errno = ENOTSUP;
    return NULL;
}

const struct os_async_ops os_aio = {
    .name = "POSIX AIO", .there = false, .advise = advise, .open = open_none};
