#ifndef RUN_WORKER_THREAD_H
#define RUN_WORKER_THREAD_H

#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A worker and its thread, as the supervisor sees them. The thread may get stuck in the
 * kernel; then the supervisor abandons the worker, which must stay in memory until the
 * program ends.
 *
 * Except for `ended`, which the worker's thread sets, only the supervisor writes the
 * fields below `working`, once worker_thread_start or worker_thread_adopt has set their
 * first values.
 */
struct worker_thread {
    struct worker worker;
    struct os_thread working;
    bool was_started;      /* `working` is a thread to be joined */
    atomic_bool has_ended; /* worker_run has returned */
    struct stall stall;
    bool abandoned; /* its requests may be stuck in the kernel; nobody waits for it */
    /* it was abandoned, and its due requests are still counted as missed */
    bool counts_missed;
    /* when the oldest request in flight was sent, ns, monotonic; set when the worker is
     * abandoned; 0 if nothing was in flight */
    int64_t oldest_sent_at;
};

/* Allocates a worker and its thread for JOB, with a track and a series if the job has
 * them. Returns NULL if there is no memory. */
struct worker_thread *worker_thread_make(const struct job *job);

/* Frees the memory of worker_thread_make. The worker must be closed, or must never have
 * been open. */
void worker_thread_free(struct worker_thread *thread);

/* Starts a thread for the worker, which must be open. The thread waits until the gate of
 * the run is open, works, and wakes the supervisor when it ends. Returns 0, or -1 with
 * errno. */
int worker_thread_start(struct worker_thread *thread);

/* Makes the calling thread the thread of the worker. The thread must then call
 * worker_thread_work. */
void worker_thread_adopt(struct worker_thread *thread);

/* Waits for the gate of the run, does the work of the worker on the calling thread, and
 * wakes the supervisor. Returns whether the thread now has its own table of file
 * descriptors (os_thread_unshare). */
bool worker_thread_work(struct worker_thread *thread);

/* Waits until the thread has ended, if worker_thread_start has started it. */
void worker_thread_join(struct worker_thread *thread);

/* Returns whether the worker needs no more attention: it has ended, or it was abandoned
 * and misses no further requests. */
bool worker_thread_is_over(const struct worker_thread *thread);

/*
 * Checks at time NOW whether a request has gone unanswered for too long. RESUMED is when
 * the process last went on after a stop: the time before it does not count. Returns the
 * age of the oldest request (ns) if it is to be reported now, and stores its ordinal in
 * INDEX; else returns 0. Stores in AGAIN when to check again at the latest.
 */
int64_t worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                            uint64_t *index, int64_t *again);

/* Abandons the worker if it is stuck with requests that have timed out at NOW. Those
 * requests fail first. NOTIFIES says that the caller holds the run's lock: then
 * observers are notified of them. Does nothing if the worker has gone on meanwhile. */
void worker_thread_abandon_late(struct worker_thread *thread, int64_t resumed,
                                int64_t now, bool notifies);

/* Counts the requests that a worker with `counts_missed` should have sent until NOW.
 * Returns when to call it again at the latest. */
int64_t worker_thread_miss(struct worker_thread *thread, int64_t now);

/* Adds the statistics so far to TOTAL, the track to TRACK unless it is NULL, and the
 * unanswered requests to UNDER_WAY. Returns false, and adds nothing, if the worker does
 * not release its handoff now. */
bool worker_thread_merge(struct worker_thread *thread, struct stats *total,
                         struct track *track, struct job_in_flight *under_way);

/* Wakes the worker from its sleep, so that it notices a stop. */
void worker_thread_wake(struct worker_thread *thread);

/* Abandons the worker at time NOW if it is waiting for a request. From then on nothing
 * of the worker changes, even if the request is answered. */
void worker_thread_abandon(struct worker_thread *thread, int64_t now);

#endif
