/*
 * The opening and closing of a worker: its slots, its buffers, its log and its queue.
 * This file also has the functions of struct inflight that are too long for queue.h. The
 * loop of the worker is in loop.c.
 *
 * The buffers are freed only if the engine knows that no request still uses them. A
 * worker that is stuck in the kernel is never closed (see job_close).
 */
#include "worker.h"

#include "base/units.h"
#include "os/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t
worker_size(const struct plan *plan)
{
    size_t series_entries = (size_t)(plan->statistics.series_capacity / plan->io.threads);
    size_t size = sizeof(struct worker) + series_entries * sizeof(struct series_entry);

    /* Memory for statistics per operation is only used if several operations are
     * mixed. */
    if (plan->workload.mix.extra_count == 0)
        size -= OPERATION_TURNS * sizeof(struct stats_operation);
    if (plan->output.needs_track)
        size += sizeof(struct track);

    return (int64_t)size;
}

#define MIN_SERIES_ENTRIES 64

int
worker_open_series(struct time_series *series, const struct plan *plan, int workers)
{
    if (plan->statistics.series_capacity == 0)
        return 0;
    /* series_start requires an even number */
    int capacity = plan->statistics.series_capacity / workers / 2 * 2;
    if (capacity < MIN_SERIES_ENTRIES)
        capacity = MIN_SERIES_ENTRIES;
    struct series_entry *entries = calloc((size_t)capacity, sizeof(*entries));
    if (!entries)
        return -1;
    series_start(series, entries, capacity, plan->workload.seed);

    return 0;
}

void
worker_close_series(struct time_series *series)
{
    free(series->entries);
    *series = (struct time_series){0};
}

/* Adds advice to ERROR: which options of PLAN should be changed so that the run needs
 * less memory. If a quantity is swept, its name in -sweep is used, such as "size" instead
 * of "-s". Returns -1. */
static int
advise_less_memory(const struct plan *plan, struct error *error)
{
    enum sweep_kind swept = plan->sweep.kind;
    const char *size = swept == SWEEP_SIZE ? "size" : "-s";
    const char *depth = swept == SWEEP_DEPTH ? "depth" : "-depth";
    const char *threads = swept == SWEEP_THREADS ? "threads" : "-threads";
    bool has_threads = plan->io.threads > 1;
    bool has_depth = plan->io.depth > 1;
    int64_t buffer_bytes = plan->io.depth * plan->workload.request_size;
    char advice[sizeof(error->advice)];

    if (has_threads && buffer_bytes < worker_size(plan))
        snprintf(advice, sizeof(advice), "use fewer %s", threads);
    else if (has_threads && has_depth)
        snprintf(advice, sizeof(advice), "use a smaller %s or %s, or fewer %s", size,
                 depth, threads);
    else if (has_threads)
        snprintf(advice, sizeof(advice), "use a smaller %s, or fewer %s", size, threads);
    else if (has_depth)
        snprintf(advice, sizeof(advice), "use a smaller %s or %s", size, depth);
    else
        snprintf(advice, sizeof(advice), "use a smaller %s", size);

    return error_advise(error, advice);
}

int
worker_refuse(const struct plan *plan, int64_t requests, int64_t available,
              struct error *error)
{
    long long size = (long long)plan->workload.request_size;
    char what[64] = "a request";

    if (requests > 1)
        snprintf(what, sizeof(what), "%lld requests", (long long)requests);
    if (available == INT64_MAX) {
        error_set(error, EXIT_PREPARE, NULL, "not enough memory for %s of %lld bytes",
                  what, size);
    } else {
        char text[UNITS_TEXT];
        error_set(error, EXIT_PREPARE, NULL,
                  "not enough memory for %s of %lld bytes in the %s that are left", what,
                  size, units_format(UNITS_SIZE, available, text));
    }

    return advise_less_memory(plan, error);
}

/* With -breakdown, allocates the log of requests that the worker passes on to the
 * attribution. ATTRIBUTION_TOTAL_MAX, the maximum number of requests in all logs
 * together, is divided among all workers. Returns 0, or -1 with ERROR. */
static int
open_request_log(struct worker *worker, struct error *error)
{
    if (!worker->account.attribution)
        return 0;
    int workers = worker->plan->io.threads * worker->job->target_count;
    int capacity = ATTRIBUTION_TOTAL_MAX / workers;
    if (capacity < 1)
        capacity = 1;
    if (capacity > ATTRIBUTION_LOG_MAX)
        capacity = ATTRIBUTION_LOG_MAX;

    worker->account.log = os_memory_unshared(sizeof(*worker->account.log));
    if (!worker->account.log)
        return worker_refuse(worker->plan, ATTRIBUTION_LOG_MAX, INT64_MAX, error);
    worker->account.log->target_index = worker->job->index;
    worker->account.log->capacity = capacity;

    return 0;
}

