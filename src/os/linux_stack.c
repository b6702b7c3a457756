/*
 * Names of a block device and of the devices that it consists of, as users know them. The
 * names come from sysfs (the kernel's Documentation/ABI/testing/sysfs-block-dm, and "md
 * devices in sysfs" of Documentation/admin-guide/md.rst).
 */
#include "linux_stack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Creators of device-mapper devices, by the beginning of the uuid. */
static const struct {
    const char *uuid, *kind;
} mappers[] = {
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
    for (char *at = path; (at = strchr(at, '!'));)
        *at = '/'; /* sysfs has an exclamation mark for a slash in a name */
}

static bool
has_folder(const struct linux_disk *disk, const char *name)
{
    char path[LINUX_SYSFS_ROOM + 16];
    snprintf(path, sizeof(path), "%s/%s", disk->folder, name);
    return access(path, F_OK) == 0;
}

/* The devices that a bcache consists of have a directory "bcache" too, so the name is
 * tested as well. */
bool
linux_disk_is_bcache(const struct linux_disk *disk)
{
    return strncmp(disk->name, "bcache", strlen("bcache")) == 0 &&
           has_folder(disk, "bcache");
}

/* Stores the kind of stack of DISK in KIND of SIZE bytes. A request-based device of the
 * device mapper is a multipath. */
static void
find_kind(const struct linux_disk *disk, char *kind, size_t size)
{
    char uuid[192];
    size_t i = 0;
    if (linux_file_read(kind, size, "%s/md/level", disk->folder))
        return;

    if (linux_disk_is_bcache(disk) || has_folder(disk, "mq")) {
        snprintf(kind, size, "%s", has_folder(disk, "mq") ? "multipath" : "bcache");
        return;
    }

    linux_file_read(uuid, sizeof(uuid), "%s/dm/uuid", disk->folder);
    while (strncmp(uuid, mappers[i].uuid, strlen(mappers[i].uuid)) != 0)
        i++;
    snprintf(kind, size, "%s", mappers[i].kind);
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
    static const char more[] = ", ...";
    const char *between = members->count > 0 ? ", " : ": ";
    size_t used = strlen(members->text);
    if (members->is_full)
        return;

    members->is_full =
        used + strlen(between) + strlen(path) + sizeof(more) > members->size;
    if (members->is_full)
        snprintf(members->text + used, members->size - used, "%s", more);
    else
        snprintf(members->text + used, members->size - used, "%s%s", between, path);
    members->count++;
}

/* Adds the device behind FOLDER, a symbolic link of sysfs to the directory of a disk or
 * partition. */
static void
add_member(struct linux_members *members, const char *folder)
{
    char path[256];
    char target[LINUX_SYSFS_ROOM];
    struct linux_disk disk = {.name = ""};
    int is_partition = linux_disk_find(folder, &disk);
    if (is_partition < 0)
        return;

    linux_device_path(&disk, path, sizeof(path));
    if (is_partition && linux_sysfs_link(folder, target) && strrchr(target, '/'))
        snprintf(path, sizeof(path), "/dev/%.200s", strrchr(target, '/') + 1);
    linux_members_add(members, path);
}

static int
is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The members of an md array come in the order of the array. The members of other stacks
 * have no order, so they are sorted by name. */
void
linux_members_find(struct linux_members *members, const struct linux_disk *disk)
{
    char kind[64];
    char folder[LINUX_SYSFS_ROOM + 32];
    char path[LINUX_SYSFS_ROOM + 300];
    struct dirent **list = NULL;

    find_kind(disk, kind, sizeof(kind));
    linux_members_begin(members, kind);
    for (int i = 0; i < OS_LAYOUT_DEVICES; i++) {
        snprintf(path, sizeof(path), "%s/md/rd%d/block", disk->folder, i);
        add_member(members, path);
    }
    if (members->count > 0)
        return;

    snprintf(folder, sizeof(folder), "%s/slaves", disk->folder);
    int count = scandir(folder, &list, is_shown, alphasort);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof(path), "%s/%s", folder, list[i]->d_name);
        add_member(members, path);
        free(list[i]);
    }
    free(list);
}
