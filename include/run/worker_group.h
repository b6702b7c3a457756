#ifndef RUN_WORKER_GROUP_H
#define RUN_WORKER_GROUP_H

#include "os/thread.h"
#include "stats/busy.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* How long (ns) it takes workers to go through an open gate, mostly. */
#define WORKER_GROUP_DELAY 1000000LL

/*
 * What the workers of a run have in common. The count of requests has a cache
 * line of its own: it changes while the others are looked at all the time.
 */
struct worker_group {
    int size;                  /* how many workers there are */
    uint64_t count;            /* how many requests all of them may send */
    atomic_bool stop;          /* set by any thread: no more requests */
    int64_t begin;             /* when all of them begin, monotonic */
    _Atomic int64_t due;       /* when listeners want to hear of it; INT64_MAX: never */
    struct os_lock *busy_lock; /* of `busy`; NULL: there is one request at a time */
    struct busy busy;          /* of all workers */
    alignas(64) _Atomic uint64_t taken; /* numbers of requests, which are not all sent */
};

/*
 * Takes the next numbers of requests, as many as WANTED unless there are fewer.
 * Returns how many, 0 if there are no more; FIRST becomes the first of them. Any
 * thread.
 */
uint64_t worker_group_take(struct worker_group *group, uint64_t wanted, uint64_t *first);

/* Whether all numbers are taken. Any thread. */
static inline bool
worker_group_is_done(const struct worker_group *group)
{
    return atomic_load_explicit(&group->taken, memory_order_relaxed) >= group->count;
}

#endif
