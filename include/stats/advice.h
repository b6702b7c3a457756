#ifndef STATS_ADVICE_H
#define STATS_ADVICE_H

#include <stdbool.h>
#include <stdint.h>

struct latencies;
struct percentile;

/* The largest advice, in requests. A time series stores only a limited number of requests
 * (stats/track.h), so more requests would not make an answer more certain. */
#define ADVICE_MOST 16384

/*
 * Returns how many independent requests a run needs so that its answer to a limit on
 * PERCENTILE is certain at 95 % in at least 9 of 10 such runs. LATENCIES come from a run
 * so far, LIMIT is in ns, and FAILS says that the percentile is above the limit. Returns
 * 0 if more than ADVICE_MOST are needed: the percentile is too close to its limit.
 */
uint64_t advice_requests(const struct percentile *percentile,
                         const struct latencies *latencies, int64_t limit, bool fails);

#endif
