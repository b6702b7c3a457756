/*
 * The loop of a worker. It alone stamps requests, in reap: before the engine sends what
 * is due, and after it has waited for completions. Between the two there is the engine,
 * and before it what the wait needs: until when, and the release of the handoff. Only a
 * request that is not reaped at once has more in its time: what is done for others
 * meanwhile, and from a write to its flush the way through the loop. Requests that are
 * sent together, few at a time, start at the same time, and those that are reaped
 * together end at the same time.
 *
 * The schedule says when a request is due, and from when its time counts if it is sent
 * late; that is so for its sample alone: the watch for stalls, timeouts and stops go by
 * when it was sent. Where the time counts from when it was due, a worker alone sleeps
 * until shortly before that, and then looks at the clock and the engine again and again.
 *
 * A rapid request passes all of this: what is outside of the stamps is short, since
 * it lowers the rate that the engine could reach.
 */
#include "missed.h"

#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "run_private.h"

#include <errno.h>

/* A rapid request does not save registers for what it does not do. */
#define OFF_THE_PATH __attribute__((noinline))

#define TOGETHER 3 /* requests with one stamp; the first waits until the last is sent */
/* Storage that finds blocks that are the same looks at so many bytes. */
#define DEDUPLICATION_UNIT 4096

/* Moves the busy spans to those of the group, for a moment under their lock. */
static void
share_busy(struct worker *worker)
{
    struct worker_group *group = worker->group;
    if (!group->busy_lock || worker->account.busy.count == 0)
        return;
    os_lock_acquire(group->busy_lock);
    busy_log_move(&worker->account.busy, &group->busy);
    os_lock_release(group->busy_lock);
}

void
worker_share(struct worker *worker)
{
    share_busy(worker);
    if (worker->account.attribution)
        attribution_take(worker->account.attribution, worker->account.log);
}

/* Has records attributed to SAMPLE, which is judged: at once if it is reported, else some
 * time. */
static void
attribute(struct worker *worker, struct sample *sample)
{
    struct attribution_log *log = worker->account.log;
    if (sample_failed(sample))
        return;
    if (worker->reports) {
        attribution_record(worker->account.attribution, log, sample);
    } else if (sample_counts(sample)) {
        log->list[log->count++] = *sample;
        if (log->count == log->capacity)
            attribution_take(worker->account.attribution, log);
    }
}

/*
 * Adds the time of SAMPLE to the busy time. Without an interval the next request is due
 * as soon as one has ended, so what the program does between them is no pause, unless
 * the process was stopped meanwhile.
 */
static void
record_busy(struct worker *worker, const struct sample *sample)
{
    struct worker_account *account = &worker->account;
    int64_t start = sample->start, end = start + sample->latency;
    int64_t until = account->busy_until;
    bool is_busy = sample_is_busy(sample);
    bool joins = until && until < start && !was_stopped(until, start);
    account->busy_from = joins ? until : start;
    if (account->is_rapid)
        account->busy_until = is_busy ? time_later(until, end) : 0;
    if (!is_busy)
        return;
    if (account->busy.count == BUSY_LOG)
        share_busy(worker);
    busy_log_add(&account->busy, account->busy_from, end, sample_counts(sample));
}

void
worker_end_busy(struct worker *worker, int64_t now)
{
    struct worker_account *account = &worker->account;
    int64_t until = account->busy_until;
    if (until && account->busy.count > 0 && !was_stopped(until, now))
        busy_log_add(&account->busy, until, now, false);
    account->busy_until = 0;
}

/* Adds SAMPLE, which is in the statistics if it began after the settling, to what else
 * there is of requests. */
OFF_THE_PATH static void
record_more(struct worker *worker, struct sample *sample)
{
    struct worker_account *account = &worker->account;
    bool settled = sample->start >= account->began, counts = sample_counts(sample);
    if (settled && worker->group->busy_lock)
        record_busy(worker, sample);
    if (settled && account->attribution)
        attribute(worker, sample);
    if (settled && counts && account->series.capacity)
        series_record(&account->series, sample->start, sample->latency);
    if (account->track)
        track_record(account->track, sample);
    if (worker->reports)
        stats_compare(&account->total, sample);
    if (worker->judges_slow)
        sample->slow_above = stats_slow_above(&account->total, sample);
}

