#ifndef OS_OS_H
#define OS_OS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * Clocks, files and devices: the parts in which systems differ. A function that can fail
 * returns 0 or a positive result on success, and -1 with errno on failure. ENOTSUP means
 * that this system or this file cannot do it; the caller then does without. Offsets,
 * sizes and lengths are in bytes, times in nanoseconds. Any thread may call these
 * functions. Whoever opens a descriptor closes it with os_file_close.
 */

/* Sets errno to CODE and returns -1, so that a function can fail by
 * `return os_fail(CODE)`. */
static inline int
os_fail(int code)
{
    errno = code;
    return -1;
}

/* Returns the monotonic time in ns. Only differences between two such times mean
 * something. */
int64_t os_clock_now(void);

/* Returns the wall-clock time in ns since 1970, in UTC. Only for display, because this
 * clock may be set forward or back. */
int64_t os_clock_wall(void);

/* Converts WALL, a time from os_clock_wall, to local time. */
void os_clock_local(int64_t wall, struct tm *local);

/* Converts WALL, a time from os_clock_wall, to UTC. */
void os_clock_utc(int64_t wall, struct tm *utc);

/* Asks the system to end each sleep of the calling thread as close to its due time as
 * possible. */
void os_clock_sharpen(void);

/* Sleeps until the monotonic time WHEN, in ns. Returns 0, or -1 with EINTR if a signal or
 * os_thread_wake ended the sleep early. */
int os_sleep_until(int64_t when);

/* How os_file_open opens a file: these values are OR-ed. */
enum os_open {
    OS_OPEN_READ = 0,
    OS_OPEN_WRITE = 1, /* opens for reading and writing */
    OS_OPEN_SYNC = 2,  /* O_SYNC: each write waits until data and metadata are durable */
    OS_OPEN_DSYNC = 4, /* O_DSYNC: each write waits until the data is durable */

    /* os_file_open fails if the device is in use or, with OS_OPEN_CREATE, if the file
     * exists */
    OS_OPEN_EXCLUSIVE = 8,

    /* creates the file, with mode 0600, if it is missing; follows no symbolic link */
    OS_OPEN_CREATE = 16,

    /* opens a FIFO without waiting until another process opens the other end */
    OS_OPEN_NO_WAIT = 32,
};

/* Opens PATH. FLAGS: values of enum os_open, OR-ed. Returns a descriptor, or -1 with
 * errno. */
int os_file_open(const char *path, unsigned flags);

/*
 * Creates an unnamed file of mode 0600 in the directory PATH and opens it for reading and
 * writing. FLAGS as for os_file_open. Returns a descriptor, or -1 with errno.
 *
 * Some systems cannot create a file without a name. There, the file is created with a
 * name, and the name is removed at once. NAME, of SIZE bytes, receives the path with this
 * name, or an empty string if the file never had a name. After the last close of a file
 * that had a name, the caller calls os_file_remove_again. If the process ends before that
 * call, the name is removed again anyway (os_leftover_watch).
 */
int os_file_temporary(const char *path, unsigned flags, char *name, size_t size);

/*
 * Removes NAME, the path that os_file_temporary has stored, once more. Call this after
 * the file has been closed: some file systems store a file when it is closed, and then
 * the file reappears under its old name. A file system may also store the file some time
 * after the close; this function does not wait for that. Returns 0 if the file is gone or
 * never had a name; -1 with errno if the file still exists.
 */
int os_file_remove_again(const char *name);

enum os_kind { OS_DIRECTORY, OS_FILE, OS_BLOCK, OS_CHARACTER, OS_OTHER };

struct os_info {
    enum os_kind kind;
    int64_t size;    /* of a regular file, in bytes */
    uint64_t links;  /* number of hard links */
    uint64_t device; /* number of the device that a device file stands for; all names of
                      * one device have the same number */
    bool is_owned;   /* the effective user owns the file */
    uint64_t volume, node; /* together they identify the file on this machine; both are 0
                            * if unknown */
};

/* Closes descriptor FD. Errors are ignored. */
void os_file_close(int fd);

