#ifndef PROBE_ONCE_H
#define PROBE_ONCE_H

#include "probe/run.h"

/*
 * Does what run_execute does, for one step, and leaves it to its caller to tell
 * OBSERVER of summary and metrics at the end. OUTCOME must be empty.
 */
int run_once(const struct plan *plan, const struct engine_ops *engine,
             struct target *target, const struct run_observer *observer,
             struct outcome *outcome, struct error *error);

#endif
