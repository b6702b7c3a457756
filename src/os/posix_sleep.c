#include "os/os.h"

#include <errno.h>
#include <time.h>

int
os_sleep_until(int64_t when)
{
    struct timespec until = {.tv_sec = (time_t)(when / 1000000000),
                             .tv_nsec = (long)(when % 1000000000)};
    int number = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
    if (number == 0)
        return 0;
    errno = number;
    return -1;
}
