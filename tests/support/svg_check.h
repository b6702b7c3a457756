#ifndef SUPPORT_SVG_CHECK_H
#define SUPPORT_SVG_CHECK_H

/*
 * What a picture of ours has to be however it was drawn. Lengths are in units of its
 * viewBox. Its panels are <rect class="plot">, and what follows one up to the next with a
 * class such as "mark" is data, which lies inside of it.
 */
#include "support.h"
#include "xml.h"

#include "base/buffer.h"

struct svg_check_point {
    double x, y;
    bool first; /* of a part of its path: begun by M */
};

struct svg_check_box {
    double left, top, right, bottom;
};

#define SVG_CHECK_PANELS 4 /* at most */

struct svg_check {
    struct xml xml;
    struct svg_check_box picture, panels[SVG_CHECK_PANELS];
    int panel_count;
    struct buffer problems; /* a line for each; without text: none */
};

/*
 * Reads a document of LENGTH bytes, with a NUL behind, and looks for problems: what is
 * not well-formed or comes from elsewhere, data outside of its panel, text outside of
 * the picture or over other text or an edge of a panel, and so on.
 */
void svg_check_begin(struct svg_check *check, const char *bytes, size_t length);

void svg_check_end(struct svg_check *check);

/* Adds a problem, in printf form. */
#define svg_check_problem(check, ...)                \
    (buffer_format(&(check)->problems, __VA_ARGS__), \
     buffer_text(&(check)->problems, "\n"))

/* Whether CLASS is among the classes of an element. */
bool svg_check_has(const struct svg_check *check, const struct xml_element *element,
                   const char *class);

/* How many elements have CLASS among their classes; the NUMBERth of them from 0, or NULL.
 */
int svg_check_count(const struct svg_check *check, const char *class);
const struct xml_element *svg_check_find(const struct svg_check *check, const char *class,
                                         int number);

/* Whether PART is in a drawn text, or in the one of the first element of NAME. */
bool svg_check_shows(const struct svg_check *check, const char *part);
bool svg_check_says(const struct svg_check *check, const char *name, const char *part);

/* An attribute's number, 0 if it has none; a problem if it is not a plain decimal. */
double svg_check_number(struct svg_check *check, const struct xml_element *element,
                        const char *name);

/* The box around a circle, rect, line, use or path, strokes aside. */
struct svg_check_box svg_check_bounds(struct svg_check *check,
                                      const struct xml_element *element);

/* The points of a path, allocated; COUNT of them. */
struct svg_check_point *svg_check_points(struct svg_check *check,
                                         const struct xml_element *path, int *count);

/* The panel that an element belongs to: its rect, NULL if there is none before it. */
const struct xml_element *svg_check_panel(const struct svg_check *check,
                                          const struct xml_element *element);

#endif
