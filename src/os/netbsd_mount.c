/* statvfs(2) tells the names too. */
#include "os/mount.h"

#include "mount_names.h"

#include <sys/statvfs.h>

int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct statvfs status;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (fstatvfs(fd, &status) < 0)
        return -1;
    mount->block = (int64_t)status.f_bsize;
    mount->size = (int64_t)(status.f_blocks * status.f_frsize);
    mount->available = (int64_t)(status.f_bavail * status.f_frsize);
    mount_names_set(mount, status.f_fstypename, status.f_mntfromname);
    return 0;
}

void
os_mount_name(int fd, struct os_mount *mount)
{
    struct statvfs status;
    if (fstatvfs(fd, &status) == 0)
        mount_names_set(mount, status.f_fstypename, status.f_mntfromname);
}
