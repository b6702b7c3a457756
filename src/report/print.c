/*
 * The values of -print: a line for each target, or for each period of -p and -P, with the
 * value of each figure of the list. A value is an integer: a time in ns, a rate per
 * second, or a count.
 *
 * An unknown value is "-". A remark on stderr gives the reason, and the exit status is 3
 * (report->unknown_figures). In periods, the reason is given only for the first unknown
 * value of each figure, because most later periods would have the same reason. If no
 * request of a run counted, the reason is given only for the first unknown figure.
 */
#include "report/report.h"

#include "report/outputs.h"
#include "run/job.h"
#include "run/run.h"
#include "stats/stats.h"

#include <inttypes.h>
#include <math.h>

/* Returns the value of FIGURE, whose ANSWER is known. Rates are rounded, as in raw lines;
 * in an answer they are cut. */
static int64_t
find_value(const struct slo *figure, const struct slo_answer *answer,
           const struct stats *stats)
{
    if (figure->metric == SLO_IOPS)
        return llround(stats_iops(stats));
    if (figure->metric == SLO_BPS)
        return llround(stats_bps(stats));
    return answer->value;
}

/* Adds to REASON why FIGURE is unknown in a period, and what the user can do. */
static void
add_period_reason(const struct report *report, const struct slo *figure,
                  const struct slo_answer *answer, struct buffer *reason)
{
    bool has_time = report->plan->output.print_interval > 0;

    buffer_text(reason, "in a period, ");
    slo_add_too_few(figure, answer, reason);
    buffer_text(reason, has_time ? "; use a longer -P" : "; use a larger -p");
}

/* Marks the figure with INDEX as unknown in RECORD, and adds the reason to the notes.
 * IS_FIRST is true for the first unknown figure of RECORD. */
static void
explain_unknown(struct report *report, const struct run_record *record, int index,
                bool is_first, const struct slo_answer *answer)
{
    const struct slo *figure = &report->plan->output.figures->list[index];
    bool is_period = record->kind == RECORD_PERIOD;
    unsigned bit = 1u << index;
    bool was_explained = is_period && report->unknown_figures & bit;
    bool is_without_counts = !is_period && record->stats->latency.count == 0;
    struct buffer reason = {0};
    char name[SLO_NAME_SIZE];

    report->unknown_figures |= bit;
    if (was_explained || (is_without_counts && !is_first))
        return;

    if (is_period)
        add_period_reason(report, figure, answer, &reason);
    else if (is_without_counts)
        buffer_text(&reason, "no request counted"); /* another remark says why */
    else
        outcome_add_unknown(&report->job->outcome, figure, answer, &reason);

    if (!reason.failed)
        notes_add(report->notes, job_name(report->job), "-print %s: %s",
                  slo_name(figure, name), reason.text);
    buffer_free(&reason);
}

/* Adds the line of a period or of a run. */
static void
print_record(struct report *report, const struct run_record *record)
{
    const struct slos *figures = report->plan->output.figures;
    struct buffer *text = &report->text;
    bool is_first = true;

    for (int i = 0; i < figures->count; i++) {
        const struct slo *figure = &figures->list[i];
        const struct stats *stats = record->stats;

        /* A figure of a run may be about one phase. */
        if (record->kind == RECORD_SUMMARY)
            stats = outcome_stats(&report->job->outcome, figure);
        struct slo_answer answer = slo_measure(figure, stats);

        if (i > 0)
            buffer_text(text, " ");
        if (answer.verdict != SLO_UNKNOWN) {
            buffer_format(text, "%" PRId64, find_value(figure, &answer, stats));
            continue;
        }
        buffer_text(text, "-");
        explain_unknown(report, record, i, is_first, &answer);
        is_first = false;
    }
    buffer_text(text, "\n");
}

/* A phase (-load) has no line: the names of figures tell which phase they are about. */
const struct report_format report_print = {
    .records = {[RECORD_PERIOD] = print_record, [RECORD_SUMMARY] = print_record},
};
