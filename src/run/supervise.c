/*
 * The supervisor: the thread that receives the signals and sends no requests. The threads
 * of workers may get stuck in the kernel. So the supervisor does everything that must be
 * done even then: it ends periods, reports statistics and unanswered requests, and ends
 * the run. It repeats:
 *
 *     stop all jobs, if a signal asks for it or an output has failed
 *     check the workers of each job (watch_jobs)
 *     return, if all jobs have ended
 *     stop all jobs, if a request has timed out, or no worker can send requests any more
 *     stop all jobs, if there is a background load and some job has ended
 *     add up and report the statistics, if a signal asks for them or a tick is due
 *     wait for a signal, the end of a worker, or the time of the next check
 *
 * It touches a worker's statistics only while it has locked the worker's handoff
 * (queue.h).
 */
#include "base/deadlines.h"
#include "os/os.h"
#include "os/process.h"
#include "run_private.h"
#include "worker_thread.h"

static int64_t
tick_due(const struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    if (!observer->next_tick || run->interrupted)
        return INT64_MAX;

    return observer->next_tick(observer->self, now);
}

void
supervise_begin(struct run *run, int64_t now)
{
    for (int i = 0; i < run->task.count; i++) {
        job_prepare_begin(&run->task.jobs[i]);
        if (!run->start_gate)
            job_begin(&run->task.jobs[i], now);
    }
    tick_due(run, now);
}

/* If an output has failed, stops all jobs, including jobs that do not write to it. */
static void
stop_if_output_failed(struct run *run)
{
    if (!atomic_load(&run->output_failed))
        return;
    for (int i = 0; i < run->task.count; i++)
        worker_group_stop(&run->task.jobs[i].group, os_clock_now());
}

/* Stops all jobs: their workers send no further requests. A worker that still has a
 * request in flight at WHEN (ns, monotonic) is abandoned. */
static void
stop_jobs(struct run *run, int64_t when)
{
    for (int i = 0; i < run->task.count; i++)
        job_stop(&run->task.jobs[i], when);
}

/* Returns true if no worker of JOB can send a request any more, because each of its slots
 * has a request that timed out. Returns false if a worker has ended: then the run is
 * ending, and the other workers end by themselves. */
static bool
has_lost_all_slots(const struct job *job)
{
    for (int i = 0; i < job->group.size; i++) {
        const struct worker_thread *thread = job->worker_threads[i];
        bool has_lost_all = handoff_peek(&thread->worker.handoff) == HANDOFF_LOST;
        if (worker_thread_is_over(thread) || (!has_lost_all && !thread->counts_missed))
            return false;
    }

    return true;
}

/* Returns the number of jobs that reports show, which is all except a background load. */
static int
reported_job_count(const struct run *run)
{
    return run->task.count - (run->task.background ? 1 : 0);
}

/* Returns true if no worker can send a request any more. Ignores jobs that have ended and
 * a background load. Returns false if no job is left. */
static bool
have_lost_all_slots(const struct run *run)
{
    bool any_running = false;

    for (int i = 0; i < reported_job_count(run); i++) {
        const struct job *job = &run->task.jobs[i];
        if (job->has_ended)
            continue;
        if (!has_lost_all_slots(job))
            return false;
        any_running = true;
    }

    return any_running;
}

/* Stops all jobs if a request has timed out, or if no further request can be sent.
 * Returns true if this call has stopped them. */
static bool
stop_if_timed_out(struct run *run, int64_t now)
{
    if (run->is_ending || (!atomic_load(&run->timed_out) && !have_lost_all_slots(run)))
        return false;
    run->is_ending = true;
    stop_jobs(run, now + DEADLINE_GRACE);
    return true;
}

/* Stops all jobs because of a signal. No tick will follow, so the statistics that were
 * added up for an incomplete snapshot (add_up_jobs) are discarded: the next snapshot
 * begins anew. */
static void
interrupt_run(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;

    stop_jobs(run, now + DEADLINE_GRACE);
    if (run->interrupted)
        return;
    run->interrupted = true;
    for (int i = 0; i < run->task.count; i++)
        run->task.jobs[i].progress.is_current = false;
    if (observer->interrupt)
        observer->interrupt(observer->self);
}

