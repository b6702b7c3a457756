#include "probe/pacer.h"

void
pacer_start(struct pacer *pacer, int64_t interval, int64_t burst, int64_t now)
{
    *pacer = (struct pacer){
        .interval = interval, .burst = burst, .left = burst, .point = now, .freed = now};
}

int64_t
pacer_due(const struct pacer *pacer)
{
    return pacer->point > pacer->freed ? pacer->point : pacer->freed;
}

/* The point after the present burst. */
static int64_t
next_point(const struct pacer *pacer)
{
    return pacer->interval > INT64_MAX - pacer->point ? INT64_MAX
                                                      : pacer->point + pacer->interval;
}

void
pacer_sent(struct pacer *pacer)
{
    if (--pacer->left > 0)
        return;
    pacer->left = pacer->burst;
    pacer->point = next_point(pacer);
}

uint64_t
pacer_missed(const struct pacer *pacer, int64_t now)
{
    int64_t next = pacer->left < pacer->burst ? next_point(pacer) : pacer->point;
    if (pacer->interval == 0 || now <= next)
        return 0;
    return (uint64_t)((now - next - 1) / pacer->interval) + 1;
}

void
pacer_freed(struct pacer *pacer, int64_t now)
{
    pacer->freed = now;
    if (pacer->left == pacer->burst && pacer->point < now)
        pacer->point = now;
}
