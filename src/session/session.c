/*
 * The session opens all targets, runs the requests, and closes the targets. Three threads
 * share the work. The leader and the closer may get stuck in the kernel at any time, in a
 * call to a target or file. So the supervisor, which must react to signals, leaves such
 * calls to them as far as possible.
 *
 * The leader is the first thread of the process. It opens everything. It then does the
 * work of the first worker itself, so that no thread has to be woken before the first
 * request, and closes the targets after the final line. The supervisor receives the
 * signals, watches the other threads, and prints the final line. The closer exists only
 * if the leader has a descriptor table of its own at the end (os_thread_unshare): then a
 * descriptor that the leader closes stays open in the other threads.
 *
 * The picture shows which thread changes the state of the session, and when. Each state
 * is ended by one thread only, so no two threads change the state at the same time.
 *
 *   leader                          supervisor                      closer
 *   ------                          ----------                      ------
 *   opens output, targets, run      waits, watches the stages
 *   |- error: OPENING -> REFUSED
 *   |    removes new files,         prints the error,
 *   |    closes the targets         waits, watches the stages
 *   |    REFUSED -> CLOSED
 *   `- ok: OPENING -> RUNNING
 *        first worker's loop,       supervises the requests,
 *        then waits                 prints the final line
 *                                   RUNNING -> FINISHED
 *        closes what it has         waits, watches the stages
 *        |- table is shared:
 *        |    FINISHED -> CLOSED
 *        `- table of its own:
 *             FINISHED -> UNSHARED
 *                                   starts the closer               closes the rest
 *                                   waits, watches the stages       UNSHARED -> CLOSED
 *
 * While the supervisor watches the stages (stages.c), it reports a stage that takes long,
 * and ends the program if a stage takes too long. If a request or a worker's thread is
 * stuck in the kernel at the end, the supervisor ends the process instead of going on to
 * FINISHED. If the closer cannot be started, the supervisor closes the targets itself. In
 * a sweep, with -load and with -diagnose, the supervisor executes the runs one after the
 * other, and the leader only waits for FINISHED.
 */
#include "session/session.h"
#include "session_private.h"

#include "base/deadlines.h"
#include "cli/options.h"
#include "os/os.h"
#include "os/process.h"
#include "report/console.h"
#include "report/outputs.h"
#include "report/report.h"
#include "run/run.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Closes the first COUNT targets. If UNUSED is true, or if the run of a target failed
 * before its first request, also undoes what the opening did to the file of -keep.
 */
static void
close_targets(struct session *session, int count, bool unused)
{
    for (int i = 0; i < count; i++) {
        struct job *job = &session->jobs[i];
        struct notes notes = {0};
        if (job->borrows_target)
            continue;
        stage_enter(session, STAGE_CLOSING, job);

        if (unused || job_has_not_begun(job))
            target_discard(&job->target, &job->plan);
        target_close(&job->target, &notes);

        console_notes(&notes);
    }
}

/* Keeps the newest of the session's notes, which the live screen shows. Does nothing if
 * there are no notes. */
static void
keep_newest_note(struct session *session)
{
    const struct notes *notes = &session->notes;

    if (notes->count > 0)
        snprintf(session->newest_note, sizeof(session->newest_note), "%s",
                 notes->lines[notes->count - 1]);
}

/*
 * Opens the file of -output and then all targets, on the leader. The targets are opened
 * one after the other, because the opening of one may flush the device of another. If
 * there are several targets, or if an output needs the names of their file systems and
 * devices, the names are looked up here, so that a slow lookup does not delay requests to
 * other targets. Returns 0, or -1 with the session's error.
 */
static int
open_targets(struct session *session)
{
    const struct plan_output *output = &session->plan->output;
    bool is_diagnosis = session->plan->mode == MODE_DIAGNOSE;
    bool needs_names = session->target_count > 1 || output->needs_names;

    if (output->list[0].path)
        stage_enter(session, STAGE_FILES, NULL);
    if (output_file_open(&session->reports.file, session->plan, &session->error) < 0)
        return -1;

    for (int i = 0; i < session->job_count; i++) {
        struct job *job = &session->jobs[i];
        const struct target *before = i > 0 ? &session->jobs[i - 1].target : NULL;
        bool is_load = job->plan.mode == MODE_BACKGROUND;
        bool shares_path = is_load && job->plan.path == session->plan->path;
        struct notes notes = {0};

        if (i > 0 && os_signals_stop_signal())
            return error_set(&session->error, EXIT_PREPARE, job->plan.path,
                             "interrupted before it was opened");

        if (is_diagnosis && i > 0 && session_borrow_target(session, i))
            continue;

        stage_enter(session, STAGE_OPENING, job);
        plan_note(&job->plan, &session->notes);
        int status = output_file_check_working_file(&session->reports.file, session->plan,
                                                    &job->plan, &session->error);
        if (status == 0)
            status =
                target_open(&job->target, &job->plan, before, &notes, &session->error);

        /* A note begins with a path. If the target and the load have the same path,
         * "load: " in front of the path tells that the note is about the load. */
        notes_merge(&session->notes, shares_path ? "load" : NULL, &notes);
        if (status < 0 && is_load)
            error_prefix(&session->error, job_name(job));
        if (status < 0)
            return -1;

        atomic_store(&session->unused_targets, i + 1);
        if (needs_names)
            target_name(&job->target);
        if (is_diagnosis && i == 0)
            session_find_disk(session);
        /* Printed now, because the notes on all targets would need too much room. */
        if (session->target_count > 1 && !is_diagnosis) {
            keep_newest_note(session);
            console_notes(&session->notes);
        }
    }
    return 0;
}

