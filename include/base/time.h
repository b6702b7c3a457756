#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <time.h>

/* Times and durations are ns of whatever clock; INT64_MAX stands for never. */
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

/* A longer wait is cut: some systems refuse to wait for years. */
#define TIME_WAIT_MOST (86400 * SECOND)

/* Returns TIME plus MORE, neither of them negative; INT64_MAX if that is beyond it. */
static inline int64_t
time_add(int64_t time, int64_t more)
{
    return more > INT64_MAX - time ? INT64_MAX : time + more;
}

/* Returns TIME times COUNT, neither of them negative; INT64_MAX if that is beyond it. */
static inline int64_t
time_multiply(int64_t time, int64_t count)
{
    return count > 0 && time > INT64_MAX / count ? INT64_MAX : time * count;
}

/* Returns TIME in the form of system calls. */
static inline struct timespec
time_spec(int64_t time)
{
    return (struct timespec){.tv_sec = (time_t)(time / SECOND),
                             .tv_nsec = (long)(time % SECOND)};
}

/* Returns the earlier of two times. */
static inline int64_t
time_earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Returns the later of two times. */
static inline int64_t
time_later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/*
 * Returns the first time after NOW on the grid that has a point at POINT, not after NOW,
 * and one EVERY so many ns, above 0. Points that were missed are skipped, so that being
 * late once moves nothing.
 */
static inline int64_t
time_next_point(int64_t point, int64_t every, int64_t now)
{
    return time_add(now, every - (now - point) % every);
}

#endif
