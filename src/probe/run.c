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
    int output_error;
};

/* Remembers the first failure of the output: 0, or -1 to end the run. */
static int
check_output(struct run *run, int error)
{
    if (error && !run->output_error)
        run->output_error = error;
    return run->output_error ? -1 : 0;
}

static int
end_period(struct run *run, int64_t now)
{
    int error =
        run->observer->period(run->observer->self, &run->period, now - run->period_began);
    memset(&run->period, 0, sizeof(run->period));
    run->period_began = now;
    return check_output(run, error);
}

static int
on_sample(void *self, const struct sample *sample)
{
    struct run *run = self;
    const struct plan_output *output = run->output;
    if (output->requests &&
        check_output(run, run->observer->sample(run->observer->self, sample)) < 0)
        return -1;
    stats_record(&run->period, sample);
    if (output->print_count && sample_counts(sample) &&
        run->period.latency.count >= (uint64_t)output->print_count)
        return end_period(run, sample->start + sample->latency);
    return run->output_error ? -1 : 0;
}

static int64_t
on_wake(void *self, int64_t now)
{
    struct run *run = self;
    int64_t interval = run->output->print_interval, due = run->worker.wake_at;
    end_period(run, now);
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
    os_clock_sharpen();
    start_periods(&run, worker);
    worker_run(worker);
    if (plan->output.summary)
        check_output(&run, observer->summary(observer->self, &worker->total,
                                             worker->ended - worker->began));
    outcome->total = worker->total;
    outcome->failed = worker->failed;
    outcome->output_error = run.output_error;
    worker_close(worker);
    return 0;
}
