/*
 * The schedule of a worker, in three parts: which block and operation is next (the
 * pattern), when the next request is due (the table of arrivals), and the ordinals that
 * the workers of a job share. No function here reads a clock.
 *
 * Closed loop, a grid: a burst of requests is due at each point begin + k * interval. A
 * request that outlasts its interval moves the grid: the next point is the end of that
 * request, and the points that have passed meanwhile are missed (x). With several slots
 * this holds for the request that took the last free slot. If points pass while a slot is
 * free, because the worker itself was held up, the grid moves in the same way.
 *
 *     points     |         |         x    |         |
 *     requests   [===]     [=============][===]     [===]
 *
 * Open loop, at a constant rate or at random: a request is due whatever happened to
 * earlier requests, as if each came from another client. All workers of a job claim due
 * times from one sequence, each as soon as it has a free slot; so no request waits for a
 * busy worker while another worker is free. A request that is due earlier than it can be
 * sent waits, and its latency counts from when it was due, which avoids coordinated
 * omission:
 *
 *     due        A   B   C   D
 *     slot 1     [A=======][C=====]
 *     slot 2         [B========][D====]
 *     latency            |C-------|
 *     latency                |D-------|
 *
 * The time that a worker needs to wake up from its own sleep is not the target's fault.
 * If a worker has slept past a due time, the latency counts from when the request is
 * sent, unless the next request is due by then as well.
 *
 * An open loop sends no request after its deadline, which is one work time after the end
 * of the work time. What was due before the end and was not sent by the deadline is
 * missed.
 */
#include "run/schedule.h"

#include "plan/plan.h"

/* The counter never exceeds `max_requests`, so it cannot overflow. `last_due_at` is set
 * before the counter reaches its limit: a worker that gets no ordinal knows when the
 * last request was due. If several workers set it, the latest time holds. */
uint64_t
worker_group_take(struct worker_group *group, uint64_t wanted, int64_t when,
                  uint64_t *first)
{
    uint64_t taken = atomic_load_explicit(&group->ordinals_taken, memory_order_relaxed);
    uint64_t more;

    do {
        uint64_t left = group->max_requests - taken;
        int64_t over = atomic_load(&group->last_due_at);
        more = wanted < left ? wanted : left;
        while (more && more == left && over < when &&
               !atomic_compare_exchange_weak(&group->last_due_at, &over, when))
            ;
        if (group->size == 1) { /* no other worker competes */
            atomic_store_explicit(&group->ordinals_taken, taken + more,
                                  memory_order_relaxed);
            break;
        }
    } while (more && !atomic_compare_exchange_weak_explicit(
                         &group->ordinals_taken, &taken, taken + more,
                         memory_order_relaxed, memory_order_relaxed));
    *first = taken + 1;

    return more;
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
    int64_t none = 0;
    atomic_compare_exchange_strong(&group->last_due_at, &none, now);
    atomic_store(&group->is_stopped, true);
}

/* Returns floor(blocks * index / workers) without overflow: with blocks = q * workers +
 * r it is q * index + floor(r * index / workers). */
static uint64_t
first_block(uint64_t blocks, int workers, int index)
{
    uint64_t all = (uint64_t)workers;
    uint64_t share = (uint64_t)index;
    return blocks / all * share + blocks % all * share / all;
}

void
pattern_start(struct pattern *pattern, const struct plan *plan, int64_t work_size,
              int index)
{
    random_seed(&pattern->random, random_derive(plan->workload.seed, (uint64_t)index));
    pattern->offset = plan->workload.work_offset;
    pattern->size = plan->workload.request_size;
    pattern->blocks = (uint64_t)(work_size / plan->workload.request_size);
    pattern->next_block = first_block(pattern->blocks, plan->io.threads, index);
    pattern->linear = plan->workload.linear;
    pattern->mix = plan->workload.mix;
    pattern->turn = 0;
}

static int64_t
grid_due(struct schedule *grid, int64_t now)
{
    (void)now;
    return time_later(grid->next_slot_at, grid->slot_free_at);
}

/* Counts the points first + k * interval that lie before UNTIL. A burst that has begun
 * counts as sent, so its point is not missed. */
static uint64_t
grid_pass(struct schedule *grid, int64_t until, bool last)
{
    (void)last;
    int64_t first = grid->burst_left < grid->burst
                        ? time_add(grid->next_slot_at, grid->interval)
                        : grid->next_slot_at;
    until = time_earlier(until, grid->end_at);
    if (until <= first)
        return 0;
    int64_t count = (until - first - 1) / grid->interval + 1;
    grid->missed_since = first;
    grid->next_slot_at =
        time_add(grid->next_slot_at, time_multiply(grid->interval, count));

    return grid->from_limit ? 0 : (uint64_t)count;
}

static uint64_t
grid_freed(struct schedule *grid, int64_t until, int64_t now)
{
    uint64_t missed = 0;

    grid->slot_free_at = now;
    if (grid->burst_left == grid->burst && grid->next_slot_at < now) {
        missed = grid_pass(grid, until, false);
        grid->next_slot_at = now;
    }

    return missed;
}

