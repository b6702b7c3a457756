#ifndef RUN_WORKER_THREAD_H
#define RUN_WORKER_THREAD_H

#include "os/thread.h"
#include "run/schedule.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A worker and its thread, which may get stuck in the kernel, as the supervisor sees it.
 * If it is given up, it must stay in memory until the program ends.
 */
struct worker_thread {
    struct worker worker;
    struct os_lock
        *gate; /* held until all threads of the run are started; NULL: it is alone */
    struct os_thread supervisor, working;
    bool adopted;      /* its thread is that of the caller, and is not joined */
    atomic_bool *news; /* becomes true with `ended` */
    atomic_bool ended;
    struct stall stall;
    int64_t
        waiting; /* age (ns) of the oldest request when it was given up; 0: it was not */
    int left;    /* requests that were in flight then */
};

/* Makes a worker and its thread, all zero, with a track if TRACKED; NULL without memory.
 */
struct worker_thread *worker_thread_make(bool tracked);

/* Frees what worker_thread_make took; the worker is closed, or was never open. */
void worker_thread_free(struct worker_thread *thread);

/* Starts the worker, which is open, on a thread of its own; NEWS becomes true and
 * SUPERVISOR is woken when it ends. Returns 0, or -1 with errno. */
int worker_thread_start(struct worker_thread *thread, const struct os_thread *supervisor,
                        atomic_bool *news);

/* Prepares the same for the calling thread, which then works in worker_thread_work. */
void worker_thread_adopt(struct worker_thread *thread, const struct os_thread *supervisor,
                         atomic_bool *news);
void worker_thread_work(struct worker_thread *thread);

/* Waits for the end of the thread, unless it was adopted. */
void worker_thread_join(struct worker_thread *thread);

/* Returns whether the worker has ended or was given up. */
bool worker_thread_is_over(const struct worker_thread *thread);

/*
 * Looks for a request without answer at time NOW. Returns its age, not counting the time
 * before RESUMED, when the process went on after a stop, if that is to be reported now,
 * else 0. INDEX becomes its number, AGAIN when to look again at the latest.
 */
int64_t worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                            uint64_t *index, int64_t *again);

/* Adds the statistics so far to TOTAL, and to TRACK where there is one. Returns false if
 * the worker does not release them now. */
bool worker_thread_merge(struct worker_thread *thread, struct stats *total,
                         struct track *track);

/* Ends the sleep of the worker, so that it sees what has changed. */
void worker_thread_wake(struct worker_thread *thread);

/*
 * Gives the worker up at time NOW if it waits for a request. Nothing that it owns changes
 * any more then, even if the request returns.
 */
void worker_thread_give_up(struct worker_thread *thread, int64_t now);

#endif
