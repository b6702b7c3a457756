#ifndef RUN_MISSED_H
#define RUN_MISSED_H

/* The requests of a worker that are never sent, or given up, and the end of its run. All
 * but worker_is_over is for whoever holds or has locked the handoff. */
#include "worker.h"

#include "base/time.h"
#include "os/process.h"

/* Shorter times (ns) are not examined for a stop of the process. */
#define STOP_SHORTEST MS

/* Returns whether the process was, or may have been, stopped between START and NOW. */
static inline bool
was_stopped(int64_t start, int64_t now)
{
    return now - start >= STOP_SHORTEST && os_process_stopped(start);
}

/* Returns whether a request that is due at WHEN comes too late for the run at NOW. The
 * signal itself is looked at too, as the supervisor may be busy when it comes. */
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

/* Returns the time, ns, until NOW in which requests were missed, as SCHEDULE has just
 * said, and one interval before it. */
static inline int64_t
missed_stall(const struct schedule *schedule, int64_t now)
{
    return time_add(now - schedule->missed_since, schedule->interval);
}

/*
 * Counts COUNT requests that the schedule has just said were missed: for SAMPLE, which is
 * not recorded yet, or, NULL, in the statistics. Those that the process missed itself as
 * it was stopped do not count. Returns whether there are some that do.
 */
bool worker_miss(struct worker *worker, struct sample *sample, uint64_t count);

/* Passes over requests that are due at WHEN or later and stay so, if the process was
 * stopped while they waited to be sent until NOW. Returns whether that is so. */
bool worker_pass_stopped(struct worker *worker, int64_t when, int64_t now);

/* Time between two looks at what a worker misses that has lost all of its requests, ns.
 */
#define LOST_LOOK (20 * MS)

/* Gives up at NOW what was due and not sent: if the run is over, and so no other worker
 * will send it, what none has taken as well. READY: the worker has a free slot. Returns
 * whether the run is over. */
bool worker_miss_rest(struct worker *worker, int64_t now, bool ready);

/* Counts what a worker without a free slot was to send until NOW. */
void worker_miss_so_far(struct worker *worker, int64_t now);

/*
 * Counts what a worker that was abandoned was to send until NOW. Returns whether that was
 * all, as the run is over; its statistics end then.
 */
bool worker_miss_on(struct worker *worker, int64_t now);

/* Ends the statistics at NOW: requests that do not return count as sent. */
void worker_abandon(struct worker *worker, int64_t now);

#endif
