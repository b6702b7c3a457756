#ifndef REPORT_PROMETHEUS_H
#define REPORT_PROMETHEUS_H

#include "base/buffer.h"
#include "plan/plan.h"
#include "run/job.h"

#include <stdint.h>

/*
 * Adds the metrics of a run of PLAN, which has COUNT jobs, in the text exposition format
 * of Prometheus. EPOCH is the time on the wall, ns since 1970, at which the monotonic
 * clock was 0. A job whose labels are those of an earlier one has its number as well: 2
 * for the second of them. Without memory the text is marked as failed.
 */
void prometheus_format(struct buffer *text, const struct plan *plan,
                       const struct job *jobs, int count, int64_t epoch);

/* Replaces the plan's file by these metrics. Returns 0, or the errno of what failed. */
int prometheus_write(const struct plan *plan, const struct job *jobs, int count,
                     int64_t epoch);

#endif
