/*
 * The plans of a run with a load beside it for a time: that of each phase, and that of
 * the load, whose words say less than options do.
 */
#include "base/random.h"
#include "base/units.h"
#include "resolve.h"

#define LOAD_SALT 0x3333333333333333 /* mixed into the seed of a load */
#define LOAD_SCRATCH (64 << 20)      /* bytes of its working file, at least */

void
plan_phase(const struct plan *plan, enum phase phase, struct plan *step)
{
    *step = *plan;
    if (phase == PHASE_IDLE)
        return;
    step->seed = random_derive(~plan->seed, (uint64_t)phase);
    step->limits.warmup = 0;
}

/* Decides how LOAD has many requests under way. */
static void
resolve_background_engine(const struct load_options *load, struct plan *one)
{
    one->threads = load->threads ? (int)load->threads : 1;
    one->depth = load->depth ? (int)load->depth : 1;
    int deepest = 1;
    one->engine = one->depth > 1 ? io_engine_deep(one->depth, &deepest, &one->missing)
                                 : io_engine_of(0);
    if (!one->engine || deepest < one->depth) {
        one->engine = io_engine_of(0);
        one->threads *= one->depth;
        one->threads = one->threads < THREADS_MOST ? one->threads : THREADS_MOST;
        one->depth = 1;
    }
    one->engine_name = one->engine->option ? one->engine->name : NULL;
}

/* Decides the pace of LOAD: none of its requests is ever due. */
static void
resolve_background_pace(const struct load_options *load, struct plan *one)
{
    int64_t bytes = units_scale(one->threads, one->request_size, 1);
    one->burst = 1;
    one->interval = load->rate    ? units_scale(one->threads, SECOND, load->rate)
                    : load->speed ? units_scale(bytes, SECOND, load->speed)
                                  : 0;
    one->limited = one->interval > 0;
    one->count = UINT64_MAX;
    one->work_time = INT64_MAX;
    one->settle = PLAN_SETTLE;
    one->limits = (struct stats_limits){.slowest = INT64_MAX};
    one->corrected = 0;
}

void
plan_background(const struct plan *plan, struct plan *one)
{
    const struct load_options *load = &plan->options->load;
    *one = *plan;
    one->mode = MODE_BACKGROUND;
    one->path = load->path ? load->path : plan->path;
    one->load = !load->writes ? LOAD_READ : load->reads ? LOAD_READ_WRITE : LOAD_WRITE;
    one->append = one->open = one->poisson = false;
    one->least = 0;
    one->linear = load->linear;
    one->seed = random_derive(plan->seed ^ LOAD_SALT, 1);
    one->request_size = load->size ? load->size : load->linear ? PLAN_LINEAR_SIZE : 4096;
    one->scratch_size = LOAD_SCRATCH;
    if (one->scratch_size < one->request_size)
        one->scratch_size = one->request_size;
    if (load->path)
        one->work_size = one->work_offset = 0;
    resolve_background_engine(load, one);
    resolve_background_pace(load, one);
    one->rw_flags = 0;
    one->open_flags = 0;
    one->breakdown = false;
    one->slos.count = 0;
    one->warnings.count = 0;
    one->output = one->screen = (struct plan_output){0};
}

const char *
plan_load_name(enum plan_load load)
{
    static const char *const names[] = {
        [LOAD_READ] = "read", [LOAD_WRITE] = "write", [LOAD_READ_WRITE] = "rw"};
    return names[load];
}

void
plan_background_name(const struct plan *one, struct buffer *text)
{
    buffer_format(text, "%s ", plan_load_name(one->load));
    units_add(text, UNITS_SIZE, one->request_size);
    if (one->linear)
        buffer_text(text, " linear");
    if (one->depth > 1)
        buffer_format(text, " depth %d", one->depth);
    if (one->threads > 1)
        buffer_format(text, " threads %d", one->threads);
}

int
plan_resolve_phases(const struct options *options, struct plan *plan, struct error *error)
{
    if (options->target_count > 1) {
        error_set(error, EXIT_USAGE, "-load", "cannot be done with several targets");
        return error_advise(error, "name one; another can be loaded with path=");
    }
    if (plan->count == UINT64_MAX && plan->work_time == INT64_MAX) {
        error_set(error, EXIT_USAGE, "-load", "each phase has to end");
        return error_advise(error, "give -c or -w");
    }
    if (!plan->limited && plan->depth == 1)
        plan->corrected = plan->interval;
    return 0;
}
