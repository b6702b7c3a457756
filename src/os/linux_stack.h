#ifndef OS_LINUX_STACK_H
#define OS_LINUX_STACK_H

/* Names of a block device and of its members, the devices that it consists of. */

#include "linux.h"

#include <stdbool.h>
#include <stddef.h>

/* Stores the path by which users know DISK in PATH, of SIZE bytes: /dev/mapper/NAME for
 * devices of the device mapper, /dev/NAME for other disks. */
void linux_device_path(const struct linux_disk *disk, char *path, size_t size);

/* The description of a stack of devices, such as "raid1: /dev/vdb, /dev/mapper/slow". If
 * it has no room for all members, it ends with three dots. */
struct linux_members {
    char *text;   /* the description so far; memory of the caller */
    size_t size;  /* size of `text`, in bytes */
    int count;    /* members that were added */
    bool is_full; /* the three dots were added */
};

/* Starts a description with the KIND of the stack, such as "raid1". The caller has set
 * `text` and `size` of MEMBERS. */
void linux_members_begin(struct linux_members *members, const char *kind);

/* Adds the device PATH as a member. */
void linux_members_add(struct linux_members *members, const char *path);

/* Writes the whole description of DISK: its kind, and its members as listed in sysfs. The
 * caller has set `text` and `size` of MEMBERS. */
void linux_members_find(struct linux_members *members, const struct linux_disk *disk);

/* Returns true if the disk is a bcache, with or without a cache attached. */
bool linux_disk_is_bcache(const struct linux_disk *disk);

#endif
