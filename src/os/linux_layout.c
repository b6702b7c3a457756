/*
 * Where a file lies: from its file system down to the devices that the kernel sends
 * requests to.
 *
 * sysfs has the devices (the kernel's Documentation/ABI/stable/sysfs-block), FIEMAP has
 * the extents of a file (Documentation/filesystems/fiemap.rst). Three kinds of devices
 * are followed:
 *
 *    has a folder `mq`            request-based: the kernel sends requests to it
 *    none, but has `slaves`       bio-based (dm, md): remaps its bios to the slaves
 *    loop with direct I/O         request-based, but its requests become requests of the
 *                                 device that holds its file: extents of extents
 *
 *    file on /dev/loop0           extents on /dev/loop0              layout->upper
 *      file of loop0 on /dev/vda    linux_layout_compose
 *                                 extents on /dev/vda                layout->extents
 *
 * Any other device, such as one in memory, is refused: no request can be traced there.
 */
#include "linux.h"
#include "linux_extents.h"
#include "linux_stack.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/loop.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define SECTOR 512
#define EXTENTS_MAX (1 << 20)   /* with more extents, the layout counts as unknown */
#define DEVICE_MOST (1LL << 60) /* bytes; small enough that sums do not overflow */
#define ADVICE "name a file or directory on a disk, or a block device"

/* The kernel, and thus a trace, stores a device number as MAJOR << MINOR_BITS | MINOR. */
#define MINOR_BITS 20
#define MAJOR_LOOP 7
#define MAJOR_NONE 0 /* of file systems that are on no device */

/* Sector at which bcache's data begins on the cached device (BDEV_DATA_START_DEFAULT of
 * the kernel). An I/O that is queued on bcache completes there. */
#define BCACHE_DATA 16

/* A search for the devices of a target. */
struct layout_search {
    const char *path; /* the target, for messages */
    struct os_layout *layout;
    struct error *error;
    int depth; /* levels of devices that may still be searched */
};

static int
refuse(const struct layout_search *search, const char *why, const char *name)
{
    error_set(search->error, EXIT_PREPARE, search->path, why, name);
    return error_advise(search->error, ADVICE);
}

/* Refuses because sysfs is not mounted or is hidden; the target may well be on a block
 * device. Returns -1 with the error of SEARCH. */
static int
refuse_without_sysfs(const struct layout_search *search)
{
    error_set(search->error, EXIT_PREPARE, search->path,
              "-breakdown cannot find the device of this target: /sys/dev/block does not "
              "exist");
    return error_advise(search->error, "mount sysfs first: mount -t sysfs sysfs /sys");
}

static bool
has_sysfs(void)
{
    return access("/sys/dev/block", F_OK) == 0;
}

/* Reads the device number of the device in sysfs directory FOLDER. Returns false if there
 * is none. */
static bool
read_number(const char *folder, uint64_t *number)
{
    char text[64];
    unsigned upper;
    unsigned lower;
    if (!linux_file_read(text, sizeof(text), "%s/dev", folder) ||
        sscanf(text, "%u:%u", &upper, &lower) != 2)
        return false;
    *number = (uint64_t)upper << MINOR_BITS | lower;
    return true;
}

/* Returns true if the disk consists of others. Even a request-based device may, such as a
 * multipath of the device mapper. */
static bool
is_made_of_others(const struct linux_disk *disk)
{
    char slaves[LINUX_SYSFS_ROOM + 16];
    char path[LINUX_SYSFS_ROOM];
    snprintf(slaves, sizeof(slaves), "%s/slaves", disk->folder);
    DIR *list = opendir(slaves);
    bool found = linux_sysfs_next(list, slaves, path);
    if (found)
        closedir(list);
    return found;
}

/* Fills DEVICE and DISK for the device behind FOLDER, a symbolic link of sysfs. Returns
 * false if the device cannot be found. */
static bool
read_device(const char *folder, struct os_layout_device *device, struct linux_disk *disk)
{
    char start[32] = "0";
    char queue[LINUX_SYSFS_ROOM + 16];
    int part = linux_disk_find(folder, disk);

    if (part < 0 || !read_number(folder, &device->number) ||
        !read_number(disk->folder, &device->disk) ||
        (part && !linux_file_read(start, sizeof(start), "%s/start", folder)))
        return false;

    device->start_sector = strtoull(start, NULL, 10);
    snprintf(queue, sizeof(queue), "%s/mq", disk->folder);
    device->is_bio_based = access(queue, F_OK) < 0;
    device->is_bottom = !device->is_bio_based && !is_made_of_others(disk);

    return true;
}

static int add_devices(struct layout_search *search, const char *folder);

