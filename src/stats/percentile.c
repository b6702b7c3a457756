#include "stats/percentile.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

const struct percentiles percentiles_default = {
    .count = 4,
    .list = {{PERCENTILE_WHOLE / 2, "50"},
             {PERCENTILE_WHOLE / 10 * 9, "90"},
             {PERCENTILE_WHOLE / 100 * 99, "99"},
             {PERCENTILE_WHOLE / 1000 * 999, "99.9"}},
};

const struct percentiles percentiles_common = {
    .count = 2,
    .list = {{PERCENTILE_WHOLE / 2, "50"}, {PERCENTILE_WHOLE / 100 * 99, "99"}},
};

static const char none[] = "none";

const char *
percentile_parse(const char *text, int length, struct percentile *percentile)
{
    static const char wrong[] = "not a percentile between 0 and 100";
    int64_t unit = PERCENTILE_WHOLE / 100, parts = 0;
    int at = 0;
    for (; at < length && is_digit(text[at]) && parts < PERCENTILE_WHOLE; at++)
        parts = parts * 10 + (text[at] - '0') * unit;
    bool decimals = at > 0 && at + 1 < length && text[at] == '.';
    for (at += decimals; decimals && at < length && is_digit(text[at]); at++) {
        unit /= 10;
        if (unit == 0)
            return "more than seven decimals";
        parts += (text[at] - '0') * unit;
    }
    if (at < length || parts <= 0 || parts >= PERCENTILE_WHOLE ||
        length >= (int)sizeof(percentile->name))
        return wrong;
    percentile->parts = parts;
    snprintf(percentile->name, sizeof(percentile->name), "%.*s", length, text);
    return NULL;
}

const char *
percentiles_parse(const char *text, struct percentiles *list)
{
    memset(list, 0, sizeof(*list));
    list->given = true;
    if (strcmp(text, none) == 0)
        return NULL;
    for (;;) {
        int length = (int)strcspn(text, ",");
        if (list->count == PERCENTILES_MOST)
            return "more than 16 percentiles";
        struct percentile *next = &list->list[list->count];
        const char *wrong = percentile_parse(text, length, next);
        for (int i = 0; !wrong && i < list->count; i++)
            if (list->list[i].parts == next->parts)
                wrong = "the same percentile twice";
        if (wrong)
            return wrong;
        list->count++;
        if (text[length] == '\0')
            return NULL;
        text += length + 1;
    }
}

void
percentiles_list(struct buffer *text)
{
    buffer_format(text, "%s\n", none);
    for (int i = 0; i < percentiles_default.count; i++)
        buffer_format(text, "%s%s", i ? "," : "", percentiles_default.list[i].name);
    buffer_text(text, "\n");
}

/* Whole billions and the rest apart, so that nothing overflows. */
uint64_t
percentile_rank(const struct percentile *percentile, uint64_t count)
{
    uint64_t whole = (uint64_t)PERCENTILE_WHOLE, parts = (uint64_t)percentile->parts;
    uint64_t rank = count / whole * parts + (count % whole * parts + whole - 1) / whole;
    return rank ? rank : 1;
}

uint64_t
percentile_needs(const struct percentile *percentile)
{
    int64_t above = PERCENTILE_WHOLE - percentile->parts;
    return (uint64_t)((PERCENTILE_WHOLE + above - 1) / above);
}
