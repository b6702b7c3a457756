/*
 * The thread of a worker, and what the supervisor does about it: it reports unanswered
 * requests, takes the statistics so far, ends the worker's sleep, and abandons the
 * worker.
 *
 *     oldest request in flight for     the supervisor
 *     -hang, then 2, 4, 8 times that   notifies observers (worker_thread_check)
 *     -timeout                         fails the requests, if the worker has not done so,
 *                                      and abandons it (worker_thread_abandon_late)
 *     the grace after the work time    abandons the worker (worker_thread_abandon)
 *
 * To abandon a worker means to lock its handoff and never to release it. When its system
 * call returns, if ever, the worker waits for the handoff for ever. So its statistics
 * never change again, and the supervisor can use them without locking the handoff.
 */
#include "worker_thread.h"

#include "base/time.h"
#include "missed.h"
#include "run_private.h"

#include <stdlib.h>

struct worker_thread *
worker_thread_make(const struct job *job)
{
    struct worker_thread *thread = calloc(1, sizeof(*thread));

    if (!thread)
        return NULL;
    struct worker *worker = &thread->worker;
    if (job->track)
        worker->account.track = calloc(1, sizeof(*worker->account.track));
    if (worker_open_series(&worker->account.series, &job->active_plan,
                           job->active_plan.io.threads) == 0 &&
        !worker->account.track == !job->track)
        return thread;
    worker_thread_free(thread);

    return NULL;
}

void
worker_thread_free(struct worker_thread *thread)
{
    free(thread->worker.account.track);
    worker_close_series(&thread->worker.account.series);
    free(thread);
}

bool
worker_thread_work(struct worker_thread *thread)
{
    struct worker *worker = &thread->worker;
    struct run *run = worker->job->run;
    bool own =
        !worker->reports_requests && !worker->account.attribution && os_thread_unshare();

    if (run->start_gate) {
        os_lock_acquire(run->start_gate);
        while (run->is_held)
            os_lock_wait(run->start_gate);
        os_lock_release(run->start_gate);
    }
    worker_run(worker);
    atomic_store(&thread->has_ended, true);
    atomic_store(&run->any_ended, true);
    os_thread_wake(&run->supervisor);

    return own;
}

static void *
start(void *argument)
{
    worker_thread_work(argument);
    return NULL;
}

void
worker_thread_adopt(struct worker_thread *thread)
{
    atomic_init(&thread->has_ended, false);
    stall_start(&thread->stall, thread->worker.plan->end.hang);
    thread->working = os_thread_self();
}

int
worker_thread_start(struct worker_thread *thread)
{
    worker_thread_adopt(thread);
    thread->was_started = os_thread_start(&thread->working, start, thread) == 0;
    return thread->was_started ? 0 : -1;
}

void
worker_thread_join(struct worker_thread *thread)
{
    if (thread->was_started)
        os_thread_join(&thread->working);
}

bool
worker_thread_is_over(const struct worker_thread *thread)
{
    return (thread->abandoned && !thread->counts_missed) ||
           atomic_load(&thread->has_ended);
}

void
stall_start(struct stall *stall, int64_t limit)
{
    *stall = (struct stall){.limit = limit ? limit : INT64_MAX};
}

int64_t
stall_check(struct stall *stall, int64_t since, int64_t now)
{
    if (since <= 0)
        return 0;
    if (since != stall->since) {
        stall->since = since;
        stall->next = stall->limit;
    }
    int64_t waited = now - since;
    if (waited < stall->next)
        return 0;
    while (stall->next <= waited)
        stall->next = time_multiply(stall->next, 2);

    return waited;
}

/* A request that is sent right after the call is not reported before it has been in
 * flight for `limit`. */
int64_t
stall_due(const struct stall *stall, int64_t since, int64_t now)
{
    int64_t from = since > 0 ? since : now;
    int64_t limit = since == stall->since ? stall->next : stall->limit;
    return time_add(from, limit);
}

/* The index is that of the oldest request. If the worker has gone on meanwhile, so that
 * another request is the oldest, nothing is reported. */
int64_t
worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                    uint64_t *index, int64_t *again)
{
    int64_t start = handoff_peek(&thread->worker.handoff);
    int64_t still;
    int64_t since = start > 0 && start < resumed ? resumed : start;
    int64_t waited = stall_check(&thread->stall, since, now);

    if (waited && !handoff_lock(&thread->worker.handoff, &still)) {
        waited = since = 0;
    } else if (waited) {
        /* 0 if none is in flight */
        *index = thread->worker.queue.inflight.ring.younger->sample.index;
        handoff_release(&thread->worker.handoff, still);
        waited = still == start && *index ? waited : 0;
    }
    bool soon = since == HANDOFF_HELD || since == HANDOFF_LOST;
    int64_t due = soon ? now : stall_due(&thread->stall, since, now);
    int64_t soonest = now + (since > 0 ? MS : SUPERVISE_RETRY);
    *again = time_later(due, soonest);

    return waited;
}

/* Adds the unanswered requests of INFLIGHT to UNDER_WAY. The oldest request in flight
 * was sent at SINCE; a SINCE of 0 or below means that none is in flight. */
