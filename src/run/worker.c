/*
 * A worker: its memory and its queue, and what others may ask of it while it waits in the
 * kernel. The loop stands in loop.c.
 */
#include "worker.h"

#include "base/units.h"
#include "os/process.h"

#include <stdio.h>
#include <string.h>

int
inflight_open(struct inflight *inflight, int count, int64_t size)
{
    size_t each = sizeof(*inflight->list) + sizeof(*inflight->done);
    inflight->list = os_memory_unshared((size_t)count * each);
    if (!inflight->list)
        return -1;
    *inflight =
        (struct inflight){.list = inflight->list, .count = count, .free = inflight->list};
    inflight->done = (struct io_completion *)(void *)(inflight->list + count);
    inflight->ends.older = inflight->ends.younger = &inflight->ends;
    for (int i = 0; i < count; i++) {
        struct inflight_request *entry = &inflight->list[i];
        entry->request.slot = i;
        entry->request.size = (size_t)size;
        entry->sample.size = size;
        entry->younger = i + 1 < count ? entry + 1 : NULL;
    }
    return 0;
}

void
inflight_close(struct inflight *inflight)
{
    os_memory_free(inflight->list);
}

int64_t
worker_size(const struct plan *plan)
{
    return (int64_t)(sizeof(struct worker) +
                     (plan->output.plot ? sizeof(struct track) : 0));
}

/* Names the options that need less memory. */
static int
advise(const struct plan *plan, struct error *error)
{
    enum sweep_kind swept = plan->sweep.kind;
    char advice[sizeof(error->advice)];
    const char *threads = swept == SWEEP_THREADS ? "threads" : "-threads";
    if (plan->threads > 1 && plan->depth * plan->request_size < worker_size(plan)) {
        snprintf(advice, sizeof(advice), "use fewer %s", threads);
        return error_advise(error, advice);
    }
    snprintf(advice, sizeof(advice), "use a smaller %s%s%s%s",
             swept == SWEEP_SIZE ? "size" : "-s",
             plan->depth == 1       ? ""
             : swept == SWEEP_DEPTH ? " or depth"
                                    : " or -depth",
             plan->threads == 1 ? "" : ", or fewer ", plan->threads == 1 ? "" : threads);
    return error_advise(error, advice);
}

int
worker_refuse(const struct plan *plan, int64_t requests, int64_t left,
              struct error *error)
{
    char what[64] = "a request", have[UNITS_TEXT] = "";
    if (requests > 1)
        snprintf(what, sizeof(what), "%lld requests", (long long)requests);
    if (left < INT64_MAX)
        units_format(UNITS_SIZE, left, have);
    error_set(error, EXIT_PREPARE, NULL, "no memory for %s of %lld bytes%s%s%s", what,
              (long long)plan->request_size, *have ? " in the " : "", have,
              *have ? " that are left" : "");
    return advise(plan, error);
}

static void
free_memory(struct worker *worker)
{
    os_memory_free(worker->memory);
    inflight_close(&worker->inflight);
}

/* Takes the buffers of all requests, each with the alignment of the first. */
static int
take_memory(struct worker *worker, struct io_config *config, struct error *error)
{
    size_t depth = (size_t)config->depth, size = (size_t)worker->plan->request_size;
    size_t alignment = (size_t)worker->target->alignment;
    config->size = (size + alignment - 1) / alignment * alignment;
    if (inflight_open(&worker->inflight, config->depth, worker->plan->request_size) ==
            0 &&
        config->size <= SIZE_MAX / depth &&
        (worker->memory = os_memory_aligned(alignment, depth * config->size))) {
        config->memory = worker->memory;
        return 0;
    }
    free_memory(worker);
    return worker_refuse(worker->plan, config->depth, INT64_MAX, error);
}

int
worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
            int number, struct error *error)
{
    const struct plan *plan = &job->step;
    const struct target *target = &job->target;
    struct io_config config = {.fd = target->fd,
                               .rw_flags = target->rw_flags,
                               .poll = target->poll,
                               .depth = plan->depth};
    worker->job = job;
    worker->plan = plan;
    worker->target = target;
    worker->group = &job->group;
    worker->number = number;
    worker->total.every = plan->corrected;
    if (take_memory(worker, &config, error) < 0)
        return -1;
    worker->engine = engine;
    worker->buffer_size = config.size;
    worker->queue = io_open(engine, plan->engine_name, &config, error);
    if (!worker->queue) {
        free_memory(worker);
        return -1;
    }
    pattern_start(&worker->pattern, plan, target->work_size, number);
    random_seed(&worker->data, random_derive(~plan->seed, (uint64_t)number));
    size_t bytes = config.size * (size_t)plan->depth;
    if (plan->load == LOAD_READ)
        memset(worker->memory, 1, bytes); /* no page is new to a request */
    else
        random_fill(&worker->data, worker->memory, bytes);
    return 0;
}

void
worker_close(struct worker *worker)
{
    if (io_close(worker->engine, worker->queue))
        os_memory_free(worker->memory);
    inflight_close(&worker->inflight);
}

uint64_t
worker_missed(const struct worker *worker, int64_t now)
{
    if (worker->plan->limited || worker_is_done(worker))
        return 0;
    uint64_t missed = pacer_missed(&worker->pacer, now < worker->end ? now : worker->end);
    return missed && os_process_stopped(worker->continued) ? 0 : missed;
}

void
worker_miss(struct worker *worker, int64_t after, int64_t now)
{
    uint64_t missed = worker_missed(worker, now);
    worker->total.missed += missed;
    if (worker->track && missed)
        track_miss(worker->track, after, missed);
}

void
worker_share_busy(struct worker *worker)
{
    struct worker_group *group = worker->group;
    if (!group->busy_lock || worker->busy.count == 0)
        return;
    os_lock_acquire(group->busy_lock);
    busy_log_move(&worker->busy, &group->busy);
    os_lock_release(group->busy_lock);
}

void
worker_abandon(struct worker *worker, int64_t now)
{
    const struct inflight_request *ends = &worker->inflight.ends;
    for (const struct inflight_request *entry = ends->younger; entry != ends;
         entry = entry->younger) {
        int64_t start = entry->sample.start;
        if ((start ? start : now) >= worker->began) {
            worker->total.requests++;
            worker->total.missed += entry->sample.missed;
        }
    }
    if (worker->sending) /* else nothing was due any more */
        worker_miss(worker, ends->younger->sample.start, now);
    worker->ended = now;
    if (worker->began > now)
        worker->began = now;
}
