/*
 * A job: one target of a run, and the workers that send requests to it. While the job
 * runs, these functions are called in this order:
 *
 *     job_prepare, job_open    make the workers; called by the thread that opens the run
 *     job_begin                sets when requests and periods begin
 *     job_check                the supervisor checks each worker, every few ms
 *     job_add_up               the supervisor adds up the statistics of the workers
 *     job_collect              makes the outcome, after the last worker has ended
 *     job_close                frees everything that is not stuck in the kernel
 *
 * The supervisor touches a worker's statistics only while it has locked the worker's
 * handoff (queue.h), or after the worker has ended. If a worker holds its handoff for
 * more than about 10 ms, job_add_up returns, and its next call continues with that
 * worker.
 */
#include "base/deadlines.h"
#include "os/os.h"
#include "os/process.h"
#include "plan/parts.h"
#include "run_private.h"
#include "worker_thread.h"

#include <stdlib.h>
#include <string.h>

int
job_init(struct job *job, const struct plan *plan, int index)
{
    const struct plan *whole = plan;

    job->index = index;
    job->target_count = plan->target_count;
    job->sweep.highest_index = -1;
    if (plan->mode == MODE_DIAGNOSE)
        plan_part(plan, (enum plan_part)index, &job->plan);
    else if (index < plan->target_count)
        plan_target(plan, index, &job->plan);
    else
        plan_background(plan, &job->plan);

    plan = &job->plan;
    /* `begin` of the observer is not called for a background load, and only once for the
     * parts of -diagnose, which have the same target. */
    job->begin_notified =
        plan->mode == MODE_BACKGROUND || (plan->mode == MODE_DIAGNOSE && index > 0);
    job->active_plan = *plan;
    job->target.fd = -1;

    job->outcome.direct_io_hint = job->target.direct_io_hint;
    job->outcome.slos = &plan->statistics.slos;
    job->outcome.warnings = &plan->statistics.warnings;
    job->outcome.is_diagnosed = plan->mode == MODE_DIAGNOSE;
    job->outcome.has_breakdown =
        plan->statistics.has_breakdown && !job->outcome.is_diagnosed;
    job->outcome.target_name = job_name(job);
    if (plan->end.max_requests == UINT64_MAX && plan->end.work_time != INT64_MAX)
        job->outcome.work_time = plan->end.work_time;
    job->outcome.part_time = job->outcome.work_time;
    if (plan->mode == MODE_DIAGNOSE) /* -w is the work time of all parts together */
        job->outcome.work_time = whole->end.work_time;
    if (plan->end.max_requests != UINT64_MAX)
        job->outcome.max_requests = plan->end.max_requests;
    job->stats = &job->progress.total;

    /* The plot of a run shows a track; the plot of a sweep shows only the steps. */
    if (plan->output.needs_track && plan->sweep.kind == SWEEP_NONE) {
        job->track = calloc(1, sizeof(*job->track));
        if (!job->track)
            return -1;
    }
    if (plan->mode == MODE_PHASES) {
        job->phases = calloc(1, sizeof(*job->phases));
        if (!job->phases)
            return -1;
        job->outcome.phases = job->phases->list;
    }
    if (worker_open_series(&job->series, plan, 1) < 0)
        return -1;
    if (plan->statistics.series_capacity)
        job->outcome.series = &job->series;

    return 0;
}

void
job_free(struct job *job)
{
    free(job->track);
    free(job->phases);
    worker_close_series(&job->series);
}

/* Returns true if JOB and OTHER have the same target path. No target need be open. */
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
job_path_ordinal(const struct job *jobs, int index)
{
    int ordinal = 1;
    for (int i = 0; i < index; i++)
        if (have_same_path(&jobs[i], &jobs[index]))
            ordinal++;
    return ordinal;
}

int
job_path_number(const struct job *jobs, int count, int index)
{
    for (int i = 0; i < count; i++)
        if (i != index && have_same_path(&jobs[i], &jobs[index]))
            return job_path_ordinal(jobs, index);
    return 0;
}

