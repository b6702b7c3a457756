/*
 * The session: all targets from their opening to the last word, by two threads. The first
 * of the process opens the targets and then does the work of a worker, so that none has
 * to be woken before the first request. It may get stuck in the kernel at any time, in
 * the opening already. The supervisor has the signals, looks after the other and has the
 * last word.
 */
#include "session/session.h"

#include "base/time.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "report/console.h"
#include "report/report.h"
#include "run/run.h"
#include "run/schedule.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* The leading thread may get stuck with what it writes to, so that stays in memory then.
 */
struct session {
    const struct plan *plan;
    struct os_thread supervisor;
    unsigned signals;
    atomic_int opening; /* the number of the target that is being opened */
    atomic_bool opened; /* all are, or one cannot be */
    atomic_bool begun;  /* and there is a run, or an error */
    struct report report;
    struct run_observer observer;
    struct run_task task;
    struct run *run; /* NULL: it sweeps, or could not begin */
    bool failed;     /* it could not, with an error */
    struct error error;
    int status; /* of the program */
    struct notes notes;
    int count;
    struct job *jobs;
};

/* Sets FLAG, on the leading thread, and wakes the supervisor that waits for it. */
static void
reach(struct session *session, atomic_bool *flag)
{
    atomic_store(flag, true);
    os_thread_wake(&session->supervisor);
}

/* Closes the first COUNT targets, of which nothing is left behind. */
static void
discard(struct session *session, int count)
{
    for (int i = 0; i < count; i++)
        target_discard(&session->jobs[i].target, &session->jobs[i].plan);
}

/* Opens target NUMBER. Returns 0, or -1 with the session's error. */
static int
open_target(struct session *session, int number)
{
    struct job *job = &session->jobs[number];
    const struct target *before = number ? &session->jobs[number - 1].target : NULL;
    if (number > 0 && os_signals_stop())
        return error_set(&session->error, EXIT_PREPARE, job->plan.path,
                         "interrupted before it was opened");
    if (number > 0) { /* what is to be said of it has another time */
        job->opening = os_clock_now();
        atomic_store(&session->opening, number);
        os_thread_wake(&session->supervisor);
    }
    return target_open(&job->target, &job->plan, before, &session->notes,
                       &session->error);
}

/*
 * Opens all targets on the leading thread, one after the other, so that none is busy with
 * another's flush; a name that takes long to find out must not keep others waiting later.
 * Returns 0, or -1 with the session's error, and then nothing is left open or behind.
 */
static int
open_targets(struct session *session)
{
    const struct plan_output *output = &session->plan->output;
    bool named = session->count > 1 || output->prometheus || output->plot;
    for (int i = 0; i < session->count; i++) {
        if (open_target(session, i) < 0) {
            discard(session, i);
            return -1;
        }
        if (named)
            target_name(&session->jobs[i].target);
        if (session->count > 1)
            console_notes(&session->notes); /* there is room for those of one */
    }
    return 0;
}

/* Gives up target NUMBER, which has not been opened for WAITED ns; those before it are
 * as they were, and os_process_end sees to what is made of it later. */
static _Noreturn void
give_up(struct session *session, int number, int64_t waited)
{
    struct error error;
    char text[UNITS_TEXT];
    discard(session, number);
    error_set(&error, EXIT_PREPARE, session->plan->targets[number],
              "still not ready after %s", units_format(UNITS_TIME, waited, text));
    os_process_end(console_error(&error));
}

/* Supervises that; ends the program if a target is not open some time after a signal. */
static void
supervise_opening(struct session *session)
{
    struct stall stall;
    int64_t limit = INT64_MAX;
    stall_start(&stall, session->plan->hang);
    while (!atomic_load(&session->opened)) {
        int number = atomic_load(&session->opening);
        int64_t since = session->jobs[number].opening, now = os_clock_now();
        int64_t waited = stall_check(&stall, since, now);
        if (waited)
            console_slow(session->plan->targets[number], waited);
        if (os_signals_stop() && limit == INT64_MAX)
            limit = now + STALL_GRACE;
        if (now >= limit)
            give_up(session, number, now - since);
        os_signals_wait(time_earlier(stall_due(&stall, since, now), limit),
                        &session->opened);
    }
}

