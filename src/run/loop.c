/*
 * The loop of a worker:
 *
 *     submit_due         takes free slots and submits the due requests to the engine
 *     reap_requests      takes the start stamp, lets the engine send the requests and
 *                        wait, and takes the end stamp
 *     complete_request   judges, records and reports each answered request
 *     wait_until         instead of reap_requests: sleeps if no request is in flight or
 *                        due
 *
 * Only reap_requests takes time stamps. Between the two stamps are the engine and what
 * its wait requires: computing its deadline, and releasing the handoff.
 *
 *     submit  stamp [release handoff] engine->reap stamp [acquire handoff] judge, record
 *             |<-------------- latency --------------->|
 *
 * So the latency of a request that is answered during the first wait contains no other
 * work of the loop. If it is answered during a later wait, its latency also contains the
 * work that the loop does for other requests in between. If a write needs a flush, its
 * latency contains the work of the loop between the write and the flush. At most
 * SUBMIT_BATCH requests have the same start stamp. All requests that the engine returns
 * together have the same end stamp.
 *
 * The schedule says when a request is due. In an open loop the latency of a request that
 * is sent late begins when it was due. Stalls, timeouts and stops of the process are
 * judged by the time when the request was sent. In an open loop a single worker sleeps
 * until shortly before a request is due, and then polls the clock and the engine.
 *
 * With -R or -i 0 a request is due as soon as a slot is free. Then all work outside of
 * the time stamps lowers the rate that the engine can reach, so the loop does little of
 * it.
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
#define OUT_OF_LINE __attribute__((noinline))

/* Maximum number of requests with the same start stamp. It is small, because the time to
 * send all of them is in the latency of each. */
#define SUBMIT_BATCH 3

/* Storage that removes duplicate data compares blocks of at least this many bytes. */
#define DEDUPLICATION_UNIT 4096

/* Moves the busy spans of the worker to its group. */
static void
move_busy_to_group(struct worker *worker)
{
    struct worker_group *group = worker->group;

    if (!group->busy_lock || worker->account.busy.count == 0)
        return;
    os_lock_acquire(group->busy_lock);
    busy_log_move(&worker->account.busy, &group->busy);
    os_lock_release(group->busy_lock);
}

void
worker_hand_over_logs(struct worker *worker)
{
    move_busy_to_group(worker);
    if (worker->account.attribution)
        attribution_take(worker->account.attribution, worker->account.log);
}

/* Finds where the time of SAMPLE was spent (-breakdown). The verdict of SAMPLE must be
 * set. If the worker reports each request, this must be done at once, because the report
 * shows the parts of the time. Otherwise the thread of the attribution does it later. */
static void
log_for_breakdown(struct worker *worker, struct sample *sample)
{
    struct attribution_log *log = worker->account.log;

    if (sample_failed(sample))
        return;
    if (worker->reports_requests) {
        attribution_record(worker->account.attribution, log, sample);
    } else if (sample_counts(sample)) {
        log->samples[log->count++] = *sample;
        if (log->count == log->capacity)
            attribution_take(worker->account.attribution, log);
    }
}

/* Adds SAMPLE to the busy time. If requests are sent back to back, the time that the
 * program needs between two requests also counts as busy, unless the process was stopped
 * in between. */
