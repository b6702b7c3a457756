#ifndef STATS_DISTRIBUTION_H
#define STATS_DISTRIBUTION_H

#include <stdint.h>

/* What sums up latencies, ns. All zero is the empty set. */
struct moments {
    uint64_t count;
    int64_t sum, min, max; /* exact */
    double mean, squares;  /* squares: the sum of squared distances from the mean */
};

/* Add a latency, not negative. */
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

/* Add all that MORE has recorded, as if it had been recorded here. */
void moments_merge(struct moments *moments, const struct moments *more);

/* Returns the mean, ns, rounded down; 0 of nothing. */
int64_t moments_average(const struct moments *moments);

/* Returns the population standard deviation, ns, rounded down; 0 of nothing. */
int64_t moments_deviation(const struct moments *moments);

/*
 * How many latencies are in each bin. All zero is the empty set. Log-linear, as in
 * HdrHistogram: each power of two is cut into 128 equal bins. Bin B has the values above
 * histogram_below(B), up to and including histogram_upto(B). From 129 ns on a bin is at
 * most 1/128 of its values wide, below that 1 ns; its middle is so at most 0.4 % away
 * from any of them.
 */
#define HISTOGRAM_BITS 7
/* 73 minutes in ns; longer latencies are counted as that. */
#define HISTOGRAM_MOST (1LL << 42)
#define HISTOGRAM_BINS ((42 - HISTOGRAM_BITS + 1) << HISTOGRAM_BITS)

struct histogram {
    uint64_t count; /* of all */
    uint64_t bins[HISTOGRAM_BINS];
};

/* Returns the bin of a latency, ns, not negative. */
static inline int
histogram_bin(int64_t latency)
{
    int64_t value = latency < HISTOGRAM_MOST ? latency : HISTOGRAM_MOST;
    value -= value > 0;
    int extra = __builtin_clzll(1ULL << HISTOGRAM_BITS) -
                __builtin_clzll((uint64_t)value | 1ULL << HISTOGRAM_BITS);
    return (extra << HISTOGRAM_BITS) + (int)(value >> extra);
}

/* Return the bounds of a bin, and its middle, ns. */
int64_t histogram_below(int bin);
int64_t histogram_upto(int bin);
int64_t histogram_middle(int bin);

/* Add a latency, ns, not negative. */
static inline void
histogram_record(struct histogram *histogram, int64_t latency)
{
    histogram->count++;
    histogram->bins[histogram_bin(latency)]++;
}

/*
 * Add LATENCY - EVERY, LATENCY - 2 EVERY, and so on, as long as they are above IDLE: the
 * waits of requests that were due every so many ns, above 0, while one was under way, but
 * not in the last IDLE ns of it (coordinated omission, as HdrHistogram corrects it). The
 * time taken grows with the bins, not with the waits.
 */
void histogram_record_waits(struct histogram *histogram, int64_t latency, int64_t every,
                            int64_t idle);

/* Add all that MORE has recorded, which lies between LEAST and MOST, ns. */
void histogram_merge(struct histogram *histogram, const struct histogram *more,
                     int64_t least, int64_t most);

/* Make it the empty set, if all it has lies between LEAST and MOST, ns: memory that
 * holds nothing stays untouched. */
void histogram_clear(struct histogram *histogram, int64_t least, int64_t most);

/* Returns the value of a RANK from 1 to count, in ascending order: its bin's middle. */
int64_t histogram_value(const struct histogram *histogram, uint64_t rank);

/* Returns how many are at most LIMIT; exact where a bin ends, as at each 1000 * 2^k. */
uint64_t histogram_count(const struct histogram *histogram, int64_t limit);

/* All that is known of a set of latencies. All zero is the empty one. */
struct distribution {
    struct moments moments;
    struct histogram histogram;
};

/* Add a latency, ns, not negative. */
static inline void
distribution_record(struct distribution *distribution, int64_t latency)
{
    moments_record(&distribution->moments, latency);
    histogram_record(&distribution->histogram, latency);
}

/* Add all that MORE has recorded. */
void distribution_merge(struct distribution *distribution,
                        const struct distribution *more);

/* Make it the empty one, as histogram_clear does. */
void distribution_clear(struct distribution *distribution);

#endif