/*
 * Opens the workers of the run, or of the first step of a sweep or the first phase of
 * -load. If that takes long, messages say that a target is not ready. For a run, the
 * messages name its last target. A step or phase has only one target; for it, the
 * messages name the first target of the session. Returns 0, or -1 with the session's
 * error.
 */
static int
open_workers(struct session *session)
{
    const struct plan *plan = session->plan;
    bool has_parts = plan->mode & MODE_SERIES;
    int index = has_parts ? 0 : session->job_count - 1;

    stage_enter(session, STAGE_OPENING, &session->jobs[index]);

    session->observer = report_observer(&session->reports);
    session->task = (struct run_task){
        .jobs = session->jobs,
        .count = session->target_count,
        .background = plan->mode == MODE_PHASES ? session->jobs + 1 : NULL,
        .observer = &session->observer};

    if (plan->mode == MODE_DIAGNOSE)
        session_try_trace(session);
    else if (plan->statistics.has_breakdown &&
             run_open_attribution(&session->task, &session->notes, &session->error) < 0)
        return -1;

    if (has_parts)
        return run_open_first(&session->task, &session->supervisor, &session->error);
    session->run = run_open(&session->task, &session->supervisor, &session->error);
    return session->run ? 0 : -1;
}

/*
 * Prepares the reports, and the run or the first step or phase. Then begins the run. (A
 * step or phase is begun by the supervisor.) Files of an earlier run are replaced only
 * when nothing else can refuse this run: all workers are open and wait for their first
 * requests. Returns 0, or -1 with the session's error.
 */
static int
open_outputs_and_run(struct session *session)
{
    const struct plan *plan = session->plan;
    struct reports *reports = &session->reports;

    if (session->file_names[0])
        stage_enter(session, STAGE_FILES, NULL);
    if (output_file_check(&reports->file, plan, session->jobs, &session->error) < 0 ||
        report_begin(reports, plan, session->jobs, session->target_count,
                     &session->error) < 0)
        return -1;

    if (open_workers(session) < 0)
        return -1;

    if (session->file_names[0])
        stage_enter(session, STAGE_FILES, NULL);
    int status = report_claim(reports, plan, &session->error);
    keep_newest_note(session);
    if (session->newest_note[0])
        report_early_note(reports, session->newest_note);
    if (status == 0 && session->run) {
        run_begin(session->run);
    } else if (session->run) {
        run_cancel(session->run);
        session->run = NULL;
    }

    /* Only a sweep and -load have opened a first part; otherwise this does nothing. */
    if (status < 0)
        run_cancel_first(&session->jobs[0]);
    return status;
}

/* Keeps idle processors awake if -awake is given. Adds a note if that is impossible. */
static void
keep_processors_awake(struct session *session)
{
    if (!session->plan->pace.keep_awake || os_processors_awake() >= 0)
        return;

    if (errno == EACCES || errno == EPERM)
        notes_add(&session->notes, "-awake",
                  "has no effect: cannot keep processors awake: %s; run ioping as root",
                  strerror(errno));
    else
        notes_add(&session->notes, "-awake",
                  "has no effect: cannot keep processors awake: %s", strerror(errno));
}

/*
 * Prepares everything up to the first request, on the leader, and tells the supervisor
 * whether that succeeded. Memory is checked first, because opening a target may take
 * memory too, and may take long for a large working file. Returns 0, or -1 if the run
 * cannot begin; then the targets are closed, and files that were made for them removed.
 */
