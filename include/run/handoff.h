#ifndef RUN_HANDOFF_H
#define RUN_HANDOFF_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Who may touch the statistics of a worker: whoever holds the baton. The worker
 * does, but lays it down while it waits for the kernel, so that the run can
 * borrow it even if that wait never ends.
 */
struct handoff {
    _Atomic int64_t state; /* HANDOFF_HELD, HANDOFF_LOCKED, else it lies */
};

#define HANDOFF_HELD 0 /* by the worker */
#define HANDOFF_LOCKED (-1)
/* What lies is the time since when a request is under way (ns, monotonic), or this. */
#define HANDOFF_IDLE (-2)

/*
 * The worker lays it down before a system call. Release: whoever borrows it sees
 * all that the worker did before.
 */
static inline void
handoff_release(struct handoff *handoff, int64_t since)
{
    atomic_store_explicit(&handoff->state, since, memory_order_release);
}

/* The worker takes up again what it laid down; false while it is borrowed. */
static inline bool
handoff_try_acquire(struct handoff *handoff, int64_t since)
{
    return atomic_compare_exchange_strong_explicit(&handoff->state, &since, HANDOFF_HELD,
                                                   memory_order_acquire,
                                                   memory_order_relaxed);
}

/* Tries it again and again, with pauses. */
void handoff_wait(struct handoff *handoff, int64_t since);

/* Takes it up, however long that takes. */
static inline void
handoff_acquire(struct handoff *handoff, int64_t since)
{
    if (!handoff_try_acquire(handoff, since))
        handoff_wait(handoff, since);
}

/*
 * Another thread borrows it: SINCE becomes what lay there, and the worker does
 * not go on before handoff_unlock. False if the worker holds it for longer than
 * a moment, in a write that blocks perhaps. Only one thread may do this.
 */
bool handoff_lock(struct handoff *handoff, int64_t *since);

/* Lays down again what was borrowed. */
void handoff_unlock(struct handoff *handoff, int64_t since);

/* What lies there at this moment, 0 if nothing does; for looking only. */
int64_t handoff_peek(const struct handoff *handoff);

#endif
