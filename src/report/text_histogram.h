#ifndef REPORT_TEXT_HISTOGRAM_H
#define REPORT_TEXT_HISTOGRAM_H

#include "base/buffer.h"
#include "stats/histogram.h"

#include <stdbool.h>

/*
 * Adds a picture of the distribution, nothing of an empty one: a row for each
 * power of two, or for a half, quarter ... of one where few are hit, as wide as
 * COLUMNS, with blocks if the terminal has UTF8. CORRECTED is said of it.
 */
void text_histogram_add(struct buffer *text, const struct histogram *histogram,
                        bool corrected, int columns, bool utf8);

#endif
