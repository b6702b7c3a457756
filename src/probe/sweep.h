#ifndef PROBE_SWEEP_H
#define PROBE_SWEEP_H

#include "probe/run.h"

/* Does what run_execute does, for a plan that sweeps. */
int sweep_execute(const struct plan *plan, const struct engine_ops *engine,
                  struct target *target, const struct run_observer *observer,
                  struct outcome *outcome, struct error *error);

#endif
