#ifndef STATS_TIME_MAP_H
#define STATS_TIME_MAP_H

#include "stats/distribution.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Latencies over the time of a log of histograms, for a plot, in constant memory. Each
 * column has a histogram of an equal span of time. When a log needs more columns than
 * there are, every two successive columns become one. All zero is the empty map.
 */
#define TIME_MAP_COLUMNS 160 /* an even number */
#define TIME_MAP_SHIFT 20    /* at first a column is 2^20 ns wide, about 1 ms */

struct time_map {
    int64_t began_at; /* begin of the first column, ns; since 1970 if `is_utc` */
    bool is_utc;      /* else the clock of the log is not known */
    int shift;        /* a column is 2^(TIME_MAP_SHIFT + shift) ns wide */
    int column_count; /* columns in use */
    uint64_t counts[TIME_MAP_COLUMNS]; /* latencies, by column: the sum of its bins */
    /* By column, for the intervals that have latencies: when the first one begins, and
     * when the last one ends, in ns from the begin of the map. */
    int64_t first_at[TIME_MAP_COLUMNS], last_at[TIME_MAP_COLUMNS];
    uint32_t bins[TIME_MAP_COLUMNS][HISTOGRAM_BINS]; /* latencies, by column and bin;
                                                        never too high */
};

/* Adds COUNT latencies of BIN to the column at OFFSET ns from the begin of the map. They
 * are from an interval of LENGTH ns. All columns become at least as wide as LENGTH. */
void time_map_add(struct time_map *map, int64_t offset, int64_t length, int bin,
                  uint64_t count);

/* Returns the width of a column, in ns. */
static inline int64_t
time_map_width(const struct time_map *map)
{
    return INT64_C(1) << (TIME_MAP_SHIFT + map->shift);
}

/* Finds the gaps: times without latencies that leave at least one column empty, and that
 * are at least half as long as a column. Stores the sum of their times in TOTAL, in ns.
 * Returns the number of gaps. */
int time_map_gaps(const struct time_map *map, int64_t *total);

/* Returns the bin that has the latency with RANK in COLUMN. */
int time_map_bin(const struct time_map *map, int column, uint64_t rank);

#endif
