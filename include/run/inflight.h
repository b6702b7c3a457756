#ifndef RUN_INFLIGHT_H
#define RUN_INFLIGHT_H

#include "io/io.h"
#include "stats/sample.h"

#include <stdint.h>

/* The requests that a worker may have under way, in the order of their start. */
struct inflight_request {
    struct io_request request; /* its operation is a flush after that of a write */
    struct sample sample;
    unsigned continues; /* of the process, before it was sent */
    int64_t written;    /* when its write was done, and its flush sent; 0: not yet */
    struct inflight_request *older,
        *younger; /* under way; `younger` is the next of a free one */
};

/* Those under way form a ring that `ends` closes: its younger is the oldest of them. */
struct inflight {
    struct inflight_request *list;
    struct io_completion *done;    /* room for what the engine reaps */
    int count;                     /* of all */
    int under_way;                 /* of those that are taken */
    struct inflight_request *free; /* the next to be taken; NULL: none */
    struct inflight_request ends;  /* of the ring; all zero but for that */
};

/*
 * Makes COUNT of them, all free, for requests of SIZE bytes. SLOTS must stay where
 * it is. Returns 0, or -1 without memory.
 */
int inflight_open(struct inflight *inflight, int count, int64_t size);

/* Takes a free one, which there must be. It is the youngest then. */
static inline struct inflight_request *
inflight_take(struct inflight *inflight)
{
    struct inflight_request *slot = inflight->free, *older = inflight->ends.older;
    inflight->free = slot->younger;
    slot->older = older;
    slot->younger = &inflight->ends;
    older->younger = slot;
    inflight->ends.older = slot;
    inflight->under_way++;
    return slot;
}

/* Frees one that was taken. */
static inline void
inflight_release(struct inflight *inflight, struct inflight_request *slot)
{
    slot->older->younger = slot->younger;
    slot->younger->older = slot->older;
    slot->younger = inflight->free;
    inflight->free = slot;
    inflight->under_way--;
}

/* Frees what inflight_open took. */
void inflight_close(struct inflight *inflight);

#endif
