#ifndef OS_LINUX_STACK_H
#define OS_LINUX_STACK_H

/* Names of a block device and of the devices that it consists of. */

#include "linux.h"

#include <stdbool.h>
#include <stddef.h>

/* Stores the path by which users know DISK in PATH of SIZE bytes: /dev/mapper/NAME for
 * the device mapper, /dev/NAME for other disks. */
void linux_device_path(const struct linux_disk *disk, char *path, size_t size);

/* The description of a stack, such as "raid1: /dev/vdb, /dev/mapper/slow". If not all
 * legs fit, it ends with three dots. */
struct linux_members {
    char *text;   /* owned by the caller */
    size_t size;  /* of `text`, in bytes */
    int count;    /* legs that were added */
    bool is_full; /* the dots have been written */
};

/* Starts a description with the KIND of the stack. */
void linux_members_begin(struct linux_members *members, const char *kind);

/* Adds one leg, the device PATH. */
void linux_members_add(struct linux_members *members, const char *path);

/* Writes the whole description of DISK: its kind and its legs, as sysfs lists them. */
void linux_members_find(struct linux_members *members, const struct linux_disk *disk);

/* Returns true if the disk is a bcache, with or without a cache attached. */
bool linux_disk_is_bcache(const struct linux_disk *disk);

#endif
