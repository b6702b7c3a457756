#ifndef RUN_PACER_H
#define RUN_PACER_H

#include "base/later.h"

#include <stdint.h>

/*
 * When the next request starts: on a grid of start + k * interval, a burst of
 * requests at each point. Pure: it runs on whatever clock it is given.
 */
struct pacer {
    int64_t interval; /* ns; 0: no waiting */
    int64_t burst;    /* requests per grid point, at least 1 */
    int64_t left;     /* of them at this point */
    int64_t point;    /* time of this point */
    int64_t freed;    /* when there was room for the next request */
};

/* Starts a grid at NOW, when the first request is due. */
void pacer_start(struct pacer *pacer, int64_t interval, int64_t burst, int64_t now);

/* When the next request starts; NOW if there is no grid. */
static inline int64_t
pacer_due(const struct pacer *pacer, int64_t now)
{
    if (!pacer->interval)
        return now;
    return pacer->point > pacer->freed ? pacer->point : pacer->freed;
}

/* The point after the present burst. */
static inline int64_t
pacer_next(const struct pacer *pacer)
{
    return later(pacer->point, pacer->interval);
}

/* After a request was sent. */
static inline void
pacer_sent(struct pacer *pacer)
{
    if (--pacer->left > 0)
        return;
    pacer->left = pacer->burst;
    pacer->point = pacer_next(pacer);
}

/*
 * How many grid points there were before NOW for which nothing was sent, after
 * a burst that is taken for complete.
 */
uint64_t pacer_missed(const struct pacer *pacer, int64_t now);

/*
 * After a request ended at NOW before which none could be sent: one that
 * outlasted its interval moves the grid to NOW.
 */
static inline void
pacer_freed(struct pacer *pacer, int64_t now)
{
    pacer->freed = now;
    if (pacer->left == pacer->burst && pacer->point < now)
        pacer->point = now;
}

#endif
