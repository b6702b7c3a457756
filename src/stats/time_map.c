/*
 * Latencies over the time of a log of histograms. A column may have many intervals, so
 * the worst interval and the gaps are found while the intervals are added.
 */
#include "stats/time_map.h"

#include "base/time.h"
#include "stats/percentile.h"

#include <string.h>

#define MAX_SHIFT (62 - TIME_MAP_SHIFT)

/* Adds COUNT latencies to BIN of COLUMN. Drops those for which there is no room. */
static void
fill_bin(struct time_map *map, int column, int bin, uint64_t count)
{
    uint32_t room = UINT32_MAX - map->bins[column][bin];
    uint32_t added = count < room ? (uint32_t)count : room;

    map->bins[column][bin] += added;
    map->counts[column] += added;
}

/* Replaces every two successive columns by one. Memory that was never used is not
 * touched. */
static void
join_columns(struct time_map *map)
{
    for (int column = 0; column < TIME_MAP_COLUMNS; column++) {
        int into = column / 2;
        if (column == into || map->counts[column] == 0)
            continue;

        for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
            if (map->bins[column][bin] == 0)
                continue;
            fill_bin(map, into, bin, map->bins[column][bin]);
            map->bins[column][bin] = 0;
        }
        map->counts[column] = 0;
    }

    map->column_count = (map->column_count + 1) / 2;
    map->shift++;
}

void
time_map_add(struct time_map *map, int64_t offset, int64_t length, int bin,
             uint64_t count)
{
    while (map->shift < MAX_SHIFT && (time_map_width(map) < length ||
                                      offset / time_map_width(map) >= TIME_MAP_COLUMNS))
        join_columns(map);

    int column = (int)(offset / time_map_width(map));
    fill_bin(map, column, bin, count);
    if (column >= map->column_count)
        map->column_count = column + 1;
    map->interval.bins[bin] += count;
    map->interval.count += count;
}

/* Adds the gap between the last interval and the interval from BEGIN to END. */
static void
add_gap(struct time_map *map, int64_t begin, int64_t end)
{
    int64_t gap = begin - map->last.end;
    int64_t longer = map->last.end - map->last.begin;

    if (end - begin > longer)
        longer = end - begin;
    if (longer == 0 || gap <= 0 || gap < longer / 2)
        return;
    map->gap_total += gap;
    map->gap_count++;
}

/* Makes INTERVAL the interval of MORE, if its latency is longer. */
static void
keep_longer(struct time_map_interval *interval, const struct time_map_interval *more)
{
    if (more->latency > interval->latency)
        *interval = *more;
}

void
time_map_end_interval(struct time_map *map, int64_t offset, int64_t length)
{
    const struct percentile *p99 = &percentiles_common.list[1];
    struct histogram *histogram = &map->interval;
    struct time_map_interval interval = {.begin = offset,
                                         .end = time_add(offset, length)};
    if (histogram->count == 0)
        return;

    if (map->interval_count > 0)
        add_gap(map, interval.begin, interval.end);
    map->interval_count++;
    if (map->interval_count == 1 || interval.end > map->last.end)
        map->last = interval;

    if (histogram->count >= percentile_min_samples(p99)) {
        interval.latency =
            histogram_value(histogram, percentile_rank(p99, histogram->count));
        keep_longer(&map->worst, &interval);
    }
    interval.latency = histogram_value(histogram, histogram->count);
    keep_longer(&map->longest, &interval);
    memset(histogram, 0, sizeof(*histogram));
}

int
time_map_bin(const struct time_map *map, int column, uint64_t rank)
{
    uint64_t upto_count = 0;

    for (int bin = 0; bin < HISTOGRAM_BINS; bin++) {
        upto_count += map->bins[column][bin];
        if (upto_count >= rank)
            return bin;
    }
    return HISTOGRAM_BINS - 1;
}
