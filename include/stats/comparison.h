#ifndef STATS_COMPARISON_H
#define STATS_COMPARISON_H

#include "stats/interval.h"
#include "stats/slo.h"
#include "stats/stats.h"

#include <stdbool.h>
#include <stdint.h>

/* The percentiles that are always compared: those of percentiles_common. */
#define COMPARISON_FIGURES 2

/* A percentile of a row, beside that of the first row. */
struct comparison_figure {
    int64_t value;            /* ns; 0: no request counts */
    uint64_t count;           /* requests of the row, or of the first if it has fewer */
    double ratio;             /* to the first row's; 0: there is none */
    struct interval bounds;   /* of the ratio */
    enum slo_verdict verdict; /* on the ratio, of a limit */
};

/* One of several series of requests, which stay the caller's. */
struct comparison_row {
    const char *name;
    int ordinal; /* among rows of the same name, from 1; 0: no other row has it */
    const struct stats *stats;        /* of its requests */
    const struct time_series *series; /* likewise; comparing sorts its entries */
    /* To be filled: */
    int rank; /* from 1, the fastest; 0: not known */
    /* Those of limits that are relative come last, by their index among all. */
    struct comparison_figure figures[COMPARISON_FIGURES + SLOS_MOST];
};

/*
 * Compare COUNT rows with the first, in the figures and in what SLOS limit relative to
 * it: such a limit is met, or broken, if all of the bounds are on one side of it, else
 * SLO_UNKNOWN. Bounds with corrected percentiles are not known. RANKED rows are put in
 * ascending order of their medians before; those not known to differ from the fastest
 * that is left share a place, in their order. Behind them come, as they were, those of
 * too few requests, and last those of which none counts. Returns 0, or -1 without memory.
 */
int comparison_fill(struct comparison_row *rows, int count, const struct slos *slos,
                    bool ranked);

/* Returns whether both rows of FIGURE have enough requests to show a percentile, which
 * would be the longest of them otherwise. */
bool comparison_is_shown(const struct comparison_figure *figure,
                         const struct percentile *percentile);

/* Returns the worst verdict on ROW of all limits that its rows were compared in, those
 * that are relative included unless it is the REFERENCE itself. */
enum slo_verdict comparison_check_all(const struct slos *slos,
                                      const struct comparison_row *row,
                                      const struct comparison_row *reference);

#endif
