/*
 * The first byte chooses the kind of value (c, s and t are a count, a size and a
 * time), the rest is its text. A value may not be negative, nor other than its
 * digits say, nor come back from its own printed form further off than that form
 * is rounded; and a refusal may not touch it. After a w the rest is an argument of
 * -sweep: its ends must be within the range of the option, and its steps must rise and
 * end.
 */
#include "fuzz.h"

#include "base/units.h"
#include "cli/cli.h"

#include <errno.h>

#define UNTOUCHED (-4711)
#define DIGITS "0123456789"

/* Bare digits are read by the C library too. */
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
 * Two decimals of a number from 1 to 10 units, and one from 10 on, are off by
 * half a percent of it at the most.
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

static void
check_way(const struct sweep *sweep)
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
    static const int64_t most[] = {[SWEEP_SIZE] = REQUEST_MOST,
                                   [SWEEP_THREADS] = THREADS_MOST,
                                   [SWEEP_DEPTH] = DEPTH_MOST,
                                   [SWEEP_INTERVAL] = INT64_MAX,
                                   [SWEEP_RATE] = RATE_MOST};
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
    MUST(sweep.from >= 1 && sweep.to <= most[sweep.kind]);
    check_way(&sweep);
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
