#ifndef RUN_GROUP_H
#define RUN_GROUP_H

#include "base/time.h"
#include "os/thread.h"
#include "stats/busy.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The state that the workers of a target share. `taken` and `arrival` have a cache line
 * of their own: they change while the other fields are read all the time. */
struct worker_group {
    int size;                  /* workers */
    uint64_t count;            /* requests that all of them may send */
    atomic_bool stop;          /* no more requests; set by any thread */
    _Atomic int64_t over;      /* when the last request was due, monotonic; 0: more are */
    int64_t begin;             /* when all of them begin, monotonic */
    _Atomic int64_t due;       /* when a period ends; INT64_MAX: never */
    struct os_lock *busy_lock; /* of `busy`; NULL: there is one request at a time */
    struct busy busy;          /* of all workers */
    char apart[64];            /* a cache line */
    _Atomic uint64_t taken;    /* ordinals of requests, not all of them sent */
    _Atomic int64_t arrival;   /* for the schedules of the workers */
};

/* Notes that no request is due after WHEN; the latest of several holds. */
static inline void
worker_group_end(struct worker_group *group, int64_t when)
{
    int64_t over = atomic_load(&group->over);
    while (over < when && !atomic_compare_exchange_weak(&group->over, &over, when))
        ;
}

/* Has no more requests sent from NOW on. Any thread. */
static inline void
worker_group_stop(struct worker_group *group, int64_t now)
{
    int64_t none = 0;
    atomic_compare_exchange_strong(&group->over, &none, now);
    atomic_store(&group->stop, true);
}

/* Returns until when requests were due at NOW: until then, or the end. Any thread. */
static inline int64_t
worker_group_until(const struct worker_group *group, int64_t now)
{
    int64_t over = atomic_load(&group->over);
    return over ? time_earlier(over, now) : now;
}

/* Takes up to WANTED ordinals of requests that are due at WHEN, from FIRST on. Returns
 * how many, 0 if none is left. The counter never passes `count`, so it cannot overflow.
 * Any worker. */
static inline uint64_t
worker_group_take(struct worker_group *group, uint64_t wanted, int64_t when,
                  uint64_t *first)
{
    uint64_t taken = atomic_load_explicit(&group->taken, memory_order_relaxed), more;
    do {
        uint64_t left = group->count - taken;
        more = wanted < left ? wanted : left;
        if (more == left && more)
            worker_group_end(group, when);
        if (group->size == 1) { /* nobody takes some at the same time */
            atomic_store_explicit(&group->taken, taken + more, memory_order_relaxed);
            break;
        }
    } while (more && !atomic_compare_exchange_weak_explicit(
                         &group->taken, &taken, taken + more, memory_order_relaxed,
                         memory_order_relaxed));
    *first = taken + 1;
    return more;
}

/* Returns whether all ordinals are taken. Any thread. */
static inline bool
worker_group_is_done(const struct worker_group *group)
{
    return atomic_load_explicit(&group->taken, memory_order_relaxed) >= group->count;
}

#endif
