#ifndef STATS_BUCKETS_H
#define STATS_BUCKETS_H

#include <stdint.h>

struct buffer;

#define BUCKETS_MOST 64

/* The upper bounds of the buckets of a histogram for others, ns, ascending. Each bucket
 * has all that is at most its bound. */
struct buckets {
    int count;
    int64_t list[BUCKETS_MOST];
};

/*
 * The bounds unless others are asked for: each 1 us * 2^k up to 33.5 s and, in the
 * octaves that lie between 50 us and 1 s or reach into that, another in the middle. All
 * are ends of bins of struct histogram, so that what histogram_count counts up to them
 * is exact.
 */
extern const struct buckets buckets_default;

/*
 * Read bounds, times with commas between that rise, above 0 and an hour at most. Returns
 * NULL, or why TEXT is refused; then BUCKETS is undefined.
 */
const char *buckets_parse(const char *text, struct buckets *buckets);

#endif
