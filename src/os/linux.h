#ifndef OS_LINUX_H
#define OS_LINUX_H

/* Functions that the files for Linux share with each other and with their tests. */

#include "base/buffer.h"
#include "base/error.h"
#include "os/storage.h"
#include "os/trace.h"

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/statfs.h>

/* Asks statx(2) about the open descriptor FD for the field of MASK, one of STATX_*.
 * Copies the SIZE bytes at offset AT of the answer to VALUE. Returns 0, or -1 if the
 * kernel does not know the field. */
int linux_statx(int fd, unsigned mask, size_t at, void *value, size_t size);

/* Returns false if the file FD is certainly not accessed in place on persistent memory
 * (DAX); true if it is or may be. */
bool linux_file_may_be_dax(int fd);

/* Reads a small file of the kernel by one read(2): up to SIZE - 1 bytes into TEXT,
 * without a newline at the end. PATH is a printf format. Returns false, with an empty
 * TEXT, if the file cannot be read or is empty. */
bool linux_file_read(char *text, size_t size, const char *path, ...)
    __attribute__((format(printf, 3, 4)));

/* Reads a whole file. PATH is a printf format. Returns an allocated text, or NULL with
 * errno. */
char *linux_file_all(const char *path, ...) __attribute__((format(printf, 1, 2)));

/* Writes TEXT to a file of the kernel by one write(2). PATH is a printf format. Returns
 * 0, or -1 with errno. */
int linux_file_write(const char *text, const char *path, ...)
    __attribute__((format(printf, 2, 3)));

/* Returns the name of a file system that lives in memory, such as "tmpfs"; NULL for other
 * file systems. */
const char *linux_mount_memory(const struct statfs *status);

/* Room for a path in sysfs, in bytes. */
#define LINUX_SYSFS_ROOM 1024

/* Reads the symbolic link PATH into TARGET. Returns false, with an empty TARGET, if PATH
 * is no symbolic link. */
bool linux_sysfs_link(const char *path, char target[LINUX_SYSFS_ROOM]);

/* A whole disk in sysfs. */
struct linux_disk {
    char folder[LINUX_SYSFS_ROOM], name[64];
};

/*
 * Fills DISK for a block device of sysfs. FOLDER is a symbolic link to the directory of a
 * disk, or to the directory of a partition, which is a subdirectory of the directory of
 * its disk. For a partition, DISK becomes the disk that has the partition. Returns 1 for
 * a partition, 0 for a disk, -1 if the device is not found.
 */
int linux_disk_find(const char *folder, struct linux_disk *disk);

/* Returns true if the blocks of the disk are in memory, such as those of a RAM disk. */
bool linux_disk_is_memory(const struct linux_disk *disk);

/* Stores the path of the next entry of LIST, the open directory FOLDER, in PATH. At the
 * end, closes LIST and returns false. LIST may be NULL, which is an empty directory. */
bool linux_sysfs_next(DIR *list, const char *folder, char path[LINUX_SYSFS_ROOM]);

/* Stores in FOLDER the directory of sysfs with links to the devices of the btrfs that FD
 * is on. Returns false if the kernel does not tell. */
bool linux_btrfs_devices(int fd, char folder[LINUX_SYSFS_ROOM]);

/* Returns the mount options of the file system that FD is on, as in the mount table:
 * an allocated text, or NULL if the options are unknown. */
char *linux_mount_options(int fd);

#define LINUX_LAYERS 66

/* The layers of an overlay in which a file may be stored. */
struct linux_layers {
    const char *path[LINUX_LAYERS];
    int count;
    char *options; /* the text that the paths are parts of; owned */
};

/* Finds the layers of the overlay that the open file FD is on. The caller frees LAYERS
 * with linux_overlay_free. Returns 0, or -1 if they are unknown. */
int linux_overlay_layers(int fd, struct linux_layers *layers);

/* Frees the texts of LAYERS. */
void linux_overlay_free(struct linux_layers *layers);

/* The maximum number of devices on top of each other that a search goes through. */
#define LINUX_SEARCH_DEPTH 8

/* A search for the lowest of several block devices that are on top of each other. */
struct linux_search {
    char *name;  /* receives the name of the memory or loop device that is found */
    size_t size; /* room in `name`, in bytes */
    int depth;   /* levels that may still be searched */
};

/* The same as os_file_backing, for the block device behind FOLDER, a symbolic link of
 * sysfs to the directory of a disk or of a partition. */
