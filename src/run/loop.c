/*
 * The loop of a worker:
 *
 *     submit_due   takes free slots and hands the due requests to the engine
 *     reap         stamps the start | the engine sends and waits | stamps the end
 *     complete     judges and records each answered request, and reports it
 *     wait_until   instead of reap: sleeps if nothing is in flight and nothing is due
 *
 * Only reap stamps requests. Between the two stamps stands the engine, and before the
 * engine no more than the wait requires: the time of its end, and the release of the
 * handoff.
 *
 *     submit  stamp [release handoff] engine->reap stamp [acquire handoff] judge, record
 *             |<-------------- latency --------------->|
 *
 * So a request that is reaped at once has nothing else in its latency. The latency of
 * other requests includes the work that the loop does meanwhile for other requests, and
 * the latency of a write with a flush includes the way through the loop in between. At
 * most TOGETHER requests are sent with one start stamp; all requests that are reaped
 * together have one end stamp.
 *
 * The schedule says when a request is due, and from when its latency counts if it is sent
 * late. Only the sample uses that earlier time: the watch for stalls, timeouts and stops
 * uses the time when the request was sent. In an open loop a lone worker sleeps until
 * shortly before a request is due, and then polls the clock and the engine.
 *
 * A rapid request is due as soon as a slot is free (-R, -i 0). Then each step outside of
 * the stamps lowers the rate that the engine can reach, so its path through this file is
 * short.
 */
#include "missed.h"

#include "base/time.h"
#include "os/os.h"
#include "os/process.h"
#include "os/storage.h"
#include "run_private.h"

#include <errno.h>

/* Keeps a function out of line, so that the fast path (-R) does not spill registers for
 * branches that it rarely takes. */
#define OFF_THE_PATH __attribute__((noinline))

/* The number of requests with one start stamp: the first waits until the last is sent. */
#define TOGETHER 3

/* Storage that deduplicates compares blocks of at least this many bytes. */
#define DEDUPLICATION_UNIT 4096

/* Moves the busy spans of the worker to those of its group. */
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

/* Has trace records attributed to SAMPLE, which has been judged: at once if the worker
 * reports each request, because the report shows the parts; else later, by the thread of
 * the attribution. */
static void
log_for_breakdown(struct worker *worker, struct sample *sample)
{
    struct attribution_log *log = worker->account.log;

    if (sample_failed(sample))
        return;
    if (worker->reports_requests) {
        attribution_record(worker->account.attribution, log, sample);
    } else if (sample_counts(sample)) {
        log->list[log->count++] = *sample;
        if (log->count == log->capacity)
            attribution_take(worker->account.attribution, log);
    }
}

/* Adds SAMPLE to the busy time. Without an interval the next request is due as soon as a
 * request has ended. So the time that the program needs between two requests is no
 * pause, unless the process was stopped in between. */
