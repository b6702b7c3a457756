/*
 * Two threads. The one that leads is the first of the process: it opens the target
 * and then does the work of a worker, so that none has to be woken before the first
 * request. It may get stuck in the kernel at any time, with a file system that
 * hangs in the opening already. The other has the signals, attends to it and has
 * the last word; at the beginning it sleeps, not to share the machine with the
 * first request.
 */
#include "session/session.h"

#include "state.h"

#include "os/os.h"
#include "os/process.h"
#include "report/console.h"
#include "run/memory.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    task->tickers = session->tickers;
    task->ticker_count = report_tickers(&session->report, session->tickers);
    if (plan->sweep.kind != SWEEP_NONE)
        return 0;
    session->run = run_open(task, &session->supervisor, &session->error);
    return session->run ? 0 : -1;
}

/* All that comes before the first request. To open a target may take memory as well, and
 * a long time for a large working file. */
static void
begin(struct session *session)
{
    session->failed =
        memory_check(session->run_targets, session->count, &session->error) < 0 ||
        session_open(session) < 0;
    session_reach(session, &session->opened);
    if (!session->failed && begin_run(session) < 0) {
        report_end(&session->report, &session->targets[0].outcome);
        session_discard(session, session->count);
        session->failed = true;
    }
    console_notes(&session->notes);
    session_reach(session, &session->begun);
}

/* Names the target of an error, where there are others. */
static void
name_error(const struct session *session, const char *path, struct error *error)
{
    struct error bare = *error;
    char what[512];
    if (session->count == 1)
        return;
    snprintf(what, sizeof(what), "%.240s%s%.240s", path, bare.what[0] ? ": " : "",
             bare.what);
    error_set(error, bare.status, what, "%s", bare.why);
    if (bare.advice[0])
        error_advise(error, bare.advice);
}

/*
 * One target after the other, until a signal comes or the output fails. What keeps the
 * very first step from its begin will keep the others from it.
 */
static void
sweep_all(struct session *session)
{
    bool sent = false;
    for (int i = 0; i < session->count; i++) {
        struct session_target *one = &session->targets[i];
        struct run_task task = session->task;
        if (i > 0 && (os_signals_stop() || session->report.error))
            return;
        task.targets = &session->run_targets[i];
        task.count = 1;
        one->swept = true;
        if (run_execute(&task, &one->error) < 0)
            name_error(session, one->plan.path, &one->error);
        if (one->error.status && sent)
            one->error.status = EXIT_RUNTIME;
        sent |= one->outcome.total.requests > 0;
        if (one->error.status && !sent)
            return;
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
supervise_run(struct session *session)
{
    struct outcome *first = &session->targets[0].outcome;
    int status = EXIT_DONE;
    if (session->run) {
        run_supervise(session->run);
        report_compare(&session->report, session->outcomes);
    } else {
        sweep_all(session);
    }
    report_end(&session->report, first);
    for (int i = 0; i < session->count; i++) {
        struct session_target *one = &session->targets[i];
        one->outcome.output_error = first->output_error;
        one->outcome.output_told = i > 0 || first->output_told;
        one->outcome.brief = first->brief;
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
    os_signals_unblock(session->signals);
    session_supervise_opening(session);
    while (!atomic_load(&session->begun))
        session_rest(session, &session->begun, INT64_MAX);
    session->status =
        session->failed ? console_error(&session->error) : supervise_run(session);
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
        one->outcome.shape = one->target.shape;
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
    session->targets[0].since = session->began;
    session->signals = os_signals_block();
    if (os_thread_start(&session->supervisor, attend, session) < 0) {
        error_set(&error, EXIT_PREPARE, NULL, "no thread for the target: %s",
                  strerror(errno));
        session_free(session);
        return console_error(&error);
    }
    begin(session);
    if (session->run)
        run_first_worker(session->run);
    else
        os_thread_wake(&session->supervisor);
    os_thread_join(&session->supervisor);
    int status = session->status;
    if (session->run)
        run_close(session->run);
    for (int i = 0; i < session->count; i++)
        target_close(&session->targets[i].target);
    session_free(session);
    return status;
}
