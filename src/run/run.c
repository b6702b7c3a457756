#include "run/run.h"

#include "supervise.h"
#include "once.h"
#include "os/os.h"
#include "os/process.h"
#include "run/memory.h"
#include "sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static size_t
run_size(int count)
{
    return sizeof(struct run) + (size_t)count * sizeof(struct part);
}

static void
run_free(struct run *run)
{
    for (int i = 0; i < run->count; i++)
        part_free(&run->parts[i]);
    free(run->sights);
    os_lock_free(run->lock);
    os_lock_free(run->gate);
    os_memory_release(run, run_size(run->count));
}

void
run_close(struct run *run)
{
    bool all = true;
    for (int i = 0; i < run->count; i++)
        all &= part_close(&run->parts[i]);
    if (all) /* else what is left may look at its crew, and at the lock */
        run_free(run);
}

/* What all parts share. Returns 0, or -1 without memory. */
static int
fill(struct run *run, const struct run_task *task, int workers)
{
    int status = 0;
    run->views = task->views;
    run->views_count = task->views_count;
    run->lock = os_lock_make();
    run->gate = workers > 1 ? os_lock_make() : NULL;
    run->sights = calloc((size_t)task->count, sizeof(*run->sights));
    for (int i = 0; i < task->count; i++)
        status |= part_make(&run->parts[i], run, &task->targets[i]);
    return !run->lock || !run->sights || (workers > 1 && !run->gate) ? -1 : status;
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
        os_lock_take(run->gate);
}

static void
open_gate(struct run *run)
{
    if (!run->gate)
        return;
    int64_t begin = os_clock_now() + CREW_NOTICES;
    for (int i = 0; i < run->count; i++)
        run->parts[i].crew.begin = begin;
    os_lock_give(run->gate);
}

/* How the first worker of the first target gets its thread. */
enum first {
    STARTED, /* as all others */
    LED,     /* it is the calling one, later */
};

/* Starts the workers of one, up to the gate, but for the first OWN. Returns how many. */
static int
start_part(struct part *part, int own, const struct os_thread *attending)
{
    struct run *run = part->run;
    int started = own;
    while (started < part->crew.size &&
           seat_start(part->seats[started], attending, &run->news) == 0)
        started++;
    return started;
}

/* Starts the workers, up to the gate; or none, and no request is sent. */
static int
start_all(struct run *run, enum first first, const struct os_thread *attending,
          struct error *error)
{
    int own = first == LED, started = own, part = 0;
    attend_begin(run, os_clock_now());
    if (first == LED)
        seat_lead(run->parts[0].seats[0], attending, &run->news);
    close_gate(run);
    for (; part < run->count; part++) {
        started = start_part(&run->parts[part], part ? 0 : own, attending);
        if (started < run->parts[part].crew.size)
            break;
    }
    if (part == run->count)
        return 0;
    error_set(error, EXIT_PREPARE, NULL, "no thread for the requests: %s",
              strerror(errno));
    for (int i = 0; i < run->count; i++)
        atomic_store(&run->parts[i].crew.stop, true);
    open_gate(run);
    for (int i = 0; i <= part; i++) {
        int count = i < part ? run->parts[i].crew.size : started;
        for (int k = i ? 0 : own; k < count; k++)
            seat_join(run->parts[i].seats[k]);
    }
    return -1;
}

/* Opens and starts all workers; NULL with ERROR. */
static struct run *
open_run(const struct run_task *task, enum first first, const struct os_thread *attending,
         struct error *error)
{
    if (memory_check(task->targets, task->count, error) < 0)
        return NULL;
    struct run *run = run_make(task, error);
    int status = run ? 0 : -1;
    for (int i = 0; status == 0 && i < task->count; i++)
        status = part_open(&run->parts[i], task->engine, error);
    if (status == 0)
        status = start_all(run, first, attending, error);
    if (status == 0)
        return run;
    if (run)
        run_close(run);
    return NULL;
}

struct run *
run_open(const struct run_task *task, const struct os_thread *attending,
         struct error *error)
{
    return open_run(task, LED, attending, error);
}

void
run_lead(struct run *run)
{
    open_gate(run);
    seat_work(run->parts[0].seats[0]);
}

/* What comes once, after all steps. */
static void
conclude(struct run *run)
{
    int64_t ended = 0;
    for (int i = 0; i < run->count; i++) {
        const struct part *part = &run->parts[i];
        const struct outcome *outcome = part->outcome;
        if (part->plan.output.summary)
            part->observer.summary(part->observer.self, &outcome->total, outcome->time);
        run->sights[i] = (struct run_sight){&outcome->total, part->track, true};
        if (outcome->ended > ended)
            ended = outcome->ended;
    }
    for (int i = 0; i < run->views_count; i++)
        if (run->views[i].last)
            run->views[i].look(run->views[i].self, run->sights, run->count, ended);
}

void
run_attend(struct run *run)
{
    attend(run);
    conclude(run);
}

/* Returns 0, or -1 with ERROR; with LAST it also tells what comes after all steps. */
static int
execute(const struct run_task *task, bool last, struct error *error)
{
    struct os_thread attending = os_thread_self();
    struct run *run = open_run(task, STARTED, &attending, error);
    if (!run)
        return -1;
    open_gate(run);
    attend(run);
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
