#ifndef PLOT_LABELS_H
#define PLOT_LABELS_H

#include <stdbool.h>

/* Finds places for labels beside points, so that none lies upon another. */

struct plot_box {
    double left, top, right, bottom; /* pixels */
};

struct plot_labels {
    struct plot_box frame;  /* that all of them stay in */
    struct plot_box *boxes; /* the caller's; room for all points and labels */
    int points, labels;     /* points first, all of them before any label */
};

/* Adds a point that labels should keep off. */
void plot_labels_point(struct plot_labels *labels, double x, double y);

/*
 * Finds a place beside the point X, Y for a text of WIDTH and HEIGHT and takes it:
 * off all points and other labels, and nearer to its point than to any other. X and
 * Y become the begin of its base line. Returns false if there is none.
 */
bool plot_labels_place(struct plot_labels *labels, double width, double height, double *x,
                       double *y);

#endif