/* Fills INFO about the file at PATH without opening it. Follows symbolic links. Returns
 * 0, or -1 with errno. */
int os_path_info(const char *path, struct os_info *info);

/* Fills INFO about the open descriptor FD; 0 is standard input. Returns 0, or -1 with
 * errno. */
int os_file_info(int fd, struct os_info *info);

/* Returns the separator to put between directory PATH and a name: an empty string if PATH
 * already ends with a separator. */
const char *os_path_separator(const char *path);

/* Returns true if the directory that the file at PATH is in exists. The file need not. */
bool os_path_has_folder(const char *path);

/* Removes the file at PATH. Returns 0, or -1 with errno. */
int os_path_remove(const char *path);

/* Truncates or extends an open file to SIZE bytes. Returns 0, or -1 with errno. */
int os_file_truncate(int fd, int64_t size);

/*
 * On systems where workers that share a descriptor would wait for each other, returns a
 * second descriptor of the same file, or -1 with errno. On all other systems, returns FD
 * itself.
 */
int os_file_reopen(int fd);

/* Returns true if FD is a disk whose requests bypass every cache of the system: on the
 * BSDs and macOS a character device, on Windows any disk. Returns false on systems whose
 * disks have only block devices, such as Linux. */
bool os_device_is_disk(int fd);

/*
 * PATH is the block device of a disk. On systems that read block devices through a cache,
 * finds the raw device of the same disk, which has no cache. RAW, of SIZE bytes, receives
 * the path of the raw device. Returns false if there is no raw device.
 */
bool os_path_raw(const char *path, char *raw, size_t size);

/* Stores the size and the logical block size, in bytes, of FD: an open block device, or a
 * disk for which os_device_is_disk returns true. Returns 0, or -1 with errno. */
int os_device_size(int fd, int64_t *size, int64_t *block);

/* Returns true if an open block device refuses writes. */
bool os_device_is_read_only(int fd);

/* Returns true if an open block device has been removed from the machine, false if it is
 * present or if that is unknown. */
bool os_device_is_gone(int fd);

/* Returns 1 if the device of an open file supports polled I/O, in which the processor
 * asks the device for completions instead of waiting for an interrupt; 0 if not; -1 if
 * unknown. */
int os_file_supports_polling(int fd);

/*
 * Turns direct I/O of a descriptor on or off. On systems where direct reads would still
 * be served from pages in the page cache, these pages are dropped first. Returns 0, or -1
 * with errno; ENOTSUP: direct I/O is not available here.
 */
int os_file_direct(int fd, bool on);

/* Stores the alignment in bytes that direct I/O needs: MEMORY for buffer addresses,
 * OFFSET for offsets and lengths. Both are 0 if the file does not support direct I/O.
 * Returns 0, or -1 with errno; ENOTSUP: unknown. */
int os_file_alignment(int fd, int64_t *memory, int64_t *offset);

/* Flags of a single request: these values are OR-ed. */
enum os_rw {
    OS_RW_HIPRI = 1,  /* RWF_HIPRI of preadv2(2): polled I/O */
    OS_RW_NOWAIT = 2, /* RWF_NOWAIT of preadv2(2): fails with EAGAIN rather than wait */
};

/*
 * Reads SIZE bytes at OFFSET. FLAGS: values of enum os_rw, OR-ed. Returns the number of
 * bytes, 0 at the end of the file, or -1 with errno; EINTR: a signal came, and io_perform
 * retries. A read of 0 bytes tests FLAGS: it fails if one of the flags is not available.
 * The caller measures how long this function takes, so this function does nothing but the
 * system call.
 */
int64_t os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags);

/* Writes SIZE bytes at OFFSET. Everything else is as for os_file_read. */
int64_t os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags);

/*
 * Makes written data durable, but not the time stamps of the file: fdatasync(2). If
 * fdatasync(2) leaves the data in the cache of the drive, a second system call flushes
 * that cache. An interrupted call is retried. The caller measures how long this function
 * takes. Returns 0, or -1 with errno.
 */
int os_file_flush(int fd);

#endif