/* Reports jobs that have ended because a request failed, each of them once. */
static void
report_failed_jobs(struct run *run)
{
    const struct run_observer *observer = run->task.observer;

    if (!observer->fail)
        return;
    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        if (!job->has_ended || !job->outcome.failed_sample.index ||
            job->outcome.failure_notified)
            continue;
        job->outcome.failure_notified = true;
        observer->fail(observer->self, job);
    }
}

/* Checks the workers of all jobs, and completes the outcome of each job that has ended. A
 * job that has failed while others go on is reported at once. Returns the time
 * at which to check again, 0 if all jobs have ended. */
static int64_t
watch_jobs(struct run *run, int64_t now)
{
    int64_t next_check = 0;

    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        if (job->has_ended)
            continue;
        int64_t check_at = job_check(job, now);
        if (!check_at)
            job_collect(job);
        else
            next_check = next_check ? time_earlier(next_check, check_at) : check_at;
    }
    if (next_check)
        report_failed_jobs(run);

    return next_check;
}

/* If there is a background load, stops all jobs as soon as one of them, or the load, has
 * ended. Returns true if this call has stopped them. */
static bool
stop_if_any_ended(struct run *run, int64_t now)
{
    bool any_ended = false;

    if (!run->task.background || run->is_ending)
        return false;
    for (int i = 0; i < run->task.count; i++)
        if (run->task.jobs[i].has_ended)
            any_ended = true;
    if (!any_ended)
        return false;
    run->is_ending = true;
    stop_jobs(run, time_add(now, run->task.jobs[0].plan.end.grace));

    return true;
}

/* Adds up the statistics of all jobs for a snapshot, which is one set of statistics of
 * all jobs, for one report. Returns false if a worker was too busy to give its
 * statistics; the next call adds up only the jobs that are still missing. */
static bool
add_up_jobs(struct run *run)
{
    bool is_complete = true;

    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        if (!job->progress.is_current && !job->has_ended && !job_add_up(job)) {
            is_complete = false;
            continue;
        }
        job->progress.is_current = true;
    }
    if (!is_complete)
        return false;
    for (int i = 0; i < run->task.count; i++)
        run->task.jobs[i].progress.is_current = false;

    return true;
}

/* Reports the statistics of all jobs to the observer, if a signal has asked for them or a
 * tick is due. Returns the time at which to call it again. */
static int64_t
report_totals(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    int64_t due = tick_due(run, now);

    if (!run->interim_wanted && now < due)
        return due;
    if (!add_up_jobs(run))
        return now + SUPERVISE_RETRY;
    if (run->interim_wanted) {
        for (int i = 0; i < run->task.count; i++)
            observer->interim(observer->self, &run->task.jobs[i]);
        run->interim_wanted = false;
    }
    if (now >= due)
        observer->tick(observer->self, run->task.jobs, reported_job_count(run), now);

    return tick_due(run, now);
}

void
supervise(struct run *run)
{
    os_clock_sharpen();
    os_signals_see_freezes();

    /* Calls `begin` of the observer, unless a worker has already called it. */
    for (int i = 0; i < run->task.count; i++) {
        if (notify_lock(&run->task.jobs[i]) < 0)
            job_stop(&run->task.jobs[i], os_clock_now() + DEADLINE_GRACE);
        os_lock_release(run->lock);
    }
    for (;;) {
        int64_t now = os_clock_now();
        /* Notes whether the process was stopped before `now`, so that requests do not
         * look late because of that. A stop after `now` cannot make them look late. */
        os_signals_check_resumed_at();
        if (os_signals_stop_signal())
            interrupt_run(run, now);
        stop_if_output_failed(run);
        if (os_signals_take_report_request())
            run->interim_wanted = true;

        int64_t next_check = watch_jobs(run, now);
        if (!next_check)
            return;
        if (stop_if_timed_out(run, now) || stop_if_any_ended(run, now))
            continue;
        next_check = time_earlier(next_check, report_totals(run, now));
        os_signals_wait(next_check, &run->any_ended);
        atomic_store(&run->any_ended, false);
    }
}
