#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/error.h"
#include "io/io.h"
#include "os/thread.h"
#include "run/job.h"
#include "trace/attribution.h"

#include <stdint.h>

/* The kinds of records. The last two have no statistics. */
enum record_kind {
    RECORD_PERIOD,
    RECORD_SUMMARY,
    RECORD_STEP,
    RECORD_PHASE,
    RECORD_HIGHEST,    /* the highest step that meets the limits, after the last step */
    RECORD_COMPARISON, /* all jobs compared with each other */
    RECORDS
};

/* The statistics of a job, a step, a phase or a period that has ended. */
struct run_record {
    enum record_kind kind;
    const struct stats *stats;
    int64_t duration;             /* elapsed time, ns */
    const struct job_step *step;  /* NULL unless this is the record of a step */
    const struct job *background; /* the load that ran beside a phase, or NULL */
};

/* A step of a sweep or a phase, at its begin. */
struct run_part {
    const char *name; /* such as "size=4096" or "loaded" */
    enum phase phase; /* PHASE_NONE for a step; the fields below are for steps only */
    int64_t value;    /* value of the swept quantity */
    /* index of the step, from 0; number of steps, -1 if unknown */
    int index, count;
};

/*
 * The observer of a run, which the reports fill. It is notified of what happens to the
 * jobs.
 *
 * Thread: the supervisor, or a worker. The run's lock serialises the calls of begin, of
 * sample, and of record for a period, for all jobs together. Arguments belong to the run.
 * All times are in ns.
 *
 * Functions that return a status return 0, or -1 if their output cannot be written; then
 * the job ends. Any of begin, fail, part, interrupt and end may be NULL, next_tick may be
 * NULL together with tick, and record may be NULL in a run without periods, steps and
 * phases.
 *
 * A background load is notified of through hang, fail, interim and end only.
 */
struct run_observer {
    void *self;
    bool judges_slow; /* `slow_above` of samples must be set */
    /* Called once per job, when the target has been described, before the first sample,
     * record or tick. */
    int (*begin)(void *self, const struct job *job);
    int (*sample)(void *self, const struct job *job, const struct sample *sample);
    /* A period, the job, a step, a phase or all steps have ended. */
    int (*record)(void *self, const struct job *job, const struct run_record *record);
    /* A signal asked for the statistics so far, which are those of JOB. */
    void (*interim)(void *self, const struct job *job);
    /* Request INDEX has been in flight for WAITED ns. */
    void (*hang)(void *self, const struct job *job, uint64_t index, int64_t waited);
    /* JOB has ended because a request failed, while other jobs go on. */
    void (*fail)(void *self, const struct job *job);
    int (*part)(void *self, const struct job *job, const struct run_part *part);
    /* Returns when `tick` is wanted next, ns, monotonic; INT64_MAX for never. First
     * called at NOW, the begin of each step. */
    int64_t (*next_tick)(void *self, int64_t now);
    /* The statistics of all COUNT jobs, without a load, are as of NOW, ns, monotonic. */
    void (*tick)(void *self, const struct job *jobs, int count, int64_t now);
    /* A signal ends the run. No tick follows. */
    void (*interrupt)(void *self);
    /* The outcomes of all COUNT jobs and the highest step are known. The record of the
     * last phase, the summaries or the record of the highest step follow. The last
     * request ended at NOW. */
    void (*end)(void *self, struct job *jobs, int count, int64_t now);
};

/* What to run: all jobs at the same time, each with its own workers. A background load is
 * the last of the jobs. When the load ends, the other jobs end too, and when another job
 * ends, the load ends too. */
struct run_task {
    struct job *jobs;
    int count;
    /* the load of a job with phases, stored right after that job; or NULL */
    struct job *background;
    const struct run_observer *observer;
    struct attribution *attribution; /* NULL without -breakdown */
};