/* Returns whether the run goes on after a request that failed. */
OFF_THE_PATH static bool
goes_on_after(struct worker *worker, const struct sample *sample)
{
    bool ignored = worker->plan->ends.ignore_error;
    if (sample->error == EAGAIN && worker->plan->io.rw_flags & OS_RW_NOWAIT)
        return true;
    if (sample->start >= worker->account.began)
        worker->account.errors++;
    if (worker->account.failed.index == 0)
        worker->account.failed = *sample;
    if (sample->timed_out && !ignored)
        atomic_store(&worker->job->run->timed_out, true);
    return ignored;
}

/* Judges SAMPLE and records it. Returns whether the run goes on. */
static inline bool
digest(struct worker *worker, struct sample *sample)
{
    struct worker_account *account = &worker->account;
    stats_judge(&worker->plan->statistics.limits, sample);
    if (sample->start >= account->began)
        stats_record(&account->total, sample);
    if (!account->is_plain)
        record_more(worker, sample);
    return !sample_failed(sample) || goes_on_after(worker, sample);
}

/* Reports a sample that is recorded; ends the job unless the run GOES_ON, or if that
 * cannot be written. */
static inline void
conclude(struct worker *worker, const struct sample *sample, bool goes_on)
{
    if (worker->reports && notify_sample(worker->job, worker, sample) < 0)
        goes_on = false;
    if (goes_on)
        return;
    worker->schedule.is_sending = false;
    worker_group_stop(worker->group, sample->start + sample->latency);
}

/* Evicts a block from the page cache, which may hang like a request. Returns whether the
 * cache still has it. */
static bool
is_cached(struct worker *worker, int64_t offset, int64_t now)
{
    int64_t oldest = worker->queue.inflight.ring.younger->sample.start;
    int64_t since = oldest ? oldest : now;
    handoff_release(&worker->handoff, since);
    bool cached =
        target_evict(worker->target, offset, worker->plan->workload.request_size);
    handoff_acquire(&worker->handoff, since);
    return cached;
}

/*
 * Has ENTRY, a write that is not sent yet, extend the working file, which is emptied
 * first where that holds its block already, outside of any request. What is due from NOW
 * until then is not missed. Sets `unsent` if that fails: a hole is behind the next block
 * then, but those that follow extend the file too.
 */
static void
append(struct worker *worker, struct inflight_request *entry, int64_t now)
{
    const struct sample *sample = &entry->sample;
    int64_t *appended = &worker->queue.appended;
    bool extends = *appended >= 0 && sample->offset >= *appended;
    entry->write_error = 0;
    *appended = sample->offset + sample->size;
    if (extends)
        return;
    handoff_release(&worker->handoff, now);
    entry->write_error = target_empty(worker->target);
    handoff_acquire(&worker->handoff, now);
    schedule_skip(&worker->schedule, os_clock_now());
    if (!entry->write_error)
        return;
    entry->request.operation = OPERATION_FLUSH;
    *appended = -1;
}

/* Changes some bits of every page of what ENTRY writes, so that no two writes store the
 * same data. */
static void
refresh(struct worker_queue *queue, const struct inflight_request *entry)
{
    int64_t size = entry->sample.size;
    char *buffer = queue->memory + queue->buffer_size * (size_t)entry->request.slot;
    for (int64_t at = 0; at < size; at += DEDUPLICATION_UNIT) {
        int64_t left = size - at;
        random_fill(&queue->data, buffer + at, left < 8 ? (size_t)left : 8);
    }
}

/* Hands a request to the engine, which sends it in the next reap, shortly after NOW. */
static void
submit_request(struct worker *worker, int64_t now)
{
    struct worker_queue *queue = &worker->queue;
    struct schedule *schedule = &worker->schedule;
    struct inflight_request *entry = inflight_take(&queue->inflight);
    struct sample *sample = &entry->sample;
    uint64_t missed;
    entry->due_at = schedule_sent(schedule, now, &missed);
    sample->missed = 0;
    if (missed)
        worker_miss(worker, sample, missed);
    sample->missed_before = sample->missed;
    sample->in_burst = schedule->burst > 1;
    sample->stall = 0;
    entry->written_at = 0;
    queue->has_unsent = true;
    sample->start = 0; /* not yet sent */
    sample->split.result = SPLIT_NOT_TRIED;
    sample->index = schedule->ordinal++;
    schedule->ordinal_count--;
    sample->offset = pattern_next(&schedule->pattern, &sample->operation);
    sample->was_cached = false;
    entry->request.operation = sample->operation;
    entry->request.offset = sample->offset;
    int does = operations[sample->operation].flags;
    sample->size = does & OPERATION_MOVES ? (int64_t)entry->request.size : 0;
    if (does & OPERATION_WRITES) {
        refresh(queue, entry);
        if (worker->plan->workload.append)
            append(worker, entry, now);
    } else if (does & OPERATION_READS &&
               worker->target->description.mode == IO_MODE_NOCACHE) {
        sample->was_cached = is_cached(worker, sample->offset, now);
        if (worker->target->counts_sectors)
            queue->sectors = os_thread_sectors();
    }
    queue->engine->submit(queue->io_queue, &entry->request);
}

