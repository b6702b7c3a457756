/* Where timers are as exact as they are, and a device that refuses writes says so only
 * when it is opened. */
#include "os/os.h"

void
os_clock_sharpen(void)
{
}

bool
os_device_read_only(int fd)
{
    (void)fd;
    return false;
}
