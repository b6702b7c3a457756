#include "run/stall.h"

#include "base/later.h"

void
stall_start(struct stall *watch, int64_t limit)
{
    *watch = (struct stall){.limit = limit ? limit : INT64_MAX};
}

static int64_t
twice(int64_t time)
{
    return time > INT64_MAX / 2 ? INT64_MAX : time * 2;
}

int64_t
stall_check(struct stall *watch, int64_t since, int64_t now)
{
    if (since <= 0)
        return 0;
    if (since != watch->since) {
        watch->since = since;
        watch->next = watch->limit;
    }
    int64_t waited = now - since;
    if (waited < watch->next)
        return 0;
    while (watch->next <= waited)
        watch->next = twice(watch->next);
    return waited;
}

/* A request that starts right after the look is due no earlier than LIMIT. */
int64_t
stall_due(const struct stall *watch, int64_t since, int64_t now)
{
    int64_t from = since > 0 ? since : now;
    int64_t limit = since == watch->since ? watch->next : watch->limit;
    return later(from, limit);
}
