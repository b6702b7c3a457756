#ifndef BASE_LATER_H
#define BASE_LATER_H

#include <stdint.h>

/* Times, ns of whatever clock; INT64_MAX is never. */

/* MORE, not negative, after TIME; never, if that is beyond all times. */
static inline int64_t
later(int64_t time, int64_t more)
{
    return more > INT64_MAX - time ? INT64_MAX : time + more;
}

/* The first time after NOW on the grid of POINT, which is not after NOW: being late once
 * moves nothing. EVERY is above 0. */
static inline int64_t
later_point(int64_t point, int64_t every, int64_t now)
{
    return later(point, ((now - point) / every + 1) * every);
}

/* The first of two times. */
static inline int64_t
earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

#endif
