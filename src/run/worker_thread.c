/*
 * The thread of a worker, and how the supervisor deals with it: it finds requests that
 * have no answer for too long, adds up the statistics, wakes the worker from a sleep, and
 * abandons the worker.
 *
 *     a request has had no answer      the supervisor
 *     for -hang, then 2, 4, 8 x that   reports it (worker_thread_find_stall)
 *     for -timeout                     fails the request, unless the worker has done so,
 *                                      and abandons it (worker_thread_abandon_late)
 *     until the end of the grace       abandons the worker (worker_thread_abandon)
 *     period after the work time
 *
 * To abandon a worker means to lock its handoff and never to release it. If its system
 * call ever returns, the worker waits for the handoff for ever. So its statistics never
 * change again, and the supervisor can use them without locking the handoff.
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
    struct worker_account *account = &thread->worker.account;
    if (job->track)
        account->track = calloc(1, sizeof(*account->track));
    bool has_track = account->track || !job->track;
    int status = worker_open_series(&account->series, &job->active_plan,
                                    job->active_plan.io.threads);
    if (status < 0 || !has_track) {
        worker_thread_free(thread);
        return NULL;
    }

    return thread;
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
    bool needs_common_table = worker->reports_requests || worker->account.attribution;
    bool has_own_table = !needs_common_table && os_thread_unshare();

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

    return has_own_table;
}

static void *
run_thread(void *argument)
{
    worker_thread_work(argument);
    return NULL;
}

void
worker_thread_adopt(struct worker_thread *thread)
{
    atomic_init(&thread->has_ended, false);
    stall_start(&thread->stall, thread->worker.plan->end.hang);
    thread->os_thread = os_thread_self();
}

int
worker_thread_start(struct worker_thread *thread)
{
    worker_thread_adopt(thread);
    thread->was_started = os_thread_start(&thread->os_thread, run_thread, thread) == 0;
    return thread->was_started ? 0 : -1;
}

void
worker_thread_join(struct worker_thread *thread)
{
    if (thread->was_started)
        os_thread_join(&thread->os_thread);
}

bool
worker_thread_is_over(const struct worker_thread *thread)
{
    return (thread->is_abandoned && !thread->counts_missed) ||
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

/* If no request is in flight, one may be sent right after NOW. It must be reported when
 * it is `limit` old, so the next check is due then. */
int64_t
stall_due(const struct stall *stall, int64_t since, int64_t now)
{
    int64_t sent_at = since > 0 ? since : now;
    int64_t limit = since == stall->since ? stall->next : stall->limit;
    return time_add(sent_at, limit);
}

/* If the worker continues between the check and the lock, another request is the oldest,
 * or none is in flight. Then nothing is reported. */
int64_t
worker_thread_find_stall(struct worker_thread *thread, int64_t resumed, int64_t now,
                         uint64_t *index, int64_t *check_at)
{
    struct worker *worker = &thread->worker;
    int64_t sent_at = handoff_peek(&worker->handoff);
    int64_t since = sent_at > 0 && sent_at < resumed ? resumed : sent_at;
    int64_t waited = stall_check(&thread->stall, since, now);
    int64_t state;

    if (waited && !handoff_lock(&worker->handoff, &state)) {
        waited = 0;
        since = HANDOFF_HELD;
    } else if (waited) {
        /* If no request is in flight, this is the sentinel, whose index is 0. */
        *index = worker->queue.inflight.ring.younger->sample.index;
        handoff_release(&worker->handoff, state);
        if (state != sent_at || *index == 0)
            waited = 0;
    }

    int64_t soonest = now + (since > 0 ? MS : SUPERVISE_RETRY);
    int64_t due = now;
    if (since != HANDOFF_HELD && since != HANDOFF_LOST)
        due = stall_due(&thread->stall, since, now);
    *check_at = time_later(due, soonest);

    return waited;
}

/* Adds the requests of INFLIGHT that have no answer to TOTAL. The oldest request in
 * flight was sent at SINCE; a SINCE of 0 or below means that no request is in flight. */
static void
add_in_flight(struct job_in_flight *total, const struct inflight *inflight, int64_t since)
{
    int live = since > 0 ? inflight_live(inflight) : 0;
    int64_t oldest = live ? since : INT64_MAX;

    total->count += inflight->lost_count + live;
    if (inflight->lost_count)
        oldest = time_earlier(oldest, inflight->lost_since);
    if (oldest < INT64_MAX && (!total->oldest_sent_at || oldest < total->oldest_sent_at))
        total->oldest_sent_at = oldest;
}

/* Returns true if the worker was abandoned during the system call for its only request,
 * and that call has returned since. Then the request has been answered. */