static void
record_busy(struct worker *worker, const struct sample *sample)
{
    struct worker_account *account = &worker->account;
    int64_t start = sample->start;
    int64_t end = start + sample->latency;
    int64_t until = account->busy_until;
    bool is_busy = sample_is_busy(sample);
    bool joins_span = until && until < start && !was_stopped(until, start);

    account->busy_from = joins_span ? until : start;
    if (account->is_rapid)
        account->busy_until = is_busy ? time_later(until, end) : 0;
    if (!is_busy)
        return;
    if (account->busy.count == BUSY_LOG)
        move_busy_to_group(worker);
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

/* Records SAMPLE in everything except the statistics: busy time, breakdown, series and
 * track. During the settling time, before `counted_from`, a sample is only shown: in the
 * track and in the reports. */
OUT_OF_LINE static void
record_extras(struct worker *worker, struct sample *sample)
{
    struct worker_account *account = &worker->account;
    bool has_settled = sample->start >= account->counted_from;
    bool counts = sample_counts(sample);

    if (has_settled && worker->group->busy_lock)
        record_busy(worker, sample);
    if (has_settled && account->attribution)
        log_for_breakdown(worker, sample);
    if (has_settled && counts && account->series.capacity)
        series_record(&account->series, sample->start, sample->latency);
    if (account->track)
        track_record(account->track, sample);
    if (worker->reports_requests)
        stats_compare(&account->total, sample);
    if (worker->needs_slow_above)
        sample->slow_above = stats_slow_above(&account->total, sample);
}

/* Notes that the request of SAMPLE has failed. Returns true if the run goes on. */
OUT_OF_LINE static bool
note_failed_request(struct worker *worker, const struct sample *sample)
{
    bool is_ignored = worker->plan->end.ignore_error;

    if (sample->error == EAGAIN && worker->plan->io.rw_flags & OS_RW_NOWAIT)
        return true;
    if (sample->start >= worker->account.counted_from)
        worker->account.error_count++;
    if (worker->account.first_failed.index == 0)
        worker->account.first_failed = *sample;
    if (sample->timed_out && !is_ignored)
        atomic_store(&worker->job->run->timed_out, true);

    return is_ignored;
}

/* Sets the verdict of SAMPLE, which says whether it counts, or why not, and records
 * SAMPLE. Returns true if the run goes on. */
static inline bool
judge_and_record(struct worker *worker, struct sample *sample)
{
    struct worker_account *account = &worker->account;

    stats_judge(&worker->plan->statistics.limits, sample);
    if (sample->start >= account->counted_from)
        stats_record(&account->total, sample);
    if (!account->is_plain)
        record_extras(worker, sample);

    return !sample_failed(sample) || note_failed_request(worker, sample);
}

/* Reports SAMPLE, which has been recorded. Stops the job if GOES_ON is false or if the
 * report cannot be written. */
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

/* Evicts the block at OFFSET from the page cache. As this may hang like a request, the
 * handoff is released meanwhile, so that the supervisor can abandon the worker. Returns
 * true if the block is still cached. */
static bool
evict_block(struct worker *worker, int64_t offset, int64_t now)
{
    int64_t oldest = worker->queue.inflight.ring.younger->sample.start;
    int64_t since = oldest ? oldest : now;

    handoff_release(&worker->handoff, since);
    bool is_cached =
        target_evict(worker->target, offset, worker->plan->workload.request_size);
    handoff_acquire(&worker->handoff, since);

    return is_cached;
}

/*
 * Prepares the working file for the write of ENTRY, which is not sent yet and must extend
 * the file (-append). If the file already has a block at that offset, empties the file.
 * No latency includes the time for that, and requests that would have been due in that
 * time are not counted as missed.
 *
 * If the file cannot be emptied, stores the errno in `write_error`, and makes the request
 * a flush, because a write would not extend the file. The next append tries again to
 * empty the file.
 */
static void
prepare_append(struct worker *worker, struct inflight_request *entry, int64_t now)
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

/* Overwrites 8 bytes of each unit of the data that ENTRY writes, so that no two writes
 * store the same data: storage that removes duplicates would skip the second write. */
static void
randomize_write_buffer(struct worker_queue *queue, const struct inflight_request *entry)
{
    int64_t size = entry->sample.size;
    char *buffer = queue->memory + queue->buffer_size * (size_t)entry->request.slot;

    for (int64_t position = 0; position < size; position += DEDUPLICATION_UNIT) {
        int64_t remaining = size - position;
        random_fill(&queue->data, buffer + position,
                    remaining < 8 ? (size_t)remaining : 8);
    }
}

/* Submits the next request to the engine at NOW. The engine sends it in the next
 * reap_requests. */
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
        worker_count_missed(worker, sample, missed);
    sample->missed_before = sample->missed;
    sample->in_burst = schedule->burst > 1;
    sample->stall = 0;
    entry->written_at = 0;
    queue->has_unsent = true;

    sample->start = 0; /* 0 until reap_requests sends the request */
    sample->split.result = SPLIT_NOT_TRIED;
    sample->index = schedule->ordinal++;
    schedule->ordinal_count--;
    sample->offset = pattern_next(&schedule->pattern, &sample->operation);
    sample->was_cached = false;

    entry->request.operation = sample->operation;
    entry->request.offset = sample->offset;
    int flags = operations[sample->operation].flags;
    sample->size = flags & OPERATION_MOVES ? (int64_t)entry->request.size : 0;
    if (flags & OPERATION_WRITES) {
        randomize_write_buffer(queue, entry);
        if (worker->plan->workload.is_log)
            prepare_append(worker, entry, now);
    } else if (flags & OPERATION_READS &&
               worker->target->description.mode == IO_MODE_NOCACHE) {
        sample->was_cached = evict_block(worker, sample->offset, now);
        if (worker->target->counts_sectors)
            queue->sectors = os_thread_sectors();
    }
    queue->engine->submit(queue->io_queue, &entry->request);
}

