#ifndef OS_POSIX_AIO_H
#define OS_POSIX_AIO_H

#include <aio.h>

/* Each of these is the system's own. */

/* What users of a depth have to know; empty: nothing. */
extern const char posix_aio_caveat[];

/*
 * Sends a flush that makes as durable as os_file_flush does, by aio_fsync(3): 0, or -1
 * with errno. ENOTSUP: the system's own does less.
 */
int posix_aio_flush(struct aiocb *request);

#endif
