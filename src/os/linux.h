#ifndef OS_LINUX_H
#define OS_LINUX_H

/* Functions that the files for Linux share, with each other and with their tests. */

#include "os/storage.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/statfs.h>

/*
 * Asks statx(2) about an open descriptor for the field of MASK, one of STATX_*: SIZE
 * bytes at AT of the answer, stored in VALUE. Returns 0, or -1 if the kernel does not
 * tell it.
 */
int linux_statx(int fd, unsigned mask, size_t at, void *value, size_t size);

/* The name of a file system that lives in memory; NULL: this one does not. */
const char *linux_mount_memory(const struct statfs *status);

/*
 * The options of the file system that an open descriptor is on, with commas between, as
 * the mount table has them but for its escapes. Allocated; NULL: not known.
 */
char *linux_mount_options(int fd);

/* As os_file_backing, of the block device behind FOLDER, a symbolic link of sysfs. */
enum os_backing linux_backing_find(const char *folder, char *name, size_t size);

/* os_memory_available, by the files of proc and of the control groups that are found
 * below folder ROOT, which is empty for those of the kernel. */
int64_t linux_memory_available(const char *root);

/*
 * Finds the mount with id ID in TABLE, a text in the format of
 * /proc/self/mountinfo (proc(5)), and copies its file system type and source,
 * octal escapes decoded, into MOUNT. Returns 0, or -1 if it is not listed.
 */
int mountinfo_find(const char *table, int64_t id, struct os_mount *mount);

/* Returns the options of the file system of mount ID. Allocated; NULL: not listed. */
char *mountinfo_options(const char *table, int64_t id);

/*
 * The same for the first mount of the file system with this device number (st_dev in its
 * two halves), for when the mount itself is not in TABLE, as that of `/` in a chroot(2).
 */
int mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                          struct os_mount *mount);

#endif
