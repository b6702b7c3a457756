#include "run/pacer.h"

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
