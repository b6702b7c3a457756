#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"

#include <stdint.h>

struct comparison_row;
struct job;
struct plan;

/* The first line of every plot. An old file is only replaced by a new plot if it begins
 * with this line. */
#define PLOT_START "<!-- ioping -->\n"

/* The input of a plot. It must not change while plot_format runs. */
struct plot {
    const struct plan *plan;
    /* One job for each target. If the plan has a sweep, each job must have the steps of
     * its sweep. Otherwise, each job must have statistics and a track. */
    const struct job *jobs;
    int count; /* number of jobs, at least 1 */
    /* The rows of a filled comparison, one for each job, in any order; the first row is
     * the reference. NULL if the jobs are not compared. */
    const struct comparison_row *rows;
    /* Where and when the plot was made. `host` is the name of the machine, or NULL. The
     * command line is made from the options of the plan. It is left out if there are no
     * options. */
    const char *host;
    int64_t made_at; /* ns since 1970 */
};

/*
 * Adds PLOT to TEXT as an SVG document, which needs no other file. Its headings have the
 * workload, the host, the time, and the result. The plot shows:
 * - for a run without a sweep: latency over time and the distribution of latencies; with
 *   -load, the time of the background load is shaded;
 * - for a sweep of sizes: latency and bandwidth against the request size;
 * - for a sweep of threads or depths: latency against IOPS;
 * - for a sweep of rates or intervals: latency against the offered rate or the interval.
 * If no request counts, the plot says so. If memory runs out, TEXT->failed becomes true.
 */
void plot_format(struct buffer *text, const struct plot *plot);

#endif
