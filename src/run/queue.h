#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

/*
 * The queue of a worker: its requests, each of which is free, in flight or lost; the
 * engine that performs them; and the handoff, by which the supervisor learns how long the
 * worker has been waiting for the oldest request.
 *
 * While the worker runs, its thread calls the functions here. The supervisor calls
 * handoff_lock; while it has locked the handoff, it may also lose requests, and it
 * releases the handoff.
 *
 * A request changes between three states:
 *
 *             inflight_take                  inflight_lose (it timed out)
 *     free --------------------> in flight ------------------------------> lost
 *      ^                             |                                       |
 *      |      inflight_release       |           inflight_regain             |
 *      +-----------------------------+---------------------------------------+
 *             (it was answered)                  (it was answered after all)
 */

#include "base/random.h"
#include "io/io.h"
#include "stats/stats.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A slot for a request, and its neighbours in the order in which requests were taken. */
struct inflight_request {
    /* the request as the engine gets it: a write, then the flush after the write */
    struct io_request request;
    struct sample sample;
    /* when its latency begins, ns, monotonic, if that is before it was sent; else 0 */
    int64_t due_at;
    /* when its write was done and the flush was sent, ns, monotonic; 0 before that */
    int64_t written_at;
    /* errno that prevented the write, so that a flush was sent in its place;
     * 0: none */
    int write_error;
    bool is_lost; /* it has timed out and has not been answered since */
    /* when it was sent, ns, monotonic; valid only while it is lost */
    int64_t lost_sent_at;
    /* neighbours in the ring; in a free request `younger` is the next free request */
    struct inflight_request *older, *younger;
};

/*
 * The requests of a worker. Those in flight form a ring, in the order in which they were
 * taken, and `ring` is its sentinel: `ring.younger` is the oldest request, `ring.older`
 * the youngest. A lost request is in no list, because the kernel may still use its
 * buffer.
 *
 *     in flight:  ring --> oldest --> ... --> youngest --> ring        (links `younger`)
 *     free:       free --> a free request --> ... --> NULL             (links `younger`)
 */
struct inflight {
    struct inflight_request *list;
    /* room for all that the engine can return at once */
    struct io_completion *completions;
    int count;       /* number of slots: free, in flight or lost */
    int taken_count; /* slots in flight or lost */
    int lost_count;
    /* when the oldest of the lost requests was sent, ns, monotonic; 0 if none is lost */
    int64_t lost_since;
    /* head of the list of free requests; NULL if none is free */
    struct inflight_request *free;
    struct inflight_request ring; /* sentinel: all of it is 0 except its neighbours */
};

/* Makes COUNT free requests of SIZE bytes. INFLIGHT must not be moved afterwards, because
 * the ring points into it. Returns 0, or -1 if there is no memory. inflight_close frees
 * the requests. */
int inflight_open(struct inflight *inflight, int count, int64_t size);
void inflight_close(struct inflight *inflight);

/* Takes a free request, which becomes the youngest in flight. There must be a free
 * request. */
static inline struct inflight_request *
inflight_take(struct inflight *inflight)
{
    struct inflight_request *entry = inflight->free;
    struct inflight_request *older = inflight->ring.older;

    inflight->free = entry->younger;
    entry->older = older;
    entry->younger = &inflight->ring;
    older->younger = entry;
    inflight->ring.older = entry;
    inflight->taken_count++;

    return entry;
}

/* Returns a request in flight to the free requests. */
static inline void
inflight_release(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->taken_count--;
}

/* Makes a request in flight a lost request. Its slot stays taken. */
void inflight_lose(struct inflight *inflight, struct inflight_request *entry);

/* Returns a lost request, which was answered after all, to the free requests. */
void inflight_regain(struct inflight *inflight, struct inflight_request *entry);

/* Returns how many requests are in flight. */
static inline int
inflight_live(const struct inflight *inflight)
{
    return inflight->taken_count - inflight->lost_count;
}

/* The sending side of a worker. */
struct worker_queue {
    const struct io_engine *engine;
    struct io_queue *io_queue;
    struct inflight inflight;
    /* some submitted requests have not been sent by the engine yet */
    bool has_unsent;
    /* os_thread_sectors before the read, if the target counts_sectors */
    int64_t sectors;
    struct random data; /* generator of the data that writes store */
    char *memory;       /* the buffers of all slots, one after the other */
    size_t buffer_size; /* bytes per buffer */
    /* offset of the next append, in bytes; -1: the file must be emptied before the next
     * append */
    int64_t appended;
};

