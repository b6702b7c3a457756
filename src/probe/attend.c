/*
 * Each worker has a thread, which may get stuck in the kernel. This one, which has
 * the signals and no worker, attends to them meanwhile: periods, interim
 * statistics, words about a request that has no answer, and the end. It
 * touches a worker's statistics only while it has borrowed the baton; what is
 * told of requests and periods, by whichever thread, is told under the lock.
 */
#include "attend.h"

#include "base/later.h"
#include "os/os.h"
#include "os/process.h"

/* Workers do not come in the order in which their requests ended. */
static int
end_period(struct run *run, int64_t now)
{
    if (now < run->period_began)
        now = run->period_began;
    int status =
        run->observer.period(run->observer.self, &run->period, now - run->period_began);
    stats_clear(&run->period);
    run->period_began = now;
    return status;
}

static int
tell_sample(struct run *run, const struct sample *sample)
{
    const struct plan_output *output = &run->plan.output;
    if (output->requests && run->observer.sample(run->observer.self, sample) < 0)
        return -1;
    stats_record(&run->period, sample);
    if (output->print_count && sample_counts(sample) &&
        run->period.latency.count >= (uint64_t)output->print_count)
        return end_period(run, sample->start + sample->latency);
    return 0;
}

/* Takes the lock to tell something. What comes before all else is told by whoever
 * is first: the other thread may not be there yet. */
static int
enter(struct run *run)
{
    os_lock_take(run->lock);
    if (run->introduced)
        return 0;
    run->introduced = true;
    target_name(run->target);
    return run->observer.begin ? run->observer.begin(run->observer.self) : 0;
}

int
attend_sample(void *self, const struct sample *sample)
{
    struct run *run = self;
    int status = enter(run);
    if (status == 0)
        status = tell_sample(run, sample);
    os_lock_give(run->lock);
    return status;
}

/* What is under way is given up at WHEN at the latest. */
static void
stop(struct run *run, int64_t when)
{
    atomic_store(&run->crew.stop, true);
    if (when < run->give_up)
        run->give_up = when;
}

static int64_t
period_due(const struct run *run)
{
    return atomic_load_explicit(&run->crew.due, memory_order_relaxed);
}

void
attend_begin(struct run *run, int64_t now)
{
    const struct plan_output *output = &run->plan.output;
    int64_t interval = output->print_interval;
    run->period_began = now;
    run->keep_due = output->keep_interval ? later(now, output->keep_interval) : INT64_MAX;
    atomic_init(&run->crew.due, interval ? later(now, interval) : INT64_MAX);
}

/* After DUE and NOW on the grid of DUE: being late once moves nothing. */
static int64_t
next_due(int64_t due, int64_t interval, int64_t now)
{
    return later(due, ((now - due) / interval + 1) * interval);
}

/*
 * The grid of the periods begins with the run; one that was late leaves it as
 * it is. A worker ends a period before a request that is due at the same time,
 * this thread while all wait for the kernel.
 */
static int
tell_period(struct run *run, int64_t now)
{
    int64_t interval = run->plan.output.print_interval, due = period_due(run);
    if (now < due)
        return 0;
    due = next_due(due, interval, now);
    atomic_store_explicit(&run->crew.due, due, memory_order_relaxed);
    return end_period(run, now);
}

int
attend_due(void *self, int64_t now)
{
    struct run *run = self;
    int status = enter(run);
    if (status == 0)
        status = tell_period(run, now);
    os_lock_give(run->lock);
    return status;
}

bool
attend_add_up(struct run *run, struct stats *total)
{
    if (run->added == 0) {
        stats_clear(total);
        total->every = run->plan.corrected;
        total->lanes = 0;
    }
    while (run->added < run->crew.size && seat_add(run->seats[run->added], total))
        run->added++;
    bool all = run->added == run->crew.size;
    if (all)
        run->added = 0;
    return all;
}

/* Ends a period that is due at NOW; false if somebody is telling something else. */
static bool
try_period(struct run *run, int64_t now)
{
    if (now < period_due(run))
        return true;
    if (!os_lock_try(run->lock))
        return false;
    if (tell_period(run, now) < 0)
        stop(run, now + WATCH_GRACE);
    os_lock_give(run->lock);
    return true;
}

/* Tells what needs the statistics of all; false if they cannot be had now. */
static bool
try_statistics(struct run *run, int64_t now)
{
    const struct run_observer *observer = &run->observer;
    bool keeping = now >= run->keep_due && run->give_up == INT64_MAX;
    if (!run->interim_wanted && !keeping)
        return true;
    if (!attend_add_up(run, &run->total))
        return false;
    if (run->interim_wanted)
        observer->interim(observer->self, &run->total);
    run->interim_wanted = false;
    if (keeping) {
        run->keep_due = next_due(run->keep_due, run->plan.output.keep_interval, now);
        observer->keep(observer->self, &run->total, now);
    }
    return true;
}

/* Looks after one worker. Returns when to look again. */
static int64_t
look_after(struct run *run, struct seat *seat, int64_t now)
{
    bool over = atomic_load(&run->crew.stop) || crew_is_done(&run->crew);
    uint64_t index;
    int64_t again, waited = seat_watch(seat, now, &index, &again);
    if (waited)
        run->observer.hang(run->observer.self, index, waited);
    if (now >= run->give_up)
        seat_give_up(seat, now);
    if (over)
        seat_wake(seat);
    return over ? earlier(again, now + SEAT_SOON) : again;
}

/* After a failure others may take as long as if nothing were wrong with them. */
static int64_t
grace_of_failure(const struct plan *plan)
{
    if (plan->hang == 0)
        return INT64_MAX;
    return plan->hang > WATCH_GRACE ? plan->hang : WATCH_GRACE;
}

/* Looks after all workers; returns when to look again, 0: there are none left. */
static int64_t
look_after_all(struct run *run, int64_t now)
{
    int64_t next = 0;
    for (int i = 0; i < run->crew.size; i++) {
        struct seat *seat = run->seats[i];
        if (seat_is_empty(seat))
            continue;
        int64_t again = look_after(run, seat, now);
        if (!seat_is_empty(seat))
            next = next ? earlier(next, again) : again;
    }
    return next;
}

void
attend(struct run *run)
{
    os_clock_sharpen();
    if (enter(run) < 0)
        stop(run, os_clock_now() + WATCH_GRACE);
    os_lock_give(run->lock);
    for (;;) {
        int64_t now = os_clock_now();
        if (os_signals_stop())
            stop(run, now + WATCH_GRACE);
        else if (atomic_load(&run->crew.stop))
            stop(run, later(now, grace_of_failure(&run->plan)));
        run->interim_wanted |= os_signals_report();
        int64_t next = look_after_all(run, now);
        if (!next)
            return;
        next = earlier(next, try_period(run, now) ? period_due(run) : now + SEAT_SOON);
        bool done = try_statistics(run, now);
        if (run->give_up == INT64_MAX)
            next = earlier(next, done ? run->keep_due : now + SEAT_SOON);
        else if (!done)
            next = earlier(next, now + SEAT_SOON);
        os_signals_wait(next, &run->news);
        atomic_store(&run->news, false);
    }
}
