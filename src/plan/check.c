/*
 * A run that a monitoring system calls as a plug-in. It prints one line, and always comes
 * back: who calls it waits for a minute at most, as a rule, and then knows nothing.
 */
#include "base/deadlines.h"
#include "base/units.h"
#include "resolve.h"

/* Options for which there would have to be another output, or another kind of result. */
static const enum option_id not_checked[] = {
    OPTION_JSON,  OPTION_BATCH, OPTION_PRINT_COUNT, OPTION_PRINT_INTERVAL,
    OPTION_SWEEP, OPTION_LOAD,  OPTION_OUTPUT,      OPTION_INFLUX};

static int
check_others(const struct options *options, struct error *error)
{
    for (size_t i = 0; i < sizeof(not_checked) / sizeof(not_checked[0]); i++) {
        enum option_id id = not_checked[i];
        if (plan_given(options, id) &&
            !(id == OPTION_PRINT_INTERVAL && (options->prometheus || options->hdr)))
            return plan_refuse_together(id, "-check", error);
    }
    return 0;
}

/* Limits the time: that of a run without an end, or of a count that a slow disk could
 * make take for ever. */
static void
limit_time(const struct options *options, struct plan *plan)
{
    int64_t needs = 0;
    if (plan->count != UINT64_MAX)
        needs = units_scale(options->count, plan->interval, plan->burst);
    if (plan->work_time == INT64_MAX)
        plan->work_time = time_add(needs, DEADLINE_CHECK_RUN);
}

int
plan_resolve_check(const struct options *options, struct plan *plan, struct error *error)
{
    if (!plan_given(options, OPTION_CHECK)) {
        if (!plan_given(options, OPTION_WARN))
            return 0;
        error_set(error, EXIT_USAGE, "-warn", "only a plug-in of monitoring can warn");
        return error_advise(error, "add -check, or limit with -slo");
    }
    if (check_others(options, error) < 0)
        return -1;
    limit_time(options, plan);
    plan->output.format = FORMAT_CHECK;
    plan->output.requests = plan->output.summary = false;
    plan->output.print_interval = 0;
    return 0;
}
