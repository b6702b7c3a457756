/*
 * Disks, mounts, flushes and direct I/O of the BSDs and of macOS. On these systems a disk
 * has a raw (character) device, statfs(2) or statvfs(2) tells the names of a file
 * system's type and of its device, and msync(2) drops pages from the page cache. The
 * disks of macOS are in darwin.c.
 */
#include "has.h"
#include "os/os.h"
#include "os/storage.h"
#include "posix.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef OS_SYSTEM_netbsd
#include <sys/statvfs.h>
#else
#include <sys/mount.h>
#endif
#if defined(OS_SYSTEM_freebsd) || defined(OS_SYSTEM_netbsd)
#include <sys/disk.h>
#endif
#if defined(OS_SYSTEM_netbsd) || defined(OS_SYSTEM_openbsd)
#include <sys/disklabel.h>
#include <sys/dkio.h>
#endif

/* A disk for direct requests is a character device. Some of these systems have block
 * devices too, but requests to those go through a cache. */
bool
os_device_is_disk(int fd)
{
    struct stat status;
    int64_t size, block;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
           os_device_size(fd, &size, &block) == 0;
}

/* The raw device of a disk has an "r" in front of its name: /dev/rdisk2 for
 * /dev/disk2. */
bool
os_path_raw(const char *path, char *raw, size_t size)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int length = snprintf(raw, size, "%.*sr%s", folder, path, path + folder);
    return length < (int)size && stat(raw, &status) == 0 && S_ISCHR(status.st_mode);
}

/* FS_STATUS describes a file system, and GET_FS_STATUS fills it. FS_UNIT is the
 * field of FS_STATUS that has the size, in bytes, of the blocks in which it counts. */
#ifdef OS_SYSTEM_netbsd
#define FS_STATUS struct statvfs
#define GET_FS_STATUS fstatvfs
#define FS_UNIT f_frsize
#else
#define FS_STATUS struct statfs
#define GET_FS_STATUS fstatfs
#define FS_UNIT f_bsize
#endif

int
os_mount_measure(int fd, struct os_mount *mount)
{
    FS_STATUS status;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (GET_FS_STATUS(fd, &status) < 0)
        return -1;
    mount->block_size = (int64_t)status.f_bsize;
    mount->size = (int64_t)(status.f_blocks * status.FS_UNIT);
    mount->available = (int64_t)status.f_bavail * (int64_t)status.FS_UNIT;
    snprintf(mount->fstype, sizeof(mount->fstype), "%s", status.f_fstypename);
    snprintf(mount->device, sizeof(mount->device), "%s", status.f_mntfromname);
    mount->is_in_memory =
        strcmp(mount->fstype, "tmpfs") == 0 || strcmp(mount->fstype, "mfs") == 0;

    return 0;
}

/* Direct I/O: only for systems on which a file can bypass the page cache. */
#ifdef OS_HAS_FILE_DROP

/* Turns direct I/O of a file on or off. With F_NOCACHE of macOS, pages that are read do
 * not stay in the page cache. Returns 0, or -1 with errno. */
static int
switch_direct(int fd, bool on)
{
#ifdef F_NOCACHE /* macOS has this flag instead of O_DIRECT */
    if (on && fcntl(fd, F_RDAHEAD, 0) < 0)
        return -1;
    return fcntl(fd, F_NOCACHE, (int)on) < 0 ? -1 : 0;
#else
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
#endif
}

/* Requests to raw devices are always direct. Requests to block devices always go through
 * a cache. Direct reads of a file would still be served from pages in the page cache, so
 * these pages are dropped first. */
int
os_file_direct(int fd, bool on)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    if (S_ISCHR(status.st_mode) && os_device_is_disk(fd))
        return 0;
    if (!S_ISREG(status.st_mode))
        return os_fail(ENOTSUP);

    if (on)
        os_file_drop(fd, 0, status.st_size);
    return switch_direct(fd, on);
}

/* The most bytes of a file that are mapped at once, because address space may be
 * scarce. */
#define MAX_MAPPING (1LL << 30)

/* Drops the pages of SIZE bytes at OFFSET from the page cache. Returns 0, or errno;
 * ENOTSUP: the file is a device or another file that cannot be mapped, so it has no
 * pages. */
static int
drop_range(int fd, int64_t offset, size_t size)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, offset);
    if (map == MAP_FAILED)
        return errno == ENOMEM || errno == EAGAIN ? errno : ENOTSUP;
    int code = msync(map, size, MS_INVALIDATE) < 0 ? errno : 0;
    munmap(map, size);
    return code;
}

