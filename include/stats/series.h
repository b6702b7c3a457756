#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "base/random.h"

#include <stdint.h>

/* A request that counts. */
struct series_entry {
    int64_t start, latency; /* ns; the start by any clock */
};

/*
 * Latencies over time, in constant memory: all requests that count as long as there is
 * room, then one of every 2^shift that follow each other, chosen at random, so that no
 * rhythm of the requests goes with that of the choice. All zero is a series without room,
 * in which nothing is recorded.
 */
struct time_series {
    struct series_entry *entries; /* memory of its owner */
    int most;                     /* entries that it has room for, even; 0: none */
    int used;
    int shift;
    uint64_t seen; /* requests */
    uint64_t next; /* of them, from 0, the one that becomes the next entry */
    struct random random;
};

/* Begin anew in ENTRIES, with room for MOST of them, an even number above 0. Equal SEEDs
 * make the same choices. */
void series_start(struct time_series *series, struct series_entry *entries, int most,
                  uint64_t seed);

/* Store a request as an entry, to which series_record has come. */
void series_keep(struct time_series *series, int64_t start, int64_t latency);

/* Add a request that counts. */
static inline void
series_record(struct time_series *series, int64_t start, int64_t latency)
{
    if (series->most && series->seen++ == series->next)
        series_keep(series, start, latency);
}

/*
 * Add what MORE has, requests of the same time. INTO may be fresh; nothing is recorded in
 * it afterwards, and its entries follow each other in no order.
 */
void series_merge(struct time_series *into, const struct time_series *more);

#endif
