#include "os/cache.h"
#include "os/os.h"
#include "os/thread.h"

#include "linux_statx.h"
#include "posix_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* Fixed by the kernel's ABI, but newer than the headers of some systems. */
#ifndef STATX_DIOALIGN
#define STATX_DIOALIGN 0x2000U
#endif
#define STATX_DIOALIGN_AT 0x98 /* stx_dio_mem_align, stx_dio_offset_align */

void
os_clock_sharpen(void)
{
    prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
}

int
posix_signals_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) < 0 ? -1 : (int)(usage.ru_nvcsw & INT_MAX);
}

/* Whether somebody may be waiting for the last writer of descriptor FD to close it. */
static bool
has_reader(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 &&
           (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
}

/*
 * unshare(2): while a table has one user, the kernel takes no reference to a file
 * for the time of a system call. Else each such call of one worker waits for those of
 * the others, who count in the same place: see `memory threads 2` of make bench.
 *
 * The C library's close is not told that these are not the descriptors of other threads,
 * who may write to theirs meanwhile.
 */
void
os_thread_unshare(void)
{
    bool awaited = has_reader(STDERR_FILENO);
    if (unshare(CLONE_FILES) < 0)
        return;
    syscall(SYS_close, (long)STDIN_FILENO);
    syscall(SYS_close, (long)STDOUT_FILENO);
    if (awaited)
        syscall(SYS_close, (long)STDERR_FILENO);
}

int
os_file_direct(int fd, bool on)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
}

int
os_file_alignment(int fd, int64_t *memory, int64_t *offset)
{
    uint32_t values[2]; /* of memory, of offsets */
    if (linux_statx(fd, STATX_DIOALIGN, STATX_DIOALIGN_AT, values, sizeof(values)) < 0) {
        errno = ENOTSUP;
        return -1;
    }
    *memory = values[0];
    *offset = values[1];
    return 0;
}

static int
rw_flags(int flags)
{
    return (flags & OS_RW_HIPRI ? RWF_HIPRI : 0) |
           (flags & OS_RW_NOWAIT ? RWF_NOWAIT : 0);
}

/*
 * The C library's pread and pwrite are cancellation points, which cost a
 * program with threads up to 40 ns more. Where an offset is one argument of a
 * system call it is made directly.
 */
#define DIRECTLY (sizeof(long) == sizeof(int64_t))

#define APART __attribute__((noinline)) /* its stack is nobody else's */

/* preadv2 or pwritev2: by number, as old C libraries have neither. The kernel takes the
 * upper half of an offset for itself where a long holds but half of it. */
static long
move_vector(long call, int fd, const struct iovec *vector, int64_t offset, int flags)
{
    return syscall(call, (long)fd, vector, 1L, (long)offset, (long)(offset >> 32),
                   (long)flags);
}

static APART int64_t
read_by(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    struct iovec vector = {.iov_base = buffer, .iov_len = size};
    return move_vector(SYS_preadv2, fd, &vector, offset, rw_flags(flags));
}

static APART int64_t
write_by(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    struct iovec vector = {.iov_base = (void *)buffer, .iov_len = size};
    return move_vector(SYS_pwritev2, fd, &vector, offset, rw_flags(flags));
}

static int64_t
read_once(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    if (flags)
        return read_by(fd, buffer, size, offset, flags);
    return DIRECTLY ? syscall(SYS_pread64, fd, buffer, size, offset)
                    : pread(fd, buffer, size, offset);
}

static int64_t
write_once(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    if (flags)
        return write_by(fd, buffer, size, offset, flags);
    return DIRECTLY ? syscall(SYS_pwrite64, fd, buffer, size, offset)
                    : pwrite(fd, buffer, size, offset);
}

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    int64_t result;
    do
        result = read_once(fd, buffer, size, offset, flags);
    while (result < 0 && errno == EINTR);
    return result;
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    int64_t result;
    do
        result = write_once(fd, buffer, size, offset, flags);
    while (result < 0 && errno == EINTR);
    return result;
}

/* Of no bytes: if it fails, the call is not known or not allowed. */
int
os_file_flags_try(int fd, int flags, bool write)
{
    struct iovec nothing = {0};
    if (!flags)
        return 0;
    long call = write ? SYS_pwritev2 : SYS_preadv2;
    return move_vector(call, fd, &nothing, 0, rw_flags(flags)) < 0 ? -1 : 0;
}

/* The kernel's MAX_PAGECACHE_ORDER: a huge page, but at most 2048 pages. */
int64_t
os_file_folio_most(void)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    return page * (page == 4096 ? 512 : 2048);
}

/* Others keep data where sync_file_range(2) does not look, or not at once. */
static bool
is_all_in_page_cache(int fd)
{
    struct statfs status;
    return fstatfs(fd, &status) == 0 && (status.f_type == EXT4_SUPER_MAGIC ||
                                         (uint32_t)status.f_type == XFS_SUPER_MAGIC);
}

int
os_file_write_back(int fd)
{
    unsigned all =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    if (!is_all_in_page_cache(fd))
        return os_file_flush(fd);
    int status = sync_file_range(fd, 0, 0, all);
    return status < 0 && (errno == ENOSYS || errno == EPERM) ? os_file_flush(fd) : status;
}

#define EXTENTS 64

/* By FS_IOC_FIEMAP (the kernel's filesystems/fiemap.rst), some extents at a time. */
int
os_file_storage(int fd, int64_t offset, int64_t length)
{
    union {
        struct fiemap map;
        char room[sizeof(struct fiemap) + EXTENTS * sizeof(struct fiemap_extent)];
    } ask;
    uint64_t at = (uint64_t)offset, end = (uint64_t)(offset + length);
    int storage = 0;
    while (at < end) {
        memset(&ask, 0, sizeof(ask));
        ask.map.fm_start = at;
        ask.map.fm_length = end - at;
        ask.map.fm_extent_count = EXTENTS;
        if (syscall(SYS_ioctl, (long)fd, FS_IOC_FIEMAP, &ask.map) < 0)
            return -1;
        const struct fiemap_extent *extent = ask.map.fm_extents;
        for (uint32_t left = ask.map.fm_mapped_extents; left > 0; left--, extent++) {
            if (extent->fe_flags & FIEMAP_EXTENT_DATA_INLINE)
                storage |= OS_STORAGE_INLINE;
            if (extent->fe_flags & FIEMAP_EXTENT_ENCODED)
                storage |= OS_STORAGE_ENCODED;
            at = extent->fe_logical + extent->fe_length;
        }
        if (ask.map.fm_mapped_extents < EXTENTS)
            break;
    }
    return storage;
}
