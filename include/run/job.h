#ifndef RUN_JOB_H
#define RUN_JOB_H

#include "base/error.h"
#include "os/thread.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "stats/busy.h"
#include "stats/stats.h"
#include "stats/track.h"
#include "target/target.h"

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define JOB_STEPS 64 /* more than any sweep that doubles has */

/* A step of a sweep, after its end. */
struct job_step {
    int64_t value;         /* bytes, threads or depth */
    uint64_t requests;     /* that count; 0: the step is left out */
    double iops, bps;      /* by the clock */
    int64_t p50, p99, max; /* ns */
    uint64_t failed;       /* requests that did not succeed */
};

/* The state that the workers of a target share. `taken` has a cache line of its own:
 * it changes while the other fields are read all the time. */
struct worker_group {
    int size;                  /* workers */
    uint64_t count;            /* requests that all of them may send */
    atomic_bool stop;          /* no more requests; set by any thread */
    int64_t begin;             /* when all of them begin, monotonic */
    _Atomic int64_t due;       /* when a period ends; INT64_MAX: never */
    struct os_lock *busy_lock; /* of `busy`; NULL: there is one request at a time */
    struct busy busy;          /* of all workers */
    alignas(64) _Atomic uint64_t taken; /* numbers of requests, which are not all sent */
};

/* Takes up to WANTED numbers of requests, from FIRST on. Returns how many, 0 if none is
 * left. The counter never passes `count`, so it cannot overflow. Any worker. */
static inline uint64_t
worker_group_take(struct worker_group *group, uint64_t wanted, uint64_t *first)
{
    uint64_t taken = atomic_load_explicit(&group->taken, memory_order_relaxed), more;
    do {
        uint64_t left = group->count - taken;
        more = wanted < left ? wanted : left;
        if (group->size == 1) { /* nobody takes some at the same time */
            atomic_store_explicit(&group->taken, taken + more, memory_order_relaxed);
            break;
        }
    } while (more && !atomic_compare_exchange_weak_explicit(
                         &group->taken, &taken, taken + more, memory_order_relaxed,
                         memory_order_relaxed));
    *first = taken + 1;
    return more;
}

/* Returns whether all numbers are taken. Any thread. */
static inline bool
worker_group_is_done(const struct worker_group *group)
{
    return atomic_load_explicit(&group->taken, memory_order_relaxed) >= group->count;
}

struct run;
struct worker_thread;

/*
 * One target of a run: what is to be done with it, the workers that do it, and what
 * became of it. job_init and the opening of the target fill the first group of fields,
 * the run fills the others, on the supervisor's thread where nothing else is said.
 * Reporters read the first two groups. A job must stay until the program ends if a
 * request is left waiting.
 */
struct job {
    int number;  /* from 0, among all targets */
    int targets; /* how many there are */
    struct plan plan;
    struct target target;
    int64_t opening; /* when the opening of the target began, monotonic */

    struct outcome outcome;    /* its total and times are those of all steps so far */
    const struct stats *stats; /* of the present step, or of all after the last */
    struct track *track;       /* likewise; NULL: there is no plot of it */
    struct job_step steps[JOB_STEPS];
    int step_count;
    bool done;          /* nothing more is to come of the present step */
    bool begun;         /* the run was tried, or the sweep */
    struct error error; /* why that, or a step, could not begin; status 0: it could */

    struct plan step; /* what the workers do: the plan, or a step of its sweep */
    struct run *run;
    struct worker_group group;
    struct worker_thread **threads; /* as many as the group has workers */
    bool introduced;                /* observers know of it; under the run's lock, */
    int64_t period_began;           /* like the period: ns, monotonic */
    struct stats period;
    struct busy period_busy; /* by the requests of the period that count, within it */
    struct stats total;      /* of all workers, when it was last put together */
    bool current;            /* the total is that of this moment */
    int added;               /* workers that are in the total, while not all are */
    int64_t give_up; /* when requests that do not return are; INT64_MAX: not yet */
};

/*
 * Makes JOB, which is all zero, what PLAN does with its NUMBERth target, from 0; the plan
 * must outlive it. The target is not open. Returns 0, or -1 without memory.
 */
int job_init(struct job *job, const struct plan *plan, int number);

/* Frees what job_init took. */
void job_free(struct job *job);

/* The name of a job's target where there are others, for messages; else NULL. */
static inline const char *
job_name(const struct job *job)
{
    return job->targets > 1 ? job->plan.path : NULL;
}

#endif
