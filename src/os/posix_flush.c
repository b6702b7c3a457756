#include "os/os.h"

#include <errno.h>
#include <unistd.h>

int
os_file_flush(int fd)
{
    int status;
    do
        status = fdatasync(fd);
    while (status < 0 && errno == EINTR);
    return status;
}
