#ifndef OS_LINUX_BACKING_H
#define OS_LINUX_BACKING_H

#include "os/cache.h"

/* As os_file_backing, of the block device that FOLDER, a symbolic link of sysfs, is. */
enum os_backing linux_backing_look(const char *folder, char *name, size_t size);

#endif
