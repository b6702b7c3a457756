/*
 * The schedule of a worker, in three parts: which block and operation is next (the
 * pattern), when the next request is due (the table of arrivals), and the numbers of
 * requests (ordinals), which the workers of a job share. No function here reads a clock.
 *
 * Closed loop: the due times are the points of a time grid, begin + k * interval. At each
 * point one request is due, or a burst of several. A request that is still in flight
 * at the next point moves the grid: its end becomes the next point, and the points that
 * passed before its end are missed (x). With several slots only the request that took the
 * last free slot moves the grid. Points that pass while a slot is free, because the
 * worker's thread did not run, move the grid in the same way.
 *
 *     points     |         |         x    |         |
 *     requests   [===]     [=============][===]     [===]
 *
 * Open loop, at a constant rate or at random: requests are due whether or not earlier
 * requests have ended, as if each came from another client. All workers of a job claim
 * due times from one sequence, each worker as soon as it has a free slot. So no request
 * waits for a busy worker while another worker is free. If a request is due and no slot
 * is free, it waits, and the wait is part of its latency, which avoids coordinated
 * omission:
 *
 *     due        A   B   C   D
 *     slot 1     [A=======][C=====]
 *     slot 2         [B========][D====]
 *     latency            |C-------|
 *     latency                |D-------|
 *
 * The time that a worker needs to wake up from its own sleep is not the target's fault.
 * If a worker has slept past a due time, the latency begins when the request is sent,
 * unless the next request is due by then as well.
 *
 * An open loop sends no request after its deadline, which is one work time after the end
 * of the work time. A request that was due before the end of the work time and was not
 * sent by the deadline is missed.
 */
#include "run/schedule.h"

#include "plan/plan.h"

/* Sets `last_due_at` of GROUP to WHEN, unless it is later already. */
static void
advance_last_due(struct worker_group *group, int64_t when)
{
    int64_t last_due_at = atomic_load(&group->last_due_at);

    while (last_due_at < when)
        if (atomic_compare_exchange_weak(&group->last_due_at, &last_due_at, when))
            return;
}

/* `ordinals_taken` never exceeds `max_requests`, so it cannot overflow. `last_due_at` is
 * set before `ordinals_taken` reaches `max_requests`. So if a worker gets no ordinal,
 * `last_due_at` already says when the last request was due. If several workers set it,
 * the latest time remains. */
uint64_t
worker_group_take_ordinals(struct worker_group *group, uint64_t wanted, int64_t when,
                           uint64_t *first)
{
    uint64_t taken = atomic_load_explicit(&group->ordinals_taken, memory_order_relaxed);
    for (;;) {
        uint64_t remaining = group->max_requests - taken;
        uint64_t count = wanted < remaining ? wanted : remaining;
        *first = taken + 1;
        if (count == 0)
            return 0;
        if (count == remaining)
            advance_last_due(group, when);

        if (group->size == 1) { /* a single worker needs no compare-and-swap */
            atomic_store_explicit(&group->ordinals_taken, taken + count,
                                  memory_order_relaxed);
            return count;
        }
        if (atomic_compare_exchange_weak_explicit(&group->ordinals_taken, &taken,
                                                  taken + count, memory_order_relaxed,
                                                  memory_order_relaxed))
            return count;
    }
}

int64_t
worker_group_start(struct worker_group *group, int64_t now)
{
    int64_t started = 0;
    bool is_first = atomic_compare_exchange_strong(&group->started_at, &started, now);
    return is_first ? now : started;
}

void
worker_group_stop(struct worker_group *group, int64_t now)
{
    int64_t unknown = 0;
    atomic_compare_exchange_strong(&group->last_due_at, &unknown, now);
    atomic_store(&group->is_stopped, true);
}

/* Returns floor(blocks * index / workers), computed without overflow: if blocks =
 * q * workers + r, this equals q * index + floor(r * index / workers). */
static uint64_t
first_block(uint64_t blocks, int workers, int index)
{
    uint64_t divisor = (uint64_t)workers;
    uint64_t factor = (uint64_t)index;
    return blocks / divisor * factor + blocks % divisor * factor / divisor;
}

