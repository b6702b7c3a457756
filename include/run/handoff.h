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
struct baton {
    _Atomic int64_t state; /* BATON_HELD, BATON_BORROWED, else it lies */
};

#define BATON_HELD 0 /* by the worker */
#define BATON_BORROWED (-1)
/* What lies is the time since when a request is under way (ns, monotonic), or this. */
#define BATON_RESTING (-2)

/*
 * The worker lays it down before a system call. Release: whoever borrows it sees
 * all that the worker did before.
 */
static inline void
baton_lay(struct baton *baton, int64_t since)
{
    atomic_store_explicit(&baton->state, since, memory_order_release);
}

/* The worker takes up again what it laid down; false while it is borrowed. */
static inline bool
baton_try(struct baton *baton, int64_t since)
{
    return atomic_compare_exchange_strong_explicit(
        &baton->state, &since, BATON_HELD, memory_order_acquire, memory_order_relaxed);
}

/* Tries it again and again, with pauses. */
void baton_wait(struct baton *baton, int64_t since);

/* Takes it up, however long that takes. */
static inline void
baton_take(struct baton *baton, int64_t since)
{
    if (!baton_try(baton, since))
        baton_wait(baton, since);
}

/*
 * Another thread borrows it: SINCE becomes what lay there, and the worker does
 * not go on before baton_return. False if the worker holds it for longer than
 * a moment, in a write that blocks perhaps. Only one thread may do this.
 */
bool baton_borrow(struct baton *baton, int64_t *since);

/* Lays down again what was borrowed. */
void baton_return(struct baton *baton, int64_t since);

/* What lies there at this moment, 0 if nothing does; for looking only. */
int64_t baton_look(const struct baton *baton);

#endif
