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
#include <string.h>

/* For so long (ns) from the beginning it does without being woken. */
#define QUIET 1000000LL

/* What the leading thread writes to stays in memory if that is left to itself. */
struct session {
    const struct plan *plan;
    struct os_thread attending;
    unsigned signals;
    int64_t began;
    atomic_bool opened; /* the target is, or cannot be */
    atomic_bool begun;  /* and there is a run, or an error */
    struct target target;
    struct report report;
    struct run_observer observer;
    struct run *run; /* NULL: it sweeps, or could not begin */
    bool failed;     /* it could not, with an error */
    struct error error;
    int status; /* of the program */
    struct notes notes;
    struct outcome outcome;
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
    struct error *error = &session->error;
    if (plan->output.prometheus)
        target_name(&session->target); /* it is in the file before any request */
    if (report_begin(&session->report, plan, &session->target.description, error) < 0)
        return -1;
    session->observer = report_observer(&session->report);
    if (plan->sweep.kind != SWEEP_NONE)
        return 0;
    session->run = run_open(plan, engine_of(plan->engine), &session->target,
                            &session->observer, &session->attending, error);
    return session->run ? 0 : -1;
}

/* All that comes before the first request. */
static void
begin(struct session *session)
{
    session->failed = target_open(&session->target, session->plan, &session->notes,
                                  &session->error) < 0;
    reach(session, &session->opened);
    if (!session->failed && begin_run(session) < 0) {
        report_end(&session->report, &session->outcome);
        target_discard(&session->target, session->plan);
        session->failed = true;
    }
    console_notes(&session->notes);
    reach(session, &session->begun);
}

/* Until the target is open; or until that is given up: returns for how long it has
 * gone on. */
static int64_t
attend_opening(struct session *session)
{
    struct watch watch;
    int64_t began = session->began, give_up = INT64_MAX;
    watch_start(&watch, session->plan->hang);
    for (;;) {
        int64_t now = os_clock_now();
        if (atomic_load(&session->opened))
            return 0;
        int64_t waited = watch_look(&watch, began, now);
        if (waited)
            console_slow(session->plan, waited);
        if (os_signals_stop() && give_up == INT64_MAX)
            give_up = now + WATCH_GRACE;
        if (now >= give_up)
            return now - began;
        rest(session, &session->opened, earlier(watch_due(&watch, began, now), give_up));
    }
}

/* Until all requests are done, and what is to be said of them; returns the status. */
static int
attend_run(struct session *session)
{
    const struct plan *plan = session->plan;
    struct outcome *outcome = &session->outcome;
    int status = 0;
    if (session->run)
        run_attend(session->run, outcome);
    else
        status = run_execute(plan, engine_of(plan->engine), &session->target,
                             &session->observer, outcome, &session->error);
    report_end(&session->report, outcome);
    if (status < 0 && outcome->total.requests == 0) {
        target_discard(&session->target, plan);
        return console_error(&session->error);
    }
    outcome_explain(outcome, &session->notes);
    console_notes(&session->notes);
    return status < 0 ? console_error(&session->error) : outcome_status(outcome);
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
        error_set(&error, EXIT_PREPARE, session->plan->path, "still not ready after %s",
                  units_format(UNITS_TIME, waited, text));
        os_process_end(console_error(&error));
    }
    while (!atomic_load(&session->begun))
        rest(session, &session->begun, INT64_MAX);
    session->status =
        session->failed ? console_error(&session->error) : attend_run(session);
    if (session->outcome.waiting)
        os_process_end(session->status);
    return NULL;
}

int
session_execute(const struct plan *plan)
{
    struct error error;
    struct session *session = os_memory_zeroed(sizeof(*session));
    if (!session) {
        error_set(&error, EXIT_PREPARE, NULL, "no memory for the run");
        return console_error(&error);
    }
    session->plan = plan;
    session->target.fd = -1;
    session->outcome.slos = &plan->slos;
    session->began = os_clock_now();
    session->signals = os_signals_give();
    if (os_thread_start(&session->attending, attend, session) < 0) {
        error_set(&error, EXIT_PREPARE, NULL, "no thread for the target: %s",
                  strerror(errno));
        os_memory_release(session, sizeof(*session));
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
    target_close(&session->target);
    os_memory_release(session, sizeof(*session));
    return status;
}
