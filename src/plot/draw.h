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
 * downwards. A target is the index of a job, from 0.
 */

#define PLOT_WIDTH 960
#define PLOT_MARGIN 16
#define PLOT_TOP 88     /* of the panels */
#define PLOT_HEIGHT 360 /* of the panels */
#define PLOT_BOTTOM (PLOT_TOP + PLOT_HEIGHT)
#define PLOT_LEFT 92 /* of the first panel: ticks and title stand before it */

#define PLOT_FONT 12 /* of most texts */
#define PLOT_SMALL 11
#define PLOT_ROW 18    /* of the legend and of the table */
#define PLOT_SWATCH 24 /* length of the sample of a line in them */
#define PLOT_RING 5    /* radius of that around a step that broke a limit */

/* panel.c: frames with axes, and the looks of targets. */

/* A frame, as high as all are, with axes; one whose gap is 0 has no ticks, one without
 * title no texts. */
struct plot_panel {
    double x, width;
    struct plot_axis across, up;
    const char *across_title, *up_title;
};

/* Draws the frame, its grid, ticks and titles; its contents have to follow. */
void plot_panel_draw(struct buffer *text, const struct plot_panel *panel);

/* Says in the middle of a panel that no request counted. */
void plot_panel_empty(struct buffer *text, const struct plot_panel *panel);

/* Returns true if any request of the job counts, so that there is one to draw. */
bool plot_has_data(const struct job *job);

/* Returns true if targets are so few that several lines of each stay readable. */
bool plot_is_clear(const struct plot *plot);

/* What is drawn for all of several targets has the colour of text, which target has. */
#define PLOT_OF_ALL 6

/* The classes of an element, with blanks between. */
struct plot_class {
    char text[48];
};

/*
 * Returns the classes of what is drawn for TARGET in a ROLE such as "mark": with the
 * colour and the dashes of that target or, if it is the only one, in the colour of LINE,
 * such as "p99".
 */
struct plot_class plot_class(const struct plot *plot, const char *role, const char *line,
                             int target);

/*
 * Returns how many parts of the time of requests are drawn, as stacked columns: those of
 * one target whose requests were split, and the flush after a write, if there was any, as
 * the last; else 0. All else is in the colour of text then, so that theirs are seen.
 */
int plot_parts(const struct plot *plot);

#define PLOT_PARTS (PARTS + 1) /* the most */

/* Returns the scope of a part, from 0. */
static inline enum scope
plot_part_scope(int part)
{
    return part < PARTS ? SCOPE_SUBMIT + (enum scope)part : SCOPE_SYNC;
}

/* Returns the classes of a part in a ROLE. */
struct plot_class plot_part_class(const char *role, int part);

/* Adds the name of a phase, not escaped; of that with a load what it is, such as "under
 * load: write 1 MiB depth 8". */
void plot_phase_name(struct buffer *text, const struct plot *plot, enum phase phase);

/* Draws a failed or a missed request, 5 pixels wide, 6 high, its lower end at X, Y. */
void plot_cross(struct buffer *text, const char *class, double x, double y);
void plot_triangle(struct buffer *text, const char *class, double x, double y);

/* targets.c: what stands under the panels. */

/* Draws the legend of the lines and the table of the targets, from Y on. Returns where
 * they end. */
double plot_targets_draw(struct buffer *text, const struct plot *plot, double y);

/* sweep.c: draws the panels of a sweep. */
void plot_sweep_draw(struct buffer *text, const struct plot *plot);

/*
 * Stores in LIMITS those of the plan that a sweep draws as lines: on times of whole
 * requests, where the plot is one of times. Returns how many.
 */
int plot_limits(const struct plot *plot, struct slos *limits);

/* Returns the step with the highest rate that job INDEX meets; NULL: none is known. */
const struct job_step *plot_knee(const struct plot *plot, int index);

/* run.c: draws the panels of a run. */
void plot_run_draw(struct buffer *text, const struct plot *plot);

/* Returns true if the requests of a target are so few that each is drawn as a mark. */
bool plot_run_has_marks(const struct plot *plot, int target);

#endif