/* Returns the attribution (-breakdown) for the requests of JOB. Returns NULL without
 * -breakdown and for a background load. */
static struct attribution *
find_attribution(const struct job *job)
{
    return job->active_plan.mode == MODE_BACKGROUND ? NULL : job->run->task.attribution;
}

/* Prepares the worker_group of JOB for its present step or phase. Returns 0, or -1 if
 * memory is lacking. */
static int
prepare_group(struct job *job)
{
    const struct plan *plan = &job->active_plan;
    struct worker_group *group = &job->group;
    bool has_single_request = plan->io.threads == 1 && plan->io.depth == 1;

    group->size = 0;
    group->max_requests = UINT64_MAX;
    if (plan->end.max_requests < UINT64_MAX - job->ordinals_used)
        group->max_requests = job->ordinals_used + plan->end.max_requests;
    atomic_init(&group->ordinals_taken, job->ordinals_used);
    atomic_init(&group->next_arrival, 0);
    busy_clear(&group->busy);
    group->busy_lock = NULL;
    if (has_single_request)
        return 0;
    group->busy_lock = os_lock_make();

    return group->busy_lock ? 0 : -1;
}

/* Prepares the period of JOB for its present step or phase. Returns 0, or -1 if memory is
 * lacking. */
static int
prepare_period(struct job *job)
{
    const struct plan *plan = &job->active_plan;
    struct job_period *period = &job->period;

    /* The last period of the previous phase may have been incomplete. Then its
     * requests are still here. */
    stats_clear(&period->stats);
    period->stats.corrected_interval = plan->statistics.corrected_interval;
    period->stats.mix = plan->workload.mix;
    busy_clear(&period->busy);
    stats_clear(&period->unsampled);
    period->unsampled.corrected_interval = plan->statistics.corrected_interval;
    period->unsampled.mix = plan->workload.mix;
    period->unsampled_lock = NULL;
    if (!plan->output.any_periods)
        return 0;
    period->unsampled_lock = os_lock_make();

    return period->unsampled_lock ? 0 : -1;
}

int
job_prepare(struct job *job, struct run *run)
{
    const struct plan *plan = &job->active_plan;
    int status = 0;

    job->run = run;
    job->stats = job->phases ? &job->phases->total : &job->progress.total;
    job->has_ended = false;
    job->progress.is_current = false;
    job->progress.added_workers = 0;
    job->abandon_at = INT64_MAX;
    if (find_attribution(job))
        attribution_reset(find_attribution(job), job->index);

    /* After an error the rest is prepared as well, because job_close frees all of it. */
    if (prepare_group(job) < 0)
        status = -1;
    if (prepare_period(job) < 0)
        status = -1;
    job->worker_threads =
        calloc((size_t)plan->io.threads, sizeof(struct worker_thread *));

    return job->worker_threads ? status : -1;
}

int
job_open(struct job *job, struct error *error)
{
    const struct plan *plan = &job->active_plan;
    int *size = &job->group.size;

    /* A signal to stop ends this loop early. Even then one worker is opened, because the
     * outcome needs the statistics of a worker. */
    while (*size < plan->io.threads && (*size == 0 || !os_signals_stop_signal())) {
        struct worker_thread *thread = worker_thread_make(job);
        if (!thread)
            return error_set(error, EXIT_PREPARE, NULL,
                             "not enough memory for %d threads", plan->io.threads);
        thread->worker.account.attribution = find_attribution(job);
        if (worker_open(&thread->worker, job, plan->io.engine, *size, error) < 0) {
            worker_thread_free(thread);
            return -1;
        }
        thread->worker.reports_requests =
            plan->output.any_requests || plan->output.any_periods;
        thread->worker.needs_slow_above = job->run->task.observer->needs_slow_above;
        job->worker_threads[(*size)++] = thread;
    }

    return 0;
}

