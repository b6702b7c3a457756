/*
 * Names, as users know them, of a block device and of its members, the devices that it
 * consists of. The names come from sysfs (the kernel's
 * Documentation/ABI/testing/sysfs-block-dm, and "md devices in sysfs" of
 * Documentation/admin-guide/md.rst).
 */
#include "linux_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who created a device of the device mapper: each creator begins the uuid in its own way.
 * The last row matches any uuid. */
static const struct {
    const char *uuid, *kind;
} creators[] = {
    {"LVM-", "LVM"},         {"CRYPT-LUKS", "LUKS"}, {"CRYPT-", "crypt"},
    {"mpath-", "multipath"}, {"", "device mapper"},
};

void
linux_device_path(const struct linux_disk *disk, char *path, size_t size)
{
    char name[128];

    if (linux_file_read(name, sizeof(name), "%s/dm/name", disk->folder)) {
        snprintf(path, size, "/dev/mapper/%s", name);
        return;
    }
    snprintf(path, size, "/dev/%s", disk->name);
    /* sysfs has an exclamation mark in place of a slash in a name. */
    for (char *c = path; *c; c++)
        if (*c == '!')
            *c = '/';
}

static bool
has_folder(const struct linux_disk *disk, const char *name)
{
    char path[LINUX_SYSFS_ROOM + 16];
    snprintf(path, sizeof(path), "%s/%s", disk->folder, name);
    return access(path, F_OK) == 0;
}

/* A directory "bcache" in sysfs is not enough: the members of a bcache have one, too. So
 * the name of the disk is tested as well. */
bool
linux_disk_is_bcache(const struct linux_disk *disk)
{
    return strncmp(disk->name, "bcache", strlen("bcache")) == 0 &&
           has_folder(disk, "bcache");
}

/* Stores the kind of the stack DISK in KIND, of SIZE bytes. Only a multipath of the
 * device mapper has a directory "mq", because it is the only request-based stack. */
static void
find_stack_kind(const struct linux_disk *disk, char *kind, size_t size)
{
    char uuid[192];
    size_t i = 0;
    if (linux_file_read(kind, size, "%s/md/level", disk->folder))
        return;

    if (has_folder(disk, "mq")) {
        snprintf(kind, size, "multipath");
        return;
    }
    if (linux_disk_is_bcache(disk)) {
        snprintf(kind, size, "bcache");
        return;
    }

    linux_file_read(uuid, sizeof(uuid), "%s/dm/uuid", disk->folder);
    while (strncmp(uuid, creators[i].uuid, strlen(creators[i].uuid)) != 0)
        i++;
    snprintf(kind, size, "%s", creators[i].kind);
}

void
linux_members_begin(struct linux_members *members, const char *kind)
{
    members->count = 0;
    members->is_full = false;
    snprintf(members->text, members->size, "%s", kind);
}

void
linux_members_add(struct linux_members *members, const char *path)
{
    static const char dots[] = ", ...";
    const char *separator = members->count > 0 ? ", " : ": ";
    size_t used = strlen(members->text);
    if (members->is_full)
        return;

    members->is_full =
        used + strlen(separator) + strlen(path) + sizeof(dots) > members->size;
    if (members->is_full)
        snprintf(members->text + used, members->size - used, "%s", dots);
    else
        snprintf(members->text + used, members->size - used, "%s%s", separator, path);
    members->count++;
}

/* Adds the device behind the sysfs link DEVICE_LINK as a member. Adds nothing if there is
 * no such link. The link of a partition leads to a path that ends with the name of the
 * partition. */
static void
add_member(struct linux_members *members, const char *device_link)
{
    char path[256];
    char target[LINUX_SYSFS_ROOM];
    struct linux_disk disk = {.name = ""};
    int is_partition = linux_disk_find(device_link, &disk);
    if (is_partition < 0)
        return;

    linux_device_path(&disk, path, sizeof(path));
    if (is_partition && linux_sysfs_link(device_link, target) && strrchr(target, '/'))
        snprintf(path, sizeof(path), "/dev/%.200s", strrchr(target, '/') + 1);
    linux_members_add(members, path);
}

/* Selects the entries of a directory for scandir: all but "." and "..". */
static int
is_listed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The members of an md array are named in the order of the array: md/rd0, md/rd1 and so
 * on. The members of other stacks have no order, so they are sorted by name. */
void
linux_members_find(struct linux_members *members, const struct linux_disk *disk)
{
    char kind[64];
    char folder[LINUX_SYSFS_ROOM + 32];
    char path[LINUX_SYSFS_ROOM + 300];
    struct dirent **list = NULL;

    find_stack_kind(disk, kind, sizeof(kind));
    linux_members_begin(members, kind);
    for (int i = 0; i < OS_LAYOUT_DEVICES; i++) {
        snprintf(path, sizeof(path), "%s/md/rd%d/block", disk->folder, i);
        add_member(members, path);
    }
    if (members->count > 0)
        return;

    snprintf(folder, sizeof(folder), "%s/slaves", disk->folder);
    int count = scandir(folder, &list, is_listed, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
        add_member(members, path);
        free(list[i]);
    }
    free(list);
}
