#ifndef PLOT_PLOT_H
#define PLOT_PLOT_H

#include "base/buffer.h"

struct job;
struct plan;

/* The first line of every plot, which tells it from a file that must not be replaced. */
#define PLOT_START "<!-- ioping -->\n"

/* The jobs that a plot shows; they stay as they are until it is drawn. */
struct plot {
    const struct plan *plan;
    const struct job *jobs; /* their steps if they sweep, else statistics and tracks */
    int count;              /* at least 1 */
};

/*
 * Adds the plot as an SVG document that refers to no other file: latency over time and
 * its distribution, with the time of a load shaded; of a sweep of sizes, IOPS and
 * bandwidth against the size; of threads or depths, latency against IOPS. Without a
 * request that counts it says so. If memory runs out, `failed` of TEXT is set.
 */
void plot_format(struct buffer *text, const struct plot *plot);

#endif
