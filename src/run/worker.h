#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "queue.h"
#include "run/job.h"
#include "run/schedule.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"
#include "trace/attribution.h"

/* What a worker has measured. A busy span is a stretch of time in which at least one
 * request was in flight (stats/busy.h). */
struct worker_account {
    /* The statistics cover the time from `counted_from` to `counted_until`, ns,
     * monotonic. */
    int64_t counted_from, counted_until;
    /* only `total` is needed: no reports, busy time, track, series or breakdown */
    bool is_plain;
    /* latencies over time, for a plot; else NULL; set before worker_run */
    struct track *track;
    /* a sample of the requests; its entries are allocated before worker_run; capacity 0
     * if it is not needed */
    struct time_series series;
    /* splits the time of requests into parts (-breakdown); NULL if the time is not split;
     * set before worker_run */
    struct attribution *attribution;
    /* requests that are to be passed on to `attribution`; NULL without -breakdown */
    struct attribution_log *log;
    struct stats total; /* statistics of all requests of the worker */
    bool is_rapid;      /* requests are sent back to back (-R, -i 0): no interval */
    /* start of the busy span of the last request, ns, monotonic */
    int64_t busy_from;
    /* end of the busy span that the next request will continue, ns, monotonic; 0 if the
     * next request begins a new span */
    int64_t busy_until;
    struct busy_log busy; /* busy spans that were not yet moved to the group */
    /* busy spans not yet moved to the period of the job; under the run's lock */
    struct busy_log period_busy;
    /* whether the last answered request of a burst counts (goes into the statistics) */
    bool burst_counts;
    /* The first request that failed; index 0: no request failed. With -N, the error
     * EAGAIN is an expected answer and no failure. */
    struct sample first_failed;
    /* number of failed requests in the statistics; EAGAIN with -N is no failure */
    uint64_t error_count;
    /* percent of the working set that turned into holes of a sparse file; set at the end
     */
    double hole_percent;
};

/* A worker: a thread runs its loop, which sends requests and records the results. */
struct worker {
    struct job *job;
    /* the active plan, the target and the group of the job */
    const struct plan *plan;
    const struct target *target;
    struct worker_group *group;
    int index; /* index of the worker in its job, from 0 */
    /* each request is reported to the observer; set before worker_run */
    bool reports_requests;
    /* `slow_above` of each sample must be set, because reports show slow requests; this
     * field is set before worker_run */
    bool needs_slow_above;
    /* end of the work time, ns, monotonic; INT64_MAX: not yet known */
    _Atomic int64_t work_ends_at;

    struct handoff handoff; /* guards the fields below, for the loop and the supervisor */
    struct worker_queue queue;
    struct schedule schedule;
    struct worker_account account;
};

/* Returns roughly how many bytes of memory a worker of PLAN needs, without the buffers of
 * its requests. */
int64_t worker_size(const struct plan *plan);

/* Allocates the entries of SERIES. The number of entries that PLAN wants for a target is
 * divided by the number of WORKERS that have a series. Allocates nothing if PLAN wants no
 * series. Returns 0, or -1 if memory is lacking. */
int worker_open_series(struct time_series *series, const struct plan *plan, int workers);

/* Frees the entries of SERIES. */
void worker_close_series(struct time_series *series);

/* Fills ERROR: there is not enough memory for the run of PLAN, which may have REQUESTS
 * requests in flight. AVAILABLE is how much memory there is, in bytes, INT64_MAX if
 * unknown. Returns -1, like error_set. */
int worker_refuse(const struct plan *plan, int64_t requests, int64_t available,
                  struct error *error);

/*
 * Opens worker INDEX, from 0, of JOB: its slots, its buffers and a queue of ENGINE.
 * WORKER must be all zero except its track, its series and its attribution. Does not
 * write to memory that the worker will not use, so the kernel need not provide that
 * memory. Returns 0; or -1 with ERROR, and then the caller must not call worker_close.
 */
int worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
                int index, struct error *error);

/* Runs the loop of the worker on the calling thread: sends requests until the plan, a
 * failure, a stop of the group or an output error ends the run, and then waits for all
 * requests in flight. A failure stops the other workers of the group as well. */
void worker_run(struct worker *worker);

/* The caller of the functions below, except worker_close, must have the handoff of the
 * worker: it is the worker's thread, or the supervisor after handoff_lock. */

/* Moves the busy spans of the worker to its group, and passes the requests in its log on
 * to the attribution. */
void worker_hand_over_logs(struct worker *worker);

/* Ends the busy time at NOW (ns, monotonic), after the last request has been answered or
 * was given up. */
void worker_end_busy(struct worker *worker, int64_t now);

/* Fails the request ENTRY with a timeout: it was sent at START and has no answer at NOW
 * (ns, monotonic). Its slot is lost. The caller must report its sample. Returns true if
 * the run goes on. */
bool worker_time_out_request(struct worker *worker, struct inflight_request *entry,
                             int64_t start, int64_t now);

/* Frees the memory of worker_open. The worker must not be running. */
void worker_close(struct worker *worker);

#endif
