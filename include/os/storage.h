#ifndef OS_STORAGE_H
#define OS_STORAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How an open file is stored: its pages in the page cache, its extents, the device or
 * memory at the bottom, and its file system. Offsets, lengths and sizes are in bytes. A
 * function that can fail returns -1 with errno; ENOTSUP means that this system or this
 * file cannot do it. Any thread may call these functions.
 */

/*
 * Writes dirty pages of the page cache to the device and waits until they are written.
 *
 * - If LENGTH is above 0: only the pages of this range. Other I/O does not wait, and the
 *   device's own write cache is not flushed. Fails with ENOTSUP if this system or file
 *   system cannot write the pages of a range alone.
 * - If OFFSET and LENGTH are 0: all dirty data of the file. If the file system can only
 *   write them by a flush, the device's write cache is flushed, too.
 *
 * Returns 0, or -1 with the errno of os_file_flush.
 */
int os_file_write_back(int fd, int64_t offset, int64_t length);

/* Returns the size of the largest folio that the page cache may use for a file, a power
 * of two. A folio is a group of pages that the page cache handles as one. */
int64_t os_file_folio_max(void);

/* Drops the pages of a range of file FD from the page cache, except pages that are dirty
 * or mapped. OFFSET and LENGTH are in bytes. Returns 0, or -1 with errno. */
int os_file_drop(int fd, int64_t offset, int64_t length);

/* Tells the system that a range of file FD will be accessed at random, so that the system
 * does not read ahead. OFFSET and LENGTH are in bytes. Returns 0, or -1 with errno. */
int os_file_random(int fd, int64_t offset, int64_t length);

/* Returns 1 if any page of a range is in the page cache, 0 if none is, -1 if unknown. */
typedef int os_resident_function(int fd, int64_t offset, int64_t length);

/* Chooses a function that can tell whether pages of this file are in the page cache. Some
 * functions give wrong answers for some files. So each function is tried with the page at
 * offset WITNESS, which the caller has just read through the page cache. Returns NULL if
 * no function finds this page. */
os_resident_function *os_resident_choose(int fd, int64_t witness);

/* Returns true if each direct read of the file is sent to a server, as with FUSE, even if
 * the data is in the page cache, and whatever the size and the alignment of the read.
 * Returns false if not or unknown. */
bool os_file_is_served(int fd);

/* Returns the number of sectors (512 bytes) that the calling thread has read from block
 * devices so far, -1 if unknown. */
int64_t os_thread_sectors(void);

/* Returns the number of sectors (512 bytes) that all threads of the process together have
 * read from block devices so far, -1 if unknown. */
int64_t os_process_sectors(void);

/* Returns true if each read of file FD that reaches a device adds to os_process_sectors.
 * So a read that adds nothing came from memory: from the page cache or another cache.
 * Returns false if some of these reads add nothing, or if it is unknown. May send queries
 * to the file system. */
bool os_file_charges_reads(int fd);

/* Returns true if os_process_sectors includes the reads that a kernel thread does for
 * this process. Such kernel threads are the workers of io_uring, which count as threads
 * of the process since Linux 5.12. */
bool os_process_charges_workers(void);

/*
 * Returns true if a read that reaches the device adds to os_thread_sectors. To find out,
 * reads the page at offset WITNESS. This page must not be in the page cache before the
 * call, but is in it afterwards. If the file system passes the read on to another file
 * system, the read of the other file system must add to os_thread_sectors.
 */
bool os_thread_counts_reads(int fd, int64_t witness);

/* Returns 1 if the page at OFFSET is in the page cache, 0 if not, -1 if unknown. Also
 * works for users for whom os_resident_choose finds no function. However, the call may
 * itself start to read the page into the page cache, so a second call for the same page
 * tells nothing. FD may have direct I/O: it is turned off for the query, and on again
 * afterwards. */
int os_file_resident_try(int fd, int64_t offset);

