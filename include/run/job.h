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

/* The maximum number of steps of a sweep. A sweep that doubles its value has fewer,
 * because values have 63 bits. A sweep of rates has at most SEARCH_RATES
 * (src/run/search.h). */
#define JOB_STEPS 64

/* The figures of one step of a sweep, after the end of the step. */
struct job_step {
    /* value of the swept quantity: bytes, threads, queue depth, interval in ns, or due
     * requests per second */
    int64_t value;
    /* answered requests per second; only set in a sweep of rates */
    int64_t answered_rate;
    /* number of requests in the statistics, without warm-up and failures; reports leave
     * out a step with 0 */
    uint64_t requests;
    double iops, bps;      /* requests and bytes per second of elapsed time */
    int64_t p50, p99, max; /* latencies, ns; a percentile is -1 with too few requests */
    uint64_t failed;       /* number of requests that failed */
    /* whether the step met the limits of the plan (-slo); in a sweep of rates, a step
     * also breaks the limits if too few of its due requests were answered in time */
    enum slo_verdict verdict;
};

/* The steps of a sweep that have ended, in ascending order of their values. */
struct job_sweep {
    struct job_step steps[JOB_STEPS];
    int count;
    int highest_index;    /* index of the step that job_find_highest found; -1: no step */
    bool was_interrupted; /* a signal ended the sweep before its end */
    /* A value above the one that job_find_highest found may meet the limits as well,
     * because no higher step broke them, or a search for the highest rate did not end. */
    bool is_lower_bound;
};

/* Returns true if the step that job_find_highest found is the last one that was measured.
 */
static inline bool
job_is_highest_measured(const struct job_sweep *sweep)
{
    return sweep->is_lower_bound && sweep->highest_index == sweep->count - 1;
}

/* The requests of a job that were sent and have no answer yet. They include requests that
 * count as failed because they timed out, and requests of workers that were abandoned
 * because they are stuck in the kernel. */
struct job_in_flight {
    int count;
    int64_t oldest_sent_at; /* when the oldest was sent, ns, monotonic; 0: no request */
};

/* The figures of one phase, after the end of the phase. */
struct job_phase {
    bool has_ended;
    struct stats stats;
    int64_t duration; /* elapsed time of the phase, ns */
};

/* The current period of a job. With -p and -P a run is divided into periods, and the
 * observer (struct run_observer) gets the statistics of each period when it ends. The
 * lock of the run guards all fields except `unsampled`. */
struct job_period {
    int64_t began_at; /* begin of the period, ns, monotonic */
    struct stats stats;
    /* time of the period with at least one request in flight (stats/busy.h) */
    struct busy busy;

    /* guards `unsampled`; NULL if there are no periods */
    struct os_lock *unsampled_lock;
    /* requests of the period that have no result, because they were never sent or were
     * given up; the end of the period merges them into `stats` */
    struct stats unsampled;
};

/* The sum of the statistics of all workers of a job. Making it may take several calls of
 * job_add_up, because a worker that is too busy to give its statistics is tried again in
 * the next call. */
struct job_progress {
    struct stats total; /* the sum; incomplete if job_add_up last returned false */
    /* `total` is complete for the present snapshot. A snapshot is one set of statistics
     * of all jobs; this one still waits for the statistics of another job. */
    bool is_current;
    /* how many workers `total` includes while it is incomplete; else 0 */
    int added_workers;
};

struct job;

/* The phases of a job with -load: its requests run without, with, and again without a
 * background load. */
struct job_phases {
    enum phase current;
    struct job_phase list[PHASES];
    /* statistics of all phases so far; updated together with job_progress.total */
    struct stats total;
    /* latencies over time, for a plot, of the phases that have ended */
    struct track done_track;
    /* begin of the first phase, ns, monotonic; 0 until that phase has ended */
    int64_t began_at;
    const struct job *background; /* the load, which runs in PHASE_LOADED only */
};

struct run;
struct time_map;
struct worker_thread;

/*
 * One target of a run: the plan for it, the workers that send its requests, and the
 * outcome. job_init and the opening of the target fill the first group of fields. The run
 * fills the other fields. The thread that opens and begins the run does so before the
 * workers may begin. Afterwards only the supervisor (src/run/supervise.c) writes these
 * fields, unless a comment says otherwise.
 *
 * Reports read the first two groups of fields and `progress.total`. If the job is a
 * background load, they also read `group.begin_at`. If a request is never answered, the
 * job must stay in memory until the program ends.
 */
struct job {
    /* index of the target, from 0; the background load has the highest index */
    int index;
    int target_count; /* number of targets of the program, without a background load */
    struct plan plan;
    struct target target;
    /* `target` is a copy of the target of another job, which closes it: the parts of
     * -diagnose that only read share one target. */
    bool borrows_target;