static int
open_session(struct session *session)
{
    keep_processors_awake(session);

    bool opened =
        run_check_memory(session->jobs, session->job_count, &session->error) == 0 &&
        open_targets(session) == 0;

    if (opened && open_outputs_and_run(session) == 0) {
        atomic_store(&session->unused_targets, 0);
        /* Any other status would tell the supervisor that the run was refused. */
        session->error.status = EXIT_DONE;
        console_notes(&session->notes);
        session_advance(session, SESSION_RUNNING);
        return 0;
    }

    output_file_discard(&session->reports.file, session->plan);
    if (opened)
        report_end(&session->reports, &session->jobs[0].outcome);
    console_notes(&session->notes);
    session_advance(session, SESSION_REFUSED);

    close_targets(session, atomic_exchange(&session->unused_targets, 0), true);
    session_advance(session, SESSION_CLOSED);
    return -1;
}

/*
 * Sweeps all targets, one target after the other, or executes the phases of -load or the
 * parts of -diagnose for the only target. To be called by the supervisor. Ends early in
 * these cases:
 * - a signal has come;
 * - output has failed;
 * - a request to the previous target timed out or is stuck, and -ignore-error is not
 *   given;
 * - a target fails before any request was sent: the same error would stop the other
 *   targets;
 * - a part of -diagnose has failed, and -ignore-error is not given.
 */
static void
execute_parts(struct session *session)
{
    bool has_sent_requests = false;
    bool was_late = false;

    for (int i = 0; i < session->target_count; i++) {
        struct job *job = &session->jobs[i];
        struct run_task task = session->task;

        if (i > 0 && (os_signals_stop_signal() || session->reports.print_status ||
                      (was_late && !job->plan.end.ignore_error)))
            return;

        task.jobs = job;
        task.count = 1;
        if (!job->plan.statistics.has_breakdown)
            task.attribution = NULL;
        job->was_tried = true;
        session_watch_disk(session, job, true);
        run_execute(&task, &job->error);
        session_watch_disk(session, job, false);

        if (job->error.status && has_sent_requests)
            job->error.status = EXIT_RUNTIME;
        if (job->outcome.total.requests > 0)
            has_sent_requests = true;
        was_late = job->outcome.is_stuck || job->outcome.failed_sample.timed_out ||
                   (session->plan->mode == MODE_DIAGNOSE &&
                    (job->error.status || job->outcome.failed_sample.index));

        if (job->error.status && !has_sent_requests)
            return;
    }
}

/*
 * With -timeout, sets a deadline for writing output, which the monitor watches: now, plus
 * the work time (-w), plus the timeout. A sweep and phases have no such deadline. This
 * function is called at the start, because the preparation may print notes. It is called
 * again when the requests begin, because the work time begins then.
 */
static void
limit_output(const struct plan *plan)
{
    int64_t work_end = time_add(os_clock_now(), plan->end.work_time);

    if (plan->end.timeout < INT64_MAX && !(plan->mode & MODE_SERIES))
        os_monitor_limit(time_add(work_end, plan->end.timeout));
}

/*
 * Supervises the requests until all of them are complete or abandoned, and prints
 * everything up to the final line. Sets IS_STUCK if a request or a worker's thread is
 * stuck in the kernel. Returns the exit status of the program. If the output answers the
 * caller, as a monitoring plug-in does, the exit status is this answer, whatever
 * happened.
 */
static int
supervise_run(struct session *session, bool *is_stuck)
{
    struct outcome *first = &session->jobs[0].outcome;
    int status = EXIT_DONE;

    limit_output(session->plan);

    if (session->run) {
        run_supervise(session->run);
        report_compare(&session->reports);
    } else {
        execute_parts(session);
    }
    if (session->plan->mode == MODE_DIAGNOSE)
        status = session_diagnose(session);

    report_end(&session->reports, first);

    const struct output_kind *output = session->output;
    int answer =
        output->answer ? output->answer(session->jobs, session->target_count) : 0;

    for (int i = 0; i < session->job_count; i++) {
        struct job *job = &session->jobs[i];
        if (job->outcome.is_stuck)
            *is_stuck = true;
        if (!session->run && !job->was_tried)
            continue;

        int job_status = job->error.status;
        if (job_has_not_begun(job))
            job_status = console_error(&job->error);
        if (!job_status)
            job_status = outcome_status(&job->outcome);
        status = outcome_worse(status, job_status);
    }

    return output->answer ? answer : status;
}

/* Closes the run and all targets, on any thread. The body of the closer. */
static void *
close_session(void *argument)
{
    struct session *session = argument;

    if (session->run)
        run_close(session->run);
    close_targets(session, session->job_count, false);
    session_advance(session, SESSION_CLOSED);
    return NULL;
}

/*
 * Waits for the final line, and then closes the targets, on the leader and not on the
 * supervisor: the thread that closes a file last may have to wait for its file system.
 * If FDS_UNSHARED, the leader has a descriptor table of its own. It then closes only the
 * targets' descriptors in that table, and the closer does everything else.
 */