void
job_prepare_begin(struct job *job)
{
    atomic_init(&job->group.started_at, 0);
    atomic_init(&job->group.period_end, INT64_MAX);
    atomic_init(&job->group.is_stopped, os_signals_stop_signal() != 0);
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
 * Abandons the worker of THREAD if its requests have timed out and it cannot fail them
 * itself, because it is stuck in a system call. With an engine that queues requests, the
 * worker can usually fail them itself, so it gets DEADLINE_GRACE more time to do that.
 * The failed requests are reported to the observer, unless another thread has the run's
 * lock for too long. RESUMED is when the process last continued after a stop; the timeout
 * of the requests begins anew then. Returns the time at which to check again.
 */
static int64_t
abandon_if_timed_out(struct job *job, struct worker_thread *thread, int64_t resumed,
                     int64_t now)
{
    const struct plan *plan = &job->active_plan;
    struct run *run = job->run;
    int64_t sent_at = handoff_peek(&thread->worker.handoff);
    int64_t since = time_later(sent_at > 0 ? sent_at : now, resumed);
    int64_t times_out_at = time_add(since, plan->end.timeout);
    int64_t abandon_at = times_out_at;
    if (plan->io.engine->queues_requests)
        abandon_at = time_add(abandon_at, DEADLINE_GRACE);

    if (now < times_out_at)
        return times_out_at;
    if (now < abandon_at)
        return now + SUPERVISE_RETRY;
    bool has_lock = os_lock_try(run->lock);
    if (has_lock || now >= time_add(abandon_at, DEADLINE_GRACE))
        worker_thread_abandon_late(thread, os_process_resumed_at(), now, has_lock);
    if (has_lock)
        os_lock_release(run->lock);

    return now + SUPERVISE_RETRY;
}

/* Checks one worker at NOW: reports a request without an answer, abandons the worker if
 * it has had too much time, and wakes it if the job is over. Returns the time
 * at which to check again. */
static int64_t
watch_worker(struct job *job, struct worker_thread *thread, int64_t now)
{
    if (thread->counts_missed)
        return worker_thread_count_missed(thread, now);

    const struct run_observer *observer = job->run->task.observer;
    bool is_over =
        atomic_load(&job->group.is_stopped) || atomic_load(&job->group.last_due_at);
    uint64_t index;
    int64_t check_at;
    int64_t resumed = os_process_resumed_at();
    int64_t waited = worker_thread_find_stall(thread, resumed, now, &index, &check_at);
    if (waited)
        observer->hang(observer->self, job, index, waited);
    check_at = time_earlier(check_at, abandon_if_timed_out(job, thread, resumed, now));

    int64_t work_ends_at =
        atomic_load_explicit(&thread->worker.work_ends_at, memory_order_relaxed);
    int64_t grace_begin = time_later(work_ends_at, resumed);
    int64_t abandon_at =
        time_earlier(job->abandon_at, time_add(grace_begin, job->active_plan.end.grace));
    if (now >= abandon_at && !worker_thread_is_over(thread))
        worker_thread_abandon(thread, now);
    if (is_over)
        worker_thread_wake(thread);
    if (is_over || now >= abandon_at)
        return time_earlier(check_at, now + SUPERVISE_RETRY);

    return time_earlier(check_at, abandon_at);
}

int64_t
job_check(struct job *job, int64_t now)
{
    int64_t next_check = 0;

    /* The group may have been stopped by a worker whose request failed. Then the other
     * workers get the grace period of the plan for their requests in flight. */
    if (atomic_load(&job->group.is_stopped))
        job_stop(job, time_add(now, job->active_plan.end.grace));
    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->worker_threads[i];
        if (worker_thread_is_over(thread))
            continue;
        int64_t check_at = watch_worker(job, thread, now);
        if (!worker_thread_is_over(thread))
            next_check = next_check ? time_earlier(next_check, check_at) : check_at;
    }
    if (!next_check)
        return notify_end_last_periods(job, now);

    return time_earlier(next_check, notify_try_end_period(job, now));
}

