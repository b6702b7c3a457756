#ifndef TRACE_ATTRIBUTION_H
#define TRACE_ATTRIBUTION_H

#include "base/error.h"
#include "plan/plan.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Attribution: finds which records of the system's trace are those of a request, and so
 * the parts of its time. A request that is printed is attributed at once by its worker;
 * others are collected by the worker and attributed by a thread of its own, so that it
 * takes little of the time of those that are under way. All functions but open and close
 * may be called by any thread.
 */

#define ATTRIBUTION_LOG_MOST 128
/* Requests in the logs of all workers: the system keeps the records of so many. */
#define ATTRIBUTION_LOGS 1024

/* Requests of one worker that records are to be attributed to. */
struct attribution_log {
    int index;                       /* of the target, from 0 */
    int thread;                      /* that sends them, as in os_trace_record */
    int64_t began_at, slot_interval; /* as for track_start */
    int capacity;                    /* at most ATTRIBUTION_LOG_MOST */
    int count;
    struct sample list[ATTRIBUTION_LOG_MOST];
};

/* A target whose requests are to be attributed, and open; a track of the parts is wanted
 * if it is TRACKED. */
struct attribution_job {
    const struct plan *plan;
    const struct target *target;
    bool needs_track;
};

struct attribution;

/* Finds where the targets of COUNT jobs lie, and starts a trace of their devices. What is
 * not evident goes into NOTES. Returns NULL with ERROR. attribution_close ends the trace
 * and frees it all, after the run is closed; NULL is allowed. */
struct attribution *attribution_open(const struct attribution_job *jobs, int count,
                                     struct notes *notes, struct error *error);
void attribution_close(struct attribution *attribution);

/* Begins LOG, of requests that the calling thread sends. */
void attribution_begin(struct attribution *attribution, struct attribution_log *log);

/* Attributes records to SAMPLE, which is judged, of the worker whose LOG it is, and
 * records it if it counts. */
void attribution_record(struct attribution *attribution,
                        const struct attribution_log *log, struct sample *sample);

/* Takes the requests of LOG, which count. LOG is empty then. */
void attribution_take(struct attribution *attribution, struct attribution_log *log);

/* Adds to STATS and, unless it is NULL, TRACK what all requests of target INDEX that
 * were taken so far were split into. Returns false if that cannot be had now, which does
 * not happen if it may WAIT. */
bool attribution_add(struct attribution *attribution, int index, struct stats *stats,
                     struct track *track, bool wait);

/* Forgets the requests of target INDEX, of which none is under way. */
void attribution_reset(struct attribution *attribution, int index);

#endif
