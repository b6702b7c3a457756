/*
 * Small files of the kernel in proc, sysfs and tracefs, and what sysfs tells about disks
 * (the kernel's Documentation/ABI/stable/sysfs-block).
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

/* Opens a file whose name is a printf format. Not by os_file_open, because linux_files.c
 * itself needs this file. */
static int
open_file(int mode, const char *path, va_list list)
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
    int fd = open_file(O_RDONLY, path, list);
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
    int fd = open_file(O_RDONLY, path, list);
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
    int fd = open_file(O_WRONLY, path, list);
    va_end(list);
    if (fd < 0)
        return -1;

    bool whole = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    int code = errno;
    close(fd);

    return whole ? 0 : os_fail(code);
}

bool
linux_sysfs_link(const char *path, char target[LINUX_SYSFS_ROOM])
{
    ssize_t length = readlink(path, target, LINUX_SYSFS_ROOM - 1);
    target[length > 0 ? length : 0] = '\0';
    return length > 0;
}

int
linux_disk_find(const char *folder, struct linux_disk *disk)
{
    char target[LINUX_SYSFS_ROOM];
    int used = snprintf(disk->folder, sizeof(disk->folder), "%s/partition", folder);
    bool is_partition = access(disk->folder, F_OK) == 0;
    if (used >= LINUX_SYSFS_ROOM || !linux_sysfs_link(folder, target))
        return -1;

    snprintf(disk->folder, sizeof(disk->folder), "%s%s", folder,
             is_partition ? "/.." : "");

    char *slash = strrchr(target, '/');
    if (slash && is_partition) {
        *slash = '\0';
        slash = strrchr(target, '/');
    }
    used = snprintf(disk->name, sizeof(disk->name), "%s", slash ? slash + 1 : target);

    return used > 0 && used < (int)sizeof(disk->name) ? is_partition : -1;
}

bool
linux_sysfs_next(DIR *list, const char *folder, char path[LINUX_SYSFS_ROOM])
{
    struct dirent *entry;

    while (list && (entry = readdir(list)))
        if (entry->d_name[0] != '.' && snprintf(path, LINUX_SYSFS_ROOM, "%s/%s", folder,
                                                entry->d_name) < LINUX_SYSFS_ROOM)
            return true;
    if (list)
        closedir(list);

    return false;
}

static bool
is_called(const struct linux_disk *disk, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(disk->name, kind, length) == 0 && is_digit(disk->name[length]);
}

/* Persistent memory counts as memory unless its blocks are those of a table (BTT);
 * ndctl's mode tells. */
bool
linux_disk_is_memory(const struct linux_disk *disk)
{
    char path[LINUX_SYSFS_ROOM + 64];
    char mode[LINUX_SYSFS_ROOM];

    if (!is_called(disk, "pmem"))
        return is_called(disk, "zram") || is_called(disk, "ram") ||
               is_called(disk, "nullb");

    linux_file_read(mode, sizeof(mode), "%s/device/mode", disk->folder);
    snprintf(path, sizeof(path), "%s/device", disk->folder);

    return strcmp(mode, "memory") == 0 ||
           (linux_sysfs_link(path, mode) && strstr(mode, "/pfn"));
}
