#ifndef PROBE_SLOTS_H
#define PROBE_SLOTS_H

#include "engine/engine.h"
#include "stats/sample.h"

#include <stdint.h>

/* The requests that a worker may have under way, in the order of their start. */
struct slot {
    struct engine_request request; /* its operation is a flush after that of a write */
    struct sample sample;
    int64_t written;    /* when its write was done, and its flush sent; 0: not yet */
    int older, younger; /* its neighbours under way, or the next free one; -1: none */
};

struct slots {
    struct slot *list;
    int count;            /* of all */
    int under_way;        /* of those that are taken */
    int oldest, youngest; /* -1: none */
    int free;             /* the next to be taken; -1: none */
};

/*
 * Makes COUNT of them, all free, for requests of SIZE bytes. Returns 0, or -1
 * without memory.
 */
int slots_open(struct slots *slots, int count, int64_t size);

/* Takes a free one, which there must be: its number. It is the youngest then. */
int slots_take(struct slots *slots);

/* Frees one that was taken. */
void slots_release(struct slots *slots, int number);

/* Frees what slots_open took. */
void slots_close(struct slots *slots);

#endif
