#ifndef STATS_COMPARISON_H
#define STATS_COMPARISON_H

#include "stats/interval.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of percentiles that are always compared: those of percentiles_common. */
#define COMPARISON_FIGURES 2

/* A percentile of a row, compared with the same percentile of the first row. */
struct comparison_figure {
    int64_t value;            /* ns; 0 if no request counts */
    uint64_t count;           /* requests that count, of the row with fewer requests */
    double ratio;             /* the value divided by the first row's; 0 if not known */
    struct interval bounds;   /* of the ratio, at 95 % */
    enum slo_verdict verdict; /* of a relative limit, on the ratio */
};

/* A target or a recorded run in a comparison. The caller owns what the pointers refer to,
 * and fills the fields above `rank`. */
struct comparison_row {
    const char *name;
    int ordinal; /* among rows of the same name, from 1; 0 if the name is unique */
    const struct stats *stats;        /* statistics of all requests */
    const struct time_series *series; /* a sample of the requests; comparison_fill sorts
                                         its entries */

    int rank; /* from 1, the fastest; 0 if not known; set by comparison_fill */
    /* First the figures of percentiles_common, then one for each limit, by its index.
     * Only the figures of relative limits are used. Set by comparison_fill. */
    struct comparison_figure figures[COMPARISON_FIGURES + SLOS_MOST];
};

/*
 * Fills the ranks and figures of COUNT rows. Each row is compared with the first row, in
 * the common percentiles and in the percentiles of the relative limits of SLOS. A
 * relative limit is met if both bounds of the ratio are at most the limit, broken if both
 * bounds are above the limit, and SLO_UNKNOWN otherwise. There are no bounds for
 * corrected percentiles.
 *
 * If RANKED, the rows are sorted by their medians before they are compared. Rows that are
 * not known to differ from the fastest row without a rank share a rank. The rows with too
 * few requests that count follow the ranked rows, and the rows in which no request counts
 * come last, both in their previous order.
 *
 * Returns 0, or -1 if memory is lacking; the rows are unchanged then.
 */
int comparison_fill(struct comparison_row *rows, int count, const struct slos *slos,
                    bool ranked);

/* Returns whether both rows of FIGURE have enough requests that count to know PERCENTILE.
 * With fewer requests the percentile would be the longest latency. */
bool comparison_is_shown(const struct comparison_figure *figure,
                         const struct percentile *percentile);

/* Returns the worst verdict of all limits of SLOS on ROW. Relative limits are left out if
 * ROW is the REFERENCE itself, the first row. */
enum slo_verdict comparison_check_all(const struct slos *slos,
                                      const struct comparison_row *row,
                                      const struct comparison_row *reference);

#endif
