#ifndef RUN_MISSED_H
#define RUN_MISSED_H

/* Requests of a worker that are never sent or that are given up, and the end of its run.
 * The caller of each function except worker_is_over must hold the handoff of the worker
 * or have locked it. */
#include "worker.h"

#include "base/time.h"
#include "os/process.h"

/* A wait that is shorter than this (ns) is not checked for a stop of the process. */
#define STOP_SHORTEST MS

/* Returns whether the process was, or may have been, stopped between START and NOW (ns,
 * monotonic). */
static inline bool
was_stopped(int64_t start, int64_t now)
{
    return now - start >= STOP_SHORTEST && os_process_stopped(start);
}

/* Returns whether the run of the worker is over at NOW for a request that is due at
 * WHEN. Looks at the signal itself too, since the supervisor may be too busy to notice
 * it. */
static inline bool
worker_is_over(const struct worker *worker, int64_t when, int64_t now)
{
    const struct schedule *schedule = &worker->schedule;

    return when >= schedule->end_at || now >= schedule->deadline ||
           atomic_load_explicit(&worker->group->is_stopped, memory_order_relaxed) ||
           os_signals_asked() ||
           (schedule->ordinal_count == 0 &&
            atomic_load_explicit(&worker->group->last_due_at, memory_order_relaxed));
}

/* Returns the length (ns) of the stall that ends at NOW: from one interval before the
 * first point that SCHEDULE has just reported as missed. */
static inline int64_t
missed_stall(const struct schedule *schedule, int64_t now)
{
    return time_add(now - schedule->missed_since, schedule->interval);
}

/* Counts COUNT requests that the schedule has just reported as missed: in SAMPLE, which
 * has not been recorded yet, or in the statistics if SAMPLE is NULL. Counts nothing if
 * the process was stopped meanwhile. Returns whether it has counted any. */
bool worker_miss(struct worker *worker, struct sample *sample, uint64_t count);

/* If the process was stopped between WHEN and NOW, gives up the open-loop requests that
 * became due from WHEN until it went on. Returns whether it was stopped. */
bool worker_pass_stopped(struct worker *worker, int64_t when, int64_t now);

/* For a worker whose slots are all lost, missed requests are counted this often, in ns.
 */
#define LOST_LOOK (20 * MS)

/* Gives up at NOW the requests that were due and not sent. If the run is over, no other
 * worker will send them, so the requests that no worker has claimed are included. READY
 * says that the worker has a free slot. Returns whether the run is over. */
bool worker_miss_rest(struct worker *worker, int64_t now, bool ready);

/* Counts the requests that a worker without a free slot should have sent until NOW. */
void worker_miss_so_far(struct worker *worker, int64_t now);

/* Counts the requests that an abandoned worker should have sent until NOW. Returns
 * whether the run is over, so that no further requests are missed; then its statistics
 * end as well. */
bool worker_miss_on(struct worker *worker, int64_t now);

/* Ends the statistics of a worker at NOW, when it is abandoned. Unanswered requests
 * count as sent. */
void worker_abandon(struct worker *worker, int64_t now);

#endif
