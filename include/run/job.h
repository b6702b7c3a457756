#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "base/error.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "run/schedule.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

#define JOB_STEPS 64 /* more than any sweep that doubles has */

/* A step of a sweep, after its end. */
struct job_step {
    int64_t value;            /* bytes, threads, depth, ns, or requests due per second */
    int64_t answered_rate;    /* of these last, those that were answered */
    uint64_t requests;        /* that count; 0: the step is left out */
    double iops, bps;         /* by the clock */
    int64_t p50, p99, max;    /* ns; percentiles of too few requests: -1 */
    uint64_t failed;          /* requests that did not succeed */
    enum slo_verdict verdict; /* on the limits of the plan and its rate */
};

/* The steps of a sweep that have ended; their values rise. */
struct job_sweep {
    struct job_step steps[JOB_STEPS];
    int count;
    int highest_index; /* the index of what job_find_highest found; -1: none */
};

/* The requests of a job without answer so far, those that have timed out or whose
 * worker was abandoned included. */
struct job_under_way {
    int count;
    int64_t
        oldest_sent_at; /* when the oldest was sent, ns, monotonic; 0: there is none */
};

/* A phase, after its end. */
struct job_phase {
    bool has_ended;
    struct stats stats;
    int64_t duration; /* ns, by the clock */
};

/* The period that observers are notified of next, and what it has so far. Under the run's
 * lock. */
struct job_period {
    int64_t began_at; /* ns, monotonic */
    struct stats stats;
    struct busy busy; /* by the requests of the period that count, within it */

    struct os_lock *unsampled_lock; /* of `unsampled` alone; NULL: there are no periods */
    struct stats unsampled; /* requests without a sample, missed or given up, that are not
                             * in `stats` yet */
};

/* The statistics of all workers as they are put together. */
struct job_progress {
    struct stats total; /* when it was last put together */
    bool is_current;    /* it is that of this moment */
    int added_workers;  /* workers that are in it, while not all are */
};

struct job;

/* The phases of a job with a load beside it for a time. */
struct job_phases {
    enum phase current;
    struct job_phase list[PHASES];
    struct stats total;           /* of all of them, when the total was put together */
    struct track done_track;      /* of those that have ended */
    int64_t began_at;             /* when the first did, monotonic; 0: not yet */
    const struct job *background; /* its outcome is that of the second phase */
};

struct run;
struct worker_thread;

/*
 * One target of a run: what is to be done with it, the workers that do it, and what
 * became of it. job_init and the opening of the target fill the first group of fields,
 * the run fills the others, on the supervisor's thread where nothing else is said.
 * Reporters read the first two groups, the total so far, and when a load began. A job
 * must stay until the program ends if a request is left waiting.
 */
struct job {
    int index;        /* from 0, among all targets */
    int target_count; /* how many there are */
    struct plan plan;
    struct target target;

    struct outcome outcome;    /* its total and times are those of all steps so far */
    const struct stats *stats; /* of the present step, or of all after the last; with
                                * phases of all so far */
    struct job_phases *phases; /* NULL: there are none */
    struct track *track;       /* likewise; NULL: there is no plot of it */
    struct time_series series; /* of the requests that count, when all have ended; without
                                  room unless the plan has it */
    struct job_under_way in_flight; /* when `stats` were put together */
    struct job_sweep sweep;
    bool has_ended; /* nothing more is to come of the present step */
    bool
        was_tried; /* the run was tried, the sweep, or the load has something to report */
    struct error error; /* why that, or a step, could not begin; status 0: it could */

    struct plan active_plan; /* what the workers do: the plan, or a step of its sweep */
    struct run *run;
    struct run *held_run;   /* the run of the first step or phase, which has not begun;
                             * NULL:   none was opened by run_open_first, or it has begun */
    int64_t start_delay;    /* ns from the begin of the run to that of its requests */
    uint64_t ordinals_used; /* ordinals of requests that earlier phases have */
    struct worker_group group;
    struct worker_thread **worker_threads; /* as many as the group has workers */
    bool begin_notified; /* observers know of the begin; under the run's lock */
    struct job_period period;
    struct job_progress progress;
    int64_t abandon_at; /* when workers that do not return are; INT64_MAX: not yet */
};

/*
 * Makes JOB, which is all zero, what PLAN does with target INDEX, from 0, or as
 * the last of all the load of that plan; the plan must outlive it. The target is not
 * open. Returns 0, or -1 without memory.
 */
int job_init(struct job *job, const struct plan *plan, int index);

/* Frees what job_init took. */
void job_free(struct job *job);

/*
 * Finds the last step of SWEEP that meets all limits. A step that broke one ends the
 * search, even if a higher one meets them by chance; but not if all that meet them are
 * above it, as where requests per second have to reach a number. Steps that had too few
 * requests to know do not matter: returns the value of the first that may be higher than
 * what was found; 0: none may.
 */
int64_t job_find_highest(struct job_sweep *sweep);

/* Returns the value of the highest step, which there is: of rates what was answered. */
static inline int64_t
job_highest(const struct job *job)
{
    const struct job_step *step = &job->sweep.steps[job->sweep.highest_index];
    return job->plan.sweep.kind == SWEEP_RATE ? step->answered_rate : step->value;
}

/* Returns which of the JOBS of the same path that of INDEX is, from 1. */
int job_ordinal(const struct job *jobs, int index);

/* Returns the number, from 1, by which people tell the target of JOBS[INDEX] from others
 * with the same path among COUNT; 0 if no other has it. */
int job_number(const struct job *jobs, int count, int index);

/* The name of a job's target where there are others, for messages; else NULL. */
static inline const char *
job_name(const struct job *job)
{
    if (job->plan.mode == MODE_BACKGROUND)
        return "load";
    return job->target_count > 1 ? job->plan.path : NULL;
}

/* Returns the statistics so far of a phase of JOB, which has phases; NULL: it has not
 * begun. */
static inline const struct stats *
job_phase_stats(const struct job *job, enum phase phase)
{
    const struct job_phases *phases = job->phases;
    return phases->list[phase].has_ended ? &phases->list[phase].stats
           : phase == phases->current    ? &job->progress.total
                                         : NULL;
}

/* Returns whether a job was to begin and could not. */
static inline bool
job_has_not_begun(const struct job *job)
{
    return job->error.status && job->outcome.total.requests == 0;
}

#endif
