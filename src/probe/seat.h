#ifndef PROBE_SEAT_H
#define PROBE_SEAT_H

#include "attended.h"
#include "probe/worker.h"
#include "watch.h"

/* A worker on its thread, as the one that attends sees it. */
struct seat {
    struct worker worker;
    struct os_lock *gate; /* held until all of the crew are there; NULL: it is alone */
    struct attended work;
    struct watch watch;
    int64_t waiting; /* when it was given up: for how long already; 0: it was not */
    int left;        /* how many requests were under way then */
};

/* Starts the worker, which is open; NEWS becomes true when it ends. Returns 0, or
 * -1 with errno. */
int seat_start(struct seat *seat, atomic_bool *news);

/* Whether nothing more is to come of it: it has ended, or was given up. */
bool seat_is_empty(const struct seat *seat);

/*
 * Looks whether a request has been under way for long at time NOW. Returns how
 * long if that is to be said now, else 0; INDEX becomes its number, AGAIN when
 * to look again at the latest.
 */
int64_t seat_watch(struct seat *seat, int64_t now, uint64_t *index, int64_t *again);

/* Adds the statistics so far to TOTAL; false if they cannot be had now. */
bool seat_add(struct seat *seat, struct stats *total);

/* Ends its sleep, so that it sees what has changed. */
void seat_wake(struct seat *seat);

/*
 * Gives it up at time NOW if it waits for a request. Nothing that the worker
 * owns will change any more then, even if the request returns.
 */
void seat_give_up(struct seat *seat, int64_t now);

#endif
