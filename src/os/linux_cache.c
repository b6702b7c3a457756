/*
 * Finds out which data of a file comes from memory. There are two ways:
 *
 * - Before a read, ask whether its pages are in the page cache (cachestat(2),
 *   mincore(2)). Only the owner of the file and users who may write to it get a true
 *   answer.
 * - After a read, check whether it came from a device. The kernel counts for each thread
 *   the sectors that it had to read from block devices. So a read that adds no sectors
 *   came from memory. This works for all users, and also for file systems with caches
 *   other than the page cache.
 */
#include "linux.h"
#include "os/os.h"
#include "os/storage.h"
#include "posix.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <linux/major.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The headers of some systems are older than this system call. Its number is the same on
 * all machines. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* An os_resident_function by cachestat(2), Linux 6.5. */
static int
ask_cachestat(int fd, int64_t offset, int64_t length)
{
    uint64_t range[2] = {(uint64_t)offset, (uint64_t)length};
    /* counts of pages: cached, dirty, in writeback, evicted, recently evicted */
    uint64_t answer[5];
    if (syscall(SYS_cachestat, fd, range, answer, 0) < 0)
        return -1;
    return answer[0] > 0;
}

/* mincore(2) is only used for files that the user owns or may write to. For other files,
 * the kernel answers that all pages are in the page cache. */
os_resident_function *
os_resident_choose(int fd, int64_t witness)
{
    struct os_info info;
    char path[64];
    if (ask_cachestat(fd, witness, 1) == 1)
        return ask_cachestat;

    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    bool is_true = (os_file_info(fd, &info) == 0 && info.is_owned) ||
                   faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0 ||
                   faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
    if (is_true && posix_mincore(fd, witness, 1) == 1)
        return posix_mincore;
    return NULL;
}

/* True for FUSE, which passes every direct read on to its server. Other file systems with
 * a server may answer direct reads from caches of their own. */
bool
os_file_is_served(int fd)
{
    struct statfs status;
    return fstatfs(fd, &status) == 0 && (uint32_t)status.f_type == FUSE_SUPER_MAGIC;
}

/* Reads one byte without O_DIRECT, and without waiting for the device (RWF_NOWAIT):
 * EAGAIN means that the page is not in the page cache. */
int
os_file_resident_try(int fd, int64_t offset)
{
    char byte;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || os_file_direct(fd, false) < 0)
        return -1;

    int64_t got = os_file_read(fd, &byte, 1, offset, OS_RW_NOWAIT);
    int code = errno;
    if (fcntl(fd, F_SETFL, flags) < 0)
        return -1;

    if (got == 1)
        return 1;
    return got < 0 && code == EAGAIN ? 0 : -1;
}

/*
 * Returns the number of sectors that were read so far by the calling thread (WHO is
 * RUSAGE_THREAD) or by the whole process (RUSAGE_SELF); -1 if unknown.
 *
 * The kernel adds each read to the count of the thread that submits it to a block device
 * (task_io_account_read() in submit_bio()). If a file system has the data in any cache,
 * it submits nothing.
 */
static int64_t
get_charged_sectors(int who)
{
    struct rusage usage;
    return getrusage(who, &usage) < 0 ? -1 : usage.ru_inblock;
}

int64_t
os_thread_sectors(void)
{
    return get_charged_sectors(RUSAGE_THREAD);
}

int64_t
os_process_sectors(void)
{
    return get_charged_sectors(RUSAGE_SELF);
}

/* Returns true if every read of a file ends at a block device or in memory. FILE and
 * SYSTEM are the answers of stat(2) and statfs(2). FUSE is excluded although it may be on
 * a block device, because its server reads the device. Flash memory (MTD) is excluded
 * because it has no block requests. */
static bool
ends_at_block_device(const struct stat *file, const struct statfs *system)
{
    uint32_t type = (uint32_t)system->f_type;
    bool has_device = major(file->st_dev) != 0 && major(file->st_dev) != MTD_BLOCK_MAJOR;
    return type != FUSE_SUPER_MAGIC && (has_device || linux_mount_memory(system));
}

/* Returns true if FD is on a btrfs with a single device. With several devices, kernel
 * threads may reconstruct data from the other devices. The kernel then counts these reads
 * for its own threads, not for the thread of this program. */
