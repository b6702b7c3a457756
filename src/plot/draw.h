#ifndef PLOT_DRAW_H
#define PLOT_DRAW_H

#include "axis.h"
#include "plot/plot.h"
#include "run/job.h"
#include "svg.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The layout of a plot and the functions that draw it, file by file. Each adds elements
 * to TEXT; if memory runs out, `failed` of TEXT is set. Lengths are pixels, y grows
 * downwards. A target is the number of a job, from 0.
 */

#define PLOT_WIDTH 960
#define PLOT_MARGIN 16
#define PLOT_TOP 88     /* of the panels */
#define PLOT_HEIGHT 360 /* of the panels */
#define PLOT_LEFT 92    /* of the first panel: ticks and title stand before it */

#define PLOT_FONT 12 /* of most texts */
#define PLOT_SMALL 11
#define PLOT_ROW 18    /* of the legend and of the table */
#define PLOT_SWATCH 24 /* length of the sample of a line in them */

/* panel.c: frames with axes, and the looks of targets. */

/* A frame with axes; one whose gap is 0 has no ticks, one without title no texts. */
struct plot_panel {
    double x, y, width, height;
    struct plot_axis across, up;
    const char *across_title, *up_title;
};

/* Draws the frame, its grid, ticks and titles; its contents have to follow. */
void plot_panel_draw(struct buffer *text, const struct plot_panel *panel);

/* Says in the middle of a panel that no request counted. */
void plot_panel_empty(struct buffer *text, const struct plot_panel *panel);

/* Draws p50 and p99 of a target of a run as lines through a whole panel, unless targets
 * are so many that these would hide one another. */
void plot_panel_percentiles(struct buffer *text, const struct plot *plot,
                            const struct plot_panel *panel, int target);

/* Returns true if any request of the job counts, so that there is one to draw. */
bool plot_has_data(const struct job *job);

/* Returns true if targets are so few that several lines of each stay readable. */
bool plot_is_clear(const struct plot *plot);

/* Room for the classes of an element. */
#define PLOT_CLASS 48

/*
 * Writes the classes of what is drawn for TARGET in a ROLE such as "mark" into CLASS of
 * PLOT_CLASS bytes: with the colour and the dashes of that target or, if it is the only
 * one, in the colour of LINE, such as "p99". Returns CLASS.
 */
const char *plot_class(char *class, const struct plot *plot, const char *role,
                       const char *line, int target);

/* Draws a failed or a missed request, 5 pixels wide, 6 high, its lower end at X, Y. */
void plot_cross(struct buffer *text, const char *class, double x, double y);
void plot_triangle(struct buffer *text, const char *class, double x, double y);

/* words.c: what a plot shows, in words that are not escaped. */

/* Adds the load, such as "random reads of 4 KiB, direct". */
void plot_words_sent(struct buffer *text, const struct plot *plot);

/* Adds the result, such as "99 requests counted, 1 failed". */
void plot_words_done(struct buffer *text, const struct plot *plot);

/* Adds a description of the whole plot, for people who do not see it. */
void plot_words_all(struct buffer *text, const struct plot *plot);

/* targets.c: what stands under the panels. */

/* Draws the legend of the lines and the table of the targets, from Y on. */
void plot_targets_draw(struct buffer *text, const struct plot *plot, double y);

/* Returns how high they are together. */
double plot_targets_height(const struct plot *plot);

/* sweep.c: draws the panels of a sweep. */
void plot_sweep_draw(struct buffer *text, const struct plot *plot);

/* run.c: draws the panels of a run, which the next two files fill. */
void plot_run_draw(struct buffer *text, const struct plot *plot);

#define PLOT_BINS 280  /* of time, at most */
#define PLOT_LEVELS 60 /* of latency, at most: the bins of the histogram */
#define PLOT_INSET 6   /* pixels between a frame and its contents */

/* Requests that started within a stretch of time. */
struct plot_bin {
    uint64_t count;
    int64_t min, max; /* latencies, ns */
    double sum;
};

/* A run while it is drawn: two panels that share the latency axis. */
struct plot_run {
    const struct plot *plot;
    struct plot_panel time, spread;
    int64_t span;        /* ns that the time axis covers */
    int64_t least, most; /* latencies, ns */
    bool data;           /* any request counts */
    bool exceptions;     /* requests failed or were missed */
    struct plot_bin bins[PLOT_BINS];
    int rows; /* of the levels, those in use */
    double levels[PLOT_LEVELS];
};

/* time.c: draws the panel of latency over time, which is placed and fitted. */
void plot_time_draw(struct buffer *text, struct plot_run *run);

/* Returns when the last request started or was missed, as exactly as the track has it,
 * ns after the track's start. */
int64_t plot_time_end(const struct track *track);

/* Returns true if the requests of a target are so few that each is drawn as a mark. */
bool plot_time_marks(const struct plot *plot, int target);

/* spread.c: draws the histogram, whose panel is placed, its latency axis fitted. */
void plot_spread_draw(struct buffer *text, struct plot_run *run);

#endif
