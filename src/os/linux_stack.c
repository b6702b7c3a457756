/*
 * Finds the name of a block device as users know it, and the names of its members (the
 * devices that it consists of). The names come from sysfs (the kernel's
 * Documentation/ABI/testing/sysfs-block-dm, and "md devices in sysfs" of
 * Documentation/admin-guide/md.rst).
 */
#include "linux_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Who created a device of the device mapper. The uuid of such a device begins with
 * characters that tell its creator. The last row matches any uuid. */
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
    /* If the name of a device has a slash, sysfs has an exclamation mark instead. */
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

/* The members of a bcache have a directory "bcache" in sysfs, too. So the name of the
 * disk is tested as well. */
bool
linux_disk_is_bcache(const struct linux_disk *disk)
{
    return strncmp(disk->name, "bcache", strlen("bcache")) == 0 &&
           has_folder(disk, "bcache");
}

/* Stores the kind of DISK, a stack of devices, in KIND, of SIZE bytes. A multipath is the
 * only stack whose I/O goes through a request queue, so only a multipath has a directory
 * "mq". */
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

/* Adds the path of the device behind the sysfs link DEVICE_LINK to MEMBERS. Adds nothing
 * if there is no such link. If the device is a partition, its name is the last part of
 * the path to which the link leads. */
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

/* A filter for scandir(3): returns false for hidden entries. In sysfs, only "." and ".."
 * are hidden. */
static int
is_listed(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The members of an md array are added in the order of the array: md/rd0, md/rd1 and so
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
