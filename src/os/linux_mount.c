/*
 * File systems and where they are mounted: statfs(2) has the sizes, the mount table of
 * /proc/self/mountinfo the names.
 */

#include "linux.h"
#include "os/os.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define MOUNT_ID 0x1000U /* STATX_MNT_ID, Linux 5.8: stx_mnt_id */
#define MOUNT_ID_AT 0x90

/* File systems that live in memory, by their f_type of statfs(2). */
static const struct {
    uint32_t magic;
    const char *name;
} memories[] = {{0x01021994, "tmpfs"}, {0x858458f6, "ramfs"}, {0x958458f6, "hugetlbfs"}};

const char *
linux_mount_memory(const struct statfs *status)
{
    for (size_t i = 0; i < sizeof(memories) / sizeof(memories[0]); i++)
        if ((uint32_t)status->f_type == memories[i].magic)
            return memories[i].name;
    return NULL;
}

/* The kernel's number of a mount, the key into the mount table; -1: not known. */
static int64_t
mount_id(int fd)
{
    uint64_t known;
    char text[512];
    if (linux_statx(fd, MOUNT_ID, MOUNT_ID_AT, &known, sizeof(known)) == 0)
        return (int64_t)known;
    linux_file_read(text, sizeof(text), "/proc/self/fdinfo/%d", fd);
    const char *line = strstr(text, "mnt_id:");
    return line ? strtoll(line + 7, NULL, 10) : -1;
}

/* O_PATH: the directory need not be readable. */
bool
os_mount_differs(int fd, const char *path)
{
    int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    int64_t own = mount_id(fd), other = mount_id(directory);
    os_file_close(directory);
    return own >= 0 && other >= 0 && own != other;
}

int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct statfs status;
    struct stat info;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (fstatfs(fd, &status) < 0)
        return -1;
    uint64_t unit = (uint64_t)(status.f_frsize ? status.f_frsize : status.f_bsize);
    mount->block = (int64_t)status.f_bsize;
    mount->size = (int64_t)(status.f_blocks * unit);
    mount->available = (int64_t)(status.f_bavail * unit);
    mount->anonymous = fstat(fd, &info) == 0 && major(info.st_dev) == 0;
    const char *memory = linux_mount_memory(&status);
    mount->memory = memory != NULL;
    if (memory)
        snprintf(mount->fstype, sizeof(mount->fstype), "%s", memory);
    return 0;
}

char *
linux_mount_options(int fd)
{
    int64_t id = mount_id(fd);
    char *table = id < 0 ? NULL : linux_file_all("/proc/self/mountinfo");
    char *options = table ? mountinfo_options(table, id) : NULL;
    free(table);
    return options;
}

/* Without a device, the source is a text that whoever mounts it chooses. */
int
os_mount_name(int fd, struct os_mount *mount)
{
    int64_t id = mount_id(fd);
    char *table = id < 0 ? NULL : linux_file_all("/proc/self/mountinfo");
    int code = errno;
    struct stat status;
    bool found = table && (mountinfo_find(table, id, mount) == 0 ||
                           (fstat(fd, &status) == 0 &&
                            mountinfo_find_device(table, major(status.st_dev),
                                                  minor(status.st_dev), mount) == 0));
    char *real = found && mount->device[0] == '/' ? realpath(mount->device, NULL) : NULL;
    if (real && strlen(real) < sizeof(mount->device))
        memcpy(mount->device, real, strlen(real) + 1);
    free(real);
    free(table);
    errno = code;
    return table ? 0 : -1;
}
