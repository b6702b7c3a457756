/*
 * The session: all targets from their opening to their closing. The first thread of the
 * process opens the targets, does the work of a worker, so that none has to be woken
 * before the first request, and closes them after the final line. It may get stuck in the
 * kernel at any time. The supervisor has the signals, looks after the others and prints
 * the final line.
 */
#include "session/session.h"

#include "base/deadlines.h"
#include "base/units.h"
#include "cli/options.h"
#include "os/os.h"
#include "os/process.h"
#include "report/console.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/run.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* What a thread may wait for without end while there are no requests. The file of
 * -output and each target are opened, the exported files are written, and each target is
 * closed. */
struct stage {
    const char *name;                /* the path of what is waited for */
    _Atomic int64_t since;           /* when that began, monotonic */
    const _Atomic int64_t *advanced; /* when it last did; NULL: it cannot */
    const char *end;                 /* what a message says of a closing; else empty */
};

enum stage_kind { STAGE_OPENING, STAGE_FILES, STAGE_CLOSING };

/* A thread may get stuck with what it writes to, so that stays in memory then. */
struct session {
    const struct plan *plan;
    const struct output_kind *output; /* what it prints */
    struct os_thread supervisor;
    unsigned signals;
    struct stage stages[2 * (TARGETS_MOST + 1) + 1]; /* openings, files, closings */
    atomic_int stage;                                /* the index of the present one */
    int64_t limit;        /* when a stage is given up after a signal, monotonic */
    char files[512];      /* the names of that of -output and of exported ones */
    atomic_int made;      /* targets that are open, until they are used or discarded */
    atomic_bool begun;    /* there is a run, or an error */
    struct os_lock *lock; /* of `finished` */
    bool finished;        /* the final line is printed */
    bool own;             /* the first thread has descriptors of its own */
    atomic_bool left;     /* it holds no target any more */
    atomic_bool closed;   /* nobody does */
    atomic_bool removed;  /* those that were made are, because another was given up */
    struct reports reports;
    struct run_observer observer;
    struct run_task task;
    struct run *run; /* NULL: it has steps or phases, or could not begin */
    bool failed;     /* it could not, with an error */
    bool stuck;      /* a thread, or a request, is in the kernel and was abandoned */
    struct error error;
    int status; /* of the program */
    struct notes notes;
    int count;         /* targets */
    int all;           /* and the load of -load, which is the last of the jobs */
    struct job jobs[]; /* of all of them */
};

/* Sets FLAG and wakes the supervisor that waits for it. */
static void
reach(struct session *session, atomic_bool *flag)
{
    atomic_store(flag, true);
    os_thread_wake(&session->supervisor);
}

/* Begins a stage, on the thread that may have to wait: the opening or closing of the job
 * with INDEX, or that of all files but targets, INDEX 0. The supervisor is not woken: a
 * stage is due later than the one before it. */
static void
enter(struct session *session, enum stage_kind kind, int index)
{
    if (kind != STAGE_OPENING)
        index += session->all + (kind == STAGE_CLOSING);
    atomic_store(&session->stages[index].since, os_clock_now());
    atomic_store(&session->stage, index);
}

/* Closes the first COUNT targets, of which nothing is left behind if they are UNUSED. */
static void
close_targets(struct session *session, int count, bool unused)
{
    for (int i = 0; i < count; i++) {
        struct job *job = &session->jobs[i];
        struct notes notes = {0};
        enter(session, STAGE_CLOSING, i);
        if (unused || job_has_not_begun(job))
            target_discard(&job->target, &job->plan);
        target_close(&job->target, &notes);
        console_notes(&notes);
    }
}

/*
 * Opens the file of -output and all targets on the first thread, one after the other,
 * so that none is busy with another's flush; a name that takes long to find out must not
 * keep others waiting later. Returns 0, or -1 with the session's error.
 */
