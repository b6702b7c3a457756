#include "report/report.h"

#include <inttypes.h>

void
raw_line(struct buffer *text, const struct stats *stats, int64_t time)
{
    const struct moments *latency = &stats->latency;
    buffer_format(text,
                  "%" PRIu64 " %" PRId64 " %.0f %.0f %" PRId64 " %" PRId64 " %" PRId64
                  " %" PRId64 " %" PRIu64 " %" PRId64 "\n",
                  latency->count, latency->sum, stats_iops(stats), stats_bps(stats),
                  latency->min, moments_average(latency), latency->max,
                  moments_deviation(latency), stats->requests, time);
}

static void
add_line(struct report *report, const struct stats *stats, int64_t time)
{
    raw_line(&report->text, stats, time);
}

static void
add_step(struct report *report, int64_t value, const struct stats *stats, int64_t time)
{
    buffer_format(&report->text, "%" PRId64 " ", value);
    raw_line(&report->text, stats, time);
}

const struct report_format report_raw = {
    .period = add_line,
    .summary = add_line,
    .step = add_step,
};
