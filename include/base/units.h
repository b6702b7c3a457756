#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/* Values with units, read and printed (ioping(1), VALUES AND UNITS). */
enum units_kind {
    UNITS_COUNT, /* decimal: da k M G T P E */
    UNITS_SIZE,  /* bytes, powers of 1024, sector, page */
    UNITS_TIME,  /* nanoseconds; a bare number is seconds */
};

/* The size of a buffer for any text that units_format writes, its NUL included. */
#define UNITS_TEXT 32

/*
 * Read a decimal number or a fraction with an optional unit ("10", "0.5", "1/100", "/4",
 * "1.5m") into VALUE: a count, bytes or nanoseconds, 0 to 2^63-1, rounded down. Exact:
 * nothing passes through floating point. Returns NULL, or the reason of the refusal as a
 * constant text; then VALUE is untouched. A number above zero that would round to zero is
 * refused.
 */
const char *units_parse(enum units_kind kind, const char *text, int64_t *value);

/*
 * Print VALUE, not negative, into TEXT of UNITS_TEXT bytes in the largest unit that is
 * not larger than it: no decimals if it divides evenly, one from 10 units up, else two.
 * Returns TEXT.
 */
char *units_format(enum units_kind kind, int64_t value, char *text);

/*
 * Print VALUE, not negative, exactly and without a space into TEXT of UNITS_TEXT bytes,
 * in the largest unit of which it is a whole number: "1500us", "48k". units_parse reads
 * that value from it. Returns TEXT.
 */
char *units_exact(enum units_kind kind, int64_t value, char *text);

/* Add to TEXT what units_format prints. */
void units_add(struct buffer *text, enum units_kind kind, int64_t value);

/*
 * Returns A * B / C rounded down, without overflow on the way; INT64_MAX if the result is
 * larger. A and B are not negative, C is positive.
 */
int64_t units_scale(int64_t a, int64_t b, int64_t c);

/* The same, rounded up. */
int64_t units_scale_up(int64_t a, int64_t b, int64_t c);

/* Returns ONE if COUNT is 1, else MANY: the form of a noun or a verb beside a count. */
static inline const char *
units_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/* Returns true for the ten digits, whatever the locale. */
static inline bool
is_digit(char character)
{
    return character >= '0' && character <= '9';
}

#endif