static bool
is_on_single_btrfs(int fd, const struct statfs *system)
{
    char folder[LINUX_SYSFS_ROOM];
    char path[LINUX_SYSFS_ROOM];
    int device_count = 0;
    if ((uint32_t)system->f_type != BTRFS_SUPER_MAGIC || !linux_btrfs_devices(fd, folder))
        return false;

    DIR *list = opendir(folder);
    while (linux_sysfs_next(list, folder, path))
        device_count++;

    return device_count == 1;
}

/* Returns true if ends_at_block_device is true for PATH, a layer of an overlay. */
static bool
layer_ends_at_block_device(const char *path)
{
    struct stat file;
    struct statfs system;
    return stat(path, &file) == 0 && statfs(path, &system) == 0 &&
           ends_at_block_device(&file, &system);
}

/* Returns true if ends_at_block_device is true for all layers of the overlay that FD is
 * on. */
static bool
overlay_ends_at_block_devices(int fd)
{
    struct linux_layers layers;
    bool all_end = true;
    if (linux_overlay_layers(fd, &layers) < 0)
        return false;

    for (int i = 0; i < layers.count; i++)
        if (!layer_ends_at_block_device(layers.path[i])) {
            all_end = false;
            break;
        }
    linux_overlay_free(&layers);

    return all_end;
}

/* A kernel that counts the sectors that threads read (CONFIG_TASK_IO_ACCOUNTING) has the
 * file /proc/thread-self/io. Files on persistent memory are excluded, because they may be
 * read without block requests (DAX). */
bool
os_file_charges_reads(int fd)
{
    struct stat file;
    struct statfs system;

    if (os_thread_sectors() < 0 || access("/proc/thread-self/io", F_OK) < 0 ||
        fstat(fd, &file) < 0)
        return false;

    if (S_ISBLK(file.st_mode))
        return true;
    if (linux_file_may_be_dax(fd) || fstatfs(fd, &system) < 0)
        return false;
    if ((uint32_t)system.f_type == OVERLAYFS_SUPER_MAGIC)
        return overlay_ends_at_block_devices(fd);

    return is_on_single_btrfs(fd, &system) || ends_at_block_device(&file, &system);
}

/* Since Linux 5.12, the workers of io_uring are threads of the process, so their reads
 * add to the counts of the process. */
bool
os_process_charges_workers(void)
{
    struct utsname system;
    int version = 0;
    int patch = 0;
    return uname(&system) == 0 &&
           sscanf(system.release, "%d.%d", &version, &patch) == 2 &&
           (version > 5 || (version == 5 && patch >= 12));
}

bool
os_thread_counts_reads(int fd, int64_t witness)
{
    char byte;
    int64_t before = os_thread_sectors();
    if (before < 0 || os_file_read(fd, &byte, 1, witness, 0) != 1)
        return false;
    return os_thread_sectors() > before;
}

/* The kernel limits a folio of the page cache to the size of a huge page
 * (MAX_PAGECACHE_ORDER). With pages of 4096 bytes, a huge page has 512 pages. With larger
 * pages, it has at most 2048 pages. */
int64_t
os_file_folio_max(void)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    return page * (page == 4096 ? 512 : 2048);
}

/* How much of the dirty data of a file sync_file_range(2) writes. */
enum written_part {
    /* on an overlay: nothing, because the files of its layers hold the data */
    WRITES_NOTHING,
    /* otherwise: there may be dirty data outside of the page cache, too */
    WRITES_PART,
    /* on block devices, ext4 and XFS: all dirty data is in the page cache, and is written
     * in place */
    WRITES_ALL,
};

static enum written_part
find_written_part(int fd)
{
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return WRITES_PART;

    uint32_t type = (uint32_t)system.f_type;
    if (S_ISBLK(file.st_mode) || type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC)
        return WRITES_ALL;
    return type == OVERLAYFS_SUPER_MAGIC ? WRITES_NOTHING : WRITES_PART;
}

/* The caller writes a large file range by range, from offset 0 on. To save time, the type
 * of the file system is only looked up for the range at offset 0. On an overlay, that
 * range fails with ENOTSUP, and the caller tries no other range. */
int
os_file_write_back(int fd, int64_t offset, int64_t length)
{
    unsigned write_and_wait =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    enum written_part part = offset == 0 ? find_written_part(fd) : WRITES_PART;
    bool is_suitable = length ? part != WRITES_NOTHING : part == WRITES_ALL;

    if (is_suitable) {
        int status = sync_file_range(fd, offset, length, write_and_wait);
        bool is_available = status == 0 || (errno != ENOSYS && errno != EPERM);
        if (is_available)
            return status;
    }

    return length ? os_fail(ENOTSUP) : os_file_flush(fd);
}
