#ifndef RUN_QUEUE_H
#define RUN_QUEUE_H

/*
 * What is under way of a worker: its requests, which are free, in flight, or lost, the
 * engine that does them, and the handoff, by which the supervisor learns since when the
 * worker waits for the oldest. All but the supervisor's side is the worker's thread's.
 */

#include "base/random.h"
#include "io/io.h"
#include "stats/stats.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* A request, and its neighbours in the order of their start. */
struct inflight_request {
    struct io_request request; /* a write, then the flush after it */
    struct sample sample;
    int64_t due_at; /* when its time begins, if before it was sent, monotonic; else 0 */
    int64_t written_at; /* when its write was done, and its flush sent; 0: not yet */
    int write_error; /* errno: why its write was not sent, but a flush in its place; or 0
                      */
    bool is_lost;    /* it has timed out, and has had no answer since */
    int64_t sent_at; /* when it was sent, ns, monotonic; only while it is lost */
    struct inflight_request *older, *younger; /* `younger` of a free one: the next free */
};

/* The requests of a worker: those in flight form a ring that `ends` closes, whose
 * `younger` is the oldest of them. One that is lost is in no list: the kernel may still
 * use its buffer. */
struct inflight {
    struct inflight_request *list;
    struct io_completion *completions; /* room for what the engine reaps */
    int count;                         /* requests: free, in flight or lost */
    int taken_count;                   /* in flight or lost */
    int lost_count;
    int64_t lost_since; /* when the oldest of these was sent, ns, monotonic; 0: none is */
    struct inflight_request *free; /* NULL: all are in flight */
    struct inflight_request ring;  /* all zero but for its neighbours */
};

/* Makes COUNT free requests of SIZE bytes. INFLIGHT must stay where it is. Returns 0, or
 * -1 without memory; inflight_close frees them. */
int inflight_open(struct inflight *inflight, int count, int64_t size);
void inflight_close(struct inflight *inflight);

/* Takes a free request, which there must be. It is the youngest then. */
static inline struct inflight_request *
inflight_take(struct inflight *inflight)
{
    struct inflight_request *entry = inflight->free, *older = inflight->ring.older;
    inflight->free = entry->younger;
    entry->older = older;
    entry->younger = &inflight->ring;
    older->younger = entry;
    inflight->ring.older = entry;
    inflight->taken_count++;
    return entry;
}

/* Frees a request that was taken. */
static inline void
inflight_release(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->taken_count--;
}

/* Loses a request that was taken: it is not in flight any more, and its slot is not free.
 */
void inflight_lose(struct inflight *inflight, struct inflight_request *entry);

/* Frees a request that was lost. */
void inflight_regain(struct inflight *inflight, struct inflight_request *entry);

/* Returns how many requests are in flight. */
static inline int
inflight_live(const struct inflight *inflight)
{
    return inflight->taken_count - inflight->lost_count;
}

/* What sends its requests. */
struct worker_queue {
    const struct io_engine *engine;
    struct io_queue *io_queue;
    struct inflight inflight;
    bool has_unsent; /* requests that the engine has not sent yet */
    int64_t sectors; /* os_thread_sectors before a read, if the target counts_sectors */
    struct random data; /* of writes */
    char *memory;       /* buffers, one for each request in flight */
    size_t buffer_size; /* bytes of each */
    int64_t appended;   /* where the next append goes; -1: the file is not yet empty */
};

/*
 * The right to touch a worker's statistics, which one thread has at a time. The worker
 * acquires it to work, and releases it before it waits in the kernel, so that the
 * supervisor can lock it meanwhile, even if that wait never ends.
 *
 * `state` is the start of the oldest request in flight (ns, monotonic, above 0) while it
 * is released, or one of these.
 */
struct handoff {
    _Atomic int64_t state;
    atomic_bool waited_for; /* its worker is back from the kernel, and cannot have it */
};

#define HANDOFF_HELD 0      /* acquired by the worker */
#define HANDOFF_LOCKED (-1) /* locked by the supervisor */
#define HANDOFF_IDLE (-2)   /* released, with no request in flight */
#define HANDOFF_LOST (-3)   /* released, with no slot for one: all have timed out */

/* The worker releases it before a system call, with state SINCE, the supervisor with the
 * state that it found. Whoever has it next sees all that was done before. */
static inline void
handoff_release(struct handoff *handoff, int64_t since)
{
    atomic_store_explicit(&handoff->state, since, memory_order_release);
}

/* Sleeps between two TRIES: for 20 us first, then twice as long each time up to 2.5 ms.
 */
static inline void
handoff_pause(int *tries)
{
    int64_t pause = 20000LL << (*tries < 7 ? *tries : 7);
    ++*tries;
    os_sleep_until(os_clock_now() + pause);
}

/* Acquires it again after handoff_release with SINCE, however long that takes. */
static inline void
handoff_acquire(struct handoff *handoff, int64_t since)
{
    int tries = 0;
    for (int64_t state = since; !atomic_compare_exchange_strong_explicit(
             &handoff->state, &state, HANDOFF_HELD, memory_order_acquire,
             memory_order_relaxed);
         state = since) {
        atomic_store(&handoff->waited_for, true);
        handoff_pause(&tries);
    }
    if (tries > 0)
        atomic_store(&handoff->waited_for, false);
}

/* The supervisor, one thread, locks it: SINCE becomes its state, and the worker does not
 * go on before handoff_release. False if the worker holds it for longer than a moment, in
 * a write that blocks perhaps. */
static inline bool
handoff_lock(struct handoff *handoff, int64_t *since)
{
    for (int tries = 0; tries < 10;) { /* about 15 ms */
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

/* Returns the state at this moment, which may have changed already. */
static inline int64_t
handoff_peek(const struct handoff *handoff)
{
    return atomic_load_explicit(&handoff->state, memory_order_relaxed);
}

#endif
