#ifndef SESSION_STATE_H
#define SESSION_STATE_H

#include "plan/plan.h"
#include "report/report.h"
#include "run/outcome.h"
#include "run/run.h"

#include <stdatomic.h>

/* One target and what belongs to it alone. */
struct session_target {
    struct plan plan;
    int64_t since; /* when its opening began, before `opening` says so */
    struct target target;
    struct outcome outcome;
    bool swept;         /* or that was tried */
    struct error error; /* why a step could not begin; status 0: all could */
};

/* What the leading thread writes to stays in memory if that is left to itself. */
struct session {
    const struct plan *plan;
    struct os_thread supervisor;
    unsigned signals;
    int64_t began;
    atomic_int opening; /* the target that is being opened */
    atomic_bool opened; /* all are, or one cannot be */
    atomic_bool begun;  /* and there is a run, or an error */
    struct report report;
    struct run_ticker tickers[RUN_TICKERS];
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
void session_reach(struct session *session, atomic_bool *flag);

/* The other sleeps until that, time WHEN (ns, monotonic), or a signal; and through the
 * quiet time at the beginning. */
void session_rest(const struct session *session, const atomic_bool *flag, int64_t when);

/* Closes the first COUNT targets, of which nothing is left behind. */
void session_discard(struct session *session, int count);

/*
 * The leading thread opens all targets, one after the other, so that none is busy with
 * another's flush. Returns 0, or -1 with the session's error, and then nothing is left
 * open or behind.
 */
int session_open(struct session *session);

/* The other attends to that; it ends the program if a target is not open some time after
 * a signal. */
void session_supervise_opening(struct session *session);

#endif
