/*
 * The file system that a file is on, and the last device in the chain below it.
 *
 *    statfs(2)                 sizes, and the type of a file system
 *    /proc/self/mountinfo      names; layers of an overlay
 *    sysfs: slaves             devices below dm and md
 *    sysfs: devices            devices of a btrfs
 *    sysfs: loop/backing_file  file of a loop device, on another device or in memory
 */
#include "linux.h"
#include "linux_extents.h"
#include "os/os.h"

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

#define MOUNT_ID 0x1000U /* STATX_MNT_ID, Linux 5.8: stx_mnt_id */
#define MOUNT_ID_AT 0x90

/* File systems that live in memory, by f_type of statfs(2). */
static const struct {
    uint32_t magic;
    const char *name;
} in_memory[] = {{0x01021994, "tmpfs"}, {0x858458f6, "ramfs"}, {0x958458f6, "hugetlbfs"}};

const char *
linux_mount_memory(const struct statfs *status)
{
    for (size_t i = 0; i < sizeof(in_memory) / sizeof(in_memory[0]); i++)
        if ((uint32_t)status->f_type == in_memory[i].magic)
            return in_memory[i].name;
    return NULL;
}

/* File systems whose files the kernel generates, by f_type of statfs(2): proc, sysfs,
 * cgroup, cgroup2, debugfs, tracefs, securityfs, configfs, bpf, devpts, pstore and
 * efivarfs. */
static const uint32_t made_up[] = {0x9fa0,     0x62656572, 0x27e0eb,   0x63677270,
                                   0x64626720, 0x74726163, 0x73636673, 0x62656570,
                                   0xcafe4a11, 0x1cd1,     0x6165676c, 0xde5e81e4};

bool
os_path_is_made_up(const char *path)
{
    struct statfs status;
    if (statfs(path, &status) < 0)
        return false;
    for (size_t i = 0; i < sizeof(made_up) / sizeof(made_up[0]); i++)
        if ((uint32_t)status.f_type == made_up[i])
            return true;
    return false;
}

/* Returns the kernel's number of the mount that FD is on, its ID in the mount table; -1
 * if unknown. */
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

/* O_PATH, because the directory may be unreadable. */
bool
os_mount_differs(int fd, const char *path)
{
    int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    int64_t own = mount_id(fd);
    int64_t other = mount_id(directory);
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

/* Returns the mount table, allocated, and stores the ID of the mount that FD is on.
 * Returns NULL if unknown. */
static char *
read_table(int fd, int64_t *id)
{
    *id = mount_id(fd);
    return *id < 0 ? NULL : linux_file_all("/proc/self/mountinfo");
}

/* A file system without a device has any text as its source, chosen by whoever mounted
 * it. */
int
os_mount_name(int fd, struct os_mount *mount)
{
    int64_t id;
    char *table = read_table(fd, &id);
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

/* Stores the name of DISK. Returns BACKING. */
static enum os_backing
answer(struct linux_search *search, enum os_backing backing, const char *disk)
{
    snprintf(search->name, search->size, "/dev/%s", disk);
    return backing;
}

/* Searches the devices that the directory FOLDER has links to. Data is on all of them, so
 * the result is memory only if each is memory. */
static enum os_backing
search_below(struct linux_search *search, const char *folder)
{
    int devices = 0;
    int memories = 0;
    char path[LINUX_SYSFS_ROOM];

    for (DIR *list = opendir(folder); linux_sysfs_next(list, folder, path); devices++) {
        enum os_backing found = linux_backing_search(search, path);
        memories += found == OS_BACKING_MEMORY;
        if (found != OS_BACKING_DEVICE && found != OS_BACKING_MEMORY) {
            closedir(list);
            return found;
        }
    }
    return devices && memories == devices ? OS_BACKING_MEMORY : OS_BACKING_DEVICE;
}

/* Returns true if the device behind FOLDER is certainly a plain disk, a quick answer for
 * most runs: it hangs on a bus. Devices made of files, memory or other devices are
 * virtual, except persistent memory. */
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

/*
 * Returns how a loop device with direct I/O reads the file FD of SIZE bytes on a file
 * system with extents: btrfs reads compressed and inline extents through the page cache.
 */
static enum os_backing
search_extents(int fd, int64_t size)
{
    union linux_extents_piece piece;
    struct linux_extents extents;
    const struct fiemap_extent *extent;
    bool some = false, others = false;
    linux_extents_start(&extents, &piece, fd, 0, size);
    while (!(some && others) && (extent = linux_extents_next(&extents))) {
        if (extent->fe_flags & (FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_ENCODED))
            some = true;
        else
            others = true;
    }

    if (extents.failed || !some)
        return OS_BACKING_DEVICE;

    return others ? OS_BACKING_PARTLY : OS_BACKING_BUFFERED;
}

/* Returns how a loop device with direct I/O reads the file at PATH. ext4 reads journaled
 * data through the page cache; statx(2) then reports no alignment for direct I/O. */
static enum os_backing
search_direct(const char *path)
{
    int64_t memory;
    int64_t offset;
    struct stat file;
    enum os_backing backing = OS_BACKING_DEVICE;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return backing;

    if (os_file_alignment(fd, &memory, &offset) == 0)
        backing = offset == 0 ? OS_BACKING_BUFFERED : OS_BACKING_DEVICE;
    else if (fstat(fd, &file) == 0)
        backing = search_extents(fd, file.st_size);
    os_file_close(fd);

    return backing;
}

/* Returns the backing of a loop device, which depends on its file. The file may be out of
 * reach: removed, or in another mount namespace. */
static enum os_backing
search_loop(struct linux_search *search, const struct linux_disk *disk)
{
    char direct[8];
    char path[4096];
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

    enum os_backing backing = known ? search_direct(path) : OS_BACKING_DEVICE;
    if (backing != OS_BACKING_DEVICE)
        return answer(search, backing, disk->name);

    return known ? search_number(search, file.st_dev) : OS_BACKING_DEVICE;
}

enum os_backing
linux_backing_search(struct linux_search *search, const char *folder)
{
    struct linux_disk disk = {.name = ""};
    char path[LINUX_SYSFS_ROOM + 16];
    struct linux_search below = {search->name, search->size, search->depth - 1};
    if (search->depth == 0 || linux_disk_find(folder, &disk) < 0)
        return OS_BACKING_DEVICE;

    if (linux_disk_is_memory(&disk))
        return answer(search, OS_BACKING_MEMORY, disk.name);
    if (strncmp(disk.name, "loop", 4) == 0)
        return search_loop(&below, &disk);

    snprintf(path, sizeof(path), "%s/slaves", disk.folder);
    return search_below(&below, path);
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

char *
linux_mount_options(int fd)
{
    int64_t id;
    char *table = read_table(fd, &id);
    char *options = table ? mountinfo_options(table, id) : NULL;
    free(table);
    return options;
}

/* A file that is open for writing is in the upper layer; the layer of any other file is
 * unknown. The layers count as found if the sizes of the overlay agree with those of its
 * upper layer or, without one, of its first lower layer. */
int
linux_overlay_layers(int fd, struct linux_layers *layers)
{
    const char *upper = NULL;
    struct statfs whole;
    struct statfs system;

    *layers = (struct linux_layers){.options = linux_mount_options(fd)};
    char *rest = layers->options;
    char *value;
    char *path;
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

/* Searches all layers, which must give the same answer. A layer whose path the mount
 * table has cut off is not found. */
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
        const char *path = layers.path[i];
        const char *memory = NULL;
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
