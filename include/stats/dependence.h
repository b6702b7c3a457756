#ifndef STATS_DEPENDENCE_H
#define STATS_DEPENDENCE_H

#include "stats/percentile.h"
#include "stats/track.h"

#include <stdbool.h>

/* How much the requests of a series depend on each other, for one percentile. If the
 * autocorrelation time is 10, ten successive entries of the series tell as much about the
 * percentile as one independent request (dependence.c). */
struct dependence {
    bool is_known; /* the series tells as much as at least DEPENDENCE_MIN independent
                      requests, both about the percentile and about the median */
    double autocorrelation_time; /* integrated autocorrelation time, in entries of the
                                    series, at least 1 */
    double drift; /* how much all latencies rise and fall together: the standard deviation
                     of the median of log latencies over the run (dependence.c); 0 if no
                     drift had to be assumed */
    /* The minimum number of intervals of a series of histograms that is too short for a
     * known dependence. Else 0. */
    uint64_t min_intervals;
};

/* The minimum number of independent requests for a known dependence. */
#define DEPENDENCE_MIN 15

/* Returns the integrated autocorrelation time of COUNT VALUES, whose mean is 0, in
 * values; at least 1. Overwrites VALUES. */
double dependence_autocorrelation_time(float *values, int count);

/* Returns the autocovariance at LAG of COUNT VALUES, whose mean is 0. */
double dependence_covariance(const float *values, int count, int lag);

/* Finds the dependence of the requests of SERIES for PERCENTILE. Sorts the entries of
 * SERIES by their starts. Returns 0, or -1 if memory is lacking. */
int dependence_find(struct dependence *dependence, const struct time_series *series,
                    const struct percentile *percentile);

/* Returns the factor, at least 1, by which the drift makes the interval of a percentile
 * wider: the lower bound is divided by it, and the upper bound is multiplied by it. */
double dependence_widening(const struct dependence *dependence);

/* Returns the factor, at least 1, by which the drifts of two percentiles make the
 * interval of their ratio wider, as in dependence_widening. */
double dependence_ratio_widening(const struct dependence *dependence,
                                 const struct dependence *reference);

#endif
