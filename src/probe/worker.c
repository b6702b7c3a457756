/*
 * The loop. It alone reads the clock around a request; between the two stamps
 * there is nothing but the engine.
 */
#include "probe/worker.h"

#include "os/os.h"
#include "os/process.h"

#include <errno.h>
#include <string.h>

#define DEDUPLICATION_UNIT 4096

int
worker_open(struct worker *worker, const struct plan *plan, const struct target *target,
            const struct engine_ops *engine, struct error *error)
{
    struct engine_config config = {.fd = target->fd, .rw_flags = target->rw_flags};
    size_t size = (size_t)plan->request_size;
    memset(worker, 0, sizeof(*worker));
    worker->plan = plan;
    worker->target = target;
    atomic_init(&worker->due, INT64_MAX);
    worker->total.every = plan->corrected;
    worker->buffer = os_memory_aligned((size_t)target->alignment, size);
    if (!worker->buffer)
        return error_set(error, EXIT_PREPARE, NULL,
                         "no memory for a request of %zu bytes", size);
    worker->engine.ops = engine;
    if (engine->open(&worker->engine, &config, error) < 0) {
        os_memory_free(worker->buffer);
        return -1;
    }
    pattern_start(&worker->pattern, plan, target->work_size);
    random_seed(&worker->data, ~plan->seed);
    random_fill(&worker->data, worker->buffer, size);
    return 0;
}

void
worker_close(struct worker *worker)
{
    worker->engine.ops->close(&worker->engine);
    os_memory_free(worker->buffer);
    worker->buffer = NULL;
}

/* New bits in every page, so that no two writes store the same data. */
static void
refresh_data(struct worker *worker)
{
    int64_t size = worker->plan->request_size;
    for (int64_t at = 0; at < size; at += DEDUPLICATION_UNIT) {
        int64_t left = size - at;
        random_fill(&worker->data, worker->buffer + at, left < 8 ? (size_t)left : 8);
    }
}

static struct engine_completion
perform(struct engine *engine, const struct engine_request *request)
{
    struct engine_completion completion = {0};
    if (engine->ops->submit(engine, request) < 0 ||
        engine->ops->reap(engine, &completion) < 0)
        completion = (struct engine_completion){.error = errno};
    return completion;
}

/* SYNC becomes the time at which the flush starts. */
static struct engine_completion
perform_durably(struct engine *engine, const struct engine_request *request,
                int64_t *sync)
{
    static const struct engine_request flush = {.operation = ENGINE_FLUSH};
    struct engine_completion completion = perform(engine, request);
    if (completion.bytes == (int64_t)request->size) {
        *sync = os_clock_now();
        completion.error = perform(engine, &flush).error;
    }
    if (completion.error)
        completion.bytes = 0;
    return completion;
}

/* NOW: about when it is sent. */
static void
send_request(struct worker *worker, struct sample *sample, int64_t now)
{
    struct engine_completion completion;
    struct engine_request request = {.buffer = worker->buffer,
                                     .size = (size_t)worker->plan->request_size};
    request.offset = pattern_next(&worker->pattern, &sample->operation);
    request.operation = sample->operation == OPERATION_READ ? ENGINE_READ : ENGINE_WRITE;
    bool durably = false;
    sample->cached = false;
    if (sample->operation == OPERATION_WRITE) {
        durably = worker->target->flush;
        refresh_data(worker);
    } else if (worker->target->description.mode == MODE_NOCACHE) {
        baton_lay(&worker->baton, now); /* this may hang as well */
        sample->cached =
            target_evict(worker->target, request.offset, worker->plan->request_size);
        baton_take(&worker->baton, now);
    }
    sample->index++;
    sample->offset = request.offset;
    int64_t sync = 0, start = os_clock_now();
    baton_lay(&worker->baton, start);
    completion = durably ? perform_durably(&worker->engine, &request, &sync)
                         : perform(&worker->engine, &request);
    int64_t end = os_clock_now();
    baton_take(&worker->baton, start);
    sample->start = start;
    sample->latency = end - start;
    sample->sync = sync ? end - sync : 0;
    sample->bytes = completion.bytes;
    sample->error = completion.error;
}

/* Returns whether the run goes on. */
static bool
digest(struct worker *worker, struct sample *sample)
{
    stats_judge(&worker->plan->limits, sample);
    stats_record(&worker->total, sample);
    if (worker->listener.sample) {
        stats_compare(&worker->total, sample);
        if (worker->listener.sample(worker->listener.self, sample) < 0)
            return false;
    }
    if (!sample_failed(sample))
        return true;
    if (sample->error == EAGAIN && worker->plan->rw_flags & OS_RW_NOWAIT)
        return true;
    if (worker->failed.index == 0)
        worker->failed = *sample;
    return worker->plan->ignore_error;
}

/* The thread that attends may be busy when a signal comes. */
static bool
is_stopped(struct worker *worker)
{
    return atomic_load_explicit(&worker->stop, memory_order_relaxed) || os_signals_stop();
}

/* Sleeps until WHEN, unless it has come; returns the time, before WHEN if stopped. */
static int64_t
wait_until(struct worker *worker, int64_t when, int64_t now)
{
    while (now < when && !is_stopped(worker)) {
        baton_lay(&worker->baton, BATON_RESTING);
        int status = os_sleep_until(when);
        baton_take(&worker->baton, BATON_RESTING);
        now = status == 0 ? when : os_clock_now();
    }
    return now;
}

/* Returns whether the run goes on. */
static bool
tell_due(struct worker *worker, int64_t now)
{
    return now < atomic_load_explicit(&worker->due, memory_order_relaxed) ||
           worker->listener.due(worker->listener.self, now) == 0;
}

/* Grid points without a request until NOW, if more are due after SENT requests. */
static uint64_t
count_missed(const struct worker *worker, uint64_t sent, int64_t now)
{
    if (worker->plan->limited || sent >= worker->plan->count)
        return 0;
    return pacer_missed(&worker->pacer, now < worker->end ? now : worker->end);
}

void
worker_run(struct worker *worker)
{
    const struct plan *plan = worker->plan;
    struct sample sample = {.size = plan->request_size};
    int64_t now = os_clock_now(), when = now;
    worker->began = now;
    worker->end = plan->work_time > INT64_MAX - now ? INT64_MAX : now + plan->work_time;
    os_clock_sharpen();
    pacer_start(&worker->pacer, plan->interval, plan->burst, now);
    while (sample.index < plan->count && when < worker->end) {
        now = wait_until(worker, when, now);
        if (is_stopped(worker) || !tell_due(worker, now))
            break;
        send_request(worker, &sample, now);
        now = sample.start + sample.latency;
        sample.idle = sample.index >= plan->count ? sample.latency
                      : now > worker->end         ? now - worker->end
                                                  : 0;
        bool last = worker->pacer.left == 1; /* of its burst */
        sample.missed = last ? count_missed(worker, sample.index, now) : 0;
        when = pacer_next(&worker->pacer, now);
        if (!digest(worker, &sample))
            break;
    }
    if (worker->pacer.left < plan->burst)
        worker->total.missed += count_missed(worker, sample.index, now);
    worker->ended = os_clock_now();
}

void
worker_abandon(struct worker *worker, int64_t now)
{
    worker->total.requests++;
    worker->total.missed += count_missed(worker, worker->total.requests, now);
    worker->ended = now;
}