/* Adds the devices that the bio-based DISK passes its bios on to. Returns 0, or -1 with
 * the error of SEARCH. */
static int
add_below(struct layout_search *search, const struct linux_disk *disk)
{
    char slaves[LINUX_SYSFS_ROOM + 16];
    char path[LINUX_SYSFS_ROOM];
    char name[64];
    int found = 0;
    int status = 0;

    snprintf(slaves, sizeof(slaves), "%s/slaves", disk->folder);
    for (DIR *list = opendir(slaves); linux_sysfs_next(list, slaves, path); found++)
        status = status < 0 ? status : add_devices(search, path);
    if (found)
        return status;

    linux_device_path(disk, name, sizeof(name));

    return refuse(
        search,
        linux_disk_is_memory(disk)
            ? "is on %s, which is memory, so that no device serves the requests"
            : "is on %s, which passes its I/O on to something that cannot be traced",
        name);
}

/* Adds the device behind FOLDER, and the devices below it. The first device that is added
 * is the one that the file is on. Returns 0, or -1 with the error of SEARCH. */
static int
add_devices(struct layout_search *search, const char *folder)
{
    struct os_layout *layout = search->layout;
    struct os_layout_device device = {0};
    struct linux_disk disk = {.name = ""};
    if (search->depth == 0 || !read_device(folder, &device, &disk))
        return refuse(search, "is on %s, whose requests cannot be traced", folder);

    for (int i = 0; i < layout->device_count; i++)
        if (layout->devices[i].number == device.number)
            return 0;
    if (layout->device_count == OS_LAYOUT_DEVICES)
        return refuse(search, "is on %s, which consists of too many devices",
                      layout->name);

    bool is_top = layout->device_count == 0;
    layout->devices[layout->device_count++] = device;
    if (is_top)
        linux_device_path(&disk, layout->name, sizeof(layout->name));
    if (device.is_bottom)
        return 0;
    if (is_top) {
        struct linux_members members = {layout->members, sizeof(layout->members), 0,
                                        false};
        layout->is_remapped = layout->is_stacked = true;
        layout->completion_shift = linux_disk_is_bcache(&disk) ? BCACHE_DATA : 0;
        linux_members_find(&members, &disk);
    }

    struct layout_search below = {search->path, layout, search->error, search->depth - 1};

    return add_below(&below, &disk);
}

int
linux_layout_devices(const char *folder, const char *path, struct os_layout *layout,
                     struct error *error)
{
    struct layout_search search = {path, layout, error, LINUX_SEARCH_DEPTH};
    *layout = (struct os_layout){0};
    return add_devices(&search, folder);
}

static int find_folder(const struct layout_search *search, int fd, char *folder);

/* Refuses with the name of the file system that FD is on, which has no device, or with
 * the kind of FD. */
static int
refuse_kind(const struct layout_search *search, int fd, const struct stat *file)
{
    struct os_mount mount = {.fstype = "a character device"};
    if (!S_ISCHR(file->st_mode) && os_mount_measure(fd, &mount) == 0 &&
        strcmp(mount.fstype, "unknown") == 0)
        os_mount_name(fd, &mount);
    return refuse(search, "is not on a block device (%s), so that nothing can be traced",
                  mount.fstype);
}

/* Stores the sysfs link of the device of a btrfs. A btrfs with several devices is
 * refused: it reports extents in an address space of its own. */
static int
find_folder_of_btrfs(const struct layout_search *search, int fd,
                     char folder[LINUX_SYSFS_ROOM])
{
    char devices[LINUX_SYSFS_ROOM];
    int found = 0;
    DIR *list = linux_btrfs_devices(fd, devices) ? opendir(devices) : NULL;

    while (linux_sysfs_next(list, devices, folder))
        found++;
    return found == 1 ? 0
                      : refuse(search, "is on %s, not on one device",
                               found ? "a btrfs of several devices"
                                     : "a btrfs whose devices are hidden");
}

/* Stores the sysfs link of the device below an overlay. All layers in which the file may
 * be stored must be on the same device. */
