/*
 * The last in the chain of devices below a file, by sysfs: dm and md list the devices
 * below them in `slaves`, btrfs in `devices`, an overlay its layers in the mount table. A
 * loop device has a file, which is on another device or in memory.
 */
#include "linux.h"

#include "base/units.h"
#include "os/os.h"

#include <dirent.h>
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

#define DEPTH 8        /* devices on top of each other */
#define PATH_ROOM 1024 /* of a path in sysfs */

/* NAME, of SIZE bytes, becomes the name that is found; DEPTH levels are left to search.
 */
struct search {
    char *name;
    size_t size;
    int depth;
};

static enum os_backing search_device(struct search *search, const char *folder);

/* Reads the first line of an attribute. */
static bool
read_attribute(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = os_file_open(path, OS_OPEN_READ);
    if (fd < 0)
        return false;
    ssize_t got = read(fd, text, size - 1);
    os_file_close(fd);
    if (got <= 0)
        return false;
    text[got] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return true;
}

/* The last component of the target of a symbolic link, or the one BEFORE it. */
static bool
read_link(const char *path, bool before, char *name, size_t size)
{
    char target[PATH_ROOM];
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    char *slash = strrchr(target, '/');
    if (slash && before) {
        *slash = '\0';
        slash = strrchr(target, '/');
    }
    int used = snprintf(name, size, "%s", slash ? slash + 1 : target);
    return used > 0 && (size_t)used < size;
}

static enum os_backing
answer(struct search *search, enum os_backing backing, const char *disk)
{
    snprintf(search->name, search->size, "/dev/%s", disk);
    return backing;
}

/* Persistent memory whose blocks are not those of a table (BTT), by ndctl's mode. */
static bool
is_mapped_memory(const char *folder)
{
    char path[PATH_ROOM + 64], text[64];
    snprintf(path, sizeof(path), "%s/device", folder);
    return (read_attribute(folder, "device/mode", text, sizeof(text)) &&
            strcmp(text, "memory") == 0) ||
           (read_link(path, false, text, sizeof(text)) && strncmp(text, "pfn", 3) == 0);
}

static bool
is_memory(const char *folder, const char *disk)
{
    static const char *const names[] = {"zram", "ram", "nullb", "pmem"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t length = strlen(names[i]);
        bool named = strncmp(disk, names[i], length) == 0 && is_digit(disk[length]);
        if (named)
            return i < 3 || is_mapped_memory(folder);
    }
    return false;
}

/* Data is on all devices of FOLDER: memory only if each is. */
static enum os_backing
search_below(struct search *search, const char *folder)
{
    enum os_backing found = OS_BACKING_DEVICE;
    int devices = 0, memories = 0;
    DIR *list = opendir(folder);
    struct dirent *entry;
    while (list && found != OS_BACKING_CACHE && (entry = readdir(list))) {
        char path[PATH_ROOM];
        int used = snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || used >= PATH_ROOM)
            continue;
        found = search_device(search, path);
        memories += found == OS_BACKING_MEMORY;
        devices++;
    }
    if (list)
        closedir(list);
    if (found == OS_BACKING_CACHE)
        return found;
    return devices && memories == devices ? OS_BACKING_MEMORY : OS_BACKING_DEVICE;
}

/* A disk hangs on a bus, and as most runs ask for one it is told at once. Devices made of
 * files, memory or other devices are virtual, but for persistent memory. */
static bool
is_disk(const char *folder)
{
    char target[PATH_ROOM];
    ssize_t length = readlink(folder, target, sizeof(target) - 1);
    if (length <= 0)
        return true;
    target[length] = '\0';
    return !strstr(target, "/virtual/block/") && !strstr(target, "/pmem");
}

static enum os_backing
search_number(struct search *search, dev_t device)
{
    char folder[64];
    snprintf(folder, sizeof(folder), "/sys/dev/block/%u:%u", major(device),
             minor(device));
    return major(device) && !is_disk(folder) ? search_device(search, folder)
                                             : OS_BACKING_DEVICE;
}

/* The file of a loop device may be out of reach: removed, or in another mount table. */
static enum os_backing
search_loop(struct search *search, const char *folder, const char *disk)
{
    char direct[8], path[4096];
    struct stat file;
    struct statfs system;
    if (!read_attribute(folder, "loop/dio", direct, sizeof(direct)))
        return OS_BACKING_DEVICE;
    bool known = read_attribute(folder, "loop/backing_file", path, sizeof(path)) &&
                 stat(path, &file) == 0 && statfs(path, &system) == 0;
    if (known && linux_mount_memory(&system))
        return answer(search, OS_BACKING_MEMORY, disk);
    if (direct[0] == '0')
        return answer(search, OS_BACKING_CACHE, disk);
    return known ? search_number(search, file.st_dev) : OS_BACKING_DEVICE;
}

