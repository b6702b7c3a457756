/*
 * A job, which is one target of a run. While it runs:
 *
 *     job_prepare, job_open    the leader makes the workers
 *     job_begin                sets when requests and periods begin
 *     job_supervise            the supervisor looks at each worker, every few ms
 *     job_add_up               the supervisor adds up the statistics, for a snapshot
 *     job_collect              makes the outcome, after the last worker has ended
 *     job_close                frees everything that is not stuck in the kernel
 *
 * The supervisor touches a worker's statistics only while it has locked the worker's
 * handoff (queue.h), or after the worker has ended. If a worker holds its handoff for
 * longer than a moment, job_add_up gives up and the next call goes on with that worker.
 */
#include "base/deadlines.h"
#include "os/os.h"
#include "os/process.h"
#include "run_private.h"
#include "worker_thread.h"

#include <stdlib.h>
#include <string.h>

int
job_init(struct job *job, const struct plan *plan, int index)
{
    job->index = index;
    job->target_count = plan->target_count;
    job->sweep.highest_index = -1;
    if (index < plan->target_count)
        plan_target(plan, index, &job->plan);
    else
        plan_background(plan, &job->plan);

    plan = &job->plan;
    /* Observers are not notified of the begin of a load. */
    job->begin_notified = plan->mode == MODE_BACKGROUND;
    job->active_plan = *plan;
    job->target.fd = -1;

    job->outcome.direct_io_hint = job->target.direct_io_hint;
    job->outcome.slos = &plan->statistics.slos;
    job->outcome.warnings = &plan->statistics.warnings;
    job->outcome.has_breakdown = plan->statistics.breakdown;
    job->outcome.target = job_name(job);
    if (plan->end.count == UINT64_MAX && plan->end.work_time != INT64_MAX)
        job->outcome.work_time = plan->end.work_time;
    job->stats = &job->progress.total;

    /* The plot of a run needs a track; the plot of a sweep needs only the steps. */
    bool tracked = plan->output.needs_track && plan->sweep.kind == SWEEP_NONE;
    bool phased = plan->mode == MODE_PHASES;
    job->track = tracked ? calloc(1, sizeof(*job->track)) : NULL;
    job->phases = phased ? calloc(1, sizeof(*job->phases)) : NULL;
    if ((tracked && !job->track) || (phased && !job->phases) ||
        worker_open_series(&job->series, plan, 1) < 0)
        return -1;
    job->outcome.series = plan->statistics.series_capacity ? &job->series : NULL;
    job->outcome.phases = job->phases ? job->phases->list : NULL;

    return 0;
}

void
job_free(struct job *job)
{
    free(job->track);
    free(job->phases);
    worker_close_series(&job->series);
}

/* Returns whether two targets have the same path. They need not be open yet. */
static bool
have_same_path(const struct job *job, const struct job *other)
{
    const char *path = job->target.description.path;
    const char *other_path = other->target.description.path;

    if (!path)
        path = job->plan.path;
    if (!other_path)
        other_path = other->plan.path;

    return strcmp(path, other_path) == 0;
}

int
job_ordinal(const struct job *jobs, int index)
{
    int ordinal = 1;
    for (int i = 0; i < index; i++)
        if (have_same_path(&jobs[i], &jobs[index]))
            ordinal++;
    return ordinal;
}

int
job_number(const struct job *jobs, int count, int index)
{
    for (int i = 0; i < count; i++)
        if (i != index && have_same_path(&jobs[i], &jobs[index]))
            return job_ordinal(jobs, index);
    return 0;
}

/* Returns the attribution of the requests of JOB; NULL without -breakdown and for a
 * background load. */
static struct attribution *
attribution_of(const struct job *job)
{
    return job->active_plan.mode == MODE_BACKGROUND ? NULL : job->run->task.attribution;
}

