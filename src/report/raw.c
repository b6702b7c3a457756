/*
 * Raw lines, the format of -batch for scripts, as ioping-output(5) describes them: ten
 * integers for a period, a run, a step or a phase. -compare and other programs read them.
 */
#include "report/report.h"

#include "raw.h"
#include "report/outputs.h"
#include "run/job.h"
#include "stats/stats.h"
#include "target/target.h"

#include <inttypes.h>

/* Ends a line: adds the target if there are several, the phase if there is one, and a
 * newline. A target that is named again gets a number, so that -compare can tell its
 * lines from those of the first. */
static void
end_line(struct report *report)
{
    if (report->job_count > 1) {
        int ordinal = job_ordinal(report->jobs, report->job->index);
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

    if (record->step)
        buffer_format(&report->text, "%" PRId64 " ", record->step->value);

    buffer_format(&report->text,
                  "%" PRIu64 " %" PRId64 " %.0f %.0f %" PRId64 " %" PRId64 " %" PRId64
                  " %" PRId64 " %" PRIu64 " %" PRId64,
                  latency->count, latency->sum, stats_iops(stats), stats_bps(stats),
                  latency->min, moments_average(latency), latency->max,
                  moments_deviation(latency), stats->requests, record->duration);

    end_line(report);
}

/* Adds the line of the highest step. It is the only kind of line that begins with a
 * letter (ioping-output(5)). */
static void
add_highest(struct report *report, const struct run_record *record)
{
    (void)record;
    const struct job *job = report->job;
    struct buffer *text = &report->text;

    buffer_format(text, "highest %s ", sweep_kinds[job->plan.sweep.kind].name);
    if (job->sweep.highest_index < 0)
        buffer_text(text, "-");
    else
        buffer_format(text, "%" PRId64, job_highest(job));

    buffer_text(text, job->plan.statistics.slos.count ? " " : " -");
    slos_text(&job->plan.statistics.slos, text);

    end_line(report);
}

const struct report_format report_raw = {
    .records = {raw_line, raw_line, raw_line, raw_line, add_highest},
};
