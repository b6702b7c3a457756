/*
 * The worker has a thread of its own, which may get stuck in the kernel. This
 * one, which has the signals, attends to it meanwhile: periods, interim
 * statistics, words about a request that has no answer, and the end. It
 * touches the worker's statistics only while it has borrowed the baton.
 */
#include "probe/run.h"

#include "attended.h"
#include "os/os.h"
#include "os/process.h"
#include "probe/worker.h"
#include "watch.h"

#include <errno.h>
#include <string.h>

#define MS 1000000LL
#define SOON (10 * MS) /* until the next try of what could not be done now */

struct run {
    const struct plan_output *output;
    const struct run_observer *observer;
    struct attended work;
    struct worker worker;

    struct stats period; /* under the baton */
    int64_t period_began;
    struct stats copy; /* of the worker's */

    int64_t keep_due; /* INT64_MAX: never */
    int64_t give_up;  /* when a request that does not return is; INT64_MAX: not yet */
    int64_t waiting;  /* how long it had been under way then; 0: none */
    bool interim_wanted;
    struct watch watch;
};

static int
end_period(struct run *run, int64_t now)
{
    int status =
        run->observer->period(run->observer->self, &run->period, now - run->period_began);
    stats_clear(&run->period);
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

static void
work(void *argument)
{
    struct run *run = argument;
    worker_run(&run->worker);
}

static void
stop(struct run *run, int64_t now)
{
    atomic_store(&run->worker.stop, true);
    if (run->give_up == INT64_MAX)
        run->give_up = now + ATTENDED_GRACE;
}

static int64_t
period_due(const struct run *run)
{
    return atomic_load_explicit(&run->worker.due, memory_order_relaxed);
}

static int64_t
later(int64_t time, int64_t more)
{
    return more > INT64_MAX - time ? INT64_MAX : time + more;
}

/* After DUE and NOW on the grid of DUE: being late once moves nothing. */
static int64_t
next_due(int64_t due, int64_t interval, int64_t now)
{
    return later(due, ((now - due) / interval + 1) * interval);
}

/*
 * The grid of the periods begins with the run; one that was late leaves it as
 * it is. The worker ends a period before a request that is due at the same
 * time, this thread while the worker waits for the kernel.
 */
static int
on_due(void *self, int64_t now)
{
    struct run *run = self;
    int64_t interval = run->output->print_interval, due = period_due(run);
    if (now < due)
        return 0;
    due = next_due(due, interval, now);
    atomic_store_explicit(&run->worker.due, due, memory_order_relaxed);
    return end_period(run, now);
}

static void
give_up(struct run *run, int64_t since, int64_t now)
{
    run->waiting = now - since;
    worker_abandon(&run->worker, now);
}

/* What the baton need not be held for. */
static void
keep(struct run *run, int64_t now)
{
    run->keep_due = next_due(run->keep_due, run->output->keep_interval, now);
    run->observer->keep(run->observer->self, &run->copy, now);
}

/*
 * Does what is due at NOW and needs the worker's statistics. Returns false if
 * they cannot be had now. Interim statistics are a copy, so that whoever does
 * not read them does not keep the worker from going on; a period must not be
 * printed while the worker prints. A baton of a request that is given up is not
 * returned: nothing that the worker owns will change any more.
 */
static bool
do_due(struct run *run, int64_t now)
{
    bool late = now >= run->give_up, interim = run->interim_wanted;
    bool keeping = now >= run->keep_due && run->give_up == INT64_MAX;
    int64_t since;
    if (!late && !interim && !keeping && now < period_due(run))
        return true;
    if (!baton_borrow(&run->worker.baton, &since))
        return false;
    if (interim || keeping)
        run->copy = run->worker.total;
    if (on_due(run, now) < 0)
        stop(run, now);
    if (late && since > 0)
        give_up(run, since, now);
    else
        baton_return(&run->worker.baton, since);
    if (interim)
        run->observer->interim(run->observer->self, &run->copy);
    if (keeping)
        keep(run, now);
    run->interim_wanted = false;
    return true;
}

/* Says it if a request has been under way for long. Returns when to look again. */
static int64_t
watch(struct run *run, int64_t now)
{
    int64_t since = baton_look(&run->worker.baton);
    int64_t waited = watch_look(&run->watch, since, now);
    if (waited && baton_borrow(&run->worker.baton, &since)) {
        uint64_t index = run->worker.total.requests + 1;
        baton_return(&run->worker.baton, since);
        if (since == run->watch.since)
            run->observer->hang(run->observer->self, index, waited);
    }
    int64_t due = watch_due(&run->watch, since, now);
    int64_t soonest = now + (since > 0 ? MS : SOON);
    return due > soonest ? due : soonest;
}

/* Only out of a sleep: a system call that is interrupted begins anew. */
static void
wake(struct run *run)
{
    if (baton_look(&run->worker.baton) == BATON_RESTING)
        os_thread_poke(&run->work.worker);
}

static int64_t
earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Until the worker has finished, or its request is given up. */
static void
attend(struct run *run)
{
    while (!attended_finished(&run->work) && !run->waiting) {
        int64_t now = os_clock_now();
        if (os_signals_stop())
            stop(run, now);
        run->interim_wanted |= os_signals_report();
        int64_t next = watch(run, now);
        bool done = do_due(run, now);
        if (atomic_load(&run->worker.stop))
            wake(run);
        if (!done || atomic_load(&run->worker.stop))
            next = earlier(next, now + SOON);
        if (done)
            next = earlier(next, period_due(run));
        if (done && run->give_up == INT64_MAX)
            next = earlier(next, run->keep_due);
        if (!run->waiting)
            attended_wait(&run->work, next);
    }
}

static struct run *
run_make(const struct plan *plan, const struct run_observer *observer)
{
    struct run *run = os_memory_aligned(64, sizeof(*run));
    if (!run)
        return NULL;
    memset(run, 0, sizeof(*run)); /* no page is new to a request */
    run->output = &plan->output;
    run->observer = observer;
    run->give_up = INT64_MAX;
    run->period.every = plan->corrected;
    watch_start(&run->watch, plan->hang);
    return run;
}

static void
run_begin(struct run *run)
{
    const struct plan_output *output = run->output;
    int64_t now = os_clock_now(), interval = output->print_interval;
    run->worker.listener.self = run;
    run->worker.listener.due = on_due;
    if (output->requests || output->print_count || interval)
        run->worker.listener.sample = on_sample;
    run->period_began = now;
    run->keep_due = output->keep_interval ? later(now, output->keep_interval) : INT64_MAX;
    if (interval)
        atomic_init(&run->worker.due, later(now, interval));
    /* It may have been asked for while the target was prepared. */
    atomic_init(&run->worker.stop, os_signals_stop() != 0);
    os_clock_sharpen();
}

/* A worker that is still in the kernel keeps its memory. */
static void
run_end(struct run *run)
{
    if (run->waiting)
        return;
    attended_join(&run->work);
    worker_close(&run->worker);
    os_memory_free(run);
}

int
run_execute(const struct plan *plan, const struct engine_ops *engine,
            const struct target *target, const struct run_observer *observer,
            struct outcome *outcome, struct error *error)
{
    struct run *run = run_make(plan, observer);
    if (!run)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for the run");
    struct worker *worker = &run->worker;
    if (worker_open(worker, plan, target, engine, error) < 0) {
        os_memory_free(run);
        return -1;
    }
    run_begin(run);
    if (attended_start(&run->work, work, run) < 0) {
        error_set(error, EXIT_PREPARE, NULL, "no thread for the requests: %s",
                  strerror(errno));
        worker_close(worker);
        os_memory_free(run);
        return -1;
    }
    attend(run);
    if (plan->output.summary)
        observer->summary(observer->self, &worker->total, worker->ended - worker->began);
    if (plan->output.prometheus)
        observer->keep(observer->self, &worker->total, worker->ended);
    outcome->total = worker->total;
    outcome->failed = worker->failed;
    outcome->waiting = run->waiting;
    outcome->slos = &plan->slos;
    run_end(run);
    return 0;
}
