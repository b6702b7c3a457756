#ifndef RUN_PATTERN_H
#define RUN_PATTERN_H

#include "base/random.h"
#include "plan/plan.h"
#include "stats/sample.h"

#include <stdint.h>

/* Which block comes next, and whether it is read or written. Pure. */
struct pattern {
    struct random random;
    int64_t offset, size; /* of the working set; of a request */
    uint64_t blocks, next;
    bool linear;
    enum plan_load load;
    enum operation operation; /* of the next request */
};

/*
 * Starts the pattern of PLAN over the whole request-sized blocks of a working
 * set of WORK_SIZE bytes, at least one, at the plan's offset. NUMBER, from 0, is
 * that of the worker: each has random offsets of its own, or its own place to
 * start, as far from the others as can be.
 */
void pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
                   int number);

/* The next request: returns its offset and sets OPERATION. */
int64_t pattern_next(struct pattern *pattern, enum operation *operation);

#endif
