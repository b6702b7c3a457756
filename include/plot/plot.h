#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"
#include "target/description.h"
#include "plan/plan.h"
#include "stats/stats.h"
#include "stats/track.h"

#include <stdint.h>

/* What every picture begins with, so that one can be told from another file. */
#define PLOT_START "<!-- ioping -->\n"

/* One step of a sweep. */
struct plot_step {
    int64_t value;         /* bytes, threads or depth */
    uint64_t requests;     /* that count; 0: the step is left out */
    double iops, bps;      /* by the clock */
    int64_t p50, p99, max; /* ns */
    uint64_t failed;       /* others that did */
};

/* What one target has shown: `stats` and `track` of a run, or `steps` of a sweep. */
struct plot_target {
    const struct description *description;
    const struct stats *stats;
    const struct track *track;
    const struct plot_step *steps;
    int count; /* of steps */
};

struct plot {
    const struct plan *plan;
    const struct plot_target *targets;
    int count; /* at least 1 */
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
