/*
 * The pages of a file in the page cache. cachestat(2) and mincore(2) tell owners and
 * users who may write. To all others the kernel tells only afterwards, by the sectors
 * that it had to read for them.
 */
#include "os/os.h"
#include "os/storage.h"
#include "posix.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Fixed by the kernel's ABI, but newer than the headers of some systems. */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

/* cachestat(2), Linux 6.5. */
static int
ask_cachestat(int fd, int64_t offset, int64_t length)
{
    uint64_t range[2] = {(uint64_t)offset, (uint64_t)length};
    uint64_t answer[5]; /* cache, dirty, writeback, evicted, recently evicted */
    if (syscall(SYS_cachestat, fd, range, answer, 0) < 0)
        return -1;
    return answer[0] > 0;
}

/* The kernel answers mincore(2) by "all resident" about files that the user could not
 * write. */
os_resident_function *
os_resident_choose(int fd, int64_t witness)
{
    struct os_info info;
    char path[64];
    if (ask_cachestat(fd, witness, 1) == 1)
        return ask_cachestat;
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    bool answers = (os_file_info(fd, &info) == 0 && info.owned) ||
                   faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0 ||
                   faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0;
    return answers && posix_mincore(fd, witness, 1) == 1 ? posix_mincore : NULL;
}

/* FUSE passes every direct read on. Other file systems may read from caches of their own.
 */
bool
os_file_served(int fd)
{
    struct statfs status;
    return fstatfs(fd, &status) == 0 && (uint32_t)status.f_type == FUSE_SUPER_MAGIC;
}

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
    return got == 1 ? 1 : got < 0 && code == EAGAIN ? 0 : -1;
}

/* Sectors submitted to a block device count for the submitting thread. */
int64_t
os_thread_sectors(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) < 0 ? -1 : usage.ru_inblock;
}

/*
 * If nothing had to be read, nothing shows; a kernel that counts has a file for that. The
 * device number of a file that is not on a block device has no major part; nor has that
 * of one on btrfs, which is.
 */
bool
os_thread_counts_reads(int fd, int64_t witness)
{
    char byte;
    struct stat file;
    struct statfs system;
    int64_t before = os_thread_sectors();
    if (before < 0)
        return false;
    int resident = os_file_resident_try(fd, witness);
    if (os_file_read(fd, &byte, 1, witness, 0) != 1)
        return false;
    if (os_thread_sectors() > before)
        return true;
    return resident == 1 && fstat(fd, &file) == 0 && fstatfs(fd, &system) == 0 &&
           (S_ISBLK(file.st_mode) || major(file.st_dev) != 0 ||
            (uint32_t)system.f_type == BTRFS_SUPER_MAGIC) &&
           access("/proc/thread-self/io", F_OK) == 0;
}

/* The kernel's MAX_PAGECACHE_ORDER: a huge page, but at most 2048 pages. */
int64_t
os_file_folio_max(void)
{
    int64_t page = sysconf(_SC_PAGESIZE);
    return page * (page == 4096 ? 512 : 2048);
}

/* Returns what sync_file_range(2) writes of the dirty data of FD: 1: all of it, at once.
 * Other file systems may have some elsewhere, 0; an overlay has all in another file, -1.
 */
static int
is_in_page_cache(int fd)
{
    struct stat file;
    struct statfs system;
    if (fstat(fd, &file) < 0 || fstatfs(fd, &system) < 0)
        return 0;
    uint32_t type = (uint32_t)system.f_type;
    if (!S_ISBLK(file.st_mode) && type == OVERLAYFS_SUPER_MAGIC)
        return -1;
    return S_ISBLK(file.st_mode) || type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC;
}

int
os_file_write_back(int fd, int64_t offset, int64_t length)
{
    unsigned all =
        SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER;
    int held = offset == 0 ? is_in_page_cache(fd) : 0; /* the first part finds out */
    bool able = length ? held >= 0 : held > 0;
    int status = able ? sync_file_range(fd, offset, length, all) : -1;
    if (able && (status == 0 || (errno != ENOSYS && errno != EPERM)))
        return status;
    return length ? os_fail(ENOTSUP) : os_file_flush(fd);
}
