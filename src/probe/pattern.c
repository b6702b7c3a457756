#include "probe/pattern.h"

void
pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size)
{
    random_seed(&pattern->random, plan->seed);
    pattern->offset = plan->work_offset;
    pattern->size = plan->request_size;
    pattern->blocks = (uint64_t)(work_size / plan->request_size);
    pattern->next = 0;
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
