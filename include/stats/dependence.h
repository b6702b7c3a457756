#ifndef STATS_DEPENDENCE_H
#define STATS_DEPENDENCE_H

#include "stats/percentile.h"
#include "stats/track.h"

#include <stdbool.h>

/* How much the requests of a series depend on each other, as far as one percentile is
 * concerned: how many requests tell as much as one independent request. */
struct dependence {
    bool is_known; /* the series is worth at least DEPENDENCE_LEAST independent requests,
                      for the percentile and for the median */
    double autocorrelation_time; /* integrated autocorrelation time, in entries of the
                                    series, at least 1 */
    double drift; /* standard deviation of the level of log latencies; 0 if there is no
                     drift */
};

#define DEPENDENCE_LEAST 15 /* independent requests */

/* Finds the dependence of the requests of SERIES, as far as PERCENTILE is concerned.
 * Sorts the entries of SERIES by their starts. Returns 0, or -1 if memory is lacking. */
int dependence_find(struct dependence *dependence, const struct time_series *series,
                    const struct percentile *percentile);

/* Returns the factor, at least 1, by which the drift makes both bounds of a percentile
 * wider. */
double dependence_widening(const struct dependence *dependence);

/* Returns the factor, at least 1, by which the drifts of two percentiles make both bounds
 * of their ratio wider. */
double dependence_ratio_widening(const struct dependence *dependence,
                                 const struct dependence *reference);

#endif
