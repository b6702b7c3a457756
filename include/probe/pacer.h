#ifndef PROBE_PACER_H
#define PROBE_PACER_H

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
};

/* Starts a grid at NOW, when the first request is sent. */
void pacer_start(struct pacer *pacer, int64_t interval, int64_t burst, int64_t now);

/*
 * How many grid points there were after the present one and before NOW: probes
 * that were due and not sent, if nothing more is sent at this point.
 */
uint64_t pacer_missed(const struct pacer *pacer, int64_t now);

/*
 * After a request that ended at NOW: when the next one starts, NOW or later. A
 * request that outlasted its interval moves the grid to NOW.
 */
int64_t pacer_next(struct pacer *pacer, int64_t now);

#endif
