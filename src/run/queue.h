#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

/*
 * The queue of a worker. It consists of the slots, each of which is room for one request;
 * the engine, which sends the requests to the kernel; and the handoff, a lock by which
 * the supervisor learns for how long the worker has been waiting.
 *
 * While the worker runs, its thread calls the functions here. The supervisor may call
 * handoff_peek at any time. It also calls handoff_lock and handoff_release. Between these
 * two calls, and after it has abandoned the worker, it may call inflight_live and
 * inflight_lose.
 *
 * A slot is in one of three states:
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

/* A slot and the request in it. */
struct inflight_request {
    /* what the engine has to do: the operation of the request, or the flush that belongs
     * to a write, once the write is done */
    struct io_request request;
    struct sample sample; /* the result of the request, as far as it is known */
    /* when the latency begins, ns, monotonic; 0 if it begins when the request is sent */
    int64_t due_at;
    /* when the write was done and its flush was sent, ns, monotonic; 0 before that */
    int64_t written_at;
    /* errno if the file could not be emptied before the write, so that a flush was sent
     * in its place; else 0 */
    int write_error;
    bool is_lost; /* the request has timed out, but the kernel may still answer it */
    /* when the request was sent, ns, monotonic; only valid if `is_lost` is true */
    int64_t lost_sent_at;
    /* if in flight: the requests submitted just before and just after this one; if free:
     * `younger` is the next free slot */
    struct inflight_request *older, *younger;
};

/*
 * The slots of a worker. The slots in flight form a ring in the order in which their
 * requests were submitted. `ring` is its sentinel: `ring.younger` is the oldest
 * request, `ring.older` the youngest. The free slots form a list. A lost slot is in
 * neither, because the kernel may still use its buffer.
 *
 *     in flight:  ring --> oldest --> ... --> youngest --> ring        (links `younger`)
 *     free:       free --> a free slot --> ... --> NULL                (links `younger`)
 */
struct inflight {
    struct inflight_request *list;     /* all slots */
    struct io_completion *completions; /* filled by the engine; room for one per slot */
    int count;                         /* number of slots */
    int taken_count;                   /* number of slots that are in flight or lost */
    int lost_count;
    /* when the oldest lost request was sent, ns, monotonic; 0 if no request is lost */
    int64_t lost_since;
    struct inflight_request *free; /* first free slot, or NULL */
    struct inflight_request ring;  /* sentinel; its other fields are 0 */
};

/* Makes COUNT free slots for requests of SIZE bytes. INFLIGHT must not be moved
 * afterwards, because the ring points into it. Returns 0, or -1 if memory is lacking. */
int inflight_open(struct inflight *inflight, int count, int64_t size);
/* Frees the memory of the slots. */
void inflight_close(struct inflight *inflight);

/* Takes a free slot and returns it; its request becomes the youngest in flight. At least
 * one slot must be free. */
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

/* Frees the slot ENTRY after its request was answered. The slot must still be counted as
 * in flight. */
static inline void
inflight_release(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->taken_count--;
}

/* Marks ENTRY, whose request is in flight and has timed out, as lost. */
void inflight_lose(struct inflight *inflight, struct inflight_request *entry);

/* Frees the slot ENTRY, whose request was lost and was answered after all. */
void inflight_regain(struct inflight *inflight, struct inflight_request *entry);

/* Returns the number of requests in flight, without lost requests. */
static inline int
inflight_live(const struct inflight *inflight)
{
    return inflight->taken_count - inflight->lost_count;
}

/* What a worker needs to send requests. */
struct worker_queue {
    const struct io_engine *engine;
    struct io_queue *io_queue;
    struct inflight inflight;
    bool has_unsent; /* some requests were submitted since the last reap of the engine */
    /* result of os_thread_sectors before the last read; only set if the target
     * counts_sectors */
    int64_t sectors;
    struct random data; /* generator of the data that writes store */
    char *memory;       /* the buffers of all slots, one after the other */
    size_t buffer_size; /* bytes per buffer */
    /* end of the data that was appended to the file, bytes; -1: the file must be emptied
     * before the next append */
    int64_t appended;
};

