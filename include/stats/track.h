#ifndef STATS_TRACK_H
#define STATS_TRACK_H

#include "base/random.h"
#include "stats/stats.h"

#include <stdint.h>

struct histogram_series;

/*
 * A track: latencies over the time of a run, in constant memory, for plots. The first 400
 * requests that count are stored one by one, as marks. All requests are also summed up in
 * columns, each of which stands for an equal span of time. When a run needs more columns
 * than there are, all columns become twice as wide. All zero is a track that has not been
 * started. Memory of columns that are not needed is never touched.
 */
#define TRACK_MARKS 400
#define TRACK_COLUMNS 2048
#define TRACK_SHIFT 20 /* at first a column is 2^20 ns wide, about 1 ms */

struct track_mark {
    int64_t offset;  /* ns from the start of the track to the start of the request */
    int64_t latency; /* ns */
    enum operation operation;
};

/* The requests that started within the time of a column. */
struct track_column {
    uint64_t count;   /* requests that count */
    int64_t min, max; /* shortest and longest latency of the requests that count, ns;
                         0 if `count` is 0 */
    double sum;       /* sum of the latencies of the requests that count, ns; a double
                         never overflows */
    /* For each operation, the number of its requests that count, and the sum of their
     * latencies in ns. */
    uint64_t operation_counts[OPERATIONS];
    double operation_sums[OPERATIONS];
    uint64_t split_count; /* requests that count and were split into parts */
    double parts[PARTS];  /* sums of the parts of the split requests, ns */
    double sync;          /* sum of the flushes of the split requests, ns */
    uint64_t failed;      /* requests that failed */
    uint64_t missed;      /* due times for which no request was sent (struct sample) */
};

/* Adds all requests of the column MORE to INTO. */
void track_column_add(struct track_column *into, const struct track_column *more);

struct track {
    int64_t began_at;       /* monotonic, ns: where column 0 begins */
    int64_t slot_interval;  /* ns from one due time to the next; 0 without due times */
    int shift;              /* a column is 2^shift ns wide */
    int column_count;       /* columns in use; all other columns are zero */
    uint64_t request_count; /* requests that count; the first TRACK_MARKS of them have
                               marks, unless `has_intervals` */
    bool has_intervals;     /* the requests are known by their intervals only */
    struct track_mark marks[TRACK_MARKS]; /* the requests that were recorded first */
    struct track_column columns[TRACK_COLUMNS];
};

/* Returns whether all requests of TRACK have marks. */
static inline bool
track_has_all_marks(const struct track *track)
{
    return !track->has_intervals && track->request_count <= TRACK_MARKS;
}

/* Starts a track at BEGAN, a monotonic time in ns. Due times are EVERY ns apart. If
 * EVERY is 0, there are none, because requests are sent back to back. The track must be
 * all zero, or have been started before. Earlier requests are removed. */
void track_start(struct track *track, int64_t began, int64_t every);

/* Adds SAMPLE, which has a verdict. Samples may be added in any order. A sample that
 * started before the track is added to column 0. If SAMPLE neither counts nor failed,
 * only the due times that were missed because of it are added. */
void track_record(struct track *track, const struct sample *sample);

/* Adds the parts of SAMPLE, which counts. track_record adds the request itself, to this
 * track or to a track that is merged with this one. Does nothing if SAMPLE could not be
 * split. */
void track_split(struct track *track, const struct sample *sample);

/* Adds the requests of COLUMN, which were made within LENGTH ns from OFFSET ns after the
 * start of the track. Nothing more is known of them, so they have no marks, and no other
 * request of the track may have a mark. All columns become at least as wide as LENGTH. */
void track_add_interval(struct track *track, int64_t offset, int64_t length,
                        const struct track_column *column);

/* Adds COUNT successive due times for which no request was sent. They begin one interval
 * after AFTER, a monotonic time in ns. */
void track_miss(struct track *track, int64_t after, uint64_t count);

/* Adds all requests of MORE to INTO, as if they had been recorded there after the
 * requests of INTO. Both tracks must have started at the same time, unless INTO has no
 * requests. Then INTO takes over the start of MORE.
 */
void track_merge(struct track *into, const struct track *more);

/* A request that counts, in a time series. */
struct series_entry {
    int64_t start;   /* ns, by any clock */
    int64_t latency; /* ns */
};

/*
 * A time series: a sample of the requests of a run over time, in constant memory. As long
 * as there is room, every request that counts becomes an entry. Afterwards, one request
 * out of every 2^shift successive requests becomes an entry. This request is chosen at
 * random, so that the choice cannot coincide with a rhythm of the requests. All zero is a
 * series without room, in which nothing is recorded.
 */
struct time_series {
    struct series_entry *entries; /* owned by the caller of series_start */
    int capacity;                 /* room in `entries`, an even number; 0 if none */
    int count;                    /* entries in use */
    int shift;                    /* each entry stands for 2^shift requests */
    uint64_t request_count;       /* requests that were recorded so far */
    uint64_t next_index;          /* index, from 0, of the request that becomes the next
                                     entry */
    struct random random;
    /* the requests as histograms over time, if nothing more is known of them (a log of
     * histograms); there are no entries then. Else NULL */
    const struct histogram_series *histograms;
};

/* Starts a series in ENTRIES, which the caller owns and which must outlive the series.
 * MOST is the number of entries for which ENTRIES has room, an even number above 0. Equal
 * SEEDs make equal choices. */
void series_start(struct time_series *series, struct series_entry *entries, int most,
                  uint64_t seed);

/* Stores a request as an entry, and chooses the next request to store. START and LATENCY
 * are in ns. Only series_record calls this function, for the request with the index
 * `next_index`. */
void series_store(struct time_series *series, int64_t start, int64_t latency);

/* Adds a request that counts. START and LATENCY are in ns. Fast, because nearly all
 * requests of a long run are only counted. */
static inline void
series_record(struct time_series *series, int64_t start, int64_t latency)
{
    if (series->capacity == 0)
        return;

    uint64_t index = series->request_count++;
    if (index == series->next_index)
        series_store(series, start, latency);
}

/* Adds the entries of MORE, the series of another worker of the same run, to INTO. The
 * entries of INTO are not in order afterwards, and no request may be recorded in INTO any
 * more. */
void series_merge(struct time_series *into, const struct time_series *more);

#endif
