/*
 * Functions for the systems that do not define their own, see has.h. They use plain
 * POSIX, or report that the feature is missing. Functions that are the same on all
 * systems are here too.
 */
#include "base/time.h"
#include "has.h"
#include "os/disk.h"
#include "os/os.h"
#include "os/process.h"
#include "os/screen.h"
#include "os/storage.h"
#include "os/thread.h"
#include "os/trace.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifndef OS_SYSTEM_windows
#include "posix.h"
#endif
#ifdef OS_SYSTEM_posix
#include <sys/statvfs.h>
#endif

/* The most bytes that processors pass to each other at once, two cache lines. Memory that
 * is aligned to this size shares no cache line with other data. */
#define CACHE_UNIT 128

void *
os_memory_unshared(size_t size)
{
    size = (size + CACHE_UNIT - 1) / CACHE_UNIT * CACHE_UNIT;
    void *memory = os_memory_aligned(CACHE_UNIT, size);
    return memory ? memset(memory, 0, size) : NULL;
}

void
os_layout_free(struct os_layout *layout)
{
    free(layout->extents);
    free(layout->loop_extents);
    layout->extents = layout->loop_extents = NULL;
    layout->extent_count = layout->loop_extent_count = 0;
}

/* Functions for clocks. */

#ifdef OS_SYSTEM_windows
#define localtime_r(seconds, local) localtime_s(local, seconds)
#define gmtime_r(seconds, utc) gmtime_s(utc, seconds)
#endif

void
os_clock_local(int64_t wall, struct tm *local)
{
    time_t seconds = (time_t)(wall / SECOND);
    memset(local, 0, sizeof(*local));
    localtime_r(&seconds, local);
}

void
os_clock_utc(int64_t wall, struct tm *utc)
{
    time_t seconds = (time_t)(wall / SECOND);
    memset(utc, 0, sizeof(*utc));
    gmtime_r(&seconds, utc);
}

/* The timers of a thread cannot be made more exact on these systems. */
#ifndef OS_HAS_CLOCK_SHARPEN
OS_ANSWER(void, os_clock_sharpen, (void), )
#endif

/* Functions for requests to files and for properties of files. */

/* These systems have no flags for a request, and tell little about a file. */
#ifndef OS_HAS_FILE_REQUESTS
int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    return flags ? os_fail(ENOTSUP) : pread(fd, buffer, size, offset);
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    return flags ? os_fail(ENOTSUP) : pwrite(fd, buffer, size, offset);
}

OS_ANSWER(int, os_file_alignment, (int fd, int64_t *memory, int64_t *offset),
          os_fail(ENOTSUP))

/* The page cache of these systems consists of single pages, so the largest folio is one
 * page. */
OS_ANSWER(int64_t, os_file_folio_max, (void), sysconf(_SC_PAGESIZE))

OS_ANSWER(int, os_file_storage, (int fd, int64_t offset, int64_t length), -1)

/* Nothing to do here: os_mount_measure has already stored the names, or the system does
 * not tell them. */
OS_ANSWER(int, os_mount_name, (int fd, struct os_mount *mount), 0)

/* These systems do not number mounts, so the numbers of the file systems are compared.
 * Two mounts of the same file system count as one mount. */
bool
os_mount_differs(int fd, const char *path)
{
    struct stat file;
    struct stat directory;
    return fstat(fd, &file) == 0 && stat(path, &directory) == 0 &&
           file.st_dev != directory.st_dev;
}
#endif

#ifndef OS_SYSTEM_windows
#ifndef OS_HAS_FILE_FLUSH
#define posix_file_flush fdatasync
#endif

int
os_file_flush(int fd)
{
    int status;
    do
        status = posix_file_flush(fd);
    while (status < 0 && errno == EINTR);
    return status;
}
#endif