/* FOLDER is a link to the folder of a disk or, one level below, of a partition. */
static enum os_backing
search_device(struct search *search, const char *folder)
{
    char disk[64], base[PATH_ROOM], path[PATH_ROOM + 16];
    enum os_backing backing = OS_BACKING_DEVICE;
    snprintf(path, sizeof(path), "%s/partition", folder);
    bool is_partition = access(path, F_OK) == 0;
    int used = snprintf(base, sizeof(base), "%s%s", folder, is_partition ? "/.." : "");
    if (search->depth == 0 || used >= PATH_ROOM ||
        !read_link(folder, is_partition, disk, sizeof(disk)))
        return backing;
    search->depth--;
    if (is_memory(base, disk)) {
        backing = answer(search, OS_BACKING_MEMORY, disk);
    } else if (strncmp(disk, "loop", 4) == 0) {
        backing = search_loop(search, base, disk);
    } else {
        snprintf(path, sizeof(path), "%s/slaves", base);
        backing = search_below(search, path);
    }
    search->depth++;
    return backing;
}

enum os_backing
linux_backing_find(const char *folder, char *name, size_t size)
{
    struct search search = {name, size, DEPTH};
    return search_device(&search, folder);
}

static enum os_backing
search_btrfs(struct search *search, int fd)
{
    struct btrfs_ioctl_fs_info_args info = {0};
    char folder[PATH_ROOM] = "/sys/fs/btrfs/";
    size_t used = strlen(folder);
    if (syscall(SYS_ioctl, (long)fd, BTRFS_IOC_FS_INFO, &info) < 0)
        return OS_BACKING_DEVICE;
    for (int i = 0; i < BTRFS_FSID_SIZE; i++)
        used += (size_t)snprintf(folder + used, sizeof(folder) - used, "%s%02x",
                                 i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                 info.fsid[i]);
    snprintf(folder + used, sizeof(folder) - used, "/devices");
    return search_below(search, folder);
}

/* PATH is the directory of a layer; a name that the mount table has cut off is not found.
 */
static enum os_backing
search_layer(struct search *search, const char *path, const struct statfs *system)
{
    struct stat status;
    const char *memory = linux_mount_memory(system);
    if (memory)
        snprintf(search->name, search->size, "%s", memory);
    if (memory)
        return OS_BACKING_MEMORY;
    return stat(path, &status) == 0 ? search_number(search, status.st_dev)
                                    : OS_BACKING_DEVICE;
}

/*
 * A file that is open for writing is in the upper layer, the first of LAYERS; in which
 * one another is cannot be known, so all must be alike. An overlay has the sizes of its
 * first.
 */
static enum os_backing
search_layers(struct search *search, int fd, const char *const *layers, bool upper)
{
    enum os_backing first = OS_BACKING_DEVICE;
    struct statfs whole, system;
    if (fstatfs(fd, &whole) < 0)
        return first;
    for (int i = 0; layers[i]; i++) {
        bool known = statfs(layers[i], &system) == 0;
        if (!known || (i == 0 && (system.f_blocks != whole.f_blocks ||
                                  system.f_files != whole.f_files)))
            return OS_BACKING_DEVICE;
        enum os_backing backing = search_layer(search, layers[i], &system);
        if (i > 0 && backing != first)
            return OS_BACKING_DEVICE;
        first = backing;
        if (upper && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
            break;
    }
    return first;
}

#define LAYERS 64

static enum os_backing
search_overlay(struct search *search, int fd)
{
    static const char up[] = "upperdir=", low[] = "lowerdir=", more[] = "lowerdir+=";
    const char *list[LAYERS + 2] = {NULL}, **layers = list + 1;
    int count = 0;
    char *options = linux_mount_options(fd), *rest = options, *option;
    while (options && (option = strsep(&rest, ","))) {
        char *paths =
            strncmp(option, low, sizeof(low) - 1) == 0     ? option + sizeof(low) - 1
            : strncmp(option, more, sizeof(more) - 1) == 0 ? option + sizeof(more) - 1
                                                           : NULL;
        if (strncmp(option, up, sizeof(up) - 1) == 0)
            list[0] = option + sizeof(up) - 1;
        for (char *path; paths && count < LAYERS && (path = strsep(&paths, ":"));)
            if (*path)
                layers[count++] = path;
    }
    enum os_backing backing =
        search_layers(search, fd, list[0] ? list : layers, list[0] != NULL);
    free(options);
    return backing;
}

enum os_backing
os_file_backing(int fd, char *name, size_t size)
{
    struct search search = {name, size, DEPTH};
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return OS_BACKING_DEVICE;
    if (S_ISBLK(file.st_mode))
        return search_number(&search, file.st_rdev);
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC)
        return search_btrfs(&search, fd);
    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return search_overlay(&search, fd);
    return search_number(&search, file.st_dev);
}
