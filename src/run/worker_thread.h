#ifndef RUN_WORKER_THREAD_H
#define RUN_WORKER_THREAD_H

#include "os/thread.h"
#include "run/run.h"
#include "worker.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A worker and its thread, as the supervisor sees them. If the thread is stuck in the
 * kernel for too long, the supervisor abandons the worker: the run ends without it, and
 * its memory is never freed, because the kernel may still use it.
 *
 * worker_thread_start or worker_thread_adopt sets the first values of the fields below
 * `worker`. Afterwards the worker's thread sets `has_ended`, and only the supervisor
 * writes the other fields.
 */
struct worker_thread {
    struct worker worker;
    struct os_thread os_thread;
    bool was_started;      /* worker_thread_start has started `os_thread` */
    atomic_bool has_ended; /* worker_run has returned */
    struct stall stall;    /* decides when to report that no answer comes */
    bool is_abandoned; /* the thread may be stuck in the kernel; nobody waits for it */
    /* the worker was abandoned because of a timeout, and the requests that it should have
     * sent since then still have to be counted as missed */
    bool counts_missed;
    /* when the oldest request in flight was sent, ns, monotonic; set when the worker is
     * abandoned; 0 if no request was in flight */
    int64_t oldest_sent_at;
};

/* Allocates a worker for JOB, with a track and a series if the job needs them, but starts
 * no thread. Returns NULL if memory is lacking. */
struct worker_thread *worker_thread_make(const struct job *job);

/* Frees the memory of worker_thread_make. The worker must be closed, or must never have
 * been opened. */
void worker_thread_free(struct worker_thread *thread);

/* Starts a thread that calls worker_thread_work. The worker must be open. Returns 0, or
 * -1 with errno. */
int worker_thread_start(struct worker_thread *thread);

/* Makes the calling thread the thread of the worker. The caller must then call
 * worker_thread_work. */
void worker_thread_adopt(struct worker_thread *thread);

/* Waits until the run lets its workers begin, runs the loop of the worker on the calling
 * thread, and then wakes the supervisor. Returns true if the calling thread has its own
 * table of file descriptors now (os_thread_unshare). */
bool worker_thread_work(struct worker_thread *thread);

/* Waits until the thread has ended, if worker_thread_start has started it. */
void worker_thread_join(struct worker_thread *thread);

/* Returns true if the supervisor has nothing more to do for the worker: it has ended, or
 * it was abandoned and no further request of it has to be counted as missed. */
bool worker_thread_is_over(const struct worker_thread *thread);

/*
 * Checks at NOW whether the time without an answer to the oldest request must be
 * reported. RESUMED is when the process last continued after a stop; the time before that
 * does not count. Returns the age of the request (ns) if it must be reported now, and
 * stores its number in INDEX; else returns 0. Stores in CHECK_AT when the next check is
 * due.
 */
int64_t worker_thread_find_stall(struct worker_thread *thread, int64_t resumed,
                                 int64_t now, uint64_t *index, int64_t *check_at);

/* Does nothing unless the worker waits for a request that has timed out. Fails all
 * requests of the worker that have timed out, and then abandons the worker at NOW.
 * RESUMED is when the process last continued after a stop. If NOTIFIES is true, the
 * caller holds the run's lock, and the failed requests are reported to the observer. */
void worker_thread_abandon_late(struct worker_thread *thread, int64_t resumed,
                                int64_t now, bool notifies);

/* Counts as missed the requests that an abandoned worker should have sent until NOW. Must
 * only be called if `counts_missed` is true. Returns the time at which to call it again,
 * ns, monotonic. */
int64_t worker_thread_count_missed(struct worker_thread *thread, int64_t now);

/* Adds the statistics so far to TOTAL, the track to TRACK unless that is NULL, and the
 * requests without an answer to IN_FLIGHT. Returns false, and adds nothing, if the worker
 * holds its handoff for too long; then the caller tries again later. */
bool worker_thread_merge(struct worker_thread *thread, struct stats *total,
                         struct track *track, struct job_in_flight *in_flight);

/* Wakes the worker if it sleeps between two requests, so that it notices a stop. */
void worker_thread_wake(struct worker_thread *thread);

/* Abandons the worker at NOW if it is waiting for a request. Afterwards the worker's
 * thread changes nothing, even if the request is answered. */
void worker_thread_abandon(struct worker_thread *thread, int64_t now);

#endif
