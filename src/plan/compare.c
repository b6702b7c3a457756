/*
 * The plan of a comparison: its targets are files of raw lines, and nothing is measured.
 * So all options are refused but those that tell what to do with the times.
 */
#include "resolve.h"

#include <string.h>

static const enum option_id allowed[] = {
    OPTION_COMPARE, OPTION_OUTPUT,      OPTION_BATCH,     OPTION_JSON,
    OPTION_QUIET,   OPTION_PERCENTILES, OPTION_SLO,       OPTION_PLOT,
    OPTION_COLOR,   OPTION_HISTOGRAM,   OPTION_NO_STATUS,
};

static bool
is_allowed(enum option_id id)
{
    for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
        if (allowed[i] == id)
            return true;
    return false;
}

/* Refuses limits of what raw lines do not tell. */
static int
check_slos(const struct options *options, struct error *error)
{
    char name[SLO_NAME];
    for (int i = 0; i < options->slos.count; i++) {
        const struct slo *slo = &options->slos.list[i];
        if (slo->scope == SCOPE_ALL && !slo->phase)
            continue;
        error_set(error, EXIT_USAGE, "-slo", "%s: raw lines have the whole time alone",
                  slo_name(slo, name));
        return error_advise(error, "limit that, such as p99=1ms");
    }
    return 0;
}

/* Refuses to read standard input twice. */
static int
check_files(const struct options *options, struct error *error)
{
    int streams = 0;
    for (int i = 0; i < options->target_count; i++)
        streams += strcmp(options->targets[i], "-") == 0;
    if (streams < 2)
        return 0;
    error_set(error, EXIT_USAGE, "-compare", "standard input can be read once");
    return error_advise(error, "name - once");
}

int
plan_resolve_compare(const struct options *options, struct plan *plan,
                     struct error *error)
{
    plan->compare = plan_given(options, OPTION_COMPARE);
    if (!plan->compare)
        return 0;
    for (int id = 0; id < OPTION_IDS; id++)
        if (plan_given(options, (enum option_id)id) && !is_allowed((enum option_id)id))
            return plan_refuse_together((enum option_id)id,
                                        "-compare: nothing is measured", error);
    return check_slos(options, error) < 0 ? -1 : check_files(options, error);
}