static int
open_targets(struct session *session)
{
    const struct plan_output *output = &session->plan->output;
    bool named = session->count > 1 || output->needs_names;
    if (output->list[0].path)
        enter(session, STAGE_FILES, 0);
    if (report_open(&session->reports, session->plan, &session->error) < 0)
        return -1;
    for (int i = 0; i < session->all; i++) {
        struct job *job = &session->jobs[i];
        const struct target *before = i > 0 ? &session->jobs[i - 1].target : NULL;
        bool background = job->plan.mode == MODE_BACKGROUND;
        bool same = background && job->plan.path == session->plan->path;
        struct notes notes = {0};
        if (i > 0 && os_signals_stop())
            return error_set(&session->error, EXIT_PREPARE, job->plan.path,
                             "interrupted before it was opened");
        enter(session, STAGE_OPENING, i);
        plan_note(&job->plan, &session->notes);
        int status = report_check_working_file(&session->reports, session->plan,
                                               &job->plan, &session->error);
        if (status == 0)
            status =
                target_open(&job->target, &job->plan, before, &notes, &session->error);
        notes_merge(&session->notes, same ? "load" : NULL, &notes);
        if (status < 0 && background)
            error_prefix(&session->error, job_name(job));
        if (status < 0)
            return -1;
        atomic_store(&session->made, i + 1);
        if (named)
            target_name(&job->target);
        if (session->count > 1)
            console_notes(&session->notes); /* there is room for those of one */
    }
    return 0;
}

/* Removes what the opening of targets has left behind; they stay open, since a thread
 * that was abandoned may use them yet. */
static void *
remove_made(void *argument)
{
    struct session *session = argument;
    int count = atomic_load(&session->made);
    for (int i = 0; i < count; i++)
        target_discard(&session->jobs[i].target, &session->jobs[i].plan);
    reach(session, &session->removed);
    return NULL;
}

/* Fills ERROR, with status 2: a stage is HOW not ready, WAITED ns after its begin. */
static void
explain(const struct stage *stage, const char *how, int64_t waited, struct error *error)
{
    char text[UNITS_TEXT];
    error_set(error, EXIT_PREPARE, stage->name, "%snot ready after %s%s", how,
              units_format(UNITS_TIME, waited, text), stage->end);
}

/* Gives up what a thread has been waiting for for WAITED ns. os_process_end sees to what
 * is made of a target that is being opened, later. */
static _Noreturn void
give_up(struct session *session, const struct stage *stage, int64_t waited)
{
    struct os_thread remover;
    int64_t until = os_clock_now() + DEADLINE_CLOSING;
    bool removes = session->plan->workload.keep && atomic_load(&session->made) &&
                   os_thread_start(&remover, remove_made, session) == 0;
    while (removes && !atomic_load(&session->removed) && os_clock_now() < until)
        os_signals_wait(until, &session->removed);
    if (atomic_load(&session->removed))
        os_thread_join(&remover);
    struct error error;
    explain(stage, "still ", waited, &error);
    error.broken = stage->advanced && !os_signals_stop(); /* the target does not answer */
    if (!stage->end[0])
        os_process_end(session->output->refuse(&error));
    int status = console_error(&error);
    bool done = os_signals_stop() || session->output->answer;
    os_process_end(done ? session->status : outcome_worse(session->status, status));
}

/*
 * Supervises the stages until DONE; says on stderr what takes long. Ends the program when
 * one is to be given up: it has not advanced for longer than the plan has patience, or it
 * is some time after a signal. A stop of the process is nobody's time.
 */
static void
supervise_stages(struct session *session, const atomic_bool *done)
{
    struct stall stall;
    stall_start(&stall, session->plan->ends.hang);
    while (!atomic_load(done)) {
        const struct stage *stage = &session->stages[atomic_load(&session->stage)];
        int64_t now = os_clock_now();
        int64_t since = time_later(atomic_load(&stage->since), os_signals_resumed());
        int64_t advanced =
            stage->advanced ? time_later(since, atomic_load(stage->advanced)) : since;
        if (os_signals_stop() && session->limit == INT64_MAX)
            session->limit = now + DEADLINE_GRACE;
        int64_t end = time_earlier(session->limit,
                                   time_add(advanced, session->plan->ends.open_timeout));
        if (now >= end)
            give_up(session, stage, now - since);
        int64_t stalled = stall_check(&stall, since, now);
        struct error error;
        if (stalled) {
            explain(stage, "", stalled, &error);
            console_error(&error);
        }
        os_signals_wait(time_earlier(stall_due(&stall, since, now), end), done);
    }
}

/* Begins the stage of all files but targets, if there are any. */
static void
enter_files(struct session *session)
{
    if (session->files[0])
        enter(session, STAGE_FILES, 0);
}

/* Opens the run, which takes part in the opening of the last target; or the first step or
 * phase, which belongs to the first target. Returns 0, or -1 with the session's error. */
