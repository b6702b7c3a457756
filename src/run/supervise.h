#ifndef RUN_SUPERVISE_H
#define RUN_SUPERVISE_H

#include "job.h"

struct run {
    atomic_bool news;     /* a worker has ended */
    struct os_lock *gate; /* held while the workers are started; NULL: there is one */
    struct os_lock *lock; /* of what observers are told that return something */

    struct run_ticker *tickers;
    int ticker_count;
    struct run_snapshot *snapshots;
    bool interim_wanted;
    unsigned continues; /* of the process, so far */
    int64_t resumed;    /* when the last of them was seen, monotonic; 0: none was */
    bool ending;        /* by a signal */
    atomic_bool mute;   /* what was to be told could not be written */

    int count;
    struct job jobs[];
};

/* Before the workers start: views count from NOW. */
void supervise_begin(struct run *run, int64_t now);

/* Attends to the workers, which are started, until all have ended or were given up. */
void supervise(struct run *run);

#endif
