/*
 * A run: all jobs of a task at once, each by workers of its own, from the opening of the
 * workers to the summaries. A sweep: one job in steps, each a run of its own with another
 * size, another number of threads, or another depth.
 */
#include "run/run.h"

#include "os/os.h"
#include "os/process.h"
#include "run_private.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
run_check_memory(const struct job *jobs, int count, struct error *error)
{
    int64_t wanted = 0, requests = 0;
    for (int i = 0; i < count; i++) {
        const struct plan *plan = &jobs[i].step;
        int64_t together = (int64_t)plan->threads * plan->depth;
        requests += together;
        wanted += together * plan->request_size + plan->threads * worker_size(plan);
    }
    int64_t left = wanted > OS_MEMORY_LITTLE ? os_memory_available() : INT64_MAX;
    return wanted <= left ? 0 : worker_refuse(&jobs[0].step, requests, left, error);
}

static void
run_free(struct run *run)
{
    for (int i = 0; i < run->task.count; i++)
        job_release(&run->task.jobs[i]);
    os_lock_free(run->lock);
    os_lock_free(run->gate);
    free(run);
}

void
run_close(struct run *run)
{
    bool all = true;
    for (int i = 0; i < run->task.count; i++)
        all &= job_close(&run->task.jobs[i]);
    if (all) /* else what is left may look at its group, and at the lock */
        run_free(run);
}

/* Returns 0, or -1 without memory. */
static int
fill(struct run *run, const struct run_task *task)
{
    int status = 0, workers = 0;
    run->task = *task;
    for (int i = 0; i < task->count; i++) {
        status |= job_prepare(&task->jobs[i], run);
        workers += task->jobs[i].step.threads;
    }
    run->lock = os_lock_make();
    run->gate = workers > 1 ? os_lock_make() : NULL;
    return !run->lock || (workers > 1 && !run->gate) ? -1 : status;
}

static struct run *
run_make(const struct run_task *task, struct error *error)
{
    struct run *run = calloc(1, sizeof(*run));
    if (run) {
        if (fill(run, task) == 0)
            return run;
        run_free(run);
    }
    error_set(error, EXIT_PREPARE, NULL, "no memory for the run");
    return NULL;
}

/* Workers wait for the gate before their first request. */
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
    for (int i = 0; i < run->task.count; i++)
        run->task.jobs[i].group.begin = begin;
    os_lock_release(run->gate);
}

/* The thread of the first worker of the first job. */
enum first_worker {
    FIRST_STARTED, /* as all others */
    FIRST_CALLER,  /* the calling thread does its work, later */
};

/* Starts the workers of JOB, up to the gate, but for the first OWN. Returns how many are
 * started, those included. */
static int
start_job(struct job *job, int own, const struct os_thread *supervisor)
{
    int started = own;
    while (started < job->group.size &&
           worker_thread_start(job->threads[started], supervisor, &job->run->news) == 0)
        started++;
    return started;
}

/* Starts the workers, up to the gate; or none, and no request is sent. */
static int
start_all(struct run *run, enum first_worker first, const struct os_thread *supervisor,
          struct error *error)
{
    struct job *jobs = run->task.jobs;
    int own = first == FIRST_CALLER, started = own, number = 0;
    supervise_begin(run, os_clock_now());
    if (first == FIRST_CALLER)
        worker_thread_adopt(jobs[0].threads[0], supervisor, &run->news);
    close_gate(run);
    for (; number < run->task.count; number++) {
        started = start_job(&jobs[number], number ? 0 : own, supervisor);
        if (started < jobs[number].group.size)
            break;
    }
    if (number == run->task.count)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "no thread for the requests: %s",
              strerror(errno));
    for (int i = 0; i < run->task.count; i++)
        atomic_store(&jobs[i].group.stop, true);
    open_gate(run);
    for (int i = 0; i <= number; i++) {
        int count = i < number ? jobs[i].group.size : started;
        for (int k = i ? 0 : own; k < count; k++)
            worker_thread_join(jobs[i].threads[k]);
    }
    return -1;
}

/* Opens and starts all workers; NULL with ERROR. */
static struct run *
open_run(const struct run_task *task, enum first_worker first,
         const struct os_thread *supervisor, struct error *error)
{
    if (run_check_memory(task->jobs, task->count, error) < 0)
        return NULL;
    struct run *run = run_make(task, error);
    int status = run ? 0 : -1;
    for (int i = 0; status == 0 && i < task->count; i++)
        status = job_open(&task->jobs[i], error);
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
    for (int i = 0; i < task->count; i++)
        task->jobs[i].step = task->jobs[i].plan;
    return open_run(task, FIRST_CALLER, supervisor, error);
}

void
run_first_worker(struct run *run)
{
    open_gate(run);
    worker_thread_work(run->task.jobs[0].threads[0]);
}

/* Tells of the end of all jobs. */
static void
conclude(struct run *run)
{
    const struct run_observer *observer = run->task.observer;
    int64_t ended = 0;
    for (int i = 0; i < run->task.count; i++) {
        const struct job *job = &run->task.jobs[i];
        if (job->plan.output.summary && observer->summary)
            observer->summary(observer->self, job);
        if (job->outcome.ended > ended)
            ended = job->outcome.ended;
    }
    if (observer->end)
        observer->end(observer->self, run->task.jobs, run->task.count, ended);
}

