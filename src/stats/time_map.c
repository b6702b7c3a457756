/*
 * Latencies over the time of a log of histograms.
 */
#include "stats/time_map.h"

#define MAX_SHIFT (62 - TIME_MAP_SHIFT)

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
            uint64_t sum = (uint64_t)map->bins[into][bin] + map->bins[column][bin];
            if (map->bins[column][bin] == 0)
                continue;
            map->bins[into][bin] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
            map->bins[column][bin] = 0;
        }
        map->counts[into] += map->counts[column];
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
    uint32_t room = UINT32_MAX - map->bins[column][bin];
    uint32_t added = count < room ? (uint32_t)count : room;
    map->bins[column][bin] += added;
    map->counts[column] += added;
    if (column >= map->column_count)
        map->column_count = column + 1;
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
