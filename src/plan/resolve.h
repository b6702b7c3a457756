#ifndef PLAN_RESOLVE_H
#define PLAN_RESOLVE_H

/* The steps of plan_make that stand in files of their own. */

#include "cli/cli.h"
#include "plan/plan.h"

#include <stdio.h>

#define PLAN_LINEAR_SIZE (256 << 10) /* bytes of a request with -L */

/* Returns whether the user has given option ID. */
static inline bool
plan_given(const struct options *options, enum option_id id)
{
    return options->given[id] > 0;
}

/* Refuses option ID beside OTHER, such as "-sweep" with, after a colon, the reason if it
 * is not evident. Returns -1 with ERROR. */
static inline int
plan_refuse_together(enum option_id id, const char *other, struct error *error)
{
    char what[32];
    snprintf(what, sizeof(what), "-%s", cli_option(id)->name);
    error_set(error, EXIT_USAGE, what, "cannot be done together with %s", other);
    return error_advise(error, "leave out one of them");
}

/*
 * Gives an open loop the places for as many requests as the engine can have: without an
 * option that says which one, the first here that has many. Comes when the user's engine,
 * threads and depth are in PLAN.
 */
void plan_resolve_places(const struct options *options, struct plan *plan);

/*
 * Resolves -check: its output, and when a run ends that would have no end. Comes when all
 * but phases, limits and sweeps is resolved. Returns 0, or -1 with ERROR when other
 * options are of no use then, or are of none without it.
 */
int plan_resolve_check(const struct options *options, struct plan *plan,
                       struct error *error);

/*
 * Resolves what is swept. Comes when all but the status line and -corrected is resolved.
 * Returns 0, or -1 with ERROR when other options are of no use then.
 */
int plan_resolve_sweep(const struct options *options, struct plan *plan,
                       struct error *error);

/*
 * Resolves the phases of -load. Comes when all but the limits is resolved. Returns 0, or
 * -1 with ERROR when other options are of no use then.
 */
int plan_resolve_phases(const struct options *options, struct plan *plan,
                        struct error *error);

/* Resolves the output and the exported files. Returns 0, or -1 with ERROR when options
 * contradict each other, or a file is another of the run. */
int plan_resolve_output(const struct options *options, struct plan_output *output,
                        struct error *error);

/* Resolves where people see it, when the rest of the plan is resolved: -output, and the
 * status line. */
void plan_resolve_screen(const struct options *options, struct plan *plan);

/*
 * Resolves -compare. Comes first: advice on options that it refuses is of no use. Returns
 * 0, or -1 with ERROR when an option, a limit or a file is of no use then.
 */
int plan_resolve_compare(const struct options *options, struct plan *plan,
                         struct error *error);

#endif
