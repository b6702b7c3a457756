#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "queue.h"
#include "run/job.h"
#include "run/schedule.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"
#include "trace/attribution.h"

/* The measurements of a worker. */
struct worker_account {
    int64_t counted_from,
        counted_until; /* the span that the statistics cover, ns, monotonic */
    /* only the statistics are wanted: none of the further records below */
    bool is_plain;
    struct track *track; /* for a plot; set before worker_run; NULL if not wanted */
    /* its memory is set before worker_run; without room if not wanted */
    struct time_series series;
    /* set before worker_run; NULL without -breakdown */
    struct attribution *attribution;
    struct attribution_log *log; /* NULL without -breakdown */
    struct stats total;
    bool is_rapid; /* a request is due as soon as a slot is free */
    /* start of the busy span of the last request, ns, monotonic */
    int64_t busy_from;
    /* end of that busy span, which the next request may join; 0 if a pause separates the
     * two */
    int64_t busy_until;
    struct busy_log busy; /* busy spans that have not been moved to the group yet */
    /* busy spans that have not been moved to the period of the job yet; under the run's
     * lock */
    struct busy_log period_busy;
    bool burst_counts; /* the last request counts and belongs to a burst */
    /* the first request that failed, not counting EAGAIN with -N; index 0: none */
    struct sample first_failed;
    /* failed requests in the statistics, not counting EAGAIN with -N */
    uint64_t error_count;
    /* percent of the working set that turned into holes, set at the end */
    double hole_percent;
};

/* A worker: one loop with its own schedule, slots and statistics. */
struct worker {
    struct job *job;
    /* the plan, the target and the group of the job */
    const struct plan *plan;
    const struct target *target;
    struct worker_group *group;
    int index; /* among the workers of the job, from 0 */
    /* notifies the job of each request; set before worker_run */
    bool reports_requests;
    /* sets `slow_above` of its samples; set before worker_run */
    bool judges_slow;
    /* end of its work time, ns, monotonic; INT64_MAX: not yet known */
    _Atomic int64_t work_ends_at;

    struct handoff handoff; /* guards all fields below */
    struct worker_queue queue;
    struct schedule schedule;
    struct worker_account account;
};

/* Returns roughly how many bytes a worker of PLAN needs besides its buffers. */
int64_t worker_size(const struct plan *plan);

/* Allocates the memory of SERIES, one of WORKERS that share the room which PLAN gives to
 * a series. Allocates nothing if PLAN wants no series. Returns 0, or -1 if there is no
 * memory. */
int worker_open_series(struct time_series *series, const struct plan *plan, int workers);

/* Frees the memory of SERIES. */
void worker_close_series(struct time_series *series);

/* Fills ERROR: there is not enough memory to have REQUESTS of PLAN in flight. LEFT is
 * the memory that is available, in bytes, INT64_MAX if unknown. Returns -1, like
 * error_set. */
int worker_refuse(const struct plan *plan, int64_t requests, int64_t left,
                  struct error *error);

/*
 * Opens worker INDEX, from 0, of JOB: its slots, its buffers and a queue of ENGINE.
 * WORKER must be all zero except its track, its series and its attribution. Memory that
 * the worker does not need is not touched. Returns 0; or -1 with ERROR, and then nothing
 * has to be closed.
 */
int worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
                int index, struct error *error);

/* Runs the loop of the worker on the calling thread: sends requests until the plan, a
 * failure, a stop of the group or an output error ends it, and waits for all of them. A
 * failure stops the group. */
void worker_run(struct worker *worker);

/* The caller of the functions below, except worker_close, must hold the handoff or have
 * locked it. */

/* Moves the busy spans of the worker to its group, and hands the log over to the
 * attribution. */
void worker_share(struct worker *worker);

/* Ends the busy time at NOW, when the last request has been answered or is given up. */
void worker_end_busy(struct worker *worker, int64_t now);

/* Fails ENTRY, which was sent at START and has had no answer until NOW, with a timeout;
 * its slot is lost. The caller must notify of its sample. Returns whether the run goes
 * on. */
bool worker_time_out_request(struct worker *worker, struct inflight_request *entry,
                             int64_t start, int64_t now);

/* Frees the memory of worker_open. The worker must not be running. */
void worker_close(struct worker *worker);

#endif
