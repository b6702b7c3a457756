/*
 * Reads and prints values with units. Each kind of value (count, size, time) has a table
 * of units, which the parser and the printers share.
 *
 * The parser computes with integers only, so that "0.1s" is exactly 100000000 ns. It
 * reads a decimal number as a fraction: "1.25" is 125/100. The value is this fraction
 * times the factor of the unit. divide_product() computes it by long division in binary,
 * because the product may need more than 64 bits.
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
    const char *names; /* names, each followed by a space; printers use the first */
    int64_t factor;    /* value of the unit, in ones, bytes or ns */
    bool is_printed;   /* the printers use the unit; if false, only the parser does */
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
    int64_t default_factor; /* factor for a number without a unit */
    const char *wrong;      /* message for a text that is not a value of this kind */
} kinds[] = {
    [UNITS_COUNT] = {counts, 1, "not a count such as 10, 5k or 1M"},
    [UNITS_SIZE] = {sizes, 1, "not a size such as 4096, 4k or 1.5m"},
    [UNITS_TIME] = {time_units, SECOND, "not a time such as 10ms, 0.5s or 2min"},
};

/*
 * Returns the factor of the unit SUFFIX of KIND, or 0 if there is no such unit. Upper and
 * lower case are the same.
 */
static int64_t
find_factor(enum units_kind kind, const char *suffix)
{
    size_t length = strlen(suffix);
    if (length == 0)
        return kinds[kind].default_factor;

    for (const struct unit *unit = kinds[kind].units; unit->names; unit++)
        for (const char *name = unit->names; *name; name += strcspn(name, " ") + 1)
            if (strcspn(name, " ") == length && strncasecmp(name, suffix, length) == 0)
                return unit->factor;
    return 0;
}

/* A decimal number as the fraction mantissa / power, for example 125/100 for 1.25. */
struct decimal {
    int64_t mantissa;
    int64_t power;    /* a power of 10; 1 for a whole number */
    bool has_digits;  /* the text has at least one digit */
    bool is_positive; /* the text has a digit other than 0, even if it was too small to be
                       * added to the mantissa */
    bool overflows;   /* the number does not fit into the fields */
};

/*
 * Limits for `power`: the powers of 10 for 9 and for 18 digits after the decimal point
 * (decimals). Before the parser has read 9 decimals, a digit with which the mantissa
 * would overflow is an error: the number is out of range. After 9 decimals, the parser
 * ignores such a digit. After 18 decimals, it ignores every further digit.
 */
#define POWER_ENOUGH 1000000000LL
#define POWER_MAX 1000000000000000000LL

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

/* Adds DIGIT to NUMBER; IS_DECIMAL means that it stands after the point. */
static void
add_digit(struct decimal *number, int digit, bool is_decimal)
{
    if (number->power == POWER_MAX)
        return;

    if (!multiply_add(&number->mantissa, 10, digit)) {
        if (number->power < POWER_ENOUGH)
            number->overflows = true;
        return;
    }
    if (is_decimal)
        number->power *= 10;
}

/*
 * Reads the digits at TEXT, with at most one decimal point, into NUMBER. Returns the rest
 * of the text.
 */
static const char *
read_decimal(const char *text, struct decimal *number)
{
    *number = (struct decimal){.power = 1};
    bool has_point = false;

    for (; is_digit(*text) || (*text == '.' && !has_point); text++) {
        if (*text == '.') {
            has_point = true;
            continue;
        }

        number->has_digits = true;
        if (*text != '0')
            number->is_positive = true;

        /* Zeros at the end of a decimal fraction are skipped: they do not change the
         * value, but could make the mantissa overflow. */
        bool is_last_zero = has_point && !is_digit(text[strspn(text, "0")]);
        if (!is_last_zero)
            add_digit(number, *text - '0', has_point);
    }

    return text;
}

/*
 * Computes A * B / C by long division in binary, since A * B may need more than 64 bits.
 * The loop goes through the bits of B from the highest to the lowest. Let PREFIX be the
 * number that the bits read so far form. After each bit, the following is true:
 *
 *   A * PREFIX = quotient * C + remainder, with 0 <= remainder < C
 *
 * Reading a bit doubles PREFIX, so the quotient and the remainder are doubled. If the bit
 * is 1, PREFIX also grows by 1: A / C is added to the quotient, and A % C to the
 * remainder. When the remainder reaches C, it is reduced and the quotient grows.
 *
 * Stores the quotient in RESULT, and in IS_EXACT whether the remainder is 0. Returns
 * false if the result is above INT64_MAX.
 */
static bool
divide_product(int64_t a, int64_t b, int64_t c, int64_t *result, bool *is_exact)
{
    uint64_t divisor = (uint64_t)c;
    uint64_t quotient = 0;
    uint64_t remainder = 0;
    uint64_t quotient_of_a = (uint64_t)a / divisor;
    uint64_t remainder_of_a = (uint64_t)a % divisor;

    for (int bit = 62; bit >= 0; bit--) {
        if (quotient > INT64_MAX / 2)
            return false;
        quotient = quotient * 2 + remainder * 2 / divisor;
        remainder = remainder * 2 % divisor;

        bool is_set = (uint64_t)b >> bit & 1;
        if (!is_set)
            continue;
        quotient += (remainder + remainder_of_a) / divisor;
        remainder = (remainder + remainder_of_a) % divisor;
        if (quotient_of_a > INT64_MAX - quotient)
            return false;
        quotient += quotient_of_a;
    }

    *result = (int64_t)quotient;
    *is_exact = remainder == 0;
    return quotient <= INT64_MAX;
}

