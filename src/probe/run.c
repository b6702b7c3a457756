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

void
run_close(struct run *run)
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
run_make(const struct plan *plan, struct target *target,
         const struct run_observer *observer, struct error *error)
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
    run->target = target;
    run->crew.count = plan->count;
    run->give_up = INT64_MAX;
    run->period.every = plan->corrected;
    run->period.lanes = plan->threads;
    return run;
}

/* Opens one more worker, or nothing. */
static int
open_seat(struct run *run, const struct engine_ops *engine, struct error *error)
{
    const struct plan_output *output = &run->plan.output;
    struct seat *seat = os_memory_zeroed(sizeof(*seat));
    if (!seat)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for %d threads",
                         run->plan.threads);
    if (worker_open(&seat->worker, &run->plan, run->target, engine, &run->crew,
                    run->crew.size, error) < 0) {
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
static void
close_gate(struct run *run)
{
    if (run->gate)
        os_lock_take(run->gate);
}

static void
open_gate(struct run *run)
{
    if (!run->gate)
        return;
    run->crew.begin = os_clock_now() + CREW_NOTICES;
    os_lock_give(run->gate);
}

/* How the first worker gets its thread. */
enum first {
    STARTED, /* as all others */
    LED,     /* it is the calling one, later */
};

/* Starts the workers, up to the gate; or none, and no request is sent. */
static int
start_seats(struct run *run, enum first first, const struct os_thread *attending,
            struct error *error)
{
    int64_t now = os_clock_now();
    int own = first == LED, started = own;
    attend_begin(run, now);
    run->crew.begin = now;
    atomic_init(&run->crew.stop, os_signals_stop() != 0);
    if (first == LED)
        seat_lead(run->seats[0], attending, &run->news);
    close_gate(run);
    while (started < run->crew.size &&
           seat_start(run->seats[started], attending, &run->news) == 0)
        started++;
    if (started == run->crew.size)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "no thread for the requests: %s",
              strerror(errno));
    atomic_store(&run->crew.stop, true);
    open_gate(run);
    for (int i = own; i < started; i++)
        seat_join(run->seats[i]);
    return -1;
}

/* Opens and starts the workers that RUN, if there is one, is for; NULL with ERROR. */
static struct run *
open_run(struct run *run, const struct engine_ops *engine, enum first first,
         const struct os_thread *attending, struct error *error)
{
    int status = run ? 0 : -1;
    while (status == 0 && run->crew.size < run->plan.threads &&
           (run->crew.size == 0 || !os_signals_stop())) /* one, for its statistics */
        status = open_seat(run, engine, error);
    if (status == 0)
        status = start_seats(run, first, attending, error);
    if (status == 0)
        return run;
    if (run)
        run_close(run);
    return NULL;
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
            seat_join(seat);
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

struct run *
run_open(const struct plan *plan, const struct engine_ops *engine, struct target *target,
         const struct run_observer *observer, const struct os_thread *attending,
         struct error *error)
{
    return open_run(run_make(plan, target, observer, error), engine, LED, attending,
                    error);
}

void
run_lead(struct run *run)
{
    open_gate(run);
    seat_work(run->seats[0]);
}

/* All of the observer's but for what comes once, after all steps. */
static void
attend_and_collect(struct run *run, struct outcome *outcome)
{
    attend(run);
    collect(run, outcome);
}

static void
conclude(const struct plan *plan, const struct run_observer *observer,
         struct outcome *outcome)
{
    if (plan->output.summary)
        observer->summary(observer->self, &outcome->total, outcome->time);
    if (plan->output.prometheus)
        observer->keep(observer->self, &outcome->total, outcome->ended);
}

void
run_attend(struct run *run, struct outcome *outcome)
{
    attend_and_collect(run, outcome);
    conclude(&run->plan, &run->observer, outcome);
}

int
run_once(const struct plan *plan, const struct engine_ops *engine, struct target *target,
         const struct run_observer *observer, struct outcome *outcome,
         struct error *error)
{
    struct os_thread attending = os_thread_self();
    struct run *run = open_run(run_make(plan, target, observer, error), engine, STARTED,
                               &attending, error);
    if (!run)
        return -1;
    open_gate(run);
    attend_and_collect(run, outcome);
    run_close(run);
    return 0;
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
    conclude(plan, observer, outcome);
    return 0;
}
