#ifndef SESSION_STAGES_H
#define SESSION_STAGES_H

#include "base/error.h"
#include "cli/options.h"
#include "run/job.h"

#include <stdatomic.h>
#include <stdint.h>

/* What a thread may wait for without end while there are no requests. The file of
 * -output and each target are opened, the exported files are written, and each target is
 * closed. */
struct stage {
    const char *name;                /* the path of what is waited for */
    _Atomic int64_t since;           /* when that began, monotonic */
    const _Atomic int64_t *advanced; /* when it last did; NULL: it cannot */
    const char *end;                 /* what a message says of a closing; else empty */
};

struct stages {
    const struct plan *plan;
    atomic_int current; /* the index of the present one */
    int count;          /* openings, and so many closings */
    int64_t limit;      /* when a stage is given up after a signal, monotonic */
    char files[512];    /* the names of that of -output and of exported ones */
    struct stage list[2 * (TARGETS_MOST + 1) + 1]; /* openings, files, closings */
};

/* Makes the stages of COUNT JOBS of PLAN, targets and a background; all must outlive
 * them. The first opening begins at once. */
void stages_make(struct stages *stages, const struct plan *plan, const struct job *jobs,
                 int count);

/* Begins a stage, on the thread that may have to wait: the opening or closing of the job
 * with INDEX, or that of all files but targets, INDEX 0. */
enum stage_kind { STAGE_OPENING, STAGE_FILES, STAGE_CLOSING };
void stages_enter(struct stages *stages, enum stage_kind kind, int index);

/*
 * Waits for the stages until DONE, on the supervisor's thread; says on stderr what takes
 * long. Returns NULL, or the stage that is to be given up, WAITED ns after its begin:
 * it has not advanced for longer than the plan has patience, or it is some time after a
 * signal.
 */
const struct stage *stages_wait(struct stages *stages, const atomic_bool *done,
                                int64_t *waited);

/* Fills ERROR, with status 2: a stage is HOW not ready, WAITED ns after its begin. */
void stage_explain(const struct stage *stage, const char *how, int64_t waited,
                   struct error *error);

#endif
