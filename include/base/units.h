#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/buffer.h"

#include <stdint.h>

/*
 * Values with units, both ways: one table of units per kind drives the parser
 * and the printer (ioping(1), VALUES AND UNITS).
 */
enum units_kind {
    UNITS_COUNT, /* decimal: da k M G T P E */
    UNITS_SIZE,  /* bytes, powers of 1024, sector, page */
    UNITS_TIME,  /* nanoseconds; a bare number is seconds */
};

/* Room for any text that units_format makes, its NUL included. */
#define UNITS_TEXT 32

/*
 * Reads a decimal number or a fraction with an optional unit ("10", "0.5",
 * "1/100", "/4", "1.5m") into VALUE: a count, bytes or nanoseconds, 0 to
 * 2^63-1, rounded down. Exact: nothing passes through floating point. Returns
 * NULL, or the reason of the refusal as a constant text; then VALUE is
 * untouched. A number above zero that would round to zero is refused.
 */
const char *units_parse(enum units_kind kind, const char *text, int64_t *value);

/*
 * Prints VALUE (not negative) into TEXT of UNITS_TEXT bytes in the largest
 * unit that is not larger than it: no decimals if it divides evenly, one from
 * 10 units up, else two. Returns TEXT.
 */
char *units_format(enum units_kind kind, int64_t value, char *text);

/* Adds the same to TEXT. */
void units_add(struct buffer *text, enum units_kind kind, int64_t value);

/*
 * A * B / C rounded down, without overflow on the way; INT64_MAX if the result
 * is larger. A and B are not negative, C is positive.
 */
int64_t units_scale(int64_t a, int64_t b, int64_t c);

#endif
