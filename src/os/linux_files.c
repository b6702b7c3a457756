/*
 * Requests to files and devices, their alignment, the properties of a block device, and a
 * descriptor table for each thread. System calls are made by number where the C library
 * lacks them or makes them slower.
 */
#include "linux.h"
#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"
#include "posix.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

/* STATX_DIOALIGN: the fields stx_dio_mem_align and stx_dio_offset_align */
#define ALIGNMENT 0x2000U
#define ALIGNMENT_AT 0x98

#define STATX_BYTES 256 /* size of struct statx, which never changes */
#define ATTRIBUTES_AT 0x08
#define ATTRIBUTES_MASK_AT 0x38
#define ATTRIBUTE_DAX 0x200000U /* STATX_ATTR_DAX, Linux 5.8 */

/* Fields of statx(2) are read by offset, because the headers got the newer fields later
 * than the kernel. */

/* Stores the answer of statx(2) about FD. Returns 0, or -1. */
static int
ask_statx(int fd, unsigned mask, unsigned char answer[STATX_BYTES])
{
    memset(answer, 0, STATX_BYTES);
    return (int)syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask,
                        answer);
}

int
linux_statx(int fd, unsigned mask, size_t at, void *value, size_t size)
{
    unsigned char answer[STATX_BYTES];
    uint32_t known; /* stx_mask, the first field of the answer */
    if (ask_statx(fd, mask, answer) < 0)
        return -1;

    memcpy(&known, answer, sizeof(known));
    if (!(known & mask))
        return -1;
    memcpy(value, answer + at, size);

    return 0;
}

bool
linux_file_may_be_dax(int fd)
{
    unsigned char answer[STATX_BYTES];
    uint64_t attributes;
    uint64_t known;
    if (ask_statx(fd, 0, answer) < 0)
        return true;
    memcpy(&attributes, answer + ATTRIBUTES_AT, sizeof(attributes));
    memcpy(&known, answer + ATTRIBUTES_MASK_AT, sizeof(known));
    return attributes & ATTRIBUTE_DAX || !(known & ATTRIBUTE_DAX);
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
    uint32_t values[2]; /* alignment of memory and of offsets, in bytes */
    if (linux_statx(fd, ALIGNMENT, ALIGNMENT_AT, values, sizeof(values)) < 0)
        return os_fail(ENOTSUP);
    *memory = values[0];
    *offset = values[1];
    return 0;
}

/*
 * Calls preadv2(2) or pwritev2(2), whichever CALL is, with FLAGS; by number, because old
 * C libraries have neither. The kernel takes the offset as two longs; the upper one
 * matters only on 32-bit systems. Not inlined, to keep the vector out of the fast path.
 */
static __attribute__((noinline)) int64_t
move_by(long call, int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    struct iovec vector = {.iov_base = (void *)buffer, .iov_len = size};
    long own =
        (flags & OS_RW_HIPRI ? RWF_HIPRI : 0) | (flags & OS_RW_NOWAIT ? RWF_NOWAIT : 0);
    return syscall(call, (long)fd, &vector, 1L, (long)offset, (long)(offset >> 32), own);
}

/*
 * Calls pread64 and pwrite64 directly where the offset fits in one argument. The C
 * library's pread and pwrite are cancellation points, which cost up to 40 ns more in a
 * program with threads. The call is the last action of the function: processors
 * mispredict the returns after a system call, at some 6 ns each.
 */
#define OFFSET_IS_LONG (sizeof(long) == sizeof(int64_t))

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    return flags            ? move_by(SYS_preadv2, fd, buffer, size, offset, flags)
           : OFFSET_IS_LONG ? syscall(SYS_pread64, fd, buffer, size, offset)
                            : pread(fd, buffer, size, offset);
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    return flags            ? move_by(SYS_pwritev2, fd, buffer, size, offset, flags)
           : OFFSET_IS_LONG ? syscall(SYS_pwrite64, fd, buffer, size, offset)
                            : pwrite(fd, buffer, size, offset);
}

/* Calls ioctl(2) by number, because C libraries differ in the type of a request. */
static long
ask_device(int fd, unsigned long request, void *answer)
{
    return syscall(SYS_ioctl, (long)fd, request, answer);
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    uint64_t bytes;
    int sector;

    if (ask_device(fd, BLKGETSIZE64, &bytes) < 0 ||
        ask_device(fd, BLKSSZGET, &sector) < 0)
        return -1;
    *size = (int64_t)bytes;
    *block = sector;

    return 0;
}

bool
os_device_read_only(int fd)
{
    int read_only = 0;
    return ask_device(fd, BLKROGET, &read_only) == 0 && read_only;
}

/* A removed disk first reports a size of 0, and later loses its directory in sysfs. */
bool
os_device_is_gone(int fd)
{
    static const char folder[] = "/sys/dev/block";
    char path[64];
    struct stat status;
    uint64_t bytes;
    if (ask_device(fd, BLKGETSIZE64, &bytes) == 0 && bytes == 0)
        return true;
    if (fstat(fd, &status) < 0 || !S_ISBLK(status.st_mode) || access(folder, F_OK) < 0)
        return false;

    snprintf(path, sizeof(path), "%s/%u:%u", folder, major(status.st_rdev),
             minor(status.st_rdev));
    return access(path, F_OK) < 0 && errno == ENOENT;
}

/* A partition has no queue; its parent directory is that of its disk. */
int
os_file_polls(int fd)
{
    static const char *const folders[] = {"", "/.."};
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;

    dev_t device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char answer[8];
        if (linux_file_read(answer, sizeof(answer),
                            "/sys/dev/block/%u:%u%s/queue/io_poll", major(device),
                            minor(device), folders[i]))
            return answer[0] == '0' || answer[0] == '1' ? answer[0] - '0' : -1;
    }

    return -1;
}

/*
 * While a descriptor table has a single user, the kernel takes no reference to a file
 * during a system call. With a shared table, each system call of a worker waits for those
 * of the other workers, as all count references in the same place: see `memory threads 2`
 * of make bench. Standard error is left out if it is a pipe or a socket, because a reader
 * may wait for its last writer to close it.
 */
bool
os_thread_unshare(void)
{
    struct stat errors;
    bool awaited = fstat(STDERR_FILENO, &errors) == 0 &&
                   (S_ISFIFO(errors.st_mode) || S_ISSOCK(errors.st_mode));
    if (unshare(CLONE_FILES) < 0)
        return false;
    posix_inherited_close(awaited);
    return true;
}

/* The value is the longest acceptable wake-up latency, in us. It applies as long as the
 * file is open (the kernel's Documentation/power/pm_qos_interface.rst). */
int
os_processors_awake(void)
{
    const int32_t longest = 0;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;

    if (write(fd, &longest, sizeof(longest)) == (ssize_t)sizeof(longest) &&
        posix_inherited_add(fd) == 0)
        return 0;
    int failed = errno;
    os_file_close(fd);

    return os_fail(failed);
}
