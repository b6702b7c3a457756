#ifndef PLAN_RESOLVE_H
#define PLAN_RESOLVE_H

/*
 * The steps of plan_make that sweep.c, phases.c and diagnose.c define. Each step fills
 * fields of PLAN from OPTIONS and from the fields that earlier steps have filled.
 */

#include "cli/cli.h"
#include "plan/plan.h"

#define PLAN_LINEAR_SIZE (256 << 10) /* default request size with -L, in bytes */
#define PLAN_SWEEP_END 64 /* last value of -sweep threads and depth without a range */

/*
 * Decides how many requests can be in flight in an open loop (-sweep rate): the engine,
 * the threads and the depth. Requests that are due must not wait for earlier ones, so as
 * many as possible are allowed. If the command line names neither an engine nor threads,
 * takes the first engine of this system that can have several requests in flight; if
 * there is no such engine, takes threads. PLAN must have the request size, and the
 * engine, threads and depth of the command line.
 */
void plan_resolve_slots(const struct options *options, struct plan *plan);

/*
 * Resolves the values that depend on the sweep: its range, the duration of its steps, and
 * the size of a working file. The workload, io, pace and end of PLAN must be resolved.
 * Returns 0, or -1 with ERROR if a value makes no sense in a sweep.
 */
int plan_resolve_sweep(const struct options *options, struct plan *plan,
                       struct error *error);

/*
 * Refuses values that make no sense with the phases of -load. Then resolves whether
 * percentiles are corrected. The workload, io, pace and end of PLAN must be resolved.
 * Returns 0, or -1 with ERROR if a value is refused.
 */
int plan_resolve_phases(const struct options *options, struct plan *plan,
                        struct error *error);

/*
 * Resolves the values that all parts of -diagnose share: the work time of all parts
 * together, and that the rate of the requests is only limited. The workload, io, pace and
 * end of PLAN must be resolved. Returns 0, or -1 with ERROR if a value is refused.
 */
int plan_resolve_diagnosis(const struct options *options, struct plan *plan,
                           struct error *error);

#endif
