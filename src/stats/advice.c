/*
 * How many requests make the answer to a limit on a percentile certain.
 *
 *   N   the number of independent requests, which is the advice
 *   Q   the share of requests that take longer than the limit
 *   C   the number of latencies that have been measured so far
 *   K   the number of latencies in the tail: the K largest of the C latencies
 *   U   the latency at which the tail begins: the largest latency that is not in the tail
 *   G   the tail index
 *
 * The answer is certain once both bounds of the percentile (binomial.h) are on the same
 * side of the limit. That depends on how many of the N requests take longer than the
 * limit. This number has a binomial distribution with the probability Q. The advice is
 * the smallest N for which the answer is certain in at least nine of ten runs.
 *
 * Q is estimated as follows:
 *
 * - If the percentile is above the limit, or if at least 10 latencies are above the
 * limit, Q is the share of the C latencies that are above the limit.
 * - Otherwise Q is extrapolated from the tail, which is taken for a Pareto distribution:
 *
 *       Q = K / C * (limit / U) ^ (-1 / G)
 *
 *   The tail index G is the mean of log(latency / U) over the K latencies (Hill, "A
 *   simple general approach to inference about the tail of a distribution", 1975;
 *   Weissman, "Estimation of parameters and large quantiles based on the k largest
 *   observations", 1978). The standard error of G is G / sqrt(K). Half of this error is
 *   added to G, so that Q and the advice do not become too small.
 * - A short run may not show rare stalls. Therefore, if the limit is met, Q is at least
 *   15 % of the share that the limit allows.
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

/* The chance that the percentile is below its lower bound. The chance that the percentile
 * is above its upper bound is the same. */
#define BOUND_TAIL 0.05

/* The share of the runs whose verdict must be certain. */
#define MIN_SUCCESS 0.9

/* With at least this many latencies above the limit, their share is the estimate of Q,
 * the share of requests that take longer than the limit. */
#define MIN_ABOVE 10

/* K, the number of latencies in the tail, is at most TAIL_SHARE times the number of
 * latencies above the percentile, or MIN_TAIL if that is more. It is never more than half
 * of all latencies. */
#define TAIL_SHARE 10
#define MIN_TAIL 10

/* The estimate of the tail index G is raised by this many of its standard errors. */
#define TAIL_ERRORS 0.5

/* If the limit is met, the estimate of Q, the share of requests that take longer than the
 * limit, is at least this part of the share that the limit allows. */
#define RARE_STALLS 0.15

/* The share of requests within the limit is raised to MIN_SHARE, or lowered to 1 -
 * MIN_SHARE, because struct percentile cannot hold a share nearer to 0 or 1. */
#define MIN_SHARE 1e-9

/* Returns the share, 0 to 1, of all values that are above PERCENTILE. */
static double
find_share_above(const struct percentile *percentile)
{
    int64_t above = PERCENTILE_HUNDRED - percentile->billionths;
    return (double)above / PERCENTILE_HUNDRED;
}

/* Returns the middle of BIN in ns, not rounded. */
static double
find_bin_middle(int bin)
{
    return ((double)histogram_below(bin) + (double)histogram_upto(bin)) / 2;
}

/* Returns the share of requests, 0 to 1, that take longer than LIMIT, in ns, extrapolated
 * from the tail of HISTOGRAM. Returns 1 if the tail is empty, or if LIMIT is not above
 * its start: the tail tells nothing about LIMIT then. */
static double
extrapolate_share(const struct histogram *histogram, const struct percentile *percentile,
                  int64_t limit)
{
    double count = (double)histogram->count;
    double max_size = fmax(TAIL_SHARE * find_share_above(percentile) * count, MIN_TAIL);
    max_size = fmin(max_size, count / 2);

    /* Whole bins, from the highest down, form the tail. */
    int bin = HISTOGRAM_BINS - 1;
    double tail_size = 0;
    double log_sum = 0;
    for (; bin > 0; bin--) {
        double size = (double)histogram->bins[bin];
        if (tail_size + size > max_size)
            break;
        tail_size += size;
        log_sum += size * log(find_bin_middle(bin));
    }

    double start = find_bin_middle(bin);
    if (tail_size == 0 || (double)limit <= start)
        return 1;
    /* The tail index is the mean of log(latency / start). */
    double index = log_sum / tail_size - log(start);
    index *= 1 + TAIL_ERRORS / sqrt(tail_size);
    return tail_size / count * pow((double)limit / start, -1 / index);
}

/* Returns the estimated share of requests, 0 to 1, that take longer than LIMIT, in ns.
 * FAILS says that PERCENTILE of LATENCIES is above LIMIT. */
static double
estimate_share(const struct percentile *percentile, const struct latencies *latencies,
               int64_t limit, bool fails)
{
    const struct histogram *histogram = latencies->uncorrected;
    uint64_t above = latencies_count_above(latencies, limit);
    if (histogram->count == 0)
        return fails ? 1 : 0;

    double seen = (double)above / (double)histogram->count;
    if (fails || above >= MIN_ABOVE)
        return seen;

    double extrapolated = extrapolate_share(histogram, percentile, limit);
    return extrapolated < 1 ? fmax(seen, extrapolated) : seen;
}

/*
 * Returns whether at least nine of ten runs of COUNT requests give a certain verdict on
 * the limit on PERCENTILE. SHARE, 0 to 1, is the share of requests that take longer than
 * the limit. FAILS says that the percentile is above the limit. Then a verdict is certain
 * if the lower bound of the percentile is above the limit. Without FAILS, a verdict is
 * certain if the upper bound is at most the limit.
 */
static bool
is_enough(const struct percentile *percentile, uint64_t count, double share, bool fails)
{
    /* The limit is a percentile, too: the share 1 - SHARE of the requests is within it.
     */
    double within = fmin(fmax(1 - share, MIN_SHARE), 1 - MIN_SHARE);
    struct percentile limit = {.billionths = llround(within * PERCENTILE_HUNDRED)};
    struct rank_bounds bounds = binomial_bounds(percentile, count, BOUND_TAIL);

    if (fails)
        return bounds.lower > 0 &&
               binomial_chance(&limit, count, bounds.lower - 1) >= MIN_SUCCESS;
    return bounds.upper > 0 &&
           binomial_chance(&limit, count, bounds.upper - 1) <= 1 - MIN_SUCCESS;
}

uint64_t
advice_requests(const struct percentile *percentile, const struct latencies *latencies,
                int64_t limit, bool fails)
{
    double share = estimate_share(percentile, latencies, limit, fails);
    double allowed = find_share_above(percentile);
    if (fails && share <= allowed)
        return 0;
    if (!fails && share >= allowed)
        return 0;
    if (!fails)
        share = fmax(share, RARE_STALLS * allowed);

    uint64_t too_few = 0;
    uint64_t enough = 1;
    while (!is_enough(percentile, enough, share, fails)) {
        too_few = enough;
        enough *= 2;
        if (too_few >= ADVICE_MAX)
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
