#ifndef REPORT_PROMETHEUS_H
#define REPORT_PROMETHEUS_H

#include "base/buffer.h"
#include "base/error.h"
#include "target/description.h"
#include "plan/plan.h"
#include "stats/stats.h"

#include <stdint.h>

/* A target as far as it got. */
struct prometheus_target {
    const struct description *description;
    const struct stats *stats;
    int64_t last; /* when its last request ended, ns since 1970; 0: none has */
};

/*
 * Adds the metrics of a run of PLAN on COUNT targets in the text exposition format of
 * Prometheus. One whose labels are those of an earlier one has its number as well: 2 for
 * the second of them. Without memory the text is marked as failed.
 */
void prometheus_format(struct buffer *text, const struct plan *plan,
                       const struct prometheus_target *targets, int count);

/* Puts them into the plan's file. Returns 0, or the errno of what failed. */
int prometheus_keep(const struct plan *plan, const struct prometheus_target *targets,
                    int count);

/*
 * If the plan has a file, puts it there before the first request, all counters of these
 * targets at zero. Returns 0, or -1 with ERROR.
 */
int prometheus_begin(const struct plan *plan, const struct description *const *targets,
                     int count, struct error *error);

#endif
