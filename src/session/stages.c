/*
 * How the supervisor waits for the leader and the closer while they open targets, prepare
 * files and close targets. Each such step is a stage. It may hang for ever in a system
 * call, if the storage has failed, and then nothing can interrupt its thread. So the
 * threads only announce what they do, and the supervisor decides what follows:
 *
 *   - Before a thread begins a stage, it stores the stage in the session (stage_enter).
 *     When a thread has done its part, it changes the state of the session and wakes the
 *     threads that wait for the new state (session_advance).
 *   - The supervisor sleeps in session_wait until the session has a certain state.
 *     Meanwhile it reports on stderr that a stage is not ready: when the stage has lasted
 *     as long as -hang says, and again whenever that time has doubled.
 *   - The supervisor prints an error and ends the process (give_up) if an opening makes
 *     no progress for too long, if another stage lasts too long, or if a stage is not
 *     over at the end of the grace period after a signal. Threads that are still in the
 *     kernel are left behind.
 *
 * While requests are in flight, the supervisor does not wait here, but in run_supervise
 * (run/run.h).
 */
#include "session_private.h"

#include "base/deadlines.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "plan/plan.h"
#include "report/console.h"
#include "report/outputs.h"

void
session_advance(struct session *session, enum session_state next)
{
    os_lock_acquire(session->lock);
    atomic_store(&session->state, next);
    os_lock_notify(session->lock);
    os_lock_release(session->lock);

    atomic_store(&session->state_changed, true);
    os_thread_wake(&session->supervisor);
}

void
stage_enter(struct session *session, enum stage_kind kind, const struct job *job)
{
    struct stage stage = {.kind = kind, .began_at = os_clock_now()};

    stage.name = job ? job->plan.path : session->file_names;
    if (kind == STAGE_OPENING)
        stage.advanced_at = &job->target.advanced_at;

    os_lock_acquire(session->lock);
    session->stage = stage;
    os_lock_release(session->lock);
}

/* Returns a copy of the present stage, for the supervisor. */
static struct stage
stage_current(struct session *session)
{
    os_lock_acquire(session->lock);
    struct stage stage = session->stage;
    os_lock_release(session->lock);
    return stage;
}

/* The removal of new working files before the program ends, on a thread of its own. */
struct removal {
    struct session *session;
    atomic_bool is_done;
};

/*
 * Removes the new working files of open targets. The targets stay open, because a thread
 * that is stuck may still use them. The body of the thread that give_up starts.
 */
static void *
remove_working_files(void *argument)
{
    struct removal *removal = argument;
    struct session *session = removal->session;
    int count = atomic_load(&session->unused_targets);

    for (int i = 0; i < count; i++)
        target_discard(&session->jobs[i].target, &session->jobs[i].plan);

    atomic_store(&removal->is_done, true);
    os_thread_wake(&session->supervisor);
    return NULL;
}

/* Fills ERROR, with exit status 2, for a thread that has waited in STAGE for WAITED ns.
 * GIVES_UP means that the program ends because of that. */
static void
describe_wait(const struct stage *stage, bool gives_up, int64_t waited,
              struct error *error)
{
    char text[UNITS_TEXT];
    units_format(UNITS_TIME, waited, text);

    if (gives_up && stage->kind == STAGE_CLOSING)
        error_set(error, EXIT_PREPARE, stage->name,
                  "still not ready after %s, while closing it", text);
    else if (gives_up)
        error_set(error, EXIT_PREPARE, stage->name, "still not ready after %s", text);
    else if (stage->kind == STAGE_CLOSING)
        error_set(error, EXIT_PREPARE, stage->name,
                  "not ready after %s, while closing it", text);
    else
        error_set(error, EXIT_PREPARE, stage->name, "not ready after %s", text);
}

/*
 * Ends the program, because a thread has waited in STAGE for WAITED ns. With -keep, the
 * new working files of the targets that are open are removed first, within
 * DEADLINE_CLOSING. An opening that hangs may still make a working file later. Another
 * process removes that file (os_leftover_begin).
 *
 * If STAGE is a closing, the final line or the error of the run is already printed. The
 * error of the closing is printed, too, and may make the exit status worse. In two cases
 * it does not change the exit status: after a signal, and if the output answers the
 * caller, as a monitoring plug-in does.
 */
static _Noreturn void
give_up(struct session *session, const struct stage *stage, int64_t waited)
{
    /* The removal thread may still use this struct after DEADLINE_CLOSING. The struct
     * stays valid, because this function never returns. */
    struct removal removal = {.session = session};
    struct os_thread removal_thread;
    int64_t deadline = os_clock_now() + DEADLINE_CLOSING;
    bool has_new_files =
        session->plan->workload.keeps_file && atomic_load(&session->unused_targets);

    if (has_new_files &&
        os_thread_start(&removal_thread, remove_working_files, &removal) == 0) {
        while (!atomic_load(&removal.is_done) && os_clock_now() < deadline)
            os_signals_wait(deadline, &removal.is_done);
        if (atomic_load(&removal.is_done))
            os_thread_join(&removal_thread);
    }

    struct error error;
    describe_wait(stage, true, waited, &error);

    /* Without a signal, an opening that makes no progress is the fault of the storage. */
    error.storage_failed = stage->advanced_at && !os_signals_stop_signal();
    if (stage->kind != STAGE_CLOSING)
        os_process_end(session->output->refuse(&error));

    int status = console_error(&error);
    if (os_signals_stop_signal() || session->output->answer)
        os_process_end(session->status);
    os_process_end(outcome_worse(session->status, status));
}

void
session_wait(struct session *session, enum session_state at_least)
{
    struct stall stall;
    stall_start(&stall, session->plan->end.hang);

    for (;;) {
        /* Clear the flag before reading the state: session_advance stores the state
         * before it sets the flag, so no change is missed. */
        atomic_store(&session->state_changed, false);
        if (atomic_load(&session->state) >= at_least)
            return;

        const struct stage stage = stage_current(session);
        int64_t now = os_clock_now();
        int64_t since = time_later(stage.began_at, os_signals_check_resumed_at());
        int64_t last_progress = since;
        if (stage.advanced_at)
            last_progress = time_later(since, atomic_load(stage.advanced_at));

        if (os_signals_stop_signal() && session->give_up_at == INT64_MAX)
            session->give_up_at = now + DEADLINE_GRACE;

        int64_t deadline = time_add(last_progress, session->plan->end.open_timeout);
        deadline = time_earlier(deadline, session->give_up_at);
        /* The wait may have ended after `state` was read above. Then there is nothing to
         * give up. */
        if (now >= deadline && atomic_load(&session->state) >= at_least)
            return;
        if (now >= deadline)
            give_up(session, &stage, now - since);

        int64_t stalled = stall_check(&stall, since, now);
        struct error error;
        if (stalled) {
            describe_wait(&stage, false, stalled, &error);
            console_error(&error);
        }
        os_signals_wait(time_earlier(stall_due(&stall, since, now), deadline),
                        &session->state_changed);
    }
}
