/*
 * Two threads. The one that leads is the first of the process: it opens the target
 * and then does the work of a worker, so that none has to be woken before the first
 * request. It may get stuck in the kernel at any time, with a file system that
 * hangs in the opening already. The other has the signals, attends to it and has
 * the last word; at the beginning it sleeps, not to share the machine with the
 * first request.
 */
#include "session/session.h"

#include "base/later.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "plan/outcome.h"
#include "probe/run.h"
#include "probe/watch.h"
#include "report/console.h"
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* For so long (ns) from the beginning it does without being woken. */
#define QUIET 1000000LL

/* One target and what belongs to it alone. */
struct session_target {
    struct plan plan;
    struct target target;
    struct outcome outcome;
    bool swept;         /* or that was tried; in sweeps */
    struct error error; /* why a step could not begin; status 0: all could */
};

/* What the leading thread writes to stays in memory if that is left to itself. */
struct session {
    const struct plan *plan;
    struct os_thread attending;
    unsigned signals;
    int64_t began;
    _Atomic int64_t since; /* when the opening of the present target began */
    atomic_int opening;    /* which that is */
    atomic_bool opened;    /* all are, or one cannot be */
    atomic_bool begun;     /* and there is a run, or an error */
    struct report report;
    struct run_view views[RUN_VIEWS];
    struct run_task task;
    struct run *run; /* NULL: it sweeps, or could not begin */
    bool failed;     /* it could not, with an error */
    struct error error;
    int status; /* of the program */
    struct notes notes;

    int count;
    struct session_target *targets;
    /* What others want of each. */
    struct run_target *run_targets;
    const struct description **descriptions;
    const struct outcome **outcomes;
};

/* The leading thread has got to FLAG, and tells the other if that sleeps for longer. */
static void
reach(struct session *session, atomic_bool *flag)
{
    atomic_store(flag, true);
    if (os_clock_now() - session->began >= QUIET)
        os_thread_poke(&session->attending);
}

/* The other sleeps until that, time WHEN, or a signal; and through the quiet time. */
static void
rest(const struct session *session, const atomic_bool *flag, int64_t when)
{
    static const atomic_bool never;
    int64_t quiet = session->began + QUIET;
    if (os_clock_now() < quiet)
        os_signals_wait(quiet, &never);
    else
        os_signals_wait(when, flag);
}

/* Returns 0, or -1 with the session's error; then nothing is left open or behind. */
static int
begin_run(struct session *session)
{
    const struct plan *plan = session->plan;
    struct run_task *task = &session->task;
    if (report_begin(&session->report, plan, session->descriptions, session->count,
                     &session->error) < 0)
        return -1;
    for (int i = 0; i < session->count; i++)
        session->run_targets[i].observer = report_observer(&session->report, i);
    task->engine = engine_of(plan->engine);
    task->targets = session->run_targets;
    task->count = session->count;
    task->views = session->views;
    task->views_count = report_views(&session->report, session->views);
    if (plan->sweep.kind != SWEEP_NONE)
        return 0;
    session->run = run_open(task, &session->attending, &session->error);
    return session->run ? 0 : -1;
}

static void
discard(struct session *session, int count)
{
    for (int i = 0; i < count; i++)
        target_discard(&session->targets[i].target, &session->targets[i].plan);
}

/*
 * One target after the other, so that none is busy with another's flush. A name that
 * takes long to find out must not keep others waiting later. Returns 0, or -1 with the
 * session's error, and then nothing is left open or behind.
 */
static int
open_targets(struct session *session)
{
    const struct plan_output *output = &session->plan->output;
    bool named = session->count > 1 || output->prometheus || output->plot;
    for (int i = 0; i < session->count; i++) {
        struct session_target *one = &session->targets[i];
        atomic_store(&session->opening, i);
        atomic_store(&session->since, i ? os_clock_now() : session->began);
        if (target_open(&one->target, &one->plan, &session->notes, &session->error) < 0) {
            discard(session, i);
            return -1;
        }
        if (named)
            target_name(&one->target);
        if (session->count > 1)
            console_notes(&session->notes); /* there is room for those of one */
    }
    return 0;
}

/* All that comes before the first request. */
static void
begin(struct session *session)
{
    session->failed = open_targets(session) < 0;
    reach(session, &session->opened);
    if (!session->failed && begin_run(session) < 0) {
        report_end(&session->report, &session->targets[0].outcome);
        discard(session, session->count);
        session->failed = true;
    }
    console_notes(&session->notes);
    reach(session, &session->begun);
}

/* Until all targets are open; or until one is given up: returns for how long that has
 * gone on. */
static int64_t
attend_opening(struct session *session)
{
    struct watch watch;
    int64_t give_up = INT64_MAX;
    watch_start(&watch, session->plan->hang);
    for (;;) {
        int64_t now = os_clock_now();
        if (atomic_load(&session->opened))
            return 0;
        int64_t since = atomic_load(&session->since);
        int64_t waited = watch_look(&watch, since, now);
        if (waited)
            console_slow(session->plan->targets[atomic_load(&session->opening)], waited);
        if (os_signals_stop() && give_up == INT64_MAX)
            give_up = now + WATCH_GRACE;
        if (now >= give_up)
            return now - since;
        rest(session, &session->opened, earlier(watch_due(&watch, since, now), give_up));
    }
}

