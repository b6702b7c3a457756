#include "sweep.h"

#include "once.h"
#include "os/process.h"

#define SIZE_MOST (256 << 20) /* unless the user asks for more */

/* What all steps have in common. */
struct sweep_run {
    const struct run_task *task;
    const struct run_target *of;
    int count; /* of the steps */
};

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

/* Of sizes whose ends the target decides. */
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

/* Adds what one step found to what all did. Returns whether there is to be another. */
static bool
digest(const struct sweep_run *sweep, const struct plan *step, const struct outcome *one,
       int64_t value)
{
    const struct plan *plan = sweep->of->plan;
    const struct run_observer *observer = &sweep->of->observer;
    struct outcome *all = sweep->of->outcome;
    bool failed = one->waiting || (one->failed.index && !plan->ignore_error);
    bool early = plan->sweep.kind == SWEEP_SIZE && !failed &&
                 one->total.requests < (uint64_t)step->threads;
    bool stopped = os_signals_stop() && !failed; /* the step is not complete */
    stats_merge(&all->total, &one->total);
    all->time += one->time;
    all->ended = one->ended;
    if (!all->failed.index)
        all->failed = one->failed;
    all->waiting = one->waiting;
    all->left = one->left;
    if (early && !stopped)
        all->early = value;
    if (early || stopped)
        return false;
    int status = observer->step(observer->self, value, &one->total, one->time);
    if (status < 0 || failed)
        return false;
    if (!all->empty && one->total.requests == 0)
        all->empty = value;
    return true;
}

/* One step; DONE becomes whether it is the last of all. Returns 0, or -1 with ERROR. */
static int
do_step(struct sweep_run *sweep, int64_t value, int number, bool *done,
        struct error *error)
{
    struct plan step;
    struct outcome *one = os_memory_zeroed(sizeof(*one));
    if (!one)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for the sweep");
    struct run_target target = *sweep->of;
    struct run_task task = *sweep->task;
    target.plan = &step;
    target.outcome = one;
    task.targets = &target;
    if (number > 0)
        target.observer.begin = NULL;
    if (target.observer.stepping)
        target.observer.stepping(target.observer.self, value, number, sweep->count);
    plan_step(sweep->of->plan, value, number, &step);
    int status = run_once(&task, error);
    *done = status < 0 || !digest(sweep, &step, one, value);
    os_memory_release(one, sizeof(*one));
    return status;
}

static void
show_last(const struct sweep_run *sweep)
{
    const struct outcome *outcome = sweep->of->outcome;
    const struct run_snapshot snapshot = {.stats = &outcome->total};
    for (int i = 0; i < sweep->task->ticker_count; i++) {
        const struct run_ticker *ticker = &sweep->task->tickers[i];
        if (ticker->last)
            ticker->tick(ticker->self, &snapshot, 1, outcome->ended);
    }
}

int
sweep_execute(const struct run_task *task, struct error *error)
{
    const struct run_target *of = &task->targets[0];
    const struct plan *plan = of->plan;
    struct sweep ends = plan->sweep.from ? plan->sweep : ends_of(plan, of->target);
    struct sweep_run sweep = {task, of, count_steps(&ends)};
    bool done = false;
    int status = 0, number = 0;
    of->outcome->swept = plan->sweep.kind;
    for (int64_t value = ends.from; value && !done && status == 0;
         value = sweep_next(value, ends.to))
        status = do_step(&sweep, value, number++, &done, error);
    if (status < 0 && number > 1)
        error->status = EXIT_RUNTIME; /* others have sent requests */
    show_last(&sweep);
    return status;
}
