/*
 * Finds out on which file system a file is, and which devices are at the end of the chain
 * of devices below it. Each of these interfaces of the kernel tells a part:
 *
 *     statfs(2)                   type and sizes of the file system
 *     /proc/self/mountinfo        name of the file system; layers of an overlay
 *     sysfs: slaves               devices below a device of the device mapper or md
 *     sysfs: devices              devices of a btrfs
 *     sysfs: loop/backing_file    file of a loop device, on a device or in memory
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

/* The number of a mount in struct statx. Older headers lack these names. */
#define MOUNT_ID 0x1000U     /* STATX_MNT_ID, Linux 5.8 */
#define MOUNT_ID_OFFSET 0x90 /* offset of stx_mnt_id, in bytes */

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
static const uint32_t generated[] = {0x9fa0,     0x62656572, 0x27e0eb,   0x63677270,
                                     0x64626720, 0x74726163, 0x73636673, 0x62656570,
                                     0xcafe4a11, 0x1cd1,     0x6165676c, 0xde5e81e4};

bool
os_path_is_generated(const char *path)
{
    struct statfs status;
    if (statfs(path, &status) < 0)
        return false;
    for (size_t i = 0; i < sizeof(generated) / sizeof(generated[0]); i++)
        if ((uint32_t)status.f_type == generated[i])
            return true;
    return false;
}

/* Returns the number of the mount that FD is on, which is its ID in the mount table.
 * Returns -1 if it is unknown. */
static int64_t
find_mount_id(int fd)
{
    uint64_t id;
    char text[512];
    if (linux_statx(fd, MOUNT_ID, MOUNT_ID_OFFSET, &id, sizeof(id)) == 0)
        return (int64_t)id;
    linux_file_read(text, sizeof(text), "/proc/self/fdinfo/%d", fd);

    const char *line = strstr(text, "mnt_id:");
    return line ? strtoll(line + strlen("mnt_id:"), NULL, 10) : -1;
}

/* Opens PATH by O_PATH, because users may lack the permission to read it. */
bool
os_mount_differs(int fd, const char *path)
{
    int directory = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (directory < 0)
        return false;
    int64_t file_mount = find_mount_id(fd);
    int64_t directory_mount = find_mount_id(directory);
    os_file_close(directory);
    return file_mount >= 0 && directory_mount >= 0 && file_mount != directory_mount;
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
    mount->block_size = (int64_t)status.f_bsize;
    mount->size = (int64_t)(status.f_blocks * unit);
    mount->available = (int64_t)(status.f_bavail * unit);
    mount->is_anonymous = fstat(fd, &info) == 0 && major(info.st_dev) == 0;

    const char *memory = linux_mount_memory(&status);
    mount->is_in_memory = memory != NULL;
    if (memory)
        snprintf(mount->fstype, sizeof(mount->fstype), "%s", memory);

    return 0;
}

/* Returns the mount table, and stores the ID of the mount that FD is on. The text is
 * allocated; the caller frees it. Returns NULL if the table or the ID is unknown. */
static char *
read_mount_table(int fd, int64_t *id)
{
    *id = find_mount_id(fd);
    return *id < 0 ? NULL : linux_file_all("/proc/self/mountinfo");
}

/* If the source is a path, such as a symbolic link in /dev, it is replaced by the path to
 * which it leads. The source of a file system without a device may be any text, chosen by
 * whoever mounted it. */
int
os_mount_name(int fd, struct os_mount *mount)
{
    int64_t id;
    char *table = read_mount_table(fd, &id);
    int code = errno;
    struct stat status;
    if (!table)
        return -1;

    bool found = mountinfo_find(table, id, mount) == 0;
    if (!found && fstat(fd, &status) == 0)
        found = mountinfo_find_device(table, major(status.st_dev), minor(status.st_dev),
                                      mount) == 0;

    char *real = found && mount->device[0] == '/' ? realpath(mount->device, NULL) : NULL;
    if (real && strlen(real) < sizeof(mount->device))
        memcpy(mount->device, real, strlen(real) + 1);
    free(real);
    free(table);
    errno = code;

    return 0;
}

/* Stores the path of the disk with the name DISK in SEARCH. Returns BACKING. */
static enum os_backing
answer_with_disk(struct linux_search *search, enum os_backing backing, const char *disk)
{
    snprintf(search->name, search->size, "/dev/%s", disk);
    return backing;
}

/* Returns the backing of a device or file system that consists of several devices. FOLDER
 * is the directory of sysfs with a sysfs link for each of them. Data is on all of them,
 * so the backing is memory only if each device is memory. */
static enum os_backing
find_backing_of_members(struct linux_search *search, const char *folder)
{
    int member_count = 0;
    int memory_count = 0;
    char path[LINUX_SYSFS_ROOM];

    DIR *list = opendir(folder);
    while (linux_sysfs_next(list, folder, path)) {
        enum os_backing found = linux_backing_search(search, path);
        member_count++;
        if (found == OS_BACKING_MEMORY)
            memory_count++;
        if (found != OS_BACKING_DEVICE && found != OS_BACKING_MEMORY) {
            closedir(list);
            return found;
        }
    }
    if (member_count > 0 && memory_count == member_count)
        return OS_BACKING_MEMORY;
    return OS_BACKING_DEVICE;
}

