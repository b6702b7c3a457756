#ifndef STATS_STATS_H
#define STATS_STATS_H

#include "stats/histogram.h"
#include "stats/moments.h"
#include "stats/percentile.h"
#include "stats/sample.h"

/*
 * What a stretch of a run amounts to. All zero is the empty stretch. `every` and `busy`
 * are for the owner to set; nothing but memory is needed for a copy.
 */
struct stats {
    struct moments latency; /* of the requests that count */
    struct moments sync;    /* of the flushes among them */
    int64_t last;           /* when the last request ended, monotonic; 0: none */
    int64_t every;          /* ns: interval to correct for; 0: not */
    int64_t busy;  /* ns that rates are over, see stats/busy.h; 0: the sum of the times */
    int64_t bytes; /* moved by those that count */
    uint64_t requests; /* all of them, warm-up and failed ones included */
    int64_t all_bytes; /* moved by all */
    uint64_t too_fast, too_slow, cached, stopped, failed;
    uint64_t missed; /* grid points at which no request was sent */

    struct histogram latencies; /* of the requests that count */
    struct histogram corrected; /* with the waits of those that were not sent */
    struct histogram syncs;
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

/* Empties it, but for what its owner set; quicker than all of its memory. */
void stats_clear(struct stats *stats);

/*
 * A percentile of the latencies, corrected if they are, or of the flushes, ns;
 * 0 of none. It is never outside of what was seen.
 */
int64_t stats_percentile(const struct stats *stats, const struct percentile *percentile);
int64_t stats_sync_percentile(const struct stats *stats,
                              const struct percentile *percentile);

/* Those of percentiles_common, likewise of the latencies. */
int64_t stats_p50(const struct stats *stats);
int64_t stats_p99(const struct stats *stats);

/* The histogram that percentiles are taken from. */
const struct histogram *stats_distribution(const struct stats *stats);

/*
 * Which of a list are to be shown, a bit for each: all if it was asked for,
 * else those that one of the requests at least can lie above.
 */
unsigned stats_shown(const struct stats *stats, const struct percentiles *list);

/* Adds all that MORE has seen; its `busy` is taken for that of an earlier or later
 * stretch. Whoever merges what ran at the same time sets the sum's own. */
void stats_merge(struct stats *stats, const struct stats *more);

/* NUMBER per second over TIME ns; 0 if no time has passed. */
double stats_rate(double number, int64_t time);

/* Requests and bytes per second of those that count, over their busy time. */
double stats_iops(const struct stats *stats);
double stats_bps(const struct stats *stats);

#endif
