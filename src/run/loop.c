/*
 * The loop of a worker. It alone stamps requests, in reap: before the engine sends what
 * is due, and after it has waited for completions. Between the two there is the engine,
 * and before it what the wait needs: until when, and the release of the handoff. Only a
 * request that is not reaped at once has more in its time: what is done for others
 * meanwhile, and from a write to its flush the way through the loop. Requests that are
 * sent together, few at a time, start at the same time, and those that are reaped
 * together end at the same time.
 *
 * In an open loop the workers take due times from their group, each as soon as it has a
 * place for a request, so that none waits for a worker that is busy while another is
 * free; what is due earlier than it can be sent waits there. Its time counts from when it
 * was due, for all but its sample: the watch for stalls, timeouts and stops go by when it
 * was sent. The time in which a worker wakes up from its own sleep is not the target's: a
 * worker alone sleeps until shortly before the next request is due, and then looks at the
 * clock and the engine again and again; where that is late all the same, or there are
 * more workers, a request counts from when it is sent unless the next is due by then. So
 * it does when nothing else was under way, as then the system alone can have been late.
 *
 * A rapid request passes all of this: what is outside of the stamps is short, since
 * it lowers the rate that the engine could reach.
 */
#include "worker.h"

#include "base/time.h"
#include "notify.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"

#include <errno.h>

#define TOGETHER 3 /* requests with one stamp; the first waits until the last is sent */
/* Without a free place the loop looks so often (ns) whether the run ends. */
#define LOST_LOOK (20 * MS)

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
    bool cached =
        target_evict(worker->target, offset, worker->plan->workload.request_size);
    handoff_acquire(&worker->handoff, since);
    return cached;
}

