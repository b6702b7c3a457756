/*
 * Percentiles are nearest ranks, counted in integers: no rank is off by one for a
 * rounding error. Objectives are compared with the same figures that are reported.
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

/* Returns a percentile of HISTOGRAM, no less than LEAST, no more than the maximum. */
static int64_t
find_percentile(const struct histogram *histogram, const struct moments *moments,
                const struct percentile *percentile, int64_t least)
{
    if (histogram->count == 0)
        return 0;
    int64_t value =
        histogram_value(histogram, percentile_rank(percentile, histogram->count));
    return value < least ? least : value > moments->max ? moments->max : value;
}

int64_t
stats_percentile(const struct stats *stats, const struct percentile *percentile)
{
    const struct histogram *histogram = stats_distribution(stats);
    bool waited = histogram->count > stats->latencies.count;
    return find_percentile(histogram, &stats->latency, percentile,
                           waited ? 0 : stats->latency.min);
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

int64_t
stats_sync_percentile(const struct stats *stats, const struct percentile *percentile)
{
    return find_percentile(&stats->syncs, &stats->sync, percentile, stats->sync.min);
}

unsigned
stats_shown(const struct stats *stats, const struct percentiles *list)
{
    unsigned shown = 0;
    for (int i = 0; i < list->count; i++)
        if (list->given ? stats->latency.count > 0
                        : stats->latency.count >= percentile_needs(&list->list[i]))
            shown |= 1u << i;
    return shown;
}

static const char *const metrics[] = {
    [SLO_MIN] = "min",   [SLO_AVG] = "avg",   [SLO_MAX] = "max",
    [SLO_MDEV] = "mdev", [SLO_IOPS] = "iops",
};

/* Returns false if TEXT of LENGTH bytes names no metric. */
static bool
find_metric(const char *text, int length, struct slo *slo)
{
    if (length > 1 && text[0] == 'p') {
        slo->metric = SLO_PERCENTILE;
        return percentile_parse(text + 1, length - 1, &slo->percentile) == NULL;
    }
    for (int i = SLO_MIN; i < SLO_PERCENTILE; i++) {
        slo->metric = (enum slo_metric)i;
        if ((int)strlen(metrics[i]) == length &&
            memcmp(metrics[i], text, (size_t)length) == 0)
            return true;
    }
    return false;
}

const char *
slos_add(struct slos *list, const char *text)
{
    struct slo slo = {0};
    int length = (int)strcspn(text, "=");
    if (list->count == SLOS_MOST)
        return "more than 16 limits";
    if (!find_metric(text, length, &slo))
        return "not one of min, avg, max, mdev, iops and percentiles such as p99";
    if (text[length] == '\0')
        return "a limit is missing, as in p99=10ms";
    const char *wrong = units_parse(slo.metric == SLO_IOPS ? UNITS_COUNT : UNITS_TIME,
                                    text + length + 1, &slo.limit);
    if (!wrong)
        list->list[list->count++] = slo;
    return wrong;
}

void
slos_list(struct buffer *text)
{
    for (int i = 0; i < percentiles_default.count; i++)
        buffer_format(text, "p%s=\n", percentiles_default.list[i].name);
    for (int i = SLO_MIN; i < SLO_PERCENTILE; i++)
        buffer_format(text, "%s=\n", metrics[i]);
}

/* Returns the figure that the objective limits. */
static int64_t
measure(const struct slo *slo, const struct stats *stats)
{
    const struct moments *latency = &stats->latency;
    switch (slo->metric) {
    case SLO_MIN:
        return latency->min;
    case SLO_AVG:
        return moments_average(latency);
    case SLO_MAX:
        return latency->max;
    case SLO_MDEV:
        return moments_deviation(latency);
    case SLO_IOPS:
        return (int64_t)stats_iops(stats);
    case SLO_PERCENTILE:
        break;
    }
    return stats_percentile(stats, &slo->percentile);
}

enum slo_verdict
slo_check(const struct slo *slo, const struct stats *stats, int64_t *value)
{
    bool ranked = slo->metric == SLO_PERCENTILE;
    uint64_t needs = ranked ? percentile_needs(&slo->percentile) : 1;
    *value = (int64_t)needs;
    if (stats->latency.count < needs)
        return SLO_UNKNOWN;
    *value = measure(slo, stats);
    bool broken = slo->metric == SLO_IOPS ? *value < slo->limit : *value > slo->limit;
    return broken ? SLO_BROKEN : SLO_MET;
}

char *
slo_name(const struct slo *slo, char *text)
{
    if (slo->metric == SLO_PERCENTILE)
        snprintf(text, 24, "p%s", slo->percentile.name);
    else
        snprintf(text, 24, "%s", metrics[slo->metric]);
    return text;
}
