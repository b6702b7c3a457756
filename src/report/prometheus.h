#ifndef REPORT_PROMETHEUS_H
#define REPORT_PROMETHEUS_H

#include "base/buffer.h"

#include <stdint.h>

struct job;
struct plan;

/*
 * Adds the metrics of a run of PLAN, which has COUNT jobs, in the text exposition format
 * of Prometheus. EPOCH is the wall clock's time, ns since 1970, at which the monotonic
 * clock was 0. A job whose labels equal those of earlier ones gets another: its number
 * among them, 2 for the second. If memory runs out, TEXT is marked as failed.
 */
void prometheus_format(struct buffer *text, const struct plan *plan,
                       const struct job *jobs, int count, int64_t epoch);

/* Replaces the plan's file with these metrics. Returns 0, or the errno of the failure. */
int prometheus_write(const struct plan *plan, const struct job *jobs, int count,
                     int64_t epoch);

#endif
