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
 * Attribution (-breakdown): finds which records of the kernel's trace belong to a
 * request, and so the parts of the request's time.
 *
 * If each request is printed, the worker has it attributed at once (attribution_record).
 * Otherwise, the worker collects requests in a log and hands the log over
 * (attribution_take). A separate thread attributes these requests, so that the work takes
 * little time from requests in flight. All functions except open and close may be called
 * by any thread.
 */

#define ATTRIBUTION_LOG_MOST 128
/* The most requests in the logs of all workers together. The trace buffer is large enough
 * for the records of this many requests. */
#define ATTRIBUTION_LOGS 1024

/* Requests of one worker that have ended and are to be attributed. */
struct attribution_log {
    int index;             /* of the target, from 0 */
    int thread;            /* sends the requests; a number as in os_trace_record */
    int64_t began_at;      /* monotonic, ns, for track_start */
    int64_t slot_interval; /* ns, for track_start */
    int capacity;          /* requests, at most ATTRIBUTION_LOG_MOST */
    int count;
    struct sample list[ATTRIBUTION_LOG_MOST];
};

/* An open target whose requests are to be attributed. */
struct attribution_job {
    const struct plan *plan;
    const struct target *target;
    bool needs_track; /* a track of the parts is needed */
};

struct attribution;

/* Finds on which devices the targets of COUNT jobs lie, starts a trace of these devices,
 * and starts the thread of the attribution. Adds notes for the user to NOTES. Returns
 * NULL with ERROR if that is impossible. The caller owns the attribution. */
struct attribution *attribution_open(const struct attribution_job *jobs, int count,
                                     struct notes *notes, struct error *error);

/* Ends the thread and the trace, and frees the attribution. The run must be closed
 * before, so that no worker calls these functions any more. ATTRIBUTION may be NULL. */
void attribution_close(struct attribution *attribution);

/* Prepares LOG for the requests of the calling thread: finds the number of the thread.
 * Must be called by each worker before its first request. */
void attribution_begin(struct attribution *attribution, struct attribution_log *log);

/* Finds the parts of SAMPLE at once. SAMPLE has a verdict, and is a request of the worker
 * that owns LOG. Stores the parts in SAMPLE, and adds them to the results of the target
 * if SAMPLE counts. */
void attribution_record(struct attribution *attribution,
                        const struct attribution_log *log, struct sample *sample);

/* Takes all requests from LOG, which must count, to be attributed later. Attributes them
 * at once if the queue is full. LOG is empty afterwards. */
void attribution_take(struct attribution *attribution, struct attribution_log *log);

/* Adds the parts of all requests of target INDEX that were taken or recorded so far to
 * STATS and, unless it is NULL, to TRACK. If another thread is attributing, waits for it
 * if WAIT is true, or else returns false. Returns true otherwise. */
bool attribution_add(struct attribution *attribution, int index, struct stats *stats,
                     struct track *track, bool wait);

/* Forgets the parts of all requests of target INDEX so far. No request to this target may
 * be in flight. The track is left as it is. */
void attribution_reset(struct attribution *attribution, int index);

#endif