enum os_backing linux_backing_search(struct linux_search *search, const char *folder);

/* Fills LAYOUT, except its extents, for the block device behind FOLDER, a symbolic link
 * of sysfs. Returns 0, or -1 with ERROR, which names the target by its path PATH. */
int linux_layout_devices(const char *folder, const char *path, struct os_layout *layout,
                         struct error *error);

/*
 * UPPER is the layout of a file on a loop device. LOWER is the layout of the file in
 * which the loop device stores its data. Replaces the extents of LOWER by new extents,
 * which say where the file of UPPER lies on the device of LOWER. SHIFT is the offset, in
 * bytes, at which the loop device begins in the file of LOWER. Returns false, and changes
 * nothing, if no byte of the file of UPPER lies on the device of LOWER or if there are
 * too many extents.
 */
bool linux_layout_compose(const struct os_layout *upper, struct os_layout *lower,
                          int64_t shift);

/* A field of the data of an event or of the header of a page: `size` bytes at offset
 * `at`. Size 0: the field is absent. */
struct linux_trace_field {
    unsigned offset, size;
};

/* How the kernel stores one kind of event. The data of an event begins with its type,
 * which is `id`; id 0: the kernel does not have this event. */
struct linux_trace_format {
    enum os_trace_kind kind;
    unsigned id;
    struct linux_trace_field type, thread, device, sector, sectors, old_device,
        old_sector, rwbs, comm, text;
};
#define LINUX_TRACE_KINDS 8
#define LINUX_TRACE_MARK "ioping "    /* text of a mark; its number follows */
#define LINUX_TRACE_WORKER "iou-wrk-" /* name of an io_uring worker; the TID follows */

/* A page of the ring of a processor: its layout, and how far it has been read. */
struct linux_trace_page {
    struct linux_trace_field stamp, commit, data;
    const unsigned char *bytes; /* the events; owned by the caller */
    size_t size, offset;
    uint64_t time; /* of the last event that was read, in ns */
};

/* Parses TEXT, the file events/.../format of an event of KIND. Returns 0, or -1 if a
 * needed field is missing. */
int linux_trace_format(const char *text, enum os_trace_kind kind,
                       struct linux_trace_format *format);

/* Parses TEXT, the file events/header_page. Returns 0, or -1 if a needed field is
 * missing. */
int linux_trace_header(const char *text, struct linux_trace_page *page);

/* Starts to read a page: the SIZE bytes at BYTES, which must stay while PAGE is used.
 * PAGE has been filled by linux_trace_header. If the page is cut off, the missing bytes
 * count as empty. Returns the number of events that were lost before this page, 1 if the
 * kernel only tells that some were lost. */
uint64_t linux_trace_begin(struct linux_trace_page *page, const unsigned char *bytes,
                           size_t size);

/* Reads up to ROOM records of PAGE. FORMATS has LINUX_TRACE_KINDS elements. Returns the
 * number of records, 0 at the end of the page. */
int linux_trace_next(struct linux_trace_page *page,
                     const struct linux_trace_format *formats,
                     struct os_trace_record *records, int room);

/* Adds to FILTER the condition for events of KIND of the devices of COUNT layouts. If
 * RANGES, the condition leaves out I/O that is far from the sectors of known extents,
 * except flushes and I/O that the program with the name PROGRAM or an io_uring worker
 * queues. */
void linux_trace_filter(const struct os_layout *const *layouts, int count,
                        enum os_trace_kind kind, bool ranges, const char *program,
                        struct buffer *filter);

/* The same as os_memory_available, but looks for the files of proc and of control groups
 * below directory ROOT, which is "" except in tests. */
int64_t linux_memory_available(const char *root);

/* Finds the mount ID in TABLE, a text like /proc/self/mountinfo (proc(5)). Copies its
 * file system type and its source to MOUNT, with octal escapes decoded. Returns 0, or -1
 * if the mount is not listed. */
int mountinfo_find(const char *table, int64_t id, struct os_mount *mount);

/* Returns the options of the file system of mount ID in TABLE: an allocated text, or NULL
 * if the mount is not listed. */
char *mountinfo_options(const char *table, int64_t id);

/* The same as mountinfo_find, but for the first mount of the file system with this device
 * number, the st_dev of its files. Used if the mount itself is not in TABLE, such as `/`
 * in a chroot(2). */
int mountinfo_find_device(const char *table, unsigned major, unsigned minor,
                          struct os_mount *mount);

#endif
