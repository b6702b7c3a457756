/*
 * Finds out where a file lies: which devices are below it, and on which sectors.
 *
 * sysfs tells of which other devices (members) a device consists: see
 * Documentation/ABI/stable/sysfs-block of the kernel. FIEMAP returns the extents of a
 * file: see Documentation/filesystems/fiemap.rst. Three kinds of block devices are
 * followed:
 *
 * - Request-based: the kernel collects I/O in requests and sends them to the driver of
 *   the device. Such a device has a directory `mq` in sysfs.
 * - Bio-based (device mapper, md, bcache): the device passes each I/O (bio) on to its
 *   members. Such a device has no `mq`, but has its members in the directory `slaves` of
 *   sysfs.
 * - Loop with direct I/O: the device is request-based. It passes each request on to the
 *   device that holds the file of the loop device.
 *
 * For a target on a loop device, two lists of extents are read, and linux_layout_compose
 * combines them:
 *
 *     extents of the target on /dev/loop0            become layout->loop_extents
 *     extents of loop0's own file on /dev/vda        needed only to combine
 *     combined: extents of the target on /dev/vda    become layout->extents
 *
 * Any other device, such as one in memory, is refused, because no requests can be traced
 * there.
 */
#include "linux.h"
#include "linux_extents.h"
#include "linux_stack.h"
#include "os/os.h"

#include <errno.h>
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

#define SECTOR 512 /* bytes of a sector */
/* the most extents of a layout; with more, they count as unknown */
#define EXTENTS_MAX (1 << 20)
/* In bytes. If a range ends after this offset, it is cut off here, so that offsets can be
 * added without an overflow. */
#define OFFSET_MAX (1LL << 60)
#define ADVICE "name a file or directory on a disk, or a block device"

/* A device number, as the kernel and the trace records have it, consists of two numbers:
 * MAJOR << MINOR_BITS | MINOR. */
#define MINOR_BITS 20
#define MAJOR_LOOP 7
#define MAJOR_NONE 0 /* major number of a file system that is on no block device */

/* The data of sector 0 of a bcache are at this sector of the device below
 * (BDEV_DATA_START_DEFAULT of the kernel). */
#define BCACHE_DATA 16

/* A search for the devices that a target is on. */
struct layout_search {
    const char *path; /* path of the target, for messages */
    struct os_layout *layout;
    struct error *error;
    int depth; /* levels of devices below that may still be searched */
};

/* Sets the error of SEARCH, because the target is refused. WHY is the text of the error,
 * a printf format in which %s stands for NAME. Returns -1. */
static int
refuse_target(const struct layout_search *search, const char *why, const char *name)
{
    error_set(search->error, EXIT_PREPARE, search->path, why, name);
    return error_advise(search->error, ADVICE);
}

/* Sets the error of SEARCH: the target is refused because sysfs is not mounted or is
 * hidden. The target may be on a block device, so the error advises to mount sysfs.
 * Returns -1. */
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

/* Stores in NUMBER the device number of the block device with the sysfs directory FOLDER.
 * Returns false if FOLDER has none. */
static bool
read_device_number(const char *folder, uint64_t *number)
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

/* Returns true if the disk consists of other devices. A disk with a request queue may do
 * so, too: a multipath of the device mapper. */
static bool
has_members(const struct linux_disk *disk)
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

/* Fills DEVICE for the block device behind the sysfs link DEVICE_LINK, and fills DISK for
 * its disk. Returns false if the device cannot be found. */
static bool
read_device(const char *device_link, struct os_layout_device *device,
            struct linux_disk *disk)
{
    char start[32] = "0";
    char queue[LINUX_SYSFS_ROOM + 16];
    int is_partition = linux_disk_find(device_link, disk);

    if (is_partition < 0 || !read_device_number(device_link, &device->number) ||
        !read_device_number(disk->folder, &device->disk))
        return false;
    if (is_partition && !linux_file_read(start, sizeof(start), "%s/start", device_link))
        return false;

    device->start_sector = strtoull(start, NULL, 10);
    snprintf(queue, sizeof(queue), "%s/mq", disk->folder);
    device->is_bio_based = access(queue, F_OK) < 0;
    device->is_bottom = !device->is_bio_based && !has_members(disk);

    return true;
}

static int add_devices(struct layout_search *search, const char *folder);

