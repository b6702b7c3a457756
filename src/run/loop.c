/*
 * The loop of a worker. It alone reads the clock: before the engine sends what is due
 * and after it has waited for completions; between the two stamps there is nothing but
 * the engine. Requests that are sent together, few at a time, start at the same time, and
 * those that are reaped together end at the same time.
 *
 * A rapid request passes all of this: what is outside of the stamps is kept short, since
 * it lowers the rate that the engine could reach.
 */
#include "worker.h"

#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "run_private.h"

#include <errno.h>

#define DEDUPLICATION_UNIT 4096
/* Latencies (ns) below the first are not examined for a stop of the process; above the
 * second, if they are unusual, the notice of a stop is waited for. */
#define STOP_SHORTEST MS
#define STOP_LONG (20 * MS)
#define TOGETHER 3 /* requests with one stamp; the first waits until the last is sent */

/* Changes some bits of every page, so that no two writes store the same data. */
static void
refresh_data(struct worker *worker, const struct inflight_request *entry)
{
    int64_t size = entry->sample.size;
    char *buffer = worker->memory + worker->buffer_size * (size_t)entry->request.slot;
    for (int64_t at = 0; at < size; at += DEDUPLICATION_UNIT) {
        int64_t left = size - at;
        random_fill(&worker->data, buffer + at, left < 8 ? (size_t)left : 8);
    }
}

/* Returns the start of the oldest request in flight; 0: none was sent. */
static int64_t
oldest_start(const struct worker *worker)
{
    return worker->inflight.ends.younger->sample.start;
}

/* Evicts a block from the page cache, which may hang like a request. Returns whether the
 * cache still has it. */
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
 * Returns the number of grid points that passed although a request was free, which means
 * that the worker itself was held up; the grid moves to NOW.
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

/* Hands a request to the engine, which sends it in the next reap, shortly after NOW. */
static void
submit_request(struct worker *worker, int64_t now)
{
    struct inflight_request *entry = inflight_take(&worker->inflight);
    struct sample *sample = &entry->sample;
    sample->missed = skip_points(worker, now); /* before it seems to be done */
    pacer_sent(&worker->pacer);
    entry->written = 0;
    worker->continued = worker->continues;
    entry->continues = worker->continues = os_process_continues();
    sample->start = 0; /* not yet sent */
    sample->index = worker->next++;
    worker->left--;
    sample->offset = pattern_next(&worker->pattern, &sample->operation);
    sample->cached = false;
    entry->request.operation = IO_READ;
    entry->request.offset = sample->offset;
    if (sample->operation == OPERATION_WRITE) {
        entry->request.operation = IO_WRITE;
        refresh_data(worker, entry);
    } else if (worker->target->description.mode == MODE_NOCACHE) {
        sample->cached = is_cached(worker, sample->offset, now);
        if (worker->target->counts_sectors)
            worker->sectors = os_thread_sectors();
    }
    worker->engine->submit(worker->queue, &entry->request);
}

/* The signal itself is looked at too, as the supervisor may be busy when it comes. */
static bool
is_stopped(const struct worker *worker)
{
    return atomic_load_explicit(&worker->group->stop, memory_order_relaxed) ||
           os_signals_stop();
}

/*
 * Takes a number for the next request, unless there is one; false: none is left. Numbers
 * that nobody sees are taken in batches.
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

/* Ends a period that is due. Returns whether the run goes on. */
static bool
tell_due(struct worker *worker, int64_t now)
{
    return now < atomic_load_explicit(&worker->group->due, memory_order_relaxed) ||
           job_due(worker->job, now) == 0;
}

/* Returns whether a request that is due at WHEN comes too late for the run. */
static bool
is_over(const struct worker *worker, int64_t when)
{
    return when >= worker->end || is_stopped(worker) || worker_is_done(worker);
}

/*
 * Submits the requests that are due at NOW, as far as some are free, but only so many at
 * a time. Returns when the next is due.
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

/* Sleeps until WHEN, unless it has come. Returns the time, before WHEN if the run ends.
 */
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

/* Adds a sample to the statistics. */
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

/* Judges a sample, records it and reports it. Returns whether the run goes on. */
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

/* Counts the grid points that passed because the request that ended at NOW took the last
 * free place, and makes room for the next one. */
