#ifndef PROBE_SWEEP_H
#define PROBE_SWEEP_H

#include "probe/run.h"

/* Does what run_execute does, for one target whose plan sweeps. */
int sweep_execute(const struct run_task *task, struct error *error);

#endif
