/*
 * A run: all jobs of a task at the same time, each with its own workers, from the opening
 * of the workers to the summaries.
 *
 * The gate is a lock. Each worker acquires and releases it before its loop, so all
 * workers wait until the gate is opened. The thread that opens it first sets when the
 * requests begin, so that all workers begin at the same time. There are three ways to
 * start a run (enum start):
 *
 *     START_AT_ONCE        run_once: the caller supervises. It opens the gate as soon as
 *                          the threads of all workers are started.
 *     START_FIRST_WORKER   run_open, run_first_worker: the caller opens the gate and does
 *                          the work of the first worker. Another thread supervises.
 *     START_HELD           run_hold, later run_once: the workers wait at the gate until
 *                          run_once opens it.
 */
#include "run/run.h"

#include "base/time.h"
#include "cli/options.h"
#include "os/os.h"
#include "os/process.h"
#include "run_private.h"
#include "worker_thread.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
run_check_memory(const struct job *jobs, int count, struct error *error)
{
    int64_t wanted = 0;
    int64_t requests = 0;

    for (int i = 0; i < count; i++) {
        const struct plan *plan = &jobs[i].active_plan;
        int64_t job_requests = (int64_t)plan->io.threads * plan->io.depth;
        requests += job_requests;
        wanted += job_requests * plan->workload.request_size +
                  plan->io.threads * worker_size(plan);
    }

    int64_t available = INT64_MAX;
    if (wanted > OS_MEMORY_QUERY_MIN)
        available = os_memory_available();
    if (wanted <= available)
        return 0;

    return worker_refuse(&jobs[0].active_plan, requests, available, error);
}

int
run_open_attribution(struct run_task *task, struct notes *notes, struct error *error)
{
    struct attribution_job jobs[TARGETS_MAX];

    for (int i = 0; i < task->count; i++) {
        const struct job *job = &task->jobs[i];
        jobs[i] = (struct attribution_job){&job->plan, &job->target, job->track != NULL};
    }
    task->attribution = attribution_open(jobs, task->count, notes, error);

    return task->attribution ? 0 : -1;
}

void
run_close(struct run *run)
{
    bool all_closed = true;

    for (int i = 0; i < run->task.count; i++)
        if (!job_close(&run->task.jobs[i]))
            all_closed = false;
    /* If a worker is stuck, the run stays in memory, too; see job_close. */
    if (!all_closed)
        return;

    os_lock_free(run->lock);
    os_lock_free(run->start_gate);
    free(run);
}

/* How a run starts; see the top of this file. */
enum start { START_AT_ONCE, START_FIRST_WORKER, START_HELD };

/* Initialises RUN, which is all zero, for TASK. Returns 0, or -1 if memory is lacking. */
static int
init_run(struct run *run, const struct run_task *task, enum start start)
{
    int status = 0;
    int workers = 0;

    run->task = *task;
    for (int i = 0; i < run->task.count; i++) {
        if (job_prepare(&run->task.jobs[i], run) < 0)
            status = -1;
        workers += run->task.jobs[i].active_plan.io.threads;
    }

    run->lock = os_lock_make();
    bool has_gate = workers > 1 || start == START_HELD;
    run->start_gate = has_gate ? os_lock_make() : NULL;
    if (!run->lock || (has_gate && !run->start_gate))
        return -1;

    return status;
}

/* The time, in ns, that a worker usually needs to acquire and release `start_gate` after
 * it was opened. The workers do this one after the other. */
#define GATE_TIME (50 * US)

/* Opens `start_gate`, if RUN has one, so that the waiting workers begin. Requests begin 1
 * ms or more later, when all workers have got through. Otherwise the first workers might
 * use all processors, and the others could not even begin. */
static void
open_gate(struct run *run)
{
    if (!run->start_gate)
        return;
    if (run->is_held)
        os_lock_acquire(run->start_gate);

    int64_t begin_at = os_clock_now() + MS;
    for (int i = 0; i < run->task.count; i++)
        begin_at += run->task.jobs[i].group.size * GATE_TIME;
    for (int i = 0; i < run->task.count; i++)
        job_begin(&run->task.jobs[i], begin_at);

    if (run->is_held)
        os_lock_notify_all(run->start_gate);
    run->is_held = false;
    os_lock_release(run->start_gate);
}

void
run_begin(struct run *run)
{
    supervise_begin(run, os_clock_now());
    run->sectors = os_process_sectors();
}

/* Ends and joins the threads that wait for `start_gate`. No request is sent. */
static void
end_waiting_threads(struct run *run)
{
    struct job *jobs = run->task.jobs;
    int count = run->task.count;

    /* The groups may still have the times of the previous step or phase. Workers read
     * these times before they end, so run_begin resets them. */
    run_begin(run);
    for (int i = 0; i < count; i++)
        worker_group_stop(&jobs[i].group, os_clock_now());
    open_gate(run);

    for (int i = 0; i < count; i++)
        for (int k = 0; k < jobs[i].group.size; k++)
            worker_thread_join(jobs[i].worker_threads[k]);
}

