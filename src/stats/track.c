/*
 * Tracks and series: two ways to store a run of any length in constant memory.
 *
 * - A track has columns, which are sums over equal spans of time. When the run needs more
 *   columns than there are, columns are merged in pairs and become twice as wide. So a
 *   long run always uses more than half of the columns.
 *
 * - A series has entries, which are single requests. When there is no room left, one
 *   entry of each pair is removed, and from then on half as many requests become entries.
 *   So a long run always has at least half as many entries as there is room for.
 */
#include "stats/track.h"

#include <string.h>

void
track_start(struct track *track, int64_t began, int64_t every)
{
    memset(track->columns, 0, (size_t)track->column_count * sizeof(track->columns[0]));
    track->began_at = began;
    track->slot_interval = every;
    track->shift = TRACK_SHIFT;
    track->column_count = 0;
    track->request_count = 0;
}

void
track_column_add(struct track_column *into, const struct track_column *more)
{
    if (more->count) {
        if (into->count == 0 || more->min < into->min)
            into->min = more->min;
        if (more->max > into->max)
            into->max = more->max;
    }

    into->count += more->count;
    into->sum += more->sum;
    into->split += more->split;
    for (int i = 0; i < PARTS; i++)
        into->parts[i] += more->parts[i];
    into->sync += more->sync;
    into->failed += more->failed;
    into->missed += more->missed;
}

/* Merges the columns in pairs, into columns of twice the width. */
static void
widen(struct track *track)
{
    struct track_column *columns = track->columns;
    int left = (track->column_count + 1) / 2;

    for (int i = 0; i < left; i++) {
        columns[i] = columns[2 * i];
        if (2 * i + 1 < track->column_count)
            track_column_add(&columns[i], &columns[2 * i + 1]);
    }

    memset(&columns[left], 0, (size_t)(track->column_count - left) * sizeof(columns[0]));
    track->column_count = left;
    track->shift++;
}

/* Returns the column at OFFSET ns after the start of the track. Widens the columns until
 * there is one. */
static struct track_column *
find_column(struct track *track, int64_t offset)
{
    while (offset >> track->shift >= TRACK_COLUMNS)
        widen(track);
    int index = (int)(offset >> track->shift);
    if (index >= track->column_count)
        track->column_count = index + 1;
    return &track->columns[index];
}

/* Returns the ns from the start of the track to TIME, or 0 if TIME is earlier. */
static int64_t
find_offset(const struct track *track, int64_t time)
{
    return time > track->began_at ? time - track->began_at : 0;
}

/* All grid points that lie in one column are added at once. */
void
track_miss(struct track *track, int64_t after, uint64_t count)
{
    int64_t every = track->slot_interval;
    int64_t offset = find_offset(track, after);
    while (count > 0) {
        offset += every;
        struct track_column *column = find_column(track, offset);
        int64_t end = ((offset >> track->shift) + 1) << track->shift;
        uint64_t inside = every ? (uint64_t)((end - offset - 1) / every) + 1 : count;
        inside = inside < count ? inside : count;
        column->missed += inside;
        count -= inside;
        offset += (int64_t)(inside - 1) * every;
    }
}

/* Adds the grid points that were missed because of SAMPLE: first those directly before
 * its start, then those directly after its start. */
static void
miss_around(struct track *track, const struct sample *sample)
{
    int64_t before = (int64_t)sample->missed_before;
    track_miss(track, sample->start - (before + 1) * track->slot_interval,
               sample->missed_before);
    track_miss(track, sample->start, sample->missed - sample->missed_before);
}

void
track_record(struct track *track, const struct sample *sample)
{
    bool counts = sample_counts(sample), failed = sample_failed(sample);
    if (sample->missed)
        miss_around(track, sample);
    if (!counts && !failed)
        return;

    int64_t offset = find_offset(track, sample->start);
    struct track_column one = {.count = counts,
                               .min = sample->latency,
                               .max = sample->latency,
                               .sum = counts ? (double)sample->latency : 0,
                               .failed = failed};
    track_column_add(find_column(track, offset), &one);

    if (counts && track->request_count < TRACK_MARKS)
        track->marks[track->request_count] = (struct track_mark){offset, sample->latency};
    track->request_count += counts;
}

void
track_split(struct track *track, const struct sample *sample)
{
    const struct split *split = &sample->split;
    if (split->result != SPLIT_DONE)
        return;

    struct track_column *column = find_column(track, find_offset(track, sample->start));
    column->split++;
    for (int i = 0; i < PARTS; i++)
        column->parts[i] += (double)split->part[i];
    column->sync += (double)sample->sync;
}

void
track_merge(struct track *into, const struct track *more)
{
    if (more->column_count == 0)
        return;

    if (into->column_count == 0)
        track_start(into, more->began_at, more->slot_interval);
    while (into->shift < more->shift)
        widen(into);
    for (int i = 0; i < more->column_count; i++)
        track_column_add(find_column(into, (int64_t)i << more->shift), &more->columns[i]);
    for (uint64_t i = 0; i < more->request_count && into->request_count + i < TRACK_MARKS;
         i++)
        into->marks[into->request_count + i] = more->marks[i];
    into->request_count += more->request_count;
}

void
series_start(struct time_series *series, struct series_entry *entries, int most,
             uint64_t seed)
{
    *series = (struct time_series){.entries = entries, .capacity = most};
    random_seed(&series->random, seed);
}

/* Halves the entries. Of each pair, one entry stays, chosen at random, so that all
 * requests that the pair stands for have the same chance. An entry without a partner
 * stays with a chance of 1/2. */
static void
halve(struct time_series *series)
{
    struct series_entry *entries = series->entries;
    int left = 0;
    uint64_t bits = 0;

    for (int i = 0; i < series->count; i += 2, bits >>= 1) {
        if (i % 128 == 0)
            bits = random_next(&series->random);
        int chosen = i + (int)(bits & 1);
        if (chosen < series->count)
            entries[left++] = entries[chosen];
    }

    series->count = left;
    series->shift++;
}

/* The requests are divided into groups of 2^shift successive requests, one group for each
 * entry. The next entry is chosen at random in the group that begins now. */
void
series_keep(struct time_series *series, int64_t start, int64_t latency)
{
    series->entries[series->count++] = (struct series_entry){start, latency};
    if (series->count == series->capacity)
        halve(series);
    series->next_index = ((uint64_t)series->count << series->shift) +
                         (random_next(&series->random) & ((1ULL << series->shift) - 1));
}

/* If MORE has entries for fewer requests than INTO, one entry out of SIZE of them is
 * chosen at random. The last group may be incomplete; it is left out if a missing entry
 * is chosen. */
void
series_merge(struct time_series *into, const struct time_series *more)
{
    uint64_t used = (uint64_t)more->count;
    uint64_t size;
    if (into->capacity == 0)
        return;

    while (into->shift < more->shift)
        halve(into);
    for (uint64_t first = 0; first < used; first += size) {
        size = 1ULL << (into->shift - more->shift);
        uint64_t chosen = first + (random_next(&into->random) & (size - 1));
        if (chosen < used)
            into->entries[into->count++] = more->entries[chosen];
        if (into->count == into->capacity)
            halve(into);
    }

    into->request_count += more->request_count;
}