void
pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
              int index)
{
    random_seed(&pattern->random, random_derive(plan->workload.seed, (uint64_t)index));
    pattern->offset = plan->workload.work_offset;
    pattern->size = plan->workload.request_size;
    pattern->block_count = (uint64_t)(work_size / plan->workload.request_size);
    pattern->next_block = first_block(pattern->block_count, plan->io.threads, index);
    pattern->linear = plan->workload.linear;
    pattern->mix = plan->workload.mix;
    pattern->turn = 0;
}

static int64_t
grid_due(struct schedule *grid, int64_t now)
{
    (void)now;
    return time_later(grid->next_point_at, grid->slot_free_at);
}

/* Skips the due times before UNTIL: `next_point_at`, one interval later, and so on. If
 * some requests of a burst were sent, the due time of that burst is not skipped. */
static uint64_t
grid_give_up(struct schedule *grid, int64_t until, bool last)
{
    bool is_in_burst = grid->burst_left < grid->burst;
    int64_t first_missed = grid->next_point_at;

    (void)last;
    if (is_in_burst)
        first_missed = time_add(first_missed, grid->interval);
    until = time_earlier(until, grid->end_at);
    if (until <= first_missed)
        return 0;
    int64_t count = (until - first_missed - 1) / grid->interval + 1;
    grid->missed_since = first_missed;
    grid->next_point_at =
        time_add(grid->next_point_at, time_multiply(grid->interval, count));

    return grid->from_limit ? 0 : (uint64_t)count;
}

static uint64_t
grid_freed(struct schedule *grid, int64_t until, int64_t now)
{
    uint64_t missed = 0;

    grid->slot_free_at = now;
    if (grid->burst_left == grid->burst && grid->next_point_at < now) {
        missed = grid_give_up(grid, until, false);
        grid->next_point_at = now;
    }

    return missed;
}

static int64_t
grid_sent(struct schedule *grid, int64_t now, uint64_t *missed)
{
    bool is_late =
        grid->burst_left == grid->burst && now - grid->next_point_at >= grid->interval;

    if (is_late && !grid->has_single_slot)
        *missed = grid_freed(grid, now, now);
    if (--grid->burst_left == 0) {
        grid->burst_left = grid->burst;
        grid->next_point_at = time_add(grid->next_point_at, grid->interval);
    }

    return 0;
}

static int64_t
equal_gap(const struct schedule *schedule, int64_t at)
{
    (void)at;
    return schedule->interval;
}

static int64_t
random_gap_after(const struct schedule *schedule, int64_t at)
{
    return random_gap(schedule->seed, (uint64_t)at + 1, schedule->interval);
}

/* Claims the next due time that no worker has claimed, for the calling worker. Returns
 * that time. */
static int64_t
claim_arrival(struct schedule *schedule)
{
    int64_t at = atomic_load_explicit(schedule->next_arrival, memory_order_relaxed);

    for (;;) {
        int64_t next = time_add(at, schedule->arrivals->gap(schedule, at));
        if (schedule->has_single_worker) { /* a single worker needs no compare-and-swap */
            atomic_store_explicit(schedule->next_arrival, next, memory_order_relaxed);
            return time_add(schedule->begin_at, at);
        }
        if (atomic_compare_exchange_weak_explicit(schedule->next_arrival, &at, next,
                                                  memory_order_relaxed,
                                                  memory_order_relaxed))
            return time_add(schedule->begin_at, at);
    }
}

static int64_t
shared_due(struct schedule *schedule, int64_t now)
{
    (void)now;
    if (!schedule->claimed_due)
        schedule->claimed_due = claim_arrival(schedule);
    return schedule->claimed_due;
}

static int64_t
shared_sent(struct schedule *schedule, int64_t now, uint64_t *missed)
{
    (void)missed;
    int64_t due = schedule->claimed_due;
    int64_t gap = schedule->arrivals->gap(schedule, due - schedule->begin_at);
    bool overslept = schedule->has_overslept && time_add(due, gap) > now;
    schedule->claimed_due = 0;
    schedule->has_overslept = false;

    return overslept ? 0 : due;
}

/* Requests that were due during the settling time, before `settle_end`, are given up but
 * do not count as missed. */
