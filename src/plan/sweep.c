/*
 * What a sweep is to do, and the plan of each of its steps.
 */
#include "base/random.h"
#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "resolve.h"

/* Places for requests of an open loop, and its threads where no engine has many. */
#define PLACES 1024
#define PLACES_MEMORY (256 << 20) /* bytes of their buffers, all together */
#define THREADS 64

/* Returns whether there is memory for COUNT buffers of SIZE bytes. */
static bool
has_memory(int64_t count, int64_t size)
{
    int64_t bytes = count * size;
    if (bytes <= OS_MEMORY_LITTLE)
        return true;
    void *trial = os_memory_aligned(4096, (size_t)bytes);
    os_memory_free(trial);
    return trial && bytes <= os_memory_available() / 4;
}

/* Returns how many requests of an open loop there is memory for, PLACES at most. */
static int
count_places(const struct options *options)
{
    bool large = plan_given(options, OPTION_LINEAR) && !plan_given(options, OPTION_SIZE);
    int64_t size = large ? PLAN_LINEAR_SIZE : options->size, count = PLACES_MEMORY / size;
    count = count < 1 ? 1 : count < PLACES ? count : PLACES;
    while (count > 1 && !has_memory(count, size))
        count /= 2;
    return (int)count;
}

void
plan_resolve_places(const struct options *options, struct plan *plan)
{
    int most = options->depth ? (int)options->depth : count_places(options), depth = 0;
    bool chosen = plan_given(options, OPTION_THREADS) || plan->engine_name;
    const struct io_engine *deep =
        chosen ? NULL : io_engine_deep(most, &depth, &plan->missing);
    if (deep) {
        plan->engine = deep;
        plan->engine_name = deep->name;
        plan->depth = depth;
    } else if (!chosen) {
        plan->threads = most < THREADS ? most : THREADS;
        plan->depth = 1;
    } else if (!options->depth && plan->engine->many) {
        most = most > plan->threads ? most / plan->threads : 1;
        depth = io_deepest(plan->engine, most);
        plan->depth = depth ? depth : 1; /* opening it will fail, and say why */
    }
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
    } else if (!sweep->from && sweep->kind != SWEEP_RATE) {
        bool interval = sweep->kind == SWEEP_INTERVAL;
        sweep->from = interval ? MS : 1;
        sweep->to = interval ? SECOND : 64;
    }
}

/* A step of an interval or a rate has enough requests for a median, and for the
 * percentiles that have limits as far as that does not take for ever. */
#define LEAST 30
#define LEAST_FOR_LIMITS 1000

static uint64_t
least_of(const struct plan *plan)
{
    bool each = plan->sweep.kind == SWEEP_INTERVAL; /* worker, else all of them */
    bool both = plan->load == LOAD_READ_WRITE;
    uint64_t needs = slos_needs(&plan->slos, both),
             threads = each ? (uint64_t)plan->threads : 1;
    if (needs > 0)
        needs += plan->limits.warmup;
    if (needs > LEAST_FOR_LIMITS)
        needs = LEAST_FOR_LIMITS;
    needs = (needs + threads - 1) / threads;
    needs += both && needs % 2; /* as many reads as writes */
    return needs > LEAST ? needs : LEAST;
}

int
plan_resolve_sweep(const struct options *options, struct plan *plan, struct error *error)
{
    if (plan_given(options, OPTION_WORK_TIME) && !options->work_time)
        return error_set(error, EXIT_USAGE, "-work-time",
                         "each step of a sweep has to end");
    plan->poisson = plan_given(options, OPTION_POISSON);
    plan->sweep = options->sweep;
    resolve_ends(options, plan);
    plan->work_time = options->work_time ? options->work_time : 2 * SECOND;
    plan->settle = plan->work_time / 10;
    bool paced = plan->sweep.kind == SWEEP_INTERVAL || plan->sweep.kind == SWEEP_RATE;
    plan->limits.warmup =
        plan_given(options, OPTION_WARMUP) ? (uint64_t)options->warmup : 0;
    plan->least = paced ? least_of(plan) : 0;
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

int64_t
plan_step_time(const struct plan *plan, int64_t value)
{
    if (plan->sweep.kind != SWEEP_INTERVAL)
        return time_add(plan->work_time, plan->settle);
    int64_t work_time = time_multiply(value, (int64_t)plan->least);
    return time_add(time_later(work_time, plan->work_time), value);
}

/* Returns TIME as the next whole number of intervals, and COUNT of them at least. */
static int64_t
whole_intervals(int64_t time, int64_t interval, int64_t count)
{
    int64_t fit = time / interval + (time % interval > 0);
    return time_multiply(interval, fit > count ? fit : count);
}

/* The number of requests that are due within each of its times is a whole one. For the
 * sake of percentiles a step may take ten times its time. */
static void
step_rate(struct plan *step, int64_t rate)
{
    if (rate == PLAN_ALONE) {
        step->least = 0;
        step->threads = step->depth = 1;
        step->work_time = time_earlier(step->work_time, SECOND);
        step->settle = step->work_time / 10;
        return;
    }
    step->open = true;
    step->interval = SECOND / rate + (SECOND % rate > 0);
    int64_t most = time_multiply(step->work_time, 10) / step->interval;
    int64_t least = time_earlier((int64_t)step->least, most > LEAST ? most : LEAST);
    step->work_time = whole_intervals(step->work_time, step->interval, least);
    step->settle = whole_intervals(step->work_time / 10, step->interval, 1);
    step->least = 0;
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
    case SWEEP_INTERVAL:
        step->interval = step->settle = value;
        step->work_time = plan_step_time(plan, value) - value;
        break;
    case SWEEP_RATE:
        step_rate(step, value);
        break;
    case SWEEP_NONE:
        break;
    }
}
