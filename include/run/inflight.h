#ifndef RUN_INFLIGHT_H
#define RUN_INFLIGHT_H

#include "io/io.h"
#include "stats/sample.h"

#include <stdint.h>

/* The requests that a worker may have under way, in the order of their start. */
struct slot {
    struct os_async_request request; /* its operation is a flush after that of a write */
    struct sample sample;
    unsigned continues; /* of the process, before it was sent */
    int64_t written;    /* when its write was done, and its flush sent; 0: not yet */
    struct slot *older, *younger; /* under way; `younger` is the next of a free one */
};

/* Those under way form a ring that `ends` closes: its younger is the oldest of them. */
struct slots {
    struct slot *list;
    struct os_async_done *done; /* room for what the engine reaps */
    int count;                  /* of all */
    int under_way;              /* of those that are taken */
    struct slot *free;          /* the next to be taken; NULL: none */
    struct slot ends;           /* of the ring; all zero but for that */
};

/*
 * Makes COUNT of them, all free, for requests of SIZE bytes. SLOTS must stay where
 * it is. Returns 0, or -1 without memory.
 */
int slots_open(struct slots *slots, int count, int64_t size);

/* Takes a free one, which there must be. It is the youngest then. */
static inline struct slot *
slots_take(struct slots *slots)
{
    struct slot *slot = slots->free, *older = slots->ends.older;
    slots->free = slot->younger;
    slot->older = older;
    slot->younger = &slots->ends;
    older->younger = slot;
    slots->ends.older = slot;
    slots->under_way++;
    return slot;
}

/* Frees one that was taken. */
static inline void
slots_release(struct slots *slots, struct slot *slot)
{
    slot->older->younger = slot->younger;
    slot->younger->older = slot->older;
    slot->younger = slots->free;
    slots->free = slot;
    slots->under_way--;
}

/* Frees what slots_open took. */
void slots_close(struct slots *slots);

#endif
