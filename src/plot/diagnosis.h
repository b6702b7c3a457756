#ifndef PLOT_DIAGNOSIS_H
#define PLOT_DIAGNOSIS_H

#include "plot/plot.h"

/* The plot of -diagnose: its panels, and the words about its parts, which the description
 * repeats. PLOT must have a diagnosis. */

/* Draws the panels and the legend of a diagnosis, from Y downwards. Returns the y at
 * which they end. */
double plot_diagnosis_draw(struct buffer *text, const struct plot *plot, double y);

/* Adds the title of the panel of PART, such as "Idle: one read of 4 KiB every 10 ms". */
void plot_add_part_title(struct buffer *text, const struct plot *plot,
                         enum plan_part part);

/* Returns why the panel of PART shows no figures, or NULL if it shows some. */
const char *plot_why_missing(const struct plot *plot, enum plan_part part);

/* Adds the uses that the figures of PART decide: "etcd OK, database log FAIL". Adds
 * nothing if there are none, or if the diagnosis is not complete. */
void plot_add_verdicts(struct buffer *text, const struct plot *plot, enum plan_part part);

#endif