/*
 * Takes an ordinal for the next request, due at WHEN, unless there is one; false: none is
 * left. Ordinals that nobody sees are taken in batches.
 */
static inline bool
take_ordinal(struct worker *worker, int64_t when)
{
    struct schedule *schedule = &worker->schedule;
    if (schedule->ordinal_count > 0)
        return true;
    bool matters = worker->reports || worker->group->max_requests < UINT64_MAX ||
                   schedule->ordinal <= worker->plan->statistics.limits.warmup;
    schedule->ordinal_count =
        worker_group_take(worker->group, matters ? 1 : 16, when, &schedule->ordinal);
    return schedule->ordinal_count > 0;
}

/* Puts off the end of the work time to after WHEN, when a request is due, unless as many
 * were sent in it as the plan wants at the least. */
static void
extend(struct worker *worker, int64_t when)
{
    if (worker->account.total.requests >= worker->plan->ends.min_requests)
        return;
    worker->schedule.end_at = time_add(when, 1);
    atomic_store_explicit(&worker->over, worker->schedule.end_at, memory_order_relaxed);
}

/*
 * Submits the requests that are due at NOW, as far as some are free, but only so many at
 * a time. Returns when the next is due.
 */
static int64_t
submit_due(struct worker *worker, int64_t now)
{
    struct inflight *inflight = &worker->queue.inflight;
    struct schedule *schedule = &worker->schedule;
    const _Atomic int64_t *period_due = &worker->group->period_end;
    int most = inflight->taken_count + TOGETHER;
    while (schedule->is_sending && inflight->taken_count < inflight->count) {
        int64_t when = schedule_due(schedule, now);
        if (inflight->taken_count == most)
            return IO_AT_ONCE;
        if (when >= schedule->end_at)
            extend(worker, when);
        if (worker_is_over(worker, when, now))
            schedule->is_sending = false;
        else if (when > now)
            return when;
        else if (schedule->is_open_loop && worker_pass_stopped(worker, when, now))
            continue;
        else if (now >= atomic_load_explicit(period_due, memory_order_relaxed) &&
                 notify_due(worker->job, now) < 0)
            schedule->is_sending = false;
        else if (take_ordinal(worker, when))
            submit_request(worker, now);
        else
            schedule->is_sending = false;
    }
    return INT64_MAX;
}

/* Sleeps until WHEN, unless it has come. Returns the time, before WHEN if the run ends.
 */
static int64_t
wait_until(struct worker *worker, int64_t when, int64_t now)
{
    struct schedule *schedule = &worker->schedule;
    if (now >= when)
        return now;
    do {
        bool awake = when - now <= schedule->spin_time;
        int status = -1;
        if (!awake) {
            handoff_release(&worker->handoff, HANDOFF_IDLE);
            status = os_sleep_until(when - schedule->spin_time);
            handoff_acquire(&worker->handoff, HANDOFF_IDLE);
        }
        now = status == 0 && !schedule->is_open_loop ? when : os_clock_now();
        schedule->has_overslept = now >= when;
    } while (now < when && !worker_is_over(worker, when, now));
    return now;
}

/* Submits the flush that belongs to a write, whose sample ends with it. Returns false if
 * there is none. */
static bool
flush_written(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight_request *entry = &queue->inflight.list[done->slot];
    if (!(operations[entry->sample.operation].flags & OPERATION_FLUSHED) ||
        entry->written_at || entry->is_lost || done->error ||
        done->bytes < entry->sample.size)
        return false;
    entry->written_at = now;
    entry->sample.bytes = done->bytes;
    entry->request.operation = OPERATION_FLUSH;
    queue->has_unsent = true;
    queue->engine->submit(queue->io_queue, &entry->request);
    return true;
}

/* Counts a request that began at START and has just ended if the program itself was late
 * then: its time may not be the device's. */
OFF_THE_PATH static void
count_lateness(struct worker *worker, int64_t start)
{
    if (start >= worker->account.began && os_process_was_late(start))
        worker->account.total.late_count++;
}

/* Completes the sample of a request that ended at NOW, and frees the request. The answer
 * of one that was lost is not reported. If it took the last free slot, what was missed
 * because of that counts, and its last `idle` are after the end of the run. */
