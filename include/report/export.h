#ifndef REPORT_EXPORT_H
#define REPORT_EXPORT_H

#include "base/error.h"
#include "base/time.h"

#include <stdint.h>

struct job;
struct plan;
struct status;

#define EXPORT_PLOT_INTERVAL (10 * SECOND) /* ns from one plot to the next */

/*
 * The files that are replaced again and again while a run goes on: metrics and a plot.
 * Each exists, whole, before the first request.
 */
struct export
{
    const struct plan *plan;
    const struct job *jobs;
    int count;
    int64_t (*wall)(void);         /* ns since 1970 */
    struct status *status;         /* the status line; NULL: none */
    int metrics_error, plot_error; /* errno of the latest writing; 0: it succeeded */
};

/*
 * Writes the files that PLAN names, without a request, for COUNT jobs; these must stay,
 * and STATUS, which is erased while a note is written; NULL: there is none. Returns 0, or
 * -1 with ERROR.
 */
int export_begin(struct export *export, const struct plan *plan, const struct job *jobs,
                 int count, struct status *status, struct error *error);

/* Writes the metrics as they are at NOW, monotonic ns; a failure is noted on stderr. */
void export_metrics(struct export *export, int64_t now);

/* Writes the plot; a failure is noted on stderr. */
void export_plot(struct export *export);

/* Returns the path of a file whose latest writing failed, with its errno in ERROR, which
 * is 0 if none failed. */
const char *export_failure(const struct export *export, int *error);

#endif
