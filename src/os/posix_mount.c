/* What POSIX tells of a file system: all but its names. */
#include "os/mount.h"

#include <sys/statvfs.h>

int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct statvfs status;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (fstatvfs(fd, &status) < 0)
        return -1;
    mount->block = (int64_t)status.f_bsize;
    mount->size = (int64_t)((uint64_t)status.f_blocks * status.f_frsize);
    mount->available = (int64_t)((uint64_t)status.f_bavail * status.f_frsize);
    return 0;
}

void
os_mount_name(int fd, struct os_mount *mount)
{
    (void)fd, (void)mount;
}
