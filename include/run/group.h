#ifndef RUN_GROUP_H
#define RUN_GROUP_H

/* What the workers of a target share: the numbers of requests and, in an open loop, the
 * times at which these are due. */

#include "base/random.h"
#include "base/time.h"
#include "os/thread.h"
#include "stats/busy.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The arrivals of an open loop: a request is due at each, whatever became of those before
 * it. Each follows from the one before alone, so that any worker may take it.
 */
struct arrivals {
    int64_t interval; /* ns from one to the next, in the mean; 0: there are none */
    bool poisson;     /* they come at random */
    uint64_t seed;    /* of that: the same seed has the same arrivals */
};

/* Returns the arrival after the one at AT; both ns since the first, which is at 0. */
static inline int64_t
arrivals_next(const struct arrivals *arrivals, int64_t at)
{
    return time_add(at, arrivals->poisson ? random_gap(arrivals->seed, (uint64_t)at + 1,
                                                       arrivals->interval)
                                          : arrivals->interval);
}

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
    struct arrivals arrivals;  /* of an open loop; interval 0: each has its own pace */
    alignas(64) _Atomic uint64_t taken; /* numbers of requests, which are not all sent */
    _Atomic int64_t arrival; /* the first that no worker has taken, ns since `begin` */
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

/* Takes up to WANTED numbers of requests that are due at WHEN, from FIRST on. Returns how
 * many, 0 if none is left. The counter never passes `count`, so it cannot overflow. Any
 * worker. */
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

/* Returns when the next request of an open loop is due that no worker has taken,
 * monotonic. Any worker, like the next. */
static inline int64_t
worker_group_due(const struct worker_group *group)
{
    return time_add(group->begin,
                    atomic_load_explicit(&group->arrival, memory_order_relaxed));
}

/* Takes that request, and returns when it is due. */
static inline int64_t
worker_group_take_due(struct worker_group *group)
{
    int64_t at = atomic_load_explicit(&group->arrival, memory_order_relaxed), next;
    do {
        next = arrivals_next(&group->arrivals, at);
        if (group->size == 1) { /* nobody takes one at the same time */
            atomic_store_explicit(&group->arrival, next, memory_order_relaxed);
            break;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        &group->arrival, &at, next, memory_order_relaxed, memory_order_relaxed));
    return time_add(group->begin, at);
}

/* Returns whether all numbers are taken. Any thread. */
static inline bool
worker_group_is_done(const struct worker_group *group)
{
    return atomic_load_explicit(&group->taken, memory_order_relaxed) >= group->count;
}

#endif
