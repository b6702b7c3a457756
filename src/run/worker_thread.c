/*
 * The thread of a worker, and the supervisor's hold on it: requests without answer, the
 * statistics so far, its sleep and its end.
 */
#include "run_private.h"

#include "base/time.h"
#include "os/process.h"

struct worker_thread *
worker_thread_make(bool tracked)
{
    struct worker_thread *thread = os_memory_zeroed(sizeof(*thread));
    if (!thread || !tracked)
        return thread;
    thread->worker.track = os_memory_zeroed(sizeof(*thread->worker.track));
    if (thread->worker.track)
        return thread;
    worker_thread_free(thread);
    return NULL;
}

void
worker_thread_free(struct worker_thread *thread)
{
    if (thread->worker.track)
        os_memory_release(thread->worker.track, sizeof(*thread->worker.track));
    os_memory_release(thread, sizeof(*thread));
}

static void *
work(void *argument)
{
    struct worker_thread *thread = argument;
    struct worker *worker = &thread->worker;
    if (!worker->reports)
        os_thread_unshare();
    if (thread->gate) {
        os_lock_acquire(thread->gate);
        os_lock_release(thread->gate);
    }
    worker_run(worker);
    atomic_store(&thread->ended, true);
    atomic_store(thread->news, true);
    os_thread_wake(&thread->supervisor);
    return NULL;
}

static void
begin(struct worker_thread *thread, const struct os_thread *supervisor, atomic_bool *news)
{
    thread->supervisor = *supervisor;
    thread->news = news;
    atomic_init(&thread->ended, false);
    stall_start(&thread->stall, thread->worker.plan->hang);
}

int
worker_thread_start(struct worker_thread *thread, const struct os_thread *supervisor,
                    atomic_bool *news)
{
    begin(thread, supervisor, news);
    return os_thread_start(&thread->working, work, thread);
}

void
worker_thread_adopt(struct worker_thread *thread, const struct os_thread *supervisor,
                    atomic_bool *news)
{
    begin(thread, supervisor, news);
    thread->adopted = true;
    thread->working = os_thread_self();
}

void
worker_thread_work(struct worker_thread *thread)
{
    work(thread);
}

void
worker_thread_join(struct worker_thread *thread)
{
    if (!thread->adopted)
        os_thread_join(&thread->working);
}

bool
worker_thread_is_over(const struct worker_thread *thread)
{
    return thread->waiting || atomic_load(&thread->ended);
}

/* The index is that of the oldest request; if the oldest has changed meanwhile, there is
 * nothing to report. */
int64_t
worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                    uint64_t *index, int64_t *again)
{
    int64_t start = handoff_peek(&thread->worker.handoff), still;
    int64_t since = start > 0 && start < resumed ? resumed : start;
    int64_t waited = stall_check(&thread->stall, since, now);
    if (waited && !handoff_lock(&thread->worker.handoff, &still)) {
        waited = since = 0;
    } else if (waited) {
        *index = worker_oldest(&thread->worker);
        handoff_unlock(&thread->worker.handoff, still);
        waited = still == start ? waited : 0;
    }
    int64_t due = since ? stall_due(&thread->stall, since, now) : now;
    int64_t soonest = now + (since > 0 ? MS : SUPERVISE_RETRY);
    *again = due > soonest ? due : soonest;
    return waited;
}

bool
worker_thread_merge(struct worker_thread *thread, struct stats *total,
                    struct track *track)
{
    int64_t since;
    bool empty = worker_thread_is_over(thread);
    if (!empty && !handoff_lock(&thread->worker.handoff, &since))
        return false;
    stats_merge(total, &thread->worker.total);
    worker_share_busy(&thread->worker);
    if (track)
        track_merge(track, thread->worker.track);
    if (!empty)
        handoff_unlock(&thread->worker.handoff, since);
    return true;
}

/* Wakes only a sleep: a system call that is interrupted begins anew. */
void
worker_thread_wake(struct worker_thread *thread)
{
    if (handoff_peek(&thread->worker.handoff) == HANDOFF_IDLE)
        os_thread_wake(&thread->working);
}

/* A handoff that stays locked keeps the worker from going on. */
void
worker_thread_give_up(struct worker_thread *thread, int64_t now)
{
    int64_t since;
    if (!handoff_lock(&thread->worker.handoff, &since))
        return;
    if (since <= 0) {
        handoff_unlock(&thread->worker.handoff, since);
        return;
    }
    thread->waiting = now > since ? now - since : 1;
    thread->left = thread->worker.inflight.under_way;
    worker_abandon(&thread->worker, now);
}
