#ifndef STATS_ADVICE_H
#define STATS_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

struct latencies;
struct percentile;

/* The largest advice, in requests. Larger numbers would not make an answer more certain,
 * because a time series stores only a limited number of requests (stats/track.h). */
#define ADVICE_MAX 16384

/*
 * Returns how many independent requests a run needs to tell with certainty (at 95 %)
 * whether the run meets a limit on PERCENTILE. At least nine of ten runs with this number
 * of requests can tell. LATENCIES are the latencies of a run so far. LIMIT is in ns.
 * FAILS says that the percentile of LATENCIES is above the limit. Returns 0 if the
 * percentile is so close to the limit that more than ADVICE_MAX requests are needed.
 */
uint64_t advice_requests(const struct percentile *percentile,
                         const struct latencies *latencies, int64_t limit, bool fails);

#endif