static bool
is_answered(const struct worker_thread *thread)
{
    const struct worker *worker = &thread->worker;
    return thread->is_abandoned && !worker->queue.engine->queues_requests &&
           atomic_load(&worker->handoff.is_worker_waiting);
}

bool
worker_thread_merge(struct worker_thread *thread, struct stats *total,
                    struct track *track, struct job_in_flight *in_flight)
{
    int64_t since = thread->oldest_sent_at;
    bool is_running = !thread->is_abandoned && !worker_thread_is_over(thread);

    if (is_running && !handoff_lock(&thread->worker.handoff, &since))
        return false;
    stats_merge(total, &thread->worker.account.total);
    worker_hand_over_logs(&thread->worker);
    if (track)
        track_merge(track, thread->worker.account.track);
    if (!is_answered(thread))
        add_in_flight(in_flight, &thread->worker.queue.inflight, since);
    if (is_running)
        handoff_release(&thread->worker.handoff, since);

    return true;
}

/* Wakes the worker only from a sleep: a system call for a request cannot be ended early,
 * because it would be restarted. */
void
worker_thread_wake(struct worker_thread *thread)
{
    if (handoff_peek(&thread->worker.handoff) == HANDOFF_IDLE)
        os_thread_wake(&thread->os_thread);
}

/* Locks the handoff if the worker waits for a request that was sent at SENT_BY or before,
 * and stores in SINCE when the request was sent. Returns true if the handoff is locked.
 */
static bool
lock_if_waiting(struct worker_thread *thread, int64_t sent_by, int64_t *since)
{
    if (!handoff_lock(&thread->worker.handoff, since))
        return false;
    if (*since > 0 && *since <= sent_by)
        return true;
    handoff_release(&thread->worker.handoff, *since);

    return false;
}

/* Abandons the worker at NOW. The caller has locked its handoff, and must never release
 * it. SINCE is when the oldest request was sent; it is used if that request has no time
 * stamp yet. */
static void
abandon_locked(struct worker_thread *thread, int64_t since, int64_t now)
{
    struct outcome *outcome = &thread->worker.job->outcome;
    const struct inflight *inflight = &thread->worker.queue.inflight;
    int64_t start = inflight->ring.younger->sample.start;
    int live_count = inflight_live(inflight);

    thread->is_abandoned = true;
    if (live_count > 0) {
        thread->oldest_sent_at = start ? start : since;
        int64_t age = time_later(now - thread->oldest_sent_at, 1);
        outcome->waiting_age = time_later(outcome->waiting_age, age);
        outcome->abandoned_requests += live_count;
    }
    worker_end_busy(&thread->worker, now);
    worker_end_abandoned(&thread->worker, now);
}

void
worker_thread_abandon(struct worker_thread *thread, int64_t now)
{
    int64_t since;
    if (lock_if_waiting(thread, INT64_MAX, &since))
        abandon_locked(thread, since, now);
}

/*
 * Fails the requests that were sent at SENT_BY or before, the oldest first. If NOTIFIES
 * is true, each failed request is reported to the observer.
 *
 * Requests that the engine is sending at this moment have no time stamp yet. If the
 * oldest request has no time stamp, all requests were sent at SINCE, and none of them has
 * a time stamp. If the oldest request has a time stamp, the requests without one were
 * sent too recently to fail.
 */
static void
time_out_late(struct worker *worker, int64_t since, int64_t sent_by, int64_t now,
              bool notifies)
{
    const struct inflight_request *ring = &worker->queue.inflight.ring;
    int64_t unstamped_start = ring->younger->sample.start ? now : since;

    while (ring->younger != ring) {
        struct inflight_request *entry = ring->younger;
        int64_t start = entry->sample.start ? entry->sample.start : unstamped_start;
        if (start > sent_by)
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
    int64_t sent_by = now - worker->plan->end.timeout;

    if (resumed > sent_by || !lock_if_waiting(thread, sent_by, &since))
        return;
    time_out_late(worker, since, sent_by, now, notifies);
    abandon_locked(thread, since, now);
    thread->counts_missed = worker->job->plan.mode != MODE_BACKGROUND;
}

int64_t
worker_thread_count_missed(struct worker_thread *thread, int64_t now)
{
    struct worker *worker = &thread->worker;
    int64_t work_ends_at =
        atomic_load_explicit(&worker->work_ends_at, memory_order_relaxed);
    int64_t next_call = time_earlier(work_ends_at, now + LOST_POLL_INTERVAL);

    thread->counts_missed = !worker_count_missed_abandoned(worker, now);

    return time_later(next_call, now + MS);
}