/*
 * The handoff: the right to touch a worker's statistics, which one thread has at a time.
 * The worker releases it before a system call that may block, and acquires it again
 * afterwards. Meanwhile the supervisor can lock it, even if the system call never
 * returns.
 *
 *                   worker, before a system call
 *      HELD ------------------------------------------> released (start of the oldest
 *       ^  <------------------------------------------     |  ^   request, IDLE or LOST)
 *                   worker, after the system call          |  |
 *                                               supervisor |  | supervisor
 *                                            handoff_lock  v  |  handoff_release
 *                                                         LOCKED
 *                        LOCKED for ever: the worker is abandoned
 *
 * Invariant: a worker takes a lock of the program (of the run, of the busy time, of a
 * period, of the attribution) only while it holds its handoff. The supervisor abandons a
 * worker only after it has locked the handoff, which the worker then does not hold. So an
 * abandoned worker holds no lock. If its system call returns after all, the worker runs
 * the rest of that one call and then waits in handoff_acquire for ever.
 *
 * A worker starts and ends with its handoff HELD. After its end, `ended` of its
 * worker_thread lets the supervisor use the statistics without the handoff.
 */
struct handoff {
    _Atomic int64_t state;
    /* the worker is back from a system call and waits for the supervisor to release */
    atomic_bool is_worker_waiting;
};

#define HANDOFF_HELD 0      /* acquired by the worker */
#define HANDOFF_LOCKED (-1) /* locked by the supervisor */
#define HANDOFF_IDLE (-2)   /* released; no request is in flight */
#define HANDOFF_LOST (-3)   /* released; every slot is lost to a timeout */

/*
 * Releases HANDOFF with the new state SINCE: when the oldest request in flight was sent
 * (ns, monotonic), HANDOFF_IDLE or HANDOFF_LOST. The worker calls it before a system
 * call. The supervisor calls it with the state that handoff_lock found. The next owner
 * sees everything that was done before.
 */
static inline void
handoff_release(struct handoff *handoff, int64_t since)
{
    atomic_store_explicit(&handoff->state, since, memory_order_release);
}

/* Sleeps between two attempts, of which TRIES counts those so far: 20 us at first, then
 * twice as long each time, up to about 2.5 ms. */
static inline void
handoff_pause(int *tries)
{
    int64_t pause = 20000LL << (*tries < 7 ? *tries : 7);
    ++*tries;
    os_sleep_until(os_clock_now() + pause);
}

/* Acquires HANDOFF after the worker has released it with SINCE. Waits while the
 * supervisor has it locked, for ever if the worker is abandoned. */
static inline void
handoff_acquire(struct handoff *handoff, int64_t since)
{
    int tries = 0;

    for (int64_t state = since; !atomic_compare_exchange_strong_explicit(
             &handoff->state, &state, HANDOFF_HELD, memory_order_acquire,
             memory_order_relaxed);
         state = since) {
        atomic_store(&handoff->is_worker_waiting, true);
        handoff_pause(&tries);
    }
    if (tries > 0)
        atomic_store(&handoff->is_worker_waiting, false);
}

/* Locks HANDOFF for the supervisor: the worker cannot go on until handoff_release. Stores
 * the state that was found in SINCE. Returns false if the worker holds it for longer than
 * a moment, for instance while it writes output to a pipe that is full. */
static inline bool
handoff_lock(struct handoff *handoff, int64_t *since)
{
    for (int tries = 0; tries < 10;) { /* 10 ms, and the delays of the sleeps */
        int64_t state = atomic_load_explicit(&handoff->state, memory_order_relaxed);
        if (state != HANDOFF_HELD && atomic_compare_exchange_strong_explicit(
                                         &handoff->state, &state, HANDOFF_LOCKED,
                                         memory_order_acquire, memory_order_relaxed)) {
            *since = state;
            return true;
        }
        handoff_pause(&tries);
    }

    return false;
}

/* Returns the present state, which may have changed by the time the caller looks at it.
 */
static inline int64_t
handoff_peek(const struct handoff *handoff)
{
    return atomic_load_explicit(&handoff->state, memory_order_relaxed);
}

#endif
