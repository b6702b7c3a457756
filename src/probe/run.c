#include "probe/run.h"

#include "os/os.h"
#include "probe/worker.h"

#include <string.h>

struct run {
    const struct plan_output *output;
    const struct run_observer *observer;
    struct worker worker;
    struct stats period;
    int64_t period_began;
};

static int
end_period(struct run *run, int64_t now)
{
    int status =
        run->observer->period(run->observer->self, &run->period, now - run->period_began);
    memset(&run->period, 0, sizeof(run->period));
    run->period_began = now;
    return status;
}

static int
on_sample(void *self, const struct sample *sample)
{
    struct run *run = self;
    const struct plan_output *output = run->output;
    if (output->requests && run->observer->sample(run->observer->self, sample) < 0)
        return -1;
    stats_record(&run->period, sample);
    if (output->print_count && sample_counts(sample) &&
        run->period.latency.count >= (uint64_t)output->print_count)
        return end_period(run, sample->start + sample->latency);
    return 0;
}

static int64_t
on_wake(void *self, int64_t now)
{
    struct run *run = self;
    int64_t interval = run->output->print_interval, due = run->worker.wake_at;
    if (end_period(run, now) < 0)
        return -1;
    int64_t ahead = ((now - due) / interval + 1) * interval;
    return ahead > INT64_MAX - due ? INT64_MAX : due + ahead;
}

static void
on_interim(void *self)
{
    struct run *run = self;
    run->observer->interim(run->observer->self, &run->worker.total);
}

static void
listen_to(struct run *run, struct worker *worker)
{
    const struct plan_output *output = run->output;
    worker->listener.self = run;
    if (output->requests || output->print_count || output->print_interval)
        worker->listener.sample = on_sample;
    worker->listener.wake = on_wake;
    worker->listener.interim = on_interim;
}

/* The grid of the periods begins with the run. */
static void
start_periods(struct run *run, struct worker *worker)
{
    int64_t now = os_clock_now(), interval = run->output->print_interval;
    run->period_began = now;
    if (interval && interval < INT64_MAX - now)
        worker->wake_at = now + interval;
}

int
run_execute(const struct plan *plan, const struct target *target,
            const struct run_observer *observer, struct outcome *outcome,
            struct error *error)
{
    struct run run = {.output = &plan->output, .observer = observer};
    struct worker *worker = &run.worker;
    if (worker_open(worker, plan, target, &engine_sync, error) < 0)
        return -1;
    listen_to(&run, worker);
    start_periods(&run, worker);
    worker_run(worker);
    if (plan->output.summary)
        observer->summary(observer->self, &worker->total, worker->ended - worker->began);
    outcome->total = worker->total;
    outcome->failed = worker->failed;
    worker_close(worker);
    return 0;
}
