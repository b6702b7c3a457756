#ifndef RUN_WORKER_THREAD_H
#define RUN_WORKER_THREAD_H

#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A worker and its thread, which may get stuck in the kernel, as the supervisor sees it.
 * If it is abandoned, it must stay in memory until the program ends.
 */
struct worker_thread {
    struct worker worker;
    struct os_thread working;
    bool started; /* that is a thread of its own, to be joined */
    atomic_bool ended;
    struct stall stall;
    bool abandoned; /* it is stuck with requests, and not waited for */
    bool misses;    /* it was abandoned, and would send more if it could */
    int64_t since;  /* when the oldest of them that has not failed was sent; 0: none */
};

/* Makes a worker and its thread for JOB, with a track and a series if that has them; NULL
 * without memory. */
struct worker_thread *worker_thread_make(const struct job *job);

/* Frees what worker_thread_make took; the worker is closed, or was never open. */
void worker_thread_free(struct worker_thread *thread);

/* Starts the worker, which is open, on a thread of its own, which works when the run's
 * gate is open, and wakes the supervisor when it ends. Returns 0, or -1 with errno. */
int worker_thread_start(struct worker_thread *thread);

/* Prepares the same for the calling thread, which then works in worker_thread_work; that
 * returns whether the thread has descriptors of its own now (os_thread_unshare). */
void worker_thread_adopt(struct worker_thread *thread);
bool worker_thread_work(struct worker_thread *thread);

/* Waits for the end of the thread, if it was started. */
void worker_thread_join(struct worker_thread *thread);

/* Returns whether the worker has ended, or was abandoned and misses nothing more. */
bool worker_thread_is_over(const struct worker_thread *thread);

/*
 * Looks for a request without answer at time NOW. Returns its age, not counting the time
 * before RESUMED, when the process went on after a stop, if that is to be reported now,
 * else 0. INDEX becomes its ordinal, AGAIN when to look again at the latest.
 */
int64_t worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                            uint64_t *index, int64_t *again);

/*
 * Fails the requests that have timed out at NOW, notifies of them under the run's lock,
 * which the caller has if it NOTIFIES, and abandons the worker, which is stuck with them.
 * Nothing happens if it has gone on meanwhile.
 */
void worker_thread_abandon_late(struct worker_thread *thread, int64_t resumed,
                                int64_t now, bool notifies);

/* Counts what a worker that `misses` was to send until NOW. Returns when to look again at
 * the latest. */
int64_t worker_thread_miss(struct worker_thread *thread, int64_t now);

/* Adds the statistics so far to TOTAL, and to TRACK where there is one, and what has no
 * answer yet to UNDER_WAY. Returns false if the worker does not release them now. */
bool worker_thread_merge(struct worker_thread *thread, struct stats *total,
                         struct track *track, struct job_under_way *under_way);

/* Ends the sleep of the worker, so that it sees what has changed. */
void worker_thread_wake(struct worker_thread *thread);

/*
 * Abandons the worker at time NOW if it waits for a request. Nothing that it owns changes
 * any more then, even if the request returns.
 */
void worker_thread_abandon(struct worker_thread *thread, int64_t now);

#endif
