#ifndef OS_LINUX_STACK_H
#define OS_LINUX_STACK_H

/* How a block device, and what it is made of, is named. */

#include "linux.h"

#include <stdbool.h>
#include <stddef.h>

/* Stores the path by which a user knows DISK in PATH of SIZE bytes: /dev/mapper/NAME of
 * the device mapper, else /dev/NAME. */
void linux_device_path(const struct linux_disk *disk, char *path, size_t size);

/*
 * What a stack is made of, such as "raid1: /dev/vdb, /dev/mapper/slow", in TEXT of SIZE
 * bytes. If not all legs fit, three dots stand for the rest. linux_legs_begin starts with
 * a kind of stack, linux_legs_add adds one leg, linux_legs_find does both for DISK, by
 * sysfs.
 */
struct linux_legs {
    char *text;
    size_t size;
    int count;
    bool is_full;
};
void linux_legs_begin(struct linux_legs *legs, const char *kind);
void linux_legs_add(struct linux_legs *legs, const char *path);
void linux_legs_find(struct linux_legs *legs, const struct linux_disk *disk);

/* Returns true if a disk is a bcache, cached or not. */
bool linux_disk_is_bcache(const struct linux_disk *disk);

#endif
