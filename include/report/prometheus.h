#ifndef REPORT_PROMETHEUS_H
#define REPORT_PROMETHEUS_H

#include "base/buffer.h"
#include "base/error.h"
#include "plan/description.h"
#include "plan/plan.h"
#include "stats/stats.h"

/*
 * Adds the metrics of a run of PLAN on TARGET in the text exposition format of
 * Prometheus. LAST: when the last request ended, ns since 1970; 0: none has.
 */
void prometheus_format(struct buffer *text, const struct plan *plan,
                       const struct description *target, const struct stats *stats,
                       int64_t last);

/* Puts them into the plan's file. Returns 0, or the errno of what failed. */
int prometheus_keep(const struct plan *plan, const struct description *target,
                    const struct stats *stats, int64_t last);

/*
 * If the plan has a file, puts it there before the first request, all counters
 * at zero. Returns 0, or -1 with ERROR.
 */
int prometheus_begin(const struct plan *plan, const struct description *target,
                     struct error *error);

#endif
