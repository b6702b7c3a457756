/* A system of which nothing is known but that it has POSIX. */
#include "os/os.h"

#include "posix_aio.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int
os_file_direct(int fd, bool on)
{
    (void)fd;
    errno = ENOTSUP;
    return on ? -1 : 0;
}

/* Many systems tell where a disk ends, and none has blocks that are smaller. */
int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    int64_t end = S_ISBLK(status.st_mode) ? lseek(fd, 0, SEEK_END) : 0;
    if (end == 0)
        errno = ENOTSUP;
    if (end <= 0)
        return -1;
    *size = end;
    *block = 512;
    return 0;
}

const char posix_aio_caveat[] = "";

int
posix_aio_flush(struct aiocb *request)
{
    return aio_fsync(O_DSYNC, request);
}
