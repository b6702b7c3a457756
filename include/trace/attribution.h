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
 * Attribution (-breakdown): finds out which records of the kernel's trace belong to a
 * request, and from them the parts of the request's time (stats/breakdown.h).
 *
 * If each request is printed, the worker has it attributed at once (attribution_record).
 * Otherwise, the worker collects requests in a log and hands the log over
 * (attribution_take). A separate thread attributes these requests, so that the worker has
 * more time for requests in flight. Any thread may call these functions, except that only
 * one thread opens and closes the attribution.
 */

#define ATTRIBUTION_LOG_MOST 128 /* the most requests in one log */
/* The most requests in the logs of all workers together. The trace buffer is large enough
 * for the records of this many requests. */
#define ATTRIBUTION_LOGS 1024

/* A log: requests of one worker that have ended and will be attributed. */
struct attribution_log {
    int index;             /* index of the target, from 0 */
    int thread;            /* TID, as in os_trace_record, of the thread of the worker */
    int64_t began_at;      /* argument of track_start: monotonic, in ns */
    int64_t slot_interval; /* argument of track_start: in ns */
    int capacity; /* requests that may be collected, up to ATTRIBUTION_LOG_MOST */
    int count;    /* requests in `list` */
    struct sample list[ATTRIBUTION_LOG_MOST];
};

/* An open target whose requests will be attributed. */
struct attribution_job {
    const struct plan *plan;
    const struct target *target;
    bool needs_track; /* attribution_add will be called with a track */
};

struct attribution;

/* Finds the devices on which the targets of COUNT jobs lie, starts a trace of these
 * devices, and starts the thread of the attribution. May add notes for the user to NOTES.
 * Returns NULL with ERROR if one of these steps fails. The caller frees the attribution
 * with attribution_close. */
struct attribution *attribution_open(const struct attribution_job *jobs, int count,
                                     struct notes *notes, struct error *error);

/* Ends the thread and the trace, and frees ATTRIBUTION, which may be NULL. The caller
 * must close the run before, so that no worker uses the attribution any more. */
void attribution_close(struct attribution *attribution);

/* Fills the TID in LOG, which belongs to the calling thread. Each worker must call this
 * function before its first request. */
void attribution_begin(struct attribution *attribution, struct attribution_log *log);

/* Attributes SAMPLE at once and stores its parts in it. SAMPLE must have a verdict, and
 * must be a request of the worker that owns LOG. If it counts, its parts are added to the
 * results of the target. */
void attribution_record(struct attribution *attribution,
                        const struct attribution_log *log, struct sample *sample);

/* Takes all requests from LOG. They must count; they will be attributed later. If the
 * queue is full, attributes them at once. LOG is empty afterwards. */
void attribution_take(struct attribution *attribution, struct attribution_log *log);

/* Adds the parts of all requests to target INDEX that were taken or recorded so far to
 * STATS and, unless it is NULL, to TRACK. Returns true. If another thread is attributing
 * at the moment, waits for that thread if WAIT is true; otherwise adds nothing and
 * returns false. */
bool attribution_add(struct attribution *attribution, int index, struct stats *stats,
                     struct track *track, bool wait);

/* Removes the parts of all requests to target INDEX so far, but not those in its track.
 * No request to this target may be in flight. */
void attribution_reset(struct attribution *attribution, int index);

#endif
