#ifndef PLAN_SWEEP_H
#define PLAN_SWEEP_H

#include "plan/plan.h"

/*
 * Adds to PLAN, which is complete otherwise, what -sweep of OPTIONS asks for.
 * Returns 0, or -1 with ERROR if it contradicts something else.
 */
int plan_sweep(const struct options *options, struct plan *plan, struct error *error);

#endif
