/*
 * The schedule of a worker: which block is next (pattern), and when the next request is
 * due (the table of arrivals); and the ordinals that workers share. No clock is read
 * here.
 *
 * On a grid of begin + k * interval a burst of requests is due at each point. A request
 * that outlasts its interval moves the grid: the next is due at its end. With more than
 * one slot that holds for the one that took the last free slot; and points that pass
 * while a slot is free, since the worker was held up, move it as well.
 *
 * At a rate, or at random, a request is due whatever became of those before it. The
 * workers of a target take the due times one after the other, each as soon as it has a
 * slot, so that none waits for a worker that is busy while another is free. What is due
 * earlier than it can be sent waits, and its time counts from when it was due. The time
 * in which a worker wakes up from its own sleep is not the target's: where that is too
 * long, a request counts from when it is sent unless the next is due by then. What is not
 * sent until the deadline, which is as far from the end as that from the begin, is
 * missed.
 */
#include "run/schedule.h"

#include "plan/plan.h"

/* The counter never passes `count`, so it cannot overflow. No worker sees that it has
 * reached it before `over` says when; the latest of several holds. */
uint64_t
worker_group_take(struct worker_group *group, uint64_t wanted, int64_t when,
                  uint64_t *first)
{
    uint64_t taken = atomic_load_explicit(&group->taken, memory_order_relaxed), more;
    do {
        uint64_t left = group->count - taken;
        int64_t over = atomic_load(&group->over);
        more = wanted < left ? wanted : left;
        while (more && more == left && over < when &&
               !atomic_compare_exchange_weak(&group->over, &over, when))
            ;
        if (group->size == 1) { /* nobody takes some at the same time */
            atomic_store_explicit(&group->taken, taken + more, memory_order_relaxed);
            break;
        }
    } while (more && !atomic_compare_exchange_weak_explicit(
                         &group->taken, &taken, taken + more, memory_order_relaxed,
                         memory_order_relaxed));
    *first = taken + 1;
    return more;
}

int64_t
worker_group_start(struct worker_group *group, int64_t now)
{
    int64_t started = 0;
    bool is_first = atomic_compare_exchange_strong(&group->started, &started, now);
    return is_first ? now : started;
}

void
worker_group_stop(struct worker_group *group, int64_t now)
{
    int64_t none = 0;
    atomic_compare_exchange_strong(&group->over, &none, now);
    atomic_store(&group->stop, true);
}

/* Returns blocks * index / workers, without overflow. */
static uint64_t
first_block(uint64_t blocks, int workers, int index)
{
    uint64_t all = (uint64_t)workers, share = (uint64_t)index;
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
    pattern->next = first_block(pattern->blocks, plan->io.threads, index);
    pattern->linear = plan->workload.linear;
    pattern->mix = plan->workload.mix;
    pattern->turn = 0;
}

static int64_t
grid_due(struct schedule *grid, int64_t now)
{
    (void)now;
    return time_later(grid->point, grid->freed);
}

/* A burst whose first requests are sent is taken for complete. */
static uint64_t
grid_pass(struct schedule *grid, int64_t until, bool last)
{
    (void)last;
    int64_t first =
        grid->left < grid->burst ? time_add(grid->point, grid->interval) : grid->point;
    until = time_earlier(until, grid->end);
    if (until <= first)
        return 0;
    int64_t count = (until - first - 1) / grid->interval + 1;
    grid->missed_since = first;
    grid->point = time_add(grid->point, time_multiply(grid->interval, count));
    return grid->limited ? 0 : (uint64_t)count;
}

static uint64_t
grid_freed(struct schedule *grid, int64_t until, int64_t now)
{
    uint64_t missed = 0;
    grid->freed = now;
    if (grid->left == grid->burst && grid->point < now) {
        missed = grid_pass(grid, until, false);
        grid->point = now;
    }
    return missed;
}

