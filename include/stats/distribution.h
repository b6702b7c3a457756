#ifndef STATS_DISTRIBUTION_H
#define STATS_DISTRIBUTION_H

#include <stdint.h>

/* Count, sum, extremes, mean and squared deviation of a set of latencies, in constant
 * memory. All zero is the empty set. */
struct moments {
    uint64_t count;
    int64_t sum, min, max; /* exact, in ns */
    double mean;           /* ns */
    double squares;        /* sum of the squared distances from the mean, in ns^2 */
};

/* Adds LATENCY, in ns, at least 0. The formulas for `mean` and `squares` are Welford's
 * (distribution.c). */
static inline void
moments_record(struct moments *moments, int64_t latency)
{
    if (moments->count == 0 || latency < moments->min)
        moments->min = latency;
    if (latency > moments->max)
        moments->max = latency;
    moments->count++;
    moments->sum += latency;
    double distance = (double)latency - moments->mean;
    moments->mean += distance / (double)moments->count;
    moments->squares += distance * ((double)latency - moments->mean);
}

/* Adds all latencies of MORE to MOMENTS, as if they had been recorded there. */
void moments_merge(struct moments *moments, const struct moments *more);

/* Returns the mean in ns, rounded down. Returns 0 for the empty set. */
int64_t moments_average(const struct moments *moments);

/* Returns the population standard deviation in ns, rounded down. Returns 0 for the empty
 * set. */
int64_t moments_deviation(const struct moments *moments);

/*
 * A histogram of latencies in ns, in constant memory. All zero is the empty set.
 *
 * The bins are log-linear, as in HdrHistogram: the range from each power of two to the
 * next one is divided into 128 equal bins. Bin B has the latencies above
 * histogram_below(B), up to and including histogram_upto(B). Bin 0 also has latencies of
 * 0. Bins are 1 ns wide up to 256 ns. Above 256 ns, the width of a bin is at most 1/128
 * of its latencies, so the middle of a bin is at most 0.4 % away from any latency in the
 * bin.
 */
#define HISTOGRAM_BITS 7 /* 2^7 bins from each power of two to the next one */
/* The longest latency in the bins, in ns: 73 minutes. Longer latencies are recorded as if
 * they took this long. */
#define HISTOGRAM_MAX_LATENCY (1LL << 42)
#define HISTOGRAM_BINS ((42 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
    uint64_t count; /* latencies in all bins together */
    uint64_t bins[HISTOGRAM_BINS];
};

/* Returns the bin of LATENCY, in ns, at least 0. distribution.c has the formula. */
static inline int
histogram_bin(int64_t latency)
{
    int64_t value = latency < HISTOGRAM_MAX_LATENCY ? latency : HISTOGRAM_MAX_LATENCY;
    value -= value > 0;
    int extra = __builtin_clzll(1ULL << HISTOGRAM_BITS) -
                __builtin_clzll((uint64_t)value | 1ULL << HISTOGRAM_BITS);
    return (extra << HISTOGRAM_BITS) + (int)(value >> extra);
}

/* Returns the lower bound of BIN in ns. All latencies in the bin are longer. */
int64_t histogram_below(int bin);

/* Returns the upper bound of BIN in ns, which is the longest latency in the bin. */
int64_t histogram_upto(int bin);

/* Returns the middle of BIN in ns, rounded up. */
int64_t histogram_middle(int bin);

/* Adds LATENCY, in ns, at least 0. */
static inline void
histogram_record(struct histogram *histogram, int64_t latency)
{
    histogram->count++;
    histogram->bins[histogram_bin(latency)]++;
}

/*
 * Corrects coordinated omission, as HdrHistogram does. While a request of LATENCY ns was
 * in flight, further requests were due every EVERY ns and could not be sent. The function
 * adds the waits that these requests would have had: LATENCY - EVERY, LATENCY - 2 *
 * EVERY, and so on. In the last IDLE ns of LATENCY no request was due any more, so waits
 * of IDLE ns or less are not added. EVERY must be above 0. The time that the function
 * takes grows with the number of bins, not with the number of waits.
 */
void histogram_record_waits(struct histogram *histogram, int64_t latency, int64_t every,
                            int64_t idle);

/* Adds all latencies of MORE to HISTOGRAM. All of them must lie between LEAST and MOST,
 * in ns. */
void histogram_merge(struct histogram *histogram, const struct histogram *more,
                     int64_t least, int64_t most);

/* Removes all latencies. All of them must lie between LEAST and MOST, in ns. Writes only
 * to the bins between LEAST and MOST, so that memory that was never used is not touched.
 */
void histogram_clear(struct histogram *histogram, int64_t least, int64_t most);

/* Returns the middle of the bin that has the latency with RANK, in ns. The shortest
 * latency has rank 1, and the longest has rank `count`. */
int64_t histogram_value(const struct histogram *histogram, uint64_t rank);

/* Returns how many latencies are at most LIMIT ns. The number is exact if LIMIT is the
 * upper bound of a bin, such as each 1000 * 2^k. Otherwise it may be too small, because
 * the bin that has LIMIT is left out. */
uint64_t histogram_count_upto(const struct histogram *histogram, int64_t limit);

/* The moments and the histogram of one set of latencies. All zero is the empty set. */
struct distribution {
    struct moments moments;
    struct histogram histogram;
};

/* Adds LATENCY, in ns, at least 0. */
static inline void
distribution_record(struct distribution *distribution, int64_t latency)
{
    moments_record(&distribution->moments, latency);
    histogram_record(&distribution->histogram, latency);
}

/* Adds all latencies of MORE to DISTRIBUTION. */
void distribution_merge(struct distribution *distribution,
                        const struct distribution *more);

/* Removes all latencies. Does not touch memory that was never used. */
void distribution_clear(struct distribution *distribution);

#endif