static void
leader_close(struct session *session, bool fds_unshared)
{
    os_lock_acquire(session->lock);
    while (atomic_load(&session->state) < SESSION_FINISHED)
        os_lock_wait(session->lock);
    os_lock_release(session->lock);

    if (!fds_unshared) {
        close_session(session);
        return;
    }

    for (int i = 0; i < session->job_count; i++) {
        if (session->jobs[i].borrows_target)
            continue;
        stage_enter(session, STAGE_CLOSING, &session->jobs[i]);
        os_file_close(session->jobs[i].target.fd);
    }
    session_advance(session, SESSION_UNSHARED);
}

/* After a signal, the steps before the closing may have used up the grace period. So
 * the closing gets at least DEADLINE_CLOSING from now on. Otherwise the supervisor would
 * give up at once, even if the targets close quickly. */
static void
allow_closing(struct session *session)
{
    if (os_signals_stop_signal())
        session->give_up_at = time_later(os_signals_stop_asked_at() + DEADLINE_GRACE,
                                         os_clock_now() + DEADLINE_CLOSING);
}

/* The body of the supervisor. */
static void *
run_supervisor(void *argument)
{
    struct session *session = argument;
    struct os_thread closer;
    bool is_stuck = false;

    os_signals_unblock(session->blocked_signals);
    session_wait(session, SESSION_RUNNING);

    /* Not the state but the error tells whether the run was refused: the leader does not
     * wait for the message, and may have gone on to SESSION_CLOSED. */
    if (session->error.status) {
        session->status = session->output->refuse(&session->error);
        allow_closing(session);
        session_wait(session, SESSION_CLOSED);
        return NULL;
    }

    session->status = supervise_run(session, &is_stuck);
    if (is_stuck)
        os_process_end(session->status);

    stage_enter(session, STAGE_CLOSING, &session->jobs[0]);
    allow_closing(session);
    session_advance(session, SESSION_FINISHED);

    session_wait(session, SESSION_UNSHARED);
    if (atomic_load(&session->state) == SESSION_CLOSED)
        return NULL;

    if (os_thread_start(&closer, close_session, session) < 0)
        return close_session(session);
    session_wait(session, SESSION_CLOSED);
    os_thread_join(&closer);
    return NULL;
}

/* Frees SESSION, which no other thread may use any more. */
static void
session_free(struct session *session)
{
    attribution_close(session->task.attribution);
    os_lock_free(session->lock);
    free(session->diagnosis);

    for (int i = 0; i < session->job_count; i++)
        job_free(&session->jobs[i]);

    free(session);
}

/*
 * Makes the session of PLAN, with a job for each target and for the load. PLAN must
 * outlive the session. Returns NULL if there is not enough memory.
 */
static struct session *
session_make(const struct plan *plan)
{
    int job_count = plan->target_count;
    int target_count = plan->target_count;
    if (plan->mode == MODE_PHASES)
        job_count++;
    if (plan->mode == MODE_DIAGNOSE)
        job_count = target_count = PLAN_PARTS;

    struct session *session =
        calloc(1, sizeof(*session) + (size_t)job_count * sizeof(struct job));
    if (!session)
        return NULL;

    session->plan = plan;
    session->output = plan_results(plan)->kind;
    session->target_count = target_count;
    session->job_count = job_count;
    session->lock = os_lock_make();
    session->give_up_at = INT64_MAX;

    output_file_names(plan, session->file_names, sizeof(session->file_names));

    if (plan->mode == MODE_DIAGNOSE)
        session->diagnosis = calloc(1, sizeof(*session->diagnosis));
    bool lacks_memory =
        !session->lock || (plan->mode == MODE_DIAGNOSE && !session->diagnosis);
    for (int i = 0; i < job_count; i++)
        if (job_init(&session->jobs[i], plan, i) < 0)
            lacks_memory = true;

    if (lacks_memory) {
        session_free(session);
        return NULL;
    }

    stage_enter(session, STAGE_OPENING, &session->jobs[0]);
    return session;
}

int
session_execute(const struct plan *plan)
{
    struct error error;
    struct session *session = session_make(plan);
    if (!session) {
        error_set(&error, EXIT_PREPARE, NULL, "not enough memory for the run");
        return plan_results(plan)->kind->refuse(&error);
    }

    limit_output(plan);
    session->blocked_signals = os_signals_block();

    if (os_thread_start(&session->supervisor, run_supervisor, session) < 0) {
        error_set(&error, EXIT_PREPARE, NULL, "cannot start a thread for the target: %s",
                  strerror(errno));
        session_free(session);
        return plan_results(plan)->kind->refuse(&error);
    }

    if (open_session(session) == 0) {
        bool fds_unshared = session->run && run_first_worker(session->run);
        leader_close(session, fds_unshared);
    }

    os_thread_join(&session->supervisor);
    int status = session->status;
    session_free(session);
    return status;
}
