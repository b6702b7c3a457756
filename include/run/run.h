#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/error.h"
#include "io/io.h"
#include "os/thread.h"
#include "run/job.h"
#include "trace/attribution.h"

#include <stdint.h>

struct diagnosis;

/* The kinds of struct run_record. RECORD_HIGHEST, RECORD_COMPARISON and RECORD_DIAGNOSIS
 * have no statistics. */
enum record_kind {
    RECORD_PERIOD,
    RECORD_SUMMARY,
    RECORD_STEP,
    RECORD_PHASE,
    RECORD_HIGHEST,    /* the highest step that meets the limits; follows the last step */
    RECORD_COMPARISON, /* all jobs compared with each other */
    RECORD_DIAGNOSIS,  /* what all parts of -diagnose mean together */
    RECORDS
};

/* Statistics of a job, a step, a phase or a period that has ended, for the reports. */
struct run_record {
    enum record_kind kind;
    const struct stats *stats;
    int64_t duration;             /* elapsed time that the statistics cover, ns */
    const struct job_step *step;  /* the step, if `kind` is RECORD_STEP; else NULL */
    const struct job *background; /* the load (-load) that ran beside a phase, or NULL */
    const struct diagnosis *diagnosis; /* of RECORD_DIAGNOSIS; else NULL */

    /* The fields below are set only if `kind` is RECORD_PERIOD. */
    int64_t ended_at; /* end of the period, ns, monotonic */
    /* The multiple of -P at which the period was due to end, ns, monotonic. It is the
     * same for all jobs. It is above `ended_at` if the run ended first, and may be well
     * below it after a stall. 0 if a number of requests can end a period (-p). */
    int64_t due_at;
};

/* A step of a sweep (-sweep), or a phase (-load), that begins now. */
struct run_part {
    const char *name; /* such as "size=4096" for a step or "loaded" for a phase */
    enum phase phase; /* PHASE_NONE for a step; only a step has the fields below */
    int64_t value;    /* value of the swept quantity: 4096 in the step "size=4096" */
    int index, count; /* index of the step, from 0; number of steps, -1 if unknown */
};

/*
 * The observer of a run: functions of the reports (report/report.c), which the run calls
 * when something happens to a job.
 *
 * The supervisor or a worker calls `begin`, `sample`, and `record` for a period. The lock
 * of the run serialises these calls, for all jobs together. The supervisor makes all
 * other calls, without this lock, except the first call of `next_tick`: the thread that
 * begins the run makes it. The caller owns all arguments. All times are in ns.
 *
 * A function that returns a status returns 0, or -1 if its output cannot be written; then
 * all jobs end. `begin`, `fail`, `part`, `interrupt` and `end` may each be NULL.
 * `next_tick` and `tick` may both be NULL. `record` may be NULL in a run without periods,
 * steps and phases.
 *
 * For a background load (-load), the run calls only `hang`, `fail`, `interim` and `end`.
 */
struct run_observer {
    void *self; /* the first argument of each function */
    /* workers must set `slow_above` of each sample, which is the latency above which
     * reports show the request as slow */
    bool needs_slow_above;
    /* Called once per job, when the target has been described, before the first sample,
     * record or tick. */
    int (*begin)(void *self, const struct job *job);
    /* Called when a request of JOB has ended. SAMPLE is the result of the request. */
    int (*sample)(void *self, const struct job *job, const struct sample *sample);
    /* Called when a period, a step, a phase, a whole sweep or the job has ended; see enum
     * record_kind. */
    int (*record)(void *self, const struct job *job, const struct run_record *record);
    /* Called for each job when a signal has asked for the statistics so far. The
     * statistics of JOB are up to date. */
    void (*interim)(void *self, const struct job *job);
    /* Called when the request with number INDEX has been in flight for WAITED ns. */
    void (*hang)(void *self, const struct job *job, uint64_t index, int64_t waited);
    /* Called when JOB has ended because a request failed, while other jobs go on. */
    void (*fail)(void *self, const struct job *job);
    /* Called when a step or a phase begins. */
    int (*part)(void *self, const struct job *job, const struct run_part *part);
    /* Returns the time of the next call of `tick` (ns, monotonic), INT64_MAX for never.
     * First called at NOW, the start of each step or phase. */
    int64_t (*next_tick)(void *self, int64_t now);
    /* The statistics of COUNT jobs are up to date at NOW (ns, monotonic). JOBS does not
     * include a background load. */
    void (*tick)(void *self, const struct job *jobs, int count, int64_t now);
    /* Called when a signal ends the run. No tick follows. */
    void (*interrupt)(void *self);
    /* Called when the outcomes of all COUNT jobs are known, and in a sweep also the
     * highest step that meets the limits. COUNT includes a background load if the load
     * was tried. The last request ended at NOW. Afterwards the run calls `record`: in a
     * sweep for the highest step; otherwise for the last phase, if there are phases
     * (-load), and for the summary of each job. */
    void (*end)(void *self, struct job *jobs, int count, int64_t now);
};

/* The jobs of a run, one per target. They run at the same time, each with its own
 * workers. With -load, `jobs` also has the background load, as its last entry. If any job
 * ends, the load ends, and if the load ends, all other jobs end. */
