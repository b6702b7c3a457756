#include "run/worker_group.h"

/* Never beyond the count, so that it cannot overflow. */
uint64_t
worker_group_take(struct worker_group *group, uint64_t wanted, uint64_t *first)
{
    uint64_t taken = atomic_load_explicit(&group->taken, memory_order_relaxed), more;
    do {
        uint64_t left = group->count - taken;
        more = wanted < left ? wanted : left;
    } while (more && !atomic_compare_exchange_weak_explicit(
                         &group->taken, &taken, taken + more, memory_order_relaxed,
                         memory_order_relaxed));
    *first = taken + 1;
    return more;
}
