/*
 * The loop of a worker. It alone reads the clock: before the engine sends what
 * is due and after it has waited for completions; between the two stamps there
 * is nothing but the engine. What is sent together, which is little, starts, and
 * all that is reaped together ends, at the same time.
 */
#include "worker.h"

#include "base/later.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "run_private.h"

#include <errno.h>

#define DEDUPLICATION_UNIT 4096
/* A stop of the process (ns) that is too short to matter; and one so long that what tells
 * of it is waited for, if nothing else explains the time. */
#define STOP_SHORTEST 1000000LL
#define STOP_LONG 20000000LL
#define TOGETHER 3 /* requests with one stamp; the first waits until the last is sent */

/* New bits in every page, so that no two writes store the same data. */
static void
refresh_data(struct worker *worker, const struct inflight_request *slot)
{
    int64_t size = slot->sample.size;
    char *buffer = worker->memory + worker->buffer_size * (size_t)slot->request.slot;
    for (int64_t at = 0; at < size; at += DEDUPLICATION_UNIT) {
        int64_t left = size - at;
        random_fill(&worker->data, buffer + at, left < 8 ? (size_t)left : 8);
    }
}

/* Since when the request that was sent first has been under way; 0: none was sent. */
static int64_t
oldest_start(const struct worker *worker)
{
    return worker->inflight.ends.younger->sample.start;
}

/* Makes sure that the page cache does not answer it; this may hang as well. */
static bool
is_cached(struct worker *worker, int64_t offset, int64_t now)
{
    int64_t since = oldest_start(worker);
    since = since ? since : now;
    handoff_release(&worker->handoff, since);
    bool cached = target_evict(worker->target, offset, worker->plan->request_size);
    handoff_acquire(&worker->handoff, since);
    return cached;
}

/*
 * With free slots all points are in time, unless the worker itself was held up:
 * then those that passed are missed as well. Returns how many.
 */
static uint64_t
skip_points(struct worker *worker, int64_t now)
{
    struct pacer *pacer = &worker->pacer;
    if (worker->inflight.count == 1 || !pacer->interval ||
        now - pacer->point < pacer->interval || pacer->left < pacer->burst)
        return 0;
    uint64_t missed = worker_missed(worker, now);
    pacer_freed(pacer, now);
    return missed;
}

/* Hands one request to the engine, to be sent by the next reap. NOW: about when. */
static void
submit_request(struct worker *worker, int64_t now)
{
    struct inflight_request *slot = inflight_take(&worker->inflight);
    struct sample *sample = &slot->sample;
    sample->missed = skip_points(worker, now); /* before it seems to be done */
    pacer_sent(&worker->pacer);
    slot->written = 0;
    worker->continued = worker->continues;
    slot->continues = worker->continues = os_process_continues();
    sample->start = 0; /* not yet sent */
    sample->index = worker->next++;
    worker->left--;
    sample->offset = pattern_next(&worker->pattern, &sample->operation);
    sample->cached = false;
    slot->request.operation = IO_READ;
    slot->request.offset = sample->offset;
    if (sample->operation == OPERATION_WRITE) {
        slot->request.operation = IO_WRITE;
        refresh_data(worker, slot);
    } else if (worker->target->description.mode == MODE_NOCACHE) {
        sample->cached = is_cached(worker, sample->offset, now);
        if (worker->target->seen)
            worker->sectors = os_thread_sectors();
    }
    worker->engine->submit(worker->queue, &slot->request);
}

/* The thread that attends may be busy when a signal comes. */
static bool
is_stopped(const struct worker *worker)
{
    return atomic_load_explicit(&worker->group->stop, memory_order_relaxed) ||
           os_signals_stop();
}

/*
 * Makes sure that there is a number for the next request; false: there are no
 * more. Some are taken at once where they matter to nobody.
 */
static bool
take_number(struct worker *worker)
{
    if (worker->left > 0)
        return true;
    bool matters = worker->reports || worker->group->count < UINT64_MAX ||
                   worker->next <= worker->plan->limits.warmup;
    worker->left = worker_group_take(worker->group, matters ? 1 : 16, &worker->next);
    return worker->left > 0;
}

