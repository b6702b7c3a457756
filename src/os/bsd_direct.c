#include "os/cache.h"
#include "os/os.h"

#include "bsd_direct.h"

#include <errno.h>
#include <sys/stat.h>

/*
 * Raw devices know nothing else; requests to block devices go through buffers all the
 * same. What the page cache has of a file would be read from there, so it goes first.
 */
int
os_file_direct(int fd, bool on)
{
    struct stat status;
    if (fstat(fd, &status) < 0)
        return -1;
    if (S_ISCHR(status.st_mode) && os_device_is_disk(fd))
        return 0;
    if (!S_ISREG(status.st_mode)) {
        errno = ENOTSUP;
        return -1;
    }
    if (on)
        os_file_drop(fd, 0, status.st_size);
    return bsd_direct_switch(fd, on);
}
