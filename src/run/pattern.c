#include "run/pattern.h"

/* Without overflow, however many blocks there are. */
static uint64_t
first_block(uint64_t blocks, int workers, int number)
{
    uint64_t all = (uint64_t)workers, job = (uint64_t)number;
    return blocks / all * job + blocks % all * job / all;
}

void
pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
              int number)
{
    random_seed(&pattern->random, random_derive(plan->seed, (uint64_t)number));
    pattern->offset = plan->work_offset;
    pattern->size = plan->request_size;
    pattern->blocks = (uint64_t)(work_size / plan->request_size);
    pattern->next = first_block(pattern->blocks, plan->threads, number);
    pattern->linear = plan->linear;
    pattern->load = plan->load;
    pattern->operation = plan->load == LOAD_READ ? OPERATION_READ : OPERATION_WRITE;
}

static uint64_t
next_block(struct pattern *pattern)
{
    if (!pattern->linear)
        return random_below(&pattern->random, pattern->blocks);
    uint64_t block = pattern->next++;
    if (pattern->next == pattern->blocks)
        pattern->next = 0;
    return block;
}

int64_t
pattern_next(struct pattern *pattern, enum operation *operation)
{
    *operation = pattern->operation;
    if (pattern->load == LOAD_READ_WRITE)
        pattern->operation =
            pattern->operation == OPERATION_WRITE ? OPERATION_READ : OPERATION_WRITE;
    return pattern->offset + (int64_t)next_block(pattern) * pattern->size;
}
