#include "stats/slo.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [SLO_MIN] = "min",   [SLO_AVG] = "avg",   [SLO_MAX] = "max",
    [SLO_MDEV] = "mdev", [SLO_IOPS] = "iops",
};

static bool
find_metric(const char *text, int length, struct slo *slo)
{
    if (length > 1 && text[0] == 'p') {
        slo->metric = SLO_PERCENTILE;
        return percentile_parse(text + 1, length - 1, &slo->percentile) == NULL;
    }
    for (int i = SLO_MIN; i < SLO_PERCENTILE; i++) {
        slo->metric = (enum slo_metric)i;
        if ((int)strlen(names[i]) == length &&
            memcmp(names[i], text, (size_t)length) == 0)
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
        buffer_format(text, "%s=\n", names[i]);
}

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
    return broken ? SLO_BROKEN : SLO_KEPT;
}

char *
slo_name(const struct slo *slo, char *text)
{
    if (slo->metric == SLO_PERCENTILE)
        snprintf(text, 24, "p%s", slo->percentile.name);
    else
        snprintf(text, 24, "%s", names[slo->metric]);
    return text;
}
