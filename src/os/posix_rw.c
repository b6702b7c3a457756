/* Requests, where they have no flags. */
#include "os/cache.h"
#include "os/os.h"

#include <errno.h>
#include <unistd.h>

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    int64_t result;
    (void)flags;
    do
        result = pread(fd, buffer, size, offset);
    while (result < 0 && errno == EINTR);
    return result;
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    int64_t result;
    (void)flags;
    do
        result = pwrite(fd, buffer, size, offset);
    while (result < 0 && errno == EINTR);
    return result;
}

int
os_file_flags_try(int fd, int flags, bool write)
{
    (void)fd, (void)write;
    errno = ENOTSUP;
    return flags ? -1 : 0;
}

int
os_file_write_back(int fd)
{
    int status;
    do
        status = fsync(fd);
    while (status < 0 && errno == EINTR);
    return status;
}
