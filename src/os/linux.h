#ifndef OS_LINUX_H
#define OS_LINUX_H

/*
 * Functions that the files for Linux share with each other and with their tests.
 *
 * A "sysfs link" is the path of a symbolic link to the directory of a block device in
 * sysfs, such as /sys/dev/block/8:1. The directory of a partition is inside the directory
 * of its disk.
 */

#include "base/buffer.h"
#include "base/error.h"
#include "os/disk.h"
#include "os/storage.h"
#include "os/trace.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statfs.h>

/* Reads a field of statx(2) for the open descriptor FD. MASK selects the field by one of
 * STATX_*. Copies the field, which has SIZE bytes at OFFSET in struct statx, to VALUE.
 * Returns 0, or -1 if the kernel does not know the field. */
int linux_statx(int fd, unsigned mask, size_t offset, void *value, size_t size);

/* Returns true if the kernel may access the file FD in place on persistent memory (DAX),
 * false if it certainly does not. */
bool linux_file_may_be_dax(int fd);

/* Reads up to SIZE - 1 bytes of a file of proc, sysfs or tracefs into TEXT, by one
 * read(2). If the text ends with a newline, TEXT does not include it. PATH is a printf
 * format. Returns false, with an empty TEXT, if the file cannot be read or is empty. */
