#ifndef PLAN_RESOLVE_H
#define PLAN_RESOLVE_H

/* The steps of plan_make that are not in plan.c but in sweep.c and phases.c. */

#include "cli/cli.h"
#include "plan/plan.h"

#define PLAN_LINEAR_SIZE (256 << 10) /* default request size with -L, in bytes */

/*
 * Decides the engine, threads and depth of an open loop (-sweep rate), in which as many
 * requests as possible must be able to be in flight. If the command line names neither an
 * engine nor threads, takes the first engine of this system that can have several
 * requests in flight, or else threads. Must be called after the request size and the
 * engine, threads and depth of the command line have been stored in PLAN.
 */
void plan_resolve_slots(const struct options *options, struct plan *plan);

/*
 * Resolves the values that depend on the sweep. Must be called after the workload, I/O,
 * pace and ends of PLAN are resolved. Returns 0, or -1 with ERROR if a value makes no
 * sense in a sweep.
 */
int plan_resolve_sweep(const struct options *options, struct plan *plan,
                       struct error *error);

/*
 * Resolves the values that depend on the phases of -load. Must be called after the
 * workload, I/O, pace and ends of PLAN are resolved. Returns 0, or -1 with ERROR if a
 * value makes no sense with phases.
 */
int plan_resolve_phases(const struct options *options, struct plan *plan,
                        struct error *error);

#endif
