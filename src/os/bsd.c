/*
 * Disks, mounts, flushes and direct I/O of the BSDs and of macOS. Disks are raw
 * (character) devices; statfs(2) or statvfs(2) also has the names of a file system;
 * msync(2) drops pages. The disks of macOS are in darwin.c.
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

/* A raw device is a character device. Some systems also have block devices, which are
 * buffered. */
bool
os_device_is_disk(int fd)
{
    struct stat status;
    int64_t size, block;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
           os_device_size(fd, &size, &block) == 0;
}

/* The name of the raw device has an "r" in front: /dev/disk2 has the raw device
 * /dev/rdisk2. */
bool
os_path_raw(const char *path, char *raw, size_t size)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int length = snprintf(raw, size, "%.*sr%s", folder, path, path + folder);
    return length < (int)size && stat(raw, &status) == 0 && S_ISCHR(status.st_mode);
}

/* In struct statvfs the unit of the numbers of blocks is f_frsize. */
#ifdef OS_SYSTEM_netbsd
#define STATUS struct statvfs
#define GET_STATUS fstatvfs
#define UNIT f_frsize
#else
#define STATUS struct statfs
#define GET_STATUS fstatfs
#define UNIT f_bsize
#endif

int
os_mount_measure(int fd, struct os_mount *mount)
{
    STATUS status;
    *mount = (struct os_mount){.fstype = "unknown", .device = "unknown"};
    if (GET_STATUS(fd, &status) < 0)
        return -1;
    mount->block = (int64_t)status.f_bsize;
    mount->size = (int64_t)(status.f_blocks * status.UNIT);
    mount->available = (int64_t)status.f_bavail * (int64_t)status.UNIT;
    snprintf(mount->fstype, sizeof(mount->fstype), "%s", status.f_fstypename);
    snprintf(mount->device, sizeof(mount->device), "%s", status.f_mntfromname);
    mount->memory =
        strcmp(mount->fstype, "tmpfs") == 0 || strcmp(mount->fstype, "mfs") == 0;

    return 0;
}

#ifdef OS_HAS_FILE_DROP /* without it, all requests use the cache of files */

static int
switch_direct(int fd, bool on)
{
/* Tests for a feature, not for a system. With F_NOCACHE, pages that are read do not stay
 * in the cache. */
#ifdef F_NOCACHE
    if (on && fcntl(fd, F_RDAHEAD, 0) < 0)
        return -1;
    return fcntl(fd, F_NOCACHE, on ? 1 : 0) < 0 ? -1 : 0;
#else
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    return fcntl(fd, F_SETFL, on ? flags | O_DIRECT : flags & ~O_DIRECT);
#endif
}

/* Requests to raw devices are always direct. Requests to block devices are always
 * buffered. Direct reads of a file would still be served from pages in the page cache, so
 * these pages are dropped. */
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

#define MAP_MOST (1LL << 30) /* bytes per mapping: address space may be scarce */

/* Drops the pages of SIZE bytes at offset AT. Returns 0, or errno; ENOTSUP: the file
 * cannot be mapped, such as a device, so it has no pages. */
static int
drop_range(int fd, int64_t at, size_t size)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, at);
    if (map == MAP_FAILED)
        return errno == ENOMEM || errno == EAGAIN ? errno : ENOTSUP;
    int code = msync(map, size, MS_INVALIDATE) < 0 ? errno : 0;
    munmap(map, size);
    return code;
}

/*
 * msync(2) with MS_INVALIDATE writes the dirty pages of the range and drops the clean
 * ones from the page cache. posix_fadvise(2) alone only makes them the next candidates to
 * be dropped. However, where it exists it releases pages that are held as buffers, which
 * msync(2) would leave, so both are called. Neither reaches the buffers of a device. Some
 * systems map nothing behind the end of a file, so the range is cut there.
 */
int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    int64_t page = sysconf(_SC_PAGESIZE), end = offset + length;
    struct stat status;
    int failed = fstat(fd, &status) < 0 ? errno : S_ISREG(status.st_mode) ? 0 : ENOTSUP;
#ifdef POSIX_FADV_DONTNEED /* tests for a feature, not for a system */
    posix_fadvise(fd, offset, length, POSIX_FADV_DONTNEED);
#endif

    if (failed || status.st_size < end)
        end = failed ? 0 : status.st_size;
    for (int64_t at = offset / page * page; at < end && failed != ENOTSUP;
         at += MAP_MOST) {
        size_t size = (size_t)(end - at < MAP_MOST ? end - at : MAP_MOST);
        int code = drop_range(fd, at, size);
        failed = code ? code : failed;
    }
    return failed ? os_fail(failed) : 0;
}

os_resident_function *
os_resident_choose(int fd, int64_t witness)
{
    return posix_mincore(fd, witness, 1) == 1 ? posix_mincore : NULL;
}

#endif

#ifdef DIOCGFLUSH /* FreeBSD: a separate call flushes the cache of a disk */
int
posix_file_flush(int fd)
{
    if (ioctl(fd, DIOCGFLUSH) == 0)
        return 0;
    bool refused = errno == ENOTTY || errno == EINVAL || errno == EOPNOTSUPP;
    return refused ? fdatasync(fd) : -1;
}
#endif

#ifdef DIOCCACHESYNC /* NetBSD, OpenBSD: the same, for users who may write */
int
posix_file_flush(int fd)
{
    int force = 0;
#ifdef FDISKSYNC /* a file that is open for reading only can only use fsync */
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

/* Returns the partition of FD in LABEL, the label of its disk. Returns NULL with errno if
 * it fails. */
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

/* The whole disk is one of the partitions in the label. */
int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    struct disklabel label;
    const struct partition *own = find_partition(fd, &label);
    if (!own)
        return -1;
    *size = (int64_t)(DL_GETPSIZE(own) * label.d_secsize);
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
#ifdef OS_SYSTEM_netbsd /* a size that is too large for the label is cut there */
    struct disklabel label;
    const struct partition *own = find_partition(fd, &label);
    off_t part =
        own && own->p_size < UINT32_MAX ? (off_t)own->p_size * label.d_secsize : 0;
    if (part > 0 && part < bytes)
        bytes = part;
#endif
    *size = bytes;
    *block = sector;
    return 0;
}
#endif
