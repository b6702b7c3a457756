#ifndef REPORT_KEPT_H
#define REPORT_KEPT_H

#include "base/error.h"
#include "plan/description.h"
#include "plan/plan.h"
#include "probe/run.h"
#include "report/status.h"

/*
 * The files that are kept up to date while a run goes on: metrics. They are
 * there, whole, before the first request.
 */
struct kept {
    const struct plan *plan;
    const struct description *const *descriptions; /* one for each target */
    int count;
    int64_t (*wall)(void); /* ns since 1970 */
    struct status *status; /* what is on the terminal; NULL: nothing */
    int metrics_error;     /* errno if that file is not up to date */
};

/*
 * Puts the files that PLAN names in place for COUNT targets; these must stay, and STATUS,
 * which is kept out of the way of what is said later; NULL: there is none. Returns 0, or
 * -1 with ERROR.
 */
int kept_begin(struct kept *kept, const struct plan *plan,
               const struct description *const *targets, int count, struct status *status,
               struct error *error);

/* Adds who writes them to VIEWS; returns how many. */
int kept_views(struct kept *kept, struct run_view *views);

/* ERROR becomes the errno of a file that is not up to date, which is returned; 0: all
 * are. */
const char *kept_failure(const struct kept *kept, int *error);

#endif
