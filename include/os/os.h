#ifndef OS_OS_H
#define OS_OS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

/*
 * Clocks, files and devices, wherever systems differ. Functions that can fail return -1
 * and set errno; ENOTSUP means that this system or file cannot do it, and the caller
 * falls back. Offsets, sizes and lengths are bytes, times nanoseconds. Any thread may
 * call them. Descriptors belong to the caller, for os_file_close.
 */

/* Sets errno to CODE. Returns -1. */
static inline int
os_fail(int code)
{
    errno = code;
    return -1;
}

/* Monotonic time; only differences mean something. */
int64_t os_clock_now(void);

/* Time since 1970 by the wall clock, for display only. */
int64_t os_clock_wall(void);

/* Breaks WALL, as os_clock_wall returns it, into local time. */
void os_clock_local(int64_t wall, struct tm *local);

/* Makes sleeps of the calling thread as exact as the system can. */
void os_clock_sharpen(void);

/* Sleeps until monotonic time WHEN: 0, or -1 when a signal came first. */
int os_sleep_until(int64_t when);

enum os_open {
    OS_OPEN_READ = 0,
    OS_OPEN_WRITE = 1,     /* reading and writing */
    OS_OPEN_SYNC = 2,      /* O_SYNC */
    OS_OPEN_DSYNC = 4,     /* O_DSYNC */
    OS_OPEN_EXCLUSIVE = 8, /* fails for a block device in use; with CREATE: a new file */
    OS_OPEN_CREATE = 16,   /* made with mode 0600 if missing; never through a link */
    OS_OPEN_NOW = 32,      /* without a wait for the other end of a FIFO */
};

/* Opens PATH with OR-ed enum os_open: a descriptor. */
int os_file_open(const char *path, unsigned flags);

/*
 * Opens an anonymous file of mode 0600 in directory PATH, reading and writing: a
 * descriptor. NAME, of SIZE bytes, becomes the path that the file had for a moment, or
 * empty if it never had one. After the last close of a file that had a name the caller
 * calls os_file_vanish. If the process ends before that, the file is removed afterwards.
 */
int os_file_temporary(const char *path, unsigned flags, char *name, size_t size);

/*
 * Removes once more the file NAME of os_file_temporary, which has been closed: a file
 * system that stores a file when it is closed may have stored it under this name. One
 * that does so later than at the close keeps it. Nothing to remove is success. Returns 0,
 * or -1 with errno, and then the file is left.
 */
int os_file_vanish(const char *name);

enum os_kind { OS_DIRECTORY, OS_FILE, OS_BLOCK, OS_CHARACTER, OS_OTHER };

struct os_info {
    enum os_kind kind;
    int64_t size;          /* of a file */
    uint64_t links;        /* hard links */
    uint64_t device;       /* number of a device; the same for two names of one */
    bool owned;            /* by the effective user */
    uint64_t volume, node; /* identity of a file on this machine; both 0: it has none */
};

/* Closes a descriptor. */
void os_file_close(int fd);

/* Fills INFO about PATH, following links, without opening it; or about a descriptor, of
 * which 0 is standard input. Returns 0, or -1 with errno. */
int os_path_info(const char *path, struct os_info *info);
int os_file_info(int fd, struct os_info *info);

/* The separator between directory PATH and a name in it; empty if PATH ends with one. */
const char *os_path_separator(const char *path);

/* Removes the file PATH. */
int os_path_remove(const char *path);

/* Truncates an open file to SIZE bytes: 0, or -1 with errno. */
int os_file_truncate(int fd, int64_t size);

/* Returns a descriptor of the same file for one worker, where workers that share one
 * would wait for each other; elsewhere FD itself. */
int os_file_reopen(int fd);

/* Returns true if an open character device is a disk: some systems have no others. */
bool os_device_is_disk(int fd);

/* Puts the name of the raw device of the disk whose block device is PATH into RAW of SIZE
 * bytes, where block devices are read through a cache. Returns false without one. */
bool os_path_raw(const char *path, char *raw, size_t size);

/* Size and logical block size of an open block device, or of such a disk. */
int os_device_size(int fd, int64_t *size, int64_t *block);

/* Returns true if an open block device refuses writes. */
bool os_device_read_only(int fd);

/* Returns true if an open block device has been removed. False: not known. */
bool os_device_is_gone(int fd);

/* Returns whether the device of a file can be polled for completions; -1: not known. */
int os_file_polls(int fd);

/* Turns direct I/O of a descriptor on or off. Pages in the page cache are dropped first
 * where reads would still come from them. ENOTSUP: no direct I/O here. */
int os_file_direct(int fd, bool on);

/* Stores the alignment that direct I/O demands of addresses (MEMORY) and of offsets and
 * lengths (OFFSET); both 0 if this file cannot do it. ENOTSUP: not known. */
int os_file_alignment(int fd, int64_t *memory, int64_t *offset);

/* One read or write at OFFSET: bytes, 0 at the end; EINTR: a signal came, and io_perform
 * makes it again. FLAGS: OR-ed enum os_rw; with one that is not available SIZE 0 fails as
 * well. These and os_file_flush are timed: each is the system call alone, but a flush is
 * made again here, and may be two where one does not reach the cache of the drive. */
enum os_rw { OS_RW_HIPRI = 1, OS_RW_NOWAIT = 2 };
int64_t os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags);
int64_t os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags);

/* Makes written data durable, without time stamps: fdatasync. */
int os_file_flush(int fd);

#endif
