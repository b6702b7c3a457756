#ifndef PLOT_LABELS_H
#define PLOT_LABELS_H

#include "svg.h"

#include <stdbool.h>

struct plot_panel;

/*
 * Labels beside the points of a chart. A label is only drawn where it is legible: it
 * covers no point, no line, no other label and no blocked box, and no other point is
 * nearer to it than its own point.
 *
 * The caller adds all points first, then the blocked boxes. Then it draws the labels.
 */

/* A rectangle, in pixels. */
struct box {
    double x_min, y_min, x_max, y_max;
    bool is_joined; /* the box of a point, to which a line leads from the point before */
};

/* What a new label must not cover. */
struct labels {
    struct box frame; /* all labels must lie inside this box */
    /* The boxes of the points come first, then all others. The caller provides memory for
     * as many boxes as there are points, blocked boxes and labels. */
    struct box *boxes;
    int point_count;
    int other_count; /* number of blocked boxes and of labels that are already drawn */
};

/* Adds the point X, Y. IS_JOINED says that a straight line leads to it from the point
 * that was added before. */
void labels_add_point(struct labels *labels, double x, double y, bool is_joined);

/* Adds BOX, which no label may overlap. */
void labels_block(struct labels *labels, struct box box);

/* Writes NAME beside the point X, Y. Tries several spots, and takes the first one that is
 * free. Writes nothing if no spot is free. */
void labels_draw(struct labels *labels, struct buffer *text, const char *name, double x,
                 double y);

/* A label to the right of a panel. It names a line that ends at the edge of the panel. */
struct edge_label {
    double line_y, text_y; /* y of the line, and of the text of the label */
    int colour;            /* index of the colour of a target, passed to plot_class */
    char text[48];
};

/* Inserts LABEL into the COUNT labels of LIST, which are sorted from the top down. LIST
 * must have room for COUNT + 1 labels. */
void edge_labels_insert(struct edge_label *list, int count,
                        const struct edge_label *label);

/* Draws the COUNT labels of LIST, sorted from the top down, to the right of PANEL. Moves
 * their texts apart, so that they do not overlap. A short line connects each text with
 * the line that it names. */
void edge_labels_draw(struct buffer *text, struct edge_label *list, int count,
                      const struct plot_panel *panel);

#endif
