#ifndef OS_STORAGE_H
#define OS_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an open file is stored: its pages in the page cache, its extents, the device or
 * memory at the bottom, and its file system. Units, threads and errors are as in os/os.h:
 * a function that returns an int returns -1 with errno if it fails. */

/*
 * Writes dirty pages of the page cache to the device and waits for the writes.
 * - LENGTH above 0: only the pages of this range. Other I/O does not wait, and the
 *   device's own cache is not flushed. ENOTSUP: the pages of a range cannot be written
 *   alone.
 * - OFFSET and LENGTH 0: all dirty data of the file. The device is flushed too, unless
 *   the file system has a way to write the pages without a flush.
 *
 * Returns 0, or -1 with the errno of os_file_flush.
 */
int os_file_write_back(int fd, int64_t offset, int64_t length);

/* Returns the size of the largest folio, the largest unit of a file in the page cache. It
 * is a power of two. */
int64_t os_file_folio_max(void);

/* Drops the clean pages of a range from the page cache; dirty or mapped pages stay.
 * ENOTSUP: the system offers no way. */
int os_file_drop(int fd, int64_t offset, int64_t length);

/* Announces random access to a range, so that the system does not read ahead. */
int os_file_random(int fd, int64_t offset, int64_t length);

/* Returns 1 if any page of a range is in the page cache, 0 if none is, -1 if unknown. */
typedef int os_resident_function(int fd, int64_t offset, int64_t length);

/* Chooses a way to look up pages in the page cache that gives true answers for this file.
 * The caller has just read the page at WITNESS through the cache, so the chosen way must
 * find that page. Returns NULL if no way does. */
os_resident_function *os_resident_choose(int fd, int64_t witness);

/* Returns true if every direct read of the file goes to a server, whatever its size and
 * whatever is in the page cache; false if not or unknown. */
bool os_file_served(int fd);

/* Returns the number of sectors (512 bytes) that the calling thread has read from block
 * devices so far, -1 if unknown. */
int64_t os_thread_sectors(void);

/* Returns the number of sectors (512 bytes) that all threads of the process together have
 * read from block devices so far, -1 if unknown. */
int64_t os_process_sectors(void);

/* Returns true if every read of file FD that reaches a device adds to os_process_sectors.
 * A read that adds nothing then came from memory: from the page cache or another cache.
 * False: no or unknown. May send queries to the file system. */
bool os_file_charges_reads(int fd);

/* Returns true if reads by kernel threads for a queue of requests also add to
 * os_process_sectors. The workers of io_uring count as threads of the process since Linux
 * 5.12. */
bool os_process_charges_workers(void);

/*
 * Tests whether a read that reaches the device adds to os_thread_sectors. WITNESS is the
 * offset of a page that is not in the page cache; the test reads it into the page cache.
 * Also true for a file system that passes reads on to another one, whose reads are
 * charged.
 */
bool os_thread_counts_reads(int fd, int64_t witness);

/* Returns 1 if the page at OFFSET is in the page cache, 0 if not, -1 if unknown. For
 * users who may not look pages up. The query may start to read the page, so it only suits
 * trials. Direct I/O of the descriptor is as before afterwards. */
int os_file_resident_try(int fd, int64_t offset);

/* Finds the first range with data that ends after OFFSET, and stores its START and END.
 * More data may follow END directly. ENXIO: there is no data at or after OFFSET. */
int os_file_data(int fd, int64_t offset, int64_t *start, int64_t *end);

/* How the system stores parts of a file that are not plain extents. */
enum os_storage {
    OS_STORAGE_INLINE = 1,  /* among the metadata, as small files can be */
    OS_STORAGE_ENCODED = 2, /* compressed or encrypted */
};

/* Returns how a range of a file is stored: OR-ed enum os_storage of the first extent that
 * is not stored plainly, 0 if all extents are plain, -1 if unknown. */
int os_file_storage(int fd, int64_t offset, int64_t length);

enum os_backing {
    OS_BACKING_DEVICE,   /* a device, or unknown */
    OS_BACKING_MEMORY,   /* memory, such as a RAM disk */
    OS_BACKING_CACHE,    /* the page cache of a loop device's file */
    OS_BACKING_BUFFERED, /* the same, although the loop device has direct I/O on */
    OS_BACKING_PARTLY,   /* a page cache for a part of the file, a device for the rest */
};

/* Follows the chain of devices below an open file or block device down to the last one,
 * and returns its kind. NAME, of SIZE bytes, receives the name of the memory or of the
 * loop device. */
enum os_backing os_file_backing(int fd, char *name, size_t size);

/* Returns true if flushes of an open file or block device do not reach the device. WHY,
 * of SIZE bytes, then receives the reason, such as "mount option nobarrier". False: they
 * do, or unknown. */
bool os_flush_ignored(int fd, char *why, size_t size);

struct os_mount {
    char fstype[64];   /* "unknown" if not found */
    char device[1024]; /* "unknown" if not found */
    int64_t size;      /* of the file system, in bytes */
    int64_t block;     /* block size of the file system, in bytes */
    int64_t available; /* bytes that a user may still write to it */
    bool memory;       /* it lives in memory, without a device */
    bool anonymous;    /* it has no device of its own: its "device" may be any path */
};

/* Fills MOUNT for the file system of descriptor FD. Its names stay "unknown" unless they
 * are free to get or the file system lives in memory; see os_mount_name. */
int os_mount_measure(int fd, struct os_mount *mount);

/*
 * Fills the names in MOUNT, which takes longer. Asks the kernel and not the file system,
 * which may hang. However, the "device" of an anonymous file system may be a path in
 * another file system, and that one is asked. Returns 0, also if no names were found, or
 * -1 if the list of mounts cannot be read.
 */
int os_mount_name(int fd, struct os_mount *mount);

/* Returns true if directory PATH is on a file system whose files the kernel generates,
 * such as /proc: nothing is stored there. False: no or unknown. */
bool os_path_is_made_up(const char *path);

/* Returns true if the open file FD is on another mount than directory PATH, such as a
 * file that is mounted over a name in PATH. False: no or unknown. */
bool os_mount_differs(int fd, const char *path);

#endif
