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
 * request. From the times of these records, computes the parts of the request's time
 * (stats/breakdown.h).
 *
 * If each request is printed, the thread that sends the requests (the worker) calls
 * attribution_record for each of them. Otherwise, the worker collects requests in a log
 * and calls attribution_take for a full log. A separate thread then attributes the
 * requests of this log, so that the worker has more time for requests in flight.
 *
 * Any thread may call these functions. Only attribution_open and attribution_close must
 * be called by the same thread.
 */

#define ATTRIBUTION_LOG_MAX 128 /* the most requests in one log */
/* The most requests in the logs of all workers together. The trace buffer is large enough
 * for the records of this many requests. */
#define ATTRIBUTION_TOTAL_MAX 1024

/* A log: requests of one worker that have ended and will be attributed. */
struct attribution_log {
    int target_index; /* index of the target, from 0 */
    int thread;       /* TID of the worker's thread, as in the trace records */
    /* These two fields are for the track, which shows values over the time of the run
     * (stats/track.h). The track begins at `began_at` (monotonic, in ns). Requests are
     * due every `slot_interval` ns; 0 if they are not due at fixed times. */
    int64_t began_at;
    int64_t slot_interval;
    int capacity; /* the most requests to collect, at most ATTRIBUTION_LOG_MAX */
    int count;    /* requests in `samples` */
    struct sample samples[ATTRIBUTION_LOG_MAX];
};

/* An open target whose requests will be attributed. */
struct attribution_job {
    const struct plan *plan;
    const struct target *target;
    /* The parts of the requests' time are also added to a track, which shows how they
     * change during the run (stats/track.h). A plot needs this. */
    bool needs_track;
};

struct attribution;

/* Finds the devices on which the targets of COUNT jobs lie, starts a trace of these
 * devices, and starts the thread of the attribution. May add notes for the user to NOTES.
 * Returns NULL with ERROR if one of these steps fails. The caller frees the attribution
 * with attribution_close. */
struct attribution *attribution_open(const struct attribution_job *jobs, int count,
                                     struct notes *notes, struct error *error);

/* Ends the thread and the trace, and frees ATTRIBUTION, which may be NULL. The caller
 * must call run_close before, so that no worker uses the attribution any more. */
void attribution_close(struct attribution *attribution);

/* Fills the TID in LOG, which belongs to the calling thread. Each worker must call this
 * function before its first request. */
void attribution_begin(struct attribution *attribution, struct attribution_log *log);

/* Attributes SAMPLE at once and stores its parts in it. SAMPLE must be a request of the
 * worker that owns LOG, and its `verdict` must be set. If the request counts
 * (sample_counts), its parts are also added to the results of the target. */
void attribution_record(struct attribution *attribution,
                        const struct attribution_log *log, struct sample *sample);

/* Removes all requests from LOG, to be attributed later by the separate thread. If the
 * queue of that thread is full, attributes them before returning. LOG must only have
 * requests that count (sample_counts). */
void attribution_take(struct attribution *attribution, struct attribution_log *log);

/* Adds the results of the target with number INDEX to STATS and, unless TRACK is NULL, to
 * TRACK. The results are the parts of all its requests that were passed to
 * attribution_take or attribution_record so far. Returns true if the results were added.
 * If another thread is attributing requests at the moment, the function waits for that
 * thread if WAIT is true. If WAIT is false, it adds nothing and returns false. */
bool attribution_add(struct attribution *attribution, int index, struct stats *stats,
                     struct track *track, bool wait);

/* Clears the results of the target with number INDEX, so that attribution_add adds only
 * later requests to its STATS. The results for TRACK stay. No request to this target may
 * be in flight. */
void attribution_reset(struct attribution *attribution, int index);

#endif