/* This system has no posix_fadvise(2), so functions that need it fail. */
#ifndef POSIX_FADV_DONTNEED
#define POSIX_FADV_DONTNEED 0
#define POSIX_FADV_RANDOM 0
#define posix_fadvise(fd, offset, length, advice) \
    ((void)(fd), (void)(offset), (void)(length), ENOTSUP)
#endif

#ifndef OS_HAS_FILE_DROP
int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    int code = posix_fadvise(fd, offset, length, POSIX_FADV_DONTNEED);
    return code ? os_fail(code) : 0;
}
#endif

#ifndef OS_HAS_FILE_RANDOM
int
os_file_random(int fd, int64_t offset, int64_t length)
{
    int code = posix_fadvise(fd, offset, length, POSIX_FADV_RANDOM);
    return code ? os_fail(code) : 0;
}
#endif

/* These systems do not tell which pages are in the page cache. */
#ifndef OS_HAS_RESIDENT
OS_ANSWER(os_resident_function *, os_resident_choose, (int fd, int64_t witness), NULL)
#endif

#ifndef OS_SYSTEM_windows
#ifndef SEEK_HOLE /* this system's lseek(2) cannot find holes, so os_file_data fails */
#define SEEK_HOLE (-1)
#define SEEK_DATA (-1)
#endif

int
os_file_data(int fd, int64_t offset, int64_t *start, int64_t *end)
{
    if (SEEK_HOLE < 0)
        return os_fail(ENOTSUP);
    *start = lseek(fd, offset, SEEK_DATA);
    *end = *start < 0 ? -1 : lseek(fd, *start, SEEK_HOLE);
    return *end < 0 ? -1 : 0;
}
#endif

/* Functions for devices and file systems. */

/* These systems do not tell whether a device refuses writes. A device that refuses writes
 * cannot be opened for writing. */
#ifndef OS_HAS_DEVICE_READ_ONLY
OS_ANSWER(bool, os_device_is_read_only, (int fd), false)
#endif

/* All disks are block devices on these systems. */
#ifndef OS_HAS_DEVICE_IS_DISK
OS_ANSWER(bool, os_device_is_disk, (int fd), false)
#endif

/* A disk has no second, raw device on these systems. */
#ifndef OS_HAS_PATH_RAW
OS_ANSWER(bool, os_path_raw, (const char *path, char *raw, size_t size), false)
#endif

#ifdef OS_SYSTEM_posix
OS_ANSWER(int, os_file_direct, (int fd, bool on), on ? os_fail(ENOTSUP) : 0)

/* lseek(2) finds the size of a disk on many systems. The block size is unknown. It is
 * assumed to be 512 bytes, because no disk has smaller blocks. */
int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;

    int64_t end = S_ISBLK(status.st_mode) ? lseek(fd, 0, SEEK_END) : 0;
    if (end <= 0)
        return end ? -1 : os_fail(ENOTSUP);
    *size = end;
    *block = 512;

    return 0;
}

/* POSIX defines no way to find the names of a file system and of its device, so `fstype`
 * and `device` stay "unknown". */
int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct statvfs status;

    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (fstatvfs(fd, &status) < 0)
        return -1;
    mount->block_size = (int64_t)status.f_bsize;
    mount->size = (int64_t)((uint64_t)status.f_blocks * status.f_frsize);
    mount->available = (int64_t)((uint64_t)status.f_bavail * status.f_frsize);

    return 0;
}
#endif

/* Functions for features that only Unix systems have. */

#ifdef OS_SYSTEM_windows
/* os_screen_open always fails on this system, so there is no screen. */
OS_ANSWER(int, os_screen_open, (void), os_fail(ENOTSUP))
OS_ANSWER(bool, os_screen_is_foreground, (void), false)
OS_ANSWER(bool, os_screen_is_shown, (void), false)
OS_ANSWER(void, os_screen_show, (void), )
OS_ANSWER(void, os_screen_hide, (void), )
OS_ANSWER(void, os_screen_size, (int *columns, int *rows), )
OS_ANSWER(size_t, os_screen_write, (const char *bytes, size_t size), 0)
OS_ANSWER(size_t, os_screen_read, (char *bytes, size_t size), 0)
OS_ANSWER(void, os_screen_interrupt, (void), )
#endif

