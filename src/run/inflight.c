#include "run/inflight.h"

#include "os/process.h"

#include <string.h>

/* Processors hand over memory in such pieces at the most, in bytes. */
#define PIECE 128

/* No piece has anything of another thread, or each request would wait for it. */
static void *
take_pieces(size_t size)
{
    size = (size + PIECE - 1) / PIECE * PIECE;
    void *memory = os_memory_aligned(PIECE, size);
    return memory ? memset(memory, 0, size) : NULL;
}

int
slots_open(struct slots *slots, int count, int64_t size)
{
    size_t each = sizeof(*slots->list) + sizeof(*slots->done);
    slots->list = take_pieces((size_t)count * each);
    if (!slots->list)
        return -1;
    *slots = (struct slots){.list = slots->list, .count = count, .free = slots->list};
    slots->done = (struct os_async_done *)(void *)(slots->list + count);
    slots->ends.older = slots->ends.younger = &slots->ends;
    for (int i = 0; i < count; i++) {
        struct slot *slot = &slots->list[i];
        slot->request.slot = i;
        slot->request.size = (size_t)size;
        slot->sample.size = size;
        slot->younger = i + 1 < count ? slot + 1 : NULL;
    }
    return 0;
}

void
slots_close(struct slots *slots)
{
    os_memory_free(slots->list);
}
