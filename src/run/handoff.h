#ifndef RUN_HANDOFF_H
#define RUN_HANDOFF_H

#include "os/os.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

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

/* The worker's side. */

/* Releases it before a system call, with state SINCE. Whoever locks it sees all that the
 * worker did before. */
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

/* The supervisor's side; one thread. */

/* Locks it: SINCE becomes its state, and the worker does not go on before handoff_unlock.
 * False if the worker holds it for longer than a moment, in a write that blocks perhaps.
 */
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

/* Restores the state that handoff_lock found. */
static inline void
handoff_unlock(struct handoff *handoff, int64_t since)
{
    atomic_store_explicit(&handoff->state, since, memory_order_release);
}

/* Returns the state at this moment, which may have changed already. */
static inline int64_t
handoff_peek(const struct handoff *handoff)
{
    return atomic_load_explicit(&handoff->state, memory_order_relaxed);
}

#endif
