#ifndef RUN_SWEEP_H
#define RUN_SWEEP_H

#include "run/run.h"

/* Does what run_execute does, for one target whose plan sweeps. */
int sweep_execute(const struct run_task *task, struct error *error);

#endif
