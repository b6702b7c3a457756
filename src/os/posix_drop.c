#include "os/cache.h"
#include "os/os.h"

#include <errno.h>
#include <fcntl.h>

int
os_file_drop(int fd, int64_t offset, int64_t length)
{
    int number = posix_fadvise(fd, offset, length, POSIX_FADV_DONTNEED);
    if (number == 0)
        return 0;
    errno = number;
    return -1;
}
