#ifndef PLOT_SPREAD_PANEL_H
#define PLOT_SPREAD_PANEL_H

struct run_picture;

/* Draws the spread panel of RUN, whose frame and vertical axis must be set. Sets its
 * horizontal axis. */
void plot_spread_panel_draw(struct run_picture *run);

#endif
