#ifndef PROBE_ATTEND_H
#define PROBE_ATTEND_H

#include "probe/run.h"
#include "seat.h"

struct run {
    struct plan plan; /* copies, because the run is left behind with what is stuck */
    struct run_observer observer;
    struct target *target;
    struct crew crew;
    struct seat **seats; /* as many as the crew has */
    atomic_bool news;    /* a worker has ended */

    struct os_lock *gate; /* held while the workers are started; NULL: there is one */
    struct os_lock *lock; /* of what follows, and of sample and period of the observer */
    bool introduced;      /* the target is named, and the observer told of the begin */
    int64_t period_began;

    int64_t give_up;  /* when requests that do not return are; INT64_MAX: not yet */
    int64_t keep_due; /* INT64_MAX: never */
    bool interim_wanted;
    int added; /* workers that are in the total, while not all are */

    struct stats period; /* under the lock, too */
    struct stats total;  /* of all workers, when it was last put together */
};

/* Before they start: periods and versions of the file are counted from NOW. */
void attend_begin(struct run *run, int64_t now);

/* Attends to the workers, which are started, until all have ended or were given up. */
void attend(struct run *run);

/*
 * Makes TOTAL, which is a set of statistics, what all workers have so far. False
 * if some cannot be had now: the next call goes on with those.
 */
bool attend_add_up(struct run *run, struct stats *total);

/* What workers tell of a request, or at the crew's `due`; SELF is the run. */
int attend_sample(void *self, const struct sample *sample);
int attend_due(void *self, int64_t now);

#endif
