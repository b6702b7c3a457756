/*
 * Finds out whether a flush reaches the device. Two kinds of layers between a file and a
 * disk can be configured to drop flushes:
 *
 * - A file system or an overlay drops flushes if it has one of several mount options. The
 *   options are read from the mount table.
 * - The kernel sends no flushes to a disk if queue/write_cache in its directory of sysfs
 *   says "write through". A user can write this text there although the disk has a cache
 *   that loses its data without power.
 *
 * What a disk, a hypervisor or a server does with a flush cannot be known.
 */
#include "linux.h"

#include "os/os.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* A search through the layers below a file for one that drops flushes. */
struct flush_search {
    char *why;   /* memory for the reason that is found, see os_flush_is_ignored */
    size_t size; /* size of `why`, in bytes */
    int depth;   /* levels of devices that may still be searched */
};

static bool drops_below_file(struct flush_search *search, int fd);

static bool
is_in_list(const char *option, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(option, list[i]) == 0)
            return true;
    return false;
}

/* Returns true if a file system with the mount option OPTION drops flushes. IS_SYNC says
 * that the file is open for synchronous writes; then the options of an overlay do not
 * matter, because it passes synchronous writes on to the layer below. */
static bool
option_drops_flushes(const char *option, bool is_sync)
{
    static const char *const overlay_options[] = {"volatile", "fsync=volatile"};
    static const char *const options[] = {
        "nobarrier",            /* ext4, btrfs, f2fs and others */
        "barrier=0",            /* ext3 */
        "barrier=none",         /* reiserfs */
        "fsync_mode=nobarrier", /* f2fs */
        "nostrictsync",         /* cifs */
    };
    size_t overlay_count = sizeof(overlay_options) / sizeof(overlay_options[0]);
    size_t count = sizeof(options) / sizeof(options[0]);

    if (!is_sync && is_in_list(option, overlay_options, overlay_count))
        return true;
    return is_in_list(option, options, count);
}

/* Returns true if a mount option makes the file system of FD drop flushes, and stores the
 * first such option as the reason in SEARCH. */
static bool
drops_by_option(struct flush_search *search, int fd)
{
    bool is_sync = fcntl(fd, F_GETFL) & O_DSYNC;
    char *options = linux_mount_options(fd);
    char *next = options;
    char *option;
    bool found = false;

    while ((option = strsep(&next, ","))) {
        found = option_drops_flushes(option, is_sync);
        if (found)
            break;
    }

    if (found)
        snprintf(search->why, search->size, "mount option %s", option);
    free(options);

    return found;
}

/* Returns true if a layer below the file or directory at PATH drops flushes. Stores the
 * reason in SEARCH. Opens PATH by O_PATH, because users may lack the permission to read
 * it. */
static bool
drops_below_path(struct flush_search *search, const char *path)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = drops_below_file(search, fd);
    os_file_close(fd);
    return found;
}

/* Returns true if FILE says "write back". FOLDER is the directory of a device in sysfs.
 * The text means that the device has a cache that loses its data without power. */
static bool
says_write_back(const char *folder, const char *file)
{
    char text[32];
    return linux_file_read(text, sizeof(text), "%s/%s", folder, file) &&
           strcmp(text, "write back") == 0;
}

/* Returns true if FILE says "write back" in any subdirectory of FOLDER. */
static bool
any_says_write_back(const char *folder, const char *file)
{
    char path[LINUX_SYSFS_ROOM];
    bool found = false;
    DIR *list = opendir(folder);
    while (linux_sysfs_next(list, folder, path))
        if (says_write_back(path, file))
            found = true;
    return found;
}

/*
 * Returns true if DISK has a cache that loses its data without power. Only called for a
 * disk to which the kernel sends no flushes. sysfs shows such a cache in these files:
 *
 * - virtio_blk: cache_type of the disk
 * - SCSI and SATA: cache_type of the scsi_disk of the disk
 * - a stack of devices: write_cache of the devices below
 *
 * A loop device always has such a cache: the page cache of its file.
 */
