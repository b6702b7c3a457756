/*
 * Raw lines, the format of -batch for scripts: a line of ten integers for each period,
 * run, step or phase. ioping-output(5) describes the integers. -compare and other
 * programs read these lines.
 */
#include "report/report.h"

#include "raw.h"
#include "report/outputs.h"
#include "run/job.h"
#include "stats/stats.h"
#include "target/target.h"

#include <inttypes.h>
#include <stdio.h>

/* Ends a line: adds the path of the current target if there are several targets, the
 * current phase if there are phases, and a newline. If targets have the same path, a
 * number such as "#2" follows the path of each but the first, so that -compare can tell
 * their lines apart. */
static void
end_line(struct report *report)
{
    if (report->job_count > 1) {
        int ordinal = job_path_ordinal(report->jobs, report->job->index);
        buffer_text(&report->text, " ");
        buffer_escaped(&report->text, report->target->path);
        if (ordinal > 1)
            buffer_format(&report->text, "#%d", ordinal);
    }

    if (report->phase)
        buffer_format(&report->text, " %s", phase_name(report->phase));

    buffer_text(&report->text, "\n");
}

void
raw_line(struct report *report, const struct run_record *record)
{
    const struct stats *stats = record->stats;
    const struct moments *latency = &stats->latency;
    char bps[32] = "-";

    if (!stats->lacks_sizes)
        snprintf(bps, sizeof(bps), "%.0f", stats_bps(stats));
    if (record->step)
        buffer_format(&report->text, "%" PRId64 " ", record->step->value);

    buffer_format(&report->text,
                  "%" PRIu64 " %" PRId64 " %.0f %s %" PRId64 " %" PRId64 " %" PRId64
                  " %" PRId64 " %" PRIu64 " %" PRId64,
                  latency->count, latency->sum, stats_iops(stats), bps, latency->min,
                  moments_average(latency), latency->max, moments_deviation(latency),
                  stats->requests, record->duration);

    end_line(report);
}

/* Adds the line with the highest step of a sweep that meets the limits. The value in this
 * line is "-" if no step meets them. No other raw line begins with a letter, so programs
 * can recognise this line. */
static void
raw_highest_line(struct report *report, const struct run_record *record)
{
    (void)record;
    const struct job *job = report->job;
    struct buffer *text = &report->text;

    buffer_format(text, "highest %s ", sweep_kinds[job->plan.sweep.kind].name);
    if (job->sweep.highest_index < 0)
        buffer_text(text, "-");
    else
        buffer_format(text, "%" PRId64, job_highest_value(job));

    buffer_text(text, job->plan.statistics.slos.count ? " " : " -");
    slos_text(&job->plan.statistics.slos, text);

    end_line(report);
}

const struct report_format report_raw = {
    /* indexed by enum record_kind; a comparison has no raw line */
    .records = {raw_line, raw_line, raw_line, raw_line, raw_highest_line},
};
