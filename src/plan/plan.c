#include "plan/plan.h"

#include "base/random.h"
#include "base/time.h"
#include "base/units.h"
#include "cli/cli.h"
#include "os/os.h"
#include "sweep.h"

#include <stdio.h>
#include <string.h>

#define APART 0x5555555555555555 /* from the sequences of other workers */

static bool
given(const struct options *options, enum option_id id)
{
    return options->given[id] > 0;
}

/* Limits only ever slow down: the largest interval wins. */
static void
resolve_interval(const struct options *options, struct plan *plan)
{
    bool rate = given(options, OPTION_RATE_LIMIT);
    bool speed = given(options, OPTION_SPEED_LIMIT);
    bool at_once = rate || speed || given(options, OPTION_RAPID) ||
                   options->sweep.kind != SWEEP_NONE;
    int64_t together = units_scale(plan->burst, plan->threads, 1); /* at a grid point */
    int64_t own = at_once && !given(options, OPTION_INTERVAL) ? 0 : options->interval;
    int64_t least[] = {0, 0};
    if (rate)
        least[0] = units_scale(together, SECOND, options->rate_limit);
    if (speed)
        least[1] = units_scale(units_scale(together, plan->request_size, 1), SECOND,
                               options->speed_limit);
    plan->interval = own;
    for (int i = 0; i < 2; i++)
        if (least[i] > plan->interval)
            plan->interval = least[i];
    plan->limited = plan->interval > own;
}

static void
resolve_requests(const struct options *options, uint64_t seed, struct plan *plan)
{
    bool rapid = given(options, OPTION_RAPID);
    plan->consent = options->given[OPTION_WRITE] + options->given[OPTION_READ_WRITE];
    plan->load = given(options, OPTION_READ_WRITE) ? LOAD_READ_WRITE
                 : given(options, OPTION_WRITE)    ? LOAD_WRITE
                                                   : LOAD_READ;
    plan->linear = given(options, OPTION_LINEAR);
    plan->seed = options->entropy ? (uint64_t)options->entropy : seed;
    plan->request_size = options->size;
    if (plan->linear && !given(options, OPTION_SIZE))
        plan->request_size = 256 << 10;
    plan->work_size = options->work_size;
    plan->scratch_size = options->work_size;
    if (!plan->scratch_size) {
        bool large = rapid || options->sweep.kind != SWEEP_NONE;
        plan->scratch_size = large ? 64 << 20 : 1 << 20;
        if (plan->scratch_size < plan->request_size)
            plan->scratch_size = plan->request_size;
    }
    plan->work_offset = options->work_offset;
}

static void
resolve_pace(const struct options *options, struct plan *plan)
{
    plan->burst = options->burst ? options->burst : 1;
    resolve_interval(options, plan);
    plan->count = options->count ? (uint64_t)options->count : UINT64_MAX;
    plan->work_time = options->work_time ? options->work_time : INT64_MAX;
    if (given(options, OPTION_RAPID) && !given(options, OPTION_WORK_TIME))
        plan->work_time = 3 * SECOND;
    plan->hang = options->hang;
    plan->ignore_error = given(options, OPTION_IGNORE_ERROR);
    plan->limits.warmup = (uint64_t)options->warmup;
    plan->limits.fastest = options->min_time;
    plan->limits.slowest = options->max_time;
}

static int
choose_engine(const struct options *options, struct plan *plan, struct error *error)
{
    const char *chosen = NULL;
    char option[64];
    plan->engine = io_engine_of(0);
    for (unsigned i = 0; i < OPTION_IDS; i++) {
        if (!cli_options[i].engine || !options->given[i])
            continue;
        if (chosen) {
            snprintf(option, sizeof(option), "-%s", cli_options[i].name);
            error_set(error, EXIT_USAGE, option, "cannot be done together with -%s",
                      chosen);
            return error_advise(error, "leave out one of them");
        }
        chosen = cli_options[i].name;
        plan->engine = io_engine_of(cli_options[i].letter);
        plan->engine_name =
            plan->engine->name ? plan->engine->name : cli_options[i].engine;
    }
    return 0;
}

