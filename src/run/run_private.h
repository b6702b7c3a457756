#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

/* A run, its jobs while they run, and the notifications of observers about these: for the
 * files of this room. */

#include "base/time.h"
#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The supervisor tries again after so long (ns) if statistics cannot be had now. */
#define SUPERVISE_RETRY (10 * MS)

struct run {
    struct run_task task;
    struct os_thread supervisor;
    struct os_lock
        *start_gate;       /* held while the workers are started; NULL: one is alone */
    bool is_held;          /* they wait for another thread; under the gate */
    struct os_lock *lock;  /* of notifications that return something */
    atomic_bool any_ended; /* a worker has ended */
    atomic_bool output_failed; /* the output has failed: nothing more is notified */

    atomic_bool timed_out; /* a request has, which ends all jobs */
    int64_t sectors;       /* os_process_sectors before the first request */
    bool interim_wanted;
    bool interrupted; /* by a signal */
    bool ending; /* as a request has timed out, nothing can go on, or a load is over */
};

/*
 * Takes the run's lock to notify observers; the caller releases it in any case. The first
 * to come notifies of the begin. Returns 0, or -1: the output failed.
 */
int notify_enter(struct job *job);

/* Notifies of a request of WORKER, on its thread. Returns 0, or -1: the job must end. */
int notify_sample(struct job *job, struct worker *worker, const struct sample *sample);

/* The same under the run's lock, which the caller has, on whichever thread; it holds the
 * worker's handoff, or has locked it. */
int notify_sample_locked(struct job *job, struct worker *worker,
                         const struct sample *sample);

/* Add COUNT missed requests, the first of operation NEXT, to the period of JOB; waits of
 * such, as in stats_wait; or the request of SAMPLE, which was given up without an answer.
 * Observers get no sample of these. Any thread, with or without the run's lock. */
void notify_missed(struct job *job, enum operation next, uint64_t count);
void notify_waits(struct job *job, enum operation next, int64_t stall, int64_t idle);
void notify_given_up(struct job *job, const struct sample *sample);

/* Ends the period that is due at NOW, on a worker's thread, when the group's `due` has
 * come. Returns 0, or -1: the job must end. */
int notify_due(struct job *job, int64_t now);

/* Ends a period that is due at NOW, on the supervisor's thread, unless another thread is
 * notifying. Returns when to look again; INT64_MAX: there are no periods. */
int64_t notify_end_period(struct job *job, int64_t now);

/* Ends the last periods after all workers have ended: one that was due by then, which no
 * worker has ended; and at NOW the one that their end has cut off, if the plan wants that
 * and a request was sent or missed in it. Returns 0, or when to look again, as another
 * thread is notifying something. */
int64_t notify_end_rest(struct job *job, int64_t now);

/* Prepares JOB for its present step in RUN. Returns 0, or -1 without memory. */
int job_prepare(struct job *job, struct run *run);

/* Opens all workers, by the run's engine. Returns 0, or -1 with ERROR. */
int job_open(struct job *job, struct error *error);

/* Clears what says that requests of the present step have begun or are to end, before the
 * workers start. */
void job_prepare_begin(struct job *job);

/* Sets when requests and periods begin: at BEGIN, ns, monotonic, or later by the delay of
 * the job. The workers do not run yet, or wait at the gate. */
void job_begin(struct job *job, int64_t begin);

/* Ends the job: no more requests, and workers that wait for some are abandoned at WHEN.
 */
static inline void
job_stop(struct job *job, int64_t when)
{
    worker_group_stop(&job->group, os_clock_now());
    job->abandon_at = time_earlier(job->abandon_at, when);
}

/* Returns whether a request of the job that has ended is why nothing may follow it: one
 * without answer, or one that failed. */
bool job_has_failed(const struct job *job);

/*
 * Looks after all workers at time NOW: requests without answer, periods, and the end.
 * Returns when to look again, 0: no worker is left.
 */
int64_t job_supervise(struct job *job, int64_t now);

/*
 * Makes the total what all workers have so far. Returns false if the statistics of some
 * cannot be had now: the next call goes on with those.
 */
bool job_add_up(struct job *job);

/* Joins the threads of a job that has ended, and adds to the outcome. */
void job_collect(struct job *job);

/* Closes the workers that no request is left of. If those were all, frees what
 * job_prepare took, and returns true. */
bool job_close(struct job *job);

/* Does the jobs of TASK as their present steps say, supervised by the calling thread: by
 * the run that the first job holds, or by a new one. Returns 0, or -1 with ERROR when it
 * could not begin. */
int run_once(const struct run_task *task, struct error *error);

/* Opens such a run for thread SUPERVISOR; its workers wait. The first job of TASK holds
 * it until run_once begins it. Returns 0, or -1 with ERROR. */
int run_hold(const struct run_task *task, const struct os_thread *supervisor,
             struct error *error);

/* Notify of the end of all jobs of TASK, its load included; and of their summaries. */
void run_end(const struct run_task *task);
void run_summarize(const struct run_task *task);

/* phases.c: run_execute and run_open_first for a job of TASK that has phases. */
int phases_execute(const struct run_task *task, struct error *error);
int phases_open_first(const struct run_task *task, const struct os_thread *supervisor,
                      struct error *error);

/* Starts ticks at NOW, before the workers start; and periods, if there is no gate. */
void supervise_begin(struct run *run, int64_t now);

/* Supervises the workers, which are started, until all have ended or were abandoned. */
void supervise(struct run *run);

#endif
