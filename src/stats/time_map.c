/*
 * Latencies over the time of a log of histograms.
 */
#include "stats/time_map.h"

#define MAX_SHIFT (62 - TIME_MAP_SHIFT)

/* Extends the times of COLUMN to include the time from BEGIN to END, in ns. Call it
 * before the latencies of this time are counted. */
static void
extend_column(struct time_map *map, int column, int64_t begin, int64_t end)
{
    bool is_empty = map->counts[column] == 0;

    if (is_empty || begin < map->first_at[column])
        map->first_at[column] = begin;
    if (is_empty || end > map->last_at[column])
        map->last_at[column] = end;
}

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

        extend_column(map, into, map->first_at[column], map->last_at[column]);
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
    extend_column(map, column, offset, offset + length);
    fill_bin(map, column, bin, count);
    if (column >= map->column_count)
        map->column_count = column + 1;
}

int
time_map_gaps(const struct time_map *map, int64_t *total)
{
    int previous = -1; /* the last column so far that has latencies */
    int count = 0;

    *total = 0;
    for (int column = 0; column < map->column_count; column++) {
        if (map->counts[column] == 0)
            continue;
        int64_t gap = 0;
        if (previous >= 0 && column > previous + 1)
            gap = map->first_at[column] - map->last_at[previous];
        if (gap >= time_map_width(map) / 2) {
            *total += gap;
            count++;
        }
        previous = column;
    }
    return count;
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
