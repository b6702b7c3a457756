#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"
#include "run/job.h"

#include <stdint.h>

/* What every picture begins with, so that one can be told from another file. */
#define PLOT_START "<!-- ioping -->\n"

struct plot {
    const struct plan *plan;
    const struct job *jobs; /* their steps if they sweep, else statistics and tracks */
    int count;              /* at least 1 */
};

/*
 * Adds the picture as a whole SVG document that needs nothing else: latency over time
 * and its distribution; of a sweep of sizes, IOPS and bandwidth against the
 * size; of threads or depths, latency against IOPS. Without a request that
 * counts it says so. What is there is all borrowed. If memory runs out, `failed` of
 * TEXT is set.
 */
void plot_format(struct buffer *text, const struct plot *plot);

#endif
