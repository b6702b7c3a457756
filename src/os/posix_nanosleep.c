/* Where nothing sleeps until a time, only for one. */
#include "os/os.h"

#include <time.h>

#define LONGEST (86400LL * 1000000000) /* some systems refuse to sleep for years */

int
os_sleep_until(int64_t when)
{
    for (int64_t left = when - os_clock_now(); left > 0; left = when - os_clock_now()) {
        int64_t part = left < LONGEST ? left : LONGEST;
        struct timespec pause = {.tv_sec = (time_t)(part / 1000000000),
                                 .tv_nsec = (long)(part % 1000000000)};
        if (nanosleep(&pause, NULL) < 0)
            return -1;
    }
    return 0;
}
