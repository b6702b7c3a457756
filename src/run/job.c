/*
 * One target of a run, and its workers. What is told of requests and periods, by
 * whichever thread, is told under the lock of the run.
 */
#include "job.h"

#include "supervise.h"
#include "base/later.h"
#include "os/os.h"
#include "os/process.h"

#include <stdlib.h>

/* Whether what came when is recorded; of a sweep only the steps are drawn. */
static bool
is_tracked(const struct plan *plan)
{
    return plan->output.plot && plan->sweep.kind == SWEEP_NONE;
}

int
part_make(struct part *part, struct run *run, const struct run_target *target)
{
    part->run = run;
    part->plan = *target->plan;
    part->observer = target->observer;
    part->target = target->target;
    part->outcome = target->outcome;
    part->crew.count = target->plan->count;
    part->give_up = INT64_MAX;
    part->period.every = target->plan->corrected;
    part->seats = calloc((size_t)target->plan->threads, sizeof(struct seat *));
    bool alone = target->plan->threads == 1 && target->plan->depth == 1;
    if (!alone && !(part->crew.busy_lock = os_lock_make()))
        return -1;
    if (is_tracked(&part->plan))
        part->track = os_memory_zeroed(sizeof(*part->track));
    return part->seats && !part->track == !is_tracked(&part->plan) ? 0 : -1;
}

/* Opens one more worker, or nothing. */
static int
open_seat(struct part *part, const struct engine_ops *engine, struct error *error)
{
    const struct plan_output *output = &part->plan.output;
    struct seat *seat = seat_make(part->track != NULL);
    if (!seat)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for %d threads",
                         part->plan.threads);
    if (worker_open(&seat->worker, &part->plan, part->target, engine, &part->crew,
                    part->crew.size, error) < 0) {
        seat_free(seat);
        return -1;
    }
    seat->gate = part->run->gate;
    seat->part = part;
    seat->worker.listener.self = seat;
    seat->worker.listener.due = part_due;
    if (output->requests || output->print_count || output->print_interval)
        seat->worker.listener.sample = part_sample;
    part->seats[part->crew.size++] = seat;
    return 0;
}

int
part_open(struct part *part, const struct engine_ops *engine, struct error *error)
{
    int status = 0;
    while (status == 0 && part->crew.size < part->plan.threads &&
           (part->crew.size == 0 || !os_signals_stop())) /* one, for its statistics */
        status = open_seat(part, engine, error);
    return status;
}

void
part_begin(struct part *part, int64_t now)
{
    int64_t interval = part->plan.output.print_interval;
    part->period_began = now;
    part->crew.begin = now;
    atomic_init(&part->crew.due, interval ? later(now, interval) : INT64_MAX);
    atomic_init(&part->crew.stop, os_signals_stop() != 0);
}

/* STATUS is that of something that was to be told. */
static int
hear(struct part *part, int status)
{
    if (status < 0)
        atomic_store(&part->run->mute, true);
    return status;
}

int
part_enter(struct part *part)
{
    os_lock_take(part->run->lock);
    if (part->introduced)
        return 0;
    part->introduced = true;
    target_name(part->target);
    return part->observer.begin ? hear(part, part->observer.begin(part->observer.self))
                                : 0;
}

/* Workers do not come in the order in which their requests ended. */
static int
end_period(struct part *part, int64_t now)
{
    if (now < part->period_began)
        now = part->period_began;
    for (int i = 0; i < part->crew.size; i++) {
        busy_log_move(&part->seats[i]->period, &part->period_busy);
        part->seats[i]->period.count = 0;
    }
    part->period.busy = busy_time(&part->period_busy);
    int status = part->observer.period(part->observer.self, &part->period,
                                       now - part->period_began);
    stats_clear(&part->period);
    busy_clear(&part->period_busy);
    part->period_began = now;
    return hear(part, status);
}

/* A request is under way in each period that it touches, and counts in the last. */
static void
record_in_period(struct part *part, struct seat *seat, const struct sample *sample)
{
    int64_t start = sample->start, end = start + sample->latency;
    stats_record(&part->period, sample);
    if (!part->crew.busy_lock || !sample_is_busy(sample) || end <= part->period_began)
        return;
    if (seat->period.count == BUSY_LOG)
        busy_log_move(&seat->period, &part->period_busy);
    busy_log_add(&seat->period, start > part->period_began ? start : part->period_began,
                 end, sample_counts(sample));
}

static int
tell_sample(struct part *part, struct seat *seat, const struct sample *sample)
{
    const struct plan_output *output = &part->plan.output;
    if (output->requests &&
        hear(part, part->observer.sample(part->observer.self, sample)) < 0)
        return -1;
    if (output->print_count || output->print_interval)
        record_in_period(part, seat, sample);
    if (output->print_count && sample_counts(sample) &&
        part->period.latency.count >= (uint64_t)output->print_count)
        return end_period(part, sample->start + sample->latency);
    return 0;
}

int
part_sample(void *self, const struct sample *sample)
{
    struct seat *seat = self;
    struct part *part = seat->part;
    int status = part_enter(part);
    if (status == 0)
        status = tell_sample(part, seat, sample);
    os_lock_give(part->run->lock);
    return status;
}

static int64_t
period_due(const struct part *part)
{
    return atomic_load_explicit(&part->crew.due, memory_order_relaxed);
}

