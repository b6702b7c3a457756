#include "report/report.h"

#include "stats/stats.h"
#include "target/description.h"

#include <inttypes.h>

void
raw_line(struct report *report, const struct stats *stats, int64_t time)
{
    const struct moments *latency = &stats->latency;
    buffer_format(&report->text,
                  "%" PRIu64 " %" PRId64 " %.0f %.0f %" PRId64 " %" PRId64 " %" PRId64
                  " %" PRId64 " %" PRIu64 " %" PRId64,
                  latency->count, latency->sum, stats_iops(stats), stats_bps(stats),
                  latency->min, moments_average(latency), latency->max,
                  moments_deviation(latency), stats->requests, time);
    if (report->count > 1) {
        buffer_text(&report->text, " ");
        buffer_escaped(&report->text, report->target->path);
    }
    buffer_text(&report->text, "\n");
}

static void
add_step(struct report *report, int64_t value, const struct stats *stats, int64_t time)
{
    buffer_format(&report->text, "%" PRId64 " ", value);
    raw_line(report, stats, time);
}

const struct report_format report_raw = {
    .period = raw_line,
    .summary = raw_line,
    .step = add_step,
};
