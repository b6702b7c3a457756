#ifndef RUN_WORKER_H
#define RUN_WORKER_H

#include "base/error.h"
#include "io/io.h"
#include "plan/plan.h"
#include "run/handoff.h"
#include "run/inflight.h"
#include "run/pacer.h"
#include "run/pattern.h"
#include "run/worker_group.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

struct job;

/* One loop: its own pattern, pacer, buffers and statistics. */
struct worker {
    struct job *job;
    const struct plan *plan; /* the job's, like what follows */
    const struct target *target;
    struct worker_group *group;
    int number; /* from 0 */
    const struct io_engine *engine;
    struct io_queue *queue;
    bool reports; /* the job is told of each request; set before worker_run */

    struct pattern pattern;
    struct random data; /* what is written */
    char *memory;       /* the buffers of all slots */
    size_t buffer_size; /* bytes of each */

    struct handoff handoff; /* of what follows */
    bool sending;           /* false: what is under way is the last of it */
    struct inflight inflight;
    struct pacer pacer;
    unsigned continues;   /* of the process, before the last request was sent */
    unsigned continued;   /* likewise, before the one before that */
    int64_t sectors;      /* os_thread_sectors before a read, if the target has `seen` */
    uint64_t next, left;  /* the number of the next request; how many are its own */
    int64_t began, ended; /* of what the statistics cover, monotonic */
    int64_t end;          /* no request starts then or later */
    struct stats total;
    struct busy_log busy;   /* what the group's does not have yet */
    struct busy_log period; /* what the job's period does not have yet; under its lock */
    struct track *track;    /* set like the listener; NULL: not wanted */
    struct sample failed;   /* the first but for EAGAIN of -N; index 0: none */
};

/*
 * Prepares worker NUMBER, from 0, of CREW: its buffers and its engine. WORKER is
 * all zero but for its track; nothing touches what it does not need. Returns 0, or -1
 * with ERROR, and then nothing is left to close.
 */
int worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
                int number, struct error *error);

/*
 * Sends requests until the plan, a failure, the crew's `stop` or the listener
 * ends it, and waits for all of them. A failure stops the crew.
 */
void worker_run(struct worker *worker);

/* Whether no more requests of it are due; it, or whoever has its baton, may ask. */
static inline bool
worker_is_done(const struct worker *worker)
{
    return worker->left == 0 && worker_group_is_done(worker->group);
}

/* Likewise: how many grid points passed without a request until NOW; none of those that
 * passed while the process was stopped. */
uint64_t worker_missed(const struct worker *worker, int64_t now);

/* Likewise: counts these, of which none is before AFTER. */
void worker_miss(struct worker *worker, int64_t after, int64_t now);

/* Likewise: moves its spans to those of the crew, for a moment under their lock. */
void worker_share_busy(struct worker *worker);

/*
 * For whoever has borrowed the baton of a worker whose requests do not return:
 * ends the statistics at NOW, with those requests as ones that were sent.
 */
void worker_abandon(struct worker *worker, int64_t now);

/* Likewise: the number of the request that has been under way for longest; 0: none. */
uint64_t worker_oldest(const struct worker *worker);

/* Frees what worker_open took. */
void worker_close(struct worker *worker);

#endif
