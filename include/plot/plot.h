#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"

struct job;
struct plan;

/* The first line of every plot. An old file is only replaced by a new plot if it begins
 * with this line. */
#define PLOT_START "<!-- ioping -->\n"

/* The input of a plot. It must not change while plot_format runs. */
struct plot {
    const struct plan *plan;
    /* One job for each target. Each job must have the steps of its sweep or, if the plan
     * has no sweep, statistics and a track. */
    const struct job *jobs;
    int count; /* number of jobs, at least 1 */
};

/*
 * Adds PLOT to TEXT as an SVG document, which needs no other file. The plot shows:
 * - for a run without a sweep: latency over time and the distribution of latencies; with
 *   -load, the time of the background load is shaded;
 * - for a sweep of sizes: IOPS and bandwidth against the request size;
 * - for a sweep of threads, depths or rates: latency against IOPS;
 * - for a sweep of intervals: latency against the interval.
 * If no request counts, the plot says so. If memory runs out, TEXT->failed becomes true.
 */
void plot_format(struct buffer *text, const struct plot *plot);

#endif
