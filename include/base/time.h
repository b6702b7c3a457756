#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <time.h>

/*
 * Times and durations are in ns. The functions work for the times of any clock. INT64_MAX
 * means "never" or "no limit".
 */
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

/*
 * The longest wait, in ns, that the program asks the system for, because some systems
 * refuse to wait for years. Code that must wait longer waits again.
 */
#define TIME_WAIT_MAX (86400 * SECOND)

/*
 * Returns TIME + DURATION, or INT64_MAX if the sum is larger. Neither may be negative.
 */
static inline int64_t
time_add(int64_t time, int64_t duration)
{
    return duration > INT64_MAX - time ? INT64_MAX : time + duration;
}

/*
 * Returns TIME * COUNT, or INT64_MAX if the product is larger. Neither may be negative.
 */
static inline int64_t
time_multiply(int64_t time, int64_t count)
{
    return count > 0 && time > INT64_MAX / count ? INT64_MAX : time * count;
}

/* Returns TIME, in ns, as the timespec that system calls take. */
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
 * Returns the first point of a grid that is after NOW. The points of the grid are POINT,
 * POINT + INTERVAL, POINT + 2 * INTERVAL and so on. POINT must not be after NOW. INTERVAL
 * is in ns and must be above 0. A caller that is late skips the points that it has
 * missed; the later points stay where they are.
 */
static inline int64_t
time_next_point(int64_t point, int64_t interval, int64_t now)
{
    return time_add(now, interval - (now - point) % interval);
}

#endif
