/*
 * Options become a plan here, one group after another; later ones build upon the earlier.
 * Sequences of random numbers: each target and each step of a sweep gets a seed derived
 * from that of the plan, so that none repeats the offsets of another.
 */
#include "plan/plan.h"

#include "base/random.h"
#include "base/time.h"
#include "base/units.h"
#include "cli/cli.h"
#include "os/os.h"

#include <stdio.h>
#include <string.h>

/* Mixed into the seed of a target, as workers derive theirs from the seed itself. */
#define TARGET_SALT 0x5555555555555555

static bool
given(const struct options *options, enum option_id id)
{
    return options->given[id] > 0;
}

/* Limits only ever slow down, so the largest interval wins. */
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
    plan->engine = io_engine_of(0);
    for (int i = 0; i < OPTION_IDS; i++) {
        const struct cli_option *option = &cli_options[i];
        if (!option->engine || !given(options, option->id))
            continue;
        if (chosen) {
            char what[64];
            snprintf(what, sizeof(what), "-%s", option->name);
            error_set(error, EXIT_USAGE, what, "cannot be done together with -%s",
                      chosen);
            return error_advise(error, "leave out one of them");
        }
        chosen = option->name;
        plan->engine = io_engine_of(option->letter);
        plan->engine_name = plan->engine->name ? plan->engine->name : option->engine;
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
resolve_io_mode(const struct options *options, struct plan *plan)
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
    output->plot = options->plot;
}

/* A line per request shows well enough that the run is alive. */
static void
resolve_status(const struct options *options, struct plan_output *output)
{
    output->status =
        !output->requests && !output->print_count && !given(options, OPTION_NO_STATUS);
}

/* The file takes over the interval of the raw lines, which are not printed then. */
static void
resolve_prometheus(const struct options *options, struct plan_output *output)
{
    output->prometheus = options->prometheus;
    if (!output->prometheus)
        return;
    output->export_interval =
        options->print_interval ? options->print_interval : 15 * SECOND;
}

/* Options that make no sense for steps that last a time each, without delay. */
static const enum option_id not_swept[] = {
    OPTION_COUNT,       OPTION_BURST,          OPTION_SPEED_LIMIT, OPTION_RATE_LIMIT,
    OPTION_PRINT_COUNT, OPTION_PRINT_INTERVAL, OPTION_CORRECTED,   OPTION_SLO,
    OPTION_PROMETHEUS,  OPTION_HISTOGRAM,
};

static int
refuse_swept(enum option_id id, struct error *error)
{
    char what[32];
    snprintf(what, sizeof(what), "-%s", cli_option(id)->name);
    error_set(error, EXIT_USAGE, what, "cannot be done together with -sweep");
    return error_advise(error, "leave out one of them");
}

/* Refuse other options: what is swept cannot be set as well, and no step waits. */
static int
check_sweep(const struct options *options, struct error *error)
{
    enum option_id swept = sweep_option(options->sweep.kind);
    for (size_t i = 0; i < sizeof(not_swept) / sizeof(not_swept[0]); i++)
        if (given(options, not_swept[i]))
            return refuse_swept(not_swept[i], error);
    if (given(options, OPTION_INTERVAL) && options->interval > 0)
        return refuse_swept(OPTION_INTERVAL, error);
    if (given(options, OPTION_WORK_TIME) && !options->work_time)
        return error_set(error, EXIT_USAGE, "-work-time",
                         "each step of a sweep has to end");
    return given(options, swept) ? refuse_swept(swept, error) : 0;
}

/* A working file has room for the largest request, unless the user says how much. */
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

/* Comes when all but the output and -corrected is resolved. */
static int
resolve_sweep(const struct options *options, struct plan *plan, struct error *error)
{
    if (options->sweep.kind == SWEEP_NONE)
        return 0;
    if (check_sweep(options, error) < 0)
        return -1;
    plan->sweep = options->sweep;
    resolve_ends(options, plan);
    plan->work_time = options->work_time ? options->work_time : 2 * SECOND;
    plan->settle = plan->work_time / 10;
    plan->limits.warmup = given(options, OPTION_WARMUP) ? (uint64_t)options->warmup : 0;
    plan->output.requests = false;
    return 0;
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

int
plan_make(const struct options *options, uint64_t seed, struct plan *plan,
          struct error *error)
{
    memset(plan, 0, sizeof(*plan));
    plan->options = options;
    plan->path = options->targets[0];
    plan->targets = options->targets;
    plan->target_count = options->target_count;
    if (resolve_concurrency(options, plan, error) < 0)
        return -1;
    resolve_requests(options, seed, plan);
    resolve_pace(options, plan);
    resolve_io_mode(options, plan);
    resolve_output(options, &plan->output);
    resolve_prometheus(options, &plan->output);
    plan->slos = options->slos;
    if (resolve_sweep(options, plan, error) < 0)
        return -1;
    resolve_status(options, &plan->output);
    return resolve_corrected(options, plan, error);
}

void
plan_target(const struct plan *plan, int number, struct plan *one)
{
    *one = *plan;
    one->path = plan->targets[number];
    if (number > 0)
        one->seed = random_derive(plan->seed ^ TARGET_SALT, (uint64_t)number);
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
