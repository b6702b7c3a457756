#ifndef PLOT_RUN_PICTURE_H
#define PLOT_RUN_PICTURE_H

#include "draw.h"
#include "labels.h"

/* The data and functions that the panels of the plot of a run share. */

#define PLOT_WHOLE 1e5   /* 100 %, in the unit of PLOT_SHARE */
#define PLOT_INSET 6     /* between a frame and its contents, in pixels */
#define PLOT_BINS 280    /* maximum number of bins of the time panel */
#define PLOT_LEVELS 60   /* maximum number of levels of a spread panel */
#define PLOT_QUANTILES 4 /* percentiles of a series; the maximum is one of them */

/*
 * A series: requests that are drawn in one colour, with percentiles of their own. If
 * there are several targets, each target is a series. If there is one target, each of its
 * phases or each of its mixed operations is a series.
 */
struct run_series {
    int target;
    enum scope scope; /* an operation, or SCOPE_ALL */
    enum phase phase; /* PHASE_NONE unless the series is a phase */
    int colour;       /* index of a colour, for plot_class */
    const struct stats *stats;
    struct latencies latencies; /* those of `scope` in `stats` */
    /* The time of the series in the time panel: the x at which the lines of its
     * percentiles begin and end. */
    double x_from, x_to;
};

/* The plot of a run while it is drawn. */
struct run_picture {
    struct buffer *text;
    const struct plot *plot;
    struct plot_panel time_panel;
    /* the histograms: one panel for all series or, with phases, one panel for each */
    struct plot_panel spread_panels[PHASES];
    struct plot_panel parts_panel; /* set only if the plot has parts (plot_has_parts) */
    struct run_series series[PLOT_MAX_DETAILED];
    int series_count;
    bool has_phases;                  /* true if the series are phases */
    int64_t time_span;                /* time that the time axis covers, in ns */
    int64_t min_latency, max_latency; /* range of latencies to show, in ns */
    bool has_data;                    /* true if any request counts */
    unsigned entries;                 /* set of entries that the legend needs */
    /* the bins of the series that is being drawn; they divide time_span into equal
     * parts */
    struct track_column bins[PLOT_BINS];
    int bin_count;
    /* The levels of the series that is being drawn, from the shortest latency up. Each
     * has a number of requests or, if there are several series, a share in thousandths of
     * a percent. */
    double levels[PLOT_LEVELS];
    int level_count;
};

/* The names of the percentiles of a series, which are also their CSS classes: p50, p90,
 * p99 and max. */
extern const char *const run_quantile_names[PLOT_QUANTILES];

/* Returns true if a request with OPERATION belongs to SERIES. */
static inline bool
run_series_has(const struct run_series *series, enum operation operation)
{
    return !scope_is_operation(series->scope) ||
           scope_operation(series->scope) == operation;
}

/* Returns percentile INDEX of SERIES, in ns; run_quantile_names has its name. Returns -1
 * if SERIES has too few requests to know the percentile. */
int64_t run_series_quantile(const struct run_series *series, int index);

/* Returns when the last request of TRACK started or was missed, in ns after the start of
 * the track. The time is exact if the last request has a mark. Otherwise, it is exact
 * only to within a column of the track. */
int64_t run_picture_end(const struct track *track);

/* Returns true if TARGET has so few requests that each of them is drawn as a mark. */
bool run_picture_has_marks(const struct plot *plot, int target);

/*
 * Makes the picture of PLOT that adds to TEXT: finds the series, the range of latencies,
 * the time span, and the entries of the legend. The caller sets the frame of the time
 * panel, may widen the range of latencies, and then calls run_picture_fit_axes. The
 * caller frees the picture. Returns NULL, and sets TEXT->failed, if memory runs out.
 */
struct run_picture *run_picture_open(struct buffer *text, const struct plot *plot);

/* Sets the axes of the time panel of RUN. An axis without data has no ticks. */
void run_picture_fit_axes(struct run_picture *run);

/* Draws the percentiles of all series into PANEL: lines across the panel if there is one
 * series, else short lines at the right edge. */
void run_picture_draw_percentiles(const struct run_picture *run,
                                  const struct plot_panel *panel);

/* Stores in LIST the labels of all percentiles that are drawn, sorted from the top down.
 * LIST must have PLOT_QUANTILES elements for each series. Returns their number. */
int run_picture_labels(const struct run_picture *run, struct edge_label *list);

/* Returns the y of LATENCY, in ns, in all panels with an axis of latency. */
double run_picture_y(const struct run_picture *run, double latency);

/* What a line or area that is drawn from the bins shows. */
enum bin_kind {
    BIN_LATENCIES, /* the latencies of requests that count */
    BIN_PARTS,     /* the parts of the time of requests that were split into parts */
};

/* An edge of a bin: a y at which a line or area of the bin can end. EDGE_PART + I is the
 * lower edge of part I in the panel of parts, and EDGE_PART + PLOT_PARTS is the top of
 * the stack. */
enum edge { EDGE_MIN, EDGE_MEAN, EDGE_MAX, EDGE_PART };

/* Returns the middle of COLUMN of TRACK, in ns after the start of the track. */
double run_column_middle(const struct track *track, int column);

/* Fills the bins of RUN with the requests of SERIES. If all requests have marks,
 * latencies come from the marks of the track. Otherwise, they come from its columns.
 * Parts always come from the columns, because marks have no parts. The parts of a
 * long request also fill the bins after its start, up to its end. */
void run_bins_fill(struct run_picture *run, const struct run_series *series,
                   enum bin_kind kind);

/* Draws the area between the edges LOWER and UPPER. If both are the same edge, draws a
 * line. Empty bins make gaps in it; all bins between two gaps are drawn as one path. */
void run_bins_draw(const struct run_picture *run, enum edge lower, enum edge upper,
                   const char *class);

/* time_panel.c: draws the time panel of RUN. The frame and axes of the panel must be set.
 * Also sets x_from and x_to of series that are phases. */
void plot_time_panel_draw(struct run_picture *run);

/* spread_panel.c: draws the spread panels of RUN. Their frames and vertical axes must be
 * set. Also sets their horizontal axes. */
void plot_spread_panels_draw(struct run_picture *run);

/* parts_panel.c: draws the shares of the parts of the time, and the table of the parts
 * beside them. They lie below the time panel of RUN, whose frame and axes must be set. */
void plot_parts_panel_draw(struct run_picture *run);

#endif