/* Returns 0, or -1 with the session's error; then nothing is left open or behind. */
static int
begin_run(struct session *session)
{
    const struct plan *plan = session->plan;
    if (report_begin(&session->report, plan, session->jobs, session->count,
                     &session->error) < 0)
        return -1;
    session->observer = report_observer(&session->report);
    session->task = (struct run_task){.engine = plan->engine,
                                      .jobs = session->jobs,
                                      .count = session->count,
                                      .observer = &session->observer};
    if (plan->sweep.kind != SWEEP_NONE)
        return 0;
    session->run = run_open(&session->task, &session->supervisor, &session->error);
    return session->run ? 0 : -1;
}

/* Prepares everything up to the first request. The opening of a target may take memory as
 * well, and a long time for a large working file. */
static void
begin(struct session *session)
{
    session->failed =
        run_check_memory(session->jobs, session->count, &session->error) < 0 ||
        open_targets(session) < 0;
    reach(session, &session->opened);
    if (!session->failed && begin_run(session) < 0) {
        report_end(&session->report, &session->jobs[0].outcome);
        discard(session, session->count);
        session->failed = true;
    }
    console_notes(&session->notes);
    reach(session, &session->begun);
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
 * Sweeps one target after the other, until a signal comes or the output fails. What keeps
 * the very first step from its begin will keep the others from it.
 */
static void
sweep_all(struct session *session)
{
    bool sent = false;
    for (int i = 0; i < session->count; i++) {
        struct job *job = &session->jobs[i];
        struct run_task task = session->task;
        if (i > 0 && (os_signals_stop() || session->report.error))
            return;
        task.jobs = job;
        task.count = 1;
        job->begun = true;
        if (run_execute(&task, &job->error) < 0)
            name_error(session, job->plan.path, &job->error);
        if (job->error.status && sent)
            job->error.status = EXIT_RUNTIME;
        sent |= job->outcome.total.requests > 0;
        if (job->error.status && !sent)
            return;
    }
}

/* Says the last words about one target. Returns its status. */
static int
explain(struct session *session, struct job *job)
{
    if (job->error.status && job->outcome.total.requests == 0) {
        target_discard(&job->target, &job->plan);
        return console_error(&job->error);
    }
    outcome_explain(&job->outcome, &session->notes);
    console_notes(&session->notes);
    return job->error.status ? console_error(&job->error) : outcome_status(&job->outcome);
}

/* Supervises the requests until all are done, and says what is to be said of them.
 * Returns the status. */
static int
supervise_run(struct session *session)
{
    struct outcome *first = &session->jobs[0].outcome;
    int status = EXIT_DONE;
    if (session->run) {
        run_supervise(session->run);
        report_compare(&session->report);
    } else {
        sweep_all(session);
    }
    report_end(&session->report, first);
    for (int i = 0; i < session->count; i++) {
        struct job *job = &session->jobs[i];
        job->outcome.output_error = first->output_error;
        job->outcome.output_told = i > 0 || first->output_told;
        job->outcome.brief = first->brief;
        if (session->run || job->begun)
            status = outcome_worse(status, explain(session, job));
    }
    return status;
}

static bool
is_waiting(const struct session *session)
{
    bool waiting = false;
    for (int i = 0; i < session->count; i++)
        waiting |= session->jobs[i].outcome.waiting != 0;
    return waiting;
}

static void *
supervise(void *argument)
{
    struct session *session = argument;
    os_signals_unblock(session->signals);
    supervise_opening(session);
    while (!atomic_load(&session->begun))
        os_signals_wait(INT64_MAX, &session->begun);
    session->status =
        session->failed ? console_error(&session->error) : supervise_run(session);
    if (is_waiting(session))
        os_process_end(session->status);
    return NULL;
}

static void
session_free(struct session *session)
{
    for (int i = 0; session->jobs && i < session->count; i++)
        job_free(&session->jobs[i]);
    if (session->jobs)
        os_memory_release(session->jobs, (size_t)session->count * sizeof(struct job));
    os_memory_release(session, sizeof(*session));
}

/* Returns NULL without memory. */
static struct session *
session_make(const struct plan *plan)
{
    struct session *session = os_memory_zeroed(sizeof(*session));
    int status = 0;
    if (!session)
        return NULL;
    session->plan = plan;
    session->count = plan->target_count;
    session->jobs = os_memory_zeroed((size_t)session->count * sizeof(struct job));
    for (int i = 0; session->jobs && i < session->count; i++)
        status |= job_init(&session->jobs[i], plan, i);
    if (session->jobs && status == 0)
        return session;
    session_free(session);
    return NULL;
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
    session->jobs[0].opening = os_clock_now();
    session->signals = os_signals_block();
    if (os_thread_start(&session->supervisor, supervise, session) < 0) {
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
        target_close(&session->jobs[i].target);
    session_free(session);
    return status;
}
