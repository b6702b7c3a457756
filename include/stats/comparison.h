#ifndef STATS_COMPARISON_H
#define STATS_COMPARISON_H

#include "base/buffer.h"
#include "stats/interval.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* The number of percentiles that are always compared: the percentiles of
 * percentiles_common. */
#define COMPARISON_FIGURES 2

/* A percentile of a row, compared with the same percentile of the first row. */
struct comparison_figure {
    int64_t value;  /* ns; 0 if no request counts */
    uint64_t count; /* number of requests that count, in this row or in the first row,
                       whichever is smaller */
    double ratio;   /* `value` divided by the value of the first row; 0 if unknown */
    struct interval bounds;   /* interval of `ratio` at 95 % */
    enum slo_verdict verdict; /* verdict on the relative limit that the figure belongs
                                 to */
    /* The number of intervals in the log of histograms that is too short for `bounds`,
     * and the minimum. If the logs of the row and of the first row are both too short,
     * this is about the log that needs more. 0: no log is too short. */
    uint64_t interval_count;
    uint64_t min_intervals;
};

/* A target or a recorded run in a comparison. The caller owns the objects that the
 * pointers refer to. The caller fills the fields above `rank`, and sets the other fields
 * to 0. comparison_fill sets `rank` and `figures`. In the first row, which is not
 * compared, the figures keep 0 in `ratio`, `bounds` and `verdict`. */
struct comparison_row {
    const char *name;
    int ordinal; /* number of the row among all rows with the same name, from 1; 0 if no
                    other row has this name */
    const struct stats *stats;        /* statistics of all requests */
    const struct time_series *series; /* a sample of the requests; comparison_fill sorts
                                         its entries */

    int rank; /* 1 for the fastest row; 0 if the rank is not known */
    /* First one figure for each percentile of percentiles_common. Then one figure for
     * each limit, in the order of the limits. The figure of a limit that is not relative
     * is not used. */
    struct comparison_figure figures[COMPARISON_FIGURES + SLOS_MAX];
};

/*
 * Fills the ranks and figures of COUNT rows. Each row is compared with the first row, in
 * the common percentiles and in the percentiles of the relative limits of SLOS. A
 * relative limit is met if both bounds of the ratio are at most the limit, broken if both
 * bounds are above the limit, and SLO_UNKNOWN otherwise. Corrected percentiles have no
 * bounds.
 *
 * If RANKED, the rows are sorted by their medians before they are compared. Ranks are
 * given one after the other. Each rank goes to the fastest row that has no rank yet. All
 * other rows without a rank get the same rank if they are not known to differ from this
 * row. Rows in which too few requests count get no rank, and follow the ranked rows. Rows
 * in which no request counts come last. Rows without a rank stay in their previous order.
 *
 * Returns 0, or -1 if memory is lacking; the rows are unchanged then.
 */
int comparison_fill(struct comparison_row *rows, int count, const struct slos *slos,
                    bool ranked);

/* Returns whether enough requests count to know PERCENTILE, both in the row of FIGURE and
 * in the first row. With fewer requests, the percentile would be the longest latency. */
bool comparison_is_shown(const struct comparison_figure *figure,
                         const struct percentile *percentile);

/* Adds why the bounds of FIGURE are unknown, and what to do: "31 intervals are too few
 * (record at least 176)". STATS are the statistics of a row. FIGURE may be NULL if no row
 * is a log of histograms. */
void comparison_add_reason(struct buffer *text, const struct comparison_figure *figure,
                           const struct stats *stats);

/* Returns the worst verdict of all limits of SLOS on ROW. REFERENCE is the first row. If
 * ROW is REFERENCE, relative limits are left out. */
enum slo_verdict comparison_check_all(const struct slos *slos,
                                      const struct comparison_row *row,
                                      const struct comparison_row *reference);

#endif