bool linux_file_read(char *text, size_t size, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a whole file. PATH is a printf format. Returns an allocated text, which the
 * caller frees, or NULL with errno. */
char *linux_file_all(const char *path, ...) __attribute__((format(printf, 1, 2)));

/* Writes TEXT to a file of proc, sysfs or tracefs by one write(2). PATH is a printf
 * format. Returns 0, or -1 with errno. */
int linux_file_write(const char *text, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the name of a file system that lives in memory, such as "tmpfs". STATUS is the
 * answer of statfs(2). Returns NULL for other file systems. */
const char *linux_mount_memory(const struct statfs *status);

/* Room for a path in sysfs, in bytes. */
#define LINUX_SYSFS_ROOM 1024

/* Stores in TARGET the path to which the symbolic link PATH leads. Returns false, with an
 * empty TARGET, if PATH is no symbolic link. */
bool linux_sysfs_link(const char *path, char target[LINUX_SYSFS_ROOM]);

/* A whole disk: its directory in sysfs, and its name, such as "sda". */
struct linux_disk {
    char folder[LINUX_SYSFS_ROOM], name[64];
};

/* Fills DISK for the block device behind the sysfs link DEVICE_LINK. If the device is a
 * partition, DISK becomes the disk that has the partition. Returns 1 for a partition, 0
 * for a disk, -1 if the device is not found. */
int linux_disk_find(const char *device_link, struct linux_disk *disk);

/* Returns true if the disk keeps its blocks in memory, as a RAM disk does. */
bool linux_disk_is_memory(const struct linux_disk *disk);

/* Stores in PATH the path of the next entry of FOLDER. LIST is the open directory FOLDER.
 * After the last entry, closes LIST and returns false. If LIST is NULL, returns false. */
bool linux_sysfs_next(DIR *list, const char *folder, char path[LINUX_SYSFS_ROOM]);

/* FD is on a btrfs. Stores in FOLDER the directory of sysfs that has a sysfs link for
 * each device of this btrfs. Returns false if the directory is unknown. */
bool linux_btrfs_devices(int fd, char folder[LINUX_SYSFS_ROOM]);

/* Returns the mount options of the file system that FD is on, as in the mount table. The
 * text is allocated; the caller frees it. Returns NULL if they are unknown. */
char *linux_mount_options(int fd);

#define LINUX_LAYERS 66 /* the most layers of one overlay */

/* The layers of an overlay in which a file may be stored. */
struct linux_layers {
    /* paths of the directories of the layers; they point into `options` */
    const char *path[LINUX_LAYERS];
    int count;
    char *options; /* mount options, freed by linux_overlay_free */
};

/* Finds the layers of the overlay that the open file FD is on. If there is an upper
 * layer, it becomes the last in LAYERS. The caller frees LAYERS with linux_overlay_free.
 * Returns 0, or -1 if the layers are unknown. */
int linux_overlay_layers(int fd, struct linux_layers *layers);

/* Frees `options` of LAYERS, and with them the paths. */
void linux_overlay_free(struct linux_layers *layers);

/* A search follows at most this many devices on top of each other. */
#define LINUX_SEARCH_DEPTH 8

/* A search for the lowest of several block devices that are on top of each other, to find
 * out whether the data are on a device, in memory or in the page cache. */
struct linux_search {
    char *name;  /* where to store the name of the memory or loop device that is found */
    size_t size; /* room in `name`, in bytes */
    int depth;   /* levels that may still be searched */
};

/* Follows the chain of devices below the block device behind the sysfs link DEVICE_LINK.
 * Returns the same result, and stores the same name in SEARCH, as os_file_backing does.
 */
enum os_backing linux_backing_search(struct linux_search *search,
                                     const char *device_link);

/* Fills LAYOUT, except its extents, for a target on the block device behind the sysfs
 * link DEVICE_LINK. PATH is the path of the target, for messages. Returns 0, or -1 with
 * ERROR. */
int linux_layout_devices(const char *device_link, const char *path,
                         struct os_layout *layout, struct error *error);

/*
 * Combines two layouts of a file on a loop device. The file behind the loop device is
 * called the image. UPPER says where the file lies on the loop device. LOWER says where
 * the image lies on a disk. The function finds out where the file lies on the disk, and
 * replaces the extents of LOWER by the result. The loop device begins SHIFT bytes after
 * the start of the image.
 *
 * Returns false, and changes nothing, if no byte of the file lies on the disk, if there
 * are too many extents, or if memory is missing.
 */
bool linux_layout_compose(const struct os_layout *upper, struct os_layout *lower,
                          int64_t shift);

/* Where a field is in an event, or in the header of a page. Offset and size are in bytes.
 * A size of 0 means that there is no such field. */
struct linux_trace_field {
    unsigned offset, size;
};

/* How the kernel stores events of one kind. Every event holds a number that tells its
 * kind. `type` says where this number is in an event. For events of this kind, the number
 * is `id`. */
struct linux_trace_format {
    enum os_trace_kind kind;
    unsigned id; /* 0 if the kernel does not have this event */
    struct linux_trace_field type, thread, device, sector, sectors, old_device,
        old_sector, rwbs, comm, text;
};
#define LINUX_TRACE_KINDS 8 /* how many values enum os_trace_kind has */
/* start of the text that os_trace_mark writes, before the number */
#define LINUX_TRACE_MARK "ioping "
/* start of the name of an io_uring worker, before the TID */
#define LINUX_TRACE_WORKER "iou-wrk-"

/* A page of the ring buffer of a processor, while it is read. */
struct linux_trace_page {
    /* fields of the header: time of the page, length of the events, their start */
    struct linux_trace_field stamp, commit, data;
    const unsigned char *bytes; /* the events, in memory of the caller */
    size_t size;                /* length of the events, in bytes */
    size_t offset;              /* offset in `bytes` of the next event to read */
    uint64_t time;              /* time of the event that was read last, in ns */
};

/* Fills FORMAT from TEXT, the contents of the file events/.../format for events of KIND.
 * Returns 0, or -1 if a needed field is missing. */
int linux_trace_format(const char *text, enum os_trace_kind kind,
                       struct linux_trace_format *format);

/* Fills `stamp`, `commit` and `data` of PAGE from TEXT, the contents of the file
 * events/header_page. Returns 0, or -1 if a needed field is missing. */
int linux_trace_header(const char *text, struct linux_trace_page *page);

/* Prepares PAGE for reading the page of SIZE bytes at BYTES. BYTES must exist until the
 * whole page was read. PAGE must have been filled by linux_trace_header. If the page is
 * cut off, only the events before the cut are read. Returns the number of events that
 * were lost before this page, or 1 if the kernel tells that events were lost, but not how
 * many. */
uint64_t linux_trace_begin(struct linux_trace_page *page, const unsigned char *bytes,
                           size_t size);

/* Reads up to ROOM records from PAGE. FORMATS has LINUX_TRACE_KINDS elements. Returns the
 * number of records, which is 0 at the end of the page. */
int linux_trace_next(struct linux_trace_page *page,
                     const struct linux_trace_format *formats,
                     struct os_trace_record *records, int room);

/* Adds to FILTER the condition for events of KIND on the devices of COUNT layouts. If
 * WITH_SECTORS, the condition excludes I/O on devices[0] that is far from the extents of
 * the layout. It never excludes flushes, remaps, or I/O to layouts without extents. If
 * PROGRAM is not NULL, it also never excludes the queueing of I/O by a thread with the
 * name PROGRAM or by an io_uring worker. */
void linux_trace_filter(const struct os_layout *const *layouts, int count,
                        enum os_trace_kind kind, bool with_sectors, const char *program,
                        struct buffer *filter);

/* Does the same as os_memory_available, but looks below the directory ROOT for the files
 * of proc and of control groups. ROOT is "" except in tests. */
int64_t linux_memory_available(const char *root);

/* Fills DISK for the disk below the device behind the sysfs link DEVICE_LINK ("": no
 * device). Looks below the directory ROOT for the files of proc, of control groups and of
 * sysfs, except that DEVICE_LINK is a whole path. ROOT is "" except in tests. Returns the
 * same result as os_disk_find. */
int linux_disk_describe(const char *root, const char *device_link, struct os_disk *disk);

/* Finds the mount with number ID in TABLE, a text like /proc/self/mountinfo (proc(5)).
 * Stores the type and the source of its file system in MOUNT. Returns 0, or -1 if the
 * mount is not listed. */
int mountinfo_find(const char *table, int64_t id, struct os_mount *mount);

/* Finds the first mount in TABLE of the file system whose files have this device number
 * (st_dev), and fills MOUNT as mountinfo_find does. This is needed if the mount of a file
 * is not in TABLE, such as the mount of `/` in a chroot(2). Returns 0, or -1 if the file
 * system has no mount in TABLE. */
int mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                          struct os_mount *mount);

/* Returns the options of the file system of the mount with number ID in TABLE. The text
 * is allocated; the caller frees it. Returns NULL if the mount is not listed. */
char *mountinfo_options(const char *table, int64_t id);

#endif
