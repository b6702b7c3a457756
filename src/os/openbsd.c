/* OpenBSD: files are read and written through the buffer cache in any case; only a raw
 * device is direct. */
#include "os/os.h"

#include <sys/types.h>
/* These need <sys/types.h>. */
#include <sys/disklabel.h>
#include <sys/dkio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

int
os_file_direct(int fd, bool on)
{
    return !on || os_device_is_disk(fd) ? 0 : os_fail(ENOTSUP);
}

/* A disk has a call of its own for the cache in it, for those who may write. */
int
os_file_flush(int fd)
{
    int status, force = 0;
    do {
        status = fdatasync(fd);
        if (status == 0 && ioctl(fd, DIOCCACHESYNC, &force) < 0 &&
            (errno == EIO || errno == EINTR))
            status = -1;
    } while (status < 0 && errno == EINTR);
    return status;
}

/* The label has the whole disk as one of its partitions. */
int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    struct disklabel label;
    struct stat status;
    if (fstat(fd, &status) < 0 || ioctl(fd, DIOCGDINFO, &label) < 0)
        return -1;
    uint32_t number = (uint32_t)DISKPART(status.st_rdev);
    if (number >= label.d_npartitions || number >= MAXPARTITIONS)
        return os_fail(ENXIO);
    *size = (int64_t)(DL_GETPSIZE(&label.d_partitions[number]) * label.d_secsize);
    *block = label.d_secsize;
    return 0;
}