static int64_t
grid_sent(struct schedule *grid, int64_t now, uint64_t *missed)
{
    bool is_late =
        grid->burst_left == grid->burst && now - grid->next_slot_at >= grid->interval;

    if (is_late && !grid->has_single_slot)
        *missed = grid_freed(grid, now, now);
    if (--grid->burst_left == 0) {
        grid->burst_left = grid->burst;
        grid->next_slot_at = time_add(grid->next_slot_at, grid->interval);
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

/* Claims the first arrival that no worker has claimed. Returns when it is due. */
static int64_t
take_shared(struct schedule *schedule)
{
    int64_t at = atomic_load_explicit(schedule->next_arrival, memory_order_relaxed);
    int64_t next;

    do {
        next = time_add(at, schedule->arrivals->gap(schedule, at));
        if (schedule->has_single_worker) { /* no other worker competes */
            atomic_store_explicit(schedule->next_arrival, next, memory_order_relaxed);
            break;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        schedule->next_arrival, &at, next, memory_order_relaxed, memory_order_relaxed));

    return time_add(schedule->begin_at, at);
}

static int64_t
shared_due(struct schedule *schedule, int64_t now)
{
    (void)now;
    if (!schedule->claimed_due)
        schedule->claimed_due = take_shared(schedule);
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

/* Requests that were due while the load settled are given up without being counted. */
static uint64_t
shared_pass(struct schedule *schedule, int64_t until, bool last)
{
    uint64_t count = 0;

    until = time_earlier(until, schedule->end_at);
    for (;;) {
        if (!schedule->claimed_due && last && schedule_next(schedule, 0) < until)
            schedule->claimed_due = take_shared(schedule);
        if (!schedule->claimed_due || schedule->claimed_due >= until)
            return count;
        if (count == 0)
            schedule->missed_since = schedule->claimed_due;
        count += schedule->claimed_due >= schedule->settle_end;
        schedule->claimed_due = 0;
        schedule->has_overslept = false;
    }
}

enum arrivals_kind { ON_A_GRID, RAPID, AT_A_RATE, AT_RANDOM };

static const struct arrivals arrivals[] = {
    [ON_A_GRID] = {false, grid_due, grid_sent, grid_freed, grid_pass, NULL},
    [RAPID] = {false, NULL, NULL, NULL, NULL, NULL},
    [AT_A_RATE] = {true, shared_due, shared_sent, NULL, shared_pass, equal_gap},
    [AT_RANDOM] = {true, shared_due, shared_sent, NULL, shared_pass, random_gap_after},
};

/* Workers that share a limit start evenly spaced over one interval. */
void
schedule_start(struct schedule *schedule, const struct plan *plan, int index,
               _Atomic int64_t *shared, int64_t begin, int64_t now)
{
    const struct plan_pace *pace = &plan->pace;
    enum arrivals_kind closed = pace->interval ? ON_A_GRID : RAPID;
    enum arrivals_kind open = pace->poisson ? AT_RANDOM : AT_A_RATE;
    const struct arrivals *row = &arrivals[pace->open_loop ? open : closed];
    int64_t share = pace->from_limit ? pace->interval / plan->io.threads : 0;
    int64_t point = time_add(now, share * index);
    int64_t counted = begin + plan->end.settle_time;
    int64_t end = time_add(counted, plan->end.work_time);

    *schedule = (struct schedule){
        .pattern = schedule->pattern,
        .is_sending = true,
        .arrivals = row,
        .begin_at = begin,
        .settle_end = counted,
        .end_at = end,
        .deadline = row->is_open_loop ? time_add(end, plan->end.work_time) : INT64_MAX,
        .interval = pace->interval,
        .is_open_loop = row->is_open_loop,
        .next_slot_at = point,
        .burst = pace->burst,
        .burst_left = pace->burst,
        .slot_free_at = point,
        .from_limit = pace->from_limit,
        .has_single_slot = plan->io.depth == 1,
        .seed = ~plan->workload.seed,
        .next_arrival = shared,
        .has_single_worker = plan->io.threads == 1,
        /* a worker that starts late was not ready, which is not the target's fault */
        .has_overslept = true,
        .spin_time = row->is_open_loop && plan->io.threads == 1 ? SCHEDULE_SPIN : 0,
    };
}

static uint64_t
pass(struct schedule *schedule, int64_t until, bool last)
{
    const struct arrivals *row = schedule->arrivals;
    return row->pass ? row->pass(schedule, until, last) : 0;
}

uint64_t
schedule_skip(struct schedule *schedule, int64_t until)
{
    return schedule->is_open_loop ? 0 : pass(schedule, until, false);
}

uint64_t
schedule_stopped(struct schedule *schedule, int64_t resumed)
{
    return schedule->is_open_loop ? pass(schedule, resumed, true) : 0;
}

uint64_t
schedule_end(struct schedule *schedule, int64_t until, bool last, bool ready)
{
    /* points passed while the burst was being sent: the worker did not idle */
    bool begun = schedule->burst_left < schedule->burst;

    if (ready && !schedule->is_open_loop && !begun)
        return 0;
    return pass(schedule, until, last);
}

int64_t
schedule_next(const struct schedule *schedule, int64_t now)
{
    if (!schedule->is_open_loop || schedule->claimed_due)
        return schedule->is_open_loop ? schedule->claimed_due : now;
    return time_add(schedule->begin_at,
                    atomic_load_explicit(schedule->next_arrival, memory_order_relaxed));
}
