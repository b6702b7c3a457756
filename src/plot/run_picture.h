#ifndef PLOT_RUN_PICTURE_H
#define PLOT_RUN_PICTURE_H

#include "draw.h"

/* The data and functions that the two panels of the plot of a run share. */

#define PLOT_INSET 6   /* between a frame and its contents, in pixels */
#define PLOT_BINS 280  /* maximum number of bins of the time panel */
#define PLOT_LEVELS 60 /* maximum number of levels of the spread panel */

/* The plot of a run while it is drawn. */
struct run_picture {
    struct buffer *text;
    const struct plot *plot;
    struct plot_panel time_panel, spread_panel;
    int64_t time_span;                /* time that the time axis covers, in ns */
    int64_t min_latency, max_latency; /* over all targets, in ns */
    bool has_data;                    /* some request counts */
    unsigned entries;                 /* set of entries that the legend needs */
    /* the bins of the target that is being drawn; they divide time_span into equal
     * parts */
    struct track_column bins[PLOT_BINS];
    int bin_count;
    /* the levels of the target that is being drawn, from the shortest latency up: numbers
     * of requests or, with several targets, shares in thousandths of a percent */
    double levels[PLOT_LEVELS];
    int level_count;
};

#define PLOT_PERCENTILES 2 /* number of percentiles of percentiles_common */

/* The names of percentiles_common, which are also their CSS classes. */
extern const char *const plot_percentile_names[PLOT_PERCENTILES];

/* Returns when the last request of TRACK started or was missed, in ns after the start of
 * the track. Only marks have an exact time; other requests are known to within a column
 * of the track. */
int64_t run_picture_end(const struct track *track);

/* Returns true if TARGET has so few requests that each of them is drawn as a mark. */
bool run_picture_has_marks(const struct plot *plot, int target);

/* Returns percentile INDEX of percentiles_common, in ns. Returns -1 if STATS have too few
 * requests to know the percentile. */
int64_t run_picture_percentile(const struct stats *stats, int index);

/* Returns the y of LATENCY, in ns, in both panels. */
double run_picture_y(const struct run_picture *run, double latency);

/* Draws p50 and p99 of TARGET as lines across PANEL. Draws nothing if there are many
 * targets, because their lines would hide one another. */
void run_picture_draw_percentiles(const struct run_picture *run,
                                  const struct plot_panel *panel, int target);

#endif