int64_t
units_scale(int64_t a, int64_t b, int64_t c)
{
    int64_t result;
    bool is_exact;
    return divide_product(a, b, c, &result, &is_exact) ? result : INT64_MAX;
}

int64_t
units_scale_up(int64_t a, int64_t b, int64_t c)
{
    int64_t result;
    bool is_exact;

    if (!divide_product(a, b, c, &result, &is_exact) || result == INT64_MAX)
        return INT64_MAX;
    return is_exact ? result : result + 1;
}

/*
 * Computes NUMBER / DIVISOR * FACTOR, rounded down, into VALUE. Returns false if the
 * result or an intermediate number does not fit.
 */
static bool
divide_decimals(const struct decimal *number, const struct decimal *divisor,
                int64_t factor, int64_t *value)
{
    /* With mantissas M, N and powers P, Q: (M / P) / (N / Q) = (M * Q) / (N * P) */
    int64_t dividend = number->mantissa;
    int64_t denominator = divisor->mantissa;
    bool is_exact;

    if (number->overflows || divisor->overflows)
        return false;
    if (!multiply_add(&dividend, divisor->power, 0) ||
        !multiply_add(&denominator, number->power, 0))
        return false;
    return divide_product(dividend, factor, denominator, value, &is_exact);
}

const char *
units_parse(enum units_kind kind, const char *text, int64_t *value)
{
    struct decimal number = {.mantissa = 1, .power = 1};
    struct decimal divisor = {.mantissa = 1, .power = 1};

    if (*text == '/') /* "/4" is 1/4 */
        number.has_digits = number.is_positive = true;
    else
        text = read_decimal(text, &number);
    if (!number.has_digits)
        return kinds[kind].wrong;

    if (*text == '/') {
        text = read_decimal(text + 1, &divisor);
        if (!divisor.has_digits)
            return kinds[kind].wrong;
        if (divisor.mantissa == 0)
            return "division by zero";
    }

    int64_t factor = find_factor(kind, text);
    if (factor == 0)
        return kinds[kind].wrong;

    int64_t result;
    if (!divide_decimals(&number, &divisor, factor, &result))
        return "out of range";
    if (result == 0 && number.is_positive)
        return "too small: it would be rounded to 0";

    *value = result;
    return NULL;
}

/*
 * The division uses floating point on purpose, so that printf(3) rounds exactly as in
 * ioping 1.3: 12250 ns are 12.2 us, and 10050 ns are 10.1 us. Nothing is computed from
 * the rounded number.
 */
char *
units_format(enum units_kind kind, int64_t value, char *text)
{
    const struct unit *best = kinds[kind].units;
    for (const struct unit *unit = best + 1; unit->names; unit++)
        if (unit->is_printed && unit->factor <= value)
            best = unit;

    int name_length = (int)strcspn(best->names, " ");
    const char *space = name_length > 0 ? " " : "";
    int64_t whole_units = value / best->factor;

    if (value % best->factor == 0)
        snprintf(text, UNITS_TEXT, "%lld%s%.*s", (long long)whole_units, space,
                 name_length, best->names);
    else
        snprintf(text, UNITS_TEXT, "%.*f%s%.*s", whole_units >= 10 ? 1 : 2,
                 (double)value / (double)best->factor, space, name_length, best->names);
    return text;
}

char *
units_format_span(int64_t ns, char *text)
{
    static const struct {
        const char *name;
        int64_t seconds;
    } units[] = {{"s", 1}, {"min", 60}, {"h", 3600}, {"d", 24 * 3600}};
    enum { UNITS = sizeof(units) / sizeof(units[0]) };
    int64_t seconds = ns / SECOND;
    int larger = 1;

    if (seconds < units[1].seconds)
        return units_format(UNITS_TIME, ns, text);

    while (larger + 1 < UNITS && seconds >= units[larger + 1].seconds)
        larger++;
    int64_t smaller = units[larger - 1].seconds;
    if (larger == 1)
        seconds += (ns % SECOND + SECOND / 2) / SECOND;
    else
        seconds += smaller / 2;
    seconds -= seconds % smaller;

    /* 59 min 59.9 s have become 60 min, which is 1 h. */
    if (larger + 1 < UNITS && seconds >= units[larger + 1].seconds)
        larger++;

    int64_t count = seconds / units[larger].seconds;
    int64_t rest = seconds % units[larger].seconds / units[larger - 1].seconds;
    if (rest == 0)
        snprintf(text, UNITS_TEXT, "%lld %s", (long long)count, units[larger].name);
    else
        snprintf(text, UNITS_TEXT, "%lld %s %lld %s", (long long)count,
                 units[larger].name, (long long)rest, units[larger - 1].name);
    return text;
}

char *
units_exact(enum units_kind kind, int64_t value, char *text)
{
    const struct unit *best = kinds[kind].units;
    for (const struct unit *unit = best + 1; unit->names; unit++)
        if (unit->is_printed && value && value % unit->factor == 0)
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
