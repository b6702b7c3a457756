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
 * that this system or this file cannot do it; the caller then falls back. Offsets, sizes
 * and lengths are in bytes, times in nanoseconds. Any thread may call these functions. A
 * descriptor belongs to the caller, who closes it with os_file_close.
 */

/* Sets errno to CODE. Returns -1. */
static inline int
os_fail(int code)
{
    errno = code;
    return -1;
}

/* Returns the monotonic time. Only differences between two such times mean something. */
int64_t os_clock_now(void);

/* Returns the wall-clock time since 1970. For display only. */
int64_t os_clock_wall(void);

/* Converts WALL, a time from os_clock_wall, to local time. */
void os_clock_local(int64_t wall, struct tm *local);

/* Makes sleeps of the calling thread as exact as the system can. */
void os_clock_sharpen(void);

/* Sleeps until the monotonic time WHEN. Returns 0, or -1 if a signal ended the sleep
 * early. */
int os_sleep_until(int64_t when);

enum os_open {
    OS_OPEN_READ = 0,
    OS_OPEN_WRITE = 1, /* reading and writing */
    OS_OPEN_SYNC = 2,  /* O_SYNC */
    OS_OPEN_DSYNC = 4, /* O_DSYNC */
    OS_OPEN_EXCLUSIVE =
        8,               /* fails if the device is in use or the file to create exists */
    OS_OPEN_CREATE = 16, /* creates a missing file, mode 0600; follows no symbolic link */
    OS_OPEN_NOW = 32,    /* does not wait for the other end of a FIFO */
};

/* Opens PATH. FLAGS: OR-ed enum os_open. Returns a descriptor, or -1 with errno. */
int os_file_open(const char *path, unsigned flags);

/*
 * Creates an unnamed file of mode 0600 in directory PATH and opens it for reading and
 * writing. Returns a descriptor, or -1 with errno.
 *
 * Where the system cannot create a file without a name, the file has a name for a moment.
 * NAME, of SIZE bytes, receives that path, or an empty string if the file never had a
 * name. After the last close of a file that had a name, the caller calls os_file_vanish.
 * If the process ends before that, the file is removed afterwards (os_leftover_watch).
 */
int os_file_temporary(const char *path, unsigned flags, char *name, size_t size);

/*
 * Removes the closed file NAME of os_file_temporary a second time. This is needed because
 * some file systems store a file when it is closed, and then it reappears under its old
 * name. A file that is stored even later than at its close stays. Returns 0 if the file
 * is gone or never had a name; -1 with errno if the file still exists.
 */
int os_file_vanish(const char *name);

enum os_kind { OS_DIRECTORY, OS_FILE, OS_BLOCK, OS_CHARACTER, OS_OTHER };

struct os_info {
    enum os_kind kind;
    int64_t size;    /* of a regular file, in bytes */
    uint64_t links;  /* number of hard links */
    uint64_t device; /* device number; two names of one device have the same number */
    bool owned;      /* the owner is the effective user */
    uint64_t volume, node; /* identity of the file on this machine; both 0 if unknown */
};

/* Closes a descriptor. */
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

/* Removes the file PATH. Returns 0, or -1 with errno. */
int os_path_remove(const char *path);

/* Truncates an open file to SIZE bytes. Returns 0, or -1 with errno. */
int os_file_truncate(int fd, int64_t size);

/*
 * Returns a second descriptor of the same file for one worker, on systems where workers
 * that share a descriptor would wait for each other. Returns FD itself on other systems.
 */
int os_file_reopen(int fd);

/*
 * Returns true if an open character device is a disk. Some systems have only such disks.
 */
bool os_device_is_disk(int fd);

/* Finds the raw device of the disk whose block device is PATH, on systems that read block
 * devices through a cache. RAW, of SIZE bytes, receives the path of the raw device.
 * Returns false if there is no raw device. */
bool os_path_raw(const char *path, char *raw, size_t size);

/* Stores the size and the logical block size, in bytes, of an open block device or of a
 * disk as in os_device_is_disk. Returns 0, or -1 with errno. */
int os_device_size(int fd, int64_t *size, int64_t *block);

/* Returns true if an open block device refuses writes. */
bool os_device_read_only(int fd);

/* Returns true if an open block device has been removed, false if it is present or
 * unknown. */
bool os_device_is_gone(int fd);

/* Returns 1 if the device of an open file can be polled for completions, 0 if not, -1 if
 * unknown. */
int os_file_polls(int fd);

/* Turns direct I/O of a descriptor on or off. Drops pages from the page cache first on
 * systems where direct reads would still be served from them. Returns 0, or -1 with
 * errno; ENOTSUP: direct I/O is not available here. */
int os_file_direct(int fd, bool on);

/* Stores the alignment in bytes that direct I/O needs: MEMORY for buffer addresses,
 * OFFSET for offsets and lengths. Both are 0 if the file does not support direct I/O.
 * Returns 0, or -1 with errno; ENOTSUP: unknown. */
int os_file_alignment(int fd, int64_t *memory, int64_t *offset);

enum os_rw { OS_RW_HIPRI = 1, OS_RW_NOWAIT = 2 };

/*
 * Reads SIZE bytes at OFFSET. FLAGS: OR-ed enum os_rw. Returns the number of bytes, 0 at
 * the end of the file, or -1 with errno; EINTR: a signal came, and io_perform retries. If
 * a flag is not available, even a read of 0 bytes fails. The caller times this function,
 * so it is the system call and nothing else.
 */
int64_t os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags);

/* Writes SIZE bytes at OFFSET. Everything else is as for os_file_read. */
int64_t os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags);

/*
 * Makes written data durable, but not the time stamps of the file: fdatasync. The caller
 * times this function too. An interrupted call is retried here. Where one system call
 * does not reach the cache of the drive, a second one may follow. Returns 0, or -1 with
 * errno.
 */
int os_file_flush(int fd);

#endif
