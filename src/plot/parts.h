#ifndef PLOT_PARTS_H
#define PLOT_PARTS_H

#include "axis.h"
#include "plot/plot.h"
#include "svg.h"

/* What the pictures are made of; all of it adds to TEXT. */

#define PLOT_WIDTH 960
#define PLOT_MARGIN 16
#define PLOT_TOP 88     /* of the panels */
#define PLOT_HEIGHT 360 /* of the panels */
#define PLOT_LEFT 92    /* of the first panel: ticks and title stand before it */

#define PLOT_FONT 12 /* of most texts */
#define PLOT_SMALL 11
#define PLOT_ROW 18    /* of the legend */
#define PLOT_SWATCH 24 /* how wide a piece of a line is in it */

/* A frame with axes; one whose gap is 0 has no ticks, one without title no texts. */
struct plot_panel {
    double x, y, width, height;
    struct plot_axis across, up;
    const char *across_title, *up_title;
};

/* The frame, its grid, ticks and titles; what is drawn in it has to follow. */
void plot_panel_draw(struct buffer *text, const struct plot_panel *panel);

/* Says in the middle of a panel that there is nothing to see. */
void plot_panel_empty(struct buffer *text, const struct plot_panel *panel);

/* Room for the classes of an element. */
#define PLOT_CLASS 48

/*
 * The classes of what is drawn for TARGET in a ROLE such as "mark": with the
 * colour and the dashes of that target or, if it is the only one, in the colour
 * of LINE, such as "p99". Into CLASS of PLOT_CLASS bytes. Returns CLASS.
 */
const char *plot_class(char *class, const struct plot *plot, const char *role,
                       const char *line, int target);

/* A failure and a missed probe, 5 pixels wide, 6 high, their lower ends at X, Y. */
void plot_cross(struct buffer *text, const char *class, double x, double y);
void plot_triangle(struct buffer *text, const char *class, double x, double y);

/* What was sent, such as "random reads of 4 KiB, direct". */
void plot_words_sent(struct buffer *text, const struct plot *plot);

/* What came of it, such as "99 requests counted, 1 failed". */
void plot_words_done(struct buffer *text, const struct plot *plot);

/* All that the picture shows, in words, not escaped. */
void plot_words_all(struct buffer *text, const struct plot *plot);

/* Whether there is anything to draw: a request that counts. */
bool plot_has_data(const struct job *job);

/* What the lines mean and what the targets are, from Y on; and its height. */
void plot_legend_draw(struct buffer *text, const struct plot *plot, double y);
double plot_legend_height(const struct plot *plot);

/* The table of targets in it: its head is at Y, a row for each below. */
void plot_targets_draw(struct buffer *text, const struct plot *plot, bool failed,
                       bool missed, double y);

/* The panels of a run, and those of a sweep. */
void plot_run_draw(struct buffer *text, const struct plot *plot);
void plot_sweep_draw(struct buffer *text, const struct plot *plot);

/* Whether targets are so few that more than one line of each can be told apart. */
bool plot_is_clear(const struct plot *plot);

/* Whether the requests of a target are all drawn as marks. */
bool plot_run_marks(const struct plot *plot, int target);

#endif
