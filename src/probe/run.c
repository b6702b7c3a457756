#include "probe/run.h"

#include "attend.h"
#include "once.h"
#include "os/os.h"
#include "os/process.h"
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void
run_free(struct run *run)
{
    free(run->seats);
    os_lock_free(run->lock);
    os_lock_free(run->gate);
    os_memory_release(run, sizeof(*run));
}

static void
close_seats(struct run *run)
{
    bool left = false;
    for (int i = 0; i < run->crew.size; i++) {
        struct seat *seat = run->seats[i];
        if (!seat || seat->waiting) {
            left = true; /* in the kernel, with its memory */
            continue;
        }
        worker_close(&seat->worker);
        os_memory_release(seat, sizeof(*seat));
    }
    if (!left) /* else it may look at the crew, and at the lock */
        run_free(run);
}

static struct run *
run_make(const struct plan *plan, const struct run_observer *observer,
         struct error *error)
{
    struct run *run = os_memory_zeroed(sizeof(*run));
    if (run) {
        run->seats = calloc((size_t)plan->threads, sizeof(struct seat *));
        run->lock = os_lock_make();
        run->gate = plan->threads > 1 ? os_lock_make() : NULL;
    }
    if (!run || !run->seats || !run->lock || (plan->threads > 1 && !run->gate)) {
        if (run)
            run_free(run);
        error_set(error, EXIT_PREPARE, NULL, "no memory for the run");
        return NULL;
    }
    run->plan = *plan;
    run->observer = *observer;
    run->crew.count = plan->count;
    run->give_up = INT64_MAX;
    run->period.every = plan->corrected;
    run->period.lanes = plan->threads;
    return run;
}

/* Opens one more worker, or nothing. */
static int
open_seat(struct run *run, const struct target *target, const struct engine_ops *engine,
          struct error *error)
{
    const struct plan_output *output = &run->plan.output;
    struct seat *seat = os_memory_zeroed(sizeof(*seat));
    if (!seat)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for %d threads",
                         run->plan.threads);
    if (worker_open(&seat->worker, &run->plan, target, engine, &run->crew, run->crew.size,
                    error) < 0) {
        os_memory_release(seat, sizeof(*seat));
        return -1;
    }
    seat->gate = run->gate;
    seat->worker.listener.self = run;
    seat->worker.listener.due = attend_due;
    if (output->requests || output->print_count || output->print_interval)
        seat->worker.listener.sample = attend_sample;
    run->seats[run->crew.size++] = seat;
    return 0;
}

/* Until the gate opens no worker goes on. */
static int
start_threads(struct run *run)
{
    int started = 0;
    if (run->gate)
        os_lock_take(run->gate);
    run->crew.begin = os_clock_now();
    atomic_init(&run->crew.stop, os_signals_stop() != 0);
    while (started < run->crew.size && seat_start(run->seats[started], &run->news) == 0)
        started++;
    int number = errno;
    if (started < run->crew.size)
        atomic_store(&run->crew.stop, true);
    if (run->gate) {
        run->crew.begin = os_clock_now() + CREW_NOTICES;
        os_lock_give(run->gate);
    }
    errno = number;
    return started;
}

/* Starts all workers; or none, and no request is sent. */
static int
start_seats(struct run *run, struct error *error)
{
    attend_begin(run, os_clock_now());
    os_clock_sharpen();
    int started = start_threads(run);
    if (started == run->crew.size)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "no thread for the requests: %s",
              strerror(errno));
    for (int i = 0; i < started; i++)
        attended_join(&run->seats[i]->work);
    return -1;
}

/* Joins the threads that have ended and notes how they did. */
static void
collect(struct run *run, struct outcome *outcome)
{
    int64_t began = INT64_MAX, first = INT64_MAX;
    for (int i = 0; i < run->crew.size; i++) {
        struct seat *seat = run->seats[i];
        const struct worker *worker = &seat->worker;
        const struct sample *failed = &worker->failed;
        if (!seat->waiting)
            attended_join(&seat->work);
        if (failed->index && failed->start + failed->latency < first) {
            first = failed->start + failed->latency;
            outcome->failed = *failed;
        }
        if (seat->waiting > outcome->waiting)
            outcome->waiting = seat->waiting;
        outcome->left += seat->left;
        if (worker->began < began)
            began = worker->began;
        if (worker->ended > outcome->ended)
            outcome->ended = worker->ended;
    }
    run->added = 0; /* from the beginning, whatever was not finished */
    attend_add_up(run, &outcome->total);
    outcome->time = outcome->ended - began;
}

int
run_once(const struct plan *plan, const struct engine_ops *engine, struct target *target,
         const struct run_observer *observer, struct outcome *outcome,
         struct error *error)
{
    struct run *run = run_make(plan, observer, error);
    if (!run)
        return -1;
    int status;
    do /* one at least, for the statistics of a run that is stopped at once */
        status = open_seat(run, target, engine, error);
    while (status == 0 && run->crew.size < plan->threads && !os_signals_stop());
    if (status == 0) {
        os_lock_take(run->lock);
        status = start_seats(run, error);
        if (status == 0)
            attend_introduce(run, target);
        os_lock_give(run->lock);
    }
    if (status == 0) {
        attend(run);
        collect(run, outcome);
    }
    close_seats(run);
    return status;
}

int
run_execute(const struct plan *plan, const struct engine_ops *engine,
            struct target *target, const struct run_observer *observer,
            struct outcome *outcome, struct error *error)
{
    if (plan->sweep.kind != SWEEP_NONE)
        return sweep_execute(plan, engine, target, observer, outcome, error);
    if (run_once(plan, engine, target, observer, outcome, error) < 0)
        return -1;
    outcome->slos = &plan->slos;
    if (plan->output.summary)
        observer->summary(observer->self, &outcome->total, outcome->time);
    if (plan->output.prometheus)
        observer->keep(observer->self, &outcome->total, outcome->ended);
    return 0;
}