    /* errors, statistics and times of all steps or phases so far */
    struct outcome outcome;
    /* statistics to show: of the present step while a sweep runs; else of everything so
     * far */
    const struct stats *stats;
    struct job_phases *phases; /* the phases of -load, else NULL */
    /* histograms over time of a recorded log, else NULL; not owned */
    const struct time_map *time_map;
    struct track *track; /* latencies over time, for a plot; NULL if no plot is made */
    /* a sample of the requests that count, for confidence intervals; filled when all
     * workers have ended; capacity 0 if not needed */
    struct time_series series;
    /* requests without an answer at the time when `stats` were added up */
    struct job_in_flight in_flight;
    struct job_sweep sweep;
    bool has_ended; /* all workers of the present step or phase have ended */
    /* the run or sweep was attempted; for a background load: it has sent requests or has
     * failed, so there is something to report */
    bool was_tried;
    /* why the run or a step could not begin; status 0: it began */
    struct error error;

    /* the plan that the workers follow now: `plan`, or the plan of the present step or
     * phase */
    struct plan active_plan;
    struct run *run;
    /* a run of the first step or phase that run_open_first has opened and that has not
     * begun; else NULL */
    struct run *held_run;
    int64_t start_delay; /* ns from the start of the run to the first request */
    /* how many request numbers earlier phases have used; a phase continues the numbering
     */
    uint64_t ordinals_used;
    struct worker_group group;
    struct worker_thread **worker_threads; /* an array of `group.size` pointers */
    /* `begin` of the observer was called; also true if it must not be called: for a
     * background load, and for further parts of -diagnose; guarded by the lock of the run
     */
    bool begin_notified;
    struct job_period period;
    struct job_progress progress;
    /* when to abandon workers that are still waiting for an answer, ns, monotonic;
     * INT64_MAX: not yet known */
    int64_t abandon_at;
};

/* Initialises JOB, which is all zero, for target INDEX (from 0) of PLAN. An INDEX equal
 * to the number of targets stands for the background load. With -diagnose, INDEX is a
 * part (enum plan_part) of the only target. PLAN must outlive the job. The target is not
 * opened. Returns 0, or -1 if memory is lacking. */
int job_init(struct job *job, const struct plan *plan, int index);

/* Frees the memory that job_init allocated. */
void job_free(struct job *job);

/*
 * Finds the highest step of SWEEP that meets all limits, and stores its index in
 * `highest_index`; -1 if no step does. Sets `is_lower_bound` if no step above it broke a
 * limit.
 *
 * Once a step has met the limits, the next step that breaks a limit ends the search: if a
 * still higher step meets the limits again, that is chance. Before the first step that
 * meets them, broken limits do not end the search: a limit may demand a minimum of
 * requests per second, which low steps cannot reach.
 *
 * Steps with too few requests for a verdict are skipped. Returns the value of the first
 * skipped step above the step that was found, since that step might have met the limits
 * as well. Returns 0 if no such step was skipped.
 */
int64_t job_find_highest(struct job_sweep *sweep);

/* Returns the value of the highest step that met the limits. In a sweep of rates, returns
 * the rate that was answered in that step. Must only be called after job_find_highest has
 * found a step. */
static inline int64_t
job_highest_value(const struct job *job)
{
    const struct job_step *step = &job->sweep.steps[job->sweep.highest_index];
    return job->plan.sweep.kind == SWEEP_RATE ? step->answered_rate : step->value;
}

/* Returns the position, from 1, of JOBS[INDEX] among the jobs with the same path. */
int job_path_ordinal(const struct job *jobs, int index);

/* Returns a number, from 1, that distinguishes JOBS[INDEX] from other jobs among COUNT
 * JOBS whose targets have the same path. Returns 0 if no other job has that path. */
int job_path_number(const struct job *jobs, int count, int index);

/* Returns the name of the job's target for messages: "load" for a background load, the
 * path if there are several targets, or NULL if there is one target, which needs no name.
 */
static inline const char *
job_name(const struct job *job)
{
    if (job->plan.mode == MODE_BACKGROUND)
        return "load";
    return job->target_count > 1 ? job->plan.path : NULL;
}

/* Returns the statistics so far of PHASE of JOB, which must have phases (-load). Returns
 * NULL if the phase has not begun. */
static inline const struct stats *
job_phase_stats(const struct job *job, enum phase phase)
{
    const struct job_phases *phases = job->phases;
    if (phases->list[phase].has_ended)
        return &phases->list[phase].stats;
    return phase == phases->current ? &job->progress.total : NULL;
}

/* Returns true if the run of JOB failed before it sent a request. */
static inline bool
job_has_not_begun(const struct job *job)
{
    return job->error.status && job->outcome.total.requests == 0;
}

#endif
