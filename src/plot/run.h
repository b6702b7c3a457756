#ifndef PLOT_RUN_H
#define PLOT_RUN_H

#include "parts.h"

/* The picture of a run while it is drawn: two panels that share the latency axis. */

#define PLOT_BINS 280  /* of time, at most */
#define PLOT_LEVELS 60 /* of latency, at most: the bins of the histogram */
#define PLOT_INSET 6   /* pixels between a frame and what is drawn */

struct plot_bin {
    uint64_t count;
    int64_t min, max;
    double sum;
};

struct plot_run {
    const struct plot *plot;
    struct plot_panel time, spread;
    int64_t span;        /* ns that the time axis covers */
    int64_t least, most; /* latencies, ns */
    bool data;           /* there are any */
    bool exceptions;     /* there are failures or missed probes */
    struct plot_bin bins[PLOT_BINS];
    int rows; /* how many of the levels there are */
    double levels[PLOT_LEVELS];
};

/* When the last request started or was missed, as exactly as it is known, ns. */
int64_t plot_run_end(const struct track *track);

/* The panel of latency over time, and the histogram; both are placed and fitted. */
void plot_time_draw(struct buffer *text, struct plot_run *run);
void plot_spread_draw(struct buffer *text, struct plot_run *run);

/* The lines of p50 and p99 of a target through a whole panel. */
void plot_run_percentiles(struct buffer *text, const struct plot_run *run,
                          const struct plot_panel *panel, int target);

#endif