static int
resolve_concurrency(const struct options *options, struct plan *plan, struct error *error)
{
    bool deep = options->depth > 1 || options->sweep.kind == SWEEP_DEPTH;
    plan->threads = options->threads ? (int)options->threads : 1;
    plan->depth = options->depth ? (int)options->depth : 1;
    if (choose_engine(options, plan, error) < 0)
        return -1;
    if (!deep || plan->engine->many)
        return 0;
    error_set(error, EXIT_USAGE, options->depth > 1 ? "-depth" : "-sweep",
              "system calls that wait do one request at a time");
    return io_advise_many(error);
}

static void
resolve_access(const struct options *options, struct plan *plan)
{
    plan->direct = given(options, OPTION_DIRECT);
    plan->cached = given(options, OPTION_CACHED);
    plan->keep = given(options, OPTION_KEEP);
    plan->open_flags = (given(options, OPTION_SYNC) ? OS_OPEN_SYNC : 0) |
                       (given(options, OPTION_DSYNC) ? OS_OPEN_DSYNC : 0);
    plan->rw_flags = (given(options, OPTION_HIPRI) ? OS_RW_HIPRI : 0) |
                     (given(options, OPTION_NOWAIT) ? OS_RW_NOWAIT : 0);
}

static void
resolve_output(const struct options *options, struct plan_output *output)
{
    bool batch = given(options, OPTION_BATCH);
    bool quiet = given(options, OPTION_QUIET) || given(options, OPTION_RAPID);
    bool json = given(options, OPTION_JSON);
    output->format = options->given[OPTION_JSON] > 1 ? FORMAT_NDJSON
                     : json                          ? FORMAT_JSON
                     : batch                         ? FORMAT_RAW
                                                     : FORMAT_HUMAN;
    output->print_count = options->print_count;
    output->print_interval = options->prometheus ? 0 : options->print_interval;
    output->requests = !quiet && !batch;
    bool periods = output->print_count || output->print_interval;
    output->summary = json || batch || !quiet || !periods;
    output->time_format = given(options, OPTION_TIME) ? options->time_format : NULL;
    output->burst = options->burst;
    output->percentiles = options->percentiles;
    output->histogram = given(options, OPTION_HISTOGRAM);
    output->plot = options->plot;
    output->color = options->color;
}

/* What is printed per request shows well enough that the run is alive. */
static void
resolve_status(const struct options *options, struct plan_output *output)
{
    output->status =
        !output->requests && !output->print_count && !given(options, OPTION_NO_STATUS);
}

/* The file takes the interval of the raw lines, which are not printed then. */
static void
resolve_prometheus(const struct options *options, struct plan_output *output)
{
    output->prometheus = options->prometheus;
    if (!output->prometheus)
        return;
    output->keep_interval =
        options->print_interval ? options->print_interval : 15 * SECOND;
}

static int
resolve_corrected(const struct options *options, struct plan *plan, struct error *error)
{
    if (!given(options, OPTION_CORRECTED))
        return 0;
    if (plan->depth > 1) {
        error_set(error, EXIT_USAGE, "-corrected",
                  "requests do not wait for each other with -depth");
        return error_advise(error, "leave out one of them");
    }
    plan->corrected = plan->limited ? 0 : plan->interval;
    if (plan->corrected)
        return 0;
    error_set(error, EXIT_USAGE, "-corrected", "%s no request is ever due",
              plan->limited ? "under a limit" : "without an interval");
    return error_advise(error, "give one with -i");
}

void
plan_target(const struct plan *plan, int number, struct plan *one)
{
    *one = *plan;
    one->path = plan->targets[number];
    if (number > 0)
        one->seed = random_derive(plan->seed ^ APART, (uint64_t)number);
}

int
plan_make(const struct options *options, uint64_t seed, struct plan *plan,
          struct error *error)
{
    memset(plan, 0, sizeof(*plan));
    plan->path = options->targets[0];
    plan->targets = options->targets;
    plan->target_count = options->target_count;
    if (resolve_concurrency(options, plan, error) < 0)
        return -1;
    resolve_requests(options, seed, plan);
    resolve_pace(options, plan);
    resolve_access(options, plan);
    resolve_output(options, &plan->output);
    resolve_prometheus(options, &plan->output);
    plan->slos = options->slos;
    if (plan_sweep(options, plan, error) < 0)
        return -1;
    resolve_status(options, &plan->output);
    return resolve_corrected(options, plan, error);
}
