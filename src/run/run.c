#include "run/run.h"

#include "once.h"
#include "os/os.h"
#include "os/process.h"
#include "run/memory.h"
#include "supervise.h"
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t
run_size(int count)
{
    return sizeof(struct run) + (size_t)count * sizeof(struct job);
}

static void
run_free(struct run *run)
{
    for (int i = 0; i < run->count; i++)
        job_free(&run->jobs[i]);
    free(run->snapshots);
    os_lock_free(run->lock);
    os_lock_free(run->gate);
    os_memory_release(run, run_size(run->count));
}

void
run_close(struct run *run)
{
    bool all = true;
    for (int i = 0; i < run->count; i++)
        all &= job_close(&run->jobs[i]);
    if (all) /* else what is left may look at its crew, and at the lock */
        run_free(run);
}

/* What all parts share. Returns 0, or -1 without memory. */
static int
fill(struct run *run, const struct run_task *task, int workers)
{
    int status = 0;
    run->tickers = task->tickers;
    run->ticker_count = task->ticker_count;
    run->lock = os_lock_make();
    run->gate = workers > 1 ? os_lock_make() : NULL;
    run->snapshots = calloc((size_t)task->count, sizeof(*run->snapshots));
    for (int i = 0; i < task->count; i++)
        status |= job_make(&run->jobs[i], run, &task->targets[i]);
    return !run->lock || !run->snapshots || (workers > 1 && !run->gate) ? -1 : status;
}

static struct run *
run_make(const struct run_task *task, struct error *error)
{
    int workers = 0;
    for (int i = 0; i < task->count; i++)
        workers += task->targets[i].plan->threads;
    struct run *run = os_memory_zeroed(run_size(task->count));
    if (run) {
        run->count = task->count;
        if (fill(run, task, workers) == 0)
            return run;
        run_free(run);
    }
    error_set(error, EXIT_PREPARE, NULL, "no memory for the run");
    return NULL;
}

/* Until the gate opens no worker goes on. */
static void
close_gate(struct run *run)
{
    if (run->gate)
        os_lock_acquire(run->gate);
}

static void
open_gate(struct run *run)
{
    if (!run->gate)
        return;
    int64_t begin = os_clock_now() + WORKER_GROUP_DELAY;
    for (int i = 0; i < run->count; i++)
        run->jobs[i].group.begin = begin;
    os_lock_release(run->gate);
}

/* How the first worker of the first target gets its thread. */
enum first {
    STARTED, /* as all others */
    LED,     /* it is the calling one, later */
};

/* Starts the workers of one, up to the gate, but for the first OWN. Returns how many. */
static int
start_job(struct job *job, int own, const struct os_thread *supervisor)
{
    struct run *run = job->run;
    int started = own;
    while (started < job->group.size &&
           worker_thread_start(job->threads[started], supervisor, &run->news) == 0)
        started++;
    return started;
}

/* Starts the workers, up to the gate; or none, and no request is sent. */
static int
start_all(struct run *run, enum first first, const struct os_thread *supervisor,
          struct error *error)
{
    int own = first == LED, started = own, job = 0;
    supervise_begin(run, os_clock_now());
    if (first == LED)
        worker_thread_adopt(run->jobs[0].threads[0], supervisor, &run->news);
    close_gate(run);
    for (; job < run->count; job++) {
        started = start_job(&run->jobs[job], job ? 0 : own, supervisor);
        if (started < run->jobs[job].group.size)
            break;
    }
    if (job == run->count)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "no thread for the requests: %s",
              strerror(errno));
    for (int i = 0; i < run->count; i++)
        atomic_store(&run->jobs[i].group.stop, true);
    open_gate(run);
    for (int i = 0; i <= job; i++) {
        int count = i < job ? run->jobs[i].group.size : started;
        for (int k = i ? 0 : own; k < count; k++)
            worker_thread_join(run->jobs[i].threads[k]);
    }
    return -1;
}

/* Opens and starts all workers; NULL with ERROR. */
static struct run *
open_run(const struct run_task *task, enum first first,
         const struct os_thread *supervisor, struct error *error)
{
    if (memory_check(task->targets, task->count, error) < 0)
        return NULL;
    struct run *run = run_make(task, error);
    int status = run ? 0 : -1;
    for (int i = 0; status == 0 && i < task->count; i++)
        status = job_open(&run->jobs[i], task->engine, error);
    if (status == 0)
        status = start_all(run, first, supervisor, error);
    if (status == 0)
        return run;
    if (run)
        run_close(run);
    return NULL;
}

struct run *
run_open(const struct run_task *task, const struct os_thread *supervisor,
         struct error *error)
{
    return open_run(task, LED, supervisor, error);
}

void
run_first_worker(struct run *run)
{
    open_gate(run);
    worker_thread_work(run->jobs[0].threads[0]);
}

/* What comes once, after all steps. */
static void
conclude(struct run *run)
{
    int64_t ended = 0;
    for (int i = 0; i < run->count; i++) {
        const struct job *job = &run->jobs[i];
        const struct outcome *outcome = job->outcome;
        if (job->plan.output.summary)
            job->observer.summary(job->observer.self, &outcome->total, outcome->time);
        run->snapshots[i] = (struct run_snapshot){&outcome->total, job->track, true};
        if (outcome->ended > ended)
            ended = outcome->ended;
    }
    for (int i = 0; i < run->ticker_count; i++)
        if (run->tickers[i].last)
            run->tickers[i].tick(run->tickers[i].self, run->snapshots, run->count, ended);
}

void
run_supervise(struct run *run)
{
    supervise(run);
    conclude(run);
}

/* Returns 0, or -1 with ERROR; with LAST it also tells what comes after all steps. */
static int
execute(const struct run_task *task, bool last, struct error *error)
{
    struct os_thread supervisor = os_thread_self();
    struct run *run = open_run(task, STARTED, &supervisor, error);
    if (!run)
        return -1;
    open_gate(run);
    supervise(run);
    if (last)
        conclude(run);
    run_close(run);
    return 0;
}

int
run_once(const struct run_task *task, struct error *error)
{
    return execute(task, false, error);
}

int
run_execute(const struct run_task *task, struct error *error)
{
    return task->targets[0].plan->sweep.kind != SWEEP_NONE ? sweep_execute(task, error)
                                                           : execute(task, true, error);
}
