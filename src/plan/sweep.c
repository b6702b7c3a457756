/*
 * The plans of a sweep. plan_resolve_sweep fills in the values of the whole sweep: its
 * range, if the user gave none, and how long each step takes. plan_step then makes the
 * plan of a step. Most steps differ from the plan in one value only.
 *
 * A step of an interval or a rate may need more time than -w says, until enough requests
 * have been sent for the percentiles that have limits. The two kinds do this in different
 * ways:
 *
 *   interval i:  work time = max(-w, min_requests * i), settling = i
 *   rate r:      work time = max(-w, min_requests / r), settling = a tenth of that;
 *                both rounded up to whole intervals of 1/r
 *
 * Here min_requests is the result of least_of. For a low rate it is reduced, at most to
 * LEAST, so that the step does not take more than ten times as long as -w (step_rate).
 */
#include "base/random.h"
#include "base/time.h"
#include "os/process.h"
#include "resolve.h"

/* The concurrency of an open loop, if the command line does not set it. */
#define SLOTS 1024               /* requests in flight, at most */
#define SLOTS_MEMORY (256 << 20) /* bytes for the buffers of all slots, at most */
#define THREADS 64               /* threads, at most, if no engine queues requests */

/*
 * Returns true if COUNT buffers of SIZE bytes can be allocated, and take at most a
 * quarter of the memory that is available. Always returns true if they are small, because
 * the query is slow (os/process.h).
 */
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

void
plan_resolve_slots(const struct options *options, struct plan *plan)
{
    int64_t size = plan->workload.request_size;
    int64_t slots = SLOTS_MEMORY / size;
    slots = slots < 1 ? 1 : slots < SLOTS ? slots : SLOTS;
    while (!options->depth && slots > 1 && !has_memory(slots, size))
        slots /= 2;

    int most = (int)(options->depth ? options->depth : slots);
    int depth = 0;

    bool chosen = options->given[OPTION_THREADS] || plan->io.engine_name;
    const struct io_engine *deep =
        chosen ? NULL : io_engine_deep(most, &depth, &plan->io.missing);
    if (deep) {
        plan->io.engine = deep;
        plan->io.engine_name = deep->name;
        plan->io.depth = depth;
    } else if (!chosen) {
        plan->io.threads = most < THREADS ? most : THREADS;
        plan->io.depth = 1;
    } else if (!options->depth && plan->io.engine->queues_requests) {
        most = most > plan->io.threads ? most / plan->io.threads : 1;
        depth = io_deepest(plan->io.engine, most);
        plan->io.depth = depth ? depth : 1; /* on 0, opening the engine reports why */
    }
}

/*
 * How many requests a step of an interval or a rate must have: at least LEAST, which is
 * enough for a median; and enough for the percentiles that have limits, but at most
 * LEAST_FOR_LIMITS for these, because more could take too long.
 */
#define LEAST 30
#define LEAST_FOR_LIMITS 1000

/*
 * Returns min_requests for the steps of PLAN: in a sweep of intervals, the number of
 * requests of each worker; in a sweep of rates, of all workers together.
 */
static uint64_t
least_of(const struct plan *plan)
{
    bool each = plan->sweep.kind == SWEEP_INTERVAL; /* each worker, or all together */
    uint64_t turns = (uint64_t)plan->workload.mix.extra_count + 1;
    uint64_t needs = slos_needs(&plan->statistics.slos, turns);
    uint64_t threads = each ? (uint64_t)plan->io.threads : 1;

    if (needs > 0)
        needs += plan->statistics.limits.warmup;
    if (needs > LEAST_FOR_LIMITS)
        needs = LEAST_FOR_LIMITS;

    needs = (needs + threads - 1) / threads;
    needs = needs > LEAST ? needs : LEAST;
    return (needs + turns - 1) / turns * turns; /* as many writes as reads with -G */
}

/* In a sweep of sizes, a working file gets room for the largest request, unless the user
 * has set the size of the working set. */