/* One target after the other, until a signal comes or the output fails. */
static void
sweep_all(struct session *session)
{
    for (int i = 0; i < session->count; i++) {
        struct session_target *one = &session->targets[i];
        struct run_task task = session->task;
        if (i > 0 && (os_signals_stop() || session->report.error))
            return;
        task.targets = &session->run_targets[i];
        task.count = 1;
        one->swept = true;
        run_execute(&task, &one->error);
    }
}

/* The last words about one target; returns its status. */
static int
explain(struct session *session, struct session_target *one)
{
    if (one->error.status && one->outcome.total.requests == 0) {
        target_discard(&one->target, &one->plan);
        return console_error(&one->error);
    }
    outcome_explain(&one->outcome, &session->notes);
    console_notes(&session->notes);
    return one->error.status ? console_error(&one->error) : outcome_status(&one->outcome);
}

/* Until all requests are done, and what is to be said of them; returns the status. */
static int
attend_run(struct session *session)
{
    struct outcome *first = &session->targets[0].outcome;
    int status = EXIT_DONE;
    if (session->run) {
        run_attend(session->run);
        report_compare(&session->report, session->outcomes);
    } else {
        sweep_all(session);
    }
    report_end(&session->report, first);
    for (int i = 0; i < session->count; i++) {
        struct session_target *one = &session->targets[i];
        one->outcome.output_error = first->output_error;
        one->outcome.output_told = i > 0 || first->output_told;
        if (session->run || one->swept)
            status = outcome_worse(status, explain(session, one));
    }
    return status;
}

static bool
is_waiting(const struct session *session)
{
    bool waiting = false;
    for (int i = 0; i < session->count; i++)
        waiting |= session->targets[i].outcome.waiting != 0;
    return waiting;
}

static void *
attend(void *argument)
{
    struct session *session = argument;
    struct error error;
    char text[UNITS_TEXT];
    os_signals_take(session->signals);
    int64_t waited = attend_opening(session);
    if (waited) {
        error_set(&error, EXIT_PREPARE,
                  session->plan->targets[atomic_load(&session->opening)],
                  "still not ready after %s", units_format(UNITS_TIME, waited, text));
        os_process_end(console_error(&error));
    }
    while (!atomic_load(&session->begun))
        rest(session, &session->begun, INT64_MAX);
    session->status =
        session->failed ? console_error(&session->error) : attend_run(session);
    if (is_waiting(session))
        os_process_end(session->status);
    return NULL;
}

static void
session_free(struct session *session)
{
    size_t count = (size_t)session->count;
    os_memory_release(session->targets, count * sizeof(*session->targets));
    free(session->run_targets);
    free(session->descriptions);
    free(session->outcomes);
    os_memory_release(session, sizeof(*session));
}

/* Returns NULL without memory. */
static struct session *
session_make(const struct plan *plan)
{
    size_t count = (size_t)plan->target_count;
    struct session *session = os_memory_zeroed(sizeof(*session));
    if (!session)
        return NULL;
    session->plan = plan;
    session->targets = os_memory_zeroed(count * sizeof(*session->targets));
    session->run_targets = calloc(count, sizeof(*session->run_targets));
    session->descriptions = calloc(count, sizeof(*session->descriptions));
    session->outcomes = calloc(count, sizeof(*session->outcomes));
    session->count = session->targets ? plan->target_count : 0;
    if (session->targets && session->run_targets && session->descriptions &&
        session->outcomes)
        return session;
    session_free(session);
    return NULL;
}

static void
fill(struct session *session)
{
    for (int i = 0; i < session->count; i++) {
        struct session_target *one = &session->targets[i];
        plan_target(session->plan, i, &one->plan);
        one->target.fd = -1;
        one->outcome.slos = &session->plan->slos;
        one->outcome.target = session->count > 1 ? one->plan.path : NULL;
        session->descriptions[i] = &one->target.description;
        session->outcomes[i] = &one->outcome;
        session->run_targets[i] = (struct run_target){
            .plan = &one->plan, .target = &one->target, .outcome = &one->outcome};
    }
}

int
session_execute(const struct plan *plan)
{
    struct error error;
    struct session *session = session_make(plan);
    if (!session) {
        error_set(&error, EXIT_PREPARE, NULL, "no memory for the run");
        return console_error(&error);
    }
    fill(session);
    session->began = os_clock_now();
    atomic_init(&session->since, session->began);
    session->signals = os_signals_give();
    if (os_thread_start(&session->attending, attend, session) < 0) {
        error_set(&error, EXIT_PREPARE, NULL, "no thread for the target: %s",
                  strerror(errno));
        session_free(session);
        return console_error(&error);
    }
    begin(session);
    if (session->run)
        run_lead(session->run);
    else
        os_thread_poke(&session->attending);
    os_thread_join(&session->attending);
    int status = session->status;
    if (session->run)
        run_close(session->run);
    for (int i = 0; i < session->count; i++)
        target_close(&session->targets[i].target);
    session_free(session);
    return status;
}
