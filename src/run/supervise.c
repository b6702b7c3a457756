/*
 * The supervisor: the thread that has the signals and does no requests. Each worker has a
 * thread, which may get stuck in the kernel, so the supervisor does everything that must
 * not get stuck: periods, interim statistics, ticks, unanswered requests, and the end.
 *
 *     repeat:
 *         a signal to stop, or a failed output    stops all jobs
 *         look_after                              each job looks at its workers
 *         all jobs have ended                     returns
 *         a timeout, or all slots lost            stops all jobs
 *         a job beside a load has ended           stops all jobs
 *         interim statistics or a tick due        adds up the statistics, notifies
 *         waits for a signal, the end of a worker, or the time of the next look
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
    return observer->next_tick && !run->interrupted
               ? observer->next_tick(observer->self, now)
               : INT64_MAX;
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

/* Stops all jobs once the output has failed, including jobs that have nothing to report
 * themselves. */
static void
stop_if_silenced(struct run *run)
{
    for (int i = 0; atomic_load(&run->output_failed) && i < run->task.count; i++)
        worker_group_stop(&run->task.jobs[i].group, os_clock_now());
}

/* Stops all jobs. Workers that still wait for requests at WHEN are abandoned. */
static void
stop_all(struct run *run, int64_t when)
{
    for (int i = 0; i < run->task.count; i++)
        job_stop(&run->task.jobs[i], when);
}

/* Returns whether no worker of JOB can send a request any more, because all slots of
 * each worker are lost to requests that have timed out. Returns false if a worker has
 * ended: then the run is ending, and the other workers end by themselves. */
static bool
is_lost(const struct job *job)
{
    for (int i = 0; i < job->group.size; i++) {
        const struct worker_thread *thread = job->worker_threads[i];
        bool has_lost_all = handoff_peek(&thread->worker.handoff) == HANDOFF_LOST;
        if (worker_thread_is_over(thread) || (!has_lost_all && !thread->counts_missed))
            return false;
    }

    return true;
}

/* Returns whether all jobs that have not ended, except a background load, are lost. */
static bool
are_lost(const struct run *run)
{
    bool left = false;
    int count = run->task.count - (run->task.background ? 1 : 0);

    for (int i = 0; i < count; i++) {
        const struct job *job = &run->task.jobs[i];
        if (job->has_ended)
            continue;
        if (!is_lost(job))
            return false;
        left = true;
    }

    return left;
}

/* Ends the run if a request has timed out, or if no further request can be sent. Returns
 * whether it has ended the run just now. */
static bool
stop_if_timed_out(struct run *run, int64_t now)
{
    if (run->is_ending || (!atomic_load(&run->timed_out) && !are_lost(run)))
        return false;
    run->is_ending = true;
    stop_all(run, now + DEADLINE_GRACE);
    return true;
}

/* Ends the run because of a signal. No tick follows that would wait for the totals of
 * all jobs, so the next snapshot adds up all of them again. */
static void
interrupt(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;

    stop_all(run, now + DEADLINE_GRACE);
    if (run->interrupted)
        return;
    run->interrupted = true;
    for (int i = 0; i < run->task.count; i++)
        run->task.jobs[i].progress.is_current = false;
    if (observer->interrupt)
        observer->interrupt(observer->self);
}

/* Supervises the workers of all jobs. When a job ends while others go on, observers are
 * notified of its failure at once. Returns when to look again; 0 if all jobs have ended.
 */
static int64_t
watch_jobs(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    int64_t next = 0;

    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        int64_t again = job->has_ended ? 0 : job_supervise(job, now);
        if (again)
            next = next ? time_earlier(next, again) : again;
        else if (!job->has_ended)
            job_collect(job);
    }
    for (int i = 0; next && observer->fail && i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        if (!job->has_ended || !job->outcome.failed_sample.index ||
            job->outcome.failure_notified)
            continue;
        job->outcome.failure_notified = true;
        observer->fail(observer->self, job);
    }

    return next;
}

/* Ends a background load when another job has ended, and ends the other jobs when the
 * load has ended. Returns whether it has done so just now. */
static bool
end_together(struct run *run, int64_t now)
{
    bool over = false;

    if (!run->task.background || run->is_ending)
        return false;
    for (int i = 0; i < run->task.count; i++)
        over |= run->task.jobs[i].has_ended;
    run->is_ending = over;
    if (over)
        stop_all(run, time_add(now, run->task.jobs[0].plan.end.grace));

    return over;
}

/* Adds up the statistics of all jobs. Returns false if some statistics cannot be had
 * now; the next call adds up only the jobs that are still missing. */
static bool
add_up_all(struct run *run)
{
    bool all = true;

    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        job->progress.is_current =
            job->progress.is_current || job->has_ended || job_add_up(job);
        all &= job->progress.is_current;
    }
    for (int i = 0; all && i < run->task.count; i++)
        run->task.jobs[i].progress.is_current = false;

    return all;
}

/* Notifies observers of interim statistics and ticks, for which the statistics of all
 * jobs are added up. Returns when to call it again. */
static int64_t
notify_of_all(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    int64_t due = tick_due(run, now);
    int shown = run->task.count - (run->task.background ? 1 : 0);

    if (!run->interim_wanted && now < due)
        return due;
    if (!add_up_all(run))
        return now + SUPERVISE_RETRY;
    for (int i = 0; run->interim_wanted && i < run->task.count; i++)
        observer->interim(observer->self, &run->task.jobs[i]);
    run->interim_wanted = false;
    if (now >= due)
        observer->tick(observer->self, run->task.jobs, shown, now);

    return tick_due(run, now);
}

void
supervise(struct run *run)
{
    os_clock_sharpen();
    os_signals_see_freezes();

    /* Notifies of the begin, unless a worker has done so already. */
    for (int i = 0; i < run->task.count; i++) {
        if (notify_enter(&run->task.jobs[i]) < 0)
            job_stop(&run->task.jobs[i], os_clock_now() + DEADLINE_GRACE);
        os_lock_release(run->lock);
    }
    for (;;) {
        int64_t now = os_clock_now();
        /* Notes a stop of the process before `now`; a later stop makes nothing look late.
         */
        os_signals_resumed();
        if (os_signals_stop())
            interrupt(run, now);
        stop_if_silenced(run);
        run->interim_wanted |= os_signals_report();

        int64_t next = watch_jobs(run, now);
        if (!next)
            return;
        if (stop_if_timed_out(run, now) || end_together(run, now))
            continue;
        os_signals_wait(time_earlier(next, notify_of_all(run, now)), &run->any_ended);
        atomic_store(&run->any_ended, false);
    }
}
