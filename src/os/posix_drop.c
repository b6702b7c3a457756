#include "os/cache.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>

int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    errno = posix_fadvise(fd, offset, length, POSIX_FADV_DONTNEED);
    return errno ? -1 : 0;
}
