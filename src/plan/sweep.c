/*
 * The plans of a sweep. plan_resolve_sweep fills in the values of the whole sweep: its
 * range, if the user gave none, and how long each step takes. plan_step then makes the
 * plan of a step. Most steps differ from the plan of the sweep in one value only.
 *
 * In a sweep of intervals or rates, a step may take longer than -w says, because the
 * percentiles that have limits need min_requests requests. The two kinds of sweep extend
 * their steps in different ways:
 *
 *   interval i:  work time = max(-w, min_requests * i), settling = i
 *   rate r:      work time = max(-w, min_requests / r), settling = a tenth of that;
 *                both are rounded up to whole intervals of 1/r
 *
 * find_min_requests computes min_requests. For a low rate, make_rate_step reduces it, so
 * that the step takes at most ten times as long as -w. If REQUESTS_MIN requests take even
 * longer, the step takes as long as they do.
 */
#include "base/random.h"
#include "base/time.h"
#include "base/units.h"
#include "os/process.h"
#include "resolve.h"

/*
 * A slot is room for one request in flight. These limits apply to an open loop if the
 * command line does not set the number of slots: the maximum number of slots, and the
 * maximum size of the buffers of all slots, in bytes.
 */
#define SLOTS_MAX 1024
#define SLOTS_MEMORY (256 << 20)

/* The maximum number of threads, if no engine can have several requests in flight. */
#define SLOT_THREADS_MAX 64

/*
 * Returns true if COUNT buffers of SIZE bytes can be allocated, and take at most a
 * quarter of the available memory. Small buffers are not checked, because the query for
 * the available memory is slow (os/process.h).
 */
static bool
has_memory(int64_t count, int64_t size)
{
    int64_t bytes = count * size;
    if (bytes <= OS_MEMORY_QUERY_MIN)
        return true;

    void *trial = os_memory_aligned(4096, (size_t)bytes);
    os_memory_free(trial);
    return trial && bytes <= os_memory_available() / 4;
}

/*
 * Returns how many requests of SIZE bytes an open loop may have in flight if the command
 * line does not set this number: at most SLOTS_MAX, and only as many as there is memory
 * for their buffers.
 */
static int
find_slot_count(int64_t size)
{
    int64_t slots = SLOTS_MEMORY / size;

    if (slots > SLOTS_MAX)
        slots = SLOTS_MAX;
    if (slots < 1)
        slots = 1;
    while (slots > 1 && !has_memory(slots, size))
        slots /= 2;

    return (int)slots;
}

/*
 * Resolves the depth for a command line that sets the engine or the number of threads.
 * (If it sets only the number of threads, the engine is the default engine.) All threads
 * together should have SLOTS_WANTED requests in flight. Changes nothing if the command
 * line sets the depth, or if the engine does not queue requests.
 */
static void
resolve_named_slots(const struct options *options, int slots_wanted, struct plan_io *io)
{
    if (options->depth || !io->engine->queues_requests)
        return;

    int depth_wanted = slots_wanted / io->threads;
    if (depth_wanted < 1)
        depth_wanted = 1;
    io->depth = io_find_max_depth(io->engine, depth_wanted);
    if (io->depth == 0)
        io->depth = 1; /* the engine cannot be opened; the run reports why when it tries
                          to open it */
}

void
plan_resolve_slots(const struct options *options, struct plan *plan)
{
    struct plan_io *io = &plan->io;
    int slots_wanted = (int)options->depth;
    if (!slots_wanted)
        slots_wanted = find_slot_count(plan->workload.request_size);

    if (options->given[OPTION_THREADS] || io->engine_name) {
        resolve_named_slots(options, slots_wanted, io);
        return;
    }

    int depth;
    const struct io_engine *engine =
        io_find_queueing_engine(slots_wanted, &depth, &io->missing);
    if (engine) {
        io->engine = engine;
        io->engine_name = engine->name;
        io->depth = depth;
    } else {
        io->threads = slots_wanted < SLOT_THREADS_MAX ? slots_wanted : SLOT_THREADS_MAX;
        io->depth = 1;
    }
}

/*
 * The number of requests of a step in a sweep of intervals or rates. REQUESTS_MIN is
 * enough for a median. A step has more requests if percentiles with limits need them, but
 * at most REQUESTS_MAX, because more could take too long.
 */
#define REQUESTS_MIN 30
#define REQUESTS_MAX 1000

/*
 * Returns min_requests for the steps of PLAN: in a sweep of intervals, the number of
 * requests of each worker; in a sweep of rates, of all workers together.
 */