static int
open_run(struct session *session)
{
    const struct plan *plan = session->plan;
    bool has_parts = plan->mode & (MODE_SWEEP | MODE_PHASES);
    enter(session, STAGE_OPENING, has_parts ? 0 : session->all - 1);
    session->observer = report_observer(&session->reports);
    session->task = (struct run_task){
        .jobs = session->jobs,
        .count = session->count,
        .background = plan->mode == MODE_PHASES ? session->jobs + 1 : NULL,
        .observer = &session->observer};
    if (plan->statistics.breakdown &&
        run_attribute(&session->task, &session->notes, &session->error) < 0)
        return -1;
    if (has_parts)
        return run_open_first(&session->task, &session->supervisor, &session->error);
    session->run = run_open(&session->task, &session->supervisor, &session->error);
    return session->run ? 0 : -1;
}

/*
 * Prepares the reports and the run, or the first one of a sweep or of phases. Earlier
 * files are lost only when nothing can refuse it any more: then its threads wait for
 * their first requests. Returns 0, or -1 with the session's error.
 */
static int
begin_run(struct session *session)
{
    const struct plan *plan = session->plan;
    struct reports *reports = &session->reports;
    enter_files(session);
    if (report_check_files(reports, plan, session->jobs, &session->error) < 0 ||
        report_begin(reports, plan, session->jobs, session->count, &session->error) < 0)
        return -1;
    if (open_run(session) < 0)
        return -1;
    enter_files(session);
    int status = report_claim(reports, plan, &session->error);
    if (status == 0 && session->run) {
        run_begin(session->run);
    } else if (session->run) {
        run_cancel(session->run);
        session->run = NULL;
    }
    if (status < 0)
        run_cancel_first(&session->jobs[0]);
    return status;
}

/* Prepares everything up to the first request. The opening of a target may take memory as
 * well, and a long time for a large working file. */
static void
begin(struct session *session)
{
    if (session->plan->pace.keep_awake && os_processors_awake() < 0)
        notes_add(&session->notes, "-awake",
                  "has no effect: cannot keep processors awake: %s%s", strerror(errno),
                  errno == EACCES || errno == EPERM ? "; run ioping as root" : "");
    bool opened = run_check_memory(session->jobs, session->all, &session->error) == 0 &&
                  open_targets(session) == 0;
    session->failed = !opened || begin_run(session) < 0;
    if (!session->failed)
        atomic_store(&session->made, 0);
    else
        report_discard(&session->reports, session->plan);
    if (session->failed && opened)
        report_end(&session->reports, &session->jobs[0].outcome);
    console_notes(&session->notes);
    reach(session, &session->begun);
    if (session->failed)
        close_targets(session, atomic_exchange(&session->made, 0), true);
}

/*
 * Sweeps one target after the other, until a signal comes, the output fails, or a request
 * is stuck. What keeps the very first step from its begin will keep the others from it.
 */
static void
sweep_all(struct session *session)
{
    bool sent = false, late = false;
    for (int i = 0; i < session->count; i++) {
        struct job *job = &session->jobs[i];
        struct run_task task = session->task;
        if (i > 0 && (os_signals_stop() || session->reports.has_failed ||
                      (late && !job->plan.ends.ignore_error)))
            return;
        task.jobs = job;
        task.count = 1;
        job->was_tried = true;
        run_execute(&task, &job->error);
        if (job->error.status && sent)
            job->error.status = EXIT_RUNTIME;
        sent |= job->outcome.total.requests > 0;
        late = job->outcome.is_stuck || job->outcome.failed_sample.timed_out;
        if (job->error.status && !sent)
            return;
    }
}

/* With a timeout the end of the work time is that of the output too. */
static void
limit_output(const struct plan *plan)
{
    int64_t end = time_add(os_clock_now(), plan->ends.work_time);
    if (plan->ends.timeout < INT64_MAX && !(plan->mode & (MODE_SWEEP | MODE_PHASES)))
        os_monitor_limit(time_add(end, plan->ends.timeout));
}

