/*
 * msync(2) with MS_INVALIDATE takes clean pages out of the page cache, after it has
 * written the dirty ones of the range. posix_fadvise(2) alone only makes them the next
 * to go; but where the system has it, it lets go of pages that are held as buffers, which
 * msync would leave.
 */
#include "os/cache.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE (1LL << 30) /* of address space, which may be scarce */

/* What cannot be mapped, such as a device, cannot be dropped. */
static int
drop_piece(int fd, int64_t at, size_t size)
{
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, at);
    if (map == MAP_FAILED) {
        if (errno != ENOMEM && errno != EAGAIN)
            errno = ENOTSUP;
        return -1;
    }
    int status = msync(map, size, MS_INVALIDATE), number = errno;
    munmap(map, size);
    errno = number;
    return status;
}

/* There are no pages after the end, and some systems would not map them. */
static int64_t
end_of(int fd, int64_t end)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    if (S_ISREG(status.st_mode))
        return status.st_size < end ? status.st_size : end;
    errno = ENOTSUP; /* a device has buffers, which msync does not reach */
    return -1;
}

int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    int64_t page = sysconf(_SC_PAGESIZE), end = end_of(fd, offset + length);
    int failed = end < 0 ? errno : 0;
#ifdef POSIX_FADV_DONTNEED /* a feature, not a system */
    posix_fadvise(fd, offset, length, POSIX_FADV_DONTNEED);
#endif
    for (int64_t at = offset / page * page; at < end && failed != ENOTSUP; at += PIECE)
        if (drop_piece(fd, at, (size_t)(end - at < PIECE ? end - at : PIECE)) < 0)
            failed = errno;
    if (!failed)
        return 0;
    errno = failed;
    return -1;
}