static inline void
complete(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight_request *entry = &queue->inflight.list[done->slot];
    struct sample *sample = &entry->sample;
    if (queue->inflight.taken_count == queue->inflight.count) {
        int64_t until = worker_group_until(worker->group, now);
        uint64_t missed = schedule_freed(&worker->schedule, until, now);
        sample->tail_after_end = now - time_earlier(until, worker->schedule.end_at);
        if (missed)
            worker_miss(worker, entry->is_lost ? NULL : sample, missed);
        if (sample->missed)
            sample->stall = missed_stall(&worker->schedule, now);
    }
    if (entry->is_lost) {
        inflight_regain(&queue->inflight, entry);
        return;
    }
    sample->sync = entry->written_at ? now - entry->written_at : 0;
    sample->error = entry->write_error ? entry->write_error : done->error;
    if (done->error || !entry->written_at)
        sample->bytes = done->bytes;
    int64_t counted = entry->due_at ? entry->due_at : sample->start;
    sample->was_stopped = was_stopped(counted, now);
    sample->timed_out =
        now - sample->start >= worker->plan->ends.timeout && !sample->was_stopped;
    if (worker->target->counts_sectors &&
        operations[sample->operation].flags & OPERATION_READS)
        sample->was_cached = os_thread_sectors() == queue->sectors;
    if (sample->was_stopped) {
        sample->missed = 0;
        sample->missed_before = 0;
        sample->stall = 0;
    } else if (now - counted >= OS_LATE_LEAST) {
        count_lateness(worker, counted);
    }
    sample->start = counted;
    sample->latency = now - counted;
    bool goes_on = digest(worker, sample);
    if (sample->in_burst)
        worker->account.burst_counts = sample_counts(sample);
    conclude(worker, sample, goes_on);
    inflight_release(&queue->inflight, entry);
}

/* Completes COUNT requests that were done at NOW, except for writes that a flush follows.
 */
static void
complete_all(struct worker *worker, int count, int64_t now)
{
    struct io_completion *done = worker->queue.inflight.completions;
    bool flushes = worker->target->flushes_writes;
    int ended = flushes ? 0 : count;
    for (int i = 0; flushes && i < count; i++) /* all flushes are sent first */
        if (!flush_written(worker, &done[i], now))
            done[ended++] = done[i];
    while (ended-- > 0)
        complete(worker, done++, now);
}

bool
worker_time_out_request(struct worker *worker, struct inflight_request *entry,
                        int64_t start, int64_t now)
{
    struct inflight *inflight = &worker->queue.inflight;
    struct sample *sample = &entry->sample;
    sample->start = start;
    sample->sync = entry->written_at ? now - entry->written_at : 0;
    sample->bytes = 0;
    sample->error = 0;
    sample->was_stopped = false;
    sample->timed_out = true;
    if (inflight->taken_count == inflight->count)
        worker_miss(
            worker, sample,
            schedule_skip(&worker->schedule, worker_group_until(worker->group, now)));
    inflight_lose(inflight, entry);
    sample->start = entry->due_at ? entry->due_at : start;
    sample->latency = now - sample->start;
    return digest(worker, sample);
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
        struct inflight_request *entry = worker->queue.inflight.ring.younger;
        int64_t start = entry->sample.start, since = waits_since(start);
        if (!start || now - since < worker->plan->ends.timeout ||
            os_process_stopped(since))
            return;
        conclude(worker, &entry->sample,
                 worker_time_out_request(worker, entry, start, now));
    }
}

/* Fails all requests in flight with errno CODE, since the engine is of no use any more.
 * Returns how many. */
static int
fail_all(struct worker *worker, int code)
{
    struct inflight *inflight = &worker->queue.inflight;
    int count = 0;
    for (const struct inflight_request *entry = inflight->ring.younger;
         entry != &inflight->ring; entry = entry->younger)
        inflight->completions[count++] =
            (struct io_completion){.slot = entry->request.slot, .error = code};
    worker->schedule.is_sending = false;
    return count;
}

/* Sends the submitted requests and waits for completions, until WHEN, when the next is
 * due; if all requests are lost, for a late answer, and no longer than a moment. Returns
 * the time. */
