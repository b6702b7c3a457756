/*
 * Functions for systems that have no way of their own, by has.h: they do it as POSIX has
 * it, or answer that it cannot be done. Each stands here once, like what every system
 * does alike.
 */
#include "base/time.h"
#include "has.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "os/thread.h"
#include "os/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#ifndef OS_HAS_MOUNT
#include <sys/statvfs.h>
#endif

/* Clocks, threads and memory. */

/* Processors hand over at most so many bytes at a time: two cache lines. */
#define CACHE_UNIT 128

void *
os_memory_unshared(size_t size)
{
    size = (size + CACHE_UNIT - 1) / CACHE_UNIT * CACHE_UNIT;
    void *memory = os_memory_aligned(CACHE_UNIT, size);
    return memory ? memset(memory, 0, size) : NULL;
}

#ifndef OS_HAS_CLOCK_NOW
int64_t
os_clock_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * SECOND + now.tv_nsec;
}
#endif

#ifndef OS_HAS_PROCESSORS_AWAKE
int
os_processors_awake(void)
{
    return os_fail(ENOTSUP);
}
#endif

#ifndef OS_HAS_CLOCK_SHARPEN /* timers are as exact as they are */
void
os_clock_sharpen(void)
{
}
#endif

#if defined(OS_HAS_CLOCK_NANOSLEEP)
int
os_sleep_until(int64_t when)
{
    struct timespec until = {.tv_sec = (time_t)(when / SECOND),
                             .tv_nsec = (long)(when % SECOND)};
    int code = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    return code ? os_fail(code) : 0;
}
#elif !defined(OS_HAS_SLEEP_UNTIL) /* sleeps are for a time, not until one */
int
os_sleep_until(int64_t when)
{
    for (int64_t left = when - os_clock_now(); left > 0; left = when - os_clock_now()) {
        int64_t some = time_earlier(left, TIME_WAIT_MOST);
        struct timespec pause = {.tv_sec = (time_t)(some / SECOND),
                                 .tv_nsec = (long)(some % SECOND)};
        if (nanosleep(&pause, NULL) < 0)
            return -1;
    }
    return 0;
}
#endif

#ifndef OS_HAS_THREAD_UNSHARE /* threads of a process have one table of descriptors */
bool
os_thread_unshare(void)
{
    return false;
}
#endif

#ifndef OS_HAS_MEMORY_AVAILABLE /* memory that the system does not have is refused */
int64_t
os_memory_available(void)
{
    return INT64_MAX;
}
#endif

/* Requests. */

#ifndef OS_HAS_FILE_REQUESTS /* they have no flags */
int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    int64_t result;
    (void)flags;
    do
        result = pread(fd, buffer, size, offset);
    while (result < 0 && errno == EINTR);
    return result;
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    int64_t result;
    (void)flags;
    do
        result = pwrite(fd, buffer, size, offset);
    while (result < 0 && errno == EINTR);
    return result;
}

int
os_file_flags_try(int fd, int flags, bool write)
{
    (void)fd, (void)write;
    return flags ? os_fail(ENOTSUP) : 0;
}

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
#endif

#ifndef OS_HAS_FILE_FLUSH
int
os_file_flush(int fd)
{
    int status;
    do
        status = fdatasync(fd);
    while (status < 0 && errno == EINTR);
    return status;
}
#endif

#ifndef OS_HAS_FILE_DIRECT
int
os_file_direct(int fd, bool on)
{
    (void)fd;
    return on ? os_fail(ENOTSUP) : 0;
}
#endif

#ifndef OS_HAS_FILE_ALIGNMENT
int
os_file_alignment(int fd, int64_t *memory, int64_t *offset)
{
    (void)fd, (void)memory, (void)offset;
    return os_fail(ENOTSUP);
}
#endif

#ifndef OS_HAS_FILE_POLLS
int
os_file_polls(int fd)
{
    (void)fd;
    return -1;
}
#endif

/* The page cache. */

#if !defined(OS_HAS_FILE_DROP) || !defined(OS_HAS_FILE_RANDOM)
#ifndef POSIX_FADV_DONTNEED /* a feature, not a system */
#define POSIX_FADV_DONTNEED 0
#define POSIX_FADV_RANDOM 0
#define posix_fadvise(fd, offset, length, advice) \
    ((void)(fd), (void)(offset), (void)(length), (void)(advice), ENOTSUP)
#endif

/* Returns 0, or -1 with errno. */
static int
advise(int fd, int64_t offset, int64_t length, int advice)
{
    int code = posix_fadvise(fd, offset, length, advice);
    return code ? os_fail(code) : 0;
}
#endif

#ifndef OS_HAS_FILE_DROP
int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    return advise(fd, offset, length, POSIX_FADV_DONTNEED);
}
#endif

#ifndef OS_HAS_FILE_RANDOM
int
os_file_random(int fd, int64_t offset, int64_t length)
{
    return advise(fd, offset, length, POSIX_FADV_RANDOM);
}
#endif