static uint64_t
shared_give_up(struct schedule *schedule, int64_t until, bool last)
{
    uint64_t count = 0;

    until = time_earlier(until, schedule->end_at);
    for (;;) {
        if (!schedule->claimed_due && last && schedule_next(schedule, 0) < until)
            schedule->claimed_due = claim_arrival(schedule);
        if (!schedule->claimed_due || schedule->claimed_due >= until)
            return count;
        if (count == 0)
            schedule->missed_since = schedule->claimed_due;
        if (schedule->claimed_due >= schedule->settle_end)
            count++;
        schedule->claimed_due = 0;
        schedule->has_overslept = false;
    }
}

enum arrivals_kind { ON_A_GRID, RAPID, AT_A_RATE, AT_RANDOM };

static const struct arrivals arrivals[] = {
    [ON_A_GRID] = {false, grid_due, grid_sent, grid_freed, grid_give_up, NULL},
    [RAPID] = {false, NULL, NULL, NULL, NULL, NULL},
    [AT_A_RATE] = {true, shared_due, shared_sent, NULL, shared_give_up, equal_gap},
    [AT_RANDOM] = {true, shared_due, shared_sent, NULL, shared_give_up, random_gap_after},
};

/* With a limit on the rate of all workers together (-r, -l), the workers start evenly
 * spaced over one interval, so that they do not send at the same time. */
void
schedule_start(struct schedule *schedule, const struct plan *plan, int index,
               _Atomic int64_t *next_arrival, int64_t begin, int64_t now)
{
    const struct plan_pace *pace = &plan->pace;
    enum arrivals_kind closed = pace->interval ? ON_A_GRID : RAPID;
    enum arrivals_kind open = pace->is_poisson ? AT_RANDOM : AT_A_RATE;
    const struct arrivals *row = &arrivals[pace->is_open_loop ? open : closed];
    bool spins = row->is_open_loop && plan->io.threads == 1;
    int64_t spacing = pace->from_limit ? pace->interval / plan->io.threads : 0;
    int64_t first_point = time_add(now, spacing * index);
    int64_t settle_end = begin + plan->end.settle_time;
    int64_t end = time_add(settle_end, plan->end.work_time);
    int64_t deadline = INT64_MAX;
    if (row->is_open_loop)
        deadline = time_add(end, plan->end.work_time);

    *schedule = (struct schedule){
        .pattern = schedule->pattern,
        .is_sending = true,
        .arrivals = row,
        .begin_at = begin,
        .settle_end = settle_end,
        .end_at = end,
        .deadline = deadline,
        .interval = pace->interval,
        .is_open_loop = row->is_open_loop,
        .next_point_at = first_point,
        .burst = pace->burst,
        .burst_left = pace->burst,
        .slot_free_at = first_point,
        .from_limit = pace->from_limit,
        .has_single_slot = plan->io.depth == 1,
        .seed = ~plan->workload.seed,
        .next_arrival = next_arrival,
        .has_single_worker = plan->io.threads == 1,
        /* if the worker is ready only after the first due time, its lateness is not the
         * target's fault, as after a sleep */
        .has_overslept = true,
        .spin_time = spins ? SCHEDULE_SPIN : 0,
    };
}

static uint64_t
give_up_due(struct schedule *schedule, int64_t until, bool last)
{
    const struct arrivals *row = schedule->arrivals;
    return row->give_up ? row->give_up(schedule, until, last) : 0;
}

uint64_t
schedule_skip(struct schedule *schedule, int64_t until)
{
    return schedule->is_open_loop ? 0 : give_up_due(schedule, until, false);
}

uint64_t
schedule_give_up_stopped(struct schedule *schedule, int64_t resumed)
{
    return schedule->is_open_loop ? give_up_due(schedule, resumed, true) : 0;
}

uint64_t
schedule_end(struct schedule *schedule, int64_t until, bool last, bool ready)
{
    bool is_in_burst = schedule->burst_left < schedule->burst;

    if (ready && !schedule->is_open_loop && !is_in_burst)
        return 0;
    return give_up_due(schedule, until, last);
}

int64_t
schedule_next(const struct schedule *schedule, int64_t now)
{
    if (!schedule->is_open_loop)
        return now;
    if (schedule->claimed_due)
        return schedule->claimed_due;
    return time_add(schedule->begin_at,
                    atomic_load_explicit(schedule->next_arrival, memory_order_relaxed));
}
