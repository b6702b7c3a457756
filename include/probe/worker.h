#ifndef PROBE_WORKER_H
#define PROBE_WORKER_H

#include "base/error.h"
#include "engine/engine.h"
#include "plan/plan.h"
#include "probe/pacer.h"
#include "probe/pattern.h"
#include "probe/target.h"
#include "stats/stats.h"

/*
 * Who wants to hear of a worker; set it between worker_open and worker_run. All are
 * called between requests, outside the timed part, on the worker's thread. SELF is passed
 * to each.
 */
struct worker_listener {
    void *self;
    /* After each request; NULL: not wanted. Negative ends the run. */
    int (*sample)(void *self, const struct sample *sample);
    /* When the time it asked for has come, a long request aside: returns the
     * next such time, INT64_MAX for none, negative to end the run. */
    int64_t (*wake)(void *self, int64_t now);
    /* When a signal asked for statistics. */
    void (*interim)(void *self);
};

/* One loop: its own pattern, pacer, buffer and statistics. */
struct worker {
    const struct plan *plan;
    const struct target *target;
    struct engine engine;
    struct worker_listener listener;
    int64_t wake_at; /* when the listener is to be woken; INT64_MAX: never */

    struct pattern pattern;
    struct pacer pacer;
    struct random data; /* what is written */
    char *buffer;
    int64_t began, ended; /* of the whole loop, monotonic */
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

/*
 * Sends requests until the plan, a failure, a signal or the listener ends it.
 */
void worker_run(struct worker *worker);

/* Frees what worker_open took. */
void worker_close(struct worker *worker);

#endif
