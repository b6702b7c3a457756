/* NetBSD: flushes that reach the cache of the drive, and sizes by the label of a disk. */
#include "os/os.h"

#include <sys/disk.h>
#include <sys/disklabel.h>
#include <sys/dkio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* A disk has a call of its own for the cache in it, for those who may write; a file
 * that was opened for reading only can be flushed by fsync alone. */
int
os_file_flush(int fd)
{
    int status, force = 0;
    do {
        status = fsync_range(fd, FDATASYNC | FDISKSYNC, 0, 0);
        if (status < 0 && (errno == EBADF || errno == EINVAL || errno == EOPNOTSUPP))
            status = fsync(fd);
        if (status == 0 && ioctl(fd, DIOCCACHESYNC, &force) < 0 &&
            (errno == EIO || errno == EINTR))
            status = -1;
    } while (status < 0 && errno == EINTR);
    return status;
}

/* Bytes of the partition that FD is by the disk's label; 0: all of the disk. A size that
 * the label cannot hold is cut to its most. */
static int64_t
partition_size(int fd)
{
    struct disklabel label;
    struct stat status;
    if (fstat(fd, &status) < 0 || ioctl(fd, DIOCGDINFO, &label) < 0)
        return 0;
    uint32_t number = (uint32_t)DISKPART(status.st_rdev);
    uint32_t sectors = number < label.d_npartitions && number < MAXPARTITIONS
                           ? label.d_partitions[number].p_size
                           : 0;
    return sectors == UINT32_MAX ? 0 : (int64_t)sectors * label.d_secsize;
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    off_t bytes;
    u_int sector;
    if (ioctl(fd, DIOCGMEDIASIZE, &bytes) < 0 || ioctl(fd, DIOCGSECTORSIZE, &sector) < 0)
        return -1;
    int64_t partition = partition_size(fd);
    *size = partition > 0 && partition < bytes ? partition : bytes;
    *block = sector;
    return 0;
}
