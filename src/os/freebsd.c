#include "os/os.h"

#include <fcntl.h>
#include <sys/types.h>
/* <sys/disk.h> needs <sys/types.h>. */
#include <sys/disk.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A disk has a call of its own for the cache in it. */
int
os_file_flush(int fd)
{
    int status;
    do {
        status = ioctl(fd, DIOCGFLUSH);
        if (status < 0 && (errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP))
            status = fdatasync(fd);
    } while (status < 0 && errno == EINTR);
    return status;
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    off_t bytes;
    u_int sector;
    if (ioctl(fd, DIOCGMEDIASIZE, &bytes) < 0 || ioctl(fd, DIOCGSECTORSIZE, &sector) < 0)
        return -1;
    *size = bytes;
    *block = sector;
    return 0;
}
