/*
 * Requests that were due and are never sent, and requests that are given up in flight.
 * Neither kind has a sample, so they are added to the statistics and to the period
 * directly.
 *
 * The schedule (schedule.c) finds out which requests are missed; the functions here ask
 * it in each situation and count the result: while a worker has no free slot, when its
 * run ends, after it was abandoned, and after the process was stopped.
 */
#include "missed.h"

#include "run_private.h"

bool
worker_miss(struct worker *worker, struct sample *sample, uint64_t count)
{
    const struct schedule *schedule = &worker->schedule;
    const struct pattern *pattern = &schedule->pattern;
    struct worker_account *account = &worker->account;
    enum operation next = pattern->mix.turns[pattern->turn];

    if (count == 0 || os_process_stopped(schedule->missed_since))
        return false;
    if (sample) {
        sample->missed += count;
        return true;
    }
    stats_miss(&account->total, next, count);
    notify_missed(worker->job, next, count);
    if (account->track)
        track_miss(account->track, schedule->missed_since - schedule->interval, count);

    return true;
}

bool
worker_pass_stopped(struct worker *worker, int64_t when, int64_t now)
{
    if (!was_stopped(when, now))
        return false;
    int64_t resumed = os_process_resumed();
    worker->account.total.skipped_stopped +=
        schedule_stopped(&worker->schedule, resumed > when ? resumed : now);

    return true;
}

/*
 * Adds the waits of the grid points that passed during a burst which the end of the run,
 * at NOW, has cut off. As at the end of a complete burst, there are no waits if the last
 * request of the burst does not count, and no waits for points after the last request
 * was due.
 */
static void
wait_rest(struct worker *worker, int64_t now)
{
    const struct schedule *schedule = &worker->schedule;
    const struct pattern *pattern = &schedule->pattern;
    enum operation next = pattern->mix.turns[pattern->turn];
    int64_t until =
        time_earlier(worker_group_until(worker->group, now), schedule->end_at);
    int64_t stall = missed_stall(schedule, now);

    if (!worker->account.burst_counts)
        return;
    stats_wait(&worker->account.total, next, stall, now - until);
    notify_waits(worker->job, next, stall, now - until);
}

bool
worker_miss_rest(struct worker *worker, int64_t now, bool ready)
{
    struct schedule *schedule = &worker->schedule;
    int64_t next = schedule_next(schedule, now);
    int64_t until = worker_group_until(worker->group, now);
    bool last = worker_is_over(worker, next, now);

    if (last && schedule->is_open_loop)
        worker_pass_stopped(worker, next, now);
    if (worker_miss(worker, NULL, schedule_end(schedule, until, last, ready)) && ready)
        wait_rest(worker, now);

    return last;
}

void
worker_miss_so_far(struct worker *worker, int64_t now)
{
    int64_t until = worker_group_until(worker->group, now);
    worker_miss(worker, NULL, schedule_skip(&worker->schedule, until));
}

bool
worker_miss_on(struct worker *worker, int64_t now)
{
    struct worker_account *account = &worker->account;
    struct schedule *schedule = &worker->schedule;
    int64_t until =
        time_earlier(worker_group_until(worker->group, now), schedule->end_at);

    if (schedule->is_sending)
        schedule->is_sending = !worker_miss_rest(worker, now, false);
    if (schedule->is_sending)
        return false;
    account->counted_until = time_later(account->counted_until, until);

    return true;
}

void
worker_abandon(struct worker *worker, int64_t now)
{
    struct worker_account *account = &worker->account;
    const struct inflight_request *ends = &worker->queue.inflight.ring;

    for (const struct inflight_request *entry = ends->younger; entry != ends;
         entry = entry->younger) {
        int64_t start = entry->sample.start;
        if ((start ? start : now) < account->counted_from)
            continue;
        stats_abandon(&account->total, &entry->sample);
        notify_given_up(worker->job, &entry->sample);
    }
    /* otherwise no further request was due */
    if (worker->schedule.is_sending)
        worker_miss_rest(worker, now, false);
    /* otherwise all requests that it sent have been answered */
    if (!account->counted_until)
        account->counted_until = now;
    account->counted_from = time_earlier(account->counted_from, now);
}
