#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"

struct job;
struct plan;

/* The first line of every plot. A new plot may replace an old file only if that file has
 * this first line. */
#define PLOT_START "<!-- ioping -->\n"

/* The input of a plot. Must not change while plot_format runs. */
struct plot {
    const struct plan *plan;
    /*
     * One job for each target. In a sweep, a job has steps; else, statistics and a track.
     */
    const struct job *jobs;
    int count; /* of jobs, at least 1 */
};

/*
 * Adds PLOT to TEXT as an SVG document, which needs no other file. The kind of run
 * decides what the plot shows:
 * - a run, and -load: latency over time and the distribution of latencies; the time of
 * the background load is shaded;
 * - a sweep of sizes: IOPS and bandwidth against the request size;
 * - a sweep of threads, depths or rates: latency against IOPS;
 * - a sweep of intervals: latency against the interval.
 * If no request counted, the plot says so. If memory runs out, TEXT->failed becomes true.
 */
void plot_format(struct buffer *text, const struct plot *plot);

#endif
