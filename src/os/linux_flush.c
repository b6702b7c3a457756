/*
 * Whether a flush reaches the device. Each layer between a file and a disk can be set to
 * leave flushes out: an overlay and a file system by an option, which the mount table
 * has, and a disk by queue/write_cache of sysfs, for which the kernel then has nothing to
 * flush. What a disk, a hypervisor or a server does with a flush cannot be known.
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

/* WHY, of SIZE bytes, becomes the reason; DEPTH levels are left to search. */
struct flush_search {
    char *why;
    size_t size;
    int depth;
};

static bool search_file(struct flush_search *search, int fd);

/* Stores the first of the mount's options by which a file system leaves out flushes.
 * Returns false if there is none. */
static bool
search_options(struct flush_search *search, int fd)
{
    enum { OF_OVERLAY = 2 }; /* how many of the first are options of an overlay */
    static const char *const without[] = {
        "volatile",     "fsync=volatile",       /* overlay */
        "nobarrier",    "barrier=0",            /* ext4, btrfs, f2fs and others; ext3 */
        "barrier=none", "fsync_mode=nobarrier", /* reiserfs; f2fs */
        "nostrictsync",                         /* cifs */
    };
    /* An overlay passes on that a file is open for synchronous writes. */
    bool is_sync = fcntl(fd, F_GETFL) & O_DSYNC;
    char *options = linux_mount_options(fd), *rest = options, *option;
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

/* Returns whether FILE in a folder of sysfs says that a device has a cache that loses its
 * data without power. */
static bool
says_write_back(const char *folder, const char *file)
{
    char text[32];
    return linux_file_read(text, sizeof(text), "%s/%s", folder, file) &&
           strcmp(text, "write back") == 0;
}

/* Returns whether FILE in a folder of FOLDER says so. */
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
 * Returns whether a disk that the kernel does not flush has a cache anyway, as its driver
 * says: virtio_blk, and the one of SCSI and SATA disks; or as the kernel says of a device
 * below it. A loop device writes to the page cache of its file.
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

/* Searches the block devices that FOLDER has links to, until one is found. */
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

/* Searches the block device behind FOLDER, a symbolic link of sysfs, and those below. */
static bool
search_disk(struct flush_search *search, const char *folder)
{
    struct linux_disk disk = {.name = ""};
    char path[LINUX_SYSFS_ROOM + 16], text[4096];
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
    bool found = search_path(&below, layers.path[layers.count - 1]); /* the upper one */
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
