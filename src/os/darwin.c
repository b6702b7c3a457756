/* macOS: its clock, its disks, and flushes. */
#include "os/os.h"
#include "os/storage.h"
#include "posix.h"

#include <fcntl.h>
#include <mach/mach_init.h>
#include <mach/thread_act.h>
#include <mach/thread_policy.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* Requests of ioctl(2) from <sys/disk.h>, which not every compiler for this system has.
 * Their numbers are part of the kernel's ABI. */
#define DISK_FLUSH _IO('d', 22)                  /* DKIOCSYNCHRONIZECACHE */
#define DISK_BLOCK_SIZE _IOR('d', 24, uint32_t)  /* DKIOCGETBLOCKSIZE */
#define DISK_BLOCK_COUNT _IOR('d', 25, uint64_t) /* DKIOCGETBLOCKCOUNT */
#define DISK_WRITABLE _IOR('d', 29, uint32_t)    /* DKIOCISWRITABLE */

/* CLOCK_UPTIME_RAW is the clock that sleeps use on this system. CLOCK_MONOTONIC would
 * have a resolution of only 1 us here. */
int64_t
os_clock_now(void)
{
    return (int64_t)clock_gettime_nsec_np(CLOCK_UPTIME_RAW);
}

/* The system delays timers, so that the timers of many threads expire together.
 * LATENCY_QOS_TIER_0 is the setting with the smallest delay. */
void
os_clock_sharpen(void)
{
    thread_latency_qos_policy_data_t policy = {LATENCY_QOS_TIER_0};
    thread_policy_set(pthread_mach_thread_np(pthread_self()), THREAD_LATENCY_QOS_POLICY,
                      (thread_policy_t)&policy, THREAD_LATENCY_QOS_POLICY_COUNT);
}

/* The system can turn read-ahead off only for the whole descriptor, so the range is
 * ignored. */
int
os_file_random(int fd, int64_t offset, int64_t length)
{
    (void)offset;
    (void)length;
    return fcntl(fd, F_RDAHEAD, 0) < 0 ? -1 : 0;
}

/* Returns true if CODE, an errno, means that a call is not supported for this file. */
static bool
is_refused(int code)
{
    return code == ENOTSUP || code == EOPNOTSUPP || code == ENOTTY || code == EINVAL ||
           code == ENODEV;
}

/* fsync(2) alone leaves data in the cache of the drive. F_FULLFSYNC and DISK_FLUSH empty
 * that cache, but not every file system and device supports them. */
int
posix_file_flush(int fd)
{
    if (fcntl(fd, F_FULLFSYNC) >= 0)
        return 0;
    if (!is_refused(errno) || fsync(fd) < 0)
        return -1;
    return ioctl(fd, DISK_FLUSH) < 0 && !is_refused(errno) ? -1 : 0;
}

int
os_device_size(int fd, int64_t *size, int64_t *block)
{
    uint64_t count;
    uint32_t bytes;
    if (ioctl(fd, DISK_BLOCK_COUNT, &count) < 0 || ioctl(fd, DISK_BLOCK_SIZE, &bytes) < 0)
        return -1;
    *size = (int64_t)(count * bytes);
    *block = bytes;
    return 0;
}

bool
os_device_is_read_only(int fd)
{
    uint32_t writable;
    return ioctl(fd, DISK_WRITABLE, &writable) == 0 && !writable;
}
