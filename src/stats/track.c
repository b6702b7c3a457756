/*
 * Tracks and series: two ways to store a run of any length in constant memory.
 *
 * - A track has columns, which are sums over equal spans of time. When the run needs more
 *   columns than there are, columns are merged in pairs and become twice as wide. So a
 *   long run always uses more than half of the columns.
 *
 * - A series has entries, which are single requests. When there is no more room, one
 *   entry of each pair is removed, and from then on half as many requests become entries.
 *   So a long run always uses at least half of the room.
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
    for (int i = 0; i < OPERATIONS; i++) {
        into->operation_counts[i] += more->operation_counts[i];
        into->operation_sums[i] += more->operation_sums[i];
    }
    into->split_count += more->split_count;
    for (int i = 0; i < PARTS; i++)
        into->parts[i] += more->parts[i];
    into->sync += more->sync;
    into->failed += more->failed;
    into->missed += more->missed;
}

/* Merges the columns in pairs, into columns of twice the width. */
static void
widen_columns(struct track *track)
{
    struct track_column *columns = track->columns;
    int pair_count = (track->column_count + 1) / 2;

    for (int i = 0; i < pair_count; i++) {
        columns[i] = columns[2 * i];
        if (2 * i + 1 < track->column_count)
            track_column_add(&columns[i], &columns[2 * i + 1]);
    }

    memset(&columns[pair_count], 0,
           (size_t)(track->column_count - pair_count) * sizeof(columns[0]));
    track->column_count = pair_count;
    track->shift++;
}

/* Returns the column at OFFSET ns after the start of the track. Widens the columns until
 * they reach up to OFFSET. */
static struct track_column *
find_column(struct track *track, int64_t offset)
{
    while (offset >> track->shift >= TRACK_COLUMNS)
        widen_columns(track);
    int index = (int)(offset >> track->shift);
    if (index >= track->column_count)
        track->column_count = index + 1;
    return &track->columns[index];
}

/* Returns the time from the start of the track to TIME, in ns. Returns 0 if TIME is
 * before the start. */
static int64_t
find_offset(const struct track *track, int64_t time)
{
    return time > track->began_at ? time - track->began_at : 0;
}

/* All due times that lie in one column are added at once. */
void
track_miss(struct track *track, int64_t after, uint64_t count)
{
    int64_t interval = track->slot_interval;
    int64_t offset = find_offset(track, after);

    while (count > 0) {
        offset += interval;
        struct track_column *column = find_column(track, offset);
        int64_t end = ((offset >> track->shift) + 1) << track->shift;

        uint64_t inside = count;
        if (interval > 0)
            inside = (uint64_t)((end - offset - 1) / interval) + 1;
        if (inside > count)
            inside = count;
        column->missed += inside;
        count -= inside;
        offset += (int64_t)(inside - 1) * interval;
    }
}

/* Adds the due times that were missed because of SAMPLE: first the due times directly
 * before its start, then the due times directly after its start. */
static void
miss_around(struct track *track, const struct sample *sample)
{
    int64_t points_before = (int64_t)sample->missed_before;
    track_miss(track, sample->start - (points_before + 1) * track->slot_interval,
               sample->missed_before);
    track_miss(track, sample->start, sample->missed - sample->missed_before);
}

void
track_record(struct track *track, const struct sample *sample)
{
    bool counts = sample_counts(sample);
    bool failed = sample_failed(sample);
    if (sample->missed)
        miss_around(track, sample);
    if (!counts && !failed)
        return;

    int64_t offset = find_offset(track, sample->start);
    struct track_column *column = find_column(track, offset);
    if (failed) {
        column->failed++;
        return;
    }

    struct track_column request = {.count = 1,
                                   .min = sample->latency,
                                   .max = sample->latency,
                                   .sum = (double)sample->latency};
    request.operation_counts[sample->operation] = 1;
    request.operation_sums[sample->operation] = request.sum;
    track_column_add(column, &request);
    if (track->request_count < TRACK_MARKS)
        track->marks[track->request_count] =
            (struct track_mark){offset, sample->latency, sample->operation};
    track->request_count++;
}

