/* The placement of labels beside points. */
#include "support.h"

#include "plot/draw.h"
#include "plot/labels.h"

#include <math.h>

static struct box boxes[64];
static struct labels labels;
static struct buffer text;

static int
start(void **state)
{
    (void)state;
    labels = (struct labels){.frame = {0, 0, 200, 200}, .boxes = boxes};
    return 0;
}

static int
stop(void **state)
{
    (void)state;
    buffer_free(&text);
    return 0;
}

FIXTURE(start, stop)

/* Draws the label "99" of the point X, Y. Returns its box; the right edge is 0 if it was
 * left out. */
static struct box
label_of(double x, double y)
{
    int before = labels.other_count;
    labels_draw(&labels, &text, "99", x, y);
    if (labels.other_count == before)
        return (struct box){0, 0, 0, 0};
    assert_int_equal(labels.other_count, before + 1);
    return boxes[labels.point_count + before];
}

/* Returns true if the boxes have no area in common. */
static bool
are_apart(struct box one, struct box other)
{
    return one.x_max <= other.x_min || other.x_max <= one.x_min ||
           one.y_max <= other.y_min || other.y_max <= one.y_min;
}

TEST(a_label_stands_in_the_middle_below_its_point)
{
    labels_add_point(&labels, 100, 100, false);
    struct box box = label_of(100, 100);
    assert_true(fabs((box.x_min + box.x_max) / 2 - 100) < 0.1);
    assert_true(box.y_min > 100);
    assert_contains(text.text, ">99</text>");
}

TEST(a_label_keeps_off_points_labels_and_blocked_boxes)
{
    const struct box line = {99, 0, 101, 200};
    labels_add_point(&labels, 100, 100, false);
    labels_add_point(&labels, 130, 100, false);
    labels_block(&labels, line);
    struct box one = label_of(100, 100);
    struct box other = label_of(130, 100);
    assert_true(one.x_max > 0 && other.x_max > 0);
    assert_true(are_apart(one, line) && are_apart(other, line));
    assert_true(are_apart(one, other));
    for (int i = 0; i < 2; i++)
        assert_true(are_apart(one, boxes[i]) && are_apart(other, boxes[i]));
}

TEST(a_label_without_a_free_spot_is_left_out)
{
    labels_add_point(&labels, 100, 100, false);
    labels_block(&labels, (struct box){0, 0, 200, 200});
    assert_true(label_of(100, 100).x_max == 0);
    assert_null(text.text);
}

/* The label of a point in the corner stays inside of the frame. */
TEST(a_label_stays_inside_of_the_frame)
{
    labels_add_point(&labels, 199, 199, false);
    struct box box = label_of(199, 199);
    assert_true(box.x_max > 0 && box.x_max <= 200 && box.y_max <= 200);
}

/* The line goes through the spots below the first point. */
TEST(a_label_keeps_off_the_line_between_points)
{
    const struct {
        double x, y;
    } ends[] = {{100, 190}, {110, 190}, {90, 190}, {190, 190}, {190, 100}, {100, 10}};
    for (size_t i = 0; i < LENGTH(ends); i++) {
        labels.point_count = labels.other_count = 0;
        labels_add_point(&labels, 100, 100, false);
        labels_add_point(&labels, ends[i].x, ends[i].y, true);
        struct box box = label_of(100, 100);
        assert_true(box.x_max > 0);
        for (int k = 0; k <= 1000; k++) {
            double x = 100 + (ends[i].x - 100) * k / 1000;
            double y = 100 + (ends[i].y - 100) * k / 1000;
            assert_true(x <= box.x_min || x >= box.x_max || y <= box.y_min ||
                        y >= box.y_max);
        }
    }
    labels.point_count = labels.other_count = 0;
    labels_add_point(&labels, 100, 100, false);
    labels_add_point(&labels, 100, 190, false);
    assert_true(label_of(100, 100).y_min > 100);
}

/* Nobody could tell which of the two points the label in the middle belongs to. */
TEST(a_label_is_nearest_to_its_own_point)
{
    labels_add_point(&labels, 100, 100, false);
    labels_add_point(&labels, 100, 118, false);
    struct box box = label_of(100, 100);
    assert_true(box.x_max > 0);
    assert_true(box.y_max <= 118 - 9);
}
