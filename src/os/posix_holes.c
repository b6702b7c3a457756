#include "os/cache.h"
#include "os/os.h"

#include <errno.h>
#include <unistd.h>

#ifdef SEEK_HOLE /* a feature, not a system */

int64_t
os_file_hole(int fd, int64_t offset)
{
    return lseek(fd, offset, SEEK_HOLE);
}

int64_t
os_file_data(int fd, int64_t offset)
{
    return lseek(fd, offset, SEEK_DATA);
}

#else

int64_t
os_file_hole(int fd, int64_t offset)
{
    (void)fd, (void)offset;
    errno = ENOTSUP;
    return -1;
}

int64_t
os_file_data(int fd, int64_t offset)
{
    return os_file_hole(fd, offset);
}

#endif
