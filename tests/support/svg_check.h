#ifndef SUPPORT_SVG_CHECK_H
#define SUPPORT_SVG_CHECK_H

/*
 * The rules that every plot of the program keeps, and questions about one. Lengths are in
 * units of its viewBox. Panels are <rect class="plot">; the elements between a panel and
 * the next that have a class such as "mark" are data and lie inside of it.
 */
#include "support.h"
#include "xml.h"

#include "base/buffer.h"

/* A point of a path. */
struct svg_check_point {
    double x, y;
    bool first; /* of a subpath: a command M */
};

struct svg_check_box {
    double left, top, right, bottom;
};

#define SVG_CHECK_PANELS 4 /* at most */

/* A document and its problems. */
struct svg_check {
    struct xml xml;
    struct svg_check_box picture, panels[SVG_CHECK_PANELS];
    int panel_count;
    struct buffer problems; /* a line for each; empty: none */
};

/*
 * Reads a document of LENGTH bytes, followed by a NUL, and collects its problems: it is
 * not well-formed or refers to other documents, data leaves its panel, text leaves the
 * picture or lies over other text or an edge of a panel, and so on. Ended by
 * svg_check_end; skips the test as xml_read does.
 */
void svg_check_begin(struct svg_check *check, const char *bytes, size_t length);

/* Frees the document and its problems. */
void svg_check_end(struct svg_check *check);

/* Adds a problem, in printf form. */
#define svg_check_problem(check, ...)                \
    (buffer_format(&(check)->problems, __VA_ARGS__), \
     buffer_text(&(check)->problems, "\n"))

/* Returns true if CLASS is among the classes of an element. */
bool svg_check_has(const struct svg_check *check, const struct xml_element *element,
                   const char *class);

/* Counts the elements that have CLASS among their classes. */
int svg_check_count(const struct svg_check *check, const char *class);

/* Returns the NUMBERth of the elements with CLASS, from 0, or NULL. */
const struct xml_element *svg_check_find(const struct svg_check *check, const char *class,
                                         int number);

/* Returns true if PART is in a drawn text. */
bool svg_check_shows(const struct svg_check *check, const char *part);

/* Returns true if PART is in the text of an element NAME. */
bool svg_check_says(const struct svg_check *check, const char *name, const char *part);

/* Returns the number of attribute NAME, 0 without one; adds a problem if it is not a
 * plain decimal. */
double svg_check_number(struct svg_check *check, const struct xml_element *element,
                        const char *name);

/* Returns the box around a circle, rect, line, use or path, without its stroke. */
struct svg_check_box svg_check_bounds(struct svg_check *check,
                                      const struct xml_element *element);

/* Returns the COUNT points of a path, allocated; adds a problem if it cannot be read. */
struct svg_check_point *svg_check_points(struct svg_check *check,
                                         const struct xml_element *path, int *count);

/* Returns the rect of the panel that an element belongs to: the last before it, or NULL.
 */
const struct xml_element *svg_check_panel(const struct svg_check *check,
                                          const struct xml_element *element);

#endif