/*
 * The grid of the periods begins with the run; one that was late leaves it as
 * it is. A worker ends a period before a request that is due at the same time,
 * the thread that attends while all wait for the kernel.
 */
static int
tell_period(struct part *part, int64_t now)
{
    int64_t due = period_due(part);
    if (now < due)
        return 0;
    due = later_point(due, part->plan.output.print_interval, now);
    atomic_store_explicit(&part->crew.due, due, memory_order_relaxed);
    return end_period(part, now);
}

int
part_due(void *self, int64_t now)
{
    struct part *part = ((struct seat *)self)->part;
    int status = part_enter(part);
    if (status == 0)
        status = tell_period(part, now);
    os_lock_give(part->run->lock);
    return status;
}

void
part_stop(struct part *part, int64_t when)
{
    atomic_store(&part->crew.stop, true);
    if (when < part->give_up)
        part->give_up = when;
}

/* Ends a period that is due at NOW; false if somebody is telling something else. */
static bool
try_period(struct part *part, int64_t now)
{
    if (now < period_due(part))
        return true;
    if (!os_lock_try(part->run->lock))
        return false;
    if (tell_period(part, now) < 0)
        part_stop(part, now + WATCH_GRACE);
    os_lock_give(part->run->lock);
    return true;
}

/* After a failure others may take as long as if nothing were wrong with them. */
static int64_t
grace_of_failure(const struct plan *plan)
{
    if (plan->hang == 0)
        return INT64_MAX;
    return plan->hang > WATCH_GRACE ? plan->hang : WATCH_GRACE;
}

/* Looks after one worker. Returns when to look again. */
static int64_t
look_after(struct part *part, struct seat *seat, int64_t now)
{
    bool over = atomic_load(&part->crew.stop) || crew_is_done(&part->crew);
    uint64_t index;
    int64_t again, waited = seat_watch(seat, part->run->resumed, now, &index, &again);
    if (waited)
        part->observer.hang(part->observer.self, index, waited);
    if (now >= part->give_up)
        seat_give_up(seat, now);
    if (over)
        seat_wake(seat);
    return over ? earlier(again, now + SEAT_SOON) : again;
}

int64_t
part_look(struct part *part, int64_t now)
{
    int64_t next = 0;
    if (atomic_load(&part->crew.stop))
        part_stop(part, later(now, grace_of_failure(&part->plan)));
    for (int i = 0; i < part->crew.size; i++) {
        struct seat *seat = part->seats[i];
        if (seat_is_empty(seat))
            continue;
        int64_t again = look_after(part, seat, now);
        if (!seat_is_empty(seat))
            next = next ? earlier(next, again) : again;
    }
    if (!next)
        return 0;
    return earlier(next, try_period(part, now) ? period_due(part) : now + SEAT_SOON);
}

/* False if some cannot be had now. */
static bool
add_up(struct part *part, struct stats *total)
{
    if (part->added == 0) {
        stats_clear(total);
        total->every = part->plan.corrected;
        if (part->track)
            track_start(part->track, 0, 0);
    }
    while (part->added < part->crew.size &&
           seat_add(part->seats[part->added], total, part->track))
        part->added++;
    if (part->added < part->crew.size)
        return false;
    part->added = 0;
    if (part->crew.busy_lock) {
        os_lock_take(part->crew.busy_lock);
        total->busy = busy_time(&part->crew.busy);
        os_lock_give(part->crew.busy_lock);
    }
    return true;
}

bool
part_add_up(struct part *part)
{
    return add_up(part, &part->total);
}

void
part_tell_failure(struct part *part)
{
    struct outcome *outcome = part->outcome;
    if (!part->done || !outcome->failed.index || outcome->told || !part->observer.fail)
        return;
    outcome->told = true;
    part->observer.fail(part->observer.self, &outcome->failed);
}

void
part_collect(struct part *part)
{
    struct outcome *outcome = part->outcome;
    part->done = true;
    int64_t began = INT64_MAX, first = INT64_MAX;
    for (int i = 0; i < part->crew.size; i++) {
        struct seat *seat = part->seats[i];
        const struct worker *worker = &seat->worker;
        const struct sample *failed = &worker->failed;
        if (!seat->waiting)
            seat_join(seat);
        if (failed->index && failed->start + failed->latency < first) {
            first = failed->start + failed->latency;
            outcome->failed = *failed;
        }
        if (seat->waiting > outcome->waiting)
            outcome->waiting = seat->waiting;
        outcome->left += seat->left;
        if (worker->began < began)
            began = worker->began;
        if (worker->ended > outcome->ended)
            outcome->ended = worker->ended;
    }
    part->added = 0; /* from the beginning, whatever was not finished */
    add_up(part, &outcome->total);
    outcome->time = outcome->ended - began;
}

bool
part_close(struct part *part)
{
    bool all = true;
    for (int i = 0; i < part->crew.size; i++) {
        struct seat *seat = part->seats[i];
        if (seat->waiting) {
            all = false; /* in the kernel, with its memory */
            continue;
        }
        worker_close(&seat->worker);
        seat_free(seat);
    }
    return all;
}

void
part_free(struct part *part)
{
    free(part->seats);
    os_lock_free(part->crew.busy_lock);
    if (part->track)
        os_memory_release(part->track, sizeof(*part->track));
}
