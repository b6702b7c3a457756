/*
 * The supervisor's thread, which has the signals and no worker. Each worker has a thread
 * of its own, which may get stuck in the kernel; the supervisor sees to periods, interim
 * statistics, ticks, requests without answer, and the end. It touches a worker's
 * statistics only while it has locked the handoff.
 */
#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "run_private.h"

static int64_t
tick_due(const struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    return observer->due && !run->interrupted ? observer->due(observer->self, now)
                                              : INT64_MAX;
}

void
supervise_begin(struct run *run, int64_t now)
{
    for (int i = 0; i < run->task.count; i++)
        job_begin(&run->task.jobs[i], now);
    tick_due(run, now);
}

/* Tells of the begin of JOB, unless one of its workers was first. */
static void
introduce(struct job *job)
{
    if (job_enter(job) < 0)
        job_stop(job, os_clock_now() + STALL_GRACE);
    os_lock_release(job->run->lock);
}

/* Stops all jobs once the output has failed, also those that have nothing to tell. */
static void
stop_if_mute(struct run *run)
{
    for (int i = 0; atomic_load(&run->mute) && i < run->task.count; i++)
        atomic_store(&run->task.jobs[i].group.stop, true);
}

/* Ends the run by a signal. There is no further tick, so totals begin anew. */
static void
interrupt(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    for (int i = 0; i < run->task.count; i++)
        job_stop(&run->task.jobs[i], now + STALL_GRACE);
    if (run->interrupted)
        return;
    run->interrupted = true;
    for (int i = 0; i < run->task.count; i++)
        run->task.jobs[i].current = false;
    if (observer->interrupt)
        observer->interrupt(observer->self);
}

/* Looks after all jobs. One that ends leaves the others to go on; its failure is told at
 * once then. Returns when to look again, 0: all have ended. */
static int64_t
look_after(struct run *run, int64_t now)
{
    int64_t next = 0;
    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        int64_t again = job->done ? 0 : job_supervise(job, now);
        if (again)
            next = next ? time_earlier(next, again) : again;
        else if (!job->done)
            job_collect(job);
    }
    for (int i = 0; next && i < run->task.count; i++)
        job_tell_failure(&run->task.jobs[i]);
    return next;
}

/* Adds up the statistics of all jobs at this moment. Returns false if some cannot be had
 * now. */
static bool
add_up_all(struct run *run)
{
    bool all = true;
    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        job->current = job->current || job->done || job_add_up(job);
        all &= job->current;
    }
    for (int i = 0; all && i < run->task.count; i++)
        run->task.jobs[i].current = false;
    return all;
}

/* Tells what needs the statistics of all jobs. Returns when there is more. */
static int64_t
tell_of_all(struct run *run, int64_t now)
{
    const struct run_observer *observer = run->task.observer;
    int64_t due = tick_due(run, now);
    if (!run->interim_wanted && now < due)
        return due;
    if (!add_up_all(run))
        return now + SUPERVISE_RETRY;
    for (int i = 0; run->interim_wanted && i < run->task.count; i++)
        observer->interim(observer->self, &run->task.jobs[i]);
    run->interim_wanted = false;
    if (now >= due)
        observer->tick(observer->self, run->task.jobs, run->task.count, now);
    return tick_due(run, now);
}

/* Notes when the process last went on after a stop: that time is nobody's. */
static void
note_stop(struct run *run, int64_t now)
{
    unsigned continues = os_process_continues();
    if (continues != run->continues)
        run->resumed = now;
    run->continues = continues;
}

void
supervise(struct run *run)
{
    os_clock_sharpen();
    run->continues = os_process_continues();
    for (int i = 0; i < run->task.count; i++)
        introduce(&run->task.jobs[i]);
    for (;;) {
        int64_t now = os_clock_now();
        note_stop(run, now);
        if (os_signals_stop())
            interrupt(run, now);
        stop_if_mute(run);
        run->interim_wanted |= os_signals_report();
        int64_t next = look_after(run, now);
        if (!next)
            return;
        os_signals_wait(time_earlier(next, tell_of_all(run, now)), &run->news);
        atomic_store(&run->news, false);
    }
}
