/*
 * The plans of -diagnose. Such a run has parts, one after the other: reads with pauses, a
 * sweep of depths, sequential reads, and a log whose writes are flushed. All of them are
 * plans that other options could ask for. This file only chooses their values.
 *
 *     part         purpose                                             share of -w
 *     pauses       the latency of a device that has nothing else to do         30 %
 *     depths       how many requests the device works on at a time             45 %
 *     stream       the bandwidth of sequential reads                           10 %
 *     flushes      how long it takes until written data is durable             15 %
 */
#include "plan/parts.h"

#include "base/random.h"
#include "resolve.h"

/* By part: its share of the work time, percent. */
static const int shares[PLAN_PARTS] = {[PART_OF_PAUSES] = DIAGNOSIS_PAUSES_SHARE,
                                       [PART_OF_DEPTHS] = 45,
                                       [PART_OF_STREAM] = 10,
                                       [PART_OF_FLUSHES] = 15};

/* From one read with a pause to the next, ns. It does not depend on -w: after a longer
 * pause, reads may take longer. There are 600 reads in 6 s. */
#define READ_INTERVAL (10 * MS)

/* The last step of the sweep. There are LAST_STEPS steps: 1, 2, 4, 8, 16 and 32. A hard
 * disk needs long steps, so there are no further ones. */
#define LAST_DEPTH 32
#define LAST_STEPS 6

#define LOG_SIZE (16 << 20) /* size of the file of the log, bytes */

int
plan_resolve_diagnosis(const struct options *options, struct plan *plan,
                       struct error *error)
{
    if (options->target_count > 1)
        return error_set(error, EXIT_USAGE, "-diagnose",
                         "works with one target only; run it once for each target");
    if (options->given[OPTION_WORK_TIME] && !options->work_time)
        return error_set(error, EXIT_USAGE, "-work-time",
                         "-diagnose needs an end; give more than 0");

    if (plan->end.work_time == INT64_MAX)
        plan->end.work_time = DIAGNOSIS_TIME;
    plan->pace = (struct plan_pace){.burst = 1, .keep_awake = plan->pace.keep_awake};
    return 0;
}

/*
 * Lets IO have several requests in flight: by io_uring, or else by several threads. The
 * other engines are not used, because some of them send only one request at a time to
 * some file systems. Then it would look as if the target could not answer more. Returns
 * the kind of sweep that raises the number of requests.
 */
static enum sweep_kind
choose_depth_engine(struct plan_io *io)
{
    int depth = 0;
    struct io_missing missing;
    const struct io_engine *engine =
        io_find_queueing_engine(LAST_DEPTH, &depth, &missing);

    if (engine != io_find_engine('U') || depth < LAST_DEPTH)
        return SWEEP_THREADS;
    io->engine = engine;
    io->engine_name = engine->name;
    return SWEEP_DEPTH;
}

/* Keeps only those limits of ONE that a part can answer: the limits on flushes if
 * HAS_FLUSHES, all others if IS_FIRST. */
static void
keep_limits(struct plan *one, bool is_first, bool has_flushes)
{
    struct slos *slos = &one->statistics.slos;
    int answered_count = 0;

    for (int i = 0; i < slos->count; i++) {
        bool is_on_flushes = slos->list[i].scope == SCOPE_SYNC;
        bool is_answered = is_on_flushes ? has_flushes : is_first;
        if (is_answered)
            slos->list[answered_count++] = slos->list[i];
    }
    slos->count = answered_count;
}

void
plan_part(const struct plan *plan, enum plan_part part, struct plan *one)
{
    struct plan_workload *workload = &one->workload;
    struct plan_pace *pace = &one->pace;

    *one = *plan;
    one->output.any_summary = false; /* the diagnosis is about all parts together */
    one->end.work_time = plan->end.work_time / 100 * shares[part];
    if (part != PART_OF_PAUSES)
        workload->seed = random_derive(~plan->workload.seed, (uint64_t)part);
    keep_limits(one, part == PART_OF_PAUSES, part == PART_OF_FLUSHES);

    switch (part) {
    case PART_OF_PAUSES:
        pace->interval = READ_INTERVAL;
        pace->from_limit = true;
        one->statistics.has_breakdown = true;
        break;
    case PART_OF_DEPTHS:
        one->sweep = (struct sweep){choose_depth_engine(&one->io), 1, LAST_DEPTH};
        one->end.work_time /= LAST_STEPS;
        one->end.settle_time = one->end.work_time / 20;
        one->end.work_time -= one->end.settle_time;
        one->statistics.limits.warmup = 0;
        break;
    case PART_OF_STREAM:
        workload->linear = true;
        if (workload->request_size < PLAN_LINEAR_SIZE)
            workload->request_size = PLAN_LINEAR_SIZE;
        break;
    case PART_OF_FLUSHES:
        operation_mix_find("write", &workload->mix);
        workload->linear = true;
        workload->is_log = true;
        workload->work_size = 0;
        workload->work_offset = 0;
        workload->scratch_size = LOG_SIZE;
        if (workload->scratch_size < workload->request_size)
            workload->scratch_size = workload->request_size;
        break;
    case PLAN_PARTS:
        break;
    }
}
