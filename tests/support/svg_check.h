#ifndef SUPPORT_SVG_CHECK_H
#define SUPPORT_SVG_CHECK_H

/*
 * Checks an SVG plot of the program against the rules for all plots, and answers
 * questions about it. Lengths are in units of the plot's viewBox. A panel is a <rect
 * class="plot">. The elements between a panel and the next one that have a class such as
 * "mark" are the data of the panel, and must lie inside it.
 */
#include "support.h"
#include "xml.h"

#include "base/buffer.h"

/* A point of a path. */
struct svg_check_point {
    double x, y;
    bool first; /* the first point of a subpath (command M) */
};

struct svg_check_box {
    double left, top, right, bottom;
};

#define SVG_CHECK_PANELS 128 /* two for each of 64 targets */

/* A plot and its problems. */
struct svg_check {
    struct xml xml;
    struct svg_check_box picture; /* the whole plot */
    struct svg_check_box panels[SVG_CHECK_PANELS];
    int panel_count;
    struct buffer problems; /* one line for each problem; empty if there are none */
};

/*
 * Reads a plot of LENGTH bytes, followed by a NUL, and collects its problems. For
 * example, the document is not well-formed or refers to other documents, data leaves its
 * panel, text leaves the picture, or text lies over other text or an edge of a panel. The
 * caller calls svg_check_end. Skips the test if xmllint is missing.
 */
void svg_check_begin(struct svg_check *check, const char *bytes, size_t length);

/* Frees the plot and its problems. */
void svg_check_end(struct svg_check *check);

/* Adds a problem, given in printf form. */
#define svg_check_problem(check, ...)                \
    (buffer_format(&(check)->problems, __VA_ARGS__), \
     buffer_text(&(check)->problems, "\n"))

/* Returns true if ELEMENT has CLASS in its attribute "class". */
bool svg_check_has(const struct svg_check *check, const struct xml_element *element,
                   const char *class);

/* Returns the number of elements that have CLASS. */
int svg_check_count(const struct svg_check *check, const char *class);

/* Returns the element with index NUMBER, from 0, among the elements that have CLASS.
 * Returns NULL if there are not enough of them. */
const struct xml_element *svg_check_find(const struct svg_check *check, const char *class,
                                         int number);

/* Returns true if a <text> element, which is drawn, contains PART. */
bool svg_check_shows(const struct svg_check *check, const char *part);

/* Returns true if the text of an element NAME, such as "desc", contains PART. */
bool svg_check_says(const struct svg_check *check, const char *name, const char *part);

/* Returns the value of the attribute NAME, or 0 if it is missing. Adds a problem if the
 * value is not a plain decimal number. */
double svg_check_number(struct svg_check *check, const struct xml_element *element,
                        const char *name);

/* Returns the bounding box of a circle, rect, line, use or path, without the stroke
 * width. */
struct svg_check_box svg_check_bounds(struct svg_check *check,
                                      const struct xml_element *element);

/* Returns the points of a path, allocated, and their number in COUNT. Adds a problem if
 * the path cannot be read. */
struct svg_check_point *svg_check_points(struct svg_check *check,
                                         const struct xml_element *path, int *count);

/* Returns the <rect> of the panel that ELEMENT belongs to: the last panel at or before
 * it. Returns NULL if there is none. */
const struct xml_element *svg_check_panel(const struct svg_check *check,
                                          const struct xml_element *element);

#endif
