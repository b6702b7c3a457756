#ifndef REPORT_BAR_H
#define REPORT_BAR_H

#include "base/buffer.h"

#include <stdbool.h>

/* Into how many parts a column can be divided. */
static inline int
bar_parts(bool utf8)
{
    return utf8 ? 8 : 1;
}

/*
 * Adds a bar of so many PARTS of columns, in blocks if the terminal has UTF8, else in
 * #, and as often REST, of one column, as it takes to be WIDTH columns wide.
 */
void bar_add(struct buffer *text, int parts, int width, const char *rest, bool utf8);

#endif
