/*
 * Notifies observers of requests and periods, on whichever thread has something to
 * report. The run's lock serialises the notifications. All statistics of a period belong
 * to that lock, except the requests without a sample, which have a lock that is held for
 * a moment.
 *
 *     any worker    request answered ---> run's lock: sample; added to the period
 *     any thread    request missed   ---> `unsampled_lock`: added to `unsampled`
 *     period due                     ---> run's lock: `unsampled` is merged; record
 *
 * A period ends after a number of requests that count (-p), at a point of a time grid
 * (-P), or at whichever comes first.
 */
#include "base/deadlines.h"
#include "os/process.h"
#include "run_private.h"
#include "worker_thread.h"

/* Notes that the output has failed. Returns -1. */
static int
note_output_failed(struct job *job)
{
    atomic_store(&job->run->output_failed, true);
    return -1;
}

int
notify_enter(struct job *job)
{
    const struct run_observer *observer = job->run->task.observer;

    os_lock_acquire(job->run->lock);
    if (job->begin_notified)
        return 0;
    job->begin_notified = true;
    target_name(&job->target);

    return observer->begin && observer->begin(observer->self, job) < 0
               ? note_output_failed(job)
               : 0;
}

void
notify_missed(struct job *job, enum operation next, uint64_t count)
{
    struct job_period *period = &job->period;

    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_miss(&period->unsampled, next, count);
    os_lock_release(period->unsampled_lock);
}

void
notify_waits(struct job *job, enum operation next, int64_t stall, int64_t idle)
{
    struct job_period *period = &job->period;

    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_wait(&period->unsampled, next, stall, idle);
    os_lock_release(period->unsampled_lock);
}

void
notify_given_up(struct job *job, const struct sample *sample)
{
    struct job_period *period = &job->period;

    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_abandon(&period->unsampled, sample);
    os_lock_release(period->unsampled_lock);
}

/* Merges the requests without a sample into the statistics of the period. */
static void
take_unsampled(struct job_period *period)
{
    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_merge(&period->stats, &period->unsampled);
    stats_clear(&period->unsampled);
    os_lock_release(period->unsampled_lock);
}

/* Returns when the last request of the period ended, ns, monotonic; or when the period
 * began, if no request has ended in it. */
static int64_t
last_end(const struct job *job)
{
    int64_t last = time_later(job->period.began_at, job->period.busy.last_end);

    for (int i = 0; i < job->group.size; i++) {
        const struct busy_log *log = &job->worker_threads[i]->worker.account.period_busy;
        if (log->count > 0)
            last = time_later(last, log->list[log->count - 1].end);
    }

    return last;
}

/*
 * Moves the busy spans of a worker, up to NOW, to the period of JOB. Without an interval
 * the worker has been busy since the end of the last span, so that span is extended to
 * NOW. The end of the span stays in LOG: so the worker is busy from the start of the
 * next period on, even if no request ends there.
 */
static void
move_period(struct job *job, struct busy_log *log, int64_t now)
{
    bool is_rapid = job->active_plan.pace.interval == 0;
    int64_t end = log->count > 0 ? log->list[log->count - 1].end : now;
    if (is_rapid && end < now && !os_process_stopped(end))
        log->list[log->count - 1].end = now;
    busy_log_move(log, &job->period.busy);
}

/* Ends the period of JOB at NOW. Workers do not come here in the order in which their
 * requests ended: if a request of the period ended after NOW, the period lasts until
 * then. */
static int
end_period(struct job *job, int64_t now)
{
    const struct run_observer *observer = job->run->task.observer;

    now = time_later(now, last_end(job));
    for (int i = 0; i < job->group.size; i++)
        move_period(job, &job->worker_threads[i]->worker.account.period_busy, now);
    take_unsampled(&job->period);
    job->period.stats.busy_time = busy_time(&job->period.busy);
    const struct run_record record = {RECORD_PERIOD, &job->period.stats,
                                      now - job->period.began_at, NULL, NULL};

    int status = observer->record(observer->self, job, &record);
    stats_clear(&job->period.stats);
    busy_clear(&job->period.busy);
    job->period.began_at = now;

    return status < 0 ? note_output_failed(job) : 0;
}