/* Starts the threads of all workers of RUN, except the first worker of the first job if
 * START is START_FIRST_WORKER: the calling thread does its work. Returns 0, or -1 with
 * errno. */
static int
start_workers(struct run *run, enum start start)
{
    for (int i = 0; i < run->task.count; i++) {
        struct job *job = &run->task.jobs[i];
        for (int k = 0; k < job->group.size; k++) {
            struct worker_thread *thread = job->worker_threads[k];
            bool is_first = i == 0 && k == 0;
            if (is_first && start == START_FIRST_WORKER)
                worker_thread_adopt(thread);
            else if (worker_thread_start(thread) < 0)
                return -1;
        }
    }

    return 0;
}

/* Starts the workers of RUN. If RUN has a gate, they wait at it. If a thread cannot be
 * started, ends the others, so that no request is sent, and returns -1 with ERROR; else
 * returns 0. Unless START is START_AT_ONCE, the caller must call run_begin later. */
static int
start_threads(struct run *run, enum start start, struct error *error)
{
    if (start == START_AT_ONCE)
        run_begin(run);

    if (run->start_gate)
        os_lock_acquire(run->start_gate);
    run->is_held = start == START_HELD;
    int status = start_workers(run, start);
    int code = errno;
    if (run->is_held)
        os_lock_release(run->start_gate);
    if (status == 0)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "cannot start a thread for the requests: %s",
              strerror(code));
    end_waiting_threads(run);

    return -1;
}

/* Initialises RUN, which is all zero, for TASK, opens its workers and starts them.
 * Returns 0; or -1 with ERROR, and then the caller must call run_close. */
static int
fill_run(struct run *run, const struct run_task *task, const struct os_thread *supervisor,
         enum start start, struct error *error)
{
    if (init_run(run, task, start) < 0)
        return error_set(error, EXIT_PREPARE, NULL, "not enough memory for the run");
    run->supervisor = *supervisor;
    for (int i = 0; i < task->count; i++)
        if (job_open(&task->jobs[i], error) < 0)
            return -1;

    return start_threads(run, start, error);
}

/* Opens a run of TASK that thread SUPERVISOR supervises, and starts its workers. Returns
 * NULL with ERROR if that fails. */
static struct run *
open_and_start(const struct run_task *task, const struct os_thread *supervisor,
               enum start start, struct error *error)
{
    if (run_check_memory(task->jobs, task->count, error) < 0)
        return NULL;
    struct run *run = calloc(1, sizeof(*run));
    if (!run) {
        error_set(error, EXIT_PREPARE, NULL, "not enough memory for the run");
        return NULL;
    }
    if (fill_run(run, task, supervisor, start, error) < 0) {
        run_close(run);
        return NULL;
    }

    return run;
}

struct run *
run_open(const struct run_task *task, const struct os_thread *supervisor,
         struct error *error)
{
    return open_and_start(task, supervisor, START_FIRST_WORKER, error);
}

int
run_hold(const struct run_task *task, const struct os_thread *supervisor,
         struct error *error)
{
    task->jobs[0].held_run = open_and_start(task, supervisor, START_HELD, error);
    return task->jobs[0].held_run ? 0 : -1;
}

void
run_cancel(struct run *run)
{
    end_waiting_threads(run);
    run_close(run);
}

void
run_cancel_first(struct job *job)
{
    if (job->held_run)
        run_cancel(job->held_run);
    job->held_run = NULL;
}

bool
run_first_worker(struct run *run)
{
    open_gate(run);
    return worker_thread_work(run->task.jobs[0].worker_threads[0]);
}

void
run_end(const struct run_task *task)
{
    const struct run_observer *observer = task->observer;
    int count = task->count;
    int64_t ended_at = 0;

    for (int i = 0; i < task->count; i++)
        ended_at = time_later(ended_at, task->jobs[i].outcome.ended_at);
    if (task->background && task->background->was_tried)
        count++;
    if (observer->end)
        observer->end(observer->self, task->jobs, count, ended_at);
}

void
run_summarize(const struct run_task *task)
{
    const struct run_observer *observer = task->observer;

    for (int i = 0; i < task->count; i++) {
        const struct job *job = &task->jobs[i];
        const struct run_record record = {
            .kind = RECORD_SUMMARY,
            .stats = &job->outcome.total,
            .duration = job->outcome.duration,
        };
        if (job->plan.output.any_summary && observer->record)
            observer->record(observer->self, job, &record);
    }
}

void
run_supervise(struct run *run)
{
    supervise(run);
    run_end(&run->task);
    run_summarize(&run->task);
}

int
run_once(const struct run_task *task, struct error *error)
{
    struct os_thread self = os_thread_self();
    struct run *run = task->jobs[0].held_run;

    if (run)
        run_begin(run);
    else
        run = open_and_start(task, &self, START_AT_ONCE, error);
    if (!run)
        return -1;
    task->jobs[0].held_run = NULL;

    open_gate(run);
    supervise(run);
    run_close(run);

    return 0;
}