static void
record_busy(struct worker *worker, const struct sample *sample)
{
    struct worker_account *account = &worker->account;
    int64_t start = sample->start;
    int64_t end = start + sample->latency;
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

/* Adds SAMPLE to the records besides the statistics. A sample that began before the end
 * of the settling is added only where it is shown: to the track and to the reports. */
OFF_THE_PATH static void
record_more(struct worker *worker, struct sample *sample)
{
    struct worker_account *account = &worker->account;
    bool settled = sample->start >= account->counted_from, counts = sample_counts(sample);

    if (settled && worker->group->busy_lock)
        record_busy(worker, sample);
    if (settled && account->attribution)
        log_for_breakdown(worker, sample);
    if (settled && counts && account->series.capacity)
        series_record(&account->series, sample->start, sample->latency);
    if (account->track)
        track_record(account->track, sample);
    if (worker->reports_requests)
        stats_compare(&account->total, sample);
    if (worker->judges_slow)
        sample->slow_above = stats_slow_above(&account->total, sample);
}

/* Notes the failed request of SAMPLE. Returns whether the run goes on. */
OFF_THE_PATH static bool
goes_on_after(struct worker *worker, const struct sample *sample)
{
    bool ignored = worker->plan->end.ignore_error;

    if (sample->error == EAGAIN && worker->plan->io.rw_flags & OS_RW_NOWAIT)
        return true;
    if (sample->start >= worker->account.counted_from)
        worker->account.error_count++;
    if (worker->account.first_failed.index == 0)
        worker->account.first_failed = *sample;
    if (sample->timed_out && !ignored)
        atomic_store(&worker->job->run->timed_out, true);

    return ignored;
}

/* Judges SAMPLE and records it. Returns whether the run goes on. */
static inline bool
judge_and_record(struct worker *worker, struct sample *sample)
{
    struct worker_account *account = &worker->account;

    stats_judge(&worker->plan->statistics.limits, sample);
    if (sample->start >= account->counted_from)
        stats_record(&account->total, sample);
    if (!account->is_plain)
        record_more(worker, sample);

    return !sample_failed(sample) || goes_on_after(worker, sample);
}

/* Reports SAMPLE, which has been recorded. Ends the job unless the run GOES_ON, or if
 * the report cannot be written. */
static inline void
report_sample(struct worker *worker, const struct sample *sample, bool goes_on)
{
    if (worker->reports_requests && notify_sample(worker->job, worker, sample) < 0)
        goes_on = false;
    if (goes_on)
        return;
    worker->schedule.is_sending = false;
    worker_group_stop(worker->group, sample->start + sample->latency);
}

/* Evicts the block at OFFSET from the page cache. As that may hang like a request, the
 * handoff is released meanwhile. Returns whether the block is still cached. */
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
 * Makes the file such that the write of ENTRY, which is not sent yet, extends it: if the
 * working file already has the block, the file is emptied first. That time belongs to no
 * request, and grid points that pass meanwhile are not missed.
 *
 * If the file cannot be emptied, the errno goes to `write_error`, and a flush is sent in
 * place of the write. The next append then tries to empty the file again.
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

/* Changes some bits in every unit of the data that ENTRY writes, so that no two writes
 * store the same data: storage that deduplicates would skip such a write. */
static void
randomize_write_buffer(struct worker_queue *queue, const struct inflight_request *entry)
{
    int64_t size = entry->sample.size;
    char *buffer = queue->memory + queue->buffer_size * (size_t)entry->request.slot;

    for (int64_t at = 0; at < size; at += DEDUPLICATION_UNIT) {
        int64_t left = size - at;
        random_fill(&queue->data, buffer + at, left < 8 ? (size_t)left : 8);
    }
}

/* Hands the next request to the engine, which sends it in the next reap, shortly after
 * NOW. */
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

    sample->start = 0; /* the request has not been sent */
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
        randomize_write_buffer(queue, entry);
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

/* Makes sure that the worker has an ordinal for the next request, which is due at WHEN.
 * Returns false if no ordinal is left. Ordinals are taken in batches if nobody sees
 * them, which saves accesses to a cache line that all workers share. */
static inline bool
take_ordinal(struct worker *worker, int64_t when)
{
    struct schedule *schedule = &worker->schedule;

    if (schedule->ordinal_count > 0)
        return true;
    bool matters = worker->reports_requests || worker->group->max_requests < UINT64_MAX ||
                   schedule->ordinal <= worker->plan->statistics.limits.warmup;
    schedule->ordinal_count =
        worker_group_take(worker->group, matters ? 1 : 16, when, &schedule->ordinal);

    return schedule->ordinal_count > 0;
}

/* Extends the work time to just after WHEN, when a request is due, until the worker has
 * sent the minimum number of requests of its plan. */
static void
extend_work_time(struct worker *worker, int64_t when)
{
    if (worker->account.total.requests >= worker->plan->end.min_requests)
        return;
    worker->schedule.end_at = time_add(when, 1);
    atomic_store_explicit(&worker->work_ends_at, worker->schedule.end_at,
                          memory_order_relaxed);
}

/* Submits requests that are due at NOW while slots are free, at most TOGETHER of them.
 * Returns when the next request is due: IO_AT_ONCE if more are due now, INT64_MAX if no
 * slot is free or no request follows. */
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
            extend_work_time(worker, when);
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

/* Sleeps until WHEN, or less if the run ends. Returns the time, which is before WHEN
 * only if the run ends. */
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

/* Submits the flush that belongs to the write of DONE; the sample of the write ends with
 * the flush. Returns false if no flush follows. */
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

/* Counts a request whose latency counts from START and which has just ended, if the
 * program itself could not run for long meanwhile: then the latency may not be the
 * device's. */
OFF_THE_PATH static void
count_lateness(struct worker *worker, int64_t start)
{
    if (start >= worker->account.counted_from && os_process_was_late(start))
        worker->account.total.late_count++;
}

/*
 * Completes the sample of a request that ended at NOW, and frees its slot. The answer to
 * a lost request is not reported: it has failed already. If all slots were taken, the
 * grid points that were missed meanwhile are charged to this request; `tail_after_end`
 * is the part of its latency after the end of the run, which is not charged.
 */
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
        now - sample->start >= worker->plan->end.timeout && !sample->was_stopped;
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

    bool goes_on = judge_and_record(worker, sample);
    if (sample->in_burst)
        worker->account.burst_counts = sample_counts(sample);
    report_sample(worker, sample, goes_on);
    inflight_release(&queue->inflight, entry);
}

/* Completes COUNT requests that were answered at NOW, except writes that a flush
 * follows. */
