#ifndef OS_STORAGE_H
#define OS_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How an open file is stored: its pages in the page cache, its extents, the device or
 * memory that it is on in the end, and its file system. Failures, units and threads are
 * those of os/os.h.
 */

/*
 * Writes dirty pages of the page cache to the device, and waits: with LENGTH above 0
 * those of a range, which makes no others wait and leaves the device's own cache alone
 * (ENOTSUP: they cannot be parted here); with OFFSET and LENGTH 0 all dirty data, and the
 * device is flushed unless the file system allows otherwise. Errors as os_file_flush.
 */
int os_file_write_back(int fd, int64_t offset, int64_t length);

/* The largest folio, a power of two: the page cache holds no more of a file in one. */
int64_t os_file_folio_max(void);

/* Drops clean pages of a range from the page cache; dirty or mapped ones stay. ENOTSUP:
 * the system has no way. */
int os_file_drop(int fd, int64_t offset, int64_t length);

/* Announces random access to a range, so that nothing is read ahead. */
int os_file_random(int fd, int64_t offset, int64_t length);

/* Returns 1 if any page of a range is in the page cache, else 0; -1: not known. */
typedef int os_resident_function(int fd, int64_t offset, int64_t length);

/* Chooses a way to ask whose answer is true of this file: the page at WITNESS, which was
 * read through the cache a moment ago, must show. NULL if there is none. */
os_resident_function *os_resident_choose(int fd, int64_t witness);

/* Returns true if every direct read of the file goes to a server, of whatever size and
 * whatever is in the page cache. False: not known. */
bool os_file_served(int fd);

/* Return the sectors of 512 bytes that the calling thread, or all threads of the process
 * together, have read from block devices so far; -1: not known. */
int64_t os_thread_sectors(void);
int64_t os_process_sectors(void);

/* Returns true if each read of the file FD is charged to the process where it reaches a
 * device: a read that adds nothing to os_process_sectors came from memory, from the page
 * cache or another one. False: not known. It may ask the file system. */
bool os_file_charges_reads(int fd);

/* Returns true if what threads of the kernel read for a queue of requests is charged to
 * the process as well: workers of io_uring are threads of it since Linux 5.12. */
bool os_process_charges_workers(void);

/* Returns true if a read of the page at WITNESS, which is not in the page cache, adds to
 * os_thread_sectors: reads of a file system that passes them on are charged as well. It
 * leaves that page in the page cache. */
bool os_thread_counts_reads(int fd, int64_t witness);

/* For users who may not look pages up: 1 if the page at OFFSET is in the page cache, else
 * 0; -1: not known. It may start to read the page, so it is for trials; direct I/O is as
 * before. */
int os_file_resident_try(int fd, int64_t offset);

/* Finds the first range with data at or after OFFSET, from START to END, which may be
 * followed by more data. ENXIO: there is none. */
int os_file_data(int fd, int64_t offset, int64_t *start, int64_t *end);

/* Returns how a range of a file is stored, by the first of its extents that is not stored
 * plainly: OR-ed enum os_storage, 0 if all are; -1: not known. */
enum os_storage {
    OS_STORAGE_INLINE = 1,  /* among the metadata, as small files can be */
    OS_STORAGE_ENCODED = 2, /* compressed or encrypted */
};
int os_file_storage(int fd, int64_t offset, int64_t length);

/* The last in the chain of devices below an open block device, or below a file. NAME of
 * SIZE bytes becomes the name of the memory or the loop device. */
enum os_backing {
    OS_BACKING_DEVICE,   /* a device; or not known */
    OS_BACKING_MEMORY,   /* memory, as that of a RAM disk */
    OS_BACKING_CACHE,    /* the page cache of a loop device's file; writes reach that */
    OS_BACKING_BUFFERED, /* likewise, although the loop device has direct I/O on */
    OS_BACKING_PARTLY,   /* likewise for some of the file, and a device for the rest */
};
enum os_backing os_file_backing(int fd, char *name, size_t size);

/*
 * Returns true if the flushes of an open file or block device are left out on their way
 * to the device. WHY, of SIZE bytes, becomes the reason, such as "mount option
 * nobarrier". False: they are not, or it is not known.
 */
bool os_flush_ignored(int fd, char *why, size_t size);

struct os_mount {
    char fstype[64];   /* "unknown" if it cannot be found */
    char device[1024]; /* likewise */
    int64_t size;      /* bytes of the file system */
    int64_t block;     /* its block size */
    int64_t available; /* bytes that a user may still write to it */
    bool memory;       /* it lives in memory, no device behind it */
    bool anonymous;    /* no device of its own: what is named as one can be any path */
};

/* Measures the file system that a descriptor is on; its names are unknown but for one
 * that lives in memory, and where they cost nothing. */
int os_mount_measure(int fd, struct os_mount *mount);

/*
 * Finds the names in MOUNT, which takes longer. It asks the kernel, not the file system,
 * which may hang; but the device of an anonymous one may be a path into another, which is
 * asked then. Returns 0, also where there are none; -1: the list of mounts is not read.
 */
int os_mount_name(int fd, struct os_mount *mount);

/* Returns true if directory PATH is on a file system whose files the kernel makes up,
 * such as /proc, so that nothing is stored there. False: it is not, or it is not known.
 */
bool os_path_is_made_up(const char *path);

/* Returns true if the open file FD is on another mount than directory PATH, as one that
 * is mounted over a name in it. False: not known. */
bool os_mount_differs(int fd, const char *path);

#endif