/* Hands a request to the engine, which sends it in the next reap, shortly after NOW. */
static void
submit_request(struct worker *worker, int64_t now)
{
    struct inflight_request *entry = inflight_take(&worker->inflight);
    struct sample *sample = &entry->sample;
    uint64_t missed;
    entry->due = schedule_sent(&worker->schedule, now, &missed);
    sample->missed = 0;
    worker_miss(worker, sample, missed);
    entry->written = 0;
    worker->submits = true;
    sample->start = 0; /* not yet sent */
    sample->split.result = SPLIT_NOT_TRIED;
    sample->index = worker->next++;
    worker->left--;
    sample->offset = pattern_next(&worker->pattern, &sample->operation);
    sample->cached = false;
    entry->request.operation = IO_READ;
    entry->request.offset = sample->offset;
    if (sample->operation == OPERATION_WRITE) {
        entry->request.operation = IO_WRITE;
        worker_refresh(worker, entry);
        if (worker->plan->workload.append)
            worker_append(worker, entry, now);
    } else if (worker->target->description.mode == IO_MODE_NOCACHE) {
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
 * Takes a number for the next request, due at WHEN, unless there is one; false: none is
 * left. Numbers that nobody sees are taken in batches.
 */
static bool
take_number(struct worker *worker, int64_t when)
{
    if (worker->left > 0)
        return true;
    bool matters = worker->reports || worker->group->count < UINT64_MAX ||
                   worker->next <= worker->plan->statistics.limits.warmup;
    worker->left =
        worker_group_take(worker->group, matters ? 1 : 16, when, &worker->next);
    return worker->left > 0;
}

/* Ends a period that is due. Returns whether the run goes on. */
static bool
tell_due(struct worker *worker, int64_t now)
{
    return now < atomic_load_explicit(&worker->group->due, memory_order_relaxed) ||
           notify_due(worker->job, now) == 0;
}

/* Returns whether a request that is due at WHEN comes too late for the run at NOW. */
static bool
is_over(const struct worker *worker, int64_t when, int64_t now)
{
    return when >= worker->schedule.end || now >= worker->schedule.deadline ||
           is_stopped(worker) || worker_is_done(worker);
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
        int64_t when = schedule_due(&worker->schedule, now);
        if (worker->inflight.under_way == most)
            return IO_AT_ONCE;
        if (when >= worker->schedule.end)
            worker_extend(worker, when);
        if (is_over(worker, when, now))
            worker->sending = false;
        else if (when > now)
            return when;
        else if (worker_pass_stopped(worker, when, now))
            continue;
        else if (tell_due(worker, now) && take_number(worker, when))
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
    struct schedule *schedule = &worker->schedule;
    if (now < when)
        worker_share(worker);
    while (now < when && !is_over(worker, when, now)) {
        bool awake = when - now <= schedule->spin;
        int status = -1;
        if (!awake) {
            handoff_release(&worker->handoff, HANDOFF_IDLE);
            status = os_sleep_until(when - schedule->spin);
            handoff_acquire(&worker->handoff, HANDOFF_IDLE);
        }
        now = status == 0 && !schedule->stays ? when : os_clock_now();
        schedule->slept = now >= when;
    }
    return now;
}

/* Reports a sample that is recorded; ends the job unless the run GOES_ON, or if that
 * cannot be written. */
static void
tell(struct worker *worker, const struct sample *sample, bool goes_on)
{
    if (worker->reports && notify_sample(worker->job, worker, sample) < 0)
        goes_on = false;
    if (goes_on)
        return;
    worker->sending = false;
    worker_group_stop(worker->group, sample->start + sample->latency);
}

/* Counts the grid points that passed because the request that ended at NOW took the last
 * free place, and makes room for the next one: its last `idle` are after the end of the
 * run. */
static void
count_waits(struct worker *worker, struct sample *sample, int64_t now)
{
    if (worker->inflight.under_way < worker->inflight.count)
        return;
    int64_t until = worker_until(worker, now);
    worker_miss(worker, sample, schedule_freed(&worker->schedule, until, now));
    sample->idle = now - until;
}

/* Submits the flush that belongs to a write, whose sample ends with it. Returns false if
 * there is none. */
static bool
flush_written(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct inflight_request *entry = &worker->inflight.list[done->slot];
    if (entry->sample.operation == OPERATION_READ || !worker->target->flush ||
        entry->written || entry->lost || done->error || done->bytes < entry->sample.size)
        return false;
    entry->written = now;
    entry->sample.bytes = done->bytes;
    entry->request.operation = IO_FLUSH;
    worker->submits = true;
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

/* Completes the sample of a request that ended at NOW, and frees the request. */
static void
complete(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct inflight_request *entry = &worker->inflight.list[done->slot];
    struct sample *sample = &entry->sample;
    if (entry->lost) {
        worker_take_late(worker, entry, now);
        return;
    }
    sample->latency = now - sample->start;
    sample->sync = entry->written ? now - entry->written : 0;
    sample->error = entry->unsent ? entry->unsent : done->error;
    if (done->error || !entry->written)
        sample->bytes = done->bytes;
    sample->stopped = worker_was_stopped(entry->due ? entry->due : sample->start, now);
    sample->timed_out = sample->latency >= worker->plan->ends.timeout && !sample->stopped;
    if (worker->target->counts_sectors && sample->operation == OPERATION_READ)
        sample->cached = os_thread_sectors() == worker->sectors;
    count_waits(worker, sample, now);
    if (sample->stopped)
        sample->missed = 0;
    inflight_count_from_due(entry, now);
    tell(worker, sample, worker_digest(worker, sample));
    inflight_release(&worker->inflight, entry);
}

/* Returns since when a request that started at START waits: the time before the process
 * went on after a stop does not count. */
static int64_t
waits_since(int64_t start)
{
    return time_later(start, os_process_resumed());
}

/* Fails the requests that have had no answer for as long as the plan allows, oldest
 * first. A stop of the process that the supervisor has not noted yet puts it off. */
static void
time_out_requests(struct worker *worker, int64_t now)
{
    for (;;) {
        struct inflight_request *entry = worker->inflight.ends.younger;
        int64_t start = entry->sample.start, since = waits_since(start);
        if (!start || now - since < worker->plan->ends.timeout ||
            os_process_stopped(since))
            return;
        tell(worker, &entry->sample, worker_time_out_request(worker, entry, start, now));
    }
}

/* Returns until when to wait from NOW on, WHEN at the most: until the request in flight
 * since SINCE times out. */
static int64_t
limit_wait(const struct worker *worker, int64_t since, int64_t now, int64_t when)
{
    int64_t late = time_add(waits_since(since), worker->plan->ends.timeout);
    return time_earlier(when, late > now ? late : now + MS);
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
    if (worker->plan->workload.load != LOAD_READ)
        count = send_flushes(worker, count, now);
    while (count-- > 0)
        complete(worker, done++, now);
}

/* Returns until when to wait in the kernel at NOW if the next request is due at WHEN. */
static int64_t
wait_end(const struct worker *worker, int64_t when, int64_t now)
{
    int64_t spin = worker->schedule.spin;
    if (when == INT64_MAX || !spin)
        return when;
    return when - spin > now ? when - spin : IO_AT_ONCE;
}

/* Sends the submitted requests and waits for completions, until WHEN. Returns the time.
 */
static int64_t
reap(struct worker *worker, int64_t when)
{
    bool limited = worker->plan->ends.timeout < INT64_MAX;
    int64_t since = oldest_start(worker);
    int64_t start = os_clock_now();
    since = since ? since : start;
    int64_t due = when;
    when = wait_end(worker, when, start);
    if (limited)
        when = limit_wait(worker, since, start, when);
    handoff_release(&worker->handoff, since);
    int count = worker->engine->reap(worker->queue, worker->inflight.done, when);
    int64_t now = os_clock_now();
    int number = count < 0 ? errno : 0;
    handoff_acquire(&worker->handoff, since);
    worker->schedule.slept = now >= due && when != IO_AT_ONCE && !worker->submits;
    worker->submits = false;
    struct inflight *inflight = &worker->inflight;
    for (struct inflight_request *entry = inflight->ends.older;
         entry != &inflight->ends && !entry->sample.start; entry = entry->older)
        entry->sample.start = start;
    if (count < 0)
        count = fail_all(worker, number);
    complete_all(worker, count, now);
    if (limited)
        time_out_requests(worker, now);
    return now;
}

/* Waits a moment for a late answer, as no place is free; nothing else is under way.
 * Returns the time. */
static int64_t
await_place(struct worker *worker, int64_t now)
{
    int64_t last = atomic_load_explicit(&worker->over, memory_order_relaxed);
    if (is_over(worker, schedule_next(&worker->schedule, now), now)) {
        worker->sending = false;
        return now;
    }
    worker_share(worker);
    handoff_release(&worker->handoff, HANDOFF_LOST);
    int count = worker->engine->reap(worker->queue, worker->inflight.done,
                                     time_earlier(last, now + LOST_LOOK));
    handoff_acquire(&worker->handoff, HANDOFF_LOST);
    now = os_clock_now();
    worker->sending = count >= 0;
    complete_all(worker, count, now);
    return now;
}

/* Returns when the track of the job began: with its first phase. */
static int64_t
began_of(const struct worker *worker)
{
    const struct job_phases *phases = worker->job->phases;
    return phases && phases->began ? phases->began : worker->group->begin;
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
    worker->schedule.end = worker->schedule.deadline = INT64_MAX;
    int64_t now = wait_until(worker, worker->group->begin, os_clock_now());
    struct schedule *schedule = &worker->schedule;
    schedule_start(schedule, plan, worker->number, &worker->group->arrival,
                   worker->group->begin, now);
    worker->began = schedule->counted;
    atomic_store_explicit(&worker->over,
                          schedule->stays ? schedule->deadline : schedule->end,
                          memory_order_relaxed);
    if (worker->track)
        track_start(worker->track, began_of(worker), plan->pace.interval);
    if (worker->log) {
        attribution_begin(worker->attribution, worker->log);
        worker->log->began = began_of(worker);
        worker->log->every = plan->pace.interval;
    }
    return now;
}

/* Finds what of the working set has become holes. That may hang like a request, and is
 * abandoned likewise; a target that has not answered all requests is left alone. */
static void
find_holes(struct worker *worker)
{
    int64_t now = os_clock_now();
    if (worker->inflight.lost)
        return;
    atomic_store_explicit(&worker->over, now, memory_order_relaxed);
    handoff_release(&worker->handoff, now);
    double holes = target_new_holes(&worker->job->target, worker->plan);
    handoff_acquire(&worker->handoff, now);
    worker->holes = holes;
}

void
worker_run(struct worker *worker)
{
    int64_t now = begin(worker);
    for (;;) {
        int64_t when = submit_due(worker, now);
        if (inflight_live(&worker->inflight))
            now = reap(worker, when);
        else if (!worker->sending)
            break;
        else if (worker->inflight.lost == worker->inflight.count)
            now = await_place(worker, now);
        else
            now = wait_until(worker, when, now);
    }
    if (worker->engine->end)
        worker->engine->end(worker->queue);
    worker->ended = os_clock_now();
    worker_miss_rest(worker, worker->ended,
                     now >= worker->schedule.deadline || is_stopped(worker));
    if (worker->ended < worker->began)
        worker->ended = worker->began; /* nothing that counts was due */
    worker_share(worker);
    find_holes(worker);
}