/*
 * Returns true if the device behind the sysfs link DEVICE_LINK is a plain disk. The
 * directory of a plain disk in sysfs is below the directory of a bus. Devices that
 * consist of files, memory or other devices are below the directory "virtual". Persistent
 * memory is below a bus, too, but its name begins with "pmem". For most runs, this quick
 * test makes the search unnecessary.
 */
static bool
is_plain_disk(const char *device_link)
{
    char target[LINUX_SYSFS_ROOM];
    linux_sysfs_link(device_link, target);
    return !strstr(target, "/virtual/block/") && !strstr(target, "/pmem");
}

/* Returns the backing of the device with number DEVICE. Major number 0 means that there
 * is no block device. */
static enum os_backing
find_backing_of_number(struct linux_search *search, dev_t device)
{
    char device_link[64];
    snprintf(device_link, sizeof(device_link), "/sys/dev/block/%u:%u", major(device),
             minor(device));
    if (major(device) == 0 || is_plain_disk(device_link))
        return OS_BACKING_DEVICE;
    return linux_backing_search(search, device_link);
}

/* Returns the backing of a loop device with direct I/O whose file is FD, of SIZE bytes.
 * On btrfs, compressed and inline extents are read through the page cache in spite of
 * direct I/O. So the result depends on the extents of the file. */
static enum os_backing
find_backing_by_extents(int fd, int64_t size)
{
    union linux_extents_piece piece;
    struct linux_extents extents;
    bool has_cached = false;
    bool has_direct = false;

    linux_extents_start(&extents, &piece, fd, 0, size);
    while (!(has_cached && has_direct)) {
        const struct fiemap_extent *extent = linux_extents_next(&extents);
        if (!extent)
            break;
        if (extent->fe_flags & (FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_ENCODED))
            has_cached = true;
        else
            has_direct = true;
    }

    if (extents.failed || !has_cached)
        return OS_BACKING_DEVICE;
    return has_direct ? OS_BACKING_PARTLY : OS_BACKING_BUFFERED;
}

/*
 * Returns the backing of a loop device with direct I/O whose file is at PATH. On ext4,
 * journaled data is read through the page cache in spite of direct I/O. For such a file,
 * the kernel tells 0 as the alignment of direct I/O. If the kernel tells no alignment at
 * all, the result depends on the extents of the file.
 */
static enum os_backing
find_backing_with_direct_io(const char *path)
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
        backing = find_backing_by_extents(fd, file.st_size);
    os_file_close(fd);

    return backing;
}

/* Returns the backing of the loop device DISK, which depends on its file. The file may be
 * out of reach, because it was removed or is in another mount namespace; then the backing
 * counts as a device if the loop device uses direct I/O. */
static enum os_backing
find_backing_of_loop(struct linux_search *search, const struct linux_disk *disk)
{
    char direct[8];
    char path[4096];
    struct stat file;
    struct statfs system;
    if (!linux_file_read(direct, sizeof(direct), "%s/loop/dio", disk->folder))
        return OS_BACKING_DEVICE;

    bool is_found =
        linux_file_read(path, sizeof(path), "%s/loop/backing_file", disk->folder) &&
        stat(path, &file) == 0 && statfs(path, &system) == 0;
    if (is_found && linux_mount_memory(&system))
        return answer_with_disk(search, OS_BACKING_MEMORY, disk->name);
    if (direct[0] == '0')
        return answer_with_disk(search, OS_BACKING_CACHED, disk->name);
    if (!is_found)
        return OS_BACKING_DEVICE;

    enum os_backing backing = find_backing_with_direct_io(path);
    if (backing != OS_BACKING_DEVICE)
        return answer_with_disk(search, backing, disk->name);
    return find_backing_of_number(search, file.st_dev);
}

enum os_backing
linux_backing_search(struct linux_search *search, const char *device_link)
{
    struct linux_disk disk = {.name = ""};
    char path[LINUX_SYSFS_ROOM + 16];
    struct linux_search below = {search->name, search->size, search->depth - 1};
    if (search->depth == 0 || linux_disk_find(device_link, &disk) < 0)
        return OS_BACKING_DEVICE;

    if (linux_disk_is_memory(&disk))
        return answer_with_disk(search, OS_BACKING_MEMORY, disk.name);
    if (strncmp(disk.name, "loop", 4) == 0)
        return find_backing_of_loop(&below, &disk);

    snprintf(path, sizeof(path), "%s/slaves", disk.folder);
    return find_backing_of_members(&below, path);
}

/* Returns true if the text of a UUID has a hyphen before the byte with index BYTE. Such a
 * text has groups of 4, 2, 2, 2 and 6 bytes. */
