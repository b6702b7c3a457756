#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "base/error.h"
#include "engine/engine.h"
#include "os/thread.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/target.h"

#include <stdint.h>

/*
 * Where a run tells what it sees; a report fills it. All are there. They are
 * called on the thread that attends to the run or on that of a worker; those that return
 * something never two at a time. STATS and SAMPLE are the run's; times are ns by
 * the clock. Those that return something return 0, or -1 when their output cannot
 * be written: then the run ends.
 */
struct run_observer {
    void *self;
    /* Once, before all others, when the target is described; NULL: not wanted. */
    int (*begin)(void *self);
    int (*sample)(void *self, const struct sample *sample);
    int (*period)(void *self, const struct stats *stats, int64_t time);
    int (*summary)(void *self, const struct stats *stats, int64_t time);
    void (*interim)(void *self, const struct stats *stats);
    /* The statistics so far, at monotonic time NOW, for a file that is kept. */
    void (*keep)(void *self, const struct stats *stats, int64_t now);
    /* Request INDEX has been under way for WAITED. */
    void (*hang)(void *self, uint64_t index, int64_t waited);
    /* A step of a sweep, which did VALUE, has ended with STATS after TIME. */
    int (*step)(void *self, int64_t value, const struct stats *stats, int64_t time);
};

/*
 * Does by ENGINE what PLAN says, all steps of it if it sweeps, to an opened
 * TARGET, which it names, tells OBSERVER, and notes in OUTCOME how it ended, all
 * but its slos and its output_error. If a request was still waiting then, TARGET and the
 * texts of PLAN must stay until the program ends. Returns 0, or -1 with ERROR when it
 * could not begin.
 */
int run_execute(const struct plan *plan, const struct engine_ops *engine,
                struct target *target, const struct run_observer *observer,
                struct outcome *outcome, struct error *error);

/*
 * The same in parts, for a plan that does not sweep, by two threads, so that none
 * has to be woken before the first request. One opens the run, leads it, which is
 * the work of one of its workers, and closes it after both have done their part;
 * the other, which has the signals, attends to it.
 */
struct run;

/* Opens all workers, for thread ATTENDING to attend to. Returns NULL with ERROR when
 * that cannot be; else run_lead must follow. */
struct run *run_open(const struct plan *plan, const struct engine_ops *engine,
                     struct target *target, const struct run_observer *observer,
                     const struct os_thread *attending, struct error *error);

/* Sends requests until the run ends. */
void run_lead(struct run *run);

/*
 * Attends to a run that was opened until all workers have ended or were given up;
 * then run_lead may not return. Notes in OUTCOME how it ended, like run_execute.
 */
void run_attend(struct run *run, struct outcome *outcome);

/* Frees what is not left to a request that was still waiting. */
void run_close(struct run *run);

#endif
