/*
 * A sample of the requests of a run, in the order that they were made. As soon as there
 * is no room, half of it goes, and only half as many requests come to it from then on.
 */
#include "stats/series.h"

/* Choose the next entry among the requests of the group that begins. */
static void
choose(struct time_series *series)
{
    uint64_t group = (uint64_t)series->used << series->shift;
    uint64_t bits = random_next(&series->random) & ((1ULL << series->shift) - 1);
    series->next = group + bits;
}

void
series_start(struct time_series *series, struct series_entry *entries, int most,
             uint64_t seed)
{
    *series = (struct time_series){.entries = entries, .most = most};
    random_seed(&series->random, seed);
}

/* Halve the entries: one of each pair stays, so that each request of both had the same
 * chance. One without a partner stays if it is lucky. */
static void
halve(struct time_series *series)
{
    struct series_entry *entries = series->entries;
    int left = 0;
    uint64_t bits = 0;
    for (int i = 0; i < series->used; i += 2, bits >>= 1) {
        if (i % 128 == 0)
            bits = random_next(&series->random);
        int chosen = i + (int)(bits & 1);
        if (chosen < series->used)
            entries[left++] = entries[chosen];
    }
    series->used = left;
    series->shift++;
}

void
series_keep(struct time_series *series, int64_t start, int64_t latency)
{
    series->entries[series->used++] = (struct series_entry){start, latency};
    if (series->used == series->most)
        halve(series);
    choose(series);
}

void
series_merge(struct time_series *into, const struct time_series *more)
{
    uint64_t used = (uint64_t)more->used, size;
    if (into->most == 0)
        return;
    while (into->shift < more->shift)
        halve(into);
    for (uint64_t first = 0; first < used; first += size) {
        size = 1ULL << (into->shift - more->shift);
        uint64_t chosen = first + (random_next(&into->random) & (size - 1));
        if (chosen < used)
            into->entries[into->used++] = more->entries[chosen];
        if (into->used == into->most)
            halve(into);
    }
    into->seen += more->seen;
}
