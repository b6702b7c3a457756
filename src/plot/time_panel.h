#ifndef PLOT_TIME_PANEL_H
#define PLOT_TIME_PANEL_H

struct run_picture;

/* Draws the time panel of RUN, whose frame and axes must be set. Each layer is drawn for
 * all targets before the next layer, so that the bands of one target do not cover the
 * marks of another. */
void plot_time_panel_draw(struct run_picture *run);

#endif
