#ifndef IO_SLOTS_H
#define IO_SLOTS_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/*
 * The slots of a queue, for engines that do not send a request when it is submitted. Each
 * slot has a request in the form that the system needs. Submitted requests wait in a list
 * until the next reap, which sends the oldest first. Submit calls io_slots_wait, and reap
 * calls io_slots_sent.
 */
struct io_slots {
    void *requests;      /* one per slot, of the engine's own type */
    void **waiting;      /* requests that wait to be sent, oldest first */
    void *events;        /* one per slot, of the engine's own type, such as completions */
    int waiting_count;   /* number of requests in `waiting` */
    int in_flight_count; /* number of requests that were sent and are not complete */
};

/*
 * Allocates DEPTH slots with requests of REQUEST_SIZE bytes and events of EVENT_SIZE
 * bytes; all bytes are 0. Returns 0, or -1 with errno. In both cases the caller must call
 * io_slots_close.
 */
static inline int
io_slots_open(struct io_slots *slots, int depth, size_t request_size, size_t event_size)
{
    slots->requests = calloc((size_t)depth, request_size);
    slots->waiting = calloc((size_t)depth, sizeof(*slots->waiting));
    slots->events = calloc((size_t)depth, event_size);

    return slots->requests && slots->waiting && slots->events ? 0 : -1;
}

/* Adds REQUEST to the end of the waiting requests. */
static inline void
io_slots_wait(struct io_slots *slots, void *request)
{
    slots->waiting[slots->waiting_count++] = request;
}

/* Removes the COUNT oldest of the waiting requests, because they were sent. */
static inline void
io_slots_sent(struct io_slots *slots, int count)
{
    slots->waiting_count -= count;
    memmove(slots->waiting, slots->waiting + count,
            (size_t)slots->waiting_count * sizeof(*slots->waiting));
}

/* Frees the memory of io_slots_open. */
static inline void
io_slots_close(struct io_slots *slots)
{
    free(slots->events);
    free(slots->waiting);
    free(slots->requests);
}

#endif
