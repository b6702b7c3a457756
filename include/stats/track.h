#ifndef STATS_TRACK_H
#define STATS_TRACK_H

#include "stats/sample.h"

#include <stdint.h>

/*
 * What came when, in constant memory: for a picture of the run. While few
 * requests count each is kept as a mark; all are kept in columns of equal width
 * in time, which double whenever the run outgrows them.
 *
 * A track may lie in memory of all zeroes; what is not needed stays untouched.
 */
#define TRACK_MARKS 400
#define TRACK_COLUMNS 2048
#define TRACK_SHIFT 20 /* the first columns are 2^20 ns wide, about 1 ms */

struct track_mark {
    int64_t offset; /* ns from the track's begin to the request's start */
    int64_t latency;
};

struct track_column {
    uint64_t count;   /* requests that count, and started in it */
    int64_t min, max; /* of their latencies, ns; 0 of none */
    double sum;       /* the same; for a mean that is drawn, and never too large */
    uint64_t failed;
    uint64_t missed; /* grid points in it for which nothing was sent */
};

struct track {
    int64_t began; /* monotonic, ns: where column 0 begins */
    int64_t every; /* ns from one grid point to the next; 0: there is no grid */
    int shift;     /* a column is 2^shift ns wide */
    int used;      /* columns; the others are all zero */
    uint64_t seen; /* requests that count; up to TRACK_MARKS, all of them are marks */
    struct track_mark marks[TRACK_MARKS]; /* the first that were recorded */
    struct track_column columns[TRACK_COLUMNS];
};

/* Begins anew at BEGAN, a monotonic time, with a grid point EVERY so many ns, or 0; the
 * track is all zero or was begun before. */
void track_start(struct track *track, int64_t began, int64_t every);

/*
 * Adds a judged sample, in any order of their starts; one that started before
 * the track did is put to its begin. Warm-up and what else is kept out of the
 * statistics without having failed is left out, but for the grid points it missed.
 */
void track_record(struct track *track, const struct sample *sample);

/* Adds COUNT grid points for which nothing was sent: those after AFTER, monotonic. */
void track_miss(struct track *track, int64_t after, uint64_t count);

/*
 * Adds all that MORE has seen, which began at the same time, as if it had been
 * recorded here; only marks may differ in their order. INTO may be all zero.
 */
void track_merge(struct track *into, const struct track *more);

#endif
