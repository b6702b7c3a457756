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
 * called on the thread of run_execute or on that of the worker; sample, period
 * and summary never two at a time. STATS and SAMPLE are the run's; times are ns by the
 * clock. Those that return something return 0, or -1 when their output cannot
 * be written: then the run ends.
 */
struct run_observer {
    void *self;
    int (*sample)(void *self, const struct sample *sample);
    int (*period)(void *self, const struct stats *stats, int64_t time);
    int (*summary)(void *self, const struct stats *stats, int64_t time);
    void (*interim)(void *self, const struct stats *stats);
    /* The statistics so far, at monotonic time NOW, for a file that is kept. */
    void (*keep)(void *self, const struct stats *stats, int64_t now);
    /* Request INDEX has been under way for WAITED. */
    void (*hang)(void *self, uint64_t index, int64_t waited);
};

/*
 * Does by ENGINE what PLAN says to an opened TARGET, tells OBSERVER, and notes
 * in OUTCOME how it ended, all but its output_error. If a request was still
 * waiting then, PLAN and TARGET must stay as they are until the program ends.
 * Returns 0, or -1 with ERROR when it could not begin.
 */
int run_execute(const struct plan *plan, const struct engine_ops *engine,
                const struct target *target, const struct run_observer *observer,
                struct outcome *outcome, struct error *error);

#endif
