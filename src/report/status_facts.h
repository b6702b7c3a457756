#ifndef REPORT_STATUS_FACTS_H
#define REPORT_STATUS_FACTS_H

#include "report/status.h"

#include <stdint.h>

/* What stands in a status line. Times are ns; what is below 0 is not known. */
struct status_facts {
    enum sweep_kind swept; /* SWEEP_NONE: what follows means nothing */
    struct status_place place;
    int targets;

    double share; /* of the whole run that is done: 0 to 1 */
    int64_t elapsed, left;
    uint64_t requests, failed; /* of all targets */
    bool corrected;            /* the percentiles are */
    int64_t p50, p99, max;
};

/*
 * Gathers them from what is seen of COUNT targets at NOW. Nothing of STATUS changes but
 * what it has merged.
 */
void status_gather(const struct status *status, const struct job *jobs, int count,
                   int64_t now, struct status_facts *facts);

#endif
