#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Values with units: reading them from the command line, and printing them. ioping(1),
 * section Values and units, describes the units for users.
 */
enum units_kind {
    UNITS_COUNT, /* a number; the units are powers of 10: da k M G T P E */
    UNITS_SIZE,  /* bytes; the units are powers of 1024, sector (512) and page (4096) */
    UNITS_TIME,  /* ns; a number without a unit is read as seconds */
};

/* The size of a buffer that holds any text of units_format, including the NUL. */
#define UNITS_TEXT 32

/*
 * Reads TEXT, a decimal number or a fraction with an optional unit ("10", "0.5", "1/100",
 * "/4", "1.5m"), into VALUE: a count, bytes or ns, from 0 to 2^63-1. The computation uses
 * integers only, so the result is exact, but rounded down to a whole number. A number
 * above 0 that would be rounded to 0 is refused. Returns NULL, or the reason to refuse
 * TEXT, a constant text; VALUE is unchanged then.
 */
const char *units_parse(enum units_kind kind, const char *text, int64_t *value);

/*
 * Writes VALUE with a unit into TEXT, a buffer of UNITS_TEXT bytes, rounded so that
 * people can read it easily: "12.5 us". VALUE must not be negative. The unit is the
 * largest one that is not larger than VALUE. A whole number of units has no decimals.
 * Other numbers have two decimals below 10 units, and one decimal from there on. Returns
 * TEXT.
 */
char *units_format(enum units_kind kind, int64_t value, char *text);

/*
 * Writes the time NS into TEXT, a buffer of UNITS_TEXT bytes. From one minute on, TEXT
 * has the two largest units, rounded to the smaller one: "1 min 30 s", "2 h 10 min" or "3
 * d 4 h". The smaller unit is left out if it is 0. Shorter times are as in units_format.
 * NS must not be negative. Returns TEXT.
 */
char *units_format_span(int64_t ns, char *text);

/*
 * Writes VALUE with a unit into TEXT, a buffer of UNITS_TEXT bytes, exactly and without a
 * space: "1500us", "48KiB". VALUE must not be negative. The unit is the largest one with
 * which the number stays whole. units_parse reads the same value back. Returns TEXT.
 */
char *units_exact(enum units_kind kind, int64_t value, char *text);

/* Adds VALUE to TEXT, as units_format prints it. */
void units_add(struct buffer *text, enum units_kind kind, int64_t value);

/*
 * Returns A * B / C, rounded down, or INT64_MAX if the result is larger. The product A *
 * B may need more than 64 bits. A and B must not be negative, and C must be above 0.
 */
int64_t units_scale(int64_t a, int64_t b, int64_t c);

/* Like units_scale, but rounds up. */
int64_t units_scale_up(int64_t a, int64_t b, int64_t c);

/*
 * Returns ONE if COUNT is 1, else MANY: the singular or plural of a noun or verb that
 * belongs to a number.
 */
static inline const char *
units_plural(uint64_t count, const char *one, const char *many)
{
    return count == 1 ? one : many;
}

/*
 * Returns true for the digits 0 to 9. Unlike isdigit(3), it can be called with any char,
 * and it does not depend on the locale.
 */
static inline bool
is_digit(char character)
{
    return character >= '0' && character <= '9';
}

#endif
