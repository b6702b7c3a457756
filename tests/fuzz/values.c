/*
 * Fuzzes the parsers of values. The first byte of the input chooses the kind of value: c,
 * s and t stand for a count, a size and a time. The rest is its text. A value must not be
 * negative, and must be what its digits say. If it is printed and parsed again, it may
 * differ only by the rounding of the printed form. A refused text must leave the value
 * unchanged.
 *
 * If the first byte is w, the rest is an argument of -sweep. Its ends must be within the
 * range of the option, and its steps must rise and come to an end.
 */
#include "fuzz.h"

#include "base/units.h"
#include "cli/cli.h"

#include <errno.h>

#define UNTOUCHED (-4711)
#define DIGITS "0123456789"

/* Compares a number without a unit with what the C library reads. */
static void
check_digits(enum units_kind kind, const char *text, int64_t value)
{
    if (kind == UNITS_TIME || !*text || text[strspn(text, DIGITS)])
        return;
    errno = 0;
    long long number = strtoll(text, NULL, 10);
    MUST(value == (errno ? UNTOUCHED : number));
}

/*
 * Parses the printed form of VALUE. Numbers below 10 are printed with two decimals, and
 * numbers from 10 on with one. So the printed form differs from the value by at most 0.5
 * %.
 */
static void
check_printed(enum units_kind kind, int64_t value)
{
    char *text = malloc(UNITS_TEXT);
    MUST(text);
    MUST(units_format(kind, value, text) == text);
    bool rounded = strchr(text, '.') != NULL;
    char *space = strchr(text, ' ');
    if (space)
        memmove(space, space + 1, strlen(space));
    int64_t again;
    if (units_parse(kind, text, &again))
        MUST(rounded && value > INT64_MAX - INT64_MAX / 200);
    else if (rounded)
        MUST(again >= value - value / 200 - 1 && again - value <= value / 200 + 1);
    else
        MUST(again == value);
    free(text);
}

/* Follows the steps of a sweep, which must rise and end exactly at its last value. */
static void
check_steps(const struct sweep *sweep)
{
    int64_t last = 0;
    int steps = 0;
    for (int64_t value = sweep->from; value; value = sweep_next(value, sweep->to)) {
        MUST(value > last && value <= sweep->to);
        last = value;
        MUST(++steps <= 64);
    }
    MUST(last == sweep->to);
}

static void
check_sweep(const char *text)
{
    static const int64_t highest[] = {[SWEEP_SIZE] = REQUEST_MAX,
                                      [SWEEP_THREADS] = THREADS_MAX,
                                      [SWEEP_DEPTH] = DEPTH_MAX,
                                      [SWEEP_INTERVAL] = INT64_MAX,
                                      [SWEEP_RATE] = RATE_MAX};
    struct options options = {.sweep = {SWEEP_NONE, UNTOUCHED, UNTOUCHED}};
    const struct cli_option *option = cli_option(OPTION_SWEEP);
    const char *wrong = option->set(option, &options, text);
    struct sweep sweep = options.sweep;
    if (wrong) {
        MUST(*wrong && fuzz_is_clean(wrong));
        return;
    }
    MUST(sweep.kind >= SWEEP_SIZE && sweep.kind <= SWEEP_RATE);
    const char *name = sweep_kinds[sweep.kind].name;
    MUST(strncmp(text, name, strlen(name)) == 0);
    if (text[strlen(name)] == '\0') {
        MUST(sweep.from == 0 && sweep.to == 0);
        return;
    }
    MUST(sweep.from >= 1 && sweep.to <= highest[sweep.kind]);
    check_steps(&sweep);
}

static void
check_value(enum units_kind kind, const char *text)
{
    int64_t value = UNTOUCHED;
    const char *wrong = units_parse(kind, text, &value);
    check_digits(kind, text, value);
    if (wrong) {
        MUST(value == UNTOUCHED);
        MUST(*wrong && fuzz_is_clean(wrong));
    } else {
        MUST(value >= 0);
        check_printed(kind, value);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    char *text = fuzz_text(data + 1, size - 1);
    if (data[0] == 'w')
        check_sweep(text);
    else
        check_value((enum units_kind)(data[0] % 3), text);
    free(text);
    return 0;
}