#ifndef OS_HAS_FILE_FOLIOS /* the page cache holds single pages */
int64_t
os_file_folio_max(void)
{
    return sysconf(_SC_PAGESIZE);
}
#endif

#ifndef OS_HAS_RESIDENT /* pages in the page cache do not show */
os_resident_function *
os_resident_choose(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return NULL;
}
#endif

#ifndef OS_HAS_READ_COUNTS /* nor do the sectors that a read had to fetch */
int
os_file_resident_try(int fd, int64_t offset)
{
    (void)fd, (void)offset;
    return -1;
}

bool
os_file_served(int fd)
{
    (void)fd;
    return false;
}

int64_t
os_thread_sectors(void)
{
    return -1;
}

bool
os_thread_counts_reads(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return false;
}
#endif

/* The storage of files. */

#ifndef OS_HAS_FILE_HOLES
int64_t
os_file_hole(int fd, int64_t offset)
{
#ifdef SEEK_HOLE /* a feature, not a system */
    return lseek(fd, offset, SEEK_HOLE);
#else
    (void)fd, (void)offset;
    return os_fail(ENOTSUP);
#endif
}

int64_t
os_file_data(int fd, int64_t offset)
{
#ifdef SEEK_DATA /* likewise */
    return lseek(fd, offset, SEEK_DATA);
#else
    (void)fd, (void)offset;
    return os_fail(ENOTSUP);
#endif
}
#endif

#ifndef OS_HAS_FILE_STORAGE
int
os_file_storage(int fd, int64_t offset, int64_t length)
{
    (void)fd, (void)offset, (void)length;
    return -1;
}
#endif

#ifndef OS_HAS_FILE_BACKING
enum os_backing
os_file_backing(int fd, char *name, size_t size)
{
    (void)fd, (void)name, (void)size;
    return OS_BACKING_DEVICE;
}
#endif

/* Devices and mounts. */

#ifndef OS_HAS_DEVICE_SIZE /* most tell where a disk ends; no block is smaller than 512 \
                            */
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
#endif

#ifndef OS_HAS_DEVICE_READ_ONLY /* a device refuses writes when it is opened */
bool
os_device_read_only(int fd)
{
    (void)fd;
    return false;
}
#endif

#ifndef OS_HAS_DEVICE_IS_GONE
bool
os_device_is_gone(int fd)
{
    (void)fd;
    return false;
}
#endif

#ifndef OS_HAS_DEVICE_IS_DISK /* disks are block devices */
bool
os_device_is_disk(int fd)
{
    (void)fd;
    return false;
}
#endif

#ifndef OS_HAS_PATH_RAW /* each disk has one device */
bool
os_path_raw(const char *path, char *raw, size_t size)
{
    (void)path, (void)raw, (void)size;
    return false;
}
#endif

#ifndef OS_HAS_MOUNT /* POSIX tells all of a file system but its names */
int
os_mount_measure(int fd, struct os_mount *mount)
{
    struct statvfs status;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (fstatvfs(fd, &status) < 0)
        return -1;
    mount->block = (int64_t)status.f_bsize;
    mount->size = (int64_t)((uint64_t)status.f_blocks * status.f_frsize);
    mount->available = (int64_t)((uint64_t)status.f_bavail * status.f_frsize);
    return 0;
}

int
os_mount_name(int fd, struct os_mount *mount)
{
    (void)fd, (void)mount;
    return 0;
}
#endif

#ifndef OS_HAS_MOUNT_DIFFERS /* mounts have no numbers, but file systems do */
bool
os_mount_differs(int fd, const char *path)
{
    struct stat file, directory;
    return fstat(fd, &file) == 0 && stat(path, &directory) == 0 &&
           file.st_dev != directory.st_dev;
}
#endif

/* Traces. */

#ifndef OS_HAS_TRACE
static const char no_trace[] =
    "this system does not tell where the time of a request goes";

int
os_layout_find(int fd, const char *path, int64_t offset, int64_t length,
               struct os_layout *layout, struct error *error)
{
    (void)fd, (void)offset, (void)length;
    *layout = (struct os_layout){.device_count = 0};
    return error_set(error, EXIT_PREPARE, path, "%s", no_trace);
}

void
os_layout_free(struct os_layout *layout)
{
    (void)layout;
}

struct os_trace *
os_trace_open(const struct os_layout *const *layouts, int count, struct error *error)
{
    (void)layouts, (void)count;
    error_set(error, EXIT_PREPARE, NULL, "%s", no_trace);
    return NULL;
}

int
os_trace_read(struct os_trace *trace, struct os_trace_record *records, int room)
{
    (void)trace, (void)records, (void)room;
    return 0;
}

int
os_trace_mark(struct os_trace *trace, uint64_t mark)
{
    (void)trace;
    (void)mark;
    return -1;
}

uint64_t
os_trace_lost(const struct os_trace *trace)
{
    (void)trace;
    return 0;
}

void
os_trace_close(struct os_trace *trace)
{
    (void)trace;
}

int
os_thread_number(void)
{
    return 0;
}
#endif
