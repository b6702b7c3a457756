#include "probe/baton.h"

#include "os/os.h"

#define HELD 0
#define PAUSE 20000 /* ns, at first */
#define TRIES 10    /* some 10 ms */

/* The longer it takes, the longer are the pauses, up to a millisecond and more. */
static void
pause_a_moment(int *tries)
{
    int64_t pause = PAUSE << (*tries < 7 ? *tries : 7);
    ++*tries;
    os_sleep_until(os_clock_now() + pause);
}

/* Release: whoever borrows it sees all that the worker did before. */
void
baton_lay(struct baton *baton, int64_t since)
{
    atomic_store_explicit(&baton->state, since, memory_order_release);
}

void
baton_take(struct baton *baton, int64_t since)
{
    for (int tries = 0;;) {
        int64_t lying = since;
        if (atomic_compare_exchange_strong_explicit(
                &baton->state, &lying, HELD, memory_order_acquire, memory_order_relaxed))
            return;
        pause_a_moment(&tries);
    }
}

bool
baton_borrow(struct baton *baton, int64_t *since)
{
    for (int tries = 0; tries < TRIES;) {
        int64_t state = atomic_load_explicit(&baton->state, memory_order_relaxed);
        if (state != HELD && atomic_compare_exchange_strong_explicit(
                                 &baton->state, &state, BATON_BORROWED,
                                 memory_order_acquire, memory_order_relaxed)) {
            *since = state;
            return true;
        }
        pause_a_moment(&tries);
    }
    return false;
}

void
baton_return(struct baton *baton, int64_t since)
{
    atomic_store_explicit(&baton->state, since, memory_order_release);
}

int64_t
baton_look(const struct baton *baton)
{
    return atomic_load_explicit(&baton->state, memory_order_relaxed);
}
