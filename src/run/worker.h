#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "handoff.h"
#include "inflight.h"
#include "io/io.h"
#include "run/job.h"
#include "run/schedule.h"
#include "stats/series.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"
#include "trace/attribution.h"

/* One loop: its own pattern, schedule, buffers and statistics. */
struct worker {
    struct job *job;
    const struct plan *plan; /* the job's, like target and group */
    const struct target *target;
    struct worker_group *group;
    int number; /* from 0 */
    const struct io_engine *engine;
    struct io_queue *queue;
    bool reports;              /* tells the job of each request; set before worker_run */
    bool medians;              /* its samples have the median so far; likewise */
    struct track *track;       /* set before worker_run; NULL: not wanted */
    struct time_series series; /* likewise, its memory; without room: not wanted */
    struct attribution *attribution; /* likewise */
    _Atomic int64_t over; /* when its work time is, monotonic; INT64_MAX: not yet known */

    struct pattern pattern;
    struct random data; /* of writes */
    char *memory;       /* buffers, one for each request in flight */
    size_t buffer_size; /* bytes of each */

    struct handoff handoff; /* of all that follows */
    bool sending;           /* more requests follow those in flight */
    struct inflight inflight;
    struct schedule schedule;
    bool submits;     /* requests that the engine has not sent yet */
    int64_t sectors;  /* os_thread_sectors before a read, if the target counts_sectors */
    int64_t appended; /* where the next append goes; -1: the file is not yet empty */
    uint64_t next, left;  /* number of the next request; count of its own numbers */
    int64_t began, ended; /* of what the statistics cover, monotonic */
    struct stats total;
    struct busy_log busy; /* spans that the group does not have yet */
    struct busy_log
        period;           /* spans that the job's period does not have; under its lock */
    struct sample failed; /* the first but for EAGAIN of -N; index 0: none */
    struct attribution_log *log; /* NULL without attribution */
    double holes; /* percent of the working set that has become them, at the end */
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

/* Prepares worker NUMBER, from 0, of JOB: its buffers and its ENGINE. WORKER is all zero
 * but for its track, its series and its attribution; memory that it does not need stays
 * untouched. Returns 0, or -1 with ERROR, and then nothing is left to close. */
int worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
                int number, struct error *error);

/* Sends requests until the plan, a failure, the group's `stop` or the output ends it, and
 * waits for all of them. A failure stops the group. */
void worker_run(struct worker *worker);

/* All that follow but worker_close are for whoever holds or has locked the handoff. */

/* Changes some bits of every page of what ENTRY writes, so that no two writes store the
 * same data. */
void worker_refresh(struct worker *worker, const struct inflight_request *entry);

/*
 * Has ENTRY, a write that is not sent yet, extend the working file, which is emptied
 * first where that holds its block already, outside of any request. Grid points that pass
 * from NOW until then are not missed. Sets `unsent` if that fails.
 */
void worker_append(struct worker *worker, struct inflight_request *entry, int64_t now);

/* Returns whether no more requests are due. */
static inline bool
worker_is_done(const struct worker *worker)
{
    return worker->left == 0 && worker_group_is_done(worker->group);
}

/* Returns until when requests were due at NOW: until then, the end of the work time, the
 * last number of the group or its stop. */
int64_t worker_until(const struct worker *worker, int64_t now);

/*
 * Counts COUNT requests that the schedule says were missed: for SAMPLE, which is not
 * recorded yet, or, NULL, in the statistics. Those that the process missed itself as it
 * was stopped do not count.
 */
void worker_miss(struct worker *worker, struct sample *sample, uint64_t count);

/* Gives up at NOW what was due and not sent; LAST: no other worker will send it. */
void worker_miss_rest(struct worker *worker, int64_t now, bool last);

/* Passes over a request that is due at WHEN and stays so, if the process was stopped
 * while it waited to be sent until NOW. Returns whether that is so. */
bool worker_pass_stopped(struct worker *worker, int64_t when, int64_t now);

/* Puts off the end of the work time to after WHEN, when a request is due, unless as many
 * were sent in it as the plan wants at the least. */
void worker_extend(struct worker *worker, int64_t when);

/* Moves its busy spans to those of the group, for a moment under their lock, and hands
 * over the log for the attribution. */
void worker_share(struct worker *worker);

/* Returns whether the process was, or may have been, stopped between START and NOW. Times
 * below a ms are not examined. */
bool worker_was_stopped(int64_t start, int64_t now);

/* Judges SAMPLE and records it. Returns whether the run goes on. */
bool worker_digest(struct worker *worker, struct sample *sample);

/*
 * Fails ENTRY, which is in flight since START, as it has had no answer until NOW; it is
 * lost then. Its sample is to be told. Returns whether the run goes on.
 */
bool worker_time_out_request(struct worker *worker, struct inflight_request *entry,
                             int64_t start, int64_t now);

/* Frees ENTRY, which was lost; its answer, at NOW, is no news. */
void worker_take_late(struct worker *worker, struct inflight_request *entry, int64_t now);

/* Ends the statistics at NOW: requests that do not return count as sent. */
void worker_abandon(struct worker *worker, int64_t now);

/* Frees what worker_open took; it is not running. */
void worker_close(struct worker *worker);

#endif