static bool
has_volatile_cache(const struct linux_disk *disk)
{
    char path[LINUX_SYSFS_ROOM + 32];
    if (strncmp(disk->name, "loop", 4) == 0 ||
        says_write_back(disk->folder, "cache_type"))
        return true;

    snprintf(path, sizeof(path), "%s/device/scsi_disk", disk->folder);
    if (any_says_write_back(path, "cache_type"))
        return true;
    snprintf(path, sizeof(path), "%s/slaves", disk->folder);
    return any_says_write_back(path, "queue/write_cache");
}

static bool drops_below_device(struct flush_search *search, const char *device_link);

/* Returns true if one of several block devices, or a device below one of them, gets no
 * flushes. Stores the reason in SEARCH. FOLDER is a directory of sysfs with a sysfs link
 * for each of the devices. */
static bool
drops_below_devices(struct flush_search *search, const char *folder)
{
    char path[LINUX_SYSFS_ROOM];
    DIR *list = opendir(folder);

    while (linux_sysfs_next(list, folder, path)) {
        if (!drops_below_device(search, path))
            continue;
        closedir(list);
        return true;
    }
    return false;
}

/* Returns true if the block device behind the sysfs link DEVICE_LINK, or a device below
 * it, gets no flushes. Stores the reason in SEARCH. */
static bool
drops_below_device(struct flush_search *search, const char *device_link)
{
    struct linux_disk disk = {.name = ""};
    char path[LINUX_SYSFS_ROOM + 16];
    char text[4096];
    if (search->depth == 0 || linux_disk_find(device_link, &disk) < 0)
        return false;

    if (linux_file_read(text, sizeof(text), "%s/queue/write_cache", disk.folder) &&
        strcmp(text, "write through") == 0 && has_volatile_cache(&disk)) {
        snprintf(search->why, search->size,
                 "\"write through\" in /sys/block/%s/queue/write_cache", disk.name);
        return true;
    }

    struct flush_search below = {search->why, search->size, search->depth - 1};
    if (linux_file_read(text, sizeof(text), "%s/loop/backing_file", disk.folder))
        return drops_below_path(&below, text);

    snprintf(path, sizeof(path), "%s/slaves", disk.folder);
    return drops_below_devices(&below, path);
}

/* Returns true if the block device with number DEVICE, or a device below it, gets no
 * flushes. Stores the reason in SEARCH. Major number 0 means that there is no block
 * device. */
static bool
drops_below_number(struct flush_search *search, dev_t device)
{
    char device_link[64];
    if (major(device) == 0)
        return false;
    snprintf(device_link, sizeof(device_link), "/sys/dev/block/%u:%u", major(device),
             minor(device));
    return drops_below_device(search, device_link);
}

/* Returns true if a layer below the overlay that FD is on drops flushes. Stores the
 * reason in SEARCH. Only the last layer of the overlay is searched: it is the upper
 * layer, to which the overlay writes. */
static bool
drops_below_overlay(struct flush_search *search, int fd)
{
    struct linux_layers layers;
    struct flush_search below = {search->why, search->size, search->depth - 1};
    if (search->depth == 0 || linux_overlay_layers(fd, &layers) < 0)
        return false;
    bool found = drops_below_path(&below, layers.path[layers.count - 1]);
    linux_overlay_free(&layers);
    return found;
}

/* Returns true if a layer below FD, a file or block device, drops flushes. Stores the
 * reason in SEARCH. Returns false if not or unknown. */
static bool
drops_below_file(struct flush_search *search, int fd)
{
    struct stat file;
    struct statfs system;
    char folder[LINUX_SYSFS_ROOM];
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return false;

    if (S_ISBLK(file.st_mode))
        return drops_below_number(search, file.st_rdev);
    if (drops_by_option(search, fd))
        return true;
    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return drops_below_overlay(search, fd);
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC)
        return linux_btrfs_devices(fd, folder) && drops_below_devices(search, folder);

    return drops_below_number(search, file.st_dev);
}

bool
os_flush_is_ignored(int fd, char *why, size_t size)
{
    struct flush_search search = {why, size, LINUX_SEARCH_DEPTH};
    return drops_below_file(&search, fd);
}
