#ifndef REPORT_COMPARISON_H
#define REPORT_COMPARISON_H

#include "base/buffer.h"
#include "stats/slo.h"
#include "stats/stats.h"

/* What a target is called, and what its run amounts to; both stay the caller's. */
struct comparison_row {
    const char *target;
    const struct stats *stats;
};

/*
 * Adds a table of COUNT targets in ascending order of their median, those of which no
 * request counted last; a blank line and a head before it. If SLOS has limits, a column
 * says whether each target keeps them all, in COLOR if one does not. Times and IOPS are
 * those of the requests that count. Without memory the text is marked as failed.
 */
void comparison_format(struct buffer *text, const struct comparison_row *rows, int count,
                       const struct slos *slos, bool color);

#endif
