#include "sweep.h"

#include "base/random.h"
#include "base/time.h"
#include "cli/cli.h"

#include <stdio.h>

/* What makes no sense for steps that last a time each, without delay. */
static const enum option_id alien[] = {
    OPTION_COUNT,       OPTION_BURST,          OPTION_SPEED_LIMIT, OPTION_RATE_LIMIT,
    OPTION_PRINT_COUNT, OPTION_PRINT_INTERVAL, OPTION_CORRECTED,   OPTION_SLO,
    OPTION_PROMETHEUS,  OPTION_HISTOGRAM,
};

static int
refuse(const char *name, struct error *error)
{
    char what[32];
    snprintf(what, sizeof(what), "-%s", name);
    error_set(error, EXIT_USAGE, what, "cannot be done together with -sweep");
    return error_advise(error, "leave out one of them");
}

/* What is swept cannot be set as well, and no step waits. */
static int
check_others(const struct options *options, struct error *error)
{
    static const enum option_id own[] = {[SWEEP_SIZE] = OPTION_SIZE,
                                         [SWEEP_THREADS] = OPTION_THREADS,
                                         [SWEEP_DEPTH] = OPTION_DEPTH};
    enum option_id swept = own[options->sweep.kind];
    for (size_t i = 0; i < sizeof(alien) / sizeof(alien[0]); i++)
        if (options->given[alien[i]])
            return refuse(cli_options[alien[i]].name, error);
    if (options->given[OPTION_INTERVAL] && options->interval > 0)
        return refuse(cli_options[OPTION_INTERVAL].name, error);
    if (options->given[OPTION_WORK_TIME] && !options->work_time)
        return error_set(error, EXIT_USAGE, "-work-time",
                         "each step of a sweep has to end");
    return options->given[swept] ? refuse(cli_options[swept].name, error) : 0;
}

/* A directory has room for the largest request, unless the user says how much. */
static void
resolve_ends(const struct options *options, struct plan *plan)
{
    struct sweep *sweep = &plan->sweep;
    if (sweep->kind == SWEEP_SIZE) {
        plan->request_size = sweep->from ? sweep->from : 4096;
        plan->request_size = plan_first(plan, plan->work_size);
        if (!options->work_size && plan->scratch_size < sweep->to)
            plan->scratch_size = sweep->to;
    } else if (!sweep->from) {
        sweep->from = 1;
        sweep->to = 64;
    }
}

int
plan_sweep(const struct options *options, struct plan *plan, struct error *error)
{
    if (options->sweep.kind == SWEEP_NONE)
        return 0;
    if (check_others(options, error) < 0)
        return -1;
    plan->sweep = options->sweep;
    resolve_ends(options, plan);
    plan->work_time = options->work_time ? options->work_time : 2 * SECOND;
    plan->settle = plan->work_time / 10;
    plan->limits.warmup = options->given[OPTION_WARMUP] ? (uint64_t)options->warmup : 0;
    plan->output.requests = false;
    return 0;
}

int64_t
plan_first(const struct plan *plan, int64_t work_size)
{
    bool open = plan->sweep.kind == SWEEP_SIZE && !plan->sweep.from;
    int64_t size = plan->request_size;
    while (open && work_size && size > work_size && size > 512)
        size /= 2;
    return size;
}

int64_t
plan_largest(const struct plan *plan)
{
    bool grows = plan->sweep.kind == SWEEP_SIZE && plan->sweep.to > plan->request_size;
    return grows ? plan->sweep.to : plan->request_size;
}

void
plan_step(const struct plan *plan, int64_t value, int number, struct plan *step)
{
    *step = *plan;
    step->seed = random_derive(~plan->seed, (uint64_t)number + 1);
    switch (plan->sweep.kind) {
    case SWEEP_SIZE:
        step->request_size = value;
        break;
    case SWEEP_THREADS:
        step->threads = (int)value;
        break;
    case SWEEP_DEPTH:
        step->depth = (int)value;
        break;
    case SWEEP_NONE:
        break;
    }
}