/* Makes sure that the worker has an ordinal, a number, for its next request, which is due
 * at WHEN. Returns false if the limit of requests (-c) is reached. If the order of the
 * numbers makes no difference, takes 16 at a time, which saves accesses to a cache line
 * that all workers share. */
static inline bool
ensure_ordinal(struct worker *worker, int64_t when)
{
    struct schedule *schedule = &worker->schedule;

    if (schedule->ordinal_count > 0)
        return true;
    bool order_matters = worker->reports_requests ||
                         worker->group->max_requests < UINT64_MAX ||
                         schedule->ordinal <= worker->plan->statistics.limits.warmup;
    schedule->ordinal_count = worker_group_take_ordinals(
        worker->group, order_matters ? 1 : 16, when, &schedule->ordinal);

    return schedule->ordinal_count > 0;
}

/* Unless the worker has already sent the minimum number of requests of its plan, extends
 * the work time to just after WHEN, when the next request is due. */
static void
extend_work_time(struct worker *worker, int64_t when)
{
    if (worker->account.total.requests >= worker->plan->end.min_requests)
        return;
    worker->schedule.end_at = time_add(when, 1);
    atomic_store_explicit(&worker->work_ends_at, worker->schedule.end_at,
                          memory_order_relaxed);
}

/* Submits the requests that are due at NOW, if slots are free, at most SUBMIT_BATCH of
 * them. Returns the time at which the next request is due: IO_AT_ONCE after SUBMIT_BATCH
 * requests, because more may be due; INT64_MAX if no slot is free or the worker sends no
 * more. */
static int64_t
submit_due(struct worker *worker, int64_t now)
{
    struct inflight *inflight = &worker->queue.inflight;
    struct schedule *schedule = &worker->schedule;
    const _Atomic int64_t *period_due = &worker->group->period_end;
    int batch_end = inflight->taken_count + SUBMIT_BATCH;

    while (schedule->is_sending && inflight->taken_count < inflight->count) {
        int64_t when = schedule_due(schedule, now);
        if (inflight->taken_count == batch_end)
            return IO_AT_ONCE;
        if (when >= schedule->end_at)
            extend_work_time(worker, when);
        if (worker_is_over(worker, when, now)) {
            schedule->is_sending = false;
            break;
        }
        if (when > now)
            return when;
        if (schedule->is_open_loop && worker_give_up_stopped(worker, when, now))
            continue;
        if (now >= atomic_load_explicit(period_due, memory_order_relaxed) &&
            notify_end_due_period(worker->job, now) < 0) {
            schedule->is_sending = false;
            break;
        }
        if (!ensure_ordinal(worker, when)) {
            schedule->is_sending = false;
            break;
        }
        submit_request(worker, now);
    }

    return INT64_MAX;
}

/* Waits until WHEN (ns, monotonic), or until the run ends: sleeps, and busy-waits for the
 * last `spin_time`. Returns the time, which is before WHEN only if the run ends. */
static int64_t
wait_until(struct worker *worker, int64_t when, int64_t now)
{
    struct schedule *schedule = &worker->schedule;

    if (now >= when)
        return now;
    do {
        bool spins = when - now <= schedule->spin_time;
        int status = -1;
        if (!spins) {
            handoff_release(&worker->handoff, HANDOFF_IDLE);
            status = os_sleep_until(when - schedule->spin_time);
            handoff_acquire(&worker->handoff, HANDOFF_IDLE);
        }
        now = status == 0 && !schedule->is_open_loop ? when : os_clock_now();
        schedule->has_overslept = now >= when;
    } while (now < when && !worker_is_over(worker, when, now));

    return now;
}

/* If DONE is the completion of a write that needs a flush, submits the flush and returns
 * true; the latency of the request then ends with the flush. Else returns false. */
static bool
submit_flush(struct worker *worker, const struct io_completion *done, int64_t now)
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

/* If the program itself could not run for a second or more during a request, counts the
 * request in `late_count`: the device may not be the cause of the long latency. The
 * request has just ended, and its latency began at START. */
