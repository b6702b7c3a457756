/*
 * Reports requests and periods to the observer of the run. Any thread of the run may do
 * this; the lock of the run serialises the reports. The same lock guards the statistics
 * of a period, except requests without a result (missed or given up). These are guarded
 * by `unsampled_lock`, which is held only for a moment.
 *
 *     a request was answered    under the run's lock: the worker calls `sample` of the
 *                               observer and adds the request to the period
 *     a request was missed      under `unsampled_lock`: any thread adds it to `unsampled`
 *     a period is due           under the run's lock: merges `unsampled` into the period,
 *                               calls `record` of the observer
 *
 * A period ends after a number of requests that count (-p), after a time (-P), or, if
 * both are given, after whichever comes first.
 */
#include "base/deadlines.h"
#include "os/process.h"
#include "run_private.h"
#include "worker_thread.h"

/* Notes that an output could not be written. Returns -1. */
static int
note_output_failed(struct job *job)
{
    atomic_store(&job->run->output_failed, true);
    return -1;
}

int
notify_lock(struct job *job)
{
    const struct run_observer *observer = job->run->task.observer;

    os_lock_acquire(job->run->lock);
    if (job->begin_notified)
        return 0;
    job->begin_notified = true;
    target_name(&job->target);
    if (observer->begin && observer->begin(observer->self, job) < 0)
        return note_output_failed(job);

    return 0;
}

void
period_add_missed(struct job *job, enum operation next, uint64_t count)
{
    struct job_period *period = &job->period;

    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_miss(&period->unsampled, next, count);
    os_lock_release(period->unsampled_lock);
}

void
period_add_waits(struct job *job, enum operation next, int64_t stall, int64_t idle)
{
    struct job_period *period = &job->period;

    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_wait(&period->unsampled, next, stall, idle);
    os_lock_release(period->unsampled_lock);
}

void
period_add_given_up(struct job *job, const struct sample *sample)
{
    struct job_period *period = &job->period;

    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_abandon(&period->unsampled, sample);
    os_lock_release(period->unsampled_lock);
}

/* Merges the requests without a result into the statistics of PERIOD. */
static void
merge_unsampled(struct job_period *period)
{
    if (!period->unsampled_lock)
        return;
    os_lock_acquire(period->unsampled_lock);
    stats_merge(&period->stats, &period->unsampled);
    stats_clear(&period->unsampled);
    os_lock_release(period->unsampled_lock);
}

/* Returns the end of the last request in the period of JOB (ns, monotonic). If no request
 * has ended in the period, returns the start of the period. */
static int64_t
last_request_end(const struct job *job)
{
    int64_t last_end = time_later(job->period.began_at, job->period.busy.last_end);

    for (int i = 0; i < job->group.size; i++) {
        const struct busy_log *log = &job->worker_threads[i]->worker.account.period_busy;
        if (log->count > 0)
            last_end = time_later(last_end, log->list[log->count - 1].end);
    }

    return last_end;
}

/*
 * Moves the busy spans in LOG, the log of a worker, to the period of JOB, which ends at
 * NOW. A worker that sends requests back to back has been busy since its last span ended,
 * so that span is first extended to NOW. An empty span at NOW remains in LOG, so that the
 * worker is busy from the start of the next period.
 */
static void
move_busy_to_period(struct job *job, struct busy_log *log, int64_t now)
{
    bool is_back_to_back = job->active_plan.pace.interval == 0;
    int64_t end = log->count > 0 ? log->list[log->count - 1].end : now;
    if (is_back_to_back && end < now && !os_process_was_stopped(end))
        log->list[log->count - 1].end = now;
    busy_log_move(log, &job->period.busy);
}

/* Ends the period of JOB at NOW. DUE is the multiple of -P at which the period was due to
 * end. Workers do not always report requests in the order in which they ended: if a
 * reported request ended after NOW, the period lasts until then. Returns 0, or -1 if the
 * output failed. */