static void
add_under_way(struct job_in_flight *under_way, const struct inflight *inflight,
              int64_t since)
{
    int live = since > 0 ? inflight_live(inflight) : 0;
    int64_t oldest = live ? since : INT64_MAX;

    under_way->count += inflight->lost_count + live;
    if (inflight->lost_count)
        oldest = time_earlier(oldest, inflight->lost_since);
    if (oldest < INT64_MAX &&
        (!under_way->oldest_sent_at || oldest < under_way->oldest_sent_at))
        under_way->oldest_sent_at = oldest;
}

/* Returns whether the worker was abandoned during a call for its only request and that
 * call has returned since: then the request has its answer. */
static bool
is_answered(const struct worker_thread *thread)
{
    const struct worker *worker = &thread->worker;
    return thread->abandoned && !worker->queue.engine->queues_requests &&
           atomic_load(&worker->handoff.is_worker_waiting);
}

bool
worker_thread_merge(struct worker_thread *thread, struct stats *total,
                    struct track *track, struct job_in_flight *under_way)
{
    int64_t since = thread->oldest_sent_at;
    bool empty = thread->abandoned || worker_thread_is_over(thread);

    if (!empty && !handoff_lock(&thread->worker.handoff, &since))
        return false;
    stats_merge(total, &thread->worker.account.total);
    worker_share(&thread->worker);
    if (track)
        track_merge(track, thread->worker.account.track);
    if (!is_answered(thread))
        add_under_way(under_way, &thread->worker.queue.inflight, since);
    if (!empty)
        handoff_release(&thread->worker.handoff, since);

    return true;
}

/* Only a sleep is ended early: a system call for a request would just begin anew. */
void
worker_thread_wake(struct worker_thread *thread)
{
    if (handoff_peek(&thread->worker.handoff) == HANDOFF_IDLE)
        os_thread_wake(&thread->working);
}

/* Locks the handoff if the worker waits for a request that was sent at LATE or before,
 * and stores in SINCE when it was sent. Returns whether it has locked the handoff. */
static bool
lock_waiting(struct worker_thread *thread, int64_t late, int64_t *since)
{
    if (!handoff_lock(&thread->worker.handoff, since))
        return false;
    if (*since > 0 && *since <= late)
        return true;
    handoff_release(&thread->worker.handoff, *since);

    return false;
}

/* Abandons the worker at NOW. The caller has locked its handoff, and never releases it.
 * If the oldest request has not been sent yet, its age counts from SINCE. */
static void
abandon(struct worker_thread *thread, int64_t since, int64_t now)
{
    struct outcome *outcome = &thread->worker.job->outcome;
    const struct inflight *inflight = &thread->worker.queue.inflight;
    int64_t start = inflight->ring.younger->sample.start;
    int left = inflight_live(inflight);

    thread->abandoned = true;
    if (left) {
        thread->oldest_sent_at = start ? start : since;
        outcome->waiting_age =
            time_later(outcome->waiting_age, time_later(now - thread->oldest_sent_at, 1));
        outcome->abandoned_requests += left;
    }
    worker_end_busy(&thread->worker, now);
    worker_abandon(&thread->worker, now);
}

void
worker_thread_abandon(struct worker_thread *thread, int64_t now)
{
    int64_t since;
    if (lock_waiting(thread, INT64_MAX, &since))
        abandon(thread, since, now);
}

/* Fails the requests that were sent at LATE or before, the oldest first. Requests that
 * the engine is just sending have no start yet: if the oldest has none, all of these
 * count from SINCE. With NOTIFIES observers are notified of each of them. */
static void
fail_late(struct worker *worker, int64_t since, int64_t late, int64_t now, bool notifies)
{
    const struct inflight_request *ends = &worker->queue.inflight.ring;
    int64_t unsent = ends->younger->sample.start ? now : since;

    while (ends->younger != ends) {
        struct inflight_request *entry = ends->younger;
        int64_t start = entry->sample.start ? entry->sample.start : unsent;
        if (start > late)
            return;
        worker_time_out_request(worker, entry, start, now);
        if (notifies && worker->reports_requests)
            notify_sample_locked(worker->job, worker, &entry->sample);
    }
}

void
worker_thread_abandon_late(struct worker_thread *thread, int64_t resumed, int64_t now,
                           bool notifies)
{
    struct worker *worker = &thread->worker;
    int64_t since;
    int64_t late = now - worker->plan->end.timeout;

    if (resumed > late || !lock_waiting(thread, late, &since))
        return;
    fail_late(worker, since, late, now, notifies);
    abandon(thread, since, now);
    thread->counts_missed = worker->job->plan.mode != MODE_BACKGROUND;
}

int64_t
worker_thread_miss(struct worker_thread *thread, int64_t now)
{
    struct worker *worker = &thread->worker;
    int64_t over = atomic_load_explicit(&worker->work_ends_at, memory_order_relaxed);
    thread->counts_missed = !worker_miss_on(worker, now);
    return time_later(time_earlier(over, now + LOST_LOOK), now + MS);
}
