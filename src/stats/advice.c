/*
 * How many requests make the answer to a limit on a percentile certain.
 *
 * The answer is certain once both bounds of the percentile (stats/interval.h) are on the
 * same side of the limit. That depends on how many requests take longer than the limit:
 * among N independent requests this number is binomial with the probability Q, the share
 * of requests that take longer. The advice is the number of requests with which at least
 * nine of ten runs are certain.
 *
 * Q is estimated from the latencies seen so far:
 *
 * - If many of them are above the limit, Q is their share.
 * - Otherwise Q is extrapolated from the K largest latencies. They are taken for the tail
 *   of a Pareto distribution that begins at the largest latency U below them:
 *
 *       Q = K / N * (limit / U) ^ (-1 / G)
 *
 *   The tail index G is the mean of log(latency / U) over the K latencies (Hill, "A
 *   simple general approach to inference about the tail of a distribution", 1975;
 *   Weissman, "Estimation of parameters and large quantiles based on the k largest
 *   observations", 1978). The standard error of G is G / sqrt(K). Half of it is added,
 *   because too small a Q gives too small an advice.
 * - A short run may not show rare stalls. Therefore Q is at least 15 % of the share that
 *   the limit allows.
 *
 * The advice was tested by simulation. A first run of 99 to 1000 requests gave the
 * advice, and a second run followed it. The requests were independent, or had a
 * correlation of 0.5. Latencies were exponential, lognormal, normal or uniform, and their
 * true percentile was 50 % or 80 % of the limit. At least 9 of 10 second runs were
 * certain. If 0.5 % of the requests stall and the first run shows none of the stalls, the
 * advice is too low.
 */
#include "stats/advice.h"

#include "binomial.h"
#include "stats/distribution.h"

#include <math.h>

#define BOUND_TAIL 0.05  /* chance that the percentile is beyond one of its bounds */
#define SUCCESS 0.9      /* share of the runs that have to be certain */
#define SEEN_ENOUGH 10   /* with this many latencies above the limit, Q is their share */
#define TAIL_SHARE 10    /* K / N, as a multiple of the share above the percentile */
#define TAIL_LEAST 10    /* smallest K */
#define TAIL_ERRORS 0.5  /* standard errors that are added to G */
#define RARE_STALLS 0.15 /* smallest Q, as a part of the share above the percentile */
#define SHARE_LEAST 1e-9 /* smallest share of requests: resolution of a percentile */

/* Returns the share of values, 0 to 1, that are above PERCENTILE. */
static double
share_above(const struct percentile *percentile)
{
    int64_t above = PERCENTILE_HUNDRED - percentile->billionths;
    return (double)above / PERCENTILE_HUNDRED;
}

/* Returns the middle of BIN in ns. */
static double
middle_of(int bin)
{
    return ((double)histogram_below(bin) + (double)histogram_upto(bin)) / 2;
}

/* Returns Q, the share of latencies above LIMIT ns, extrapolated from the largest
 * latencies of HISTOGRAM. Returns 1 if LIMIT is not above the start of the tail. */
static double
extrapolate_share(const struct histogram *histogram, const struct percentile *percentile,
                  int64_t limit)
{
    double count = (double)histogram->count;
    double wanted = fmax(TAIL_SHARE * share_above(percentile) * count, TAIL_LEAST);
    wanted = fmin(wanted, count / 2);

    int bin = HISTOGRAM_BINS - 1;
    double size = 0;
    double logs = 0;
    for (; bin > 0; bin--) {
        double values = (double)histogram->bins[bin];
        if (size + values > wanted)
            break;
        size += values;
        logs += values * log(middle_of(bin));
    }

    double start = middle_of(bin);
    if (size == 0 || (double)limit <= start)
        return 1;
    double index = logs / size - log(start);
    index *= 1 + TAIL_ERRORS / sqrt(size);
    return size / count * pow((double)limit / start, -1 / index);
}

/* Returns Q, the share of requests that take longer than LIMIT ns, 0 to 1. FAILS says
 * that the percentile is above the limit. */
static double
estimate_share(const struct percentile *percentile, const struct latencies *latencies,
               int64_t limit, bool fails)
{
    const struct histogram *histogram = latencies->uncorrected;
    uint64_t above = latencies_above(latencies, limit);
    if (histogram->count == 0)
        return fails ? 1 : 0;

    double seen = (double)above / (double)histogram->count;
    if (fails || above >= SEEN_ENOUGH)
        return seen;

    /* A tail that begins above the limit tells nothing about it. */
    double tail = extrapolate_share(histogram, percentile, limit);
    return tail < 1 ? fmax(seen, tail) : seen;
}

/* Returns whether at least nine of ten runs of COUNT requests are certain if SHARE of the
 * requests, 0 to 1, take longer than the limit. */
static bool
is_enough(const struct percentile *percentile, uint64_t count, double share, bool fails)
{
    double within = fmin(fmax(1 - share, SHARE_LEAST), 1 - SHARE_LEAST);
    struct percentile limit = {.billionths = llround(within * PERCENTILE_HUNDRED)};
    struct rank_bounds bounds = binomial_bounds(percentile, count, BOUND_TAIL);
    if (fails)
        return bounds.lower > 0 &&
               binomial_chance(&limit, count, bounds.lower - 1) >= SUCCESS;
    return bounds.upper > 0 &&
           binomial_chance(&limit, count, bounds.upper - 1) <= 1 - SUCCESS;
}

uint64_t
advice_requests(const struct percentile *percentile, const struct latencies *latencies,
                int64_t limit, bool fails)
{
    double share = estimate_share(percentile, latencies, limit, fails);
    double allowed = share_above(percentile);
    if (fails ? share <= allowed : share >= allowed)
        return 0;
    if (!fails)
        share = fmax(share, RARE_STALLS * allowed);

    uint64_t too_few = 0;
    uint64_t enough = 1;
    while (!is_enough(percentile, enough, share, fails)) {
        too_few = enough;
        enough *= 2;
        if (too_few >= ADVICE_MOST)
            return 0;
    }
    while (too_few + 1 < enough) {
        uint64_t middle = too_few + (enough - too_few) / 2;
        if (is_enough(percentile, middle, share, fails))
            enough = middle;
        else
            too_few = middle;
    }
    return enough;
}
