/*
 * Each worker has a thread, which may get stuck in the kernel. This one, which has
 * the signals and no worker, attends to all of them meanwhile: periods, interim
 * statistics, views, words about a request that has no answer, and the end. It
 * touches a worker's statistics only while it has borrowed the baton.
 */
#include "supervise.h"

#include "base/later.h"
#include "os/os.h"
#include "os/process.h"

void
supervise_begin(struct run *run, int64_t now)
{
    for (int i = 0; i < run->count; i++)
        job_begin(&run->jobs[i], now);
    for (int i = 0; i < run->ticker_count; i++)
        if (!run->tickers[i].due) /* else this is not the first step */
            run->tickers[i].due = later(now, run->tickers[i].every);
}

/* What comes before all else, unless a worker was first. */
static void
introduce(struct job *job)
{
    if (job_enter(job) < 0)
        job_stop(job, os_clock_now() + STALL_GRACE);
    os_lock_release(job->run->lock);
}

/* All of them, also those that have nothing to tell. */
static void
stop_if_mute(struct run *run)
{
    for (int i = 0; atomic_load(&run->mute) && i < run->count; i++)
        atomic_store(&run->jobs[i].group.stop, true);
}

/* By a signal: no more looks, and what was put together for one is of no use. */
static void
end(struct run *run, int64_t now)
{
    for (int i = 0; i < run->count; i++)
        job_stop(&run->jobs[i], now + STALL_GRACE);
    if (run->ending)
        return;
    run->ending = true;
    for (int i = 0; i < run->count; i++)
        run->jobs[i].current = false;
    for (int i = 0; i < run->ticker_count; i++)
        if (run->tickers[i].rest)
            run->tickers[i].rest(run->tickers[i].self);
}

/* Those that end leave the others to go on; a failure is not kept from the user. */
static int64_t
look_after(struct run *run, int64_t now)
{
    int64_t next = 0;
    for (int i = 0; i < run->count; i++) {
        struct job *job = &run->jobs[i];
        int64_t again = job->done ? 0 : job_look(job, now);
        if (again)
            next = next ? earlier(next, again) : again;
        else if (!job->done)
            job_collect(job);
    }
    for (int i = 0; next && i < run->count; i++)
        job_tell_failure(&run->jobs[i]);
    return next;
}

/* The statistics of all at this moment; false if some cannot be had now. */
static bool
put_together(struct run *run)
{
    bool all = true;
    for (int i = 0; i < run->count; i++) {
        struct job *job = &run->jobs[i];
        job->current = job->current || job->done || job_add_up(job);
        run->snapshots[i] =
            (struct run_snapshot){.stats = job->done ? &job->outcome->total : &job->total,
                                  .track = job->track,
                                  .done = job->done};
        all &= job->current;
    }
    for (int i = 0; all && i < run->count; i++)
        run->jobs[i].current = false;
    return all;
}

static void
tell_interim(struct run *run)
{
    for (int i = 0; run->interim_wanted && i < run->count; i++) {
        const struct run_observer *observer = &run->jobs[i].observer;
        observer->interim(observer->self, run->snapshots[i].stats);
    }
    run->interim_wanted = false;
}

static void
run_tickers(struct run *run, int64_t now)
{
    for (int i = 0; i < run->ticker_count; i++) {
        struct run_ticker *ticker = &run->tickers[i];
        if (now < ticker->due)
            continue;
        ticker->due = later_point(ticker->due, ticker->every, now);
        ticker->tick(ticker->self, run->snapshots, run->count, now);
    }
}

static int64_t
tickers_due(const struct run *run)
{
    int64_t due = INT64_MAX;
    for (int i = 0; !run->ending && i < run->ticker_count; i++)
        due = earlier(due, run->tickers[i].due);
    return due;
}

/* Tells what needs the statistics of all. Returns when there is more. */
static int64_t
tell_of_all(struct run *run, int64_t now)
{
    bool showing = now >= tickers_due(run);
    if (!run->interim_wanted && !showing)
        return tickers_due(run);
    if (!put_together(run))
        return now + SUPERVISE_RETRY;
    tell_interim(run);
    if (showing)
        run_tickers(run, now);
    return tickers_due(run);
}

/* The time in which the process was stopped is nobody's. */
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
    for (int i = 0; i < run->count; i++)
        introduce(&run->jobs[i]);
    for (;;) {
        int64_t now = os_clock_now();
        note_stop(run, now);
        if (os_signals_stop())
            end(run, now);
        stop_if_mute(run);
        run->interim_wanted |= os_signals_report();
        int64_t next = look_after(run, now);
        if (!next)
            return;
        os_signals_wait(earlier(next, tell_of_all(run, now)), &run->news);
        atomic_store(&run->news, false);
    }
}
