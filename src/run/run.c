/*
 * A run: all jobs of a task at the same time, each with its own workers, from the opening
 * of the workers to the summaries. There are three ways to start one (enum start):
 *
 *     START_AT_ONCE        run_once: the caller supervises. The workers wait at the gate
 *                          only until all threads are started.
 *     START_FIRST_WORKER   run_open, run_first_worker: the caller opens the gate and does
 *                          the work of the first worker. Another thread supervises.
 *     START_HELD           run_hold, later run_once: the workers wait at the gate until
 *                          run_once opens it.
 *
 * The gate is a lock that workers pass before their loop. Whoever opens it first sets
 * when the requests begin, so that all workers begin at the same time.
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
        int64_t together = (int64_t)plan->io.threads * plan->io.depth;
        requests += together;
        wanted +=
            together * plan->workload.request_size + plan->io.threads * worker_size(plan);
    }
    int64_t left = wanted > OS_MEMORY_LITTLE ? os_memory_available() : INT64_MAX;

    return wanted <= left ? 0
                          : worker_refuse(&jobs[0].active_plan, requests, left, error);
}

int
run_attribute(struct run_task *task, struct notes *notes, struct error *error)
{
    struct attribution_job jobs[TARGETS_MOST];

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
    bool all = true;

    for (int i = 0; i < run->task.count; i++)
        all &= job_close(&run->task.jobs[i]);
    if (!all) /* a worker is stuck: the run stays in memory as well, see job_close */
        return;

    os_lock_free(run->lock);
    os_lock_free(run->start_gate);
    free(run);
}

/* How a run starts; see the top of this file. */
enum start { START_AT_ONCE, START_FIRST_WORKER, START_HELD };

/* Initialises RUN, which is all zero, for TASK. Returns 0, or -1 if there is no memory.
 */
static int
init_run(struct run *run, const struct run_task *task, enum start start)
{
    int status = 0;
    int workers = 0;

    run->task = *task;
    for (int i = 0; i < run->task.count; i++) {
        status |= job_prepare(&run->task.jobs[i], run);
        workers += run->task.jobs[i].active_plan.io.threads;
    }

    run->lock = os_lock_make();
    bool has_gate = workers > 1 || start == START_HELD;
    run->start_gate = has_gate ? os_lock_make() : NULL;

    return !run->lock || (has_gate && !run->start_gate) ? -1 : status;
}

/* Workers pass the open gate one after the other. This is how long each of them usually
 * needs, in ns. */
#define GATE_TIME (50 * US)

/* Opens the gate. Requests begin a moment later, when all workers have passed it: a
 * worker that is still at the gate when the others begin would have to wait until they
 * leave it a processor. */
static void
open_gate(struct run *run)
{
    if (!run->start_gate)
        return;
    if (run->is_held)
        os_lock_acquire(run->start_gate);

    int64_t begin = os_clock_now() + MS;
    for (int i = 0; i < run->task.count; i++)
        begin += run->task.jobs[i].group.size * GATE_TIME;
    for (int i = 0; i < run->task.count; i++)
        job_begin(&run->task.jobs[i], begin);

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

/* Ends the threads that wait at the gate. No request is sent. */
static void
end_waiting(struct run *run)
{
    struct job *jobs = run->task.jobs;
    int count = run->task.count;

    /* Resets the times of the run before, which the workers would see. */
    run_begin(run);
    for (int i = 0; i < count; i++)
        worker_group_stop(&jobs[i].group, os_clock_now());
    open_gate(run);

    for (int i = 0; i < count; i++)
        for (int k = 0; k < jobs[i].group.size; k++)
            worker_thread_join(jobs[i].worker_threads[k]);
}

/* Starts the workers, which wait at the gate if there is one. If a thread cannot be
 * started, ends the others, so that no request is sent, and returns -1 with ERROR; else
 * returns 0. Unless START is START_AT_ONCE, the caller must call run_begin later. */
static int
start_all(struct run *run, enum start start, struct error *error)
{
    struct job *jobs = run->task.jobs;
    int count = run->task.count;
    int status = 0;
    bool works = start == START_FIRST_WORKER;

    if (start == START_AT_ONCE)
        run_begin(run);

    if (run->start_gate)
        os_lock_acquire(run->start_gate);
    run->is_held = start == START_HELD;
    for (int i = 0; i < count; i++)
        for (int k = 0; k < jobs[i].group.size && status == 0; k++) {
            struct worker_thread *thread = jobs[i].worker_threads[k];
            if (works && i + k == 0)
                worker_thread_adopt(thread);
            else
                status = worker_thread_start(thread);
        }

    int code = errno;
    if (run->is_held)
        os_lock_release(run->start_gate);
    if (status == 0)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "cannot start a thread for the requests: %s",
              strerror(code));
    end_waiting(run);

    return -1;
}

/* Opens a run of TASK that thread SUPERVISOR supervises. Returns NULL with ERROR if that
 * fails. */
static struct run *
open_run(const struct run_task *task, const struct os_thread *supervisor,
         enum start start, struct error *error)
{
    if (run_check_memory(task->jobs, task->count, error) < 0)
        return NULL;
    struct run *run = calloc(1, sizeof(*run));
    int status = run ? init_run(run, task, start) : -1;
    if (status < 0)
        error_set(error, EXIT_PREPARE, NULL, "not enough memory for the run");
    else
        run->supervisor = *supervisor;
    for (int i = 0; status == 0 && i < task->count; i++)
        status = job_open(&task->jobs[i], error);
    if (status == 0)
        status = start_all(run, start, error);
    if (status < 0 && run) {
        run_close(run);
        run = NULL;
    }

    return run;
}

struct run *
run_open(const struct run_task *task, const struct os_thread *supervisor,
         struct error *error)
{
    return open_run(task, supervisor, START_FIRST_WORKER, error);
}

int
run_hold(const struct run_task *task, const struct os_thread *supervisor,
         struct error *error)
{
    task->jobs[0].held_run = open_run(task, supervisor, START_HELD, error);
    return task->jobs[0].held_run ? 0 : -1;
}

void
run_cancel(struct run *run)
{
    end_waiting(run);
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
    bool loaded = task->background && task->background->was_tried;
    int64_t ended = 0;

    for (int i = 0; i < task->count; i++)
        ended = time_later(ended, task->jobs[i].outcome.ended_at);
    if (observer->end)
        observer->end(observer->self, task->jobs, task->count + loaded, ended);
}

void
run_summarize(const struct run_task *task)
{
    const struct run_observer *observer = task->observer;

    for (int i = 0; i < task->count; i++) {
        const struct job *job = &task->jobs[i];
        const struct run_record record = {RECORD_SUMMARY, &job->outcome.total,
                                          job->outcome.duration, NULL, NULL};
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
        run = open_run(task, &self, START_AT_ONCE, error);
    if (!run)
        return -1;
    task->jobs[0].held_run = NULL;

    open_gate(run);
    supervise(run);
    run_close(run);

    return 0;
}
