#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "run/run.h"
#include "worker_thread.h"

struct run;

/* What a run has of one of its targets. */
struct job {
    struct run *run;
    struct plan plan; /* copies, because they are left behind with what is stuck */
    struct run_observer observer;
    struct target *target;
    struct outcome *outcome;
    struct worker_group group;
    struct worker_thread **threads; /* as many as the crew has */

    bool introduced;      /* the target is named, and the observer told of the begin */
    int64_t period_began; /* under the run's lock, like that and the period */

    int64_t give_up; /* when requests that do not return are; INT64_MAX: not yet */
    bool done;       /* nothing more is to come of it, and its outcome is filled */
    bool current;    /* the total is that of this moment */
    int added;       /* workers that are in the total, while not all are */

    struct stats period;
    struct busy period_busy; /* by the requests of the period that count, within it */
    struct stats total;      /* of all workers, when it was last put together */
    struct track *track;     /* likewise; NULL: the plan has no plot of it */
};

/* Makes an empty one of TARGET. Returns 0, or -1 without memory. */
int job_make(struct job *job, struct run *run, const struct run_target *target);

/* Opens all of its workers, by ENGINE. Returns 0, or -1 with ERROR. */
int job_open(struct job *job, const struct engine_ops *engine, struct error *error);

/* Before the workers start: periods are counted from NOW. */
void job_begin(struct job *job, int64_t now);

/*
 * Takes the run's lock to tell something, which the caller gives back. What comes
 * before all else is told by whoever is first. Returns 0, or -1: no output.
 */
int job_enter(struct job *job);

/* What workers tell of a request, or at the crew's `due`; SELF is their seat. */
int job_sample(void *self, const struct sample *sample);
int job_due(void *self, int64_t now);

/* No more requests; what is under way is given up at WHEN at the latest. */
void job_stop(struct job *job, int64_t when);

/*
 * Looks after all workers at time NOW: words about requests without answer, periods,
 * and the end. Returns when to look again, 0: there are none left.
 */
int64_t job_look(struct job *job, int64_t now);

/*
 * Makes the total what all workers have so far. False if some cannot be had now: the
 * next call goes on with those.
 */
bool job_add_up(struct job *job);

/* After the end: joins the threads that have ended, and fills the outcome. */
void job_collect(struct job *job);

/* Of one that is done: tells why if a request failed, once. */
void job_tell_failure(struct job *job);

/* Closes the workers that no request is left of. Returns whether those were all. */
bool job_close(struct job *job);

/* Then frees the rest. */
void job_free(struct job *job);

#endif