void
run_supervise(struct run *run)
{
    supervise(run);
    conclude(run);
}

static struct run *
do_step(const struct run_task *task, struct error *error)
{
    struct os_thread supervisor = os_thread_self();
    struct run *run = open_run(task, FIRST_STARTED, &supervisor, error);
    if (!run)
        return NULL;
    open_gate(run);
    supervise(run);
    return run;
}

/* Does one step of the jobs of TASK, without what comes after all steps. Returns 0, or -1
 * with ERROR. */
static int
run_step(const struct run_task *task, struct error *error)
{
    struct run *run = do_step(task, error);
    if (run)
        run_close(run);
    return run ? 0 : -1;
}

/* A sweep of sizes ends here, unless the user asks for more. */
#define SIZE_MOST (256 << 20)

/*
 * The smallest request: a logical block, but nothing larger than what is known to
 * fit and to be possible.
 */
static int64_t
smallest_size(const struct plan *plan, const struct target *target)
{
    int64_t first = plan_first(plan, target->work_size), other, size = 0;
    int status = target->kind == OS_BLOCK ? os_device_size(target->fd, &other, &size)
                                          : os_file_alignment(target->fd, &other, &size);
    return status == 0 && size > 0 && size < first ? size : first;
}

/* The sizes from one end to the other, which the target decides. */
static struct sweep
ends_of(const struct plan *plan, const struct target *target)
{
    int64_t most = target->work_size < SIZE_MOST ? target->work_size : SIZE_MOST;
    int64_t least = smallest_size(plan, target);
    struct sweep sweep = {SWEEP_SIZE, least, least};
    while (sweep.to <= most / 2)
        sweep.to *= 2;
    return sweep;
}

static int
count_steps(const struct sweep *ends)
{
    int count = 0;
    for (int64_t value = ends->from; value; value = sweep_next(value, ends->to))
        count++;
    return count;
}

/* Keeps the numbers of the step that did VALUE in TIME. */
static void
add_step(struct job *job, int64_t value, int64_t time)
{
    const struct stats *stats = &job->total;
    if (job->step_count == JOB_STEPS)
        return;
    job->steps[job->step_count++] =
        (struct job_step){.value = value,
                          .requests = stats->latency.count,
                          .failed = stats->failed,
                          .iops = stats_rate((double)stats->requests, time),
                          .bps = stats_rate((double)stats->all_bytes, time),
                          .p50 = stats_p50(stats),
                          .p99 = stats_p99(stats),
                          .max = stats->latency.max};
}

/* Tells of the step that did VALUE and began after all others had taken BEFORE. Returns
 * whether there is to be another. */
static bool
end_step(struct job *job, const struct run_observer *observer, int64_t value,
         int64_t before)
{
    const struct plan *plan = &job->plan;
    const struct stats *stats = &job->total;
    struct outcome *outcome = &job->outcome;
    int64_t time = outcome->time - before;
    bool failed = outcome->waiting || (outcome->failed.index && !plan->ignore_error);
    bool early = plan->sweep.kind == SWEEP_SIZE && !failed &&
                 stats->requests < (uint64_t)job->step.threads;
    bool stopped = os_signals_stop() && !failed; /* the step is not complete */
    if (early && !stopped)
        outcome->early = value;
    if (early || stopped)
        return false;
    add_step(job, value, time);
    int status = observer->step(observer->self, job, value, stats, time);
    if (status < 0 || failed)
        return false;
    if (!outcome->empty && stats->requests == 0)
        outcome->empty = value;
    return true;
}

static int
sweep_execute(const struct run_task *task, struct error *error)
{
    const struct run_observer *observer = task->observer;
    struct job *job = &task->jobs[0];
    const struct plan *plan = &job->plan;
    struct sweep ends = plan->sweep.from ? plan->sweep : ends_of(plan, &job->target);
    int count = count_steps(&ends), status = 0, number = 0;
    bool more = true;
    job->outcome.swept = plan->sweep.kind;
    for (int64_t value = ends.from; value && more && status == 0;
         value = sweep_next(value, ends.to)) {
        int64_t before = job->outcome.time;
        if (observer->step_begin)
            observer->step_begin(observer->self, job, value, number, count);
        plan_step(plan, value, number++, &job->step);
        status = run_step(task, error);
        more = status == 0 && end_step(job, observer, value, before);
    }
    if (status < 0 && number > 1)
        error->status = EXIT_RUNTIME; /* others have sent requests */
    job->stats = &job->outcome.total;
    if (observer->end)
        observer->end(observer->self, job, 1, job->outcome.ended);
    return status;
}

int
run_execute(const struct run_task *task, struct error *error)
{
    if (task->jobs[0].plan.sweep.kind != SWEEP_NONE)
        return sweep_execute(task, error);
    for (int i = 0; i < task->count; i++)
        task->jobs[i].step = task->jobs[i].plan;
    struct run *run = do_step(task, error);
    if (!run)
        return -1;
    conclude(run);
    run_close(run);
    return 0;
}
