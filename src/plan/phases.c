/*
 * The plans of -load. Such a run has three phases: the measured requests run alone
 * (idle), then beside a background load (loaded), then alone again (recovered). This file
 * makes the plan of each phase and the plan of the load.
 *
 * The value of -load sets only a part of the plan of the load, such as the operations and
 * the depth. Other parts are the same as for the measured requests, such as -direct and
 * -timeout. The rest is fixed: the load never ends by itself, prints nothing and has no
 * limits of -slo. The supervisor ends the load when the requests of the second phase have
 * ended.
 */
#include "base/random.h"
#include "base/units.h"
#include "resolve.h"

/* XORed into the seed of the run to get the seed of the load, so that both use different
 * random offsets. */
#define BACKGROUND_SALT 0x3333333333333333

/* Minimum size of the working file of the load, in bytes. */
#define BACKGROUND_SCRATCH (64 << 20)

void
plan_phase(const struct plan *plan, enum phase phase, struct plan *active)
{
    *active = *plan;
    if (phase == PHASE_IDLE)
        return;

    active->workload.seed = random_derive(~plan->workload.seed, (uint64_t)phase);
    active->statistics.limits.warmup = 0;
}

/* Changes WORKLOAD, a copy of the workload of the run, into the workload of the load. */
static void
resolve_background_workload(const struct background_options *background,
                            struct plan_workload *workload)
{
    if (background->path) /* -S and -o are about the measured target, not about PATH */
        workload->work_size = workload->work_offset = 0;

    workload->mix = background->mix;
    workload->is_log = false;
    workload->linear = background->linear;
    workload->seed = random_derive(workload->seed ^ BACKGROUND_SALT, 1);

    workload->request_size = background->linear ? PLAN_LINEAR_SIZE : 4096;
    if (background->size)
        workload->request_size = background->size;
    workload->scratch_size = BACKGROUND_SCRATCH;
    if (workload->scratch_size < workload->request_size)
        workload->scratch_size = workload->request_size;
}

/* Changes IO, a copy of the I/O settings of the run, into the settings of the load. */
static void
resolve_background_io(const struct background_options *background, struct plan_io *io)
{
    io->rw_flags = 0;
    io->open_flags = 0;
    io->threads = background->threads ? (int)background->threads : 1;
    io->depth = background->depth ? (int)background->depth : 1;
    io->engine = NULL;
    io->missing = (struct io_missing){0};
    io->chosen_for = NULL;

    int possible_depth = 0;
    if (io->depth > 1)
        io->engine = io_find_queueing_engine(io->depth, &possible_depth, &io->missing);
    if (!io->engine || possible_depth < io->depth) {
        io->engine = io_find_engine(0);
        io->threads *= io->depth;
        io->threads = io->threads < THREADS_MAX ? io->threads : THREADS_MAX;
        io->depth = 1;
    }
    io->engine_name = io->engine->option ? io->engine->name : NULL;
}

void
plan_background(const struct plan *plan, struct plan *one)
{
    const struct background_options *background = &plan->options->background;

    *one = *plan;
    one->mode = MODE_BACKGROUND;
    one->statistics = (struct plan_statistics){.limits.slowest = INT64_MAX};
    one->output = (struct plan_output){0};
    if (background->path)
        one->path = background->path;

    resolve_background_workload(background, &one->workload);
    resolve_background_io(background, &one->io);

    int64_t bytes = units_scale(one->io.threads, one->workload.request_size, 1);
    one->pace.burst = 1;
    one->pace.interval = 0;
    if (background->rate)
        one->pace.interval = units_scale_up(one->io.threads, SECOND, background->rate);
    else if (background->speed)
        one->pace.interval = units_scale_up(bytes, SECOND, background->speed);
    one->pace.from_limit = one->pace.interval > 0;

    one->end.max_requests = UINT64_MAX;
    one->end.work_time = INT64_MAX;
    one->end.settle_time = PLAN_LOAD_SETTLE_TIME;
}

void
plan_describe_background(const struct plan *one, struct buffer *text)
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
    if (options->target_count > 1)
        return error_set(error, EXIT_USAGE, "-load",
                         "works with one target only; load another one with path=");
    if (plan->end.max_requests == UINT64_MAX && plan->end.work_time == INT64_MAX)
        return error_set(error, EXIT_USAGE, "-load",
                         "each phase needs an end; give -c or -w");

    /* Percentiles are corrected for missed requests even without -corrected. While the
     * load delays a request, the next requests are due but are not sent. Uncorrected
     * percentiles would hide these delays. */
    if (!plan->pace.from_limit && plan->io.depth == 1)
        plan->statistics.corrected_interval = plan->pace.interval;
    return 0;
}