/* Returns whether the run goes on. */
static bool
tell_due(struct worker *worker, int64_t now)
{
    return now < atomic_load_explicit(&worker->group->due, memory_order_relaxed) ||
           job_due(worker->job, now) == 0;
}

/* Whether a request that is due at WHEN is not to be sent any more. */
static bool
is_over(const struct worker *worker, int64_t when)
{
    return when >= worker->end || is_stopped(worker) || worker_is_done(worker);
}

/*
 * Submits what is due at NOW, as far as there are slots, but only so many at a time.
 * Returns when the next is due.
 */
static int64_t
submit_due(struct worker *worker, int64_t now)
{
    int most = worker->inflight.under_way + TOGETHER;
    while (worker->sending && worker->inflight.under_way < worker->inflight.count) {
        int64_t when = pacer_due(&worker->pacer, now);
        if (worker->inflight.under_way == most)
            return IO_AT_ONCE;
        if (is_over(worker, when))
            worker->sending = false;
        else if (when > now)
            return when;
        else if (tell_due(worker, now) && take_number(worker))
            submit_request(worker, now);
        else
            worker->sending = false;
    }
    return INT64_MAX;
}

/* Sleeps until WHEN, unless it has come; returns the time, before WHEN if it is over. */
static int64_t
wait_until(struct worker *worker, int64_t when, int64_t now)
{
    if (now < when)
        worker_share_busy(worker);
    while (now < when && !is_over(worker, when)) {
        handoff_release(&worker->handoff, HANDOFF_IDLE);
        int status = os_sleep_until(when);
        handoff_acquire(&worker->handoff, HANDOFF_IDLE);
        now = status == 0 ? when : os_clock_now();
    }
    return now;
}

static void
record(struct worker *worker, const struct sample *sample)
{
    stats_record(&worker->total, sample);
    if (!worker->group->busy_lock || !sample_is_busy(sample))
        return;
    if (worker->busy.count == BUSY_LOG)
        worker_share_busy(worker);
    busy_log_add(&worker->busy, sample->start, sample->start + sample->latency,
                 sample_counts(sample));
}