int
inflight_open(struct inflight *inflight, int count, int64_t size)
{
    size_t each = sizeof(*inflight->list) + sizeof(*inflight->completions);

    inflight->list = os_memory_unshared((size_t)count * each);
    if (!inflight->list)
        return -1;
    *inflight =
        (struct inflight){.list = inflight->list, .count = count, .free = inflight->list};
    inflight->completions = (struct io_completion *)(void *)(inflight->list + count);
    inflight->ring.older = inflight->ring.younger = &inflight->ring;
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

/* Returns the time at which the oldest lost request was sent (ns, monotonic), or 0 if no
 * request is lost. */
static int64_t
find_lost_since(const struct inflight *inflight)
{
    int64_t since = 0;

    for (int i = 0; i < inflight->count; i++) {
        const struct inflight_request *entry = &inflight->list[i];
        if (entry->is_lost && (!since || entry->lost_sent_at < since))
            since = entry->lost_sent_at;
    }

    return since;
}

void
inflight_lose(struct inflight *inflight, struct inflight_request *entry)
{
    entry->older->younger = entry->younger;
    entry->younger->older = entry->older;
    entry->is_lost = true;
    entry->lost_sent_at = entry->sample.start;
    inflight->lost_count++;
    inflight->lost_since = find_lost_since(inflight);
}

void
inflight_regain(struct inflight *inflight, struct inflight_request *entry)
{
    entry->is_lost = false;
    entry->younger = inflight->free;
    inflight->free = entry;
    inflight->taken_count--;
    inflight->lost_count--;
    inflight->lost_since = find_lost_since(inflight);
}

/* Allocates the slots and a buffer for each slot, and stores in CONFIG where the buffers
 * are. The size of a buffer is rounded up to the alignment, so that all buffers are
 * aligned. Returns 0, or -1 with ERROR. */
static int
allocate_buffers(struct worker *worker, struct io_config *config, struct error *error)
{
    int64_t request_size = worker->plan->workload.request_size;
    size_t depth = (size_t)config->depth;
    size_t alignment = (size_t)worker->target->alignment;

    config->size = ((size_t)request_size + alignment - 1) / alignment * alignment;
    bool has_slots =
        inflight_open(&worker->queue.inflight, config->depth, request_size) == 0;
    if (has_slots && config->size <= SIZE_MAX / depth)
        worker->queue.memory = os_memory_aligned(alignment, depth * config->size);
    if (!worker->queue.memory)
        return worker_refuse(worker->plan, config->depth, INT64_MAX, error);
    config->memory = worker->queue.memory;

    return 0;
}

int
worker_open(struct worker *worker, struct job *job, const struct io_engine *engine,
            int index, struct error *error)
{
    const struct plan *plan = &job->active_plan;
    const struct target *target = &job->target;
    struct io_config config = {.fd = target->fd,
                               .kind = target->kind,
                               .rw_flags = target->rw_flags,
                               .poll = target->polls_completions,
                               .depth = plan->io.depth};

    worker->job = job;
    worker->plan = plan;
    worker->target = target;
    worker->group = &job->group;
    worker->index = index;
    atomic_init(&worker->work_ends_at, INT64_MAX);
    worker->account.total.corrected_interval = plan->statistics.corrected_interval;
    worker->account.total.mix = plan->workload.mix;
    worker->account.total.flushes_ignored = target->flushes_ignored;

    worker->queue.engine = engine;
    int status = open_request_log(worker, error);
    if (status == 0)
        status = allocate_buffers(worker, &config, error);
    if (status == 0)
        worker->queue.io_queue = io_open(engine, plan->io.engine_name, &config, error);
    if (!worker->queue.io_queue) {
        worker_close(worker);
        return -1;
    }

    worker->queue.buffer_size = config.size;
    pattern_start(&worker->schedule.pattern, plan, target->work_size, index);
    worker->queue.appended = -1;
    random_seed(&worker->queue.data,
                random_derive(~plan->workload.seed, (uint64_t)index));
    size_t bytes = config.size * (size_t)plan->io.depth;
    if (plan_does(plan, OPERATION_WRITES))
        random_fill(&worker->queue.data, worker->queue.memory, bytes);
    else
        memset(worker->queue.memory, 1, bytes); /* avoids page faults during requests */

    return 0;
}

void
worker_close(struct worker *worker)
{
    bool can_free_buffers = true;
    if (worker->queue.io_queue)
        can_free_buffers = io_close(worker->queue.engine, worker->queue.io_queue);
    if (can_free_buffers)
        os_memory_free(worker->queue.memory);
    os_memory_free(worker->account.log);
    inflight_close(&worker->queue.inflight);
}
