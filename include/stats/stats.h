#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "stats/moments.h"
#include "stats/sample.h"

/* What a stretch of a run amounts to. All zero is the empty stretch. */
struct stats {
    struct moments latency; /* of the requests that count */
    int64_t bytes;          /* moved by them */
    uint64_t requests;      /* all of them, warm-up and failed ones included */
    int64_t all_bytes;      /* moved by all */
    uint64_t too_fast, too_slow, cached, failed;
    uint64_t missed; /* grid points at which no request was sent */
};

/* Which requests count. */
struct stats_limits {
    uint64_t warmup; /* the first so many do not */
    int64_t fastest; /* ns; faster ones do not */
    int64_t slowest; /* ns; slower ones do not */
};

/* Decides from SAMPLE's own values whether it counts, and sets its verdict. */
void stats_judge(const struct stats_limits *limits, struct sample *sample);

/* Adds a judged sample. */
void stats_record(struct stats *stats, const struct sample *sample);

/*
 * After a sample that counts was recorded: sets its verdict to fast below half
 * of the average so far and to slow above twice it, once more than 5 count.
 */
void stats_compare(const struct stats *stats, struct sample *sample);

/* Adds all that MORE has seen. */
void stats_merge(struct stats *stats, const struct stats *more);

/* NUMBER per second over TIME ns; 0 if no time has passed. */
double stats_rate(double number, int64_t time);

#endif