struct run_task {
    struct job *jobs;
    /* Number of jobs that run. A task for run_open_first or run_execute does not count
     * the load, because the load runs in one phase only. In the task of that phase, which
     * src/run/phases.c makes, `count` includes the load. */
    int count;
    /* the load, which is the last entry of `jobs`; NULL if the task has no load */
    struct job *background;
    const struct run_observer *observer;
    /* splits the time of requests into parts; NULL without -breakdown */
    struct attribution *attribution;
};

/* Opens the attribution (-breakdown), which finds where the time of requests is spent,
 * for TASK, whose targets must be open. Stores it in TASK. After run_close the caller
 * frees it with attribution_close. Returns 0, or -1 with ERROR. */
int run_open_attribution(struct run_task *task, struct notes *notes, struct error *error);

/* Checks that there is enough memory for the workers of COUNT jobs together. This is
 * necessary because some systems let a program allocate any amount of memory, but kill it
 * when it uses too much. Returns 0, or -1 with ERROR. */
int run_check_memory(const struct job *jobs, int count, struct error *error);

/*
 * Opens the first step or phase of TASK, or its only run if it has neither, but sends no
 * request yet. So an error is known before output files of earlier runs are replaced.
 * Afterwards thread SUPERVISOR calls run_execute for the same TASK, which begins with
 * this run; if that cannot happen, the caller calls run_cancel_first. Returns 0, or -1
 * with ERROR. Defined in src/run/sweep.c.
 */
int run_open_first(const struct run_task *task, const struct os_thread *supervisor,
                   struct error *error);

/* Closes the step or phase that run_open_first has opened for JOB, without sending a
 * request. Does nothing if run_open_first was not called, or if run_execute has already
 * begun with the step or phase. */
void run_cancel_first(struct job *job);

/* Runs TASK and fills the outcomes of its jobs. The calling thread is the supervisor. If
 * the plan has steps or phases, runs all of them; then TASK must have one job, besides a
 * background load. Returns 0, or -1 with ERROR if the run could not begin. Defined in
 * src/run/sweep.c. */
int run_execute(const struct run_task *task, struct error *error);

/*
 * The functions from here to run_close are an alternative to run_execute, with two
 * threads, for plans without steps and phases. The leader opens the run and then sends
 * requests itself, as the first worker of the first job, so no other thread has to be
 * woken before the first request. The supervisor is the thread that receives the signals.
 *
 *     leader:      run_open  run_begin  run_first_worker
 *     supervisor:                       run_supervise: outcomes, end, summaries
 *     any thread:                                                            run_close
 *
 * Any thread may call run_close, after run_supervise has returned, and run_first_worker
 * has returned or its worker was abandoned.
 */
struct run;

/* Opens a run: opens all workers of TASK, and starts their threads, which do not send
 * requests yet. SUPERVISOR is the thread that will call run_supervise. TASK and its jobs
 * must outlive the run. Returns NULL with ERROR if that fails. Otherwise the caller
 * continues with run_begin and run_first_worker, or with run_cancel. */
struct run *run_open(const struct run_task *task, const struct os_thread *supervisor,
                     struct error *error);

/* Starts the clock of RUN, which was opened: its periods and ticks count from now on. The
 * caller must then call run_first_worker, and another thread run_supervise. */
void run_begin(struct run *run);

/* Ends and frees RUN, which was opened and has not begun. No request is sent. */
void run_cancel(struct run *run);

/* Lets all workers of RUN begin. Then runs the first worker of the first job on the
 * calling thread, until that worker ends. Returns true if the calling thread has its own
 * table of file descriptors now (os_thread_unshare): then descriptors that other threads
 * close stay open in the calling thread. */
bool run_first_worker(struct run *run);

/* Supervises RUN until each worker has ended, or was abandoned because it is stuck in the
 * kernel. Then fills the outcomes, and notifies the observer of the end and the
 * summaries. If the first worker was abandoned, run_first_worker may never return. */
void run_supervise(struct run *run);

/* Frees RUN. If a request was never answered, the memory that it may still use is not
 * freed. */
void run_close(struct run *run);

/* Decides when to report a request without an answer: when it is `limit` old, and again
 * at 2, 4, 8, ... times that age. It reads no clock. All times are in ns on the clock of
 * the caller. The functions are in src/run/worker_thread.c. */
struct stall {
    int64_t limit; /* age of a request at its first report; INT64_MAX: no reports */
    int64_t since; /* when the watched request was sent; 0: no request yet */
    int64_t next;  /* age of the watched request at its next report */
};

/* Starts STALL. A request is reported first when it is LIMIT old. If LIMIT is 0, no
 * request is reported. */
void stall_start(struct stall *stall, int64_t limit);

/* Checks the oldest request at time NOW. It was sent at SINCE; a SINCE of 0 or below
 * means that no request is in flight. Returns the age of the request if it must be
 * reported now, else 0. */
int64_t stall_check(struct stall *stall, int64_t since, int64_t now);

/* Returns the latest time for the next call of stall_check, INT64_MAX for never. SINCE
 * and NOW are the same as in the previous call of stall_check. */
int64_t stall_due(const struct stall *stall, int64_t since, int64_t now);

#endif
