/*
 * Whether a flush reaches the device. Each layer between a file and a disk can be
 * configured to drop flushes:
 *
 *    overlay, file system    a mount option: in the mount table
 *    disk                    queue/write_cache of sysfs: "write through" although it has
 *                            a cache; the kernel then sends no flushes to it
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

/* A search through the layers below a file. */
struct flush_search {
    char *why; /* receives the reason, `size` bytes */
    size_t size;
    int depth; /* levels of devices that may still be searched */
};

static bool search_file(struct flush_search *search, int fd);

/* Stores the first mount option that makes the file system of FD drop flushes. Returns
 * false if there is no such option. */
static bool
search_options(struct flush_search *search, int fd)
{
    enum { OF_OVERLAY = 2 }; /* number of options of an overlay, which come first */
    static const char *const without[] = {
        "volatile",     "fsync=volatile",       /* overlay */
        "nobarrier",    "barrier=0",            /* ext4, btrfs, f2fs and others; ext3 */
        "barrier=none", "fsync_mode=nobarrier", /* reiserfs; f2fs */
        "nostrictsync",                         /* cifs */
    };

    /* If the file is open for synchronous writes, an overlay passes that on, so its
     * options do not matter. */
    bool is_sync = fcntl(fd, F_GETFL) & O_DSYNC;
    char *options = linux_mount_options(fd);
    char *rest = options;
    char *option;
    bool found = false;
    while (!found && (option = strsep(&rest, ",")))
        for (size_t i = is_sync ? OF_OVERLAY : 0;
             i < sizeof(without) / sizeof(without[0]) && !found; i++)
            found = strcmp(option, without[i]) == 0;

    if (found)
        snprintf(search->why, search->size, "mount option %s", option);
    free(options);

    return found;
}

/* Searches the file at PATH, which is not opened for reading. */
static bool
search_path(struct flush_search *search, const char *path)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool found = search_file(search, fd);
    os_file_close(fd);
    return found;
}

/* Returns true if FILE in the sysfs directory FOLDER says "write back": the device has a
 * cache that loses its data without power. */
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
        found |= says_write_back(path, file);
    return found;
}

/*
 * Returns true if a disk that the kernel does not flush has a cache that loses data
 * without power. The drivers of virtio_blk and of SCSI and SATA disks report that, and
 * the kernel reports it for the devices below. A loop device writes to the page cache of
 * its file, which is a cache too.
 */
static bool
has_cache(const struct linux_disk *disk)
{
    static const struct {
        const char *folder, *file;
    } below[] = {{"device/scsi_disk", "cache_type"}, {"slaves", "queue/write_cache"}};
    char path[LINUX_SYSFS_ROOM + 32];
    bool found = strncmp(disk->name, "loop", 4) == 0 ||
                 says_write_back(disk->folder, "cache_type");

    for (size_t i = 0; i < sizeof(below) / sizeof(below[0]) && !found; i++) {
        snprintf(path, sizeof(path), "%s/%s", disk->folder, below[i].folder);
        found = any_says_write_back(path, below[i].file);
    }
    return found;
}

static bool search_disk(struct flush_search *search, const char *folder);

/* Searches the block devices that the directory FOLDER has links to. Returns true at the
 * first one that is not flushed. */
static bool
search_folder(struct flush_search *search, const char *folder)
{
    char path[LINUX_SYSFS_ROOM];
    DIR *list = opendir(folder);

    while (linux_sysfs_next(list, folder, path)) {
        if (!search_disk(search, path))
            continue;
        closedir(list);
        return true;
    }
    return false;
}

/* Searches the block device behind FOLDER, a symbolic link of sysfs, and the devices
 * below it. */
static bool
search_disk(struct flush_search *search, const char *folder)
{
    struct linux_disk disk = {.name = ""};
    char path[LINUX_SYSFS_ROOM + 16];
    char text[4096];
    if (search->depth == 0 || linux_disk_find(folder, &disk) < 0)
        return false;

    if (linux_file_read(text, sizeof(text), "%s/queue/write_cache", disk.folder) &&
        strcmp(text, "write through") == 0 && has_cache(&disk)) {
        snprintf(search->why, search->size,
                 "\"write through\" in /sys/block/%s/queue/write_cache", disk.name);
        return true;
    }

    struct flush_search below = {search->why, search->size, search->depth - 1};
    if (linux_file_read(text, sizeof(text), "%s/loop/backing_file", disk.folder))
        return search_path(&below, text);
    snprintf(path, sizeof(path), "%s/slaves", disk.folder);

    return search_folder(&below, path);
}

static bool
search_number(struct flush_search *search, dev_t device)
{
    char folder[64];
    snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device),
             minor(device));
    return major(device) && search_disk(search, folder);
}

static bool
search_overlay(struct flush_search *search, int fd)
{
    struct linux_layers layers;
    struct flush_search below = {search->why, search->size, search->depth - 1};
    if (search->depth == 0 || linux_overlay_layers(fd, &layers) < 0)
        return false;
    bool found = search_path(&below, layers.path[layers.count - 1]); /* the upper layer */
    linux_overlay_free(&layers);
    return found;
}

static bool
search_file(struct flush_search *search, int fd)
{
    struct stat file;
    struct statfs system;
    char folder[LINUX_SYSFS_ROOM];
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return false;

    if (S_ISBLK(file.st_mode))
        return search_number(search, file.st_rdev);
    if (search_options(search, fd))
        return true;
    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return search_overlay(search, fd);
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC)
        return linux_btrfs_devices(fd, folder) && search_folder(search, folder);

    return search_number(search, file.st_dev);
}

bool
os_flush_ignored(int fd, char *why, size_t size)
{
    struct flush_search search = {why, size, LINUX_SEARCH_DEPTH};
    return search_file(&search, fd);
}
