/*
 * One target of a run, and its workers. What is told of requests and periods, by
 * whichever thread, is told under the lock of the run.
 */
#include "job.h"

#include "base/later.h"
#include "os/os.h"
#include "os/process.h"
#include "supervise.h"

#include <stdlib.h>

/* Whether what came when is recorded; of a sweep only the steps are drawn. */
static bool
is_tracked(const struct plan *plan)
{
    return plan->output.plot && plan->sweep.kind == SWEEP_NONE;
}

int
job_make(struct job *job, struct run *run, const struct run_target *target)
{
    job->run = run;
    job->plan = *target->plan;
    job->observer = target->observer;
    job->target = target->target;
    job->outcome = target->outcome;
    job->group.count = target->plan->count;
    job->give_up = INT64_MAX;
    job->period.every = target->plan->corrected;
    job->threads = calloc((size_t)target->plan->threads, sizeof(struct worker_thread *));
    bool alone = target->plan->threads == 1 && target->plan->depth == 1;
    if (!alone && !(job->group.busy_lock = os_lock_make()))
        return -1;
    if (is_tracked(&job->plan))
        job->track = os_memory_zeroed(sizeof(*job->track));
    return job->threads && !job->track == !is_tracked(&job->plan) ? 0 : -1;
}

/* Opens one more worker, or nothing. */
static int
open_worker(struct job *job, const struct engine_ops *engine, struct error *error)
{
    const struct plan_output *output = &job->plan.output;
    struct worker_thread *thread = worker_thread_make(job->track != NULL);
    if (!thread)
        return error_set(error, EXIT_PREPARE, NULL, "no memory for %d threads",
                         job->plan.threads);
    if (worker_open(&thread->worker, &job->plan, job->target, engine, &job->group,
                    job->group.size, error) < 0) {
        worker_thread_free(thread);
        return -1;
    }
    thread->gate = job->run->gate;
    thread->job = job;
    thread->worker.listener.self = thread;
    thread->worker.listener.due = job_due;
    if (output->requests || output->print_count || output->print_interval)
        thread->worker.listener.sample = job_sample;
    job->threads[job->group.size++] = thread;
    return 0;
}

int
job_open(struct job *job, const struct engine_ops *engine, struct error *error)
{
    int status = 0;
    while (status == 0 && job->group.size < job->plan.threads &&
           (job->group.size == 0 || !os_signals_stop())) /* one, for its statistics */
        status = open_worker(job, engine, error);
    return status;
}

void
job_begin(struct job *job, int64_t now)
{
    int64_t interval = job->plan.output.print_interval;
    job->period_began = now;
    job->group.begin = now;
    atomic_init(&job->group.due, interval ? later(now, interval) : INT64_MAX);
    atomic_init(&job->group.stop, os_signals_stop() != 0);
}

/* STATUS is that of something that was to be told. */
static int
hear(struct job *job, int status)
{
    if (status < 0)
        atomic_store(&job->run->mute, true);
    return status;
}

int
job_enter(struct job *job)
{
    os_lock_acquire(job->run->lock);
    if (job->introduced)
        return 0;
    job->introduced = true;
    target_name(job->target);
    return job->observer.begin ? hear(job, job->observer.begin(job->observer.self)) : 0;
}

/* Workers do not come in the order in which their requests ended. */
static int
end_period(struct job *job, int64_t now)
{
    if (now < job->period_began)
        now = job->period_began;
    for (int i = 0; i < job->group.size; i++) {
        busy_log_move(&job->threads[i]->period, &job->period_busy);
        job->threads[i]->period.count = 0;
    }
    job->period.busy = busy_time(&job->period_busy);
    int status =
        job->observer.period(job->observer.self, &job->period, now - job->period_began);
    stats_clear(&job->period);
    busy_clear(&job->period_busy);
    job->period_began = now;
    return hear(job, status);
}

/* A request is under way in each period that it touches, and counts in the last. */
static void
record_in_period(struct job *job, struct worker_thread *thread,
                 const struct sample *sample)
{
    int64_t start = sample->start, end = start + sample->latency;
    stats_record(&job->period, sample);
    if (!job->group.busy_lock || !sample_is_busy(sample) || end <= job->period_began)
        return;
    if (thread->period.count == BUSY_LOG)
        busy_log_move(&thread->period, &job->period_busy);
    busy_log_add(&thread->period, start > job->period_began ? start : job->period_began,
                 end, sample_counts(sample));
}

static int
tell_sample(struct job *job, struct worker_thread *thread, const struct sample *sample)
{
    const struct plan_output *output = &job->plan.output;
    if (output->requests &&
        hear(job, job->observer.sample(job->observer.self, sample)) < 0)
        return -1;
    if (output->print_count || output->print_interval)
        record_in_period(job, thread, sample);
    if (output->print_count && sample_counts(sample) &&
        job->period.latency.count >= (uint64_t)output->print_count)
        return end_period(job, sample->start + sample->latency);
    return 0;
}

int
job_sample(void *self, const struct sample *sample)
{
    struct worker_thread *thread = self;
    struct job *job = thread->job;
    int status = job_enter(job);
    if (status == 0)
        status = tell_sample(job, thread, sample);
    os_lock_release(job->run->lock);
    return status;
}

