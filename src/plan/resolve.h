#ifndef PLAN_RESOLVE_H
#define PLAN_RESOLVE_H

/* The steps of plan_make that stand in files of their own. */

#include "cli/cli.h"
#include "plan/plan.h"

#define PLAN_LINEAR_SIZE (256 << 10) /* bytes of a request with -L */

/*
 * Gives an open loop the slots for as many requests as the engine can have: without an
 * option that says which one, the first here that has many. Comes when the user's engine,
 * threads and depth are in PLAN, and the size of requests.
 */
void plan_resolve_slots(const struct options *options, struct plan *plan);

/* Resolve what a sweep decides, and what phases do, when the rest of the plan is
 * resolved. Return 0, or -1 with ERROR when a value is of no use in them. */
int plan_resolve_sweep(const struct options *options, struct plan *plan,
                       struct error *error);
int plan_resolve_phases(const struct options *options, struct plan *plan,
                        struct error *error);

#endif
