/* Disks are raw devices, which are character devices, and for some systems block devices
 * as well, with buffers before them. */
#include "os/os.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool
os_device_is_disk(int fd)
{
    struct stat status;
    int64_t size, block;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
           os_device_size(fd, &size, &block) == 0;
}

/* The same name after an r. */
bool
os_path_raw(const char *path, char *raw, size_t size)
{
    struct stat status;
    const char *slash = strrchr(path, '/');
    int folder = slash ? (int)(slash - path) + 1 : 0;
    int length = snprintf(raw, size, "%.*sr%s", folder, path, path + folder);
    return length < (int)size && stat(raw, &status) == 0 && S_ISCHR(status.st_mode);
}