static int64_t
grid_sent(struct schedule *grid, int64_t now, uint64_t *missed)
{
    bool is_late = grid->left == grid->burst && now - grid->point >= grid->interval;
    if (is_late && !grid->alone)
        *missed = grid_freed(grid, now, now);
    if (--grid->left == 0) {
        grid->left = grid->burst;
        grid->point = time_add(grid->point, grid->interval);
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

/* Takes the first that no worker has. */
static int64_t
take_shared(struct schedule *schedule)
{
    int64_t at = atomic_load_explicit(schedule->shared, memory_order_relaxed), next;
    do {
        next = time_add(at, schedule->arrivals->gap(schedule, at));
        if (schedule->only) { /* nobody takes one at the same time */
            atomic_store_explicit(schedule->shared, next, memory_order_relaxed);
            break;
        }
    } while (!atomic_compare_exchange_weak_explicit(
        schedule->shared, &at, next, memory_order_relaxed, memory_order_relaxed));
    return time_add(schedule->begin, at);
}

static int64_t
shared_due(struct schedule *schedule, int64_t now)
{
    (void)now;
    if (!schedule->taken)
        schedule->taken = take_shared(schedule);
    return schedule->taken;
}

static int64_t
shared_sent(struct schedule *schedule, int64_t now, uint64_t *missed)
{
    (void)missed;
    int64_t due = schedule->taken;
    int64_t gap = schedule->arrivals->gap(schedule, due - schedule->begin);
    bool overslept = schedule->slept && time_add(due, gap) > now;
    schedule->taken = 0;
    schedule->slept = false;
    return overslept ? 0 : due;
}

/* Of the settling none is counted. */
static uint64_t
shared_pass(struct schedule *schedule, int64_t until, bool last)
{
    uint64_t count = 0;
    until = time_earlier(until, schedule->end);
    for (;;) {
        if (!schedule->taken && last && schedule_next(schedule, 0) < until)
            schedule->taken = take_shared(schedule);
        if (!schedule->taken || schedule->taken >= until)
            return count;
        if (count == 0)
            schedule->missed_since = schedule->taken;
        count += schedule->taken >= schedule->counted;
        schedule->taken = 0;
        schedule->slept = false;
    }
}

enum arrivals_kind { ON_A_GRID, RAPID, AT_A_RATE, AT_RANDOM };

static const struct arrivals arrivals[] = {
    [ON_A_GRID] = {false, grid_due, grid_sent, grid_freed, grid_pass, NULL},
    [RAPID] = {false, NULL, NULL, NULL, NULL, NULL},
    [AT_A_RATE] = {true, shared_due, shared_sent, NULL, shared_pass, equal_gap},
    [AT_RANDOM] = {true, shared_due, shared_sent, NULL, shared_pass, random_gap_after},
};

/* Workers that share a limit begin one after the other. */
void
schedule_start(struct schedule *schedule, const struct plan *plan, int index,
               _Atomic int64_t *shared, int64_t begin, int64_t now)
{
    const struct plan_pace *pace = &plan->pace;
    enum arrivals_kind closed = pace->interval ? ON_A_GRID : RAPID;
    enum arrivals_kind open = pace->poisson ? AT_RANDOM : AT_A_RATE;
    const struct arrivals *row = &arrivals[pace->open_loop ? open : closed];
    int64_t share = pace->limited ? pace->interval / plan->io.threads : 0;
    int64_t point = time_add(now, share * index);
    int64_t counted = begin + plan->ends.settle;
    int64_t end = time_add(counted, plan->ends.work_time);
    *schedule = (struct schedule){
        .pattern = schedule->pattern,
        .sending = true,
        .arrivals = row,
        .begin = begin,
        .counted = counted,
        .end = end,
        .deadline = row->stays ? time_add(end, plan->ends.work_time) : INT64_MAX,
        .interval = pace->interval,
        .stays = row->stays,
        .point = point,
        .burst = pace->burst,
        .left = pace->burst,
        .freed = point,
        .limited = pace->limited,
        .alone = plan->io.depth == 1,
        .seed = ~plan->workload.seed,
        .shared = shared,
        .only = plan->io.threads == 1,
        .slept = true, /* or was not ready: not the target's time either */
        .spin = row->stays && plan->io.threads == 1 ? SCHEDULE_SPIN : 0,
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
    return schedule->stays ? 0 : pass(schedule, until, false);
}

uint64_t
schedule_stopped(struct schedule *schedule, int64_t resumed)
{
    return schedule->stays ? pass(schedule, resumed, true) : 0;
}

uint64_t
schedule_end(struct schedule *schedule, int64_t until, bool last, bool ready)
{
    bool begun = schedule->left < schedule->burst; /* a burst, which outlasted points */
    if (ready && !schedule->stays && !begun)
        return 0;
    return pass(schedule, until, last);
}

int64_t
schedule_next(const struct schedule *schedule, int64_t now)
{
    if (!schedule->stays || schedule->taken)
        return schedule->stays ? schedule->taken : now;
    return time_add(schedule->begin,
                    atomic_load_explicit(schedule->shared, memory_order_relaxed));
}
