#include "run/handoff.h"

#include "os/os.h"

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

void
baton_wait(struct baton *baton, int64_t since)
{
    for (int tries = 0; !baton_try(baton, since);)
        pause_a_moment(&tries);
}

bool
baton_borrow(struct baton *baton, int64_t *since)
{
    for (int tries = 0; tries < TRIES;) {
        int64_t state = atomic_load_explicit(&baton->state, memory_order_relaxed);
        if (state != BATON_HELD && atomic_compare_exchange_strong_explicit(
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