static int
end_period(struct job *job, int64_t due, int64_t now)
{
    const struct run_observer *observer = job->run->task.observer;
    bool has_due = job->active_plan.output.print_count == 0;

    now = time_later(now, last_request_end(job));
    for (int i = 0; i < job->group.size; i++)
        move_busy_to_period(job, &job->worker_threads[i]->worker.account.period_busy,
                            now);
    merge_unsampled(&job->period);
    job->period.stats.busy_time = busy_time(&job->period.busy);
    const struct run_record record = {
        .kind = RECORD_PERIOD,
        .stats = &job->period.stats,
        .duration = now - job->period.began_at,
        .ended_at = now,
        .due_at = has_due ? due : 0,
    };

    int status = observer->record(observer->self, job, &record);
    stats_clear(&job->period.stats);
    busy_clear(&job->period.busy);
    job->period.began_at = now;

    return status < 0 ? note_output_failed(job) : 0;
}

/* Adds SAMPLE to the period of JOB, in which the request ended. ACCOUNT belongs to the
 * worker. If the request began in an earlier period, only its time in this period is
 * added to the busy time. */
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
        return end_period(job, 0, sample->start + sample->latency);

    return 0;
}

int
notify_sample(struct job *job, struct worker *worker, const struct sample *sample)
{
    int status = notify_lock(job);
    if (status == 0)
        status = notify_sample_locked(job, worker, sample);
    os_lock_release(job->run->lock);
    return status;
}

/* Returns the time at which the present period of JOB is due to end, INT64_MAX for never.
 * job_begin stores `period_end` after all other fields of the period. The acquire order
 * lets the supervisor see those fields, too; workers see them because they acquire
 * `start_gate` after job_begin. */
static int64_t
period_due(const struct job *job)
{
    return atomic_load_explicit(&job->group.period_end, memory_order_acquire);
}

/*
 * Ends the period of JOB if it is due at NOW. A period that ends late does not shift the
 * periods after it. A worker calls this before it sends a request that is due at or after
 * the end of the period. The supervisor calls it in case all workers wait for the kernel.
 * Returns 0, or -1 if the output failed.
 */
static int
end_due_period(struct job *job, int64_t now)
{
    int64_t interval = job->active_plan.output.print_interval;
    int64_t due = period_due(job);

    if (now < due)
        return 0;
    int64_t next_due = time_next_point(due, interval, now);
    atomic_store_explicit(&job->group.period_end, next_due, memory_order_relaxed);

    return end_period(job, next_due - interval, now);
}

int
notify_end_due_period(struct job *job, int64_t now)
{
    int status = notify_lock(job);
    if (status == 0)
        status = end_due_period(job, now);
    os_lock_release(job->run->lock);
    return status;
}

int64_t
notify_try_end_period(struct job *job, int64_t now)
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
notify_end_last_periods(struct job *job, int64_t now)
{
    bool emits_partial = job->active_plan.output.emit_partial_period;
    bool any_abandoned = false;
    int64_t ended_at = 0;

    for (int i = 0; i < job->group.size; i++) {
        const struct worker_thread *thread = job->worker_threads[i];
        if (thread->is_abandoned)
            any_abandoned = true;
        ended_at = time_later(ended_at, thread->worker.account.counted_until);
    }
    bool is_complete = ended_at >= period_due(job);
    if (!emits_partial && !is_complete)
        return 0;

    /* If another thread has the lock and a worker was abandoned, does not try again, so
     * the last periods are not reported. This is only a precaution: an abandoned worker
     * never holds the lock (see struct handoff). */
    if (!os_lock_try(job->run->lock))
        return any_abandoned ? 0 : now + SUPERVISE_RETRY;
    if (is_complete)
        end_due_period(job, ended_at);
    merge_unsampled(&job->period);
    bool is_empty = job->period.stats.requests == 0 && job->period.stats.missed == 0;
    if (emits_partial && !is_empty)
        end_period(job, period_due(job), now);
    os_lock_release(job->run->lock);

    return 0;
}
