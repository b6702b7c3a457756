#ifndef OS_LINUX_MOUNT_H
#define OS_LINUX_MOUNT_H

#include <sys/statfs.h>

/* The name of a file system that lives in memory; NULL: this one does not. */
const char *linux_mount_memory(const struct statfs *status);

/*
 * The options of the file system that an open descriptor is on, with commas between, as
 * the mount table has them but for its escapes. Allocated; NULL: not known.
 */
char *linux_mount_options(int fd);

#endif