/* Adds SAMPLE to the period. A request is busy time in every period that it touches, but
 * it counts only in the period in which it ended. */
static void
record_in_period(struct job *job, struct worker_account *account,
                 const struct sample *sample)
{
    struct busy_log *log = &account->period_busy;
    int64_t start = account->busy_from;
    int64_t end = sample->start + sample->latency;

    stats_record(&job->period.stats, sample);
    if (sample_counts(sample))
        breakdown_record(&job->period.stats.breakdown, sample);
    if (!job->group.busy_lock || !sample_is_busy(sample) || end <= job->period.began_at)
        return;
    if (log->count == BUSY_LOG)
        busy_log_move(log, &job->period.busy);
    busy_log_add(log, time_later(start, job->period.began_at), end,
                 sample_counts(sample));
}

int
notify_sample_locked(struct job *job, struct worker *worker, const struct sample *sample)
{
    const struct plan_output *output = &job->active_plan.output;
    const struct run_observer *observer = job->run->task.observer;

    if (output->any_requests && observer->sample(observer->self, job, sample) < 0)
        return note_output_failed(job);
    if (output->any_periods)
        record_in_period(job, &worker->account, sample);

    if (output->print_count && sample_counts(sample) &&
        job->period.stats.latency.count >= (uint64_t)output->print_count)
        return end_period(job, sample->start + sample->latency);

    return 0;
}

int
notify_sample(struct job *job, struct worker *worker, const struct sample *sample)
{
    int status = notify_enter(job);
    if (status == 0)
        status = notify_sample_locked(job, worker, sample);
    os_lock_release(job->run->lock);
    return status;
}

/* Returns when the present period is due. The acquire order lets the caller see the
 * period as job_begin made it, even if the caller has not gone through the gate. */
static int64_t
period_due(const struct job *job)
{
    return atomic_load_explicit(&job->group.period_end, memory_order_acquire);
}

/*
 * Ends the period if it is due at NOW. The grid of periods begins with the run, and a
 * period that ends late does not move the grid. A worker ends a period before it sends a
 * request that is due at the same time; the supervisor ends it while all workers wait
 * for the kernel.
 */
static int
end_due_period(struct job *job, int64_t now)
{
    int64_t due = period_due(job);

    if (now < due)
        return 0;
    due = time_next_point(due, job->active_plan.output.print_interval, now);
    atomic_store_explicit(&job->group.period_end, due, memory_order_relaxed);

    return end_period(job, now);
}

int
notify_due(struct job *job, int64_t now)
{
    int status = notify_enter(job);
    if (status == 0)
        status = end_due_period(job, now);
    os_lock_release(job->run->lock);
    return status;
}

int64_t
notify_end_period(struct job *job, int64_t now)
{
    if (now < period_due(job))
        return period_due(job);
    if (!os_lock_try(job->run->lock))
        return now + SUPERVISE_RETRY;
    if (end_due_period(job, now) < 0)
        job_stop(job, now + DEADLINE_GRACE);
    os_lock_release(job->run->lock);

    return period_due(job);
}

int64_t
notify_end_rest(struct job *job, int64_t now)
{
    /* If a worker was abandoned, the last period is given up rather than waited for. By
     * the invariant at struct handoff no abandoned worker holds the lock, so it would be
     * safe to wait. */
    bool abandoned = false;
    int64_t ended = 0;

    for (int i = 0; i < job->group.size; i++) {
        abandoned |= job->worker_threads[i]->abandoned;
        ended = time_later(ended, job->worker_threads[i]->worker.account.counted_until);
    }
    bool is_whole = ended >= period_due(job);
    if (!job->active_plan.output.emit_partial_period && !is_whole)
        return 0;
    if (!os_lock_try(job->run->lock))
        return abandoned ? 0 : now + SUPERVISE_RETRY;
    if (is_whole)
        end_due_period(job, ended);
    take_unsampled(&job->period);
    bool is_empty = job->period.stats.requests == 0 && job->period.stats.missed == 0;
    if (job->active_plan.output.emit_partial_period && !is_empty)
        end_period(job, now);
    os_lock_release(job->run->lock);

    return 0;
}