static bool
has_hyphen_before(int byte)
{
    return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/* The directory of a btrfs in sysfs has the UUID of the file system as its name. */
bool
linux_btrfs_devices(int fd, char folder[LINUX_SYSFS_ROOM])
{
    struct btrfs_ioctl_fs_info_args info = {0};
    size_t used = (size_t)snprintf(folder, LINUX_SYSFS_ROOM, "/sys/fs/btrfs/");
    if (syscall(SYS_ioctl, (long)fd, BTRFS_IOC_FS_INFO, &info) < 0)
        return false;

    for (int i = 0; i < BTRFS_FSID_SIZE; i++) {
        const char *hyphen = has_hyphen_before(i) ? "-" : "";
        used += (size_t)snprintf(folder + used, LINUX_SYSFS_ROOM - used, "%s%02x", hyphen,
                                 info.fsid[i]);
    }
    snprintf(folder + used, LINUX_SYSFS_ROOM - used, "/devices");

    return true;
}

char *
linux_mount_options(int fd)
{
    int64_t id;
    char *table = read_mount_table(fd, &id);
    char *options = table ? mountinfo_options(table, id) : NULL;
    free(table);
    return options;
}

/* Adds the lower layers of an overlay to LAYERS. PATHS are the paths of these layers,
 * separated by colons. The colons are replaced by NUL, because LAYERS points to the
 * single paths. Leaves room for an upper layer. */
static void
add_lower_layers(struct linux_layers *layers, char *paths)
{
    while (layers->count < LINUX_LAYERS - 1) {
        const char *path = strsep(&paths, ":");
        if (!path)
            return;
        if (*path)
            layers->path[layers->count++] = path;
    }
}

/* Returns true if the file system at PATH has the same numbers of blocks and files as the
 * overlay that FD is on. An overlay reports the numbers of one of its layers. */
static bool
has_sizes_of_overlay(int fd, const char *path)
{
    struct statfs overlay;
    struct statfs layer;
    return fstatfs(fd, &overlay) == 0 && statfs(path, &layer) == 0 &&
           layer.f_blocks == overlay.f_blocks && layer.f_files == overlay.f_files;
}

/*
 * A file that is open for writing is in the upper layer; any other file may be in any
 * layer.
 *
 * The mount options have the paths of the layers as they were at the time of the mount.
 * By now, these paths may lead to other directories. So the size of one layer is compared
 * with the size that the overlay reports: the upper layer or, without one, the first
 * lower layer. If the sizes differ, the layers count as unknown.
 */
int
linux_overlay_layers(int fd, struct linux_layers *layers)
{
    const char *upper = NULL;

    *layers = (struct linux_layers){.options = linux_mount_options(fd)};
    char *options = layers->options;
    char *value;
    while ((value = strsep(&options, ","))) {
        const char *name = strsep(&value, "=");
        if (strcmp(name, "upperdir") == 0)
            upper = value;
        else if (strcmp(name, "lowerdir") == 0 || strcmp(name, "lowerdir+") == 0)
            add_lower_layers(layers, value);
    }

    const char *measured = upper ? upper : layers->path[0];
    if (upper && (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY)
        layers->count = 0;
    if (upper)
        layers->path[layers->count++] = upper;

    if (layers->count > 0 && has_sizes_of_overlay(fd, measured))
        return 0;
    linux_overlay_free(layers);
    return -1;
}

void
linux_overlay_free(struct linux_layers *layers)
{
    free(layers->options);
    layers->options = NULL;
}

/* Returns the backing of the directory PATH, a layer of an overlay. A layer whose path
 * was cut off in the mount table is not found, and counts as on a device. */
static enum os_backing
find_backing_of_layer(struct linux_search *search, const char *path)
{
    struct statfs system;
    struct stat status;
    if (statfs(path, &system) == 0) {
        const char *memory = linux_mount_memory(&system);
        if (memory) {
            snprintf(search->name, search->size, "%s", memory);
            return OS_BACKING_MEMORY;
        }
    }
    if (stat(path, &status) < 0)
        return OS_BACKING_DEVICE;
    return find_backing_of_number(search, status.st_dev);
}

/* Returns the backing of the overlay that FD is on. All its layers in which the file may
 * be stored must have the same backing; otherwise it counts as a device. */
static enum os_backing
find_backing_of_overlay(struct linux_search *search, int fd)
{
    struct linux_layers layers;
    enum os_backing common = OS_BACKING_DEVICE;
    if (linux_overlay_layers(fd, &layers) < 0)
        return OS_BACKING_DEVICE;

    for (int i = 0; i < layers.count; i++) {
        enum os_backing backing = find_backing_of_layer(search, layers.path[i]);
        if (i > 0 && backing != common)
            backing = OS_BACKING_DEVICE;
        common = backing;
        if (common == OS_BACKING_DEVICE)
            break;
    }

    linux_overlay_free(&layers);

    return common;
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
        return find_backing_of_number(&search, file.st_rdev);
    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return find_backing_of_overlay(&search, fd);
    if ((uint32_t)system.f_type != BTRFS_SUPER_MAGIC)
        return find_backing_of_number(&search, file.st_dev);

    if (!linux_btrfs_devices(fd, folder))
        return OS_BACKING_DEVICE;
    return find_backing_of_members(&search, folder);
}
