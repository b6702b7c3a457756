/*
 * Percentiles are nearest ranks, counted in integers: no rank is off by one for a
 * rounding error.
 */
#include "stats/percentile.h"

#include "base/buffer.h"
#include "base/units.h"
#include "stats/stats.h"

#include <stdio.h>
#include <string.h>

const struct percentiles percentiles_default = {
    .count = 4,
    .list = {{PERCENTILE_HUNDRED / 2, "50"},
             {PERCENTILE_HUNDRED / 10 * 9, "90"},
             {PERCENTILE_HUNDRED / 100 * 99, "99"},
             {PERCENTILE_HUNDRED / 1000 * 999, "99.9"}},
};

const struct percentiles percentiles_common = {
    .count = 2,
    .list = {{PERCENTILE_HUNDRED / 2, "50"}, {PERCENTILE_HUNDRED / 100 * 99, "99"}},
};

static const char none[] = "none";

const char *
percentile_parse(const char *text, int length, struct percentile *percentile)
{
    static const char wrong[] = "not a percentile between 0 and 100";
    int64_t unit = PERCENTILE_HUNDRED / 100, value = 0;
    int at = 0;
    for (; at < length && is_digit(text[at]) && value < PERCENTILE_HUNDRED; at++)
        value = value * 10 + (text[at] - '0') * unit;
    bool decimals = at > 0 && at + 1 < length && text[at] == '.';
    for (at += decimals; decimals && at < length && is_digit(text[at]); at++) {
        unit /= 10;
        if (unit == 0)
            return "more than seven decimals";
        value += (text[at] - '0') * unit;
    }
    if (at < length || value <= 0 || value >= PERCENTILE_HUNDRED ||
        length >= (int)sizeof(percentile->name))
        return wrong;
    percentile->billionths = value;
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
            if (list->list[i].billionths == next->billionths)
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

/* The share of the billions, and that of the rest rounded up, so that neither product
 * overflows. */
uint64_t
percentile_rank(const struct percentile *percentile, uint64_t count)
{
    uint64_t billion = PERCENTILE_HUNDRED, share = (uint64_t)percentile->billionths;
    uint64_t rest = (count % billion * share + billion - 1) / billion;
    uint64_t rank = count / billion * share + rest;
    return rank ? rank : 1;
}

uint64_t
percentile_needs(const struct percentile *percentile)
{
    int64_t above = PERCENTILE_HUNDRED - percentile->billionths;
    return (uint64_t)((PERCENTILE_HUNDRED + above - 1) / above);
}

struct latencies
latencies_of(const struct stats *stats, enum scope scope)
{
    const struct stats_operation *own = &stats->operations[scope == SCOPE_WRITE];
    const struct distribution *part;
    bool corrected = stats->every > 0;
    int64_t longest = stats->latency.max;
    switch (scope) {
    case SCOPE_READ:
    case SCOPE_WRITE: /* a read waits for a write as well */
        if (corrected)
            return (struct latencies){&own->latency, &own->corrected, longest, true};
        return (struct latencies){&own->latency, &own->latencies, own->latency.max,
                                  false};
    case SCOPE_SYNC:
        return (struct latencies){&stats->sync, &stats->syncs, stats->sync.max, false};
    case SCOPE_ALL:
    case SCOPES:
        return (struct latencies){&stats->latency, stats_distribution(stats), longest,
                                  corrected};
    case SCOPE_SUBMIT:
    case SCOPE_QUEUE:
    case SCOPE_DEVICE:
    case SCOPE_RETURN:
        break;
    }
    part = &stats->breakdown.parts[scope - SCOPE_SUBMIT];
    return (struct latencies){&part->moments, &part->histogram, part->moments.max, false};
}

/* Waits may be shorter than all latencies. */
int64_t
latencies_percentile(const struct latencies *latencies,
                     const struct percentile *percentile)
{
    const struct histogram *histogram = latencies->histogram;
    bool waited = histogram->count > latencies->moments->count;
    int64_t least = waited ? 0 : latencies->moments->min;
    if (histogram->count == 0)
        return 0;
    int64_t value =
        histogram_value(histogram, percentile_rank(percentile, histogram->count));
    if (value <= 1 && least == 0) /* the step of 1 ns is that of 0, too */
        return 0;
    return value < least ? least : value > latencies->most ? latencies->most : value;
}

int64_t
distribution_percentile(const struct distribution *distribution,
                        const struct percentile *percentile)
{
    const struct moments *moments = &distribution->moments;
    const struct latencies latencies = {moments, &distribution->histogram, moments->max,
                                        false};
    return latencies_percentile(&latencies, percentile);
}

int64_t
stats_percentile(const struct stats *stats, const struct percentile *percentile)
{
    const struct latencies latencies = latencies_of(stats, SCOPE_ALL);
    return latencies_percentile(&latencies, percentile);
}

int64_t
stats_p50(const struct stats *stats)
{
    return stats_percentile(stats, &percentiles_common.list[0]);
}

int64_t
stats_p99(const struct stats *stats)
{
    return stats_percentile(stats, &percentiles_common.list[1]);
}

unsigned
percentiles_shown(const struct percentiles *list, uint64_t count)
{
    unsigned shown = 0;
    for (int i = 0; i < list->count; i++)
        if (list->given ? count > 0 : count >= percentile_needs(&list->list[i]))
            shown |= 1u << i;
    return shown;
}

unsigned
stats_shown(const struct stats *stats, const struct percentiles *list)
{
    return percentiles_shown(list, stats->latency.count);
}