static void
count_waits(struct worker *worker, struct sample *sample, int64_t now)
{
    const struct pacer *pacer = &worker->pacer;
    if (worker->inflight.under_way < worker->inflight.count)
        return;
    if (pacer->interval && pacer->left == pacer->burst) /* the last of its burst */
        sample->missed += worker_missed(worker, now);
    if (worker->plan->corrected)
        sample->idle = worker_is_done(worker) ? sample->latency
                       : now > worker->end    ? now - worker->end
                                              : 0;
    pacer_freed(&worker->pacer, now);
}

/* Submits the flush that belongs to a write, whose sample ends with it. Returns false if
 * there is none. */
static bool
flush_written(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct inflight_request *entry = &worker->inflight.list[done->slot];
    if (entry->sample.operation == OPERATION_READ || !worker->target->flush ||
        entry->written || done->error || done->bytes < entry->sample.size)
        return false;
    entry->written = now;
    entry->sample.bytes = done->bytes;
    entry->request.operation = IO_FLUSH;
    worker->engine->submit(worker->queue, &entry->request);
    return true;
}

/* Submits the flushes of COUNT requests that are done. Returns the number of those that
 * have ended, which come first then. */
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

/* Returns whether the process was stopped while a request was in flight. The thread that
 * has the signals may need a moment to know of it. */
static bool
was_stopped(const struct worker *worker, const struct inflight_request *entry,
            int64_t now)
{
    int64_t latency = entry->sample.latency;
    if (latency < STOP_SHORTEST)
        return false;
    if (os_process_stopped(entry->continues))
        return true;
    if (latency < STOP_LONG || (double)latency < 2 * worker->total.latency.mean)
        return false;
    os_sleep_until(now + latency / 1000);
    return os_process_stopped(entry->continues);
}

/* Completes the sample of a request that ended at NOW, and frees the request. */
static void
complete(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct inflight_request *entry = &worker->inflight.list[done->slot];
    struct sample *sample = &entry->sample;
    sample->latency = now - sample->start;
    sample->sync = entry->written ? now - entry->written : 0;
    sample->error = done->error;
    if (done->error || !entry->written)
        sample->bytes = done->bytes;
    sample->stopped = was_stopped(worker, entry, now);
    if (worker->target->counts_sectors && sample->operation == OPERATION_READ)
        sample->cached = os_thread_sectors() == worker->sectors;
    count_waits(worker, sample, now);
    if (sample->stopped)
        sample->missed = 0;
    if (!digest(worker, sample)) {
        worker->sending = false;
        atomic_store_explicit(&worker->group->stop, true, memory_order_relaxed);
    }
    inflight_release(&worker->inflight, entry);
}

/* Fails all requests in flight with errno NUMBER, since the engine is of no use any more.
 * Returns their number. */
static int
fail_all(struct worker *worker, int number)
{
    const struct inflight_request *ends = &worker->inflight.ends;
    int count = 0;
    for (const struct inflight_request *entry = ends->younger; entry != ends;
         entry = entry->younger)
        worker->inflight.done[count++] =
            (struct io_completion){.slot = entry->request.slot, .error = number};
    worker->sending = false;
    return count;
}

/* Completes COUNT requests that were done at NOW, except for writes that a flush follows.
 */
static void
complete_all(struct worker *worker, int count, int64_t now)
{
    const struct io_completion *done = worker->inflight.done;
    if (worker->plan->load != LOAD_READ)
        count = send_flushes(worker, count, now);
    while (count-- > 0)
        complete(worker, done++, now);
}

/* Sends the submitted requests and waits for completions, until WHEN. Returns the time.
 */
static int64_t
reap(struct worker *worker, int64_t when)
{
    int64_t since = oldest_start(worker);
    int64_t start = os_clock_now();
    since = since ? since : start;
    handoff_release(&worker->handoff, since);
    int count = worker->engine->reap(worker->queue, worker->inflight.done, when);
    int64_t now = os_clock_now();
    int number = count < 0 ? errno : 0;
    handoff_acquire(&worker->handoff, since);
    struct inflight *inflight = &worker->inflight;
    for (struct inflight_request *entry = inflight->ends.older;
         entry != &inflight->ends && !entry->sample.start; entry = entry->older)
        entry->sample.start = start;
    if (count < 0)
        count = fail_all(worker, number);
    complete_all(worker, count, now);
    return now;
}

/* Prepares the loop and waits for the common begin. Returns the time. */
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
    worker->end = time_add(worker->began, plan->work_time);
    if (worker->track)
        track_start(worker->track, worker->group->begin, plan->interval);
    int64_t share = plan->limited ? plan->interval / plan->threads : 0;
    pacer_start(&worker->pacer, plan->interval, plan->burst,
                time_add(now, share * worker->number));
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
