/*
 * Reads and writes small files of the kernel in proc, sysfs and tracefs, and finds disks
 * in sysfs (the kernel's Documentation/ABI/stable/sysfs-block).
 */
#include "linux.h"

#include "base/units.h"
#include "os/os.h"

#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_ROOM (PATH_MAX + 256)

/* Opens a file with the flags MODE of open(2). PATH is a printf format, with the
 * arguments in LIST. Does not use os_file_open, because linux_files.c itself needs this
 * file. Returns a descriptor, or -1 with errno. */
static int
open_formatted(int mode, const char *path, va_list list)
{
    char name[PATH_ROOM];
    int fd;
    int used = vsnprintf(name, sizeof(name), path, list);
    if (used >= PATH_ROOM)
        return os_fail(ENAMETOOLONG);

    do
        fd = open(name, mode | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    return fd;
}

bool
linux_file_read(char *text, size_t size, const char *path, ...)
{
    va_list list;
    va_start(list, path);
    int fd = open_formatted(O_RDONLY, path, list);
    va_end(list);

    ssize_t got = fd < 0 ? 0 : read(fd, text, size - 1);
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = '\0';
    if (got > 0 && text[got - 1] == '\n')
        text[got - 1] = '\0';

    return got > 0;
}

char *
linux_file_all(const char *path, ...)
{
    char *text = NULL;
    size_t room = 0;

    va_list list;
    va_start(list, path);
    int fd = open_formatted(O_RDONLY, path, list);
    va_end(list);

    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file && fd >= 0)
        close(fd);
    if (!file)
        return NULL;

    if (getdelim(&text, &room, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);

    return text;
}

int
linux_file_write(const char *text, const char *path, ...)
{
    va_list list;
    va_start(list, path);
    int fd = open_formatted(O_WRONLY, path, list);
    va_end(list);
    if (fd < 0)
        return -1;

    bool is_written = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int code = errno;
    close(fd);

    return is_written ? 0 : os_fail(code);
}

bool
linux_sysfs_link(const char *path, char target[LINUX_SYSFS_ROOM])
{
    ssize_t length = readlink(path, target, LINUX_SYSFS_ROOM - 1);
    target[length > 0 ? length : 0] = '\0';
    return length > 0;
}

/* The sysfs link of a disk leads to a path that ends with the name of the disk. The sysfs
 * link of a partition leads to a path that ends with the name of the disk, a slash, and
 * the name of the partition. */
int
linux_disk_find(const char *device_link, struct linux_disk *disk)
{
    char target[LINUX_SYSFS_ROOM];
    int used = snprintf(disk->folder, sizeof(disk->folder), "%s/partition", device_link);
    bool is_partition = access(disk->folder, F_OK) == 0;
    if (used >= LINUX_SYSFS_ROOM || !linux_sysfs_link(device_link, target))
        return -1;

    snprintf(disk->folder, sizeof(disk->folder), "%s%s", device_link,
             is_partition ? "/.." : "");

    char *slash = strrchr(target, '/');
    if (slash && is_partition) {
        *slash = '\0';
        slash = strrchr(target, '/');
    }
    const char *name = slash ? slash + 1 : target;
    used = snprintf(disk->name, sizeof(disk->name), "%s", name);
    if (used == 0 || used >= (int)sizeof(disk->name))
        return -1;
    return is_partition;
}

bool
linux_sysfs_next(DIR *list, const char *folder, char path[LINUX_SYSFS_ROOM])
{
    struct dirent *entry;
    if (!list)
        return false;

    while ((entry = readdir(list))) {
        if (entry->d_name[0] == '.')
            continue;
        int used = snprintf(path, LINUX_SYSFS_ROOM, "%s/%s", folder, entry->d_name);
        if (used < LINUX_SYSFS_ROOM)
            return true;
    }
    closedir(list);
    return false;
}

/* Returns true if the name of DISK is KIND and a number, such as ram0. */
static bool
is_numbered(const struct linux_disk *disk, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(disk->name, kind, length) == 0 && is_digit(disk->name[length]);
}

/* Persistent memory (pmem) counts as memory, except if it is used through a table of
 * blocks (BTT). It is used without a table if the mode of its namespace in sysfs is
 * "memory", or if its device is a pfn device. */
bool
linux_disk_is_memory(const struct linux_disk *disk)
{
    char path[LINUX_SYSFS_ROOM + 64];
    char mode[LINUX_SYSFS_ROOM];
    char target[LINUX_SYSFS_ROOM];

    if (!is_numbered(disk, "pmem"))
        return is_numbered(disk, "zram") || is_numbered(disk, "ram") ||
               is_numbered(disk, "nullb");

    linux_file_read(mode, sizeof(mode), "%s/device/mode", disk->folder);
    if (strcmp(mode, "memory") == 0)
        return true;
    snprintf(path, sizeof(path), "%s/device", disk->folder);
    return linux_sysfs_link(path, target) && strstr(target, "/pfn");
}