static int64_t
reap(struct worker *worker, int64_t when)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight *inflight = &queue->inflight;
    int64_t timeout = worker->plan->ends.timeout, spin = worker->schedule.spin_time;
    int64_t oldest = inflight->ring.younger->sample.start, end = when;
    int64_t start = os_clock_now();
    int64_t since = oldest ? oldest : start;
    if (when < INT64_MAX && spin)
        end = when - spin > start ? when - spin : IO_AT_ONCE;
    if (inflight->lost_count == inflight->count) {
        since = HANDOFF_LOST;
        end = time_earlier(atomic_load(&worker->over), start + LOST_LOOK);
    } else if (timeout < INT64_MAX) {
        int64_t late = time_add(waits_since(since), timeout);
        end = time_earlier(end, late > start ? late : start + MS);
    }
    handoff_release(&worker->handoff, since);
    int count = queue->engine->reap(queue->io_queue, inflight->completions, end);
    int64_t now = os_clock_now();
    int code = count < 0 ? errno : 0;
    handoff_acquire(&worker->handoff, since);
    worker->schedule.has_overslept = false;
    if (now >= when)
        worker->schedule.has_overslept = end != IO_AT_ONCE && !queue->has_unsent;
    queue->has_unsent = false;
    for (struct inflight_request *entry = inflight->ring.older;
         entry != &inflight->ring && !entry->sample.start; entry = entry->older)
        entry->sample.start = start;
    complete_all(worker, count < 0 ? fail_all(worker, code) : count, now);
    if (timeout < INT64_MAX)
        time_out_requests(worker, now);
    return now;
}

/* Prepares the loop and waits for the common begin. Returns the time. */
static int64_t
begin(struct worker *worker)
{
    const struct plan *plan = worker->plan;
    const struct job_phases *phases = worker->job->phases;
    struct worker_account *account = &worker->account;
    struct schedule *schedule = &worker->schedule;
    int64_t begin = worker->group->begin_at;
    int64_t first =
        phases && phases->began_at ? phases->began_at : begin; /* of all phases */
    if (worker->queue.engine->begin)
        worker->queue.engine->begin(
            worker->queue.io_queue); /* if it fails, so does reap */
    os_clock_sharpen();
    schedule->end_at = schedule->deadline = INT64_MAX;
    int64_t now = wait_until(worker, begin, os_clock_now());
    int64_t started = worker_group_start(worker->group, now);
    if (!plan->pace.open_loop) /* else what is due is so from the common begin on */
        begin = started;
    schedule_start(schedule, plan, worker->index, &worker->group->next_arrival, begin,
                   now);
    account->began = schedule->settle_end;
    account->is_rapid = plan->pace.interval == 0;
    account->busy_until = account->is_rapid ? account->began : 0;
    account->is_plain = !account->track && !account->series.capacity && !account->log &&
                        !worker->reports && !worker->judges_slow &&
                        !worker->group->busy_lock;
    atomic_store_explicit(&worker->over,
                          schedule->is_open_loop ? schedule->deadline : schedule->end_at,
                          memory_order_relaxed);
    if (account->track)
        track_start(account->track, first, plan->pace.interval);
    if (account->log) {
        attribution_begin(account->attribution, account->log);
        account->log->began_at = first;
        account->log->slot_interval = plan->pace.interval;
    }
    return now;
}

/* Finds what of the working set has become holes. That may hang like a request, and is
 * abandoned likewise; a target that has not answered all requests is left alone. */
static void
find_holes(struct worker *worker)
{
    int64_t now = os_clock_now();
    if (worker->queue.inflight.lost_count)
        return;
    atomic_store_explicit(&worker->over, now, memory_order_relaxed);
    handoff_release(&worker->handoff, now);
    double holes = target_new_holes(&worker->job->target, worker->plan);
    handoff_acquire(&worker->handoff, now);
    worker->account.holes = holes;
}

void
worker_run(struct worker *worker)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight *inflight = &queue->inflight;
    struct schedule *schedule = &worker->schedule;
    struct worker_account *account = &worker->account;
    int64_t now = begin(worker);
    for (;;) {
        int64_t when = submit_due(worker, now);
        bool reaps = inflight->taken_count > inflight->lost_count;
        if (!reaps) {
            reaps = inflight->lost_count == inflight->count;
            if (reaps && worker_is_over(worker, schedule_next(schedule, now), now))
                schedule->is_sending = false;
            if (!schedule->is_sending)
                break;
            if (reaps)
                worker_miss_so_far(worker, now);
            worker_share(worker);
        }
        now = reaps ? reap(worker, when) : wait_until(worker, when, now);
    }
    if (queue->engine->end)
        queue->engine->end(queue->io_queue);
    account->ended = os_clock_now();
    worker_miss_rest(worker, account->ended, inflight->taken_count < inflight->count);
    account->ended = time_later(account->ended, account->began); /* if nothing counts */
    worker_end_busy(worker, account->ended);
    worker_share(worker);
    find_holes(worker);
}
