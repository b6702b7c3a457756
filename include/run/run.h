#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/error.h"
#include "io/io.h"
#include "os/thread.h"
#include "run/job.h"
#include "trace/attribution.h"

#include <stdint.h>

/* What there are records of. The last two have no statistics of their own. */
enum record_kind {
    RECORD_PERIOD,
    RECORD_SUMMARY,
    RECORD_STEP,
    RECORD_PHASE,
    RECORD_HIGHEST,    /* step of a sweep that meets its limits, after the last */
    RECORD_COMPARISON, /* of all jobs */
    RECORDS
};

/* What a job has done. */
struct run_record {
    enum record_kind kind;
    const struct stats *stats;
    int64_t duration;             /* ns, by the clock */
    const struct job_step *step;  /* NULL: they are of none */
    const struct job *background; /* of a phase; NULL: it had none */
};

/* A part of a run, a step of a sweep or a phase, at its begin. */
struct run_part {
    const char *name; /* "size=4096", "loaded" */
    enum phase phase; /* PHASE_NONE: it is a step: */
    int64_t value;    /* of what is swept */
    int index, count; /* of the step, from 0, and of all steps, -1: not known */
};

/*
 * The observer of a run, which a report fills. It hears of the jobs on the supervisor's
 * thread or on that of a worker; of begin, samples and periods never twice at a time, for
 * whichever job. What they are given is the run's; times are ns. Functions that return a
 * status return 0, or -1 when their output cannot be written: then the job ends. Any of
 * begin, fail, part, interrupt and end may be NULL, and due together with tick;
 * record too, of a run without periods and parts. Of a load they hear when something is
 * wrong with it, of its statistics so far, and of its end.
 */
struct run_observer {
    void *self;
    bool judges_slow; /* samples are to have slow_above */
    /* Once, before all others, when the target is described. */
    int (*begin)(void *self, const struct job *job);
    int (*sample)(void *self, const struct job *job, const struct sample *sample);
    /* A period, the job, its last step, a phase or all steps have ended. */
    int (*record)(void *self, const struct job *job, const struct run_record *record);
    /* A signal asked for the statistics so far, which are the job's. */
    void (*interim)(void *self, const struct job *job);
    /* Request INDEX has been under way for WAITED. */
    void (*hang)(void *self, const struct job *job, uint64_t index, int64_t waited);
    /* The job has ended, while others go on, because a request failed. */
    void (*fail)(void *self, const struct job *job);
    int (*part)(void *self, const struct job *job, const struct run_part *part);
    /* Returns when `tick` is wanted next, monotonic; INT64_MAX: never. First at the
     * begin, NOW, of each step. */
    int64_t (*next_tick)(void *self, int64_t now);
    /* The statistics of all COUNT jobs are those of NOW, monotonic. */
    void (*tick)(void *self, const struct job *jobs, int count, int64_t now);
    /* A signal ends the run: there is no further tick. */
    void (*interrupt)(void *self);
    /* The outcomes of all COUNT jobs are known, and so is the highest step; what follows
     * is the last phase, summaries or that step. The last request ended at NOW. */
    void (*end)(void *self, struct job *jobs, int count, int64_t now);
};

/* A task: all jobs at once, each by workers of its own. A load that is beside them is the
 * last of the jobs, and ends with the others, or they with it. */
struct run_task {
    struct job *jobs;
    int count;
    struct job *background; /* the load of a job with phases, right after it; or NULL */
    const struct run_observer *observer;
    struct attribution *attribution; /* NULL: there is no -breakdown */
};

/* Opens the attribution of TASK, whose targets are open, as attribution_open does, which
 * attribution_close ends after the run is closed. Returns 0, or -1 with ERROR. */
int run_attribute(struct run_task *task, struct notes *notes, struct error *error);

/*
 * Checks that there is memory for all that the workers of COUNT jobs need together: some
 * systems promise any amount, and end the program when it uses it. Returns 0, or -1 with
 * ERROR.
 */
int run_check_memory(const struct job *jobs, int count, struct error *error);

/*
 * Opens the first step or phase of the plan of TASK, up to its first request: what
 * refuses it is known before earlier files are replaced. TASK is that of run_execute,
 * which thread SUPERVISOR will call and which begins with this step; run_cancel_first
 * comes instead if it does not. Returns 0, or -1 with ERROR.
 */
int run_open_first(const struct run_task *task, const struct os_thread *supervisor,
                   struct error *error);

/* Ends the step or phase that run_open_first has opened for JOB, if it has not begun: no
 * request is sent. */
void run_cancel_first(struct job *job);

/*
 * Does the jobs of TASK, all steps or phases of the plan if that has any (then it is one
 * job), and fills their outcomes. Returns 0, or -1 with ERROR when it could not begin.
 */
int run_execute(const struct run_task *task, struct error *error);

/*
 * The same by two threads, for plans without steps and phases, so that none has to be
 * woken before the first request: one opens the run, does the work of its first worker,
 * and closes it after both have done their part; the other, which has the signals,
 * supervises it.
 */
struct run;

/*
 * Opens all workers of TASK, which must stay, for thread SUPERVISOR, and starts their
 * threads, which wait. Returns NULL with ERROR when that cannot be; else run_begin and
 * run_first_worker must follow, or run_cancel.
 */
struct run *run_open(const struct run_task *task, const struct os_thread *supervisor,
                     struct error *error);

/* Starts the time of a run that was opened: its periods and ticks count from now on. The
 * caller's run_first_worker follows, and another thread's run_supervise. */
void run_begin(struct run *run);

/* Ends and frees a run that was opened, and has not begun: no request is sent. */
void run_cancel(struct run *run);

/*
 * Sends the requests of the first worker of the first job, until it ends. Returns whether
 * the calling thread has descriptors of its own now (os_thread_unshare): targets that
 * others close stay open in them.
 */
bool run_first_worker(struct run *run);

/*
 * Supervises a run that was opened until all workers have ended or were abandoned;
 * then run_first_worker may not return. Fills the outcomes, like run_execute.
 */
void run_supervise(struct run *run);

/* Frees what is not left to a request that was still waiting. */
void run_close(struct run *run);

/*
 * The times at which a request without answer is reported: after `limit`, twice, four
 * times, eight times that. Pure; ns of whatever clock it is given.
 */
struct stall {
    int64_t limit;
    int64_t since; /* start of the request that is watched; 0: none yet */
    int64_t next;  /* age of the request at the next report */
};

/* Starts to watch; LIMIT 0 is never. */
void stall_start(struct stall *stall, int64_t limit);

/*
 * Looks at the request that started at SINCE (not above 0: there is none) at time NOW.
 * Returns its age if that is to be reported now, else 0.
 */
int64_t stall_check(struct stall *stall, int64_t since, int64_t now);

/* Returns when to look again at the latest, after stall_check at NOW; INT64_MAX: never.
 */
int64_t stall_due(const struct stall *stall, int64_t since, int64_t now);

#endif