/* Supervises the requests until all are done. Returns the status. */
static int
supervise_run(struct session *session)
{
    struct outcome *first = &session->jobs[0].outcome;
    int status = EXIT_DONE;
    limit_output(session->plan);
    if (session->run) {
        run_supervise(session->run);
        report_compare(&session->reports);
    } else {
        sweep_all(session);
    }
    report_end(&session->reports, first);
    const struct output_kind *output = session->output;
    int answer = output->answer ? output->answer(session->jobs, session->count) : 0;
    for (int i = 0; i < session->all; i++) {
        struct job *job = &session->jobs[i];
        session->stuck |= job->outcome.is_stuck;
        if (!session->run && !job->was_tried)
            continue;
        int failed =
            job_has_not_begun(job) ? console_error(&job->error) : job->error.status;
        status = outcome_worse(status, failed ? failed : outcome_status(&job->outcome));
    }
    return output->answer ? answer : status;
}

/* Closes the run and all targets. */
static void *
close_all(void *argument)
{
    struct session *session = argument;
    if (session->run)
        run_close(session->run);
    close_targets(session, session->all, false);
    reach(session, &session->closed);
    return NULL;
}

/* Has the first thread close all after the final line: the last to close a file may have
 * to wait for its file system. Its own descriptors are not those of the others. */
static void
close_first(struct session *session)
{
    os_lock_acquire(session->lock);
    while (!session->finished)
        os_lock_wait(session->lock);
    os_lock_release(session->lock);
    if (!session->own)
        close_all(session);
    for (int i = 0; session->own && i < session->all; i++) {
        enter(session, STAGE_CLOSING, i);
        os_file_close(session->jobs[i].target.fd);
    }
}

/* Another thread is needed for the closing if the first has descriptors of its own. */
static void *
supervise(void *argument)
{
    struct session *session = argument;
    struct os_thread closer;
    os_signals_unblock(session->signals);
    supervise_stages(session, &session->begun);
    session->status = session->failed ? session->output->refuse(&session->error)
                                      : supervise_run(session);
    if (session->stuck)
        os_process_end(session->status);
    if (!session->failed)
        enter(session, STAGE_CLOSING, 0);
    if (!session->failed && os_signals_stop()) /* requests may have used up its time */
        session->limit = time_later(os_signals_asked() + DEADLINE_GRACE,
                                    os_clock_now() + DEADLINE_CLOSING);
    os_lock_acquire(session->lock);
    session->finished = true;
    os_lock_notify(session->lock);
    os_lock_release(session->lock);
    supervise_stages(session, &session->left);
    if (!session->own)
        return NULL;
    if (os_thread_start(&closer, close_all, session) < 0)
        return close_all(session);
    supervise_stages(session, &session->closed);
    os_thread_join(&closer);
    return NULL;
}

static void
session_free(struct session *session)
{
    attribution_close(session->task.attribution);
    os_lock_free(session->lock);
    for (int i = 0; i < session->all; i++)
        job_free(&session->jobs[i]);
    free(session);
}

/* Returns NULL without memory. */
static struct session *
session_make(const struct plan *plan)
{
    int all = plan->target_count + (plan->mode == MODE_PHASES), status = 0;
    struct session *session =
        calloc(1, sizeof(*session) + (size_t)all * sizeof(struct job));
    if (!session)
        return NULL;
    session->plan = plan;
    session->output = plan->output.list[0].kind;
    session->count = plan->target_count;
    session->all = all;
    session->lock = os_lock_make();
    session->limit = INT64_MAX;
    report_files(plan, session->files, sizeof(session->files));
    session->stages[all] = (struct stage){.name = session->files, .end = ""};
    for (int i = 0; i < all; i++) {
        struct job *job = &session->jobs[i];
        status |= job_init(job, plan, i);
        session->stages[i] = (struct stage){
            .name = job->plan.path, .advanced = &job->target.advanced_at, .end = ""};
        session->stages[all + 1 + i] =
            (struct stage){.name = job->plan.path, .end = ", while closing it"};
    }
    enter(session, STAGE_OPENING, 0);
    if (session->lock && status == 0)
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
        error_set(&error, EXIT_PREPARE, NULL, "not enough memory for the run");
        return plan->output.list[0].kind->refuse(&error);
    }
    limit_output(plan);
    session->signals = os_signals_block();
    if (os_thread_start(&session->supervisor, supervise, session) < 0) {
        error_set(&error, EXIT_PREPARE, NULL, "cannot start a thread for the target: %s",
                  strerror(errno));
        session_free(session);
        return plan->output.list[0].kind->refuse(&error);
    }
    begin(session);
    session->own = session->run && run_first_worker(session->run);
    if (!session->failed)
        close_first(session);
    reach(session, &session->left);
    os_thread_join(&session->supervisor);
    int status = session->status;
    session_free(session);
    return status;
}
