/* What only Linux has, for the others: it is not there, or less of it. */
#include "os/cache.h"
#include "os/mount.h"
#include "os/os.h"
#include "os/process.h"
#include "os/thread.h"

#include "posix.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

void
os_thread_unshare(void)
{
}

int
os_file_alignment(int fd, int64_t *memory, int64_t *offset)
{
    (void)fd, (void)memory, (void)offset;
    errno = ENOTSUP;
    return -1;
}

/* The page cache has its files by single pages. */
int64_t
os_file_folio_most(void)
{
    return sysconf(_SC_PAGESIZE);
}

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
os_thread_sees(int fd, int64_t witness)
{
    (void)fd, (void)witness;
    return false;
}

int
os_file_storage(int fd, int64_t offset, int64_t length)
{
    (void)fd, (void)offset, (void)length;
    return -1;
}

enum os_backing
os_file_backing(int fd, char *name, size_t size)
{
    (void)fd, (void)name, (void)size;
    return OS_BACKING_DEVICE;
}

int
os_file_polls(int fd)
{
    (void)fd;
    return -1;
}

int
posix_signals_switches(void)
{
    return -1;
}

int64_t
os_memory_available(void)
{
    return INT64_MAX;
}

/* Mounts have no numbers, but file systems do. */
bool
os_mount_differs(int fd, const char *path)
{
    struct stat file, directory;
    return fstat(fd, &file) == 0 && stat(path, &directory) == 0 &&
           file.st_dev != directory.st_dev;
}

/* Files give none. */
int
posix_capabilities_drop(void)
{
    return 0;
}