/*
 * Empties the sum of the statistics of JOB, and adds what does not come from its workers:
 * the tracks of earlier phases, and the parts into which latencies were split
 * (-breakdown). Returns false if another thread is using the attribution.
 *
 * The parts must be added before the latencies. If a request ends in between, the sum has
 * its latency without its parts, which is allowed. In the other order, the sum might have
 * parts without a latency.
 */
static bool
begin_adding_up(struct job *job)
{
    struct attribution *attribution = find_attribution(job);
    struct stats *total = &job->progress.total;

    stats_clear(total);
    job->in_flight = (struct job_in_flight){0};
    if (job->track)
        track_start(job->track, 0, 0);
    if (job->track && job->phases)
        track_merge(job->track, &job->phases->done_track);
    if (!attribution)
        return true;

    return attribution_add(attribution, job->index, total, job->track, job->has_ended);
}

bool
job_add_up(struct job *job)
{
    struct job_progress *progress = &job->progress;
    struct stats *total = &progress->total;

    if (progress->added_workers == 0 && !begin_adding_up(job))
        return false;
    for (; progress->added_workers < job->group.size; progress->added_workers++)
        if (!worker_thread_merge(job->worker_threads[progress->added_workers], total,
                                 job->track, &job->in_flight))
            return false;
    progress->added_workers = 0;
    if (job->group.busy_lock) {
        os_lock_acquire(job->group.busy_lock);
        total->busy_time = busy_time(&job->group.busy);
        os_lock_release(job->group.busy_lock);
    }

    if (job->phases) {
        stats_clear(&job->phases->total);
        stats_merge(&job->phases->total, &job->outcome.total);
        stats_merge(&job->phases->total, total);
    }

    return true;
}

/* Returns true if the thread itself or a request of its worker is still in the kernel.
 * Then the memory of the worker must not be freed. The job must have ended. */
static bool
is_stuck(const struct worker_thread *thread)
{
    return thread->is_abandoned || thread->worker.queue.inflight.lost_count > 0;
}

/* Adds the results of the worker of THREAD to OUTCOME. If the first failed request of the
 * worker ended before FAILED, or if FAILED has the index 0, copies it to FAILED. */
static void
collect_worker(struct outcome *outcome, struct worker_thread *thread,
               struct sample *failed)
{
    const struct worker_account *account = &thread->worker.account;
    const struct sample *candidate = &account->first_failed;

    if (!thread->is_abandoned)
        worker_thread_join(thread);
    if (is_stuck(thread))
        outcome->is_stuck = true;
    if (candidate->index && (!failed->index || candidate->start + candidate->latency <
                                                   failed->start + failed->latency))
        *failed = *candidate;
    outcome->error_count += account->error_count;
    worker_hand_over_logs(&thread->worker);
    if (account->hole_percent > outcome->hole_percent)
        outcome->hole_percent = account->hole_percent;
    outcome->ended_at = time_later(outcome->ended_at, account->counted_until);
}

#define SECTOR 512 /* unit of os_process_sectors, in bytes */

/*
 * Returns a lower bound for the number of reads that were answered from memory, without
 * the device, among COUNT reads of JOB:
 *
 *     COUNT - bytes charged to the process / minimum number of bytes charged per read
 *
 * The kernel charges the process for the bytes that it reads from devices: for a direct
 * read all its bytes; for a read through the page cache one sector or more, because the
 * data may be compressed. Reads of other jobs are charged to the process as well, so the
 * true number may be higher.
 *
 * Returns 0 if the charge is not known. Also returns 0 if the target counts_sectors,
 * because then each read was checked when it ended, or if the working set has holes,
 * about which another note tells the user.
 */
