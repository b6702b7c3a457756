/*
 * Reads and prints values with units. There is one table of units for each kind of value
 * (count, size, time); the parser and the printers share it.
 *
 * The parser computes with integers only, so that "0.1s" is exactly 100000000 ns. It
 * reads a decimal number as a fraction: "1.25" is 125/100. The value is that fraction
 * times the factor of the unit; scale() computes it by long division in binary, because
 * the product may need more than 64 bits.
 */
#include "base/units.h"

#include "base/time.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define KIB 1024LL
#define MIB (KIB * KIB)
#define GIB (MIB * KIB)
#define TIB (GIB * KIB)
#define PIB (TIB * KIB)
#define EIB (PIB * KIB)

struct unit {
    const char *names; /* each is followed by a space; output has the first name */
    int64_t factor;    /* how many ones, bytes or ns the unit is */
    bool printed;      /* output may have the unit */
};

static const struct unit counts[] = {
    {" ", 1, true},
    {"k ", 1000LL, true},
    {"M ", 1000000LL, true},
    {"G ", 1000000000LL, true},
    {"T ", 1000000000000LL, true},
    {"P ", 1000000000000000LL, false},
    {"E ", 1000000000000000000LL, false},
    {"da ", 10, false},
    {NULL, 0, false},
};

static const struct unit sizes[] = {
    {"B ", 1, true},           {"KiB k kb ", KIB, true}, {"MiB m mb ", MIB, true},
    {"GiB g gb ", GIB, true},  {"TiB t tb ", TIB, true}, {"PiB p pb ", PIB, true},
    {"EiB e eb ", EIB, false}, {"sector ", 512, false},  {"page ", 4096, false},
    {NULL, 0, false},
};

static const struct unit time_units[] = {
    {"ns nsec ", 1, true},
    {"us usec ", US, true},
    {"ms msec ", MS, true},
    {"s sec ", SECOND, true},
    {"min m ", 60 * SECOND, true},
    {"hour h ", 3600 * SECOND, true},
    {NULL, 0, false},
};

static const struct {
    const struct unit *units;
    int64_t bare;      /* factor of a number without a unit */
    const char *wrong; /* reason to refuse a text that is not such a value */
} kinds[] = {
    [UNITS_COUNT] = {counts, 1, "not a count such as 10, 5k or 1M"},
    [UNITS_SIZE] = {sizes, 1, "not a size such as 4096, 4k or 1.5m"},
    [UNITS_TIME] = {time_units, SECOND, "not a time such as 10ms, 0.5s or 2min"},
};

/* Returns the factor of the unit SUFFIX, ignoring case, or 0 if there is no such unit. */
static int64_t
find_factor(enum units_kind kind, const char *suffix)
{
    size_t length = strlen(suffix);
    if (length == 0)
        return kinds[kind].bare;

    for (const struct unit *unit = kinds[kind].units; unit->names; unit++)
        for (const char *name = unit->names; *name; name += strcspn(name, " ") + 1)
            if (strcspn(name, " ") == length && strncasecmp(name, suffix, length) == 0)
                return unit->factor;
    return 0;
}

/* A decimal number as the fraction mantissa / power, for example 125/100 for 1.25. */
struct decimal {
    int64_t mantissa;
    int64_t power; /* a power of 10: 1 for a whole number */
    bool digits;   /* the text has at least one digit */
    bool positive; /* the text has a digit other than 0, perhaps one that was ignored */
    bool overflow; /* the number does not fit */
};

/*
 * Limits on the digits after the point, as powers of 10. After 18 digits (MOST_PRECISE)
 * the parser ignores all further digits. After 9 digits (PRECISE) it ignores a digit for
 * which the mantissa has no room. With fewer digits after the point, a digit without room
 * is an overflow.
 */
#define PRECISE 1000000000LL
#define MOST_PRECISE 1000000000000000000LL

/*
 * Multiplies VALUE by FACTOR and adds SUMMAND. Returns false, and leaves VALUE unchanged,
 * if the result is above INT64_MAX.
 */
static bool
multiply_add(int64_t *value, int64_t factor, int64_t summand)
{
    if (*value > (INT64_MAX - summand) / factor)
        return false;

    *value = *value * factor + summand;
    return true;
}

/*
 * Reads the digits at TEXT, with at most one decimal point, into NUMBER. Returns the rest
 * of the text.
 */
static const char *
read_decimal(const char *text, struct decimal *number)
{
    *number = (struct decimal){.power = 1};
    bool point = false;

    for (; is_digit(*text) || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }

        number->digits = true;
        number->positive |= *text != '0';
        if (number->power == MOST_PRECISE ||
            (point && !is_digit(text[strspn(text, "0")])))
            continue; /* beyond 18 decimals, or only zeros follow in the fraction */
        if (multiply_add(&number->mantissa, 10, *text - '0'))
            number->power *= point ? 10 : 1;
        else if (number->power < PRECISE)
            number->overflow = true;
    }

    return text;
}

