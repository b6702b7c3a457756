/* Where each disk has one device, and direct I/O to it passes by the page cache. */
#include "os/os.h"

bool
os_device_is_disk(int fd)
{
    (void)fd;
    return false;
}

bool
os_path_raw(const char *path, char *raw, size_t size)
{
    (void)path, (void)raw, (void)size;
    return false;
}
