/*
 * The plans of a run with a background for a time: that of each phase, and that of the
 * background, whose words say less than options do.
 */
#include "base/random.h"
#include "base/units.h"
#include "resolve.h"

#define BACKGROUND_SALT 0x3333333333333333 /* mixed into the seed of a background */
#define BACKGROUND_SCRATCH (64 << 20)      /* bytes of its working file, at least */

void
plan_phase(const struct plan *plan, enum phase phase, struct plan *active)
{
    *active = *plan;
    if (phase == PHASE_IDLE)
        return;
    active->workload.seed = random_derive(~plan->workload.seed, (uint64_t)phase);
    active->statistics.limits.warmup = 0;
}

void
plan_background(const struct plan *plan, struct plan *one)
{
    const struct background_options *background = &plan->options->background;
    int deepest = 1;
    int64_t bytes;
    *one = *plan;
    one->mode = MODE_BACKGROUND;
    one->path = background->path ? background->path : plan->path;
    one->workload.mix = background->mix;
    one->workload.append = one->pace.open_loop = one->pace.poisson = false;
    one->ends.least = 0;
    one->workload.linear = background->linear;
    one->workload.seed = random_derive(plan->workload.seed ^ BACKGROUND_SALT, 1);
    one->workload.request_size = background->size     ? background->size
                                 : background->linear ? PLAN_LINEAR_SIZE
                                                      : 4096;
    one->workload.scratch_size = BACKGROUND_SCRATCH;
    if (one->workload.scratch_size < one->workload.request_size)
        one->workload.scratch_size = one->workload.request_size;
    if (background->path)
        one->workload.work_size = one->workload.work_offset = 0;
    one->io.threads = background->threads ? (int)background->threads : 1;
    one->io.depth = background->depth ? (int)background->depth : 1;
    one->io.engine = one->io.depth > 1
                         ? io_engine_deep(one->io.depth, &deepest, &one->io.missing)
                         : io_engine_of(0);
    if (!one->io.engine || deepest < one->io.depth) {
        one->io.engine = io_engine_of(0);
        one->io.threads *= one->io.depth;
        one->io.threads = one->io.threads < THREADS_MOST ? one->io.threads : THREADS_MOST;
        one->io.depth = 1;
    }
    one->io.engine_name = one->io.engine->option ? one->io.engine->name : NULL;
    bytes = units_scale(one->io.threads, one->workload.request_size, 1);
    one->pace.burst = 1;
    one->pace.interval =
        background->rate    ? units_scale(one->io.threads, SECOND, background->rate)
        : background->speed ? units_scale(bytes, SECOND, background->speed)
                            : 0;
    one->pace.limited = one->pace.interval > 0; /* no request is ever due */
    one->ends.count = UINT64_MAX;
    one->ends.work_time = INT64_MAX;
    one->ends.settle = PLAN_SETTLE;
    one->statistics.limits = (struct stats_limits){.slowest = INT64_MAX};
    one->statistics.corrected = 0;
    one->io.rw_flags = 0;
    one->io.open_flags = 0;
    one->statistics.breakdown = false;
    one->statistics.slos.count = 0;
    one->statistics.warnings.count = 0;
    one->output = (struct plan_output){0};
}

void
plan_background_name(const struct plan *one, struct buffer *text)
{
    buffer_text(text, operation_mix_word(&one->workload.mix));
    if (plan_does(one, OPERATION_MOVES)) {
        buffer_text(text, " ");
        units_add(text, UNITS_SIZE, one->workload.request_size);
    }
    if (one->workload.linear)
        buffer_text(text, " linear");
    if (one->io.depth > 1)
        buffer_format(text, " depth %d", one->io.depth);
    if (one->io.threads > 1)
        buffer_format(text, " threads %d", one->io.threads);
}

int
plan_resolve_phases(const struct options *options, struct plan *plan, struct error *error)
{
    if (options->target_count > 1) {
        error_set(error, EXIT_USAGE, "-load", "cannot be done with several targets");
        return error_advise(error, "name one; another can be loaded with path=");
    }
    if (plan->ends.count == UINT64_MAX && plan->ends.work_time == INT64_MAX) {
        error_set(error, EXIT_USAGE, "-load", "each phase has to end");
        return error_advise(error, "give -c or -w");
    }
    if (!plan->pace.limited && plan->io.depth == 1)
        plan->statistics.corrected = plan->pace.interval;
    return 0;
}
