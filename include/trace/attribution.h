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
 * request. The times of these records divide the time of the request into parts, such as
 * the time in the queue and the time at the device (stats/breakdown.h).
 *
 * If each request is printed, the thread that sends the requests (the worker) calls
 * attribution_record for each of them. Otherwise, the worker collects its requests in a
 * log, and calls attribution_take for a full log. A separate thread then attributes the
 * requests of the log, so that the worker can go on sending requests.
 *
 * Any thread may call these functions, but attribution_open and attribution_close must be
 * called by the same thread.
 */

#define ATTRIBUTION_LOG_MAX 128 /* the most requests in one log */
/* The most requests in the logs of all workers together. The buffers of the trace have
 * room for the records of this many requests. */
#define ATTRIBUTION_TOTAL_MAX 1024

/* A log: requests of one worker that have ended but are not attributed yet. */
struct attribution_log {
    int target_index; /* index of the target, from 0 */
    int thread;       /* TID of the worker, as in the records of the trace */
    /* Start of the track, monotonic, in ns. A track stores values over the time of the
     * run (stats/track.h). */
    int64_t began_at;
    /* Requests are due at intervals of this many ns; 0 if they are due at no fixed times.
     * Needed for the track. */
    int64_t slot_interval;
    /* the most requests that this log collects, at most ATTRIBUTION_LOG_MAX */
    int capacity;
    int count; /* requests in `samples` */
    struct sample samples[ATTRIBUTION_LOG_MAX];
};

/* An open target whose requests will be attributed. */
struct attribution_job {
    const struct plan *plan;
    const struct target *target;
    /* The parts of each request (its time in the queue, at the device and so on) are also
     * added to a track, which stores values over the time of the run (stats/track.h).
     * Needed for a plot. */
    bool needs_track;
};

struct attribution;

/* JOBS has COUNT open targets. Finds the devices that the targets are on, starts a trace
 * of these devices, and starts the thread that attributes requests. May add notes for the
 * user to NOTES. Returns NULL with ERROR if one of these steps fails. The caller frees
 * the attribution with attribution_close. */
struct attribution *attribution_open(const struct attribution_job *jobs, int count,
                                     struct notes *notes, struct error *error);

/* Ends the trace and the thread that attributes requests, and frees ATTRIBUTION, which
 * may be NULL. The caller must call run_close before, so that no worker uses the
 * attribution any more. */
void attribution_close(struct attribution *attribution);

/* Stores the TID of the calling thread in LOG. Each worker must call this function for
 * its own log before its first request. */
void attribution_begin(struct attribution *attribution, struct attribution_log *log);

/* Attributes the request SAMPLE before returning. Stores its parts (its time in the
 * queue, at the device and so on) in SAMPLE. The request must have been sent by the
 * worker that owns LOG, and its `verdict` must be set. If the request counts
 * (sample_counts), its parts are also added to the results of the target. */
void attribution_record(struct attribution *attribution,
                        const struct attribution_log *log, struct sample *sample);

/* Removes all requests from LOG and queues them for the separate thread, which will
 * attribute them. If the queue is full, attributes the requests before returning. All
 * requests in LOG must count (sample_counts). */
void attribution_take(struct attribution *attribution, struct attribution_log *log);

/* Adds the results of the target with index INDEX to STATS and, unless TRACK is NULL, to
 * TRACK. The results are the parts (times in the queue, at the device and so on) of all
 * requests to this target that were passed to attribution_take or attribution_record so
 * far. If another thread is attributing requests at the moment, and WAIT is true, the
 * function first waits for that thread. If WAIT is false, the function then adds nothing
 * and returns false. Returns true if the results were added. */
bool attribution_add(struct attribution *attribution, int index, struct stats *stats,
                     struct track *track, bool wait);

/* Clears the results of the target with index INDEX: attribution_add then adds only later
 * requests to STATS. The results that attribution_add adds to TRACK are not cleared. No
 * request to this target may be in flight. */
void attribution_reset(struct attribution *attribution, int index);

#endif
