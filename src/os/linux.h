#ifndef OS_LINUX_H
#define OS_LINUX_H

/* Functions that the files for Linux share, with each other and with their tests. */

#include "base/buffer.h"
#include "base/error.h"
#include "os/storage.h"
#include "os/trace.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statfs.h>

/*
 * Asks statx(2) about an open descriptor for the field of MASK, one of STATX_*: SIZE
 * bytes at AT of the answer, stored in VALUE. Returns 0, or -1 if the kernel does not
 * tell it.
 */
int linux_statx(int fd, unsigned mask, size_t at, void *value, size_t size);

/* Returns false if the file FD is certainly not read in place on persistent memory
 * (DAX). */
bool linux_file_may_be_dax(int fd);

/*
 * Small files of the kernel, whose PATH is in printf form.
 * linux_file_read: reads what one call tells, up to SIZE - 1 bytes, into TEXT, without
 * the newline at its end. Returns false, and TEXT is empty, if that is nothing.
 * linux_file_all: reads all of a file. Allocated; NULL with errno.
 * linux_file_write: writes TEXT by one call. Returns 0, or -1 with errno.
 */
bool linux_file_read(char *text, size_t size, const char *path, ...)
    __attribute__((format(printf, 3, 4)));
char *linux_file_all(const char *path, ...) __attribute__((format(printf, 1, 2)));
int linux_file_write(const char *text, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

/* The name of a file system that lives in memory; NULL: this one does not. */
const char *linux_mount_memory(const struct statfs *status);

/* Room for a path in sysfs. */
#define LINUX_SYSFS_ROOM 1024

/* Reads symbolic link PATH. Returns false, and TARGET is empty, if it is none. */
bool linux_sysfs_link(const char *path, char target[LINUX_SYSFS_ROOM]);

/*
 * A block device of sysfs, whose FOLDER is a symbolic link to that of a disk or, one
 * level below, of a partition. Fills in DISK what it is, or is a part of. Returns whether
 * it is a partition; -1: it cannot be found.
 */
struct linux_disk {
    char folder[LINUX_SYSFS_ROOM], name[64];
};
int linux_disk_find(const char *folder, struct linux_disk *disk);

/* Returns true if a disk is memory. */
bool linux_disk_is_memory(const struct linux_disk *disk);

/* Puts the path of the next entry of LIST, that of FOLDER, into PATH. Closes LIST, which
 * may be NULL, and returns false if there are no more. */
bool linux_sysfs_next(DIR *list, const char *folder, char path[LINUX_SYSFS_ROOM]);

/* Stores the folder of sysfs that has links to the devices of the btrfs that FD is on.
 * Returns false if the kernel does not tell which that is. */
bool linux_btrfs_devices(int fd, char folder[LINUX_SYSFS_ROOM]);

/* Returns the options of the file system that FD is on, as the mount table has them.
 * Allocated; NULL: they cannot be known. */
char *linux_mount_options(int fd);

#define LINUX_LAYERS 66

/*
 * The layers of an overlay that a file can be in, COUNT directories. linux_overlay_layers
 * finds them for an open file; returns 0, or -1 if they cannot be known.
 * linux_overlay_free frees them.
 */
struct linux_layers {
    const char *path[LINUX_LAYERS];
    int count;
    char *options; /* what the paths are parts of */
};
int linux_overlay_layers(int fd, struct linux_layers *layers);
void linux_overlay_free(struct linux_layers *layers);

#define LINUX_SEARCH_DEPTH 8 /* devices on top of each other */

/* NAME, of SIZE bytes, becomes the name that is found; DEPTH levels are left to search.
 */
struct linux_search {
    char *name;
    size_t size;
    int depth;
};

/* As os_file_backing, of the block device behind FOLDER, a symbolic link of sysfs to the
 * folder of a disk or, one level below, of a partition. */
enum os_backing linux_backing_search(struct linux_search *search, const char *folder);

/* Fills LAYOUT with all but the extents, for the block device behind FOLDER, a symbolic
 * link of sysfs. Returns as os_layout_find for PATH. */
int linux_layout_devices(const char *folder, const char *path, struct os_layout *layout,
                         struct error *error);

/*
 * Replaces the extents of LOWER, those of the file that UPPER's device is made of, by
 * where on the device of LOWER the file of UPPER lies; byte 0 of UPPER's device is byte
 * SHIFT of that file. Returns false, and changes nothing, if none of it lies there or
 * there are too many.
 */
bool linux_layout_compose(const struct os_layout *upper, struct os_layout *lower,
                          int64_t shift);

/*
 * The bytes of a trace. Each of the fields is SIZE bytes AT an offset of an event's data
 * or of a page; SIZE 0: there is none. ID is the event's, which begins with its type.
 */
struct linux_trace_field {
    unsigned at, size;
};
struct linux_trace_format {
    enum os_trace_kind kind;
    unsigned id;
    struct linux_trace_field type, thread, device, sector, sectors, old_device,
        old_sector, rwbs, comm, text;
};
#define LINUX_TRACE_KINDS 8
#define LINUX_TRACE_MARK "ioping "    /* text of a mark, followed by its number */
#define LINUX_TRACE_WORKER "iou-wrk-" /* name of a thread of io_uring, likewise */

/* A page of the buffer of a processor: its layout, and how far it has been read. */
struct linux_trace_page {
    struct linux_trace_field stamp, commit, data;
    const unsigned char *bytes; /* the events, which the caller owns */
    size_t size, at;
    uint64_t time; /* of the event before, ns */
};

/*
 * Parse the text of events/block/.../format, or of events/header_page. Return 0, or -1 if
 * a field is missing that is needed.
 */
int linux_trace_format(const char *text, enum os_trace_kind kind,
                       struct linux_trace_format *format);
int linux_trace_header(const char *text, struct linux_trace_page *page);

/*
 * linux_trace_begin: PAGE, whose header has been parsed, becomes what is at BYTES.
 * Returns how many events were lost before it, at least; of a page that is cut off, the
 * rest counts as empty. linux_trace_next: fills up to ROOM records by the
 * LINUX_TRACE_KINDS formats, of which those without an id are none. Returns how many; 0:
 * the page has no more.
 */
uint64_t linux_trace_begin(struct linux_trace_page *page, const unsigned char *bytes,
                           size_t size);
int linux_trace_next(struct linux_trace_page *page,
                     const struct linux_trace_format *formats,
                     struct os_trace_record *records, int room);

/* Adds a filter for events of KIND to FILTER: those of the devices of COUNT layouts, if
 * RANGES only near the sectors of their extents, where known, or queued by PROGRAM. */
void linux_trace_filter(const struct os_layout *const *layouts, int count,
                        enum os_trace_kind kind, bool ranges, const char *program,
                        struct buffer *filter);

/* os_memory_available, by the files of proc and of the control groups that are found
 * below folder ROOT, which is empty for those of the kernel. */
int64_t linux_memory_available(const char *root);

/*
 * Finds the mount with id ID in TABLE, a text in the format of
 * /proc/self/mountinfo (proc(5)), and copies its file system type and source,
 * octal escapes decoded, into MOUNT. Returns 0, or -1 if it is not listed.
 */
int mountinfo_find(const char *table, int64_t id, struct os_mount *mount);

/* Returns the options of the file system of mount ID. Allocated; NULL: not listed. */
char *mountinfo_options(const char *table, int64_t id);

/*
 * The same for the first mount of the file system with this device number (st_dev in its
 * two halves), for when the mount itself is not in TABLE, as that of `/` in a chroot(2).
 */
int mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                          struct os_mount *mount);

#endif
