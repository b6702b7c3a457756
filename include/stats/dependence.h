#ifndef STATS_DEPENDENCE_H
#define STATS_DEPENDENCE_H

#include "stats/percentile.h"
#include "stats/series.h"

#include <stdbool.h>

/* How much of a series is worth one independent request, as far as a percentile goes. */
struct dependence {
    bool known;  /* the series is worth DEPENDENCE_LEAST independent requests, for the
                    percentile and for the median */
    double time; /* the integrated autocorrelation time, in entries, 1 at least */
    double tolerance; /* its bounds are that much further away, as a share of them */
};

#define DEPENDENCE_LEAST 15

/* Find the dependence of SERIES, whose entries are put in the order of their starts.
 * Returns 0, or -1 without memory. */
int dependence_find(struct dependence *dependence, const struct time_series *series,
                    const struct percentile *percentile);

#endif
