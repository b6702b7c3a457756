#ifndef PROBE_BATON_H
#define PROBE_BATON_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Who may touch the statistics of a worker: whoever holds the baton. The worker
 * does, but lays it down while it waits for the kernel, so that the run can
 * borrow it even if that wait never ends.
 */
struct baton {
    _Atomic int64_t state; /* 0: held by the worker; BATON_BORROWED; else it lies */
};

#define BATON_BORROWED (-1)
/* What lies is the time since when a request is under way (ns, monotonic), or this. */
#define BATON_RESTING (-2)

/* The worker lays it down before a system call. One store. */
void baton_lay(struct baton *baton, int64_t since);

/* The worker takes up again what it laid down; waits while it is borrowed. */
void baton_take(struct baton *baton, int64_t since);

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
