#ifndef RUN_SCHEDULE_H
#define RUN_SCHEDULE_H

#include "base/random.h"
#include "base/time.h"
#include "plan/plan.h"
#include "stats/stats.h"

#include <stdint.h>

/* The order of blocks and operations. Pure. */
struct pattern {
    struct random random;
    int64_t offset, size; /* of the working set; of a request */
    uint64_t blocks, next;
    bool linear;
    enum plan_load load;
    enum operation operation; /* of the next request */
};

/*
 * Starts the pattern of PLAN over the whole request-sized blocks of a working set of
 * WORK_SIZE bytes, at least one, at the plan's offset. NUMBER is the worker's, from 0:
 * each worker has random offsets of its own, or starts as far from the others as can be.
 */
void pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
                   int number);

/* Returns the offset of the next request, in bytes, and sets OPERATION. */
static inline int64_t
pattern_next(struct pattern *pattern, enum operation *operation)
{
    uint64_t block;
    *operation = pattern->operation;
    if (pattern->load == LOAD_READ_WRITE)
        pattern->operation =
            pattern->operation == OPERATION_WRITE ? OPERATION_READ : OPERATION_WRITE;
    if (pattern->linear) {
        block = pattern->next++;
        if (pattern->next == pattern->blocks)
            pattern->next = 0;
    } else {
        block = random_below(&pattern->random, pattern->blocks);
    }
    return pattern->offset + (int64_t)block * pattern->size;
}

/*
 * The start times of requests: on a grid of start + k * interval, a burst of requests at
 * each point. Pure: it runs on whatever clock it is given, in ns.
 */
struct pacer {
    int64_t interval; /* 0: no waiting */
    int64_t burst;    /* requests per grid point, at least 1 */
    int64_t left;     /* of them at this point */
    int64_t point;    /* time of this point */
    int64_t freed;    /* when there was room for the next request */
};

/* Starts a grid at NOW, when the first request is due. */
void pacer_start(struct pacer *pacer, int64_t interval, int64_t burst, int64_t now);

/* Returns when the next request starts; NOW if there is no grid. */
static inline int64_t
pacer_due(const struct pacer *pacer, int64_t now)
{
    if (!pacer->interval)
        return now;
    return pacer->point > pacer->freed ? pacer->point : pacer->freed;
}

/* Returns the point after the present burst. */
static inline int64_t
pacer_next(const struct pacer *pacer)
{
    return time_add(pacer->point, pacer->interval);
}

/* Counts a request that is sent now. */
static inline void
pacer_sent(struct pacer *pacer)
{
    if (!pacer->interval || --pacer->left > 0)
        return;
    pacer->left = pacer->burst;
    pacer->point = pacer_next(pacer);
}

/*
 * Returns the number of grid points before NOW for which nothing was sent, after a burst
 * that is taken for complete.
 */
uint64_t pacer_missed(const struct pacer *pacer, int64_t now);

/* Passes over COUNT points, from the next one on, without a request. */
static inline void
pacer_pass(struct pacer *pacer, uint64_t count)
{
    pacer->point = time_add(pacer->point, time_multiply(pacer->interval, (int64_t)count));
}

/*
 * Notes that a request ended at NOW before which none could be sent: one that outlasted
 * its interval moves the grid to NOW.
 */
static inline void
pacer_freed(struct pacer *pacer, int64_t now)
{
    if (!pacer->interval)
        return;
    pacer->freed = now;
    if (pacer->left == pacer->burst && pacer->point < now)
        pacer->point = now;
}

/*
 * The times at which a request without answer is reported: after `limit`, twice, four
 * times, eight times that. Pure; ns of whatever clock it is given.
 */
struct stall {
    int64_t limit;
    int64_t since; /* start of the request that is watched; 0: none yet */
    int64_t next;  /* age of the request at the next report */
};

/* Starts to watch; LIMIT 0 is never. */
void stall_start(struct stall *stall, int64_t limit);

/*
 * Looks at the request that started at SINCE (not above 0: there is none) at time NOW.
 * Returns its age if that is to be reported now, else 0.
 */
int64_t stall_check(struct stall *stall, int64_t since, int64_t now);

/* Returns when to look again at the latest, after stall_check at NOW; INT64_MAX: never.
 */
int64_t stall_due(const struct stall *stall, int64_t since, int64_t now);

#endif
