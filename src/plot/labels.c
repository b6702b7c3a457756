/*
 * The placement of labels beside points and beside panels. Around each point there are
 * several spots for its label. The first free spot is taken; if no spot is free, there is
 * no label.
 */
#include "labels.h"

#include "draw.h"

#include <math.h>

/* Lengths for the placement of labels, in pixels. */
#define POINT_RADIUS 3   /* half the size of the box of a point */
#define LABEL_DISTANCE 5 /* from a point to its label */
#define EDGE_DISTANCE 14 /* minimum vertical distance of two labels beside a panel */
#define DESCENT 2        /* height of the part of letters below the base line */
/* Two distances that differ by less than this count as equal, in squared pixels. */
#define TOLERANCE 0.1

/* Returns the squared distance between BOX and the point X, Y. Returns 0 if the point
 * lies inside the box. */
static double
squared_distance(const struct box *box, double x, double y)
{
    double x_distance = fmax(fmax(box->x_min - x, x - box->x_max), 0);
    double y_distance = fmax(fmax(box->y_min - y, y - box->y_max), 0);

    return x_distance * x_distance + y_distance * y_distance;
}

/* Returns true if BOX lies inside of FRAME. */
static bool
is_inside(const struct box *box, const struct box *frame)
{
    return box->x_min >= frame->x_min && box->x_max <= frame->x_max &&
           box->y_min >= frame->y_min && box->y_max <= frame->y_max;
}

/* Returns true if the boxes overlap. */
static bool
do_overlap(const struct box *one, const struct box *other)
{
    return one->x_min < other->x_max && other->x_min < one->x_max &&
           one->y_min < other->y_max && other->y_min < one->y_max;
}

/* Narrows the part of a line in which it is between MIN and MAX, in one direction. The
 * line starts at START and is LENGTH long in this direction. The part is from *FROM to
 * *TO, where 0 is the start of the line and 1 its end. Returns false if nothing is left.
 */
static bool
narrow_part(double start, double length, double min, double max, double *from, double *to)
{
    if (length == 0)
        return start > min && start < max;

    double one = (min - start) / length;
    double other = (max - start) / length;
    *from = fmax(*from, fmin(one, other));
    *to = fmin(*to, fmax(one, other));
    return *from < *to;
}

/* Returns true if the line between the points of ONE and OTHER goes through BOX. */
static bool
crosses(const struct box *one, const struct box *other, const struct box *box)
{
    double from = 0;
    double to = 1;

    return narrow_part(one->x_min + POINT_RADIUS, other->x_min - one->x_min, box->x_min,
                       box->x_max, &from, &to) &&
           narrow_part(one->y_min + POINT_RADIUS, other->y_min - one->y_min, box->y_min,
                       box->y_max, &from, &to);
}

/* Returns true if BOX is free for a label of the point X, Y: BOX lies inside the frame,
 * overlaps no other box, and no line goes through it. No other point is nearer to it than
 * X, Y. */
static bool
is_free(const struct labels *labels, const struct box *box, double x, double y)
{
    double own_distance = squared_distance(box, x, y);

    if (!is_inside(box, &labels->frame))
        return false;

    for (int i = 0; i < labels->point_count + labels->other_count; i++)
        if (do_overlap(box, &labels->boxes[i]))
            return false;

    for (int i = 1; i < labels->point_count; i++)
        if (labels->boxes[i].is_joined &&
            crosses(&labels->boxes[i - 1], &labels->boxes[i], box))
            return false;

    for (int i = 0; i < labels->point_count; i++) {
        const struct box *point = &labels->boxes[i];
        double point_distance = squared_distance(box, point->x_min + POINT_RADIUS,
                                                 point->y_min + POINT_RADIUS);
        if (point_distance < own_distance - TOLERANCE)
            return false;
    }

    return true;
}

void
labels_add_point(struct labels *labels, double x, double y, bool is_joined)
{
    labels->boxes[labels->point_count] =
        (struct box){x - POINT_RADIUS, y - POINT_RADIUS, x + POINT_RADIUS,
                     y + POINT_RADIUS, is_joined};
    labels->point_count++;
}

void
labels_block(struct labels *labels, struct box box)
{
    labels->boxes[labels->point_count + labels->other_count] = box;
    labels->other_count++;
}

void
labels_draw(struct labels *labels, struct buffer *text, const char *name, double x,
            double y)
{
    /* The spots for the middle of the label, relative to its point; the best spots come
     * first. One step to the right is half the width of the label plus LABEL_DISTANCE.
     * One step down is half the height of the label. A label that lies higher or lower
     * than its point is moved away from it by a further LABEL_DISTANCE. */
    static const struct {
        int right, down;
    } spots[] = {{0, 1}, {1, 1},  {-1, 1},  {0, -1}, {-1, -1}, {1, -1},
                 {1, 0}, {-1, 0}, {0, -3},  {1, -3}, {2, -1},  {2, 1},
                 {0, 3}, {1, 3},  {-1, -3}, {-1, 3}};
    double width = svg_width(name, PLOT_SMALL);
    double height = PLOT_SMALL + 1;

    for (size_t i = 0; i < sizeof(spots) / sizeof(spots[0]); i++) {
        int right = spots[i].right;
        int down = spots[i].down;
        double x_middle = x + right * (LABEL_DISTANCE + width / 2);
        double y_middle = y;

        if (down > 0)
            y_middle += LABEL_DISTANCE;
        if (down < 0)
            y_middle -= LABEL_DISTANCE;
        y_middle += down * height / 2;

        struct box box = {x_middle - width / 2, y_middle - height / 2,
                          x_middle + width / 2, y_middle + height / 2, false};
        if (!is_free(labels, &box, x, y))
            continue;

        labels_block(labels, box);
        svg_text(text, box.x_min, box.y_max - DESCENT, SVG_START, PLOT_SMALL, "dim halo",
                 name);
        return;
    }
}

void
edge_labels_insert(struct edge_label *list, int count, const struct edge_label *label)
{
    int index = count;

    while (index > 0 && list[index - 1].line_y > label->line_y) {
        list[index] = list[index - 1];
        index--;
    }
    list[index] = *label;
}

/* Moves the texts of COUNT labels apart. The labels must be sorted from the top down.
 * Texts are first moved down. Texts that then lie below MAX_Y are moved up again. */
static void
separate_labels(struct edge_label *list, int count, double max_y)
{
    for (int i = 0; i < count; i++) {
        list[i].text_y = list[i].line_y;
        if (i > 0)
            list[i].text_y = fmax(list[i].line_y, list[i - 1].text_y + EDGE_DISTANCE);
    }

    for (int i = count - 1; i >= 0; i--) {
        list[i].text_y = fmin(list[i].text_y, max_y);
        max_y = list[i].text_y - EDGE_DISTANCE;
    }
}

void
edge_labels_draw(struct buffer *text, struct edge_label *list, int count,
                 const struct plot_panel *panel)
{
    double x = panel->x + panel->width;

    separate_labels(list, count, plot_panel_bottom(panel) - 4);

    for (int i = 0; i < count; i++) {
        const struct edge_label *label = &list[i];

        svg_path(text, plot_class("lead", label->colour).text);
        svg_point(text, 'M', x + 2, label->line_y);
        svg_point(text, 'L', x + 10, label->text_y);
        svg_end(text);
        svg_text(text, x + 13, label->text_y + 4, SVG_START, PLOT_SMALL, "value",
                 label->text);
    }
}
