#ifndef OS_MOUNTINFO_H
#define OS_MOUNTINFO_H

#include "os/mount.h"

#include <stdint.h>

/*
 * Finds the mount with id ID in TABLE, a text in the format of
 * /proc/self/mountinfo (proc(5)), and copies its file system type and source,
 * octal escapes decoded, into MOUNT. Returns 0, or -1 if it is not in there.
 */
int mountinfo_find(const char *table, int64_t id, struct os_mount *mount);

/* Likewise the options of its file system. Allocated; NULL: it is not in there. */
char *mountinfo_options(const char *table, int64_t id);

/*
 * The same for the first mount of the file system with this device number (st_dev in its
 * two parts), for when the mount itself is not in TABLE, as that of `/` in a chroot(2).
 */
int mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                          struct os_mount *mount);

#endif
