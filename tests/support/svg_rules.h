#ifndef SUPPORT_SVG_RULES_H
#define SUPPORT_SVG_RULES_H

/* The parts of svg_check.h: each adds the problems that it finds. */
#include "svg_check.h"

/* Of elements, panels and data. */
void svg_rules_check(struct svg_check *check);

/* Of the drawn texts. */
void svg_texts_check(struct svg_check *check);

bool svg_rules_is(const struct xml_element *element, const char *name);

struct svg_check_box svg_rules_box(double x, double y, double width, double height);

/* Whether INNER lies in OUTER, or at most MORE outside of it. */
bool svg_rules_inside(struct svg_check_box inner, struct svg_check_box outer,
                      double more);

/* Whether they share more than LESS both ways. */
bool svg_rules_overlap(struct svg_check_box a, struct svg_check_box b, double less);

#endif
