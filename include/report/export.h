#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "base/error.h"
#include "plan/plan.h"
#include "plot/plot.h"
#include "report/status.h"
#include "run/run.h"
#include "target/description.h"

#define EXPORT_STEPS 64 /* more than any sweep that doubles has */

/*
 * The files that are kept up to date while a run goes on: metrics and a plot. Each is
 * there, whole, before the first request.
 */
struct export
{
    const struct plan *plan;
    const struct description *const *descriptions; /* one for each target */
    int count;
    int64_t (*wall)(void);         /* ns since 1970 */
    struct status *status;         /* what is on the terminal; NULL: nothing */
    struct export_sweep *sweeps;   /* of each target, for a plot; NULL: none */
    int metrics_error, plot_error; /* errno if that file is not up to date */
};

/* The steps of a sweep so far. */
struct export_sweep {
    struct plot_step steps[EXPORT_STEPS];
    int count;
};

/*
 * Puts the files that PLAN names in place for COUNT targets; these must stay, and STATUS,
 * which is kept out of the way of what is said later; NULL: there is none. Returns 0, or
 * -1 with ERROR.
 */
int export_begin(struct export *export, const struct plan *plan,
                 const struct description *const *targets, int count,
                 struct status *status, struct error *error);

/* A step of the sweep of target NUMBER, from 0, has done VALUE with STATS in TIME ns. */
void export_step(struct export *export, int number, int64_t value,
                 const struct stats *stats, int64_t time);

/* Adds who writes them to VIEWS; returns how many. */
int export_tickers(struct export *export, struct run_ticker *tickers);

/* ERROR becomes the errno of a file that is not up to date, which is returned; 0: all
 * are. */
const char *export_failure(const struct export *export, int *error);

/* Frees what export_begin took, also where that failed. */
void export_end(struct export *export);

#endif
