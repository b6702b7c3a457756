#ifndef RUN_RUN_PRIVATE_H
#define RUN_RUN_PRIVATE_H

/* A run, its worker threads, its jobs while they run, and the notifications of observers
 * about these: for the files of this room. */

#include "base/time.h"
#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A worker and its thread, which may get stuck in the kernel, as the supervisor sees it.
 * If it is abandoned, it must stay in memory until the program ends.
 */
struct worker_thread {
    struct worker worker;
    struct os_thread working;
    bool started; /* that is a thread of its own, to be joined */
    atomic_bool ended;
    struct stall stall;
    bool abandoned; /* it is stuck with requests, and not waited for */
    int64_t since;  /* when the oldest of them that has not failed was sent; 0: none */
};

/* Makes a worker and its thread for JOB, with a track and a series if that has them; NULL
 * without memory. */
struct worker_thread *worker_thread_make(const struct job *job);

/* Frees what worker_thread_make took; the worker is closed, or was never open. */
void worker_thread_free(struct worker_thread *thread);

/* Starts the worker, which is open, on a thread of its own, which works when the run's
 * gate is open, and wakes the supervisor when it ends. Returns 0, or -1 with errno. */
int worker_thread_start(struct worker_thread *thread);

/* Prepares the same for the calling thread, which then works in worker_thread_work; that
 * returns whether the thread has descriptors of its own now (os_thread_unshare). */
void worker_thread_adopt(struct worker_thread *thread);
bool worker_thread_work(struct worker_thread *thread);

/* Waits for the end of the thread, if it was started. */
void worker_thread_join(struct worker_thread *thread);

/* Returns whether the worker has ended or was abandoned. */
bool worker_thread_is_over(const struct worker_thread *thread);

/*
 * Looks for a request without answer at time NOW. Returns its age, not counting the time
 * before RESUMED, when the process went on after a stop, if that is to be reported now,
 * else 0. INDEX becomes its ordinal, AGAIN when to look again at the latest.
 */
int64_t worker_thread_check(struct worker_thread *thread, int64_t resumed, int64_t now,
                            uint64_t *index, int64_t *again);

/*
 * Fails the requests that have timed out at NOW, notifies of them under the run's lock,
 * which the caller has if it NOTIFIES, and abandons the worker, which is stuck with them.
 * Nothing happens if it has gone on meanwhile.
 */
void worker_thread_abandon_late(struct worker_thread *thread, int64_t resumed,
                                int64_t now, bool notifies);

/* Adds the statistics so far to TOTAL, and to TRACK where there is one, and what has no
 * answer yet to UNDER_WAY. Returns false if the worker does not release them now. */
bool worker_thread_merge(struct worker_thread *thread, struct stats *total,
                         struct track *track, struct job_under_way *under_way);

/* Ends the sleep of the worker, so that it sees what has changed. */
void worker_thread_wake(struct worker_thread *thread);

/*
 * Abandons the worker at time NOW if it waits for a request. Nothing that it owns changes
 * any more then, even if the request returns.
 */
void worker_thread_abandon(struct worker_thread *thread, int64_t now);

/* The supervisor tries again after so long (ns) if statistics cannot be had now. */
#define SUPERVISE_RETRY (10 * MS)

struct run {
    struct run_task task;
    struct os_thread supervisor;
    struct os_lock *gate;  /* held while the workers are started; NULL: there is one */
    struct os_lock *lock;  /* of notifications that return something */
    atomic_bool any_ended; /* a worker has ended */
    atomic_bool silenced;  /* the output has failed: nothing more is notified */

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

/* Does the jobs of TASK as their present steps say, supervised by the calling thread.
 * Returns 0, or -1 with ERROR when it could not begin. */
int run_once(const struct run_task *task, struct error *error);

/* Notify of the end of all jobs of TASK, its load included; and of their summaries. */
void run_end(const struct run_task *task);
void run_summarize(const struct run_task *task);

/* Does the phases of the job of TASK, which has any: phases.c. Returns like run_execute.
 */
int phases_execute(const struct run_task *task, struct error *error);

/* Starts ticks at NOW, before the workers start; and periods, if there is no gate. */
void supervise_begin(struct run *run, int64_t now);

/* Supervises the workers, which are started, until all have ended or were abandoned. */
void supervise(struct run *run);

#endif
