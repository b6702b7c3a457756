#ifndef STATS_MOMENTS_H
#define STATS_MOMENTS_H

#include <stdint.h>

/*
 * Count, sum, extremes, mean and squared deviation of latencies, ns, in constant memory.
 * All zero is the empty set.
 */
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

#endif
