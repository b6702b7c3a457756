#ifndef IO_SLOTS_H
#define IO_SLOTS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Requests by slot, for engines that keep them until a reap sends all that were submitted
 * since the last one, oldest first. */
struct io_slots {
    void *requests; /* one per slot, of the engine's type */
    void **waiting; /* those to be sent, oldest first */
    void *events;   /* one per slot, of the engine's type: what the system reports */
    int waiting_count, under_way;
};

/* Makes DEPTH of them, of so many bytes each, all 0. Returns 0, or -1 with errno; either
 * way io_slots_close frees them. */
static inline int
io_slots_open(struct io_slots *slots, int depth, size_t request_size, size_t event_size)
{
    slots->requests = calloc((size_t)depth, request_size);
    slots->waiting = calloc((size_t)depth, sizeof(*slots->waiting));
    slots->events = calloc((size_t)depth, event_size);
    return slots->requests && slots->waiting && slots->events ? 0 : -1;
}

/* Appends a request to those that wait. */
static inline void
io_slots_wait(struct io_slots *slots, void *request)
{
    slots->waiting[slots->waiting_count++] = request;
}

/* Removes the COUNT oldest of those that wait. */
static inline void
io_slots_sent(struct io_slots *slots, int count)
{
    slots->waiting_count -= count;
    memmove(slots->waiting, slots->waiting + count,
            (size_t)slots->waiting_count * sizeof(*slots->waiting));
}

/* Frees what io_slots_open took. */
static inline void
io_slots_close(struct io_slots *slots)
{
    free(slots->events);
    free(slots->waiting);
    free(slots->requests);
}

#endif
