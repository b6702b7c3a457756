/*
 * The mode of a plan: which one the options choose, what means nothing in it, by the
 * column of the option table, and what the modes without a file of their own resolve.
 */
#include "base/deadlines.h"
#include "base/units.h"
#include "resolve.h"

#include <stdio.h>
#include <string.h>

/* Returns the last option of the table that OPTIONS give and that selects one of MODES;
 * NULL: none does. */
static const struct cli_option *
find_selector(const struct options *options, int modes)
{
    const struct cli_option *found = NULL;
    for (int i = 0; i < OPTION_IDS; i++)
        if (cli_options[i].selects & modes && options->given[cli_options[i].id])
            found = &cli_options[i];
    return found;
}

/* Refuses OPTION if it means nothing in MODES, or without one that it needs. Returns 0,
 * or -1 with ERROR. */
static int
check_option(const struct cli_option *option, const struct options *options, int modes,
             struct error *error)
{
    char what[32], needs[96] = "";
    const struct cli_option *needed = NULL; /* one that is given, if there is any */
    for (int i = 0; i < CLI_NEEDS && option->needs[i]; i++) {
        const char *name = option->needs[i];
        const struct cli_option *one = cli_find(name, strcspn(name, " "));
        size_t used = strlen(needs);
        if (!needed || options->given[one->id])
            needed = one;
        snprintf(needs + used, sizeof(needs) - used, "%s-%s", i ? " or " : "", name);
    }
    const char *at = (const char *)options + option->at;
    bool least = option->least_in && *(const int64_t *)(const void *)at == option->least;
    int wrong = modes & ~option->modes & ~(least ? option->least_in : 0);
    const struct cli_option *other = find_selector(options, wrong);
    snprintf(what, sizeof(what), "-%s", option->name);
    if (other && other != needed)
        return error_set(error, EXIT_USAGE, what,
                         "cannot be done together with -%s%s%s; leave out one of them",
                         other->name, other->because ? ": " : "",
                         other->because ? other->because : "");
    if (wrong || (needed && !options->given[needed->id]))
        return error_set(error, EXIT_USAGE, what, "needs %s; add it, or leave this out",
                         needs);
    return 0;
}

int
plan_choose_mode(const struct options *options, struct plan *plan, struct error *error)
{
    int modes = 0, allowed = 0;
    for (int i = 0; i < OPTION_IDS; i++) {
        bool given = options->given[cli_options[i].id];
        modes |= given ? cli_options[i].selects : 0; /* more than one mode is refused */
        allowed |= given ? cli_options[i].lifts : 0;
    }
    modes &= ~allowed;
    if (modes & MODE_SWEEP)
        modes = (modes & ~MODE_SWEEP) | 1 << options->sweep.kind;
    modes |= modes & MODE_ANY ? 0 : MODE_RUN;
    /* First what chooses a mode: whether the rest goes with it is of no interest if that
     * itself has to go. */
    for (int i = 0; i < 2 * OPTION_IDS; i++) {
        const struct cli_option *option = cli_option((enum option_id)(i % OPTION_IDS));
        bool chooses = option->selects & MODE_ANY;
        if (options->given[option->id] && chooses == (i < OPTION_IDS) &&
            check_option(option, options, modes, error) < 0)
            return -1;
    }
    plan->mode = (enum cli_mode)(modes & MODE_ANY);
    return 0;
}

/* Limits the time of a check, as who calls it waits for a minute at most and then knows
 * nothing: that of a run without an end, or of a count that a slow disk could make take
 * for ever. */
static int
resolve_check(const struct options *options, struct plan *plan, struct error *error)
{
    int64_t needs = 0;
    (void)error;
    if (plan->ends.count != UINT64_MAX)
        needs = units_scale(options->count, plan->pace.interval, plan->pace.burst);
    if (plan->ends.work_time == INT64_MAX)
        plan->ends.work_time = time_add(needs, DEADLINE_CHECK_RUN);
    return 0;
}

/* Refuses limits of what raw lines do not tell, and to read standard input twice. */
static int
resolve_compare(const struct options *options, struct plan *plan, struct error *error)
{
    int streams = 0;
    char name[SLO_NAME];
    for (int i = 0; i < options->slos.count; i++) {
        const struct slo *slo = &options->slos.list[i];
        if (slo->scope == SCOPE_ALL && !slo->phase)
            continue;
        return error_set(error, EXIT_USAGE, "-slo",
                         "%s: raw lines have the whole time alone; limit that, such as "
                         "p99=1ms",
                         slo_name(slo, name));
    }
    for (int i = 0; i < options->target_count; i++)
        streams += strcmp(options->targets[i], "-") == 0;
    if (streams > 1)
        return error_set(error, EXIT_USAGE, "-compare",
                         "standard input can be read once; name - once");
    plan->workload.seed = 1; /* of long files a rerun chooses the same requests */
    return 0;
}

int
plan_resolve_mode(const struct options *options, struct plan *plan, struct error *error)
{
    static const struct {
        int modes;
        int (*resolve)(const struct options *, struct plan *, struct error *);
    } own[] = {{MODE_SWEEP, plan_resolve_sweep},
               {MODE_PHASES, plan_resolve_phases},
               {MODE_CHECK, resolve_check},
               {MODE_COMPARE, resolve_compare}};
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if ((int)plan->mode & own[i].modes)
            return own[i].resolve(options, plan, error);
    return 0;
}