/*
 * Computes A * B / C by long division in binary, since A * B may need more than 64 bits.
 * The loop goes through the bits of B from the highest. For the bits of B so far, b:
 *
 *   A * b = quotient * C + rest, with 0 <= rest < C
 *
 * The next bit doubles b, and so quotient and rest; if the bit is set, A is added, as
 * A / C to the quotient and A % C to the rest. Stores the quotient in RESULT, and in
 * EXACT whether the rest is 0. Returns false if the result is above INT64_MAX.
 */
static bool
scale(int64_t a, int64_t b, int64_t c, int64_t *result, bool *exact)
{
    uint64_t divisor = (uint64_t)c;
    uint64_t quotient = 0;
    uint64_t rest = 0;
    uint64_t own_quotient = (uint64_t)a / divisor;
    uint64_t own_rest = (uint64_t)a % divisor;

    for (int bit = 62; bit >= 0; bit--) {

        bool set = (uint64_t)b >> bit & 1;
        if (quotient > INT64_MAX / 2)
            return false;
        quotient = quotient * 2 + rest * 2 / divisor;
        rest = rest * 2 % divisor;

        if (!set)
            continue;
        quotient += (rest + own_rest) / divisor;
        rest = (rest + own_rest) % divisor;
        if (own_quotient > INT64_MAX - quotient)
            return false;
        quotient += own_quotient;
    }

    *result = (int64_t)quotient;
    *exact = rest == 0;
    return quotient <= INT64_MAX;
}

int64_t
units_scale(int64_t a, int64_t b, int64_t c)
{
    int64_t result;
    bool exact;
    return scale(a, b, c, &result, &exact) ? result : INT64_MAX;
}

int64_t
units_scale_up(int64_t a, int64_t b, int64_t c)
{
    int64_t result;
    bool exact;

    if (!scale(a, b, c, &result, &exact) || result == INT64_MAX)
        return INT64_MAX;
    return exact ? result : result + 1;
}

const char *
units_parse(enum units_kind kind, const char *text, int64_t *value)
{
    struct decimal number = {.mantissa = 1, .power = 1};
    struct decimal below = {.mantissa = 1, .power = 1};

    if (*text == '/')
        number.digits = number.positive = true;
    else
        text = read_decimal(text, &number);

    if (!number.digits)
        return kinds[kind].wrong;
    if (*text == '/') {
        text = read_decimal(text + 1, &below);
        if (!below.digits)
            return kinds[kind].wrong;
        if (below.mantissa == 0)
            return "division by zero";
    }

    int64_t factor = find_factor(kind, text);
    if (factor == 0)
        return kinds[kind].wrong;

    int64_t result;
    bool exact;
    if (number.overflow || below.overflow ||
        !multiply_add(&number.mantissa, below.power, 0) ||
        !multiply_add(&below.mantissa, number.power, 0) ||
        !scale(number.mantissa, factor, below.mantissa, &result, &exact))
        return "out of range";

    if (result == 0 && number.positive)
        return "too small: it would be rounded to 0";
    *value = result;
    return NULL;
}

/*
 * The division uses floating point on purpose, so that printf(3) rounds exactly as in
 * ioping 1.3: 12250 ns are 12.2 us, and 10050 ns are 10.1 us. The rounded value is only
 * printed.
 */
char *
units_format(enum units_kind kind, int64_t value, char *text)
{
    const struct unit *best = kinds[kind].units;
    for (const struct unit *unit = best + 1; unit->names; unit++)
        if (unit->printed && unit->factor <= value)
            best = unit;

    int name = (int)strcspn(best->names, " ");
    const char *space = name ? " " : "";

    if (value % best->factor == 0)
        snprintf(text, UNITS_TEXT, "%lld%s%.*s", (long long)(value / best->factor), space,
                 name, best->names);
    else
        snprintf(text, UNITS_TEXT, "%.*f%s%.*s", value / best->factor >= 10 ? 1 : 2,
                 (double)value / (double)best->factor, space, name, best->names);
    return text;
}

char *
units_exact(enum units_kind kind, int64_t value, char *text)
{
    const struct unit *best = kinds[kind].units;
    for (const struct unit *unit = best + 1; unit->names; unit++)
        if (unit->printed && value && value % unit->factor == 0)
            best = unit;

    snprintf(text, UNITS_TEXT, "%lld%.*s", (long long)(value / best->factor),
             (int)strcspn(best->names, " "), best->names);
    return text;
}

void
units_add(struct buffer *text, enum units_kind kind, int64_t value)
{
    char shown[UNITS_TEXT];
    buffer_text(text, units_format(kind, value, shown));
}