/* Adds the members of DISK, and all devices below them, to the layout of SEARCH. Returns
 * 0, or -1 with the error of SEARCH. */
static int
add_devices_below(struct layout_search *search, const struct linux_disk *disk)
{
    char slaves[LINUX_SYSFS_ROOM + 16];
    char path[LINUX_SYSFS_ROOM];
    char name[64];
    int member_count = 0;
    int status = 0;

    snprintf(slaves, sizeof(slaves), "%s/slaves", disk->folder);
    DIR *list = opendir(slaves);
    while (linux_sysfs_next(list, slaves, path)) {
        member_count++;
        if (status == 0)
            status = add_devices(search, path);
    }
    if (member_count > 0)
        return status;

    linux_device_path(disk, name, sizeof(name));
    if (linux_disk_is_memory(disk))
        return refuse_target(
            search, "is on %s, which is memory, so that no device serves the requests",
            name);
    return refuse_target(
        search, "is on %s, which passes its I/O on to something that cannot be traced",
        name);
}

/* Adds the device behind the sysfs link DEVICE_LINK, and all devices below it, to the
 * layout of SEARCH. The first device that is added becomes the top device. Returns 0, or
 * -1 with the error of SEARCH. */
static int
add_devices(struct layout_search *search, const char *device_link)
{
    struct os_layout *layout = search->layout;
    struct os_layout_device device = {0};
    struct linux_disk disk = {.name = ""};
    if (search->depth == 0 || !read_device(device_link, &device, &disk))
        return refuse_target(search, "is on %s, whose requests cannot be traced",
                             device_link);

    for (int i = 0; i < layout->device_count; i++)
        if (layout->devices[i].number == device.number)
            return 0;
    if (layout->device_count == OS_LAYOUT_DEVICES)
        return refuse_target(search, "is on %s, which consists of too many devices",
                             layout->name);

    bool is_top = layout->device_count == 0;
    layout->devices[layout->device_count++] = device;
    if (is_top)
        linux_device_path(&disk, layout->name, sizeof(layout->name));
    if (device.is_bottom)
        return 0;

    if (is_top) {
        struct linux_members members = {.text = layout->members,
                                        .size = sizeof(layout->members)};
        layout->is_remapped = true;
        layout->is_stacked = true;
        layout->completion_shift = linux_disk_is_bcache(&disk) ? BCACHE_DATA : 0;
        linux_members_find(&members, &disk);
    }
    struct layout_search below = {search->path, layout, search->error, search->depth - 1};
    return add_devices_below(&below, &disk);
}

int
linux_layout_devices(const char *device_link, const char *path, struct os_layout *layout,
                     struct error *error)
{
    struct layout_search search = {path, layout, error, LINUX_SEARCH_DEPTH};
    *layout = (struct os_layout){0};
    return add_devices(&search, device_link);
}

static int find_device_link(const struct layout_search *search, int fd,
                            char device_link[LINUX_SYSFS_ROOM]);

/* Sets the error of SEARCH: the target FD is refused because it is on no block device.
 * The message has the type of its file system, or says that it is a character device.
 * Returns -1. */
static int
refuse_without_device(const struct layout_search *search, int fd, const struct stat *file)
{
    struct os_mount mount = {.fstype = "a character device"};
    if (!S_ISCHR(file->st_mode) && os_mount_measure(fd, &mount) == 0 &&
        strcmp(mount.fstype, "unknown") == 0)
        os_mount_name(fd, &mount);
    return refuse_target(search,
                         "is not on a block device (%s), so that nothing can be traced",
                         mount.fstype);
}

/* Stores in DEVICE_LINK the sysfs link to the device of the btrfs that FD is on. A btrfs
 * with several devices is refused, because its extents are in an address space of its own
 * and not on a device. Returns 0, or -1 with the error of SEARCH. */
static int
find_link_of_btrfs(const struct layout_search *search, int fd,
                   char device_link[LINUX_SYSFS_ROOM])
{
    char devices[LINUX_SYSFS_ROOM];
    int count = 0;
    DIR *list = linux_btrfs_devices(fd, devices) ? opendir(devices) : NULL;

    while (linux_sysfs_next(list, devices, device_link))
        count++;
    if (count == 0)
        return refuse_target(search, "%s",
                             "is on a btrfs whose devices are hidden, not on one device");
    if (count > 1)
        return refuse_target(search, "%s",
                             "is on a btrfs of several devices, not on one device");
    return 0;
}

