#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

/* Functions that the files of this folder share: for a run, for its jobs while they run,
 * for the periods of a job, and for the calls of the observer. */

#include "base/time.h"
#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The supervisor tries again after this time, in ns, if a worker was too busy to give its
 * statistics, or if another thread had the run's lock. */
#define SUPERVISE_RETRY (10 * MS)

struct run {
    struct run_task task;
    struct os_thread supervisor;
    /* Workers acquire this lock before they begin, so they wait while another thread has
     * it. NULL if there is a single worker that begins at once. */
    struct os_lock *start_gate;
    /* true until a run with START_HELD begins: workers that have acquired `start_gate`
     * wait with os_lock_wait until this is false; guarded by `start_gate` */
    bool is_held;
    /* serialises the calls of `begin`, `sample`, and `record` for a period (struct
     * run_observer); also guards the periods of the jobs (struct job_period) */
    struct os_lock *lock;
    atomic_bool any_ended;     /* a worker has ended since the supervisor last waited */
    atomic_bool output_failed; /* an output could not be written, so all jobs must end */

    atomic_bool timed_out; /* a request has timed out, so all jobs must end */
    int64_t sectors;       /* result of os_process_sectors before the first request */
    bool interim_wanted;   /* a signal has asked for the statistics so far */
    bool interrupted;      /* a signal has asked the run to end */
    /* all jobs were stopped: because of a timeout, because no worker can send requests
     * any more, or because a job ended beside a load */
    bool is_ending;
};

/* Acquires the run's lock, which the caller must release even after an error. The first
 * call for JOB calls `begin` of the observer. Returns 0, or -1 if the output failed. */
int notify_lock(struct job *job);

/* Reports a request of WORKER to the observer, and adds it to the period. Called by the
 * worker's thread. Returns 0, or -1 if the job must end. */
int notify_sample(struct job *job, struct worker *worker, const struct sample *sample);

/* Does the same as notify_sample for a caller that already has the run's lock and the
 * handoff of WORKER: the worker's thread, or the supervisor after handoff_lock. */
int notify_sample_locked(struct job *job, struct worker *worker,
                         const struct sample *sample);

/* The functions period_add_... do not call the observer. They add to `unsampled` of the
 * period of JOB. Any thread may call them, with or without the run's lock. */

/* Adds COUNT missed requests, which were due but never sent, to the period of JOB. NEXT
 * is the operation of the first of them. */
void period_add_missed(struct job *job, enum operation next, uint64_t count);

/* Adds waits (-corrected) to the period of JOB: the times that missed requests would have
 * waited. They were missed during a stall of STALL ns; in the last IDLE ns of the stall,
 * no request was due any more. NEXT is the operation of the first missed request. */
void period_add_waits(struct job *job, enum operation next, int64_t stall, int64_t idle);

/* Adds the request of SAMPLE, which was given up without an answer, to the period of
 * JOB. */
void period_add_given_up(struct job *job, const struct sample *sample);

/* Ends the period of JOB at NOW (ns, monotonic) if `period_end` of the group has passed.
 * Called by a worker's thread. Waits for the run's lock. Returns 0, or -1 if the job must
 * end. */
int notify_end_due_period(struct job *job, int64_t now);

/* Does the same as notify_end_due_period for the supervisor, which must not wait: does
 * nothing if another thread has the run's lock. Returns the time at which to call it
 * again (ns, monotonic), INT64_MAX if there are no periods. */
int64_t notify_try_end_period(struct job *job, int64_t now);

/*
 * Closes up to two periods of JOB, whose workers have all ended or were abandoned. First
 * closes the period that was already due when the last worker ended, if no worker has
 * closed it. Then closes the incomplete period at NOW, if the plan asks for it and a
 * request was sent or missed in it. Returns 0. If another thread has the run's lock and
 * no worker was abandoned, returns the time at which the caller must try again (ns,
 * monotonic).
 */
int64_t notify_end_last_periods(struct job *job, int64_t now);

/* Prepares JOB for its present step or phase, which is part of RUN. Returns 0, or -1 if
 * memory is lacking; in both cases job_close frees the memory. */
int job_prepare(struct job *job, struct run *run);

/* Opens all workers of JOB with the engine of its plan. Returns 0, or -1 with ERROR. */
int job_open(struct job *job, struct error *error);

/* Resets the flags and times in the group of JOB that workers read to know whether they
 * may begin or must end. Called before the workers may begin. */
void job_prepare_begin(struct job *job);

/* Sets when the requests and the periods of JOB begin: at BEGIN (ns, monotonic) plus its
 * start delay. Called before the workers may begin. */
void job_begin(struct job *job, int64_t begin);

/* Stops JOB: its workers send no further requests. A worker that is still waiting for a
 * request at WHEN (ns, monotonic) is abandoned. */
static inline void
job_stop(struct job *job, int64_t when)
{
    worker_group_stop(&job->group, os_clock_now());
    job->abandon_at = time_earlier(job->abandon_at, when);
}

/* Returns true if no further step or phase may follow JOB, which has ended: a request was
 * never answered, or a request failed and the plan does not ignore errors. */
bool job_has_failed(const struct job *job);

/* Checks all workers of JOB at NOW (ns, monotonic): reports unanswered requests, ends
 * periods and abandons workers. Returns the time at which to call it again, 0 if all
 * workers have ended or were abandoned. */
int64_t job_check(struct job *job, int64_t now);

/* Adds up the statistics of all workers of JOB in `progress.total`. Returns false if a
 * worker was too busy to give its statistics; the next call continues with that worker.
 */
bool job_add_up(struct job *job);

/* Joins the threads of JOB, whose workers have all ended or were abandoned, and completes
 * its outcome. */
void job_collect(struct job *job);

/* Closes the workers of JOB, except those that are stuck in the kernel. If no worker is
 * stuck, frees the memory of job_prepare and returns true; else returns false. */
bool job_close(struct job *job);

/* Runs the jobs of TASK by their active plans. The calling thread is the supervisor.
 * Begins the run that run_hold has opened, or else opens one. Returns 0, or -1 with ERROR
 * if the run could not begin. */
int run_once(const struct run_task *task, struct error *error);

/* Opens a run for TASK, whose workers wait until run_once begins it, and stores it in
 * `held_run` of the first job. SUPERVISOR is the thread that will call run_once. Returns
 * 0, or -1 with ERROR. */
int run_hold(const struct run_task *task, const struct os_thread *supervisor,
             struct error *error);

/* Calls `end` of the observer for all jobs of TASK, including a background load. */
void run_end(const struct run_task *task);

/* Reports the summaries of all jobs of TASK to the observer. */
void run_summarize(const struct run_task *task);

/* Does the same as run_execute, for a TASK whose job has phases (-load). */
int phases_execute(const struct run_task *task, struct error *error);

/* Does the same as run_open_first, for a TASK whose job has phases (-load). */
int phases_open_first(const struct run_task *task, const struct os_thread *supervisor,
                      struct error *error);

/* Starts the ticks of RUN at NOW (ns, monotonic), before the workers may begin. If RUN
 * has no `start_gate`, also sets when requests begin; otherwise the thread that opens the
 * gate does that. */
void supervise_begin(struct run *run, int64_t now);

/* Supervises the workers of RUN, which must have been started, until each worker has
 * ended or was abandoned. */
void supervise(struct run *run);

#endif