static uint64_t
count_from_memory(const struct job *job, uint64_t count)
{
    const struct target *target = &job->target;
    int64_t sectors = os_process_sectors();
    int64_t min_charge =
        target->is_direct ? job->active_plan.workload.request_size : SECTOR;

    if (!target->charges_reads || target->counts_sectors || target->hole_percent > 0 ||
        job->outcome.hole_percent > 0 || job->outcome.is_stuck || sectors < 0)
        return 0;
    uint64_t max_device_reads =
        (uint64_t)((sectors - job->run->sectors) * SECTOR / min_charge);

    return max_device_reads < count ? count - max_device_reads : 0;
}

/* Returns the number of reads in the statistics of JOB. */
static uint64_t
count_reads(const struct job *job)
{
    const struct stats *total = &job->progress.total;
    uint64_t reads = 0;

    if (total->mix.extra_count == 0)
        return plan_does(&job->active_plan, OPERATION_READS) ? total->latency.count : 0;
    for (int i = 0; i <= total->mix.extra_count; i++)
        if (operations[total->mix.turns[i]].flags & OPERATION_READS)
            reads += total->operations[i].latency.count;

    return reads;
}

/* If all requests of JOB were answered from memory, without the device, makes none of
 * them count. Otherwise sets `from_memory` of its statistics. */
static void
reject_from_memory(struct job *job)
{
    struct stats *total = &job->progress.total;
    uint64_t from_memory = count_from_memory(job, count_reads(job));

    if (from_memory > 0 && from_memory == total->latency.count)
        stats_reject(total);
    else
        total->from_memory = from_memory;
}

/* Returns true if -c has ended JOB, or if nothing but a signal can end it. */
static bool
has_reached_end(const struct job *job)
{
    const struct plan_end *end = &job->active_plan.end;

    if (end->max_requests == UINT64_MAX)
        return end->work_time == INT64_MAX;
    return job->progress.total.requests >= end->max_requests;
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
        collect_worker(outcome, thread, &failed);
        began = time_earlier(began, thread->worker.account.counted_from);
    }

    if (!outcome->failed_sample.index)
        outcome->failed_sample = failed;
    if (outcome->failed_sample.index && job->target.kind == OS_BLOCK)
        outcome->failed_sample.is_device_gone = os_device_is_gone(job->target.fd);

    /* if the sum was incomplete, adds up all workers again */
    job->progress.added_workers = 0;
    job->has_ended = true;
    job_add_up(job);
    reject_from_memory(job);
    if (job->progress.total.latency.count > 0)
        for (int i = 0; i < job->group.size; i++)
            series_merge(&job->series, &job->worker_threads[i]->worker.account.series);
    stats_merge(&outcome->total, &job->progress.total);

    int64_t end = outcome->ended_at;
    /* The load is stopped when the other job ends. The time after that, in which the load
     * only waits for its last requests, is not part of its duration. */
    if (job->plan.mode == MODE_BACKGROUND)
        end = time_later(worker_group_last_due(&job->group, end), began);
    outcome->duration += end - began;
    outcome->was_interrupted = os_signals_stop_signal() && !has_reached_end(job);
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
    bool all_closed = true;

    for (int i = 0; i < job->group.size; i++) {
        struct worker_thread *thread = job->worker_threads[i];
        if (is_stuck(thread)) {
            /* the kernel may still write to the memory of the worker */
            all_closed = false;
            continue;
        }
        worker_close(&thread->worker);
        worker_thread_free(thread);
        job->worker_threads[i] = NULL;
    }
    /* If a worker is stuck, the group and its locks stay in memory, too. This is only a
     * precaution: a stuck worker never uses them again (see struct handoff). */
    if (!all_closed)
        return false;

    free(job->worker_threads);
    job->worker_threads = NULL;
    os_lock_free(job->group.busy_lock);
    job->group.busy_lock = NULL;
    os_lock_free(job->period.unsampled_lock);
    job->period.unsampled_lock = NULL;

    return true;
}
