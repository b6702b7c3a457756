/*
 * Two threads. The one that leads is the first of the process: it opens the target
 * and then does the work of a worker, so that none has to be woken before the first
 * request. It may get stuck in the kernel at any time, with a file system that
 * hangs in the opening already. The other has the signals, attends to it and has
 * the last word.
 */
#include "session/session.h"

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

#define MS 1000000LL
#define PAUSE_LEAST (1 * MS) /* between two looks whether all is open */
#define PAUSE_MOST (16 * MS)

/* What the leading thread writes to stays in memory if that is left to itself. */
struct session {
    const struct plan *plan;
    struct os_thread attending;
    atomic_bool opened; /* all that comes before the first request is done */
    struct target target;
    struct report report;
    struct run_observer observer;
    struct run *run; /* NULL: it sweeps, or could not begin */
    int status;      /* of the opening, 0 or -1 with error; then that of the program */
    struct error error;
    struct notes notes;
    struct outcome outcome;
};

/* Returns 0, or -1 with the session's error; then nothing is left open or behind. */
static int
begin(struct session *session)
{
    const struct plan *plan = session->plan;
    struct target *target = &session->target;
    struct error *error = &session->error;
    if (target_open(target, plan, &session->notes, error) < 0)
        return -1;
    if (plan->output.prometheus)
        target_name(target); /* it is in the file before any request */
    int status = report_begin(&session->report, plan, &target->description, error);
    session->observer = report_observer(&session->report);
    if (status == 0 && plan->sweep.kind == SWEEP_NONE) {
        session->run = run_open(plan, engine_of(plan->engine), target, &session->observer,
                                &session->attending, error);
        status = session->run ? 0 : -1;
    }
    if (status == 0)
        return 0;
    report_end(&session->report, &session->outcome);
    target_discard(target, plan);
    return -1;
}

/*
 * Until all is open; or until that is given up: returns for how long it has gone on.
 * It looks for itself: to be woken would take the time of the other thread.
 */
static int64_t
attend_opening(struct session *session)
{
    struct watch watch;
    int64_t began = os_clock_now(), give_up = INT64_MAX, pause = PAUSE_LEAST;
    watch_start(&watch, session->plan->hang);
    while (!atomic_load(&session->opened)) {
        int64_t now = os_clock_now();
        int64_t waited = watch_look(&watch, began, now);
        if (waited)
            console_slow(session->plan, waited);
        if (os_signals_stop() && give_up == INT64_MAX)
            give_up = now + WATCH_GRACE;
        if (now >= give_up)
            return now - began;
        int64_t next = watch_due(&watch, began, now);
        os_signals_wait(next < now + pause ? next : now + pause, &session->opened);
        pause = pause < PAUSE_MOST ? pause * 2 : PAUSE_MOST;
    }
    return 0;
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
    char text[UNITS_TEXT];
    os_signals_take();
    int64_t waited = attend_opening(session);
    if (waited) {
        struct error error;
        error_set(&error, EXIT_PREPARE, session->plan->path, "still not ready after %s",
                  units_format(UNITS_TIME, waited, text));
        os_process_end(console_error(&error));
    }
    session->status =
        session->status < 0 ? console_error(&session->error) : attend_run(session);
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
    os_signals_give();
    if (os_thread_start(&session->attending, attend, session) < 0) {
        error_set(&error, EXIT_PREPARE, NULL, "no thread for the target: %s",
                  strerror(errno));
        os_memory_release(session, sizeof(*session));
        return console_error(&error);
    }
    session->status = begin(session);
    console_notes(&session->notes);
    atomic_store(&session->opened, true);
    if (session->run)
        run_lead(session->run);
    os_thread_join(&session->attending);
    int status = session->status;
    if (session->run)
        run_close(session->run);
    target_close(&session->target);
    os_memory_release(session, sizeof(*session));
    return status;
}