/*
 * The handoff of a worker: the right to touch its statistics, which one thread has at a
 * time. The worker has it while the state is HELD, and the supervisor while the state is
 * LOCKED. The worker releases the handoff before a system call that may block, and
 * acquires it again afterwards. Meanwhile the supervisor can lock it, even if the system
 * call never returns.
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
 * A worker starts and ends with its handoff HELD. Once `has_ended` of its worker_thread
 * is set, the supervisor uses the statistics without the handoff.
 */
struct handoff {
    /* a HANDOFF_ value below, or the time when the oldest request in flight was sent,
     * which is above 0, in ns, monotonic */
    _Atomic int64_t state;
    /* the worker has returned from a system call, and waits until the supervisor has
     * released the handoff */
    atomic_bool is_worker_waiting;
};

#define HANDOFF_HELD 0      /* the worker has the handoff */
#define HANDOFF_LOCKED (-1) /* the supervisor has locked the handoff */
#define HANDOFF_IDLE (-2)   /* released; no request is in flight */
/* released; all requests have timed out, and no slot is free */
#define HANDOFF_LOST (-3)

/*
 * Releases HANDOFF. SINCE becomes its state: when the oldest request in flight was sent
 * (ns, monotonic), HANDOFF_IDLE or HANDOFF_LOST. The worker calls it before a system
 * call; the supervisor calls it with the state that handoff_lock found. The thread that
 * has the handoff next sees all writes of the calling thread.
 */
static inline void
handoff_release(struct handoff *handoff, int64_t since)
{
    atomic_store_explicit(&handoff->state, since, memory_order_release);
}

/* Sleeps between two attempts to get a handoff: 20 us for the first time, then twice as
 * long each time, up to about 2.5 ms. TRIES counts the calls. */
static inline void
handoff_pause(int *tries)
{
    int64_t pause = 20000LL << (*tries < 7 ? *tries : 7);
    ++*tries;
    os_sleep_until(os_clock_now() + pause);
}

/* Acquires HANDOFF for the worker, which has released it with the state SINCE. Waits
 * while the supervisor has it locked: for ever, if the supervisor has abandoned the
 * worker. */
static inline void
handoff_acquire(struct handoff *handoff, int64_t since)
{
    int tries = 0;
    int64_t expected = since;

    while (!atomic_compare_exchange_strong_explicit(&handoff->state, &expected,
                                                    HANDOFF_HELD, memory_order_acquire,
                                                    memory_order_relaxed)) {
        atomic_store(&handoff->is_worker_waiting, true);
        handoff_pause(&tries);
        expected = since;
    }
    if (tries > 0)
        atomic_store(&handoff->is_worker_waiting, false);
}

/* Locks HANDOFF for the supervisor: the worker cannot continue until handoff_release.
 * Stores in SINCE the state that handoff_release has to restore. Gives up after about 10
 * ms and returns false if the worker holds the handoff, for example because it writes to
 * a pipe that is full. */
static inline bool
handoff_lock(struct handoff *handoff, int64_t *since)
{
    for (int tries = 0; tries < 10;) { /* the pauses add up to 10 ms or a little more */
        int64_t state = atomic_load_explicit(&handoff->state, memory_order_relaxed);
        bool is_locked = false;
        if (state != HANDOFF_HELD)
            is_locked = atomic_compare_exchange_strong_explicit(
                &handoff->state, &state, HANDOFF_LOCKED, memory_order_acquire,
                memory_order_relaxed);
        if (is_locked) {
            *since = state;
            return true;
        }
        handoff_pause(&tries);
    }

    return false;
}

/* Returns the state of HANDOFF without locking it, so the result may be outdated when the
 * caller uses it. */
static inline int64_t
handoff_peek(const struct handoff *handoff)
{
    return atomic_load_explicit(&handoff->state, memory_order_relaxed);
}

#endif
