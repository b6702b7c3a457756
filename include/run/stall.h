#ifndef RUN_STALL_H
#define RUN_STALL_H

#include <stdint.h>

/* For how long (ns) work may go on once it should end, before it is given up. */
#define STALL_GRACE 750000000LL

/*
 * When to say that a request has had no answer: after LIMIT, twice, four times,
 * eight times that. Pure; times are ns of whatever clock it is given.
 */
struct stall {
    int64_t limit;
    int64_t since; /* start of the request that is watched; 0: none yet */
    int64_t next;  /* how long it may be under way before the next word */
};

/* Starts to watch; LIMIT 0 is never. */
void stall_start(struct stall *watch, int64_t limit);

/*
 * Looks at a request that is under way since SINCE (not above 0: there is
 * none) at time NOW. Returns how long that has been if it is to be said now,
 * else 0.
 */
int64_t stall_check(struct stall *watch, int64_t since, int64_t now);

/* When to look again at the latest, after stall_check at NOW; INT64_MAX: never. */
int64_t stall_due(const struct stall *watch, int64_t since, int64_t now);

#endif
