#ifndef PROBE_WORKER_H
#define PROBE_WORKER_H

#include "base/error.h"
#include "engine/engine.h"
#include "plan/plan.h"
#include "probe/baton.h"
#include "probe/pacer.h"
#include "probe/pattern.h"
#include "probe/target.h"
#include "stats/stats.h"

#include <stdatomic.h>

/*
 * Who wants to hear of a worker; set it between worker_open and worker_run.
 * Called outside the timed part, on the worker's thread, which holds the baton.
 * A negative result ends the run.
 */
struct worker_listener {
    void *self;
    /* After each request; NULL: not wanted. */
    int (*sample)(void *self, const struct sample *sample);
    /* Before a request, once its time `due` has come. */
    int (*due)(void *self, int64_t now);
};

/* One loop: its own pattern, pacer, buffer and statistics. */
struct worker {
    const struct plan *plan;
    const struct target *target;
    struct engine engine;
    struct worker_listener listener;
    atomic_bool stop;    /* set by any thread: no more requests */
    _Atomic int64_t due; /* set under the baton; INT64_MAX: never */

    struct pattern pattern;
    struct random data; /* what is written */
    char *buffer;

    struct baton baton; /* of what follows */
    struct pacer pacer;
    int64_t began, ended; /* of the whole loop, monotonic */
    int64_t end;          /* no request starts then or later */
    struct stats total;
    struct sample failed; /* the first but for EAGAIN of -N; index 0: none */
};

/*
 * Prepares a worker: its buffer and its engine. Returns 0, or -1 with ERROR,
 * and then nothing is left to close.
 */
int worker_open(struct worker *worker, const struct plan *plan,
                const struct target *target, const struct engine_ops *engine,
                struct error *error);

/* Sends requests until the plan, a failure, `stop` or the listener ends it. */
void worker_run(struct worker *worker);

/*
 * For whoever has borrowed the baton of a worker whose request does not return:
 * ends the statistics at NOW, with that request as one that was sent.
 */
void worker_abandon(struct worker *worker, int64_t now);

/* Frees what worker_open took. */
void worker_close(struct worker *worker);

#endif
