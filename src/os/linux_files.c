/* Requests to files and devices, their alignment, the properties of a block device, and a
 * descriptor table for each thread. Some system calls are made by their numbers, because
 * old C libraries have no functions for them, or because the function is slower than the
 * plain system call. */
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

/* The fields of struct statx that are used here, by their offsets in bytes. The C library
 * got the newer fields later than the kernel, so its struct statx is not used. */
#define STATX_BYTES 256             /* size of struct statx, which never changes */
#define ATTRIBUTES_OFFSET 0x08      /* stx_attributes */
#define ATTRIBUTES_MASK_OFFSET 0x38 /* stx_attributes_mask */
#define ATTRIBUTE_DAX 0x200000U     /* STATX_ATTR_DAX, Linux 5.8 */
#define ALIGNMENT 0x2000U           /* STATX_DIOALIGN, Linux 6.1 */
#define ALIGNMENT_OFFSET 0x98       /* stx_dio_mem_align, then stx_dio_offset_align */

/* Stores the answer of statx(2) about FD in ANSWER. MASK has the STATX_* flags of the
 * wanted fields. Returns 0, or -1 with errno. */
static int
ask_statx(int fd, unsigned mask, unsigned char answer[STATX_BYTES])
{
    memset(answer, 0, STATX_BYTES);
    return (int)syscall(SYS_statx, fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, mask,
                        answer);
}

int
linux_statx(int fd, unsigned mask, size_t offset, void *value, size_t size)
{
    unsigned char answer[STATX_BYTES];
    uint32_t known; /* stx_mask, the first field of the answer */
    if (ask_statx(fd, mask, answer) < 0)
        return -1;

    memcpy(&known, answer, sizeof(known));
    if (!(known & mask))
        return -1;
    memcpy(value, answer + offset, size);

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
    memcpy(&attributes, answer + ATTRIBUTES_OFFSET, sizeof(attributes));
    memcpy(&known, answer + ATTRIBUTES_MASK_OFFSET, sizeof(known));
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
    if (linux_statx(fd, ALIGNMENT, ALIGNMENT_OFFSET, values, sizeof(values)) < 0)
        return os_fail(ENOTSUP);
    *memory = values[0];
    *offset = values[1];
    return 0;
}

/*
 * Makes the system call with number CALL, preadv2(2) or pwritev2(2), with FLAGS of enum
 * os_rw. Old C libraries have no functions for these two. The kernel takes the offset as
 * two longs; the upper one matters only on 32-bit systems. Not inlined, so that the fast
 * path does not need room for the vector.
 */
static __attribute__((noinline)) int64_t
move_with_flags(long call, int fd, const void *buffer, size_t size, int64_t offset,
                int flags)
{
    struct iovec vector = {.iov_base = (void *)buffer, .iov_len = size};
    long rwf = 0;
    if (flags & OS_RW_HIPRI)
        rwf |= RWF_HIPRI;
    if (flags & OS_RW_NOWAIT)
        rwf |= RWF_NOWAIT;
    return syscall(call, (long)fd, &vector, 1L, (long)offset, (long)(offset >> 32), rwf);
}

/*
 * On systems where the offset fits in one argument, pread64 and pwrite64 are called by
 * number. The C library's pread and pwrite are cancellation points, which cost up to 40
 * ns more in a program with threads.
 *
 * The system call is the last action of each function below, so that the compiler can
 * replace the call and the return by a jump. Each return that this avoids would cost some
 * 6 ns, because processors mispredict returns after a system call.
 */
#define OFFSET_IS_LONG (sizeof(long) == sizeof(int64_t))

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    if (flags)
        return move_with_flags(SYS_preadv2, fd, buffer, size, offset, flags);
    if (OFFSET_IS_LONG)
        return syscall(SYS_pread64, fd, buffer, size, offset);
    return pread(fd, buffer, size, offset);
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    if (flags)
        return move_with_flags(SYS_pwritev2, fd, buffer, size, offset, flags);
    if (OFFSET_IS_LONG)
        return syscall(SYS_pwrite64, fd, buffer, size, offset);
    return pwrite(fd, buffer, size, offset);
}

/* Calls ioctl(2) by its number, because C libraries differ in the type of REQUEST.
 * Returns 0, or -1 with errno. */
static long
call_ioctl(int fd, unsigned long request, void *answer)
{
    return syscall(SYS_ioctl, (long)fd, request, answer);
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    uint64_t bytes;
    int sector;

    if (call_ioctl(fd, BLKGETSIZE64, &bytes) < 0 ||
        call_ioctl(fd, BLKSSZGET, &sector) < 0)
        return -1;
    *size = (int64_t)bytes;
    *block = sector;

    return 0;
}

bool
os_device_is_read_only(int fd)
{
    int read_only = 0;
    return call_ioctl(fd, BLKROGET, &read_only) == 0 && read_only;
}

/* If a disk is removed from the system, it first reports a size of 0, and later loses its
 * directory in sysfs. Both show that it is gone. */
bool
os_device_is_gone(int fd)
{
    static const char folder[] = "/sys/dev/block";
    char path[64];
    struct stat status;
    uint64_t bytes;
    if (call_ioctl(fd, BLKGETSIZE64, &bytes) == 0 && bytes == 0)
        return true;
    if (fstat(fd, &status) < 0 || !S_ISBLK(status.st_mode) || access(folder, F_OK) < 0)
        return false;

    snprintf(path, sizeof(path), "%s/%u:%u", folder, major(status.st_rdev),
             minor(status.st_rdev));
    return access(path, F_OK) < 0 && errno == ENOENT;
}

/* Reads the file queue/io_poll, which only a disk has in its directory of sysfs. The
 * directory of a partition is inside the directory of its disk, so the file is looked for
 * one level higher, too. */
int
os_file_supports_polling(int fd)
{
    static const char *const folders[] = {"", "/.."};
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;

    dev_t device = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        char answer[8];
        if (!linux_file_read(answer, sizeof(answer),
                             "/sys/dev/block/%u:%u%s/queue/io_poll", major(device),
                             minor(device), folders[i]))
            continue;
        if (answer[0] == '0')
            return 0;
        return answer[0] == '1' ? 1 : -1;
    }

    return -1;
}

/*
 * The kernel counts the users of an open file during a system call, unless only one
 * thread uses the descriptor table. In a shared table, all workers change the same
 * counter and slow each other down: see `memory threads 2` of make bench. So each worker
 * gets a table of its own.
 *
 * The new table must not keep the inherited descriptors open. If one of them is the write
 * end of a pipe, the reader of the pipe gets the end of file only when no table has it
 * open. Standard error is needed for messages, so it is closed only if it is a pipe or a
 * socket.
 */
bool
os_thread_unshare(void)
{
    struct stat status;
    bool has_reader = fstat(STDERR_FILENO, &status) == 0 &&
                      (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode));
    if (unshare(CLONE_FILES) < 0)
        return false;
    posix_inherited_close(has_reader);
    return true;
}

/* Processors need time to wake up from deep sleep. The file /dev/cpu_dma_latency takes
 * the longest acceptable wake-up time, in us. A limit of 0 keeps processors out of deep
 * sleep. The limit applies as long as the file is open (the kernel's
 * Documentation/power/pm_qos_interface.rst). */
int
os_processors_awake(void)
{
    const int32_t max_wake_up_us = 0;
    int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;

    if (write(fd, &max_wake_up_us, sizeof(max_wake_up_us)) ==
            (ssize_t)sizeof(max_wake_up_us) &&
        posix_inherited_add(fd) == 0)
        return 0;
    int code = errno;
    os_file_close(fd);

    return os_fail(code);
}