/* Finds the first range with data, not a hole, that ends after OFFSET. Stores its START
 * and END. More data may follow directly after END. Returns 0, or -1 with errno; ENXIO
 * means that there is no data at or after OFFSET. */
int os_file_data(int fd, int64_t offset, int64_t *start, int64_t *end);

/* Opens the file behind a loop device. FD is this loop device, or a partition of it.
 * Stores in START at which byte of the file the device FD begins. Returns a descriptor,
 * which the caller closes. Returns -1 with errno if the file cannot be opened; ENOTSUP
 * means that FD is no loop device. May hang like a request to the file. */
int os_loop_file_open(int fd, int64_t *start);

/* How the system stores parts of a file that are not plain extents. */
enum os_storage {
    OS_STORAGE_INLINE = 1,  /* among the metadata, as small files can be */
    OS_STORAGE_ENCODED = 2, /* compressed or encrypted */
};

/* Returns how a range of a file is stored: 0 if all its extents are plain; otherwise
 * flags of enum os_storage for the first extent that is not plain. Returns -1 if unknown.
 */
int os_file_storage(int fd, int64_t offset, int64_t length);

/* Where the data of a file is, at the end of the chain of devices below it. */
enum os_backing {
    OS_BACKING_DEVICE, /* on a device, or unknown */
    OS_BACKING_MEMORY, /* in memory, such as a RAM disk */
    /* in the page cache, because a loop device that does not use direct I/O reads its
     * file through the page cache */
    OS_BACKING_CACHED,
    /* in the page cache, because the file system of a loop device's file reads it through
     * the page cache, although the loop device uses direct I/O */
    OS_BACKING_BUFFERED,
    /* a part is in the page cache as for OS_BACKING_BUFFERED, the rest is on a device */
    OS_BACKING_PARTLY,
};

/* Follows the chain of devices below an open file or block device, and returns where the
 * data is. Unless that is OS_BACKING_DEVICE, stores the name of the memory or of the loop
 * device in NAME, of SIZE bytes. */
enum os_backing os_file_backing(int fd, char *name, size_t size);

/* Returns true if flushes of an open file or block device do not reach the device, and
 * stores the reason, such as "mount option nobarrier", in WHY, of SIZE bytes. Returns
 * false if flushes reach the device, or if it is unknown. */
bool os_flush_is_ignored(int fd, char *why, size_t size);

/* The file system that a file is on. */
struct os_mount {
    char fstype[64];    /* its type, such as "ext4"; "unknown" if not found */
    char device[1024];  /* its source, such as "/dev/sda1"; "unknown" if not found */
    int64_t size;       /* size of the file system, in bytes */
    int64_t block_size; /* block size of the file system, in bytes */
    int64_t available;  /* bytes that users without privileges may still write */
    bool is_in_memory;  /* the file system lives in memory, without a device */
    bool is_anonymous; /* the file system has no block device: `device` may be any text */
};

/* Fills MOUNT for the file system of descriptor FD. Its names, `fstype` and `device`, may
 * stay "unknown" if they take extra time to find; then os_mount_name fills them. The type
 * of a file system in memory is always filled. Returns 0, or -1 with errno. */
int os_mount_measure(int fd, struct os_mount *mount);

/*
 * Fills `fstype` and `device` in MOUNT, for the file system of descriptor FD. Sends no
 * query to this file system, because it may hang. However, the `device` of an anonymous
 * file system may be a path in another file system, which is then queried. Returns 0,
 * even if no names were found, or -1 if the list of mounts cannot be read.
 */
int os_mount_name(int fd, struct os_mount *mount);

/* Returns true if directory PATH is on a file system whose files the kernel generates,
 * such as /proc, and where nothing is stored. Returns false if not or unknown. */
bool os_path_is_generated(const char *path);

/* Returns true if the open file FD is on another mount than directory PATH. An example is
 * a file that is mounted over a name in PATH. Returns false if not or unknown. */
bool os_mount_differs(int fd, const char *path);

#endif
