#ifndef PLAN_PARTS_H
#define PLAN_PARTS_H

#include "base/time.h"

struct plan;

/* The work time of all parts together if -w is not given, ns. */
#define DIAGNOSIS_TIME (20 * SECOND)

/* The share of the work time that the reads with pauses have, percent. */
#define DIAGNOSIS_PAUSES_SHARE 30

/*
 * The parts of -diagnose, in their order. Each part is a run of its own, or a sweep. The
 * parts that only read share one open target. PART_OF_FLUSHES writes to a working file of
 * its own; only a directory has it, so it is the last part.
 */
enum plan_part {
    PART_OF_PAUSES,  /* one read after the other, with a pause before each */
    PART_OF_DEPTHS,  /* a sweep of the number of reads in flight */
    PART_OF_STREAM,  /* sequential reads, back to back */
    PART_OF_FLUSHES, /* a log: each write is followed by a flush */
    PLAN_PARTS
};

/* Makes the plan of one part of -diagnose, and stores it in ONE. PLAN is the plan of the
 * run. */
void plan_part(const struct plan *plan, enum plan_part part, struct plan *one);

#endif
