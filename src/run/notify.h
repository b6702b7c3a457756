#ifndef RUN_NOTIFY_H
#define RUN_NOTIFY_H

#include "run/job.h"

struct worker;

/* Notifications of observers about a job while it runs. */

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

/* Ends the period that is due at NOW, on a worker's thread, when the group's `due` has
 * come. Returns 0, or -1: the job must end. */
int notify_due(struct job *job, int64_t now);

/* Ends a period that is due at NOW, on the supervisor's thread, unless another thread is
 * notifying. Returns when to look again; INT64_MAX: there are no periods. */
int64_t notify_end_period(struct job *job, int64_t now);

/* Ends at NOW the period that the end of all workers has cut off, if the plan wants that
 * and a request is in it. Returns 0, or when to look again, as another thread is
 * notifying something. */
int64_t notify_end_rest(struct job *job, int64_t now);

#endif