/* Functions for features that only Linux has. */

#ifndef OS_SYSTEM_linux
#ifdef OS_SYSTEM_windows
#define fsync os_file_flush
#endif

/* fsync(2) writes the dirty data of the whole file, so a call for only a range is
 * refused. posix_file_flush is not used here, because on a BSD it would also flush the
 * cache of the device. */
int
os_file_write_back(int fd, int64_t offset, int64_t length)
{
    int status;

    (void)offset;
    if (length)
        return os_fail(ENOTSUP);
    do
        status = fsync(fd);
    while (status < 0 && errno == EINTR);

    return status;
}

OS_ANSWER(int, os_processors_awake, (void), os_fail(ENOTSUP))

/* All threads of a process share one descriptor table on these systems, so no thread can
 * get one of its own. */
OS_ANSWER(bool, os_thread_unshare, (void), false)

/* These systems make an allocation fail if memory is short, so no limit needs to be known
 * beforehand. */
OS_ANSWER(int64_t, os_memory_available, (void), INT64_MAX)

OS_ANSWER(int, os_file_supports_polling, (int fd), -1)
OS_ANSWER(bool, os_device_is_gone, (int fd), false)
OS_ANSWER(enum os_backing, os_file_backing, (int fd, char *name, size_t size),
          OS_BACKING_DEVICE)

OS_ANSWER(int, os_loop_file_open, (int fd, int64_t *start), os_fail(ENOTSUP))

OS_ANSWER(bool, os_flush_is_ignored, (int fd, char *why, size_t size), false)

/* These systems have no read that fails if the page is not in the page cache. */
OS_ANSWER(int, os_file_resident_try, (int fd, int64_t offset), -1)

OS_ANSWER(bool, os_file_is_served, (int fd), false)

/* These systems do not tell how many sectors a thread or the process has read from
 * devices. */
OS_ANSWER(int64_t, os_thread_sectors, (void), -1)
OS_ANSWER(int64_t, os_process_sectors, (void), -1)
OS_ANSWER(bool, os_file_charges_reads, (int fd), false)
OS_ANSWER(bool, os_process_charges_workers, (void), false)
OS_ANSWER(bool, os_thread_counts_reads, (int fd, int64_t witness), false)

OS_ANSWER(bool, os_path_is_generated, (const char *path), false)

int
os_disk_find(int fd, struct os_disk *disk)
{
    (void)fd;
    *disk = (struct os_disk){
        .is_rotational = -1, .is_removable = -1, .queue_size = -1, .disk_count = 1};
    return -1;
}

OS_ANSWER(int, os_disk_activity,
          (const struct os_disk *disk, struct os_disk_activity *activity), -1)

/* os_layout_find always fails on these systems, so the functions of a trace are never
 * called. */
OS_ANSWER(int, os_layout_find,
          (int fd, const char *path, int64_t offset, int64_t length,
           struct os_layout *layout, struct error *error),
          error_set(error, EXIT_PREPARE, path,
                    "this system cannot trace where the time of a request goes"))
OS_ANSWER(struct os_trace *, os_trace_open,
          (const struct os_layout *const *layouts, int count, struct error *error), NULL)
OS_ANSWER(int, os_trace_read,
          (struct os_trace * trace, struct os_trace_record *records, int room), 0)
OS_ANSWER(int, os_trace_mark, (struct os_trace * trace, uint64_t mark), -1)
OS_ANSWER(uint64_t, os_trace_lost, (const struct os_trace *trace), 0)
OS_ANSWER(void, os_trace_close, (struct os_trace * trace), )
OS_ANSWER(int, os_thread_number, (void), 0)
#endif
