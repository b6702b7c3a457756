#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "queue.h"
#include "run/job.h"
#include "run/schedule.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"
#include "trace/attribution.h"

/* What has become of them. */
struct worker_account {
    int64_t began, ended; /* of what the statistics cover, monotonic */
    bool is_plain; /* statistics are all that is wanted: what else there is below, is not
                    */
    struct track *track;             /* set before worker_run; NULL: not wanted */
    struct time_series series;       /* likewise, its memory; without room: not wanted */
    struct attribution *attribution; /* likewise; NULL: not wanted */
    struct attribution_log *log;     /* NULL without attribution */
    struct stats total;
    bool is_rapid;        /* each request is due as soon as there is a slot for it */
    int64_t busy_from;    /* when the span of the last request begins */
    int64_t busy_until;   /* when that ends, with which the next may begin; 0: a pause is
                           * between them */
    struct busy_log busy; /* spans that the group does not have yet */
    struct busy_log period; /* that the job's period does not have; under its lock */
    bool burst_counts;      /* the last request counts, and is one of a burst */
    struct sample failed;   /* the first but for EAGAIN of -N; index 0: none */
    uint64_t errors;        /* failed requests in the statistics, but for EAGAIN of -N */
    double holes; /* percent of the working set that has become them, at the end */
};

/* One loop: its own schedule, buffers and statistics. */
struct worker {
    struct job *job;
    const struct plan *plan; /* the job's, like target and group */
    const struct target *target;
    struct worker_group *group;
    int index;            /* from 0 */
    bool reports;         /* notifies the job of each request; set before worker_run */
    bool judges_slow;     /* its samples have slow_above; likewise */
    _Atomic int64_t over; /* when its work time is, monotonic; INT64_MAX: not yet known */

    struct handoff handoff; /* of all that follows */
    struct worker_queue queue;
    struct schedule schedule;
    struct worker_account account;
};

/* Returns the bytes that a worker of PLAN takes besides its buffers, roughly. */
int64_t worker_size(const struct plan *plan);

/* Takes memory for SERIES, one of WORKERS of PLAN; none if that wants no series. Returns
 * 0, or -1 without memory. worker_close_series frees it. */
int worker_open_series(struct time_series *series, const struct plan *plan, int workers);
void worker_close_series(struct time_series *series);

/* Fills ERROR: no memory for so many REQUESTS of PLAN in flight in LEFT bytes (INT64_MAX:
 * not known). Returns -1 like error_set. */
int worker_refuse(const struct plan *plan, int64_t requests, int64_t left,
                  struct error *error);

/* Prepares worker INDEX, from 0, of JOB: its buffers and its ENGINE. WORKER is all zero
 * but for its track, its series and its attribution; memory that it does not need stays
 * untouched. Returns 0, or -1 with ERROR, and then nothing is left to close. */
int worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
                int index, struct error *error);

/* Sends requests until the plan, a failure, the group's `stop` or the output ends it, and
 * waits for all of them. A failure stops the group. */
void worker_run(struct worker *worker);

/* All that follow but worker_close are for whoever holds or has locked the handoff. */

/* Moves its busy spans to those of the group, for a moment under their lock, and hands
 * over the log for the attribution. */
void worker_share(struct worker *worker);

/* Ends the busy time at NOW, when the last request has ended or is given up. */
void worker_end_busy(struct worker *worker, int64_t now);

/*
 * Fails ENTRY, which is in flight since START, as it has had no answer until NOW; it is
 * lost then. Its sample is to be notified. Returns whether the run goes on.
 */
bool worker_time_out_request(struct worker *worker, struct inflight_request *entry,
                             int64_t start, int64_t now);

/* Frees what worker_open took; it is not running. */
void worker_close(struct worker *worker);

#endif