int
plan_resolve_sweep(const struct options *options, struct plan *plan, struct error *error)
{
    struct plan_workload *workload = &plan->workload;
    struct sweep *sweep = &plan->sweep;

    if (options->given[OPTION_WORK_TIME] && !options->work_time)
        return error_set(error, EXIT_USAGE, "-work-time",
                         "each step of a sweep needs an end; give more than 0");

    *sweep = options->sweep;
    bool interval = sweep->kind == SWEEP_INTERVAL, rate = sweep->kind == SWEEP_RATE;

    if (sweep->kind == SWEEP_SIZE) {
        workload->request_size = sweep->from ? sweep->from : 4096;
        workload->request_size = plan_first(plan, workload->work_size);
        if (!options->work_size && workload->scratch_size < sweep->to)
            workload->scratch_size = sweep->to;
    } else if (!sweep->from && !rate) {
        sweep->from = interval ? MS : 1;
        sweep->to = interval ? SECOND : PLAN_SWEEP_END;
    }

    plan->pace.poisson = options->given[OPTION_POISSON];
    plan->end.work_time = options->work_time ? options->work_time : 2 * SECOND;
    plan->end.settle_time = plan->end.work_time / 10;

    if (!options->given[OPTION_WARMUP])
        plan->statistics.limits.warmup = 0;
    plan->end.min_requests = interval || rate ? least_of(plan) : 0;

    return 0;
}

int64_t
plan_first(const struct plan *plan, int64_t work_size)
{
    bool open = plan->sweep.kind == SWEEP_SIZE && !plan->sweep.from;
    int64_t size = plan->workload.request_size;

    while (open && work_size && size > work_size && size > 512)
        size /= 2;
    return size;
}

int64_t
plan_largest(const struct plan *plan)
{
    int64_t size = plan->workload.request_size;
    return plan->sweep.kind == SWEEP_SIZE ? time_later(plan->sweep.to, size) : size;
}

int64_t
plan_step_time(const struct plan *plan, int64_t value)
{
    if (plan->sweep.kind != SWEEP_INTERVAL)
        return time_add(plan->end.work_time, plan->end.settle_time);

    int64_t work_time = time_multiply(value, (int64_t)plan->end.min_requests);
    return time_add(time_later(work_time, plan->end.work_time), value);
}

/*
 * Returns TIME, in ns, rounded up to a whole number of intervals of INTERVAL ns, but at
 * least COUNT intervals.
 */
static int64_t
whole_intervals(int64_t time, int64_t interval, int64_t count)
{
    int64_t fit = time / interval + (time % interval > 0);
    return time_multiply(interval, fit > count ? fit : count);
}

/*
 * Changes STEP, a copy of the plan of the sweep, into the plan of the step for RATE, in
 * requests per second. The settling and the work time are whole numbers of intervals, so
 * that a whole number of requests is due in each. To send min_requests, the work time may
 * become up to ten times as long, or as long as LEAST requests take.
 */
static void
step_rate(struct plan *step, int64_t rate)
{
    struct plan_end *ends = &step->end;
    int64_t least = (int64_t)ends->min_requests;
    ends->min_requests = 0;

    if (rate == PLAN_ALONE) {
        step->io.threads = step->io.depth = 1;
        ends->work_time = time_earlier(ends->work_time, SECOND);
        ends->settle_time = ends->work_time / 10;
        return;
    }

    int64_t interval = SECOND / rate + (SECOND % rate > 0);
    int64_t most = time_multiply(ends->work_time, 10) / interval;
    least = time_earlier(least, most > LEAST ? most : LEAST);

    step->pace.open_loop = true;
    step->pace.interval = interval;
    ends->work_time = whole_intervals(ends->work_time, interval, least);
    ends->settle_time = whole_intervals(ends->work_time / 10, interval, 1);
}

void
plan_step(const struct plan *plan, int64_t value, int index, struct plan *step)
{
    *step = *plan;
    step->workload.seed = random_derive(~plan->workload.seed, (uint64_t)index + 1);

    switch (plan->sweep.kind) {
    case SWEEP_SIZE:
        step->workload.request_size = value;
        break;
    case SWEEP_THREADS:
        step->io.threads = (int)value;
        break;
    case SWEEP_DEPTH:
        step->io.depth = (int)value;
        break;
    case SWEEP_INTERVAL:
        step->pace.interval = step->end.settle_time = value;
        step->end.work_time = plan_step_time(plan, value) - value;
        break;
    case SWEEP_RATE:
        step_rate(step, value);
        break;
    case SWEEP_NONE:
        break;
    }
}
