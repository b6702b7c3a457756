#ifndef RUN_INFLIGHT_H
#define RUN_INFLIGHT_H

/* The requests of a worker: free, in flight, or lost. Taken and freed by its own thread.
 */

#include "io/io.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* A request, and its neighbours in the order of their start. */
struct inflight_request {
    struct io_request request; /* a write, then the flush after it */
    struct sample sample;
    int64_t due;     /* when its time begins, if before it was sent, monotonic; else 0 */
    int64_t written; /* when its write was done, and its flush sent; 0: not yet */
    int unsent; /* errno: why its write was not sent, but a flush in its place; or 0 */
    bool lost;  /* it has timed out, and had no answer since */
    struct inflight_request *older, *younger; /* `younger` of a free one: the next free */
};

/* The requests of a worker: those in flight form a ring that `ends` closes, whose
 * `younger` is the oldest of them. One that is lost is in no list: the kernel may still
 * use its buffer. */
struct inflight {
    struct inflight_request *list;
    struct io_completion *done; /* room for what the engine reaps */
    int count;                  /* requests: free, in flight or lost */
    int under_way;              /* in flight or lost */
    int lost;
    int64_t lost_since; /* when the first of these was sent, ns, monotonic; 0: none is */
    struct inflight_request *free; /* NULL: all are in flight */
    struct inflight_request ends;  /* all zero but for its neighbours */
};

/* Makes COUNT free requests of SIZE bytes. INFLIGHT must stay where it is. Returns 0, or
 * -1 without memory; inflight_close frees them. */
int inflight_open(struct inflight *inflight, int count, int64_t size);
void inflight_close(struct inflight *inflight);

/* Takes a free request, which there must be. It is the youngest then. */
static inline struct inflight_request *
inflight_take(struct inflight *inflight)
{
    struct inflight_request *entry = inflight->free, *older = inflight->ends.older;
    inflight->free = entry->younger;
    entry->older = older;
    entry->younger = &inflight->ends;
    older->younger = entry;
    inflight->ends.older = entry;
    inflight->under_way++;
    return entry;
}

/* Frees a request that was taken. */
static inline void
inflight_release(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->under_way--;
}

/* Loses a request that was taken: it is not in flight any more, and its slot is not free.
 */
void inflight_lose(struct inflight *inflight, struct inflight_request *entry);

/* Frees a request that was lost. */
void inflight_regain(struct inflight *inflight, struct inflight_request *entry);

/* Has the time of a request that has ended at NOW begin when it was due. */
static inline void
inflight_count_from_due(struct inflight_request *entry, int64_t now)
{
    if (!entry->due)
        return;
    entry->sample.start = entry->due;
    entry->sample.latency = now - entry->due;
}

/* Returns how many requests are in flight. */
static inline int
inflight_live(const struct inflight *inflight)
{
    return inflight->under_way - inflight->lost;
}

#endif