/* Opens the attribution for TASK, whose targets must be open, and stores it in TASK; see
 * attribution_open. The caller closes it with attribution_close, after the run is closed.
 * Returns 0, or -1 with ERROR. */
int run_attribute(struct run_task *task, struct notes *notes, struct error *error);

/* Checks that there is enough memory for the workers of COUNT jobs together. Some systems
 * grant any amount of memory, and kill the program when it uses the memory. Returns 0, or
 * -1 with ERROR. */
int run_check_memory(const struct job *jobs, int count, struct error *error);

/*
 * Opens the first step or phase of TASK, up to but without its first request, so that an
 * error is known before earlier files are replaced. Thread SUPERVISOR will then call
 * run_execute for the same TASK, which begins with this step; if that does not happen,
 * call run_cancel_first. Returns 0, or -1 with ERROR.
 */
int run_open_first(const struct run_task *task, const struct os_thread *supervisor,
                   struct error *error);

/* Closes the step or phase that run_open_first has opened for JOB, without sending a
 * request. Does nothing if it has begun or was not opened. */
void run_cancel_first(struct job *job);

/* Runs TASK on the calling thread as the supervisor, and fills the outcomes of its jobs:
 * all steps or phases of the plan if there are any, for which TASK must have one job.
 * Returns 0, or -1 with ERROR if the run could not begin. */
int run_execute(const struct run_task *task, struct error *error);

/*
 * The functions below do the same with two threads, for plans without steps and phases,
 * so that no thread has to be woken before the first request. The leader opens the run,
 * does the work of its first worker, and closes the run after both threads have done
 * their part. The supervisor, which has the signals, supervises it.
 *
 *     leader:      run_open  run_begin  run_first_worker  (waits)           run_close
 *     supervisor:                       run_supervise: outcomes, end, summaries
 */
struct run;

/*
 * Opens all workers of TASK for thread SUPERVISOR and starts their threads, which wait at
 * the gate. TASK and its jobs must outlive the run. Returns NULL with ERROR if that
 * fails. Otherwise the caller continues with run_begin and run_first_worker, or with
 * run_cancel.
 */
struct run *run_open(const struct run_task *task, const struct os_thread *supervisor,
                     struct error *error);

/* Starts the clock of a run that was opened: its periods and ticks count from now on. The
 * caller must then call run_first_worker, and another thread run_supervise. */
void run_begin(struct run *run);

/* Ends and frees a run that was opened and has not begun. No request is sent. */
void run_cancel(struct run *run);

/* Sends the requests of the first worker of the first job, until it ends. Returns whether
 * the calling thread now has its own table of file descriptors (os_thread_unshare): if
 * so, targets that other threads close stay open in this thread. */
bool run_first_worker(struct run *run);

/* Supervises a run that was opened until all workers have ended or were abandoned, fills
 * the outcomes and notifies of the end and the summaries. If a worker was abandoned,
 * run_first_worker may never return. */
void run_supervise(struct run *run);

/* Frees the run, except the memory that an unanswered request may still use. */
void run_close(struct run *run);

/* Decides when to report an unanswered request: when its age is `limit`, and then 2, 4,
 * 8, ... times that. It reads no clock; all times are ns of the clock that the caller
 * uses. */
struct stall {
    int64_t limit;
    int64_t since; /* when the watched request was sent; 0: no request yet */
    int64_t next;  /* age at which it is reported next */
};

/* Starts STALL with the first report at the age LIMIT; 0 for no reports. */
void stall_start(struct stall *stall, int64_t limit);

/* Checks at time NOW the oldest request, sent at SINCE; a SINCE of 0 or below means that
 * no request is in flight. Returns the age of the request if it is to be reported now,
 * else 0. */
int64_t stall_check(struct stall *stall, int64_t since, int64_t now);

/* Returns the latest time at which stall_check must be called again, after a call at NOW;
 * INT64_MAX for never. */
int64_t stall_due(const struct stall *stall, int64_t since, int64_t now);

#endif