static uint64_t
find_min_requests(const struct plan *plan)
{
    uint64_t turns = (uint64_t)plan->workload.mix.extra_count + 1;
    uint64_t threads = (uint64_t)plan->io.threads;
    uint64_t requests = slos_min_requests(&plan->statistics.slos, turns);

    if (requests > 0)
        requests += plan->statistics.limits.warmup;
    if (requests > REQUESTS_MAX)
        requests = REQUESTS_MAX;
    if (plan->sweep.kind == SWEEP_INTERVAL)
        requests = (requests + threads - 1) / threads;
    if (requests < REQUESTS_MIN)
        requests = REQUESTS_MIN;

    /* Round up to whole rounds of turns, so that -G sends as many writes as reads. */
    return (requests + turns - 1) / turns * turns;
}

/* Resolves the sizes of requests and of a working file in a sweep of sizes. */
static void
resolve_sizes(const struct options *options, struct plan *plan)
{
    struct plan_workload *workload = &plan->workload;
    const struct sweep *sweep = &plan->sweep;

    workload->request_size = sweep->from ? sweep->from : 4096;
    workload->request_size = plan_opening_size(plan, workload->work_size);

    /* Unless -S is given, a working file has room for the largest request. */
    if (!options->work_size && workload->scratch_size < sweep->to)
        workload->scratch_size = sweep->to;
}

/* Gives SWEEP its default range. Sweeps of sizes and rates have no default range: their
 * ends depend on the target. */
static void
resolve_range(struct sweep *sweep)
{
    switch (sweep->kind) {
    case SWEEP_THREADS:
    case SWEEP_DEPTH:
        sweep->from = 1;
        sweep->to = PLAN_SWEEP_END;
        break;
    case SWEEP_INTERVAL:
        sweep->from = MS;
        sweep->to = SECOND;
        break;
    default:
        break;
    }
}

int
plan_resolve_sweep(const struct options *options, struct plan *plan, struct error *error)
{
    if (options->given[OPTION_WORK_TIME] && !options->work_time)
        return error_set(error, EXIT_USAGE, "-work-time",
                         "each step of a sweep needs an end; give more than 0");

    struct sweep *sweep = &plan->sweep;
    *sweep = options->sweep;
    if (!sweep->from)
        resolve_range(sweep);
    if (sweep->kind == SWEEP_SIZE)
        resolve_sizes(options, plan);

    plan->pace.is_poisson = options->given[OPTION_POISSON];
    plan->end.work_time = options->work_time ? options->work_time : 2 * SECOND;
    plan->end.settle_time = plan->end.work_time / 10;

    if (!options->given[OPTION_WARMUP])
        plan->statistics.limits.warmup = 0;
    if (sweep->kind == SWEEP_INTERVAL || sweep->kind == SWEEP_RATE)
        plan->end.min_requests = find_min_requests(plan);

    return 0;
}

int64_t
plan_opening_size(const struct plan *plan, int64_t work_size)
{
    int64_t size = plan->workload.request_size;
    if (plan->sweep.kind != SWEEP_SIZE || plan->sweep.from || !work_size)
        return size;

    while (size > work_size && size > 512)
        size /= 2;
    return size;
}

int64_t
plan_largest_size(const struct plan *plan)
{
    int64_t size = plan->workload.request_size;
    if (plan->sweep.kind == SWEEP_SIZE && plan->sweep.to > size)
        return plan->sweep.to;
    return size;
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
 * Returns TIME, in ns, rounded up to a multiple of INTERVAL ns, but at least COUNT times
 * INTERVAL.
 */
static int64_t
round_up_to_intervals(int64_t time, int64_t interval, int64_t count)
{
    int64_t intervals = units_scale_up(time, 1, interval);
    return time_multiply(interval, intervals > count ? intervals : count);
}

/*
 * Changes STEP, a copy of the plan of the sweep, into the plan of the step for RATE, in
 * requests per second. The settling and the work time are whole numbers of intervals, so
 * that a whole number of requests is due in each. To send min_requests, the work time may
 * become up to ten times as long. If REQUESTS_MIN requests take even longer, the work
 * time becomes as long as they take.
 */
static void
make_rate_step(struct plan *step, int64_t rate)
{
    struct plan_end *end = &step->end;
    int64_t requests = (int64_t)end->min_requests;
    end->min_requests = 0;

    if (rate == PLAN_RATE_ALONE) {
        step->io.threads = step->io.depth = 1;
        end->work_time = time_earlier(end->work_time, SECOND);
        end->settle_time = end->work_time / 10;
        return;
    }

    int64_t interval = units_scale_up(SECOND, 1, rate);
    int64_t max_requests = time_multiply(end->work_time, 10) / interval;
    if (max_requests < REQUESTS_MIN)
        max_requests = REQUESTS_MIN;
    if (requests > max_requests)
        requests = max_requests;

    step->pace.is_open_loop = true;
    step->pace.interval = interval;
    end->work_time = round_up_to_intervals(end->work_time, interval, requests);
    end->settle_time = round_up_to_intervals(end->work_time / 10, interval, 1);
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
        make_rate_step(step, value);
        break;
    case SWEEP_NONE:
        break;
    }
}