int
job_prepare(struct job *job, struct run *run)
{
    const struct plan *plan = &job->active_plan;
    bool alone = plan->io.threads == 1 && plan->io.depth == 1;

    job->run = run;
    job->stats = job->phases ? &job->phases->total : &job->progress.total;
    job->has_ended = job->progress.is_current = false;
    job->progress.added_workers = 0;
    job->abandon_at = INT64_MAX;
    job->group.size = 0;
    job->group.max_requests = plan->end.count < UINT64_MAX - job->ordinals_used
                                  ? job->ordinals_used + plan->end.count
                                  : UINT64_MAX;
    atomic_init(&job->group.ordinals_taken, job->ordinals_used);
    atomic_init(&job->group.next_arrival, 0);
    /* clears only memory that was used */
    busy_clear(&job->group.busy);
    job->group.busy_lock = alone ? NULL : os_lock_make();
    if (attribution_of(job))
        attribution_reset(attribution_of(job), job->index);
    /* the phase before this one may have left requests in it */
    stats_clear(&job->period.stats);
    busy_clear(&job->period.busy);
    job->period.stats.corrected_interval = plan->statistics.corrected_interval;
    job->period.stats.mix = plan->workload.mix;
    job->period.unsampled_lock = plan->output.any_periods ? os_lock_make() : NULL;

    stats_clear(&job->period.unsampled);
    job->period.unsampled.corrected_interval = plan->statistics.corrected_interval;
    job->period.unsampled.mix = plan->workload.mix;

    job->worker_threads =
        calloc((size_t)plan->io.threads, sizeof(struct worker_thread *));
    if (plan->output.any_periods && !job->period.unsampled_lock)
        return -1;

    return job->worker_threads && !job->group.busy_lock == alone ? 0 : -1;
}

int
job_open(struct job *job, struct error *error)
{
    const struct plan *plan = &job->active_plan;
    int *size = &job->group.size;

    /* A stop ends the opening. One worker is opened in any case, for its statistics. */
    while (*size < plan->io.threads && (*size == 0 || !os_signals_stop())) {
        struct worker_thread *thread = worker_thread_make(job);
        if (!thread)
            return error_set(error, EXIT_PREPARE, NULL,
                             "not enough memory for %d threads", plan->io.threads);
        thread->worker.account.attribution = attribution_of(job);
        if (worker_open(&thread->worker, job, plan->io.engine, *size, error) < 0) {
            worker_thread_free(thread);
            return -1;
        }
        thread->worker.reports_requests =
            plan->output.any_requests || plan->output.any_periods;
        thread->worker.judges_slow = job->run->task.observer->judges_slow;
        job->worker_threads[(*size)++] = thread;
    }

    return 0;
}

void
job_prepare_begin(struct job *job)
{
    atomic_init(&job->group.started_at, 0);
    atomic_init(&job->group.period_end, INT64_MAX);
    atomic_init(&job->group.is_stopped, os_signals_stop() != 0);
    atomic_init(&job->group.last_due_at, 0);
}

void
job_begin(struct job *job, int64_t begin)
{
    int64_t interval = job->active_plan.output.print_interval;

    begin += job->start_delay;
    job->period.began_at = begin;
    job->group.begin_at = begin;
    if (interval)
        atomic_store(&job->group.period_end, time_add(begin, interval));
}

/*
 * Abandons THREAD if its requests have timed out and it cannot fail them itself. The
 * loop of an engine that queues requests fails them itself, so it gets DEADLINE_GRACE
 * more. Observers are notified, unless another thread has held the run's lock for too
 * long. RESUMED is when the process went on after a stop: from then on requests have all
 * of their time again. Returns when to look again.
 */
static int64_t
abandon_late(struct job *job, struct worker_thread *thread, int64_t resumed, int64_t now)
{
    struct run *run = job->run;
    int64_t start = handoff_peek(&thread->worker.handoff);
    int64_t since = time_later(start > 0 ? start : now, resumed);
    int64_t late = time_add(since, job->active_plan.end.timeout);
    int64_t due =
        time_add(late, job->active_plan.io.engine->queues_requests ? DEADLINE_GRACE : 0);

    if (now < late)
        return late;
    if (now < due)
        return now + SUPERVISE_RETRY;
    bool notifies = os_lock_try(run->lock);
    if (notifies || now >= time_add(due, DEADLINE_GRACE))
        worker_thread_abandon_late(thread, os_process_resumed(), now, notifies);
    if (notifies)
        os_lock_release(run->lock);

    return now + SUPERVISE_RETRY;
}

/* Looks at one worker at time NOW: reports an unanswered request, abandons the worker if
 * it is late, wakes it if the job is over. Returns when to look again. */
