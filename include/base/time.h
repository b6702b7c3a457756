#ifndef BASE_TIME_H
#define BASE_TIME_H

#include <stdint.h>
#include <time.h>

/*
 * Times and durations are in ns; the functions work for any clock. INT64_MAX means
 * "never" or "no limit".
 */
#define US INT64_C(1000)
#define MS INT64_C(1000000)
#define SECOND INT64_C(1000000000)

/*
 * The longest wait, in ns, to ask the system for: some systems refuse to wait for years.
 * Code that must wait longer waits again.
 */
#define TIME_WAIT_MOST (86400 * SECOND)

/* Returns TIME + MORE, or INT64_MAX if the sum is larger. Neither may be negative. */
static inline int64_t
time_add(int64_t time, int64_t more)
{
    return more > INT64_MAX - time ? INT64_MAX : time + more;
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
 * Returns the next point after NOW of a grid: the points are POINT, POINT + EVERY,
 * POINT + 2 * EVERY and so on. POINT must not be after NOW; EVERY must be above 0, in ns.
 * A caller that is late skips the points that it has missed, and the later points stay
 * where they are.
 */
static inline int64_t
time_next_point(int64_t point, int64_t every, int64_t now)
{
    return time_add(now, every - (now - point) % every);
}

#endif
