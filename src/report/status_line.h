#ifndef REPORT_STATUS_LINE_H
#define REPORT_STATUS_LINE_H

#include "base/buffer.h"
#include "status_facts.h"

#include <stdbool.h>

/*
 * Adds the line, without an end, for a terminal with so many COLUMNS: narrower by one, so
 * that it does not wrap. Where it has no room its bar shrinks, then whole parts are left
 * out, those that matter least before others. The bar has blocks if the terminal has
 * UTF8.
 */
void status_format(struct buffer *text, const struct status_facts *facts, int columns,
                   bool utf8);

#endif
