#ifndef STATS_TRACK_H
#define STATS_TRACK_H

#include "base/random.h"
#include "stats/stats.h"

#include <stdint.h>

/*
 * Latencies over the time of a run, in constant memory, for plots. The first requests
 * that count are stored one by one, as marks. All are summed up in columns of equal width
 * in time, which doubles whenever the run outgrows them. All zero is a track that was not
 * begun. Columns that are not needed stay untouched.
 */
#define TRACK_MARKS 400
#define TRACK_COLUMNS 2048
#define TRACK_SHIFT 20 /* the first columns are 2^20 ns wide, about 1 ms */

struct track_mark {
    int64_t offset; /* ns from the start of the track to that of the request */
    int64_t latency;
};

struct track_column {
    uint64_t count;   /* requests that count, and started in it */
    int64_t min, max; /* of their latencies, ns; 0 of none */
    double sum;       /* of their latencies, ns; floating, as it has to bear any length */
    uint64_t split;   /* of the requests, those that were split, with the sums: */
    double parts[PARTS], sync;
    uint64_t failed;
    uint64_t missed; /* grid points in it at which no request was sent */
};

/* Add all that MORE has. */
void track_column_add(struct track_column *into, const struct track_column *more);

struct track {
    int64_t began_at;      /* monotonic, ns: where column 0 begins */
    int64_t slot_interval; /* ns from one grid point to the next; 0: there is no grid */
    int shift;             /* a column is 2^shift ns wide */
    int column_count;      /* columns from the first; the others are all zero */
    uint64_t
        request_count; /* requests that count; up to TRACK_MARKS, all of them are marks */
    struct track_mark marks[TRACK_MARKS]; /* the first that were recorded */
    struct track_column columns[TRACK_COLUMNS];
};

/* Begin anew at BEGAN, a monotonic time, with a grid point EVERY so many ns, or 0: none.
 * The track is all zero or was begun before. */
void track_start(struct track *track, int64_t began, int64_t every);

/* Add a judged sample, in any order of starts; one from before the track counts as
 * started with it. One that neither counts nor failed adds only what it missed. */
void track_record(struct track *track, const struct sample *sample);

/* Add the parts of a sample that counts and was recorded before, no matter how long ago;
 * nothing if it could not be split. */
void track_split(struct track *track, const struct sample *sample);

/* Add the COUNT grid points next after AFTER, monotonic, at which nothing was sent. */
void track_miss(struct track *track, int64_t after, uint64_t count);

/* Add all that MORE has recorded, which began at the same time, as if it had been
 * recorded here; only marks may differ in their order. INTO may be all zero. */
void track_merge(struct track *into, const struct track *more);

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
    int capacity;                 /* entries that it has room for, even; 0: none */
    int count;
    int shift;
    uint64_t request_count; /* requests */
    uint64_t next_index;    /* of them, from 0, the one that becomes the next entry */
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
    if (series->capacity && series->request_count++ == series->next_index)
        series_keep(series, start, latency);
}

/* Add what MORE has, requests of the same time. Nothing is recorded in INTO afterwards,
 * and its entries follow each other in no order. */
void series_merge(struct time_series *into, const struct time_series *more);

#endif