void
track_add_interval(struct track *track, int64_t offset, int64_t length,
                   const struct track_column *column)
{
    while (track->shift < 62 && 1ll << track->shift < length)
        widen_columns(track);
    track_column_add(find_column(track, offset), column);
    track->request_count += column->count;
    track->has_intervals = true;
}

void
track_split(struct track *track, const struct sample *sample)
{
    const struct split *split = &sample->split;
    if (split->result != SPLIT_DONE)
        return;

    struct track_column *column = find_column(track, find_offset(track, sample->start));
    column->split_count++;
    for (int i = 0; i < PARTS; i++)
        column->parts[i] += (double)split->part[i];
    column->sync += (double)sample->sync;
}

/* Copies marks of MORE to INTO until INTO has TRACK_MARKS of them. */
static void
merge_marks(struct track *into, const struct track *more)
{
    uint64_t mark_count = into->request_count;

    for (uint64_t i = 0; i < more->request_count; i++) {
        if (mark_count >= TRACK_MARKS)
            break;
        into->marks[mark_count++] = more->marks[i];
    }
}

void
track_merge(struct track *into, const struct track *more)
{
    if (more->column_count == 0)
        return;

    if (into->column_count == 0)
        track_start(into, more->began_at, more->slot_interval);
    while (into->shift < more->shift)
        widen_columns(into);
    for (int i = 0; i < more->column_count; i++)
        track_column_add(find_column(into, (int64_t)i << more->shift), &more->columns[i]);
    merge_marks(into, more);
    into->request_count += more->request_count;
}

void
series_start(struct time_series *series, struct series_entry *entries, int most,
             uint64_t seed)
{
    *series = (struct time_series){.entries = entries, .capacity = most};
    random_seed(&series->random, seed);
}

/* Removes half of the entries: one entry of each pair, chosen at random, so that all
 * requests for which the pair stands have the same chance. An entry without a partner
 * stays with a chance of 1/2. Each choice takes one random bit. */
static void
halve_entries(struct time_series *series)
{
    struct series_entry *entries = series->entries;
    int remaining_count = 0;
    uint64_t bits = 0;

    for (int i = 0; i < series->count; i += 2) {
        /* Each pair needs one random bit, so 64 new bits are needed after every 128
         * entries. */
        if (i % 128 == 0)
            bits = random_next(&series->random);
        int chosen = i + (int)(bits & 1);
        if (chosen < series->count)
            entries[remaining_count++] = entries[chosen];
        bits >>= 1;
    }

    series->count = remaining_count;
    series->shift++;
}

/* The requests are divided into groups of 2^shift successive requests. Each group gives
 * one entry. The next entry is chosen at random from the group that begins now. */
void
series_store(struct time_series *series, int64_t start, int64_t latency)
{
    series->entries[series->count++] = (struct series_entry){start, latency};
    if (series->count == series->capacity)
        halve_entries(series);
    series->next_index = ((uint64_t)series->count << series->shift) +
                         (random_next(&series->random) & ((1ULL << series->shift) - 1));
}

/* Each entry of MORE may stand for fewer requests than an entry of INTO does. Then the
 * entries of MORE are divided into groups of GROUP_SIZE, which stand for as many requests
 * as one entry of INTO. One entry of each group is chosen at random. If the last group is
 * incomplete, an entry that is missing may be chosen. Then the group gives no entry. */
void
series_merge(struct time_series *into, const struct time_series *more)
{
    uint64_t entry_count = (uint64_t)more->count;
    uint64_t group_size;
    if (into->capacity == 0)
        return;

    while (into->shift < more->shift)
        halve_entries(into);
    for (uint64_t first = 0; first < entry_count; first += group_size) {
        /* Computed for each group, because halve_entries changes the shift of INTO. */
        group_size = 1ULL << (into->shift - more->shift);
        uint64_t chosen = first + (random_next(&into->random) & (group_size - 1));
        if (chosen < entry_count)
            into->entries[into->count++] = more->entries[chosen];
        if (into->count == into->capacity)
            halve_entries(into);
    }

    into->request_count += more->request_count;
}
