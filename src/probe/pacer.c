#include "probe/pacer.h"

void
pacer_start(struct pacer *pacer, int64_t interval, int64_t burst, int64_t now)
{
    *pacer =
        (struct pacer){.interval = interval, .burst = burst, .left = burst, .point = now};
}

uint64_t
pacer_missed(const struct pacer *pacer, int64_t now)
{
    if (pacer->interval == 0 || now <= pacer->point)
        return 0;
    return (uint64_t)((now - pacer->point - 1) / pacer->interval);
}

int64_t
pacer_next(struct pacer *pacer, int64_t now)
{
    if (--pacer->left > 0)
        return now;
    pacer->left = pacer->burst;
    if (pacer->interval > INT64_MAX - pacer->point)
        pacer->point = INT64_MAX;
    else
        pacer->point += pacer->interval;
    if (pacer->point < now)
        pacer->point = now;
    return pacer->point;
}
