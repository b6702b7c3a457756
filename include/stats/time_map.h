#ifndef STATS_TIME_MAP_H
#define STATS_TIME_MAP_H

#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Latencies over the time of a log of histograms, in constant memory: for a plot, and for
 * the question when the latencies were worst. Each column has a histogram of an equal
 * span of time. When a log needs more columns than there are, every two successive
 * columns become one. All zero is the empty map.
 *
 * The log has intervals. The caller adds the latencies of an interval, and then ends it.
 */
#define TIME_MAP_COLUMNS 160 /* an even number */
#define TIME_MAP_SHIFT 20    /* at first a column is 2^20 ns wide, about 1 ms */

/* An interval of the log, in ns from the begin of the map. */
struct time_map_interval {
    int64_t begin, end;
    int64_t latency; /* ns; 0: no interval was found yet */
};

struct time_map {
    int64_t began_at; /* begin of the first column, ns; since 1970 if `is_utc` */
    bool is_utc;      /* else the clock of the log is not known */
    int shift;        /* a column is 2^(TIME_MAP_SHIFT + shift) ns wide */
    int column_count; /* columns in use */
    uint64_t counts[TIME_MAP_COLUMNS]; /* latencies, by column: the sum of its bins */
    uint32_t bins[TIME_MAP_COLUMNS][HISTOGRAM_BINS]; /* latencies, by column and bin;
                                                        never too high */

    struct histogram interval;      /* the latencies since the last end of an interval */
    uint64_t interval_count;        /* intervals that have latencies */
    struct time_map_interval last;  /* of these, the one that was added last */
    struct time_map_interval worst; /* the one with the highest p99, of those with
                                       enough latencies for p99 */
    struct time_map_interval longest; /* the one with the longest latency */
    uint64_t gap_count;               /* times without latencies */
    int64_t gap_total;                /* their sum, in ns */
};

/* Adds COUNT latencies of BIN to the present interval, which begins at OFFSET ns from the
 * begin of the map and has a length of LENGTH ns. All columns become at least as wide as
 * LENGTH. */
void time_map_add(struct time_map *map, int64_t offset, int64_t length, int bin,
                  uint64_t count);

/*
 * Ends the present interval, which begins at OFFSET and has a length of LENGTH ns. The
 * time after the end of the last interval with latencies, up to the begin of this one, is
 * a gap if it is at least half as long as the longer of the two. Shorter times come from
 * clocks and rounding. Does nothing if the interval has no latencies.
 */
void time_map_end_interval(struct time_map *map, int64_t offset, int64_t length);

/* Returns the width of a column, in ns. */
static inline int64_t
time_map_width(const struct time_map *map)
{
    return INT64_C(1) << (TIME_MAP_SHIFT + map->shift);
}

/* Returns the bin that has the latency with RANK in COLUMN. */
int time_map_bin(const struct time_map *map, int column, uint64_t rank);

#endif
