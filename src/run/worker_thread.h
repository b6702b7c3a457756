#ifndef RUN_WORKER_THREAD_H
#define RUN_WORKER_THREAD_H

#include "os/thread.h"
#include "run/schedule.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A worker on a thread, where it may get stuck in the kernel, as the thread that
 * attends to it sees it. If it is given up, this must stay in memory until the
 * program ends.
 */
struct worker_thread {
    struct worker worker;
    struct os_lock *gate; /* held until all of the crew are there; NULL: it is alone */
    struct os_thread supervisor, working;
    bool led;          /* it works on a thread that has more to do */
    atomic_bool *news; /* true when it has ended */
    atomic_bool ended;
    struct stall stall;
    int64_t waiting; /* when it was given up: for how long already; 0: it was not */
    int left;        /* how many requests were under way then */
};

/* Makes an empty one, with a track if what came when is recorded; NULL without memory. */
struct worker_thread *worker_thread_make(bool tracked);

/* Frees it and its track; the worker is closed, or was never open. */
void worker_thread_free(struct worker_thread *thread);

/* Starts the worker, which is open, on a thread of its own, for thread ATTENDING to
 * attend to; NEWS becomes true when it ends. Returns 0, or -1 with errno. */
int worker_thread_start(struct worker_thread *thread, const struct os_thread *supervisor,
                        atomic_bool *news);

/* Likewise, but the calling thread will do the work, by worker_thread_work. */
void worker_thread_adopt(struct worker_thread *thread, const struct os_thread *supervisor,
                         atomic_bool *news);
void worker_thread_work(struct worker_thread *thread);

/* After its end, frees the thread, if it has one of its own. */
void worker_thread_join(struct worker_thread *thread);

/* Whether nothing more is to come of it: it has ended, or was given up. */
bool worker_thread_is_over(const struct worker_thread *thread);

/*
 * Looks whether a request has been under way for long at time NOW, or since RESUMED, when
 * the process went on after a stop. Returns how long if that is to be said now, else 0;
 * INDEX becomes its number, AGAIN when to look again at the latest.
 */
int64_t worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                            uint64_t *index, int64_t *again);

/* Adds the statistics so far to TOTAL, and to TRACK where there is one; false if they
 * cannot be had now. */
bool worker_thread_merge(struct worker_thread *thread, struct stats *total,
                         struct track *track);

/* Ends its sleep, so that it sees what has changed. */
void worker_thread_wake(struct worker_thread *thread);

/*
 * Gives it up at time NOW if it waits for a request. Nothing that the worker
 * owns will change any more then, even if the request returns.
 */
void worker_thread_give_up(struct worker_thread *thread, int64_t now);

#endif
