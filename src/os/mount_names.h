#ifndef OS_MOUNT_NAMES_H
#define OS_MOUNT_NAMES_H

#include "os/mount.h"

/* Puts the names that statfs(2) and its like tell into MOUNT, and what follows from them:
 * whether it lives in memory. */
void mount_names_set(struct os_mount *mount, const char *fstype, const char *device);

#endif
