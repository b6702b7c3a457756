#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

/* A run and its jobs while they run, and the notifications of observers: for the files
 * of this folder. */

#include "base/time.h"
#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* When statistics cannot be had now, the supervisor tries again after this many ns. */
#define SUPERVISE_RETRY (10 * MS)

struct run {
    struct run_task task;
    struct os_thread supervisor;
    /* held while the workers are started; NULL if there is only one worker and nobody
     * opens the gate later */
    struct os_lock *start_gate;
    /* workers wait for another thread to open the gate; under the gate */
    bool is_held;
    /* serialises the calls of observers that return a status */
    struct os_lock *lock;
    atomic_bool any_ended;     /* a worker has ended since the supervisor last waited */
    atomic_bool output_failed; /* an output has failed: no further notifications */

    atomic_bool timed_out; /* a request has timed out, which ends all jobs */
    int64_t sectors;       /* os_process_sectors before the first request */
    bool interim_wanted;
    bool interrupted; /* a signal ends the run */
    /* the run ends because a request timed out, all slots are lost, or a job beside a
     * load ended */
    bool is_ending;
};

/* Acquires the run's lock to notify observers; the caller must release it in any case.
 * The first call notifies of the begin of the job. Returns 0, or -1 if the output
 * failed. */
int notify_enter(struct job *job);

/* Notifies of a request of WORKER, on the thread of the worker. Returns 0, or -1 if the
 * job must end. */
int notify_sample(struct job *job, struct worker *worker, const struct sample *sample);

/* Does the same for a caller that has acquired the run's lock. The calling thread must
 * hold the worker's handoff or have locked it. */
int notify_sample_locked(struct job *job, struct worker *worker,
                         const struct sample *sample);

/* Adds COUNT missed requests, the first of operation NEXT, to the period of JOB.
 * Observers get no samples of them. Any thread may call it, with or without the run's
 * lock; the same is true of the next two functions. */
void notify_missed(struct job *job, enum operation next, uint64_t count);

/* Adds the waits of missed requests to the period of JOB; see stats_wait. */
void notify_waits(struct job *job, enum operation next, int64_t stall, int64_t idle);

/* Adds the request of SAMPLE, which was given up without an answer, to the period of
 * JOB. */
void notify_given_up(struct job *job, const struct sample *sample);

/* Ends the period at NOW, if it is due, on the thread of a worker that saw `period_end`
 * of the group pass. Returns 0, or -1 if the job must end. */
int notify_due(struct job *job, int64_t now);

/* Ends the period at NOW, if it is due, on the supervisor's thread. Does nothing if
 * another thread is notifying just now. Returns when to call it again; INT64_MAX if
 * there are no periods. */
int64_t notify_end_period(struct job *job, int64_t now);

/*
 * Ends the last periods after all workers have ended: first the period that was due by
 * then and that no worker has ended; then, at NOW, the partial period, if the plan wants
 * it and a request was sent or missed in it. Returns 0; or, if another thread is
 * notifying just now, when to call it again.
 */
int64_t notify_end_rest(struct job *job, int64_t now);

/* Prepares JOB for its present step in RUN. Returns 0, or -1 if there is no memory. */
int job_prepare(struct job *job, struct run *run);

/* Opens all workers of JOB with the engine of its plan. Returns 0, or -1 with ERROR. */
int job_open(struct job *job, struct error *error);

/* Resets the flags and times of the group that tell whether requests have begun or have
 * to end. Called before the workers start. */
void job_prepare_begin(struct job *job);

/* Sets when requests and periods begin: at BEGIN (ns, monotonic) plus the start delay of
 * the job. The workers must not run yet, or must wait at the gate. */
void job_begin(struct job *job, int64_t begin);

/* Ends JOB: no further request is sent. Workers that have not returned at WHEN are
 * abandoned. */
static inline void
job_stop(struct job *job, int64_t when)
{
    worker_group_stop(&job->group, os_clock_now());
    job->abandon_at = time_earlier(job->abandon_at, when);
}

/* Returns whether nothing may follow the job, which has ended: a request was never
 * answered, or a request failed and the plan does not ignore errors. */
bool job_has_failed(const struct job *job);

/* Supervises all workers of JOB at time NOW: unanswered requests, periods, and the end.
 * Returns when to call it again; 0 if all workers have ended or were abandoned. */
int64_t job_supervise(struct job *job, int64_t now);

/* Adds up the statistics of all workers in the total. Returns false if the statistics of
 * a worker cannot be had now; the next call continues with that worker. */
bool job_add_up(struct job *job);

/* Joins the threads of a job that has ended, and completes its outcome. */
void job_collect(struct job *job);

/* Closes the workers, except those with a request that is stuck. If all are closed,
 * frees the memory of job_prepare and returns true; else returns false. */
bool job_close(struct job *job);

/* Runs the jobs of TASK as their active plans say, with the calling thread as
 * supervisor. Uses the run that the first job holds, or opens a new one. Returns 0, or
 * -1 with ERROR if it could not begin. */
int run_once(const struct run_task *task, struct error *error);

/* Opens such a run for thread SUPERVISOR. Its workers wait at the gate, and the first
 * job of TASK holds the run until run_once begins it. Returns 0, or -1 with ERROR. */
int run_hold(const struct run_task *task, const struct os_thread *supervisor,
             struct error *error);

/* Notifies of the end of all jobs of TASK, its load included. */
void run_end(const struct run_task *task);

/* Notifies of the summaries of all jobs of TASK. */
void run_summarize(const struct run_task *task);

/* run_execute for a TASK whose job has phases. */
int phases_execute(const struct run_task *task, struct error *error);

/* run_open_first for a TASK whose job has phases. */
int phases_open_first(const struct run_task *task, const struct os_thread *supervisor,
                      struct error *error);

/* Starts ticks at NOW, before the workers start. Without a gate it also begins the jobs;
 * otherwise whoever opens the gate begins them. */
void supervise_begin(struct run *run, int64_t now);

/* Supervises the workers, which must have been started, until all have ended or were
 * abandoned. */
void supervise(struct run *run);

#endif
