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
handoff_wait(struct handoff *handoff, int64_t since)
{
    for (int tries = 0; !handoff_try_acquire(handoff, since);)
        pause_a_moment(&tries);
}

bool
handoff_lock(struct handoff *handoff, int64_t *since)
{
    for (int tries = 0; tries < TRIES;) {
        int64_t state = atomic_load_explicit(&handoff->state, memory_order_relaxed);
        if (state != HANDOFF_HELD && atomic_compare_exchange_strong_explicit(
                                         &handoff->state, &state, HANDOFF_LOCKED,
                                         memory_order_acquire, memory_order_relaxed)) {
            *since = state;
            return true;
        }
        pause_a_moment(&tries);
    }
    return false;
}

void
handoff_unlock(struct handoff *handoff, int64_t since)
{
    atomic_store_explicit(&handoff->state, since, memory_order_release);
}

int64_t
handoff_peek(const struct handoff *handoff)
{
    return atomic_load_explicit(&handoff->state, memory_order_relaxed);
}
