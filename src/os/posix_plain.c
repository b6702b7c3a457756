/* A system of which nothing is known but that it has POSIX. */
#include "os/posix_aio.h"

#include <fcntl.h>

const char posix_aio_caveat[] = "";

int
posix_aio_flush(struct aiocb *request)
{
    return aio_fsync(O_DSYNC, request);
}
