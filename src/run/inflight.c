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
inflight_open(struct inflight *inflight, int count, int64_t size)
{
    size_t each = sizeof(*inflight->list) + sizeof(*inflight->done);
    inflight->list = take_pieces((size_t)count * each);
    if (!inflight->list)
        return -1;
    *inflight =
        (struct inflight){.list = inflight->list, .count = count, .free = inflight->list};
    inflight->done = (struct io_completion *)(void *)(inflight->list + count);
    inflight->ends.older = inflight->ends.younger = &inflight->ends;
    for (int i = 0; i < count; i++) {
        struct inflight_request *slot = &inflight->list[i];
        slot->request.slot = i;
        slot->request.size = (size_t)size;
        slot->sample.size = size;
        slot->younger = i + 1 < count ? slot + 1 : NULL;
    }
    return 0;
}

void
inflight_close(struct inflight *inflight)
{
    os_memory_free(inflight->list);
}
