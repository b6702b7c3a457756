#ifndef RUN_RUN_H
#define RUN_RUN_H

#include "base/error.h"
#include "io/io.h"
#include "os/thread.h"
#include "plan/plan.h"
#include "run/outcome.h"
#include "stats/track.h"
#include "target/target.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Where a run tells what it sees of one target; a report fills it. All are there but
 * where NULL is said to be possible. They are called on the thread that attends to the
 * run or on that of a worker; those that return something never two at a time, for
 * whichever target. STATS and SAMPLE are the run's; times are ns by the clock. Those
 * that return something return 0, or -1 when their output cannot be written: then the
 * target is done.
 */
struct run_observer {
    void *self;
    /* Once, before all others, when the target is described; NULL: not wanted. */
    int (*begin)(void *self);
    int (*sample)(void *self, const struct sample *sample);
    int (*period)(void *self, const struct stats *stats, int64_t time);
    int (*summary)(void *self, const struct stats *stats, int64_t time);
    void (*interim)(void *self, const struct stats *stats);
    /* Request INDEX has been under way for WAITED. */
    void (*hang)(void *self, uint64_t index, int64_t waited);
    /* The target is done, while others are not, because this request failed; NULL: not
     * wanted. */
    void (*fail)(void *self, const struct sample *failed);
    /* A sweep begins the NUMBERth step, from 0, of COUNT with VALUE; NULL: not wanted. */
    void (*stepping)(void *self, int64_t value, int number, int count);
    /* A step of a sweep, which did VALUE, has ended with STATS after TIME. */
    int (*step)(void *self, int64_t value, const struct stats *stats, int64_t time);
};

/* One target as it stands: all workers together. */
struct run_snapshot {
    const struct stats *stats;
    const struct track *track; /* NULL: the plan has no plot of it */
    bool done;                 /* nothing more is to come of it */
};

/*
 * Who looks at all targets, COUNT of them in their order, now and then, on the thread
 * that attends to them. NOW and times are ns, monotonic.
 */
struct run_ticker {
    void *self;
    int64_t every; /* ns from one look to the next, above 0 */
    int64_t due;   /* when the next is, which the run sets; 0: EVERY after the begin */
    bool last;     /* once more at the end, when nothing changes any more */
    void (*tick)(void *self, const struct run_snapshot *snapshots, int count,
                 int64_t now);
    /* A signal ends the run, so there are no more but the last; NULL: not wanted. */
    void (*rest)(void *self);
};
#define RUN_TICKERS 4 /* of a report, at most */

/* A target, opened, and all that belongs to it alone. */
struct run_target {
    const struct plan *plan; /* its own */
    struct target *target;
    struct run_observer observer;
    struct outcome *outcome; /* how it ended, all but its slos and its output_error */
};

/* What is to be done: with each of the targets by workers of its own, at once. */
struct run_task {
    const struct engine_ops *engine;
    const struct run_target *targets;
    int count;
    struct run_ticker *tickers;
    int ticker_count;
};

/*
 * Does what TASK says, all steps of its plan if that sweeps (then with one target),
 * names targets that are not yet, tells the observers, and fills the outcomes. If a
 * request was still waiting then, the targets and the texts of their plans must stay
 * until the program ends. Returns 0, or -1 with ERROR when it could not begin.
 */
int run_execute(const struct run_task *task, struct error *error);

/*
 * The same in parts, for plans that do not sweep, by two threads, so that none
 * has to be woken before the first request. One opens the run, leads it, which is
 * the work of one of its workers, and closes it after both have done their part;
 * the other, which has the signals, attends to it.
 */
struct run;

/* Opens all workers of TASK, which must stay, for thread ATTENDING to attend to.
 * Returns NULL with ERROR when that cannot be; else run_first_worker must follow. */
struct run *run_open(const struct run_task *task, const struct os_thread *supervisor,
                     struct error *error);

/* Sends requests until those of the first target end. */
void run_first_worker(struct run *run);

/*
 * Attends to a run that was opened until all workers have ended or were given up;
 * then run_first_worker may not return. Fills the outcomes, like run_execute.
 */
void run_supervise(struct run *run);

/* Frees what is not left to a request that was still waiting. */
void run_close(struct run *run);

#endif