static int64_t
watch_worker(struct job *job, struct worker_thread *thread, int64_t now)
{
    if (thread->counts_missed)
        return worker_thread_miss(thread, now);
    const struct run_observer *observer = job->run->task.observer;
    bool over =
        atomic_load(&job->group.is_stopped) || atomic_load(&job->group.last_due_at);
    uint64_t index;
    int64_t again;
    int64_t resumed = os_process_resumed();
    int64_t waited = worker_thread_check(thread, resumed, now, &index, &again);
    if (waited)
        observer->hang(observer->self, job, index, waited);
    again = time_earlier(again, abandon_late(job, thread, resumed, now));
    int64_t ended =
        atomic_load_explicit(&thread->worker.work_ends_at, memory_order_relaxed);
    int64_t limit = time_earlier(job->abandon_at, time_add(time_later(ended, resumed),
                                                           job->active_plan.end.grace));
    if (now >= limit && !worker_thread_is_over(thread))
        worker_thread_abandon(thread, now);
    if (over)
        worker_thread_wake(thread);
    if (over || now >= limit)
        limit = now + SUPERVISE_RETRY;

    return time_earlier(again, limit);
}

int64_t
job_supervise(struct job *job, int64_t now)
{
    int64_t next = 0;

    /* After a failure workers have as much time as at the end of the run. */
    if (atomic_load(&job->group.is_stopped))
        job_stop(job, time_add(now, job->active_plan.end.grace));
    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->worker_threads[i];
        if (worker_thread_is_over(thread))
            continue;
        int64_t again = watch_worker(job, thread, now);
        if (!worker_thread_is_over(thread))
            next = next ? time_earlier(next, again) : again;
    }
    if (!next)
        return notify_end_rest(job, now);

    return time_earlier(next, notify_end_period(job, now));
}

/* What requests were split into is added before the requests themselves: so a total
 * never has more split requests than requests. */
bool
job_add_up(struct job *job)
{
    struct attribution *attribution = attribution_of(job);
    struct stats *total = &job->progress.total;
    struct stats *all = job->phases ? &job->phases->total : NULL;

    if (job->progress.added_workers == 0) {
        stats_clear(total);
        job->in_flight = (struct job_in_flight){0};
        if (job->track)
            track_start(job->track, 0, 0);
        if (job->track && job->phases)
            track_merge(job->track, &job->phases->done_track);
        if (attribution &&
            !attribution_add(attribution, job->index, total, job->track, job->has_ended))
            return false;
    }

    for (; job->progress.added_workers < job->group.size; job->progress.added_workers++)
        if (!worker_thread_merge(job->worker_threads[job->progress.added_workers], total,
                                 job->track, &job->in_flight))
            return false;
    job->progress.added_workers = 0;
    if (job->group.busy_lock) {
        os_lock_acquire(job->group.busy_lock);
        total->busy_time = busy_time(&job->group.busy);
        os_lock_release(job->group.busy_lock);
    }

    if (all) {
        stats_clear(all);
        stats_merge(all, &job->outcome.total);
        stats_merge(all, total);
    }

    return true;
}

/* Returns whether the thread or a request of a job that has ended is still in the
 * kernel, so that the memory of the worker must stay. */
static bool
is_stuck(const struct worker_thread *thread)
{
    return thread->abandoned || thread->worker.queue.inflight.lost_count > 0;
}

/* Adds the results of THREAD to OUTCOME. Its failure is copied to FAILED if it is the
 * earliest of the step. */
static void
collect_thread(struct outcome *outcome, struct worker_thread *thread,
               struct sample *failed)
{
    const struct sample *own = &thread->worker.account.first_failed;

    if (!thread->abandoned)
        worker_thread_join(thread);
    outcome->is_stuck |= is_stuck(thread);
    if (own->index &&
        (!failed->index || own->start + own->latency < failed->start + failed->latency))
        *failed = *own;
    outcome->error_count += thread->worker.account.error_count;
    worker_share(&thread->worker);
    if (thread->worker.account.hole_percent > outcome->hole_percent)
        outcome->hole_percent = thread->worker.account.hole_percent;
    outcome->ended_at =
        time_later(outcome->ended_at, thread->worker.account.counted_until);
}

