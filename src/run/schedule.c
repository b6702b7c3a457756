/*
 * The schedule of a run: which block is next (pattern), when the next request starts
 * (pacer), and when a request without answer is reported
 * (stall). No clock is read here.
 */
#include "run/schedule.h"

/* Returns blocks * number / workers, without overflow. */
static uint64_t
first_block(uint64_t blocks, int workers, int number)
{
    uint64_t all = (uint64_t)workers, share = (uint64_t)number;
    return blocks / all * share + blocks % all * share / all;
}

void
pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
              int number)
{
    random_seed(&pattern->random, random_derive(plan->workload.seed, (uint64_t)number));
    pattern->offset = plan->workload.work_offset;
    pattern->size = plan->workload.request_size;
    pattern->blocks = (uint64_t)(work_size / plan->workload.request_size);
    pattern->next = first_block(pattern->blocks, plan->io.threads, number);
    pattern->linear = plan->workload.linear;
    pattern->load = plan->workload.load;
    pattern->operation =
        plan->workload.load == LOAD_READ ? OPERATION_READ : OPERATION_WRITE;
}

void
pacer_start(struct pacer *pacer, int64_t interval, int64_t burst, int64_t now)
{
    *pacer = (struct pacer){
        .interval = interval, .burst = burst, .left = burst, .point = now, .freed = now};
}

uint64_t
pacer_missed(const struct pacer *pacer, int64_t now)
{
    int64_t next = pacer->left < pacer->burst ? pacer_next(pacer) : pacer->point;
    if (pacer->interval == 0 || now <= next)
        return 0;
    return (uint64_t)((now - next - 1) / pacer->interval) + 1;
}

void
stall_start(struct stall *stall, int64_t limit)
{
    *stall = (struct stall){.limit = limit ? limit : INT64_MAX};
}

int64_t
stall_check(struct stall *stall, int64_t since, int64_t now)
{
    if (since <= 0)
        return 0;
    if (since != stall->since) {
        stall->since = since;
        stall->next = stall->limit;
    }
    int64_t waited = now - since;
    if (waited < stall->next)
        return 0;
    while (stall->next <= waited)
        stall->next = time_multiply(stall->next, 2);
    return waited;
}

/* A request that starts right after the look is due no earlier than `limit`. */
int64_t
stall_due(const struct stall *stall, int64_t since, int64_t now)
{
    int64_t from = since > 0 ? since : now;
    int64_t limit = since == stall->since ? stall->next : stall->limit;
    return time_add(from, limit);
}