OUT_OF_LINE static void
count_lateness(struct worker *worker, int64_t start)
{
    if (start >= worker->account.counted_from && os_process_was_late(start))
        worker->account.total.late_count++;
}

/*
 * Completes the sample of the request of DONE, which ended at NOW, records it, and frees
 * its slot. A lost request was recorded when it timed out, so only its slot is freed. If
 * no slot was free until NOW, `missed` of the sample counts the requests that were missed
 * because of that. `tail_after_end` is the last part of the latency, in which no request
 * was due any more, because the run had ended.
 */
static inline void
complete_request(struct worker *worker, const struct io_completion *done, int64_t now)
{
    struct worker_queue *queue = &worker->queue;
    struct inflight_request *entry = &queue->inflight.list[done->slot];
    struct sample *sample = &entry->sample;

    if (queue->inflight.taken_count == queue->inflight.count) {
        int64_t until = worker_group_last_due(worker->group, now);
        uint64_t missed = schedule_freed(&worker->schedule, until, now);
        sample->tail_after_end = now - time_earlier(until, worker->schedule.end_at);
        if (missed)
            worker_count_missed(worker, entry->is_lost ? NULL : sample, missed);
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
    int64_t began = entry->due_at ? entry->due_at : sample->start;
    sample->was_stopped = was_stopped(began, now);
    sample->timed_out =
        now - sample->start >= worker->plan->end.timeout && !sample->was_stopped;
    if (worker->target->counts_sectors &&
        operations[sample->operation].flags & OPERATION_READS)
        sample->was_cached = os_thread_sectors() == queue->sectors;
    if (sample->was_stopped) {
        sample->missed = 0;
        sample->missed_before = 0;
        sample->stall = 0;
    } else if (now - began >= OS_LATE_MIN) {
        count_lateness(worker, began);
    }
    sample->start = began;
    sample->latency = now - began;

    bool goes_on = judge_and_record(worker, sample);
    if (sample->in_burst)
        worker->account.burst_counts = sample_counts(sample);
    report_sample(worker, sample, goes_on);
    inflight_release(&queue->inflight, entry);
}

/* Completes COUNT requests that were answered at NOW, except writes that need a flush
 * first. */
static void
complete_answered(struct worker *worker, int count, int64_t now)
{
    struct io_completion *done = worker->queue.inflight.completions;
    int ended = count;

    /* Submits all flushes first, because completing a request takes time. */
    if (worker->target->flushes_writes) {
        ended = 0;
        for (int i = 0; i < count; i++)
            if (!submit_flush(worker, &done[i], now))
                done[ended++] = done[i];
    }
    for (int i = 0; i < ended; i++)
        complete_request(worker, &done[i], now);
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
    if (inflight->taken_count == inflight->count) {
        int64_t until = worker_group_last_due(worker->group, now);
        worker_count_missed(worker, sample, schedule_skip(&worker->schedule, until));
    }
    inflight_lose(inflight, entry);
    sample->start = entry->due_at ? entry->due_at : start;
    sample->latency = now - sample->start;

    return judge_and_record(worker, sample);
}

/* Returns since when a request that was sent at START has been waiting. If the process
 * was stopped in the meantime, only the time since it continued counts. */
static int64_t
waits_since(int64_t start)
{
    return time_later(start, os_process_resumed_at());
}

/* Fails the requests that have had no answer for the timeout of the plan (-timeout), the
 * oldest first. Does nothing if the process was stopped in that time and the supervisor
 * has not noted the stop yet: once it has, the timeout of the requests begins anew. */
static void
time_out_requests(struct worker *worker, int64_t now)
{
    for (;;) {
        struct inflight_request *entry = worker->queue.inflight.ring.younger;
        int64_t start = entry->sample.start;
        int64_t since = waits_since(start);
        if (!start || now - since < worker->plan->end.timeout ||
            os_process_was_stopped(since))
            return;
        bool goes_on = worker_time_out_request(worker, entry, start, now);
        report_sample(worker, &entry->sample, goes_on);
    }
}

/* Makes a completion with the errno CODE for each request in flight, because the engine
 * cannot be used any more. Returns how many completions it has made. */
static int
fail_in_flight(struct worker *worker, int code)
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

/* Sends the submitted requests and waits for completions, at most until WHEN, when the
 * next request is due. If each slot has a request that timed out, waits a short time for
 * a late answer. Completes the answered requests, and fails requests that have timed out.
 * Returns the time when the wait ended. */
static int64_t
reap_requests(struct worker *worker, int64_t when)
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
        end =
            time_earlier(atomic_load(&worker->work_ends_at), start + LOST_POLL_INTERVAL);
    } else if (timeout < INT64_MAX) {
        int64_t times_out_at = time_add(waits_since(since), timeout);
        end = time_earlier(end, times_out_at > start ? times_out_at : start + MS);
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
    /* The youngest requests have no time stamp yet: this call has sent them. */
    for (struct inflight_request *entry = inflight->ring.older;
         entry != &inflight->ring && !entry->sample.start; entry = entry->older)
        entry->sample.start = start;
    if (count < 0)
        count = fail_in_flight(worker, code);
    complete_answered(worker, count, now);
    if (timeout < INT64_MAX)
        time_out_requests(worker, now);

    return now;
}