static void
complete_all(struct worker *worker, int count, int64_t now)
{
    struct io_completion *done = worker->queue.inflight.completions;
    bool flushes = worker->target->flushes_writes;
    int ended = flushes ? 0 : count;

    /* All flushes are sent before any request is completed. */
    for (int i = 0; flushes && i < count; i++)
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

    return judge_and_record(worker, sample);
}

/* Returns since when a request that was sent at START has been waiting. If the process
 * was stopped meanwhile, that is since it went on. */
static int64_t
waits_since(int64_t start)
{
    return time_later(start, os_process_resumed());
}

/* Fails the requests that have been unanswered for the timeout of the plan, the oldest
 * first. Does nothing if the process was stopped and the supervisor has not noted that
 * yet: when it has, the requests are given more time. */
static void
time_out_requests(struct worker *worker, int64_t now)
{
    for (;;) {
        struct inflight_request *entry = worker->queue.inflight.ring.younger;
        int64_t start = entry->sample.start;
        int64_t since = waits_since(start);
        if (!start || now - since < worker->plan->end.timeout ||
            os_process_stopped(since))
            return;
        report_sample(worker, &entry->sample,
                      worker_time_out_request(worker, entry, start, now));
    }
}

/* Makes completions with errno CODE for all requests in flight, because the engine can
 * no longer be used. Returns how many. */
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

/* Sends the submitted requests and waits for completions until WHEN, when the next
 * request is due. If all slots are lost, waits a short time for a late answer. Completes
 * the answered requests, and fails those that have timed out. Returns the time. */
static int64_t
reap(struct worker *worker, int64_t when)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight *inflight = &queue->inflight;
    int64_t timeout = worker->plan->end.timeout;
    int64_t spin = worker->schedule.spin_time;
    int64_t oldest = inflight->ring.younger->sample.start;
    int64_t end = when;
    int64_t start = os_clock_now();
    int64_t since = oldest ? oldest : start;

    if (when < INT64_MAX && spin)
        end = when - spin > start ? when - spin : IO_AT_ONCE;
    if (inflight->lost_count == inflight->count) {
        since = HANDOFF_LOST;
        end = time_earlier(atomic_load(&worker->work_ends_at), start + LOST_LOOK);
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

/* Prepares the loop and waits until all workers begin. Returns the time. */
static int64_t
begin_loop(struct worker *worker)
{
    const struct plan *plan = worker->plan;
    const struct job_phases *phases = worker->job->phases;
    struct worker_account *account = &worker->account;
    struct schedule *schedule = &worker->schedule;
    int64_t begin_loop = worker->group->begin_at;
    /* the begin of the first phase */
    int64_t first = phases && phases->began_at ? phases->began_at : begin_loop;

    /* If `begin_loop` of the engine fails, reap fails too. */
    if (worker->queue.engine->begin)
        worker->queue.engine->begin(worker->queue.io_queue);

    os_clock_sharpen();
    schedule->end_at = schedule->deadline = INT64_MAX;
    int64_t now = wait_until(worker, begin_loop, os_clock_now());
    int64_t started = worker_group_start(worker->group, now);
    /* In an open loop requests are due from the common begin on. */
    if (!plan->pace.open_loop)
        begin_loop = started;
    schedule_start(schedule, plan, worker->index, &worker->group->next_arrival,
                   begin_loop, now);

    account->counted_from = schedule->settle_end;
    account->is_rapid = plan->pace.interval == 0;
    account->busy_until = account->is_rapid ? account->counted_from : 0;
    account->is_plain = !account->track && !account->series.capacity && !account->log &&
                        !worker->reports_requests && !worker->judges_slow &&
                        !worker->group->busy_lock;
    atomic_store_explicit(&worker->work_ends_at,
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

/* Measures how much of the working set has turned into holes. As that may hang like a
 * request, the handoff is released meanwhile, so that the worker can be abandoned. A
 * target with unanswered requests is not asked. */
static void
find_holes(struct worker *worker)
{
    int64_t now = os_clock_now();

    if (worker->queue.inflight.lost_count)
        return;
    atomic_store_explicit(&worker->work_ends_at, now, memory_order_relaxed);
    handoff_release(&worker->handoff, now);
    double holes = target_new_holes(&worker->job->target, worker->plan);
    handoff_acquire(&worker->handoff, now);
    worker->account.hole_percent = holes;
}

void
worker_run(struct worker *worker)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight *inflight = &queue->inflight;
    struct schedule *schedule = &worker->schedule;
    struct worker_account *account = &worker->account;
    int64_t now = begin_loop(worker);

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
    account->counted_until = os_clock_now();
    worker_miss_rest(worker, account->counted_until,
                     inflight->taken_count < inflight->count);
    /* `began` is later than the end if no request counts. */
    account->counted_until = time_later(account->counted_until, account->counted_from);
    worker_end_busy(worker, account->counted_until);
    worker_share(worker);
    find_holes(worker);
}
