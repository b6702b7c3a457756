#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "handoff.h"
#include "io/io.h"
#include "run/job.h"
#include "run/schedule.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"

/* A request, and its neighbours in the order of their start. */
struct inflight_request {
    struct io_request request; /* a write, then the flush after it */
    struct sample sample;
    unsigned continues; /* of the process, before it was sent */
    int64_t written;    /* when its write was done, and its flush sent; 0: not yet */
    struct inflight_request *older, *younger; /* `younger` of a free one: the next free */
};

/* The requests of a worker: those in flight form a ring that `ends` closes, whose
 * `younger` is the oldest of them. */
struct inflight {
    struct inflight_request *list;
    struct io_completion *done; /* room for what the engine reaps */
    int count;                  /* requests, free or in flight */
    int under_way;
    struct inflight_request *free; /* NULL: all are in flight */
    struct inflight_request ends;  /* all zero but for its neighbours */
};

/* Makes COUNT free requests of SIZE bytes. INFLIGHT must stay where it is. Returns 0, or
 * -1 without memory; inflight_close frees them. */
int inflight_open(struct inflight *inflight, int count, int64_t size);
void inflight_close(struct inflight *inflight);

/* Takes a free request, which there must be. It is the youngest then. */
static inline struct inflight_request *
inflight_take(struct inflight *inflight)
{
    struct inflight_request *entry = inflight->free, *older = inflight->ends.older;
    inflight->free = entry->younger;
    entry->older = older;
    entry->younger = &inflight->ends;
    older->younger = entry;
    inflight->ends.older = entry;
    inflight->under_way++;
    return entry;
}

/* Frees a request that was taken. */
static inline void
inflight_release(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->under_way--;
}

/* One loop: its own pattern, pacer, buffers and statistics. */
struct worker {
    struct job *job;
    const struct plan *plan; /* the job's, like target and group */
    const struct target *target;
    struct worker_group *group;
    int number; /* from 0 */
    const struct io_engine *engine;
    struct io_queue *queue;
    bool reports;        /* tells the job of each request; set before worker_run */
    struct track *track; /* set before worker_run; NULL: not wanted */

    struct pattern pattern;
    struct random data; /* of writes */
    char *memory;       /* buffers, one for each request in flight */
    size_t buffer_size; /* bytes of each */

    struct handoff handoff; /* of all that follows */
    bool sending;           /* more requests follow those in flight */
    struct inflight inflight;
    struct pacer pacer;
    unsigned continues; /* of the process, before the last request was sent */
    unsigned continued; /* before the one before that */
    int64_t sectors; /* os_thread_sectors before a read, if the target counts_sectors */
    uint64_t next, left;  /* number of the next request; count of its own numbers */
    int64_t began, ended; /* of what the statistics cover, monotonic */
    int64_t end;          /* no request starts then or later */
    struct stats total;
    struct busy_log busy; /* spans that the group does not have yet */
    struct busy_log
        period;           /* spans that the job's period does not have; under its lock */
    struct sample failed; /* the first but for EAGAIN of -N; index 0: none */
};

/* Returns the bytes that a worker of PLAN takes besides its buffers, roughly. */
int64_t worker_size(const struct plan *plan);

/* Fills ERROR: no memory for so many REQUESTS of PLAN in flight in LEFT bytes (INT64_MAX:
 * not known). Returns -1 like error_set. */
int worker_refuse(const struct plan *plan, int64_t requests, int64_t left,
                  struct error *error);

/* Prepares worker NUMBER, from 0, of JOB: its buffers and its ENGINE. WORKER is all zero
 * but for its track; memory that it does not need stays untouched. Returns 0, or -1 with
 * ERROR, and then nothing is left to close. */
int worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
                int number, struct error *error);

/* Sends requests until the plan, a failure, the group's `stop` or the output ends it, and
 * waits for all of them. A failure stops the group. */
void worker_run(struct worker *worker);

/* The next six are for whoever holds or has locked the handoff. */

/* Returns whether no more requests are due. */
static inline bool
worker_is_done(const struct worker *worker)
{
    return worker->left == 0 && worker_group_is_done(worker->group);
}

/* Returns the number of grid points that passed without a request until NOW, except while
 * the process was stopped; worker_miss counts them, and none of them is before AFTER. */
uint64_t worker_missed(const struct worker *worker, int64_t now);
void worker_miss(struct worker *worker, int64_t after, int64_t now);

/* Moves its busy spans to those of the group, for a moment under their lock. */
void worker_share_busy(struct worker *worker);

/* Returns the number of the oldest request in flight; 0: none. */
static inline uint64_t
worker_oldest(const struct worker *worker)
{
    return worker->inflight.ends.younger->sample.index;
}

/* Ends the statistics at NOW: requests that do not return count as sent. */
void worker_abandon(struct worker *worker, int64_t now);

/* Frees what worker_open took; it is not running. */
void worker_close(struct worker *worker);

#endif
