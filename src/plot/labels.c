#include "labels.h"

#include "number.h"

#include <stddef.h>

#define RADIUS 3  /* of a point, pixels */
#define AWAY 5    /* from a point to its label */
#define DESCENT 2 /* of what is under the base line */
#define NEARLY 0.1

void
plot_labels_point(struct plot_labels *labels, double x, double y)
{
    labels->boxes[labels->points++] =
        (struct plot_box){x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS};
}

static bool
overlaps(const struct plot_box *a, const struct plot_box *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom &&
           b->top < a->bottom;
}

/* Pixels from a box to a point, squared. */
static double
distance(const struct plot_box *box, double x, double y)
{
    double across = number_most(number_most(box->left - x, x - box->right), 0);
    double down = number_most(number_most(box->top - y, y - box->bottom), 0);
    return across * across + down * down;
}

/* Upon nothing, and nearer to X, Y than to any other point. */
static bool
is_free(const struct plot_labels *labels, const struct plot_box *box, double x, double y)
{
    const struct plot_box *frame = &labels->frame;
    double own = distance(box, x, y);
    if (box->left < frame->left || box->right > frame->right || box->top < frame->top ||
        box->bottom > frame->bottom)
        return false;
    for (int i = 0; i < labels->points + labels->labels; i++)
        if (overlaps(box, &labels->boxes[i]))
            return false;
    for (int i = 0; i < labels->points; i++) {
        const struct plot_box *point = &labels->boxes[i];
        if (distance(box, point->left + RADIUS, point->top + RADIUS) < own - NEARLY)
            return false;
    }
    return true;
}

bool
plot_labels_place(struct plot_labels *labels, double width, double height, double *x,
                  double *y)
{
    /* Where its middle is, in halves of its own size beyond the distance to the point. */
    static const struct {
        int right, down;
    } places[] = {{0, -1}, {1, -1}, {1, 0},  {1, 1}, {0, 1}, {-1, -1}, {-1, 0},  {-1, 1},
                  {0, -3}, {1, -3}, {2, -1}, {2, 1}, {0, 3}, {1, 3},   {-1, -3}, {-1, 3}};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        int right = places[i].right, down = places[i].down;
        double middle = *x + right * (AWAY + width / 2);
        double centre = *y + (down > 0 ? AWAY : down < 0 ? -AWAY : 0) + down * height / 2;
        struct plot_box box = {middle - width / 2, centre - height / 2,
                               middle + width / 2, centre + height / 2};
        if (!is_free(labels, &box, *x, *y))
            continue;
        labels->boxes[labels->points + labels->labels++] = box;
        *x = box.left;
        *y = box.bottom - DESCENT;
        return true;
    }
    return false;
}
