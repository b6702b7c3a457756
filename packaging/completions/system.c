/* The system calls that the table of operations and the default engine name: whoever
 * prints completions makes none of them, and is built where the system's own may be
 * missing. */
#include "os/os.h"

int
os_file_reopen(int fd)
{
    return fd;
}

void
os_file_close(int fd)
{
    (void)fd;
}

int64_t
os_file_read(int fd, void *buffer, size_t size, int64_t offset, int flags)
{
    (void)fd, (void)buffer, (void)size, (void)offset, (void)flags;
    return -1;
}

int64_t
os_file_write(int fd, const void *buffer, size_t size, int64_t offset, int flags)
{
    (void)fd, (void)buffer, (void)size, (void)offset, (void)flags;
    return -1;
}

int
os_file_flush(int fd)
{
    (void)fd;
    return -1;
}
