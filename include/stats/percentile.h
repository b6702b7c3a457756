#ifndef STATS_PERCENTILE_H
#define STATS_PERCENTILE_H

#include "io/operations.h"

#include <stdbool.h>
#include <stdint.h>

struct buffer;
struct histogram;
struct moments;
struct stats;

/* 100 %, in billionths, so that percentiles of up to seven decimals are exact. */
#define PERCENTILE_HUNDRED 1000000000LL

#define PERCENTILES_MOST 16

struct percentile {
    int64_t billionths; /* below PERCENTILE_HUNDRED, above 0 */
    char name[16];      /* such as "99.9" */
};

/* Percentiles in the order in which they are shown. */
struct percentiles {
    int count;
    bool is_given; /* by the user, so shown however few the requests are */
    struct percentile list[PERCENTILES_MOST];
};

/* The list that is shown unless another is asked for: 50, 90, 99, 99.9. */
extern const struct percentiles percentiles_default;

/* The list where there is room for no more: 50, 99. */
extern const struct percentiles percentiles_common;

/* Read a percentile above 0 and below 100, up to seven decimals, from LENGTH bytes of
 * TEXT. Returns NULL, or why it is refused. */
const char *percentile_parse(const char *text, int length, struct percentile *percentile);

/* Read a list with commas between, or "none". Returns NULL, or why it is refused; LIST is
 * undefined then. */
const char *percentiles_parse(const char *text, struct percentiles *list);

/* Add lists to choose from to TEXT, a line each: "none", and the default one. */
void percentiles_list(struct buffer *text);

/* Returns the nearest rank among COUNT values, from 1: the smallest that is not below the
 * percentile's share of them. */
uint64_t percentile_rank(const struct percentile *percentile, uint64_t count);

/* Returns how many values it takes to know the percentile: 1/(1-p) - 1, rounded up, and
 * one at least. The nearest rank of fewer is the largest of too few. */
uint64_t percentile_needs(const struct percentile *percentile);

/* What figures are about: all requests that count; one operation where several are mixed;
 * or a part of their time: flushes, enum part, the device's time for flushes. */
enum scope {
    SCOPE_ALL,
    SCOPE_OPERATION, /* the first: there is one for each */
    SCOPE_SYNC = SCOPE_OPERATION + OPERATION_FLUSH,
    SCOPE_SUBMIT,
    SCOPE_STACK,
    SCOPE_QUEUE,
    SCOPE_DEVICE,
    SCOPE_RETURN,
    SCOPE_SYNC_DEVICE, /* has no limits */
    SCOPES
};

/* Returns the name of a scope: "read", "sync_device", "" for SCOPE_ALL. */
const char *scope_name(enum scope scope);

/* Returns the operation whose scope it is. */
static inline enum operation
scope_operation(enum scope scope)
{
    return (enum operation)(scope - SCOPE_OPERATION);
}

/* Returns whether a scope is one operation, or a part of the time of requests. */
static inline bool
scope_is_operation(enum scope scope)
{
    return scope > SCOPE_ALL && scope < SCOPE_SYNC;
}

static inline bool
scope_is_part(enum scope scope)
{
    return scope >= SCOPE_SYNC;
}

/* The latencies of a scope; valid as long as the statistics are. */
struct latencies {
    const struct moments *moments;
    const struct histogram *histogram;   /* with the waits if they are corrected */
    const struct histogram *uncorrected; /* without */
    int64_t max;                         /* ns: the longest, a wait or not */
    bool corrected;
};

/* Returns the latencies of SCOPE. */
struct latencies latencies_of(const struct stats *stats, enum scope scope);

/* What is counted of all requests, or of one operation, beside their latencies. */
struct scope_counts {
    uint64_t requests, failed, missed; /* of all, as in struct stats */
    int64_t bytes, last_end;           /* likewise */
};

/* Returns the counts of one operation, or else those of all requests. */
struct scope_counts scope_counts_of(const struct stats *stats, enum scope scope);

/* Returns the next scope that STATS tell apart: operations where several are mixed, parts
 * that were seen; SCOPES: there is none. A walk over all begins with SCOPE_ALL. */
enum scope scope_next(const struct stats *stats, enum scope scope);

/* Returns the first operation where several are mixed, else SCOPE_ALL. */
enum scope scope_first(const struct stats *stats);

/* Returns a percentile, ns; 0 of nothing. It is never outside of what was seen. */
int64_t latencies_percentile(const struct latencies *latencies,
                             const struct percentile *percentile);

/* Likewise, but returns -1 if there are too few values for the percentile: it would be
 * their maximum. */
int64_t latencies_known_percentile(const struct latencies *latencies,
                                   const struct percentile *percentile);

/* Returns how many requests, without waits, are longer than LIMIT for a percentile, ns.
 */
uint64_t latencies_above(const struct latencies *latencies, int64_t limit);

/* Returns a percentile of SCOPE_ALL, ns. */
int64_t stats_percentile(const struct stats *stats, const struct percentile *percentile);

/* Returns the percentiles of a list to show of COUNT values, a bit for each: of nothing
 * none; all if the user gave the list, else those that so many are enough for. */
unsigned percentiles_shown(const struct percentiles *list, uint64_t count);

#define BUCKETS_MOST 64

/* The bounds of buckets, ns, ascending: each has all values that are at most as long. */
struct buckets {
    int count;
    int64_t list[BUCKETS_MOST];
};

/* The bounds unless others are asked for: each 1 us * 2^k up to 33.5 s and, in octaves
 * that reach into 50 us to 1 s, another in the middle. All are ends of bins of struct
 * histogram, so that histogram_count is exact for them. */
extern const struct buckets buckets_default;

/* Read bounds, times with commas between that rise, above 0 and an hour at most. Returns
 * NULL, or why TEXT is refused; BUCKETS is undefined then. */
const char *buckets_parse(const char *text, struct buckets *buckets);

#endif