static int
find_folder_of_overlay(const struct layout_search *search, int fd,
                       char folder[LINUX_SYSFS_ROOM])
{
    char other[LINUX_SYSFS_ROOM] = "";
    struct linux_layers layers;
    int status = 0;
    if (linux_overlay_layers(fd, &layers) < 0)
        return refuse(search, "is on %s", "an overlay whose layers are hidden");

    for (int i = 0; i < layers.count && status == 0; i++) {
        int layer = open(layers.path[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        status = layer < 0 ? refuse(search, "is on %s",
                                    "an overlay whose layers cannot be opened")
                           : find_folder(search, layer, i == 0 ? folder : other);
        if (layer >= 0)
            close(layer);
        if (status == 0 && i > 0 && strcmp(folder, other) != 0)
            status = refuse(search, "is on %s", "an overlay over several devices");
    }

    linux_overlay_free(&layers);

    return status;
}

/* Stores in FOLDER the sysfs link to the block device that FD is, or is on. Returns 0, or
 * -1 with the error of SEARCH. */
static int
find_folder(const struct layout_search *search, int fd, char *folder)
{
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return refuse(search, "%s", "cannot be examined");

    bool is_block = S_ISBLK(file.st_mode);
    bool is_stored = is_block || S_ISREG(file.st_mode) || S_ISDIR(file.st_mode);

    bool is_btrfs = !is_block && (uint32_t)system.f_type == BTRFS_SUPER_MAGIC;

    if (is_btrfs && !has_sysfs())
        return refuse_without_sysfs(search);
    if (is_btrfs)
        return find_folder_of_btrfs(search, fd, folder);
    if (!is_block && (uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return find_folder_of_overlay(search, fd, folder);

    dev_t device = is_block ? file.st_rdev : file.st_dev;
    snprintf(folder, LINUX_SYSFS_ROOM, "/sys/dev/block/%u:%u", major(device),
             minor(device));

    if (is_stored && access(folder, F_OK) == 0)
        return 0;
    if (is_stored && major(device) != MAJOR_NONE && !has_sysfs())
        return refuse_without_sysfs(search);

    return refuse_kind(search, fd, &file);
}

/* Adds an extent, or extends the last one if it continues there. The array doubles when
 * it is full. Returns false without memory or with EXTENTS_MAX extents. */
static bool
add_extent(struct os_layout *layout, struct os_extent extent)
{
    int count = layout->extent_count;
    struct os_extent *last = count ? &layout->extents[count - 1] : NULL;

    if (last && last->offset + last->length == extent.offset &&
        last->sector + (uint64_t)last->length / SECTOR == extent.sector) {
        last->length += extent.length;
        return true;
    }

    size_t size = (size_t)(count ? 2 * count : 1) * sizeof(extent);
    struct os_extent *extents = layout->extents;
    if ((count & (count - 1)) == 0)
        extents = count >= EXTENTS_MAX ? NULL : realloc(extents, size);
    if (!extents)
        return false;

    layout->extents = extents;
    extents[layout->extent_count++] = extent;

    return true;
}

/* FIEMAP flags of extents that are left out: their data is not on the device yet, is
 * stored in another form than it is read, or has no sectors of its own. */
#define LEFT_OUT                                                              \
    (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | \
     FIEMAP_EXTENT_DATA_ENCRYPTED | FIEMAP_EXTENT_NOT_ALIGNED |               \
     FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

/* Adds the part of an extent between OFFSET and END, in bytes of the file. START is the
 * first sector of the device on its disk. Returns false if add_extent does. */
static bool
add_part(struct os_layout *layout, const struct fiemap_extent *extent, int64_t offset,
         int64_t end, uint64_t start)
{
    int64_t from = (int64_t)extent->fe_logical;
    int64_t until = from + (int64_t)extent->fe_length;
    int64_t begin = from > offset ? from : offset;
    uint64_t place = extent->fe_physical + (uint64_t)(begin - from);

    if (until > end)
        until = end;
    if (begin >= until || extent->fe_flags & LEFT_OUT)
        return true;

    return add_extent(layout,
                      (struct os_extent){begin, until - begin, start + place / SECTOR});
}

/* Fills the extents of LAYOUT for a range of FD, in sectors of the disk of the first
 * device. Returns false if they are unknown. */
static bool
find_extents(int fd, int64_t offset, int64_t length, struct os_layout *layout)
{
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return false;

    int64_t begin = offset / SECTOR * SECTOR;
    int64_t end = length > DEVICE_MOST - offset ? DEVICE_MOST : offset + length;
    uint64_t start = layout->devices[0].start_sector;
    uint64_t sector = start + (uint64_t)begin / SECTOR;
    if (S_ISBLK(file.st_mode))
        return add_extent(layout, (struct os_extent){begin, end - begin, sector});
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC)
        return false;

    union linux_extents_piece piece;
    struct linux_extents extents;
    const struct fiemap_extent *extent;
    bool fits = true;

    linux_extents_start(&extents, &piece, fd, begin, end);
    while (fits && (extent = linux_extents_next(&extents)))
        fits = add_part(layout, extent, begin, end, start);

    if (!fits || extents.failed)
        os_layout_free(layout);

    return fits && !extents.failed;
}

static int find_layout(int fd, int64_t offset, int64_t length,
                       struct layout_search *search);

/* Opens the file of a loop device if the device uses direct I/O and if the path of the
 * file still leads to the same file. Fills INFO with what the kernel says about the loop
 * device. Returns a descriptor, or -1. */
static int
open_backing(const char *device, struct loop_info64 *info)
{
    char path[4096];
    struct stat file;
    int loop = open(device, O_RDONLY | O_CLOEXEC);
    int fd = -1;
    if (loop < 0)
        return -1;

    bool known = syscall(SYS_ioctl, (long)loop, LOOP_GET_STATUS64, info) == 0;
    close(loop);
    if (known && info->lo_flags & LO_FLAGS_DIRECT_IO &&
        linux_file_read(path, sizeof(path), "/sys/block/%s/loop/backing_file",
                        device + strlen("/dev/")))
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;

    if (fstat(fd, &file) == 0 && file.st_ino == info->lo_inode &&
        file.st_dev == info->lo_device)
        return fd;
    close(fd);

    return -1;
}

bool
linux_layout_compose(const struct os_layout *upper, struct os_layout *lower,
                     int64_t shift)
{
    struct os_layout made = {0};
    bool fits = true;

    for (int i = 0; i < upper->extent_count && fits; i++) {
        const struct os_extent *one = &upper->extents[i];
        int64_t place = (int64_t)one->sector * SECTOR + shift;
        int64_t end = place + one->length;
        int j = os_extent_find(lower->extents, lower->extent_count, place);
        for (; fits && j < lower->extent_count && lower->extents[j].offset < end; j++) {
            const struct os_extent *other = &lower->extents[j];
            int64_t limit = other->offset + other->length;
            int64_t from = other->offset > place ? other->offset : place;
            int64_t until = limit < end ? limit : end;
            uint64_t sector = other->sector + (uint64_t)(from - other->offset) / SECTOR;
            fits = add_extent(&made, (struct os_extent){one->offset + from - place,
                                                        until - from, sector});
        }
    }

    if (!fits)
        os_layout_free(&made);
    if (made.extent_count == 0)
        return false;

    free(lower->extents);
    lower->extents = made.extents;
    lower->extent_count = made.extent_count;

    return true;
}

/* If the first device is a loop device whose file can be followed, replaces the layout by
 * one on the device of that file, and adds the loop device as the last one. Otherwise the
 * layout stays as it is: requests end at the loop device. */
static void
follow_loop(struct layout_search *search)
{
    struct os_layout below;
    struct os_layout *layout = search->layout;
    struct error ignored;
    struct loop_info64 info;
    struct layout_search deeper = {search->path, &below, &ignored, search->depth - 1};

    if (search->depth == 0 || layout->is_remapped || layout->extent_count == 0 ||
        layout->devices[0].disk >> MINOR_BITS != MAJOR_LOOP)
        return;
    int fd = open_backing(layout->name, &info);
    if (fd < 0)
        return;

    int64_t shift = (int64_t)info.lo_offset;
    if (find_layout(fd, 0, INT64_MAX, &deeper) == 0) {
        if (below.device_count < OS_LAYOUT_DEVICES &&
            linux_layout_compose(layout, &below, shift)) {
            struct os_layout replaced = *layout;
            struct linux_members members = {below.members, sizeof(below.members), 0,
                                            false};
            linux_members_begin(&members, "loop");
            linux_members_add(&members, below.name);
            memcpy(below.name, layout->name, sizeof(below.name));

            below.is_stacked = true;

            below.top_index = below.device_count++;
            below.devices[below.top_index] = layout->devices[0];
            below.devices[below.top_index].is_bottom = false;
            below.devices[below.top_index].is_loop = true;
            free(below.loop_extents);
            below.loop_extents = replaced.extents;
            below.loop_extent_count = replaced.extent_count;
            replaced.extents = NULL;
            *layout = below;
            below = replaced;
        }
        os_layout_free(&below);
    }
    close(fd);
}

/* Fills the layout of SEARCH. Returns 0, or -1 with the error of SEARCH. */
static int
find_layout(int fd, int64_t offset, int64_t length, struct layout_search *search)
{
    char folder[LINUX_SYSFS_ROOM];
    struct os_layout *layout = search->layout;

    *layout = (struct os_layout){0};
    if (find_folder(search, fd, folder) < 0 ||
        linux_layout_devices(folder, search->path, layout, search->error) < 0)
        return -1;

    layout->extents_known = find_extents(fd, offset, length, layout);
    follow_loop(search);

    return 0;
}

int
os_layout_find(int fd, const char *path, int64_t offset, int64_t length,
               struct os_layout *layout, struct error *error)
{
    struct layout_search search = {path, layout, error, LINUX_SEARCH_DEPTH};
    return find_layout(fd, offset, length, &search);
}
