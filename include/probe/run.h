#ifndef PROBE_RUN_H
#define PROBE_RUN_H

#include "base/error.h"
#include "engine/engine.h"
#include "plan/outcome.h"
#include "plan/plan.h"
#include "probe/target.h"

#include <stdint.h>

/*
 * Where a run tells what it sees; a report fills it. All are there. They are
 * called on the thread of run_execute or on that of a worker; those that return
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
 * but its output_error. If a request was still waiting then, TARGET and the texts
 * of PLAN must stay until the program ends. Returns 0, or -1 with ERROR when it
 * could not begin.
 */
int run_execute(const struct plan *plan, const struct engine_ops *engine,
                struct target *target, const struct run_observer *observer,
                struct outcome *outcome, struct error *error);

#endif
