#include "cli/sweep.h"

#include "base/units.h"
#include "cli/options.h"

#include <string.h>

#define NO_ENDS "not two values with .. between them, such as "

static const struct {
    const char *name;
    enum units_kind units;
    const char *no_ends;
    int64_t most;
    const char *beyond; /* why more is refused */
} kinds[] = {
    [SWEEP_SIZE] = {"size", UNITS_SIZE, NO_ENDS "4k..1m", REQUEST_MOST,
                    "more than the system can do in one request (2147479552)"},
    [SWEEP_THREADS] = {"threads", UNITS_COUNT, NO_ENDS "1..64", THREADS_MOST,
                       "more than 1024"},
    [SWEEP_DEPTH] = {"depth", UNITS_COUNT, NO_ENDS "1..64", DEPTH_MOST, "more than 4096"},
};

#define KINDS (int)(sizeof(kinds) / sizeof(kinds[0]))

const char *
sweep_name(enum sweep_kind kind)
{
    return kinds[kind].name;
}

void
sweep_list(struct buffer *text)
{
    for (int kind = SWEEP_SIZE; kind < KINDS; kind++)
        buffer_format(text, "%s\n", kinds[kind].name);
}

/* Two values with ".." between them. */
static const char *
parse_ends(const char *text, struct sweep *sweep)
{
    char from[32];
    const char *dots = strstr(text, ".."), *wrong;
    if (!dots || dots[2] == '.')
        return kinds[sweep->kind].no_ends;
    size_t length = (size_t)(dots - text);
    if (length >= sizeof(from))
        return "not a number";
    memcpy(from, text, length);
    from[length] = '\0';
    if ((wrong = units_parse(kinds[sweep->kind].units, from, &sweep->from)) ||
        (wrong = units_parse(kinds[sweep->kind].units, dots + 2, &sweep->to)))
        return wrong;
    if (sweep->from < 1)
        return "must be more than 0";
    if (sweep->to < sweep->from)
        return "ends before it begins";
    return sweep->to > kinds[sweep->kind].most ? kinds[sweep->kind].beyond : NULL;
}

const char *
sweep_parse(const char *text, struct sweep *sweep)
{
    for (int kind = SWEEP_SIZE; kind < KINDS; kind++) {
        size_t length = strlen(kinds[kind].name);
        if (strncmp(text, kinds[kind].name, length) != 0)
            continue;
        *sweep = (struct sweep){.kind = (enum sweep_kind)kind};
        if (text[length] == '\0')
            return NULL;
        if (text[length] == '=')
            return parse_ends(text + length + 1, sweep);
    }
    return "neither size, threads nor depth";
}

int64_t
sweep_next(int64_t value, int64_t to)
{
    if (value >= to)
        return 0;
    return value > to / 2 ? to : value * 2;
}