/* Stores in DEVICE_LINK the sysfs link to the device that LAYER, a directory, is on.
 * Returns 0, or -1 with the error of SEARCH. */
static int
find_link_of_layer(const struct layout_search *search, const char *layer,
                   char device_link[LINUX_SYSFS_ROOM])
{
    int fd = open(layer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return refuse_target(search, "%s",
                             "is on an overlay whose layers cannot be opened");
    int status = find_device_link(search, fd, device_link);
    close(fd);
    return status;
}

/* Stores in DEVICE_LINK the sysfs link to the device below the overlay that FD is on. All
 * layers in which the file may be stored must be on this device. Returns 0, or -1 with
 * the error of SEARCH. */
static int
find_link_of_overlay(const struct layout_search *search, int fd,
                     char device_link[LINUX_SYSFS_ROOM])
{
    char other_link[LINUX_SYSFS_ROOM] = "";
    struct linux_layers layers;
    int status = 0;
    if (linux_overlay_layers(fd, &layers) < 0)
        return refuse_target(search, "%s", "is on an overlay whose layers are hidden");

    for (int i = 0; i < layers.count; i++) {
        status =
            find_link_of_layer(search, layers.path[i], i == 0 ? device_link : other_link);
        if (status == 0 && i > 0 && strcmp(device_link, other_link) != 0)
            status = refuse_target(search, "%s", "is on an overlay over several devices");
        if (status < 0)
            break;
    }

    linux_overlay_free(&layers);

    return status;
}

/* Stores in DEVICE_LINK the sysfs link to the block device that FD is, or is on. Returns
 * 0, or -1 with the error of SEARCH. */
static int
find_device_link(const struct layout_search *search, int fd,
                 char device_link[LINUX_SYSFS_ROOM])
{
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return refuse_target(search, "%s", "cannot be examined");

    bool is_block = S_ISBLK(file.st_mode);
    bool is_stored = is_block || S_ISREG(file.st_mode) || S_ISDIR(file.st_mode);
    bool is_btrfs = !is_block && (uint32_t)system.f_type == BTRFS_SUPER_MAGIC;

    if (is_btrfs && !has_sysfs())
        return refuse_without_sysfs(search);
    if (is_btrfs)
        return find_link_of_btrfs(search, fd, device_link);
    if (!is_block && (uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return find_link_of_overlay(search, fd, device_link);

    dev_t device = is_block ? file.st_rdev : file.st_dev;
    snprintf(device_link, LINUX_SYSFS_ROOM, "/sys/dev/block/%u:%u", major(device),
             minor(device));
    if (is_stored && access(device_link, F_OK) == 0)
        return 0;
    if (is_stored && major(device) != MAJOR_NONE && !has_sysfs())
        return refuse_without_sysfs(search);
    return refuse_without_device(search, fd, &file);
}

/* Adds EXTENT to the extents of LAYOUT. If EXTENT directly follows the last extent, both
 * in the file and on the disk, makes the last extent longer instead. Returns false if
 * memory is missing or if LAYOUT has EXTENTS_MAX extents already. */
static bool
add_extent(struct os_layout *layout, struct os_extent extent)
{
    int count = layout->extent_count;
    if (count > 0) {
        struct os_extent *last = &layout->extents[count - 1];
        if (last->offset + last->length == extent.offset &&
            last->sector + (uint64_t)last->length / SECTOR == extent.sector) {
            last->length += extent.length;
            return true;
        }
    }

    /* The array grows to 1, 2, 4, 8 ... extents, so it is full if the count is 0 or a
     * power of two. */
    bool is_full = (count & (count - 1)) == 0;
    if (is_full) {
        if (count >= EXTENTS_MAX)
            return false;
        size_t room = count > 0 ? 2 * (size_t)count : 1;
        struct os_extent *extents = realloc(layout->extents, room * sizeof(extent));
        if (!extents)
            return false;
        layout->extents = extents;
    }

    layout->extents[layout->extent_count++] = extent;
    return true;
}

/* FIEMAP flags of extents that cannot be used: their data are not on the device yet, are
 * stored in another form than they are read, or have no sectors of their own. */
#define UNUSABLE_FLAGS                                                        \
    (FIEMAP_EXTENT_UNKNOWN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_ENCODED | \
     FIEMAP_EXTENT_DATA_ENCRYPTED | FIEMAP_EXTENT_NOT_ALIGNED |               \
     FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_DATA_TAIL)

/* Adds to LAYOUT the part of EXTENT that is between OFFSET and END of the file, in bytes.
 * START_SECTOR is the sector of the disk at which the device of the file begins. It is 0
 * unless the device is a partition. Returns false if add_extent fails. */
static bool
add_extent_part(struct os_layout *layout, const struct fiemap_extent *extent,
                int64_t offset, int64_t end, uint64_t start_sector)
{
    int64_t extent_begin = (int64_t)extent->fe_logical;
    int64_t extent_end = extent_begin + (int64_t)extent->fe_length;
    int64_t begin = extent_begin > offset ? extent_begin : offset;
    int64_t until = extent_end < end ? extent_end : end;
    uint64_t position = extent->fe_physical + (uint64_t)(begin - extent_begin);
    if (begin >= until || extent->fe_flags & UNUSABLE_FLAGS)
        return true;

    return add_extent(layout,
                      (struct os_extent){.offset = begin,
                                         .length = until - begin,
                                         .sector = start_sector + position / SECTOR});
}

/* Fills the extents of LAYOUT for LENGTH bytes of FD from OFFSET on. Their sectors are on
 * the disk of devices[0]. Returns false if the extents are unknown. They are unknown for
 * every file on btrfs, because btrfs tells addresses in an address space of its own
 * instead of sectors. */
static bool
find_extents(int fd, int64_t offset, int64_t length, struct os_layout *layout)
{
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return false;

    int64_t begin = offset / SECTOR * SECTOR;
    int64_t end = length > OFFSET_MAX - offset ? OFFSET_MAX : offset + length;
    uint64_t start_sector = layout->devices[0].start_sector;
    uint64_t sector = start_sector + (uint64_t)begin / SECTOR;
    if (S_ISBLK(file.st_mode))
        return add_extent(layout, (struct os_extent){begin, end - begin, sector});
    if ((uint32_t)system.f_type == BTRFS_SUPER_MAGIC)
        return false;

    union linux_extents_piece piece;
    struct linux_extents extents;
    bool fits = true;

    linux_extents_start(&extents, &piece, fd, begin, end);
    while (fits) {
        const struct fiemap_extent *extent = linux_extents_next(&extents);
        if (!extent)
            break;
        fits = add_extent_part(layout, extent, begin, end, start_sector);
    }

    if (fits && !extents.failed)
        return true;
    os_layout_free(layout);
    return false;
}

static int fill_layout(int fd, int64_t offset, int64_t length,
                       struct layout_search *search);

/* Fills INFO with the kernel's information about the loop device DEVICE, such as
 * /dev/loop0. Returns false if there is none. */
static bool
read_loop_info(const char *device, struct loop_info64 *info)
{
    int fd = open(device, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool known = syscall(SYS_ioctl, (long)fd, LOOP_GET_STATUS64, info) == 0;
    close(fd);
    return known;
}

/* Opens the file of the loop device that INFO is about. Fails if another file is at the
 * path of the file now. Returns a descriptor, or -1 with errno. */
static int
open_loop_file(const struct loop_info64 *info)
{
    char path[4096];
    struct stat file;
    if (!linux_file_read(path, sizeof(path), "/sys/block/loop%u/loop/backing_file",
                         (unsigned)info->lo_number))
        return os_fail(ENOENT);

    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -1;
    if (fstat(fd, &file) == 0 && file.st_ino == info->lo_inode &&
        file.st_dev == info->lo_device)
        return fd;
    close(fd);
    return os_fail(ENOENT);
}

int
os_loop_file_open(int fd, int64_t *start)
{
    struct stat device;
    struct linux_disk disk = {.name = ""};
    struct loop_info64 info;
    char device_link[64];
    char sector[32];

    if (fstat(fd, &device) < 0)
        return -1;
    snprintf(device_link, sizeof(device_link), "/sys/dev/block/%u:%u",
             major(device.st_rdev), minor(device.st_rdev));
    if (!S_ISBLK(device.st_mode) || linux_disk_find(device_link, &disk) < 0 ||
        strncmp(disk.name, "loop", 4) != 0)
        return os_fail(ENOTSUP);
    if (syscall(SYS_ioctl, (long)fd, LOOP_GET_STATUS64, &info) < 0)
        return -1;

    *start = (int64_t)info.lo_offset;
    /* Only a partition has a file `start`. */
    if (linux_file_read(sector, sizeof(sector), "%s/start", device_link))
        *start += strtoll(sector, NULL, 10) * SECTOR;
    return open_loop_file(&info);
}

/* EXTENT is a part of a file, stored on a loop device. The file behind the loop device is
 * called the image. LOWER says where the image lies on a disk. Finds out where EXTENT
 * lies on this disk, and adds the extents on the disk to COMPOSED. The loop device begins
 * SHIFT bytes after the start of the image. Returns false if add_extent fails. */
static bool
compose_extent(const struct os_extent *extent, const struct os_layout *lower,
               int64_t shift, struct os_layout *composed)
{
    /* offset of EXTENT in the image, in bytes */
    int64_t position = (int64_t)extent->sector * SECTOR + shift;
    int64_t end = position + extent->length;
    int i = os_extent_find(lower->extents, lower->extent_count, position);

    for (; i < lower->extent_count && lower->extents[i].offset < end; i++) {
        const struct os_extent *below = &lower->extents[i];
        int64_t below_end = below->offset + below->length;
        int64_t from = below->offset > position ? below->offset : position;
        int64_t until = below_end < end ? below_end : end;
        uint64_t sector = below->sector + (uint64_t)(from - below->offset) / SECTOR;
        struct os_extent part = {extent->offset + from - position, until - from, sector};
        if (!add_extent(composed, part))
            return false;
    }
    return true;
}

bool
linux_layout_compose(const struct os_layout *upper, struct os_layout *lower,
                     int64_t shift)
{
    struct os_layout composed = {0};

    for (int i = 0; i < upper->extent_count; i++)
        if (!compose_extent(&upper->extents[i], lower, shift, &composed)) {
            os_layout_free(&composed);
            return false;
        }
    if (composed.extent_count == 0)
        return false;

    free(lower->extents);
    lower->extents = composed.extents;
    lower->extent_count = composed.extent_count;
    return true;
}

/* The only device of LAYOUT is a loop device. BELOW is the layout of the file behind this
 * loop device. Moves BELOW to LAYOUT, with the loop device as the last device and as the
 * top device. The old extents of LAYOUT become its `loop_extents`. BELOW is empty
 * afterwards. */
static void
put_loop_on_top(struct os_layout *layout, struct os_layout *below)
{
    struct linux_members members = {.text = below->members,
                                    .size = sizeof(below->members)};
    linux_members_begin(&members, "loop");
    linux_members_add(&members, below->name);
    memcpy(below->name, layout->name, sizeof(below->name));

    struct os_layout_device *loop = &below->devices[below->device_count];
    *loop = layout->devices[0];
    loop->is_bottom = false;
    loop->is_loop = true;
    below->top_index = below->device_count++;
    below->is_stacked = true;

    free(below->loop_extents);
    below->loop_extents = layout->extents;
    below->loop_extent_count = layout->extent_count;
    layout->extents = NULL;

    os_layout_free(layout);
    *layout = *below;
    *below = (struct os_layout){0};
}

/* If the top device in the layout of SEARCH is a loop device, tries to follow it to the
 * device that holds its file. If that succeeds, replaces the layout by a layout on that
 * device. Otherwise, keeps the layout as if the loop device were a disk. */
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
    if (!read_loop_info(layout->name, &info) || !(info.lo_flags & LO_FLAGS_DIRECT_IO))
        return;
    int fd = open_loop_file(&info);
    if (fd < 0)
        return;

    if (fill_layout(fd, 0, INT64_MAX, &deeper) == 0) {
        if (below.device_count < OS_LAYOUT_DEVICES &&
            linux_layout_compose(layout, &below, (int64_t)info.lo_offset))
            put_loop_on_top(layout, &below);
        os_layout_free(&below);
    }
    close(fd);
}

/* Fills the layout of SEARCH for LENGTH bytes of FD from OFFSET on. Returns 0, or -1 with
 * the error of SEARCH. */
static int
fill_layout(int fd, int64_t offset, int64_t length, struct layout_search *search)
{
    char device_link[LINUX_SYSFS_ROOM];
    struct os_layout *layout = search->layout;

    *layout = (struct os_layout){0};
    if (find_device_link(search, fd, device_link) < 0 ||
        linux_layout_devices(device_link, search->path, layout, search->error) < 0)
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
    return fill_layout(fd, offset, length, &search);
}