static int64_t
period_due(const struct job *job)
{
    return atomic_load_explicit(&job->group.due, memory_order_relaxed);
}

/*
 * The grid of the periods begins with the run; one that was late leaves it as
 * it is. A worker ends a period before a request that is due at the same time,
 * the thread that attends while all wait for the kernel.
 */
static int
tell_period(struct job *job, int64_t now)
{
    int64_t due = period_due(job);
    if (now < due)
        return 0;
    due = later_point(due, job->plan.output.print_interval, now);
    atomic_store_explicit(&job->group.due, due, memory_order_relaxed);
    return end_period(job, now);
}

int
job_due(void *self, int64_t now)
{
    struct job *job = ((struct worker_thread *)self)->job;
    int status = job_enter(job);
    if (status == 0)
        status = tell_period(job, now);
    os_lock_release(job->run->lock);
    return status;
}

void
job_stop(struct job *job, int64_t when)
{
    atomic_store(&job->group.stop, true);
    if (when < job->give_up)
        job->give_up = when;
}

/* Ends a period that is due at NOW; false if somebody is telling something else. */
static bool
try_period(struct job *job, int64_t now)
{
    if (now < period_due(job))
        return true;
    if (!os_lock_try(job->run->lock))
        return false;
    if (tell_period(job, now) < 0)
        job_stop(job, now + STALL_GRACE);
    os_lock_release(job->run->lock);
    return true;
}

/* After a failure others may take as long as if nothing were wrong with them. */
static int64_t
grace_of_failure(const struct plan *plan)
{
    if (plan->hang == 0)
        return INT64_MAX;
    return plan->hang > STALL_GRACE ? plan->hang : STALL_GRACE;
}

/* Looks after one worker. Returns when to look again. */
static int64_t
look_after(struct job *job, struct worker_thread *thread, int64_t now)
{
    bool over = atomic_load(&job->group.stop) || worker_group_is_done(&job->group);
    uint64_t index;
    int64_t again,
        waited = worker_thread_check(thread, job->run->resumed, now, &index, &again);
    if (waited)
        job->observer.hang(job->observer.self, index, waited);
    if (now >= job->give_up)
        worker_thread_give_up(thread, now);
    if (over)
        worker_thread_wake(thread);
    return over ? earlier(again, now + SUPERVISE_RETRY) : again;
}

int64_t
job_look(struct job *job, int64_t now)
{
    int64_t next = 0;
    if (atomic_load(&job->group.stop))
        job_stop(job, later(now, grace_of_failure(&job->plan)));
    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->threads[i];
        if (worker_thread_is_over(thread))
            continue;
        int64_t again = look_after(job, thread, now);
        if (!worker_thread_is_over(thread))
            next = next ? earlier(next, again) : again;
    }
    if (!next)
        return 0;
    return earlier(next, try_period(job, now) ? period_due(job) : now + SUPERVISE_RETRY);
}

/* False if some cannot be had now. */
static bool
add_up(struct job *job, struct stats *total)
{
    if (job->added == 0) {
        stats_clear(total);
        total->every = job->plan.corrected;
        if (job->track)
            track_start(job->track, 0, 0);
    }
    while (job->added < job->group.size &&
           worker_thread_merge(job->threads[job->added], total, job->track))
        job->added++;
    if (job->added < job->group.size)
        return false;
    job->added = 0;
    if (job->group.busy_lock) {
        os_lock_acquire(job->group.busy_lock);
        total->busy = busy_time(&job->group.busy);
        os_lock_release(job->group.busy_lock);
    }
    return true;
}

bool
job_add_up(struct job *job)
{
    return add_up(job, &job->total);
}

void
job_tell_failure(struct job *job)
{
    struct outcome *outcome = job->outcome;
    if (!job->done || !outcome->failed.index || outcome->told || !job->observer.fail)
        return;
    outcome->told = true;
    job->observer.fail(job->observer.self, &outcome->failed);
}

void
job_collect(struct job *job)
{
    struct outcome *outcome = job->outcome;
    job->done = true;
    int64_t began = INT64_MAX, first = INT64_MAX;
    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->threads[i];
        const struct worker *worker = &thread->worker;
        const struct sample *failed = &worker->failed;
        if (!thread->waiting)
            worker_thread_join(thread);
        if (failed->index && failed->start + failed->latency < first) {
            first = failed->start + failed->latency;
            outcome->failed = *failed;
        }
        if (thread->waiting > outcome->waiting)
            outcome->waiting = thread->waiting;
        outcome->left += thread->left;
        if (worker->began < began)
            began = worker->began;
        if (worker->ended > outcome->ended)
            outcome->ended = worker->ended;
    }
    job->added = 0; /* from the beginning, whatever was not finished */
    add_up(job, &outcome->total);
    outcome->time = outcome->ended - began;
}

bool
job_close(struct job *job)
{
    bool all = true;
    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->threads[i];
        if (thread->waiting) {
            all = false; /* in the kernel, with its memory */
            continue;
        }
        worker_close(&thread->worker);
        worker_thread_free(thread);
    }
    return all;
}

void
job_free(struct job *job)
{
    free(job->threads);
    os_lock_free(job->group.busy_lock);
    if (job->track)
        os_memory_release(job->track, sizeof(*job->track));
}
