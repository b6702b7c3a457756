#ifndef PLAN_CHECKS_H
#define PLAN_CHECKS_H

/*
 * The checks of plan_make (plan.c) that refuse a command line: options that do not fit
 * together, and limits that the run could never decide.
 */

#include "cli/cli.h"
#include "plan/plan.h"

/*
 * Checks which options are given together. MODE is the mode that the command line
 * chooses. If the command line chooses several modes, MODE may be any of them. Returns 0,
 * or -1 with ERROR: two options cannot be combined, an option has no meaning in MODE, or
 * an option needs another one that is not given. The error names only one of several
 * conflicts.
 */
int plan_check_options(const struct options *options, enum cli_mode mode,
                       struct error *error);

/*
 * Checks the limits of -slo and -warn: PLAN must measure the figures that they limit, and
 * must send enough requests to decide them. The rest of PLAN must be resolved, except for
 * its outputs. Returns 0, or -1 with ERROR.
 */
int plan_check_limits(const struct plan *plan, struct error *error);

#endif
