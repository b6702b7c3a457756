/*
 * Makes the input of the plot of -diagnose from the diagnosis. While the parts still run,
 * there is no diagnosis. Then the plot shows the parts that have figures.
 */
#include "plot/plot.h"
#include "report/diagnosis.h"
#include "report/report.h"
#include "writers.h"

/* By use: the part of -diagnose that measures its figure, and whether the panel of this
 * part shows this figure. The figure for a database log is the time of a write with its
 * flush, but the panel shows the flushes alone. */
static const struct {
    enum plan_part part;
    bool is_shown;
} use_parts[STORAGE_USES] = {
    [USE_ETCD] = {PART_OF_FLUSHES, true},
    [USE_DATABASE] = {PART_OF_FLUSHES, false},
    [USE_DESKTOP] = {PART_OF_PAUSES, true},
    [USE_STREAMING] = {PART_OF_STREAM, true},
};

_Static_assert((int)STORAGE_USES <= PLOT_USES, "too many uses; raise PLOT_USES");

/* Returns why PART has no figures. DIAGNOSIS is NULL while the parts still run. */
static const char *
find_missing_reason(const struct report *report, const struct diagnosis *diagnosis,
                    enum plan_part part)
{
    if ((int)part >= report->job_count)
        return "measured in directories only";
    if (!diagnosis)
        return "not measured yet";

    const struct job *job = &report->jobs[part];
    const struct diagnosis_facts *facts = &diagnosis->facts;
    if (job->error.status)
        return job->error.why;
    if (facts->failure[0] && !job->was_tried)
        return "a request failed before this part";
    if (job->outcome.total.failed > 0)
        return "its requests failed";
    if (facts->failure[0])
        return facts->failure;
    if (facts->was_interrupted)
        return "interrupted before this part";
    if (part == PART_OF_PAUSES && facts->cached > 0)
        return "no read counts: the page cache answered";
    return "too few requests";
}

void
diagnosis_fill_plot(const struct report *report, struct plot_diagnosis *filled,
                    struct buffer *answer)
{
    const struct diagnosis *diagnosis = report->diagnosis;
    const struct diagnosis_findings *findings;

    *filled = (struct plot_diagnosis){.use_count = STORAGE_USES};
    for (enum plan_part part = 0; part < PLAN_PARTS; part++)
        filled->missing[part] = find_missing_reason(report, diagnosis, part);

    for (enum storage_use use = 0; use < STORAGE_USES; use++)
        filled->uses[use] = (struct plot_use){
            .name = storage_needs[use].name,
            .part = use_parts[use].part,
            .verdict = SLO_UNKNOWN,
            .limit = use_parts[use].is_shown ? storage_needs[use].limit : 0};
    if (!diagnosis)
        return;

    diagnosis_answer(diagnosis, answer);
    filled->answer = answer->failed ? "" : answer->text;
    findings = &diagnosis->findings;
    if (findings->knee && findings->is_knee_reached)
        filled->knee = findings->knee->value;
    for (enum storage_use use = 0; use < STORAGE_USES; use++)
        filled->uses[use].verdict = findings->uses[use].verdict;
}