/* Returns whether the run goes on. */
static bool
digest(struct worker *worker, struct sample *sample)
{
    stats_judge(&worker->plan->limits, sample);
    if (sample->start >= worker->began)
        record(worker, sample);
    if (worker->track)
        track_record(worker->track, sample);
    if (worker->reports) {
        stats_compare(&worker->total, sample);
        if (job_sample(worker->job, worker, sample) < 0)
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

/* What a request that ended at NOW kept from being sent, if it took the last slot. */
static void
count_waits(struct worker *worker, struct sample *sample, int64_t now)
{
    bool last = worker->pacer.left == worker->pacer.burst; /* of its burst */
    if (worker->inflight.under_way < worker->inflight.count)
        return;
    if (worker->pacer.interval && last)
        sample->missed += worker_missed(worker, now);
    if (worker->plan->corrected)
        sample->idle = worker_is_done(worker) ? sample->latency
                       : now > worker->end    ? now - worker->end
                                              : 0;
    pacer_freed(&worker->pacer, now);
}

/* Whether what was written has yet to be made durable; then that is on its way at NOW. */
static bool
flush_written(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct inflight_request *slot = &worker->inflight.list[done->slot];
    if (slot->sample.operation == OPERATION_READ || !worker->target->flush ||
        slot->written || done->error || done->bytes < slot->sample.size)
        return false;
    slot->written = now;
    slot->sample.bytes = done->bytes;
    slot->request.operation = IO_FLUSH;
    worker->engine->submit(worker->queue, &slot->request);
    return true;
}

/* Of COUNT that are done, returns how many have ended; these come first then. */
static int
send_flushes(struct worker *worker, int count, int64_t now)
{
    struct io_completion *done = worker->inflight.done;
    int ended = 0;
    for (int i = 0; i < count; i++)
        if (!flush_written(worker, &done[i], now))
            done[ended++] = done[i];
    return ended;
}

/* Whether the process was stopped while a request was under way. The thread that is told
 * of it may need a moment. */
static bool
was_stopped(const struct worker *worker, const struct inflight_request *slot, int64_t now)
{
    int64_t latency = slot->sample.latency;
    if (latency < STOP_SHORTEST)
        return false;
    if (os_process_stopped(slot->continues))
        return true;
    if (latency < STOP_LONG || (double)latency < 2 * worker->total.latency.mean)
        return false;
    os_sleep_until(now + latency / 1000);
    return os_process_stopped(slot->continues);
}

/* A request has ended. */
static void
complete(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct inflight_request *slot = &worker->inflight.list[done->slot];
    struct sample *sample = &slot->sample;
    sample->latency = now - sample->start;
    sample->sync = slot->written ? now - slot->written : 0;
    sample->error = done->error;
    if (done->error || !slot->written)
        sample->bytes = done->bytes;
    sample->stopped = was_stopped(worker, slot, now);
    if (worker->target->seen && sample->operation == OPERATION_READ)
        sample->cached = os_thread_sectors() == worker->sectors;
    count_waits(worker, sample, now);
    if (sample->stopped)
        sample->missed = 0;
    if (!digest(worker, sample)) {
        worker->sending = false;
        atomic_store_explicit(&worker->group->stop, true, memory_order_relaxed);
    }
    inflight_release(&worker->inflight, slot);
}

/* The engine is of no use any more: all that is under way failed with NUMBER. */
static int
fail_all(struct worker *worker, int number)
{
    const struct inflight_request *ends = &worker->inflight.ends;
    int count = 0;
    for (const struct inflight_request *slot = ends->younger; slot != ends;
         slot = slot->younger)
        worker->inflight.done[count++] =
            (struct io_completion){.slot = slot->request.slot, .error = number};
    worker->sending = false;
    return count;
}

/* COUNT requests are done at NOW, the first parts of some perhaps. */
static void
complete_all(struct worker *worker, int count, int64_t now)
{
    bool writes = worker->plan->load != LOAD_READ;
    int ended = writes ? send_flushes(worker, count, now) : count;
    for (int i = 0; i < ended; i++)
        complete(worker, &worker->inflight.done[i], now);
}

/* Sends what was submitted and waits for completions, until WHEN; returns the time. */
static int64_t
reap(struct worker *worker, int64_t when)
{
    int64_t since = oldest_start(worker);
    int64_t start = os_clock_now();
    since = since ? since : start;
    handoff_release(&worker->handoff, since);
    int count = worker->engine->reap(worker->queue, worker->inflight.done, when);
    int64_t now = os_clock_now();
    int number = errno; /* of a reap that failed */
    handoff_acquire(&worker->handoff, since);
    struct inflight *inflight = &worker->inflight;
    for (struct inflight_request *slot = inflight->ends.older;
         slot != &inflight->ends && !slot->sample.start; slot = slot->older)
        slot->sample.start = start;
    if (count < 0)
        count = fail_all(worker, number);
    complete_all(worker, count, now);
    return now;
}

/* Returns the time. */
static int64_t
begin(struct worker *worker)
{
    const struct plan *plan = worker->plan;
    if (worker->engine->begin)
        worker->engine->begin(worker->queue); /* if it fails, so does reap */
    os_clock_sharpen();
    worker->sending = true;
    worker->continued = worker->continues = os_process_continues();
    worker->end = INT64_MAX;
    int64_t now = wait_until(worker, worker->group->begin, os_clock_now());
    worker->began = now + plan->settle;
    worker->end = later(worker->began, plan->work_time);
    if (worker->track)
        track_start(worker->track, worker->group->begin, plan->interval);
    int64_t share = plan->limited ? plan->interval / plan->threads : 0;
    pacer_start(&worker->pacer, plan->interval, plan->burst,
                later(now, share * worker->number));
    return now;
}

void
worker_run(struct worker *worker)
{
    int64_t now = begin(worker);
    for (;;) {
        int64_t when = submit_due(worker, now);
        if (worker->inflight.under_way)
            now = reap(worker, when);
        else if (worker->sending)
            now = wait_until(worker, when, now);
        else
            break;
    }
    if (worker->engine->end)
        worker->engine->end(worker->queue);
    if (worker->pacer.left < worker->pacer.burst)
        worker_miss(worker, now, now);
    worker_share_busy(worker);
    worker->ended = os_clock_now();
    if (worker->ended < worker->began)
        worker->began = worker->ended;
}
