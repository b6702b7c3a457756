#ifndef SUPPORT_SVG_RULES_H
#define SUPPORT_SVG_RULES_H

/* The rules behind svg_check.h, and the functions that they share. */
#include "svg_check.h"

/* Adds the problems of elements, panels and data to CHECK. */
void svg_rules_check(struct svg_check *check);

/* Adds the problems of the drawn texts to CHECK. */
void svg_texts_check(struct svg_check *check);

/* Returns true if ELEMENT is called NAME. */
bool svg_rules_is(const struct xml_element *element, const char *name);

/* Returns the box of this size whose upper left corner is at X,Y. */
struct svg_check_box svg_rules_box(double x, double y, double width, double height);

/* Returns true if INNER lies inside OUTER, or exceeds it by at most MARGIN on each side.
 */
bool svg_rules_inside(struct svg_check_box inner, struct svg_check_box outer,
                      double margin);

/* Returns true if two boxes overlap by more than TOLERANCE in both dimensions. */
bool svg_rules_overlap(struct svg_check_box a, struct svg_check_box b, double tolerance);

#endif
