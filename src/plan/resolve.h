#ifndef PLAN_RESOLVE_H
#define PLAN_RESOLVE_H

/* The steps of plan_make that stand in files of their own. */

#include "cli/cli.h"
#include "plan/plan.h"

#define PLAN_LINEAR_SIZE (256 << 10) /* bytes of a request with -L */

/*
 * Chooses the mode, and is the only one to refuse options for others that are given: what
 * follows knows that they go together. Returns 0, or -1 with ERROR.
 */
int plan_choose_mode(const struct options *options, struct plan *plan,
                     struct error *error);

/*
 * Gives an open loop the slots for as many requests as the engine can have: without an
 * option that says which one, the first here that has many. Comes when the user's engine,
 * threads and depth are in PLAN, and the size of requests.
 */
void plan_resolve_slots(const struct options *options, struct plan *plan);

/*
 * Resolves what the mode decides, when the rest of the plan is resolved.
 * Returns 0, or -1 with ERROR when a value is of no use in it.
 */
int plan_resolve_mode(const struct options *options, struct plan *plan,
                      struct error *error);

/* The same of a sweep, and of phases. */
int plan_resolve_sweep(const struct options *options, struct plan *plan,
                       struct error *error);
int plan_resolve_phases(const struct options *options, struct plan *plan,
                        struct error *error);

#endif
