/*
 * The phases of -load: the requests of one job without, with, and again without a
 * background load. Each phase is a run. The load is a job that only the second run has.
 *
 *     phase        idle        loaded                  recovered
 *     job          requests    (waits)  requests       requests
 *     load                     load...........
 *                              |<----->|
 *                              PLAN_SETTLE: the load settles before requests begin
 *
 * The load ends when the requests of the phase have ended.
 */
#include "os/process.h"
#include "run_private.h"

/* Keeps the results of PHASE, which has just ended, for the summaries. BEFORE is the
 * duration of all phases before it, in ns. */
static void
keep_phase(struct job *job, enum phase phase, int64_t before)
{
    struct job_phase *past = &job->phases->list[phase];

    past->has_ended = true;
    past->duration = job->outcome.duration - before;
    stats_merge(&past->stats, &job->progress.total);
    job->ordinals_used = atomic_load(&job->group.ordinals_taken);
    if (phase == PHASE_IDLE)
        job->phases->began_at = job->group.begin_at;
    if (!job->track)
        return;
    track_start(&job->phases->done_track, job->track->began_at,
                job->track->slot_interval);
    track_merge(&job->phases->done_track, job->track);
}

/* Prepares the job of TASK for PHASE. Returns the task of the run of that phase. */
static struct run_task
prepare_phase(const struct run_task *task, enum phase phase)
{
    struct run_task own = *task;
    struct job *job = &task->jobs[0];
    bool loaded = phase == PHASE_LOADED;

    plan_phase(&job->plan, phase, &job->active_plan);
    job->phases->current = phase;
    job->start_delay = loaded ? PLAN_SETTLE : 0;
    own.count = loaded ? 2 : 1;
    own.background = loaded ? task->background : NULL;

    return own;
}

int
phases_open_first(const struct run_task *task, const struct os_thread *supervisor,
                  struct error *error)
{
    struct run_task own = prepare_phase(task, PHASE_IDLE);
    return run_hold(&own, supervisor, error);
}

/* Runs PHASE. Returns 0, or -1 with ERROR if it could not begin. */
static int
do_phase(const struct run_task *task, enum phase phase, struct error *error)
{
    const struct run_observer *observer = task->observer;
    struct job *job = &task->jobs[0];
    struct run_task own = job->held_run ? *task : prepare_phase(task, phase);
    int64_t before = job->outcome.duration;

    if (observer->part)
        observer->part(observer->self, job,
                       &(struct run_part){.name = phase_name(phase), .phase = phase});
    if (run_once(&own, error) < 0) {
        /* the total is still that of the phase before */
        job->phases->current = phase - 1;
        return -1;
    }
    keep_phase(job, phase, before);
    task->background->was_tried =
        task->background->outcome.total.requests > 0 || job_has_failed(task->background);

    return 0;
}

/* Ends TASK: from now on the statistics are those of all phases. */
static void
end_phases(const struct run_task *task)
{
    task->jobs[0].stats = &task->jobs[0].outcome.total;
    run_end(task);
}

int
phases_execute(const struct run_task *task, struct error *error)
{
    const struct run_observer *observer = task->observer;
    struct job *job = &task->jobs[0];
    bool more = true, begun = false;
    int status = 0;

    job->phases->background = task->background;
    for (enum phase phase = PHASE_IDLE; phase < PHASES && more; phase++) {
        status = do_phase(task, phase, error);
        if (status < 0 && phase > PHASE_IDLE)
            error->status = EXIT_RUNTIME; /* earlier phases have sent requests */
        begun = status == 0 || job->outcome.total.requests > 0;
        more = status == 0 && phase + 1 < PHASES && !os_signals_stop() &&
               !job_has_failed(job) && !job_has_failed(task->background);
        if (!more && begun)
            end_phases(task);

        const struct job_phase *ended = &job->phases->list[phase];
        const struct run_record record = {
            RECORD_PHASE, &ended->stats, ended->duration, NULL,
            phase == PHASE_LOADED ? task->background : NULL};
        if (status < 0 || !job->plan.output.any_summary)
            continue;
        if (observer->record(observer->self, job, &record) < 0 && more) {
            end_phases(task);
            more = false;
        }
    }
    if (begun)
        run_summarize(task);

    return status;
}