/* Prepares the loop and waits until the common begin of all workers. Returns the time. */
static int64_t
begin_loop(struct worker *worker)
{
    const struct plan *plan = worker->plan;
    const struct job_phases *phases = worker->job->phases;
    struct worker_account *account = &worker->account;
    struct schedule *schedule = &worker->schedule;
    int64_t begin_at = worker->group->begin_at;
    /* All phases of -load have one track, which begins with the first phase. */
    int64_t track_begin = phases && phases->began_at ? phases->began_at : begin_at;

    /* Errors are ignored here, because then the first `reap` of the engine fails too. */
    if (worker->queue.engine->begin)
        worker->queue.engine->begin(worker->queue.io_queue);

    os_clock_sharpen();
    schedule->end_at = INT64_MAX;
    schedule->deadline = INT64_MAX;
    int64_t now = wait_until(worker, begin_at, os_clock_now());
    int64_t started = worker_group_start(worker->group, now);
    /* An open loop counts from the planned begin, so a request that is due while the
     * workers start is late. A closed loop counts from when the first worker is ready. */
    if (!plan->pace.is_open_loop)
        begin_at = started;
    schedule_start(schedule, plan, worker->index, &worker->group->next_arrival, begin_at,
                   now);

    account->counted_from = schedule->settle_end;
    account->is_rapid = plan->pace.interval == 0;
    account->busy_until = account->is_rapid ? account->counted_from : 0;
    account->is_plain = !account->track && !account->series.capacity && !account->log &&
                        !worker->reports_requests && !worker->needs_slow_above &&
                        !worker->group->busy_lock;
    atomic_store_explicit(&worker->work_ends_at,
                          schedule->is_open_loop ? schedule->deadline : schedule->end_at,
                          memory_order_relaxed);
    if (account->track)
        track_start(account->track, track_begin, plan->pace.interval);
    if (account->log) {
        attribution_begin(account->attribution, account->log);
        account->log->began_at = track_begin;
        account->log->slot_interval = plan->pace.interval;
    }

    return now;
}

/* Measures how much of the working set has turned into holes of the file during the run.
 * As this may hang like a request, the handoff is released meanwhile, so that the
 * supervisor can abandon the worker. Does nothing if requests were never answered,
 * because then this would probably hang, too. */
static void
measure_new_holes(struct worker *worker)
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
        bool is_waiting = inflight->taken_count > inflight->lost_count;
        if (!is_waiting) {
            bool has_lost_all = inflight->lost_count == inflight->count;
            if (has_lost_all && worker_is_over(worker, schedule_next(schedule, now), now))
                schedule->is_sending = false;
            if (!schedule->is_sending)
                break;
            if (has_lost_all)
                worker_count_missed_until(worker, now);
            worker_hand_over_logs(worker);
            is_waiting = has_lost_all; /* waits for a late answer, which frees a slot */
        }
        if (is_waiting)
            now = reap_requests(worker, when);
        else
            now = wait_until(worker, when, now);
    }

    if (queue->engine->end)
        queue->engine->end(queue->io_queue);
    account->counted_until = os_clock_now();
    worker_give_up_due(worker, account->counted_until,
                       inflight->taken_count < inflight->count);
    /* `counted_from` is later if the run ended during the settling time. */
    account->counted_until = time_later(account->counted_until, account->counted_from);
    worker_end_busy(worker, account->counted_until);
    worker_hand_over_logs(worker);
    measure_new_holes(worker);
}
