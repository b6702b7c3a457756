/*
 * Counts requests that were due but are never sent, and requests in flight that are given
 * up. Such requests have no result (no sample), so they are added to the statistics and
 * to the period directly.
 *
 * The schedule (schedule.c) decides which requests are missed. The functions here call it
 * and count its result: when no slot of a worker is free, when the run of a worker ends,
 * after a worker was abandoned, and after the process was stopped.
 */
#include "missed.h"

#include "run_private.h"

bool
worker_count_missed(struct worker *worker, struct sample *sample, uint64_t count)
{
    const struct schedule *schedule = &worker->schedule;
    const struct pattern *pattern = &schedule->pattern;
    struct worker_account *account = &worker->account;
    enum operation next = pattern->mix.turns[pattern->turn];

    if (count == 0 || os_process_was_stopped(schedule->missed_since))
        return false;
    if (sample) {
        sample->missed += count;
        return true;
    }
    stats_miss(&account->total, next, count);
    period_add_missed(worker->job, next, count);
    if (account->track)
        track_miss(account->track, schedule->missed_since - schedule->interval, count);

    return true;
}

bool
worker_give_up_stopped(struct worker *worker, int64_t when, int64_t now)
{
    if (!was_stopped(when, now))
        return false;
    int64_t resumed = os_process_resumed_at();
    int64_t until = resumed > when ? resumed : now;
    worker->account.total.skipped_stopped +=
        schedule_give_up_stopped(&worker->schedule, until);

    return true;
}

/*
 * Adds waits (-corrected) if the run ended at NOW in the middle of a burst. Each request
 * that was missed during the burst gets a wait: the time that it would have waited until
 * NOW. The rules are the same as after a complete burst. Nothing is added if the last
 * answered request of the burst does not count. The time in which no request was due any
 * more is not part of a wait.
 */
static void
add_cut_off_waits(struct worker *worker, int64_t now)
{
    const struct schedule *schedule = &worker->schedule;
    const struct pattern *pattern = &schedule->pattern;
    enum operation next = pattern->mix.turns[pattern->turn];
    int64_t until =
        time_earlier(worker_group_last_due(worker->group, now), schedule->end_at);
    int64_t stall = missed_stall(schedule, now);

    if (!worker->account.burst_counts)
        return;
    stats_wait(&worker->account.total, next, stall, now - until);
    period_add_waits(worker->job, next, stall, now - until);
}

bool
worker_give_up_due(struct worker *worker, int64_t now, bool ready)
{
    struct schedule *schedule = &worker->schedule;
    int64_t next = schedule_next(schedule, now);
    int64_t until = worker_group_last_due(worker->group, now);
    bool is_over = worker_is_over(worker, next, now);

    if (is_over && schedule->is_open_loop)
        worker_give_up_stopped(worker, next, now);
    uint64_t missed = schedule_end(schedule, until, is_over, ready);
    if (worker_count_missed(worker, NULL, missed) && ready)
        add_cut_off_waits(worker, now);

    return is_over;
}

void
worker_count_missed_until(struct worker *worker, int64_t now)
{
    int64_t until = worker_group_last_due(worker->group, now);
    worker_count_missed(worker, NULL, schedule_skip(&worker->schedule, until));
}

bool
worker_count_missed_abandoned(struct worker *worker, int64_t now)
{
    struct worker_account *account = &worker->account;
    struct schedule *schedule = &worker->schedule;
    int64_t until =
        time_earlier(worker_group_last_due(worker->group, now), schedule->end_at);

    if (schedule->is_sending)
        schedule->is_sending = !worker_give_up_due(worker, now, false);
    if (schedule->is_sending)
        return false;
    account->counted_until = time_later(account->counted_until, until);

    return true;
}

void
worker_end_abandoned(struct worker *worker, int64_t now)
{
    struct worker_account *account = &worker->account;
    const struct inflight_request *ring = &worker->queue.inflight.ring;

    for (const struct inflight_request *entry = ring->younger; entry != ring;
         entry = entry->younger) {
        int64_t start = entry->sample.start;
        if (!start)
            start = now; /* the request was submitted, but has no time stamp yet */
        if (start < account->counted_from)
            continue;
        stats_abandon(&account->total, &entry->sample);
        period_add_given_up(worker->job, &entry->sample);
    }
    /* If the worker had stopped sending, no further request was due. */
    if (worker->schedule.is_sending)
        worker_give_up_due(worker, now, false);
    /* If the loop of the worker had already ended, `counted_until` is set: all requests
     * were answered, and the worker got stuck after that. */
    if (!account->counted_until)
        account->counted_until = now;
    account->counted_from = time_earlier(account->counted_from, now);
}
