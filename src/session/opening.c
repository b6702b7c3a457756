#include "state.h"

#include "base/later.h"
#include "base/units.h"
#include "os/os.h"
#include "os/process.h"
#include "report/console.h"
#include "run/stall.h"

/* For so long (ns) from the beginning it does without being woken. */
#define QUIET 1000000LL

void
session_reach(struct session *session, atomic_bool *flag)
{
    atomic_store(flag, true);
    if (os_clock_now() - session->began >= QUIET)
        os_thread_wake(&session->supervisor);
}

void
session_rest(const struct session *session, const atomic_bool *flag, int64_t when)
{
    static const atomic_bool never;
    int64_t quiet = session->began + QUIET;
    if (os_clock_now() < quiet)
        os_signals_wait(quiet, &never);
    else
        os_signals_wait(when, flag);
}

void
session_discard(struct session *session, int count)
{
    for (int i = 0; i < count; i++)
        target_discard(&session->targets[i].target, &session->targets[i].plan);
}

/* Opens target NUMBER. Returns 0, or -1 with the session's error. */
static int
open_target(struct session *session, int number)
{
    struct session_target *one = &session->targets[number];
    const struct target *before = number ? &session->targets[number - 1].target : NULL;
    if (number > 0 && os_signals_stop())
        return error_set(&session->error, EXIT_PREPARE, one->plan.path,
                         "interrupted before it was opened");
    if (number > 0) { /* what is to be said of it has another time */
        one->since = os_clock_now();
        atomic_store(&session->opening, number);
        os_thread_wake(&session->supervisor);
    }
    return target_open(&one->target, &one->plan, before, &session->notes,
                       &session->error);
}

/* A name that takes long to find out must not keep others waiting later. */
int
session_open(struct session *session)
{
    const struct plan_output *output = &session->plan->output;
    bool named = session->count > 1 || output->prometheus || output->plot;
    for (int i = 0; i < session->count; i++) {
        if (open_target(session, i) < 0) {
            session_discard(session, i);
            return -1;
        }
        if (named)
            target_name(&session->targets[i].target);
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
    session_discard(session, number);
    error_set(&error, EXIT_PREPARE, session->plan->targets[number],
              "still not ready after %s", units_format(UNITS_TIME, waited, text));
    os_process_end(console_error(&error));
}

void
session_supervise_opening(struct session *session)
{
    struct stall watch;
    int64_t limit = INT64_MAX;
    stall_start(&watch, session->plan->hang);
    while (!atomic_load(&session->opened)) {
        int number = atomic_load(&session->opening);
        int64_t since = session->targets[number].since, now = os_clock_now();
        int64_t waited = stall_check(&watch, since, now);
        if (waited)
            console_slow(session->plan->targets[number], waited);
        if (os_signals_stop() && limit == INT64_MAX)
            limit = now + STALL_GRACE;
        if (now >= limit)
            give_up(session, number, now - since);
        session_rest(session, &session->opened,
                     earlier(stall_due(&watch, since, now), limit));
    }
}
