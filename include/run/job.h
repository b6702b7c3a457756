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

#define JOB_STEPS 64 /* more steps than a sweep that doubles its value can have */

/* The figures of one step of a sweep, after the end of the step. */
struct job_step {
    /* bytes, threads, queue depth, ns of the interval, or requests due per second */
    int64_t value;
    /* sweep of rates: requests per second that were answered */
    int64_t answered_rate;
    /* requests that count; 0: reports leave out the step */
    uint64_t requests;
    double iops, bps;      /* requests and bytes per second of elapsed time */
    int64_t p50, p99, max; /* ns; -1 if there are too few requests for a percentile */
    uint64_t failed;       /* requests that failed */
    /* whether the step met the limits of the plan and, in a sweep of rates, the rate */
    enum slo_verdict verdict;
};

/* The steps of a sweep that have ended, in order of rising value. */
struct job_sweep {
    struct job_step steps[JOB_STEPS];
    int count;
    int highest_index; /* index of the step that job_find_highest found; -1: none */
};

/* The unanswered requests of a job. They include requests that have timed out and
 * requests of abandoned workers. */
struct job_in_flight {
    int count;
    int64_t oldest_sent_at; /* when the oldest was sent, ns, monotonic; 0: no request */
};

/* The figures of one phase, after the end of the phase. */
struct job_phase {
    bool has_ended;
    struct stats stats;
    int64_t duration; /* elapsed time, ns */
};

/* The current period, which observers are notified of when it ends. The run's lock guards
 * all fields except `unsampled`. */
struct job_period {
    int64_t began_at; /* ns, monotonic */
    struct stats stats;
    struct busy busy; /* busy time within the period, by the requests that count */

    /* guards `unsampled`; NULL if there are no periods */
    struct os_lock *unsampled_lock;
    /* requests without a sample, which were missed or given up; not yet merged into
     * `stats` */
    struct stats unsampled;
};

/* The statistics of all workers, added up. */
struct job_progress {
    struct stats total; /* as of the last time that all workers were added up */
    bool is_current;    /* `total` is up to date */
    /* workers that `total` includes while it is being added up, else 0 */
    int added_workers;
};

struct job;

/* The phases of a job that runs with and without a background load (-load). */
struct job_phases {
    enum phase current;
    struct job_phase list[PHASES];
    struct stats total; /* of all phases so far; made together with the job's total */
    struct track done_track; /* of the phases that have ended */
    int64_t began_at;        /* when the first phase began, ns, monotonic; 0: not yet */
    /* the load, whose outcome belongs to the second phase */
    const struct job *background;
};

struct run;
struct worker_thread;

/*
 * One target of a run: what to do with it, the workers that do it, and the outcome.
 * job_init and the opening of the target fill the first group of fields. The run fills
 * the other fields, on the supervisor's thread unless a comment says otherwise.
 *
 * Reports read the first two groups, and in addition the total so far and when a load
 * began. If a request is never answered, the job must stay in memory until the program
 * ends.
 */
struct job {
    int index;        /* among all targets, from 0 */
    int target_count; /* number of targets */
    struct plan plan;
    struct target target;

    /* its total and its times cover all steps so far */
    struct outcome outcome;
    /* the present step; after the last step, all steps; with phases, all phases so far */
    const struct stats *stats;
    struct job_phases *phases; /* NULL without -load */
    struct track *track;       /* for a plot; NULL if none is wanted */
    /* the requests that count, once all workers have ended; without room unless the plan
     * wants it */
    struct time_series series;
    struct job_in_flight in_flight; /* as of the time that `stats` were added up */
    struct job_sweep sweep;
    bool has_ended; /* the present step has ended completely */
    /* the run or sweep was attempted; for a load: it has something to report */
    bool was_tried;
    /* why the run or a step could not begin; status 0: it could */
    struct error error;

    /* the plan that the workers follow now: `plan`, or a step or phase of it */
    struct plan active_plan;
    struct run *run;
    /* the opened first step or phase, from run_open_first until it begins; NULL otherwise
     */
    struct run *held_run;
    int64_t start_delay;    /* ns from the begin of the run to the first request */
    uint64_t ordinals_used; /* ordinals that earlier phases have handed out */
    struct worker_group group;
    struct worker_thread **worker_threads; /* `group.size` of them */
    /* observers have been notified of the begin; under the run's lock */
    bool begin_notified;
    struct job_period period;
    struct job_progress progress;
    /* when workers that have not returned are abandoned, ns, monotonic; INT64_MAX: not
     * yet */
    int64_t abandon_at;
};

/* Initialises JOB, which is all zero, for target INDEX (from 0) of PLAN. An INDEX equal
 * to the number of targets stands for the background load. PLAN must outlive the job. The
 * target is not opened. Returns 0, or -1 if there is no memory. */
int job_init(struct job *job, const struct plan *plan, int index);

/* Frees the memory that job_init allocated. */
void job_free(struct job *job);

/*
 * Finds the highest step of SWEEP that meets all limits, and stores its index in
 * `highest_index`.
 *
 * The first step that breaks a limit after a step that met them ends the search, even if
 * a higher step meets the limits by chance. Broken steps before the first step that meets
 * the limits do not end it: a limit may demand a minimum of requests per second, which
 * low steps cannot reach.
 *
 * Steps with too few requests for a verdict are skipped. Returns the value of the first
 * skipped step that lies above the step found, and so might have been higher; 0 if there
 * is none.
 */
int64_t job_find_highest(struct job_sweep *sweep);

/* Returns the value of the highest step that met the limits, in a sweep of rates the rate
 * that was answered. There must be such a step (job_find_highest). */
static inline int64_t
job_highest(const struct job *job)
{
    const struct job_step *step = &job->sweep.steps[job->sweep.highest_index];
    return job->plan.sweep.kind == SWEEP_RATE ? step->answered_rate : step->value;
}

/* Returns the position, from 1, of JOBS[INDEX] among the jobs with the same path. */
int job_ordinal(const struct job *jobs, int index);

/* Returns the position, from 1, by which people can tell the target of JOBS[INDEX] from
 * the other targets with the same path, among COUNT jobs. Returns 0 if the path is
 * unique. */
int job_number(const struct job *jobs, int count, int index);

/* Returns the name of the job's target for messages: "load" for a background load, the
 * path if there are several targets, else NULL. */
static inline const char *
job_name(const struct job *job)
{
    if (job->plan.mode == MODE_BACKGROUND)
        return "load";
    return job->target_count > 1 ? job->plan.path : NULL;
}

/* Returns the statistics so far of PHASE of JOB, which must have phases. Returns NULL if
 * the phase has not begun. */
static inline const struct stats *
job_phase_stats(const struct job *job, enum phase phase)
{
    const struct job_phases *phases = job->phases;
    return phases->list[phase].has_ended ? &phases->list[phase].stats
           : phase == phases->current    ? &job->progress.total
                                         : NULL;
}

/* Returns whether the run of JOB failed before it sent a request. */
static inline bool
job_has_not_begun(const struct job *job)
{
    return job->error.status && job->outcome.total.requests == 0;
}

#endif
