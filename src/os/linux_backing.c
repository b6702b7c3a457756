/*
 * The last in the chain of devices below a file, by sysfs: dm and md list the devices
 * below them in `slaves`, btrfs in `devices`, an overlay its layers in the mount table. A
 * loop device has a file, which is on another device or in memory.
 */
#include "linux.h"

#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static enum os_backing
answer(struct linux_search *search, enum os_backing backing, const char *disk)
{
    snprintf(search->name, search->size, "/dev/%s", disk);
    return backing;
}

/* Data is on all devices of FOLDER: memory only if each is. */
static enum os_backing
search_below(struct linux_search *search, const char *folder)
{
    int devices = 0, memories = 0;
    char path[LINUX_SYSFS_ROOM];
    for (DIR *list = opendir(folder); linux_sysfs_next(list, folder, path); devices++) {
        enum os_backing found = linux_backing_search(search, path);
        memories += found == OS_BACKING_MEMORY;
        if (found == OS_BACKING_CACHE) {
            closedir(list);
            return found;
        }
    }
    return devices && memories == devices ? OS_BACKING_MEMORY : OS_BACKING_DEVICE;
}

/* A disk hangs on a bus, and as most runs ask for one it is found at once. Devices made
 * of files, memory or other devices are virtual, but for persistent memory. */
static bool
is_disk(const char *folder)
{
    char target[LINUX_SYSFS_ROOM];
    linux_sysfs_link(folder, target);
    return !strstr(target, "/virtual/block/") && !strstr(target, "/pmem");
}

static enum os_backing
search_number(struct linux_search *search, dev_t device)
{
    char folder[64];
    snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device),
             minor(device));
    return major(device) && !is_disk(folder) ? linux_backing_search(search, folder)
                                             : OS_BACKING_DEVICE;
}

/* The file of a loop device may be out of reach: removed, or in another mount table. */
static enum os_backing
search_loop(struct linux_search *search, const struct linux_disk *disk)
{
    char direct[8], path[4096];
    struct stat file;
    struct statfs system;
    if (!linux_file_read(direct, sizeof(direct), "%s/loop/dio", disk->folder))
        return OS_BACKING_DEVICE;
    bool known =
        linux_file_read(path, sizeof(path), "%s/loop/backing_file", disk->folder) &&
        stat(path, &file) == 0 && statfs(path, &system) == 0;
    if (known && linux_mount_memory(&system))
        return answer(search, OS_BACKING_MEMORY, disk->name);
    if (direct[0] == '0')
        return answer(search, OS_BACKING_CACHE, disk->name);
    return known ? search_number(search, file.st_dev) : OS_BACKING_DEVICE;
}

enum os_backing
linux_backing_search(struct linux_search *search, const char *folder)
{
    struct linux_disk disk = {.name = ""};
    char path[LINUX_SYSFS_ROOM + 16];
    enum os_backing backing;
    if (search->depth == 0 || linux_disk_find(folder, &disk) < 0)
        return OS_BACKING_DEVICE;
    search->depth--;
    if (linux_disk_is_memory(&disk)) {
        backing = answer(search, OS_BACKING_MEMORY, disk.name);
    } else if (strncmp(disk.name, "loop", 4) == 0) {
        backing = search_loop(search, &disk);
    } else {
        snprintf(path, sizeof(path), "%s/slaves", disk.folder);
        backing = search_below(search, path);
    }
    search->depth++;
    return backing;
}

bool
linux_btrfs_devices(int fd, char folder[LINUX_SYSFS_ROOM])
{
    struct btrfs_ioctl_fs_info_args info = {0};
    size_t used = (size_t)snprintf(folder, LINUX_SYSFS_ROOM, "/sys/fs/btrfs/");
    if (syscall(SYS_ioctl, (long)fd, BTRFS_IOC_FS_INFO, &info) < 0)
        return false;
    for (int i = 0; i < BTRFS_FSID_SIZE; i++)
        used += (size_t)snprintf(folder + used, LINUX_SYSFS_ROOM - used, "%s%02x",
                                 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                 info.fsid[i]);
    snprintf(folder + used, LINUX_SYSFS_ROOM - used, "/devices");
    return true;
}

/*
 * A file that is open for writing is in the upper layer; in which one another is cannot
 * be known. An overlay has the sizes of its upper layer, or of the first without one.
 */
int
linux_overlay_layers(int fd, struct linux_layers *layers)
{
    const char *upper = NULL;
    struct statfs whole, system;
    *layers = (struct linux_layers){.options = linux_mount_options(fd)};
    char *rest = layers->options, *value, *path;
    while ((value = strsep(&rest, ","))) {
        const char *name = strsep(&value, "=");
        if (strcmp(name, "upperdir") == 0)
            upper = value;
        if (strcmp(name, "lowerdir") != 0 && strcmp(name, "lowerdir+") != 0)
            continue;
        while (layers->count < LINUX_LAYERS - 1 && (path = strsep(&value, ":")))
            if (*path)
                layers->path[layers->count++] = path;
    }
    if (upper && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
        layers->count = 0;
    const char *measured = upper ? upper : layers->path[0];
    if (upper)
        layers->path[layers->count++] = upper;
    bool known = layers->count > 0 && fstatfs(fd, &whole) == 0 &&
                 statfs(measured, &system) == 0 && system.f_blocks == whole.f_blocks &&
                 system.f_files == whole.f_files;
    if (!known)
        linux_overlay_free(layers);
    return known ? 0 : -1;
}

void
linux_overlay_free(struct linux_layers *layers)
{
    free(layers->options);
    layers->options = NULL;
}

/* All layers must be alike. The name of one that the mount table has cut off is not
 * found. */
static enum os_backing
search_overlay(struct linux_search *search, int fd)
{
    struct linux_layers layers;
    enum os_backing found = OS_BACKING_DEVICE;
    if (linux_overlay_layers(fd, &layers) < 0)
        return found;
    for (int i = 0; i < layers.count; i++) {
        enum os_backing backing = OS_BACKING_DEVICE;
        struct statfs system;
        struct stat status;
        const char *path = layers.path[i], *memory = NULL;
        if (statfs(path, &system) == 0 && (memory = linux_mount_memory(&system))) {
            snprintf(search->name, search->size, "%s", memory);
            backing = OS_BACKING_MEMORY;
        } else if (stat(path, &status) == 0) {
            backing = search_number(search, status.st_dev);
        }
        found = i == 0 || backing == found ? backing : OS_BACKING_DEVICE;
        if (found == OS_BACKING_DEVICE)
            break;
    }
    linux_overlay_free(&layers);
    return found;
}

enum os_backing
os_file_backing(int fd, char *name, size_t size)
{
    struct linux_search search = {name, size, LINUX_SEARCH_DEPTH};
    char folder[LINUX_SYSFS_ROOM];
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return OS_BACKING_DEVICE;
    if (S_ISBLK(file.st_mode))
        return search_number(&search, file.st_rdev);
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC)
        return linux_btrfs_devices(fd, folder) ? search_below(&search, folder)
                                               : OS_BACKING_DEVICE;
    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return search_overlay(&search, fd);
    return search_number(&search, file.st_dev);
}
