/*
 * The requests of a worker: their memory, and what becomes of one that has timed out.
 */
#include "inflight.h"

#include "os/process.h"

int
inflight_open(struct inflight *inflight, int count, int64_t size)
{
    size_t each = sizeof(*inflight->list) + sizeof(*inflight->done);
    inflight->list = os_memory_unshared((size_t)count * each);
    if (!inflight->list)
        return -1;
    *inflight =
        (struct inflight){.list = inflight->list, .count = count, .free = inflight->list};
    inflight->done = (struct io_completion *)(void *)(inflight->list + count);
    inflight->ends.older = inflight->ends.younger = &inflight->ends;
    for (int i = 0; i < count; i++) {
        struct inflight_request *entry = &inflight->list[i];
        entry->request.slot = i;
        entry->request.size = (size_t)size;
        entry->sample.size = size;
        entry->younger = i + 1 < count ? entry + 1 : NULL;
    }
    return 0;
}

void
inflight_close(struct inflight *inflight)
{
    os_memory_free(inflight->list);
}

void
inflight_lose(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->lost = true;
    if (inflight->lost++ == 0)
        inflight->lost_since = entry->sample.start;
}

void
inflight_regain(struct inflight *inflight, struct inflight_request *entry)
{
    entry->lost = false;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->under_way--;
    if (--inflight->lost == 0)
        inflight->lost_since = 0;
}