/*
 * msync(2) with MS_INVALIDATE writes the dirty pages of the range and drops the clean
 * pages from the page cache. msync(2) leaves pages that are held as buffers. Where
 * posix_fadvise(2) exists, it also releases these pages, but it only makes other pages
 * the next candidates to be dropped. So both are called. Neither of the two calls reaches
 * the buffers of a device. Some systems map nothing behind the end of a file, so the
 * range is cut there.
 */
int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    int64_t end = offset + length;
    int64_t start = offset / page * page;
    struct stat status;
    int code = 0;

    if (fstat(fd, &status) < 0)
        code = errno;
    else if (!S_ISREG(status.st_mode))
        code = ENOTSUP;
#ifdef POSIX_FADV_DONTNEED /* not every system has posix_fadvise(2) */
    posix_fadvise(fd, offset, length, POSIX_FADV_DONTNEED);
#endif
    if (code)
        return os_fail(code);
    if (status.st_size < end)
        end = status.st_size;

    for (; start < end; start += MAX_MAPPING) {
        size_t size = (size_t)(end - start < MAX_MAPPING ? end - start : MAX_MAPPING);
        int range_code = drop_range(fd, start, size);
        if (range_code)
            code = range_code;
        if (range_code == ENOTSUP)
            break;
    }
    return code ? os_fail(code) : 0;
}

os_resident_function *
os_resident_choose(int fd, int64_t witness)
{
    return posix_mincore(fd, witness, 1) == 1 ? posix_mincore : NULL;
}

#endif

/* FreeBSD: DIOCGFLUSH flushes the cache of a disk. For a file the kernel refuses
 * DIOCGFLUSH, and fdatasync(2) is called instead. */
#ifdef DIOCGFLUSH
int
posix_file_flush(int fd)
{
    if (ioctl(fd, DIOCGFLUSH) == 0)
        return 0;
    bool is_refused = errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP;
    return is_refused ? fdatasync(fd) : -1;
}
#endif

/* NetBSD and OpenBSD: DIOCCACHESYNC flushes the cache of a disk. The kernel refuses it
 * for a file, and for users who may not write to the disk. These refusals
 * are ignored. */
#ifdef DIOCCACHESYNC
int
posix_file_flush(int fd)
{
    int force = 0;
    /* fsync_range refuses a descriptor that is open for reading only; fsync does not. */
#ifdef FDISKSYNC
    int status = fsync_range(fd, FDATASYNC | FDISKSYNC, 0, 0);
    if (status < 0 && (errno == EBADF || errno == EINVAL || errno == EOPNOTSUPP))
        status = fsync(fd);
#else
    int status = fdatasync(fd);
#endif
    if (status < 0 || ioctl(fd, DIOCCACHESYNC, &force) == 0)
        return status;
    return errno == EIO || errno == EINTR ? -1 : 0;
}

/* FD is a partition of a disk, or the whole disk. Reads the label of the disk into LABEL.
 * Returns the row of LABEL that describes FD, or NULL with errno. */
static const struct partition *
find_partition(int fd, struct disklabel *label)
{
    struct stat status;
    if (fstat(fd, &status) < 0 || ioctl(fd, DIOCGDINFO, label) < 0)
        return NULL;

    uint32_t number = (uint32_t)DISKPART(status.st_rdev);
    if (number < label->d_npartitions && number < MAXPARTITIONS)
        return &label->d_partitions[number];
    errno = ENXIO;

    return NULL;
}
#endif

#if defined(OS_SYSTEM_openbsd)
int
os_file_direct(int fd, bool on)
{
    return !on || os_device_is_disk(fd) ? 0 : os_fail(ENOTSUP);
}

/* FD may also be the whole disk: the label has a row for that, too. */
int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    struct disklabel label;
    const struct partition *partition = find_partition(fd, &label);
    if (!partition)
        return -1;
    *size = (int64_t)(DL_GETPSIZE(partition) * label.d_secsize);
    *block = label.d_secsize;
    return 0;
}
#elif !defined(OS_SYSTEM_darwin)
int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    off_t bytes;
    u_int sector;
    if (ioctl(fd, DIOCGMEDIASIZE, &bytes) < 0 || ioctl(fd, DIOCGSECTORSIZE, &sector) < 0)
        return -1;
#ifdef OS_SYSTEM_netbsd
    /* For a partition, DIOCGMEDIASIZE may report the size of the whole disk. The label
     * has the size of the partition, which is used if it is smaller. UINT32_MAX sectors
     * in the label mean that the partition is too large for the label. */
    struct disklabel label;
    const struct partition *partition = find_partition(fd, &label);
    if (partition && partition->p_size < UINT32_MAX) {
        off_t partition_size = (off_t)partition->p_size * label.d_secsize;
        if (partition_size > 0 && partition_size < bytes)
            bytes = partition_size;
    }
#endif
    *size = bytes;
    *block = sector;
    return 0;
}
#endif
