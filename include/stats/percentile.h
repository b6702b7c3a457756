#ifndef STATS_PERCENTILE_H
#define STATS_PERCENTILE_H

#include "io/operations.h"

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct histogram;
struct moments;
struct stats;

/* 100 % in billionths. With this unit, percentiles of up to seven decimals are exact. */
#define PERCENTILE_HUNDRED 1000000000LL

#define PERCENTILES_MAX 16

struct percentile {
    int64_t billionths; /* above 0 and below PERCENTILE_HUNDRED */
    char name[16];      /* such as "99.9" */
};

/* Percentiles in the order in which they are shown. */
struct percentiles {
    int count;
    bool is_given; /* the user gave the list, so it is shown even if few requests count */
    struct percentile list[PERCENTILES_MAX];
};

/* The percentiles that are shown by default: 50, 90, 99, 99.9. */
extern const struct percentiles percentiles_default;

/* The percentiles that are shown where there is little room: 50, 99. */
extern const struct percentiles percentiles_common;

/* Reads a percentile above 0 and below 100, with up to seven decimals, from LENGTH bytes
 * of TEXT. Returns NULL, or the reason why the text is refused. */
const char *percentile_parse(const char *text, int length, struct percentile *percentile);

/* Reads a list of percentiles, separated by commas, or "none". Returns NULL, or the
 * reason why the text is refused; LIST is undefined then. */
const char *percentiles_parse(const char *text, struct percentiles *list);

/* Adds suggestions for a list of percentiles to TEXT, one on each line: "none", and the
 * default list. */
void percentiles_list(struct buffer *text);

/* Returns the nearest rank of PERCENTILE among COUNT values in ascending order, from 1:
 * the smallest rank that is at least COUNT times the percentile. */
uint64_t percentile_rank(const struct percentile *percentile, uint64_t count);

/* Returns how many values are needed to know the percentile: 1/(1-p) - 1, rounded up, and
 * at least 1, where p is the percentile as a fraction. With fewer values, the percentile
 * is always the largest value. */
uint64_t percentile_min_samples(const struct percentile *percentile);

/* A figure is about a scope: all requests, the requests of one operation, or a part of
 * the time of requests. */
enum scope {
    SCOPE_ALL, /* all requests that count */
    /* the requests of the first operation of enum operation, if operations are mixed. The
     * scopes of the other operations follow, in the order of enum operation */
    SCOPE_OPERATION,
    SCOPE_SYNC = SCOPE_OPERATION + OPERATION_FLUSH, /* flushes after writes */
    SCOPE_SUBMIT, /* the parts of the time, in the order of enum part, up to
                     SCOPE_RETURN */
    SCOPE_STACK,
    SCOPE_QUEUE,
    SCOPE_DEVICE,
    SCOPE_RETURN,
    SCOPE_SYNC_DEVICE, /* the time for which the device worked on flushes; no SLO can
                          limit it */
    SCOPES
};

/* Returns the name of SCOPE, such as "read" or "sync_device"; "" for SCOPE_ALL. */
const char *scope_name(enum scope scope);

/* Returns the operation that SCOPE is about. SCOPE must be an operation or SCOPE_SYNC. */
static inline enum operation
scope_operation(enum scope scope)
{
    return (enum operation)(scope - SCOPE_OPERATION);
}

/* Returns whether SCOPE is about one operation, reads or writes. */
static inline bool
scope_is_operation(enum scope scope)
{
    return scope > SCOPE_ALL && scope < SCOPE_SYNC;
}

/* Returns whether SCOPE is about a part of the time of requests, flushes included. */
static inline bool
scope_is_part(enum scope scope)
{
    return scope >= SCOPE_SYNC;
}

/* The latencies of a scope. The pointers refer to the statistics. */
struct latencies {
    const struct moments *moments;     /* without the waits that -corrected adds */
    const struct histogram *histogram; /* for percentiles; with -corrected, also the waits
                                        * of requests that could not be sent */
    const struct histogram *uncorrected; /* without the waits that -corrected adds */
    int64_t max;       /* ns: at least the longest latency or wait in `histogram` */
    bool is_corrected; /* `histogram` has the waits that -corrected adds */
};

/* Returns the latencies of SCOPE. They refer to STATS, which must outlive them. */
struct latencies latencies_of(const struct stats *stats, enum scope scope);

/* Counts of all requests, or of the requests of one operation. */
struct scope_counts {
    uint64_t requests, failed, missed; /* as in struct stats */
    int64_t bytes, last_end;           /* as in struct stats */
};

/* Returns the counts of one operation if SCOPE is an operation, else the counts of all
 * requests. */
struct scope_counts scope_counts_of(const struct stats *stats, enum scope scope);

/* Returns the next scope after SCOPE for which STATS have figures: an operation if
 * several are mixed, or a part that at least one request has. Returns SCOPES if there is
 * no further scope. To visit all scopes, begin with SCOPE_ALL. */
enum scope scope_next(const struct stats *stats, enum scope scope);

/* Returns the scope of the first operation if several are mixed, else SCOPE_ALL. */
enum scope scope_first(const struct stats *stats);

/* Returns a percentile of LATENCIES, in ns. It lies between the shortest and the longest
 * latency or wait. Returns 0 if there are no latencies. */
int64_t latencies_percentile(const struct latencies *latencies,
                             const struct percentile *percentile);

/* Returns a percentile in ns, as latencies_percentile does. Returns -1 if there are too
 * few requests to know the percentile (percentile_min_samples). */
int64_t latencies_known_percentile(const struct latencies *latencies,
                                   const struct percentile *percentile);

/* Returns how many requests took longer than LIMIT ns. Waits are not counted. Latencies
 * are rounded to the middle of their bins, as percentiles are. So the answer agrees with
 * a comparison of a percentile and LIMIT. */
uint64_t latencies_count_above(const struct latencies *latencies, int64_t limit);

/* Returns a percentile of all requests of STATS that count, in ns. Returns 0 if no
 * request counts. */
int64_t stats_percentile(const struct stats *stats, const struct percentile *percentile);

/* Returns which percentiles of LIST are shown if COUNT requests count, as a bit mask by
 * index. A list that the user gave is shown if COUNT is above 0. In any other list, a
 * percentile is shown if COUNT requests are enough for it (percentile_min_samples). */
unsigned percentiles_shown(const struct percentiles *list, uint64_t count);

#define BUCKETS_MAX 64

/* The upper bounds of the buckets of an exported histogram, in ns, ascending. A bucket
 * has all latencies that are at most its bound, as in Prometheus. */
struct buckets {
    int count;
    int64_t list[BUCKETS_MAX];
};

/* The default bounds: each 1 us * 2^k up to 33.5 s, and another bound in the middle of
 * each octave that overlaps the range of 50 us to 1 s. All bounds are upper bounds of
 * bins of struct histogram, so that histogram_count_upto is exact for them. */
extern const struct buckets buckets_default;

/* Reads bounds from TEXT: ascending times, separated by commas, above 0 and at most an
 * hour. Returns NULL, or the reason why TEXT is refused; BUCKETS is undefined then. */
const char *buckets_parse(const char *text, struct buckets *buckets);

#endif
