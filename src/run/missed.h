#ifndef RUN_MISSED_H
#define RUN_MISSED_H

/* Counts the requests of a worker that were due but never sent, or that were given up,
 * and decides when its run is over. The caller of each function, except worker_is_over
 * and was_stopped, must have the handoff of the worker: it is the worker's thread, or the
 * supervisor after handoff_lock. */
#include "worker.h"

#include "base/time.h"
#include "os/process.h"

/* In a time shorter than this (ns), the process is assumed not to have been stopped,
 * which saves the check. */
#define STOP_SHORTEST MS

/* Returns true if the process was, or may have been, stopped (Ctrl-Z) or frozen between
 * START and NOW (ns, monotonic). */
static inline bool
was_stopped(int64_t start, int64_t now)
{
    return now - start >= STOP_SHORTEST && os_process_was_stopped(start);
}

/* Returns true if WORKER must not send a request that is due at WHEN, because the run is
 * over at NOW (ns, monotonic). Also checks for a signal to stop, because the supervisor
 * may be too busy to stop the workers. */
static inline bool
worker_is_over(const struct worker *worker, int64_t when, int64_t now)
{
    const struct schedule *schedule = &worker->schedule;

    return when >= schedule->end_at || now >= schedule->deadline ||
           atomic_load_explicit(&worker->group->is_stopped, memory_order_relaxed) ||
           os_signals_stop_asked_at() ||
           (schedule->ordinal_count == 0 &&
            atomic_load_explicit(&worker->group->last_due_at, memory_order_relaxed));
}

/* Returns the length (ns) of a stall, which is a time in which no request could be sent.
 * The stall ends at NOW. It began one interval before the due time of the first request
 * that was missed during the stall, which is `missed_since` of SCHEDULE. */
static inline int64_t
missed_stall(const struct schedule *schedule, int64_t now)
{
    return time_add(now - schedule->missed_since, schedule->interval);
}

/* Counts COUNT requests that the schedule has just reported as missed. Adds them to
 * SAMPLE, which has not been recorded yet; or, if SAMPLE is NULL, to the statistics.
 * Counts nothing if the process was stopped when they were due. Returns true if it has
 * counted any. */
bool worker_count_missed(struct worker *worker, struct sample *sample, uint64_t count);

/* If the process was stopped between WHEN and NOW, gives up the requests of an open loop
 * that were due from WHEN until the process continued. Returns true if it was stopped. */
bool worker_give_up_stopped(struct worker *worker, int64_t when, int64_t now);

/* If each slot of a worker has a request that timed out, the worker cannot send a
 * request. Then it counts its missed requests once in this time (ns). */
#define LOST_POLL_INTERVAL (20 * MS)

/* Gives up at NOW the requests that were due and not sent, and counts them as missed. If
 * the run is over, that includes requests that no worker has claimed. READY says that
 * the worker has a free slot; see schedule_end. Returns true if the run is over. */
bool worker_give_up_due(struct worker *worker, int64_t now, bool ready);

/* Counts as missed the requests that a worker without a free slot should have sent until
 * NOW. */
void worker_count_missed_until(struct worker *worker, int64_t now);

/* Counts as missed the requests that an abandoned worker should have sent until NOW.
 * Returns true if the run is over; then it also ends the statistics of the worker. */
bool worker_count_missed_abandoned(struct worker *worker, int64_t now);

/* Completes the statistics of a worker that is abandoned at NOW. Its requests in flight
 * are counted as sent, but no latency is recorded for them. */
void worker_end_abandoned(struct worker *worker, int64_t now);

#endif
