#include "probe/slots.h"

#include <stdlib.h>

int
slots_open(struct slots *slots, int count, int64_t size)
{
    slots->list = calloc((size_t)count, sizeof(*slots->list));
    if (!slots->list)
        return -1;
    slots->count = count;
    slots->under_way = 0;
    slots->oldest = slots->youngest = -1;
    slots->free = 0;
    for (int i = 0; i < count; i++) {
        struct slot *slot = &slots->list[i];
        slot->request.slot = i;
        slot->request.size = (size_t)size;
        slot->sample.size = size;
        slot->younger = i + 1 < count ? i + 1 : -1;
    }
    return 0;
}

int
slots_take(struct slots *slots)
{
    int number = slots->free;
    struct slot *slot = &slots->list[number];
    slots->free = slot->younger;
    slot->older = slots->youngest;
    slot->younger = -1;
    if (slot->older < 0)
        slots->oldest = number;
    else
        slots->list[slot->older].younger = number;
    slots->youngest = number;
    slots->under_way++;
    return number;
}

void
slots_release(struct slots *slots, int number)
{
    struct slot *slot = &slots->list[number];
    if (slot->older < 0)
        slots->oldest = slot->younger;
    else
        slots->list[slot->older].younger = slot->younger;
    if (slot->younger < 0)
        slots->youngest = slot->older;
    else
        slots->list[slot->younger].older = slot->older;
    slot->younger = slots->free;
    slots->free = number;
    slots->under_way--;
}

void
slots_close(struct slots *slots)
{
    free(slots->list);
}
