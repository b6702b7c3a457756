#include "table.h"

#include "base/units.h"

#include <stdio.h>
#include <string.h>

#define FIRST 10
#define RATE 9
#define SPEED 14
#define TIME 11

/* Those that were asked for, or the two that matter most. */
static const struct percentiles *
percentiles_of(const struct plan *plan)
{
    const struct percentiles *list = &plan->output.percentiles;
    return list->given ? list : &percentiles_common;
}

static void
add_value(struct buffer *text, int width, enum units_kind kind, int64_t value,
          const char *after)
{
    char shown[UNITS_TEXT], cell[UNITS_TEXT + 8];
    snprintf(cell, sizeof(cell), "%s%s", units_format(kind, value, shown), after);
    buffer_format(text, "%*s", width, cell);
}

/* Of the column of a percentile, whose name may be longer than any time. */
static int
width_of(const struct percentile *percentile)
{
    int name = (int)strlen(percentile->name) + 3;
    return name > TIME ? name : TIME;
}

/* A value that is not known is a dash. */
static void
add_time(struct buffer *text, int width, bool known, int64_t time)
{
    if (known)
        add_value(text, width, UNITS_TIME, time, "");
    else
        buffer_format(text, "%*s", width, "-");
}

static void
add_times(struct buffer *text, const struct plan *plan, const struct stats *stats)
{
    const struct percentiles *list = percentiles_of(plan);
    unsigned shown = stats_shown(stats, list);
    bool any = stats->latency.count > 0;
    add_time(text, TIME, any, moments_average(&stats->latency));
    for (int i = 0; i < list->count; i++)
        add_time(text, width_of(&list->list[i]), shown & 1u << i,
                 stats_percentile(stats, &list->list[i]));
    add_time(text, TIME, any, stats->latency.max);
}

void
table_head(struct buffer *text, const struct plan *plan)
{
    const struct percentiles *list = percentiles_of(plan);
    buffer_format(text, "%*s%*s%*s%*s", FIRST, sweep_name(plan->sweep.kind), RATE, "iops",
                  SPEED, "bandwidth", TIME, "avg");
    for (int i = 0; i < list->count; i++) {
        char name[24];
        snprintf(name, sizeof(name), "p%s", list->list[i].name);
        buffer_format(text, "%*s", width_of(&list->list[i]), name);
    }
    buffer_format(text, "%*s\n", TIME, "max");
}

void
table_row(struct buffer *text, const struct plan *plan, int64_t value,
          const struct stats *stats, int64_t time)
{
    if (plan->sweep.kind == SWEEP_SIZE)
        add_value(text, FIRST, UNITS_SIZE, value, "");
    else
        buffer_format(text, "%*lld", FIRST, (long long)value);
    add_value(text, RATE, UNITS_COUNT, (int64_t)stats_rate((double)stats->requests, time),
              "");
    add_value(text, SPEED, UNITS_SIZE,
              (int64_t)stats_rate((double)stats->all_bytes, time), "/s");
    add_times(text, plan, stats);
    buffer_text(text, "\n");
}
