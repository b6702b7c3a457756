/*
 * The phases of -load: one job sends its requests without, with, and again without a
 * background load. Each phase is a run. The load is a second job, which is only part of
 * the run of the second phase.
 *
 *     phase        idle        loaded                  recovered
 *     job          requests    (waits)  requests       requests
 *     load                     load...........
 *                              |<----->|
 *                              PLAN_LOAD_SETTLE_TIME: the load settles
 *
 * The load ends when the requests of the second phase have ended.
 */
#include "os/process.h"
#include "run_private.h"

/* Stores the results of PHASE, which has just ended, for the summaries. BEFORE is the
 * duration of all earlier phases, in ns. */
static void
store_phase(struct job *job, enum phase phase, int64_t before)
{
    struct job_phase *stored = &job->phases->list[phase];

    stored->has_ended = true;
    stored->duration = job->outcome.duration - before;
    stats_merge(&stored->stats, &job->progress.total);
    job->ordinals_used = atomic_load(&job->group.ordinals_taken);
    if (phase == PHASE_IDLE)
        job->phases->began_at = job->group.begin_at;
    if (!job->track)
        return;
    track_start(&job->phases->done_track, job->track->began_at,
                job->track->slot_interval);
    track_merge(&job->phases->done_track, job->track);
}

/* Prepares the job of TASK for PHASE. Returns a task with the jobs of that phase: the
 * job, and in PHASE_LOADED also the load. */
static struct run_task
prepare_phase(const struct run_task *task, enum phase phase)
{
    struct run_task phase_task = *task;
    struct job *job = &task->jobs[0];
    bool is_loaded = phase == PHASE_LOADED;

    plan_phase(&job->plan, phase, &job->active_plan);
    job->phases->current = phase;
    job->start_delay = is_loaded ? PLAN_LOAD_SETTLE_TIME : 0;
    phase_task.count = is_loaded ? 2 : 1;
    phase_task.background = is_loaded ? task->background : NULL;

    return phase_task;
}

int
phases_open_first(const struct run_task *task, const struct os_thread *supervisor,
                  struct error *error)
{
    struct run_task phase_task = prepare_phase(task, PHASE_IDLE);
    return run_hold(&phase_task, supervisor, error);
}

/* Runs PHASE. Returns 0, or -1 with ERROR if it could not begin. */
static int
run_phase(const struct run_task *task, enum phase phase, struct error *error)
{
    const struct run_observer *observer = task->observer;
    struct job *job = &task->jobs[0];
    struct run_task phase_task = job->held_run ? *task : prepare_phase(task, phase);
    int64_t before = job->outcome.duration;

    if (observer->part)
        observer->part(observer->self, job,
                       &(struct run_part){.name = phase_name(phase), .phase = phase});
    if (run_once(&phase_task, error) < 0) {
        /* PHASE could not begin, so `progress.total` still has the statistics of the
         * previous phase. The previous phase becomes the current one again. */
        job->phases->current = phase - 1;
        return -1;
    }
    store_phase(job, phase, before);
    task->background->was_tried =
        task->background->outcome.total.requests > 0 || job_has_failed(task->background);

    return 0;
}

/* Ends TASK after its last phase. Reports get the statistics of all phases together from
 * now on. */
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
    bool continues = true;
    bool has_results = false;
    int status = 0;

    job->phases->background = task->background;
    for (enum phase phase = PHASE_IDLE; phase < PHASES && continues; phase++) {
        status = run_phase(task, phase, error);
        if (status < 0 && phase > PHASE_IDLE)
            /* not EXIT_PREPARE, because earlier phases have sent requests */
            error->status = EXIT_RUNTIME;
        has_results = status == 0 || job->outcome.total.requests > 0;
        continues = status == 0 && phase + 1 < PHASES && !os_signals_stop_signal() &&
                    !job_has_failed(job) && !job_has_failed(task->background);
        if (!continues && has_results)
            end_phases(task);

        const struct job_phase *ended = &job->phases->list[phase];
        const struct run_record record = {
            .kind = RECORD_PHASE,
            .stats = &ended->stats,
            .duration = ended->duration,
            .background = phase == PHASE_LOADED ? task->background : NULL,
        };
        if (status < 0 || !job->plan.output.any_summary)
            continue;
        int record_status = observer->record(observer->self, job, &record);
        if (record_status < 0 && continues) {
            end_phases(task);
            continues = false;
        }
    }
    if (has_results)
        run_summarize(task);

    return status;
}