#define SECTOR 512

/*
 * Returns a lower bound for the number of reads, among COUNT reads of JOB that count,
 * for which no device was asked:
 *
 *     COUNT - bytes charged to the process / minimum number of bytes charged per read
 *
 * The kernel charges the process for what it reads from devices: for a direct read all
 * bytes; for a read through the page cache one sector or more, as the data may be
 * compressed. Reads of other jobs are charged to the process as well, so the true number
 * may be higher.
 *
 * Returns 0 if each read has a verdict already (counts_sectors), or if a note on holes
 * explains it.
 */
static uint64_t
count_from_memory(const struct job *job, uint64_t count)
{
    const struct target *target = &job->target;
    int64_t sectors = os_process_sectors();
    int64_t least = target->is_direct ? job->active_plan.workload.request_size : SECTOR;

    if (!target->charges_reads || target->counts_sectors || target->hole_percent > 0 ||
        job->outcome.hole_percent > 0 || job->outcome.is_stuck || sectors < 0)
        return 0;
    uint64_t charged = (uint64_t)((sectors - job->run->sectors) * SECTOR / least);

    return charged < count ? count - charged : 0;
}

/* Rejects all requests of JOB if no device was asked for any of them; otherwise sets
 * `from_memory` of its statistics. */
static void
reject_from_memory(struct job *job)
{
    struct stats *total = &job->progress.total;
    uint64_t reads = 0;
    uint64_t all = total->latency.count;

    if (!total->mix.extra_count && plan_does(&job->active_plan, OPERATION_READS))
        reads = all;
    for (int i = 0; total->mix.extra_count && i <= total->mix.extra_count; i++)
        if (operations[total->mix.turns[i]].flags & OPERATION_READS)
            reads += total->operations[i].latency.count;
    uint64_t cached = count_from_memory(job, reads);
    if (cached > 0 && cached == all)
        stats_reject(total);
    else
        total->from_memory = cached;
}

void
job_collect(struct job *job)
{
    struct outcome *outcome = &job->outcome;
    struct sample failed = {0};
    int64_t began = INT64_MAX;

    outcome->ended_at = 0;
    outcome->error_count = 0;
    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->worker_threads[i];
        collect_thread(outcome, thread, &failed);
        began = time_earlier(began, thread->worker.account.counted_from);
    }

    if (!outcome->failed_sample.index)
        outcome->failed_sample = failed;
    if (outcome->failed_sample.index && job->target.kind == OS_BLOCK)
        outcome->failed_sample.is_device_gone = os_device_is_gone(job->target.fd);

    job->progress.added_workers = 0; /* the last snapshot may be incomplete */
    job->has_ended = true;
    job_add_up(job);
    reject_from_memory(job);
    for (int i = 0; i < job->group.size && job->progress.total.latency.count; i++)
        series_merge(&job->series, &job->worker_threads[i]->worker.account.series);
    stats_merge(&outcome->total, &job->progress.total);

    int64_t end = outcome->ended_at;
    /* The last requests of a load are cut off by the end of the run. */
    if (job->plan.mode == MODE_BACKGROUND)
        end = time_later(worker_group_until(&job->group, end), began);
    outcome->duration += end - began;
}

bool
job_has_failed(const struct job *job)
{
    const struct outcome *outcome = &job->outcome;
    return outcome->is_stuck ||
           (outcome->failed_sample.index && !job->plan.end.ignore_error);
}

bool
job_close(struct job *job)
{
    bool all = true;

    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->worker_threads[i];
        if (is_stuck(thread)) {
            all = false; /* still in the kernel, and needs its memory */
            continue;
        }
        worker_close(&thread->worker);
        worker_thread_free(thread);
        job->worker_threads[i] = NULL;
    }
    /* If a worker is stuck, the group and its locks stay in memory as well, although by
     * the invariant at struct handoff a stuck worker never uses them again. */
    if (!all)
        return false;

    free(job->worker_threads);
    job->worker_threads = NULL;
    os_lock_free(job->group.busy_lock);
    job->group.busy_lock = NULL;
    os_lock_free(job->period.unsampled_lock);
    job->period.unsampled_lock = NULL;

    return true;
}
