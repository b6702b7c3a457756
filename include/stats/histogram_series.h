#ifndef STATS_HISTOGRAM_SERIES_H
#define STATS_HISTOGRAM_SERIES_H

#include "stats/dependence.h"
#include "stats/distribution.h"
#include "stats/percentile.h"

#include <stdint.h>

/*
 * Histograms over time, in constant memory: what a log of histograms tells about the
 * order of its latencies. Each interval of the log becomes a group. When there are too
 * many groups, every two successive groups become one. All zero is the empty series.
 */
#define HISTOGRAM_SERIES_GROUPS 128 /* an even number */

struct histogram_series {
    int group_count;          /* groups in use, the present one included */
    int shift;                /* a group stands for 2^shift intervals */
    uint64_t interval_count;  /* intervals so far that have latencies */
    uint64_t previous_number; /* number of the interval that was added last, from 1; 0
                                 if there is none */
    uint64_t counts[HISTOGRAM_SERIES_GROUPS];               /* latencies, by group */
    uint32_t bins[HISTOGRAM_SERIES_GROUPS][HISTOGRAM_BINS]; /* latencies, by group and
                                                               bin; never too high */
};

/* Adds COUNT latencies of BIN (see histogram_bin) to the interval with NUMBER. The
 * number of an interval is above 0, and increases from one interval to the next. */
void histogram_series_add(struct histogram_series *series, uint64_t number, int bin,
                          uint64_t count);

/*
 * Finds how much the latencies of SERIES depend on each other, for PERCENTILE. The result
 * is for a time series whose entries stand for all latencies, ENTRY_COUNT entries in all
 * (stats/interval.h). Within an interval, the order of latencies is not known. So the
 * dependence follows from how much more the intervals differ than intervals of
 * independent latencies would.
 */
void histogram_series_dependence(struct dependence *dependence,
                                 const struct histogram_series *series,
                                 const struct percentile *percentile, double entry_count);

#endif
