#ifndef SUPPORT_SVG_RULES_H
#define SUPPORT_SVG_RULES_H

/* The rules behind svg_check.h, and the tools that they share. */
#include "svg_check.h"

/* Adds the problems of elements, panels and data. */
void svg_rules_check(struct svg_check *check);

/* Adds the problems of the drawn texts. */
void svg_texts_check(struct svg_check *check);

/* Returns true for an element of NAME. */
bool svg_rules_is(const struct xml_element *element, const char *name);

/* Returns the box of this size whose left upper corner is at X,Y. */
struct svg_check_box svg_rules_box(double x, double y, double width, double height);

/* Returns true if INNER lies in OUTER, or leaves it by MORE at most. */
bool svg_rules_inside(struct svg_check_box inner, struct svg_check_box outer,
                      double more);

/* Returns true if two boxes overlap by more than LESS both ways. */
bool svg_rules_overlap(struct svg_check_box a, struct svg_check_box b, double less);

#endif
