/*
 * A sweep: one job in steps, each a run of its own with another size, another number of
 * threads, or another depth.
 */
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "run_private.h"

#define SIZE_MOST (256 << 20) /* unless the user asks for more */

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

int
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
